"""Formats: round trips, gensim on the other side, and every file that is none."""

import base64
import bz2
import gzip
import io
import json
import lzma
import os
import pickle
import re
import struct
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

from w2v import formats
from w2v.errors import OutputError, VectorsError
from w2v.formats import base
from w2v.vectors import Vectors

READ_BACK = ["bin", "text", "glove", "safetensors"]
PLAIN = ["bin", "text", "glove"]


def make(words: list[str], dim: int = 4, seed: int = 0, **options) -> Vectors:
    matrix = np.random.default_rng(seed).normal(size=(len(words), dim)).astype(np.float32)
    return Vectors(words, matrix, **options)


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def same(first: Vectors, second: Vectors) -> bool:
    return first.words == second.words and first.matrix.tobytes() == second.matrix.tobytes()


# --- round trips -------------------------------------------------------------------------------------------

white_space_free = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1).filter(
    lambda word: not any(c.isspace() for c in word)
)
numbers = st.floats(width=32, allow_nan=False, allow_infinity=False)


@st.composite
def any_vectors(draw: st.DrawFn) -> Vectors:
    words = draw(st.lists(white_space_free | st.integers().map(str), min_size=1, max_size=8, unique=True))
    dim = draw(st.integers(1, 5))
    rows = draw(st.lists(st.lists(numbers, min_size=dim, max_size=dim), min_size=len(words), max_size=len(words)))
    return Vectors(words, np.array(rows, np.float32))


@pytest.mark.parametrize("name", READ_BACK)
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(vectors=any_vectors())
@example(vectors=Vectors(["5"], [[3]]))
@example(vectors=Vectors(["5", "6"], [[3], [4]]))
@example(vectors=Vectors(["3", "4"], [[1, 2], [3, 4]]))
@example(vectors=Vectors(["#a", "#"], [[1], [2]]))
@example(vectors=Vectors(["nan", "inf", "1e5", "0x10", "1_0"], np.ones((5, 3))))
@example(vectors=Vectors(["a"], np.frombuffer(b"\n\n\n\n \n \n", "<f4").reshape(1, 2)))
@example(vectors=Vectors(["\ufeffa", "b\u200b", "\x7f", "\x01"], np.ones((4, 2))))
@example(vectors=Vectors(["a", "b"], [[1e-45, 3.4028235e38], [-0.0, 0.1]]))
def test_round_trip(name: str, vectors: Vectors, tmp_path: Path) -> None:
    path = tmp_path / "vectors"
    if name == "glove" and vectors.words[0].startswith("\ufeff"):
        vectors = Vectors(["x", *vectors.words[1:]], vectors.matrix) if "x" not in vectors else make(["y"])
    vectors.save(path, format=name, overwrite=True)
    assert formats.recognise(path)[0].name == name
    back = Vectors.load(path)
    assert same(back, vectors)
    assert back.warnings == []


@pytest.mark.parametrize("name", READ_BACK)
@pytest.mark.parametrize("chunk", [1, 7, 64])
def test_chunk_borders_do_not_matter(name: str, chunk: int, tmp_path: Path, monkeypatch) -> None:
    for module in (base, formats.binary, formats.text, formats.native):
        monkeypatch.setattr(module, "CHUNK_BYTES", chunk)
    monkeypatch.setattr(formats.text, "_LINES_AT_ONCE", 3)
    vectors = make([f"wört{i}" * (1 + i % 4) for i in range(50)], dim=3)
    vectors.save(tmp_path / "v", format=name)
    assert same(Vectors.load(tmp_path / "v"), vectors)


@pytest.mark.parametrize("name", READ_BACK)
def test_large_dimension(name: str, tmp_path: Path) -> None:
    vectors = make(["a", "b", "c"], dim=65536)
    vectors.save(tmp_path / "v", format=name)
    assert same(Vectors.load(tmp_path / "v"), vectors)


def test_native_keeps_everything(tmp_path: Path) -> None:
    metadata = {
        "program": "w2v 0.1.0",
        "config": {"dim": 5},
        "unknown": ["ü", None, 1.5],
        "total_count": 2**40,
    }
    vectors = make(["a", "two words", "ü"], 5, output_matrix=make(["x"] * 1 + ["y", "z"], 5, 1).matrix,
                   counts=[2**40, 5, 1], metadata=metadata)  # fmt: skip
    vectors.output_matrix[0, 0] = -0.0
    path = tmp_path / "m.safetensors"
    vectors.save(path)
    back = Vectors.load(path)
    assert same(back, vectors)
    assert back.output_matrix.tobytes() == vectors.output_matrix.tobytes()
    assert back.counts.tolist() == [2**40, 5, 1]
    assert back.metadata == metadata
    assert names_in(tmp_path) == ["m.safetensors"]


def test_native_is_read_by_safetensors(tmp_path: Path) -> None:
    vectors = make(["a", "b"], 3, counts=[7, 6])
    vectors.save(tmp_path / "m.safetensors")
    tensors = load_file(tmp_path / "m.safetensors")
    assert sorted(tensors) == ["counts", "input_vectors", "words"]
    assert np.array_equal(tensors["input_vectors"], vectors.matrix)
    assert tensors["counts"].tolist() == [7, 6]
    assert tensors["words"].tobytes() == b"a\nb"


def test_native_keeps_output_biases(tmp_path: Path) -> None:
    vectors = make(["a", "b"], 3, counts=[7, 6])
    vectors.output_bias = np.array([-0.0, 1e-45], np.float32)
    vectors.save(tmp_path / "m.safetensors")
    back = Vectors.load(tmp_path / "m.safetensors")
    assert back.output_bias is not None
    assert back.output_bias.tobytes() == vectors.output_bias.tobytes()
    assert load_file(tmp_path / "m.safetensors")["output_bias"].tobytes() == vectors.output_bias.tobytes()


def test_native_is_mapped_and_changes_stay_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "m.safetensors"
    make(["a", "b"]).save(path)
    before = path.read_bytes()
    vectors = Vectors.load(path)
    assert isinstance(vectors.matrix.base, np.memmap)
    vectors.matrix[0] = 9
    assert path.read_bytes() == before


def test_binary_bytes_are_those_of_the_c_tool(tmp_path: Path) -> None:
    Vectors(["ab", "ü"], [[1, -2], [0.5, 0]]).save(tmp_path / "v.bin")
    expected = b"2 2\nab " + struct.pack("<2f", 1, -2) + b"\n\xc3\xbc " + struct.pack("<2f", 0.5, 0) + b"\n"
    assert (tmp_path / "v.bin").read_bytes() == expected


def test_text_is_the_shortest_that_reads_back(tmp_path: Path) -> None:
    Vectors(["a", "b"], [[0.1, 1e-5], [-3, 1e20]]).save(tmp_path / "v.txt")
    assert (tmp_path / "v.txt").read_text() == "2 2\na 0.1 1e-05\nb -3.0 1e+20\n"
    Vectors(["a", "b"], [[0.1, 1e-5], [-3, 1e20]]).save(tmp_path / "v.glove")
    assert (tmp_path / "v.glove").read_text() == "a 0.1 1e-05\nb -3.0 1e+20\n"


def test_npy_and_tsv(tmp_path: Path) -> None:
    vectors = make(["a", "b c", "ü"], 2)
    vectors.save(tmp_path / "v.npy")
    assert np.load(tmp_path / "v.npy").tobytes() == vectors.matrix.tobytes()
    assert (tmp_path / "v.words.txt").read_text(encoding="utf-8") == "a\nb c\nü\n"
    vectors.save(tmp_path / "v.tsv")
    table = (tmp_path / "v.tsv").read_text().splitlines()
    assert np.array([line.split("\t") for line in table], np.float32).tobytes() == vectors.matrix.tobytes()
    assert (tmp_path / "v.metadata.tsv").read_text(encoding="utf-8") == "a\nb c\nü\n"


@pytest.mark.parametrize("name", [row.name for row in formats.FORMATS])
def test_peak_memory_stays_near_one_matrix(name: str, tmp_path: Path, monkeypatch) -> None:
    # Everything else at a sixteenth of its size, so that a small matrix shows what a large one needs.
    chunk = base.CHUNK_BYTES // 16
    for module in (formats.binary, formats.text, formats.native):
        monkeypatch.setattr(module, "CHUNK_BYTES", chunk)
    monkeypatch.setattr(formats.foreign, "HEAD_BYTES", base.HEAD_BYTES // 16)
    monkeypatch.setattr(formats.text, "_LINES_AT_ONCE", 32)
    vectors = make([f"w{i}" for i in range(2000)], 200)
    one_matrix = vectors.matrix.nbytes  # 1.6 MB
    tracemalloc.start()
    vectors.save(tmp_path / "v", format=name)
    written = tracemalloc.get_traced_memory()[1]
    tracemalloc.reset_peak()
    if name in READ_BACK:
        Vectors.load(tmp_path / "v")
    read = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert written < 0.75 * one_matrix
    assert read < 1.75 * one_matrix


# --- gensim on the other side ------------------------------------------------------------------------------

ODD_WORDS = ["the", "ü", "王", "#", "123", "1.5", "'s", "a-b", "\u200bzero", "😀"]


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("dim", [1, 2, 25])
def test_gensim_reads_ours(name: str, dim: int, tmp_path: Path) -> None:
    models = pytest.importorskip("gensim.models")
    vectors = make(ODD_WORDS, dim)
    vectors.save(tmp_path / "v", format=name)
    theirs = models.KeyedVectors.load_word2vec_format(
        str(tmp_path / "v"), binary=name == "bin", no_header=name == "glove"
    )
    assert theirs.index_to_key == vectors.words
    assert theirs.vectors.tobytes() == vectors.matrix.tobytes()


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("dim", [1, 2, 25])
def test_we_read_gensims(name: str, dim: int, tmp_path: Path) -> None:
    pytest.importorskip("gensim")
    vectors = make(ODD_WORDS, dim)
    vectors.to_gensim().save_word2vec_format(str(tmp_path / "v"), binary=name == "bin", write_header=name != "glove")
    assert formats.recognise(tmp_path / "v")[0].name == name
    assert same(Vectors.load(tmp_path / "v"), vectors)


# --- odd but good files ------------------------------------------------------------------------------------


@pytest.mark.parametrize("newline", [b"", b"\n"])
def test_binary_with_and_without_newlines(newline: bytes, tmp_path: Path) -> None:
    # Vectors full of newlines and spaces: neither may be taken for a border.
    rows = [b"\n\n\n\n    ", b"    \n\n\n\n", b"\n a 1.0\n"]
    data = b"3 2\n" + b"".join(word + b" " + row + newline for word, row in zip((b"a", b"bb", b"c"), rows, strict=True))
    (tmp_path / "v").write_bytes(data)
    vectors = Vectors.load(tmp_path / "v")
    assert vectors.words == ["a", "bb", "c"]
    assert vectors.matrix.tobytes() == b"".join(rows)


def test_text_with_odd_white_space(tmp_path: Path) -> None:
    (tmp_path / "v").write_bytes(b"\xef\xbb\xbf3  2 \r\nnew york 1 2 \r\n\nroute 66a 3 4\na\xc2\xa0b\t5\t6")
    vectors = Vectors.load(tmp_path / "v")
    assert vectors.words == ["new york", "route 66a", "a\u00a0b"]
    assert vectors.matrix.tolist() == [[1, 2], [3, 4], [5, 6]]


def test_headerless_takes_the_dimension_of_plain_lines(tmp_path: Path) -> None:
    (tmp_path / "v").write_bytes(b"66 route 1 2\n7 3 4\n. . . 5 6\n")
    vectors = Vectors.load(tmp_path / "v")
    assert vectors.words == ["66 route", "7", ". . ."]
    assert vectors.matrix.tolist() == [[1, 2], [3, 4], [5, 6]]


@pytest.mark.parametrize("name", PLAIN)
def test_duplicates_first_wins(name: str, tmp_path: Path) -> None:
    path = tmp_path / "v"
    make(["a", "b", "c", "d"]).save(path, format=name)
    rows = make(["a", "b", "c", "d"]).matrix
    path.write_bytes(path.read_bytes().replace(b"c ", b"a ").replace(b"d ", b"a "))
    vectors = Vectors.load(path)
    assert vectors.words == ["a", "b"]
    assert vectors.matrix.tobytes() == rows[:2].tobytes()
    assert vectors.duplicate_words == ["a", "a"]
    assert len(vectors.warnings) == 1
    assert "2 rows repeat an earlier word, the first of them 'a'" in vectors.warnings[0]


@pytest.mark.parametrize("name", PLAIN)
def test_invalid_utf8_is_replaced_and_counted(name: str, tmp_path: Path) -> None:
    path = tmp_path / "v"
    make(["aXb", "good", "Xc"]).save(path, format=name)
    path.write_bytes(path.read_bytes().replace(b"aXb ", b"a\xffb ").replace(b"Xc ", b"\xc3c "))
    vectors = Vectors.load(path)
    assert vectors.words == ["a\ufffdb", "good", "\ufffdc"]
    assert vectors.warnings == [f"{path}: 2 words are not valid UTF-8; their bad bytes were replaced by U+FFFD"]


def test_not_finite_is_read(tmp_path: Path) -> None:
    (tmp_path / "v").write_bytes(b"2 2\na nan 1e300\nb 1 2\n")
    matrix = Vectors.load(tmp_path / "v").matrix
    assert np.isnan(matrix[0, 0])
    assert np.isinf(matrix[0, 1])


# --- sidecar -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PLAIN)
def test_sidecar_keeps_the_metadata(name: str, tmp_path: Path) -> None:
    metadata = {"program": "w2v 0.1.0", "config": {"lowercase": True}, "extra": {"ü": [1]}}
    make(["a"], metadata=metadata).save(tmp_path / "v", format=name)
    assert json.loads((tmp_path / "v.json").read_text(encoding="utf-8"))["program"] == "w2v 0.1.0"
    back = Vectors.load(tmp_path / "v")
    assert back.metadata == metadata
    assert back.normalize_word("ABC") == "abc"


def test_no_sidecar_without_metadata(tmp_path: Path) -> None:
    make(["a"], metadata={"x": 1}).save(tmp_path / "v.bin")
    make(["b"]).save(tmp_path / "v.bin", overwrite=True)
    assert names_in(tmp_path) == ["v.bin"]  # the old sidecar would be taken for the new vectors'


@pytest.mark.parametrize("metadata", [None, {"temperature": 0.07}])
@pytest.mark.parametrize("name", PLAIN)
def test_sidecar_keeps_output_biases(name: str, metadata, tmp_path: Path) -> None:
    vectors = make(["a", "b", "c"], metadata=metadata)
    vectors.output_bias = np.array([0.1, -3e38, 1e-45], np.float32)
    vectors.save(tmp_path / "v", format=name)
    content = json.loads((tmp_path / "v.json").read_text())
    assert base64.b64decode(content["output_bias"]) == struct.pack("<3f", 0.1, -3e38, 1e-45)
    back = Vectors.load(tmp_path / "v")
    assert back.output_bias is not None
    assert back.output_bias.tobytes() == vectors.output_bias.tobytes()
    assert back.metadata == (metadata or {})
    back.save(tmp_path / "m.safetensors")
    assert np.array_equal(Vectors.load(tmp_path / "m.safetensors").output_bias, vectors.output_bias)


@pytest.mark.parametrize("value", ["", "AAAA", "no base64!", "ä", None, 3, ["AAAA"]])
def test_odd_biases_of_a_sidecar_are_ignored_with_a_warning(value, tmp_path: Path) -> None:
    make(["a"], metadata={"x": 1}).save(tmp_path / "v.bin")
    (tmp_path / "v.bin.json").write_text(json.dumps({"x": 1, "shape": [1, 4], "output_bias": value}))
    vectors = Vectors.load(tmp_path / "v.bin")
    assert vectors.output_bias is None
    assert vectors.metadata == {"x": 1}
    assert len(vectors.warnings) == 1
    assert "output_bias ignored, it is not the base64 of 1 float32" in vectors.warnings[0]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_biases_that_are_not_finite_are_neither_read_nor_written(bad: float, tmp_path: Path) -> None:
    vectors = make(["a", "b"], metadata={"x": 1})
    vectors.output_bias = np.array([1, 2], np.float32)
    vectors.save(tmp_path / "v.bin")
    vectors.save(tmp_path / "m.safetensors")
    good, odd = struct.pack("<2f", 1, 2), struct.pack("<2f", 1, bad)
    native, sidecar = tmp_path / "m.safetensors", tmp_path / "v.bin.json"
    assert native.read_bytes().count(good) == 1
    native.write_bytes(native.read_bytes().replace(good, odd))
    with pytest.raises(VectorsError, match=r"m\.safetensors: output_bias of word 2 is -?(nan|inf); biases must be"):
        Vectors.load(native)
    sidecar.write_text(sidecar.read_text().replace(*(base64.b64encode(b).decode() for b in (good, odd))))
    back = Vectors.load(tmp_path / "v.bin")
    assert back.output_bias is None
    assert back.warnings == [f"{sidecar}: its output_bias ignored, that of 'b' is not finite"]
    vectors.output_bias[1] = bad
    for name in READ_BACK:
        with pytest.raises(VectorsError, match="not written, the output_bias of 'b' is not finite"):
            vectors.save(tmp_path / "new", format=name)
    assert names_in(tmp_path) == ["m.safetensors", "v.bin", "v.bin.json"]


@pytest.mark.parametrize("name", ["bin", "safetensors"])
def test_files_hold_no_nan_in_json(name: str, tmp_path: Path) -> None:
    make(["a"], metadata={"losses": [1.5, np.nan], "deep": {"x": [np.inf]}}).save(tmp_path / "v", format=name)
    assert Vectors.load(tmp_path / "v").metadata == {"losses": [1.5, None], "deep": {"x": [None]}}
    for file in tmp_path.iterdir():
        assert not re.search(b"NaN|Infinity", file.read_bytes())


@pytest.mark.parametrize("name", ["bin", "safetensors"])
def test_odd_options_warn_once_and_leave_the_vectors_alone(name: str, tmp_path: Path) -> None:
    metadata = {"config": {"lr": "fast", "lowercase": True}, "losses": "low", "total_count": 0}
    make(["a"], metadata=metadata).save(tmp_path / "v", format=name)
    vectors = Vectors.load(tmp_path / "v")
    keeper = "v.json" if name == "bin" else "v"
    assert vectors.warnings == [
        f"{tmp_path / keeper}: its options are of another version of w2v or damaged (--lr fast: must be a finite "
        "number); its losses are 'low', not a list of numbers and null; its total_count is 0, not a whole number of at "
        "least 1; the vectors can be used, what is kept of their training cannot"
    ]
    assert vectors.normalize_word("A") == "a"
    assert vectors.metadata == metadata


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "cannot be read"),
        (b"\xff", "cannot be read"),
        (b"[" * 100_000, "cannot be read"),
        (b"[]", "belongs to other vectors"),
        (b"{}", "belongs to other vectors"),
        (b'{"shape": [2, 4]}', "belongs to other vectors"),
    ],
)
def test_bad_sidecars_are_ignored_with_a_warning(content: bytes, message: str, tmp_path: Path) -> None:
    make(["a"]).save(tmp_path / "v.bin")
    (tmp_path / "v.bin.json").write_bytes(content)
    vectors = Vectors.load(tmp_path / "v.bin")
    assert vectors.metadata == {}
    assert len(vectors.warnings) == 1
    assert message in vectors.warnings[0]


def test_sidecar_is_used_when_duplicates_were_dropped(tmp_path: Path) -> None:
    path = tmp_path / "v.bin"
    make(["a", "b"], metadata={"x": 1}).save(path)
    path.write_bytes(path.read_bytes().replace(b"\nb ", b"\na "))
    assert Vectors.load(path).metadata == {"x": 1}


# --- bad headers, truncation -------------------------------------------------------------------------------


def error_of(path: Path) -> str:
    with pytest.raises(VectorsError) as caught:
        Vectors.load(path)
    message = str(caught.value)
    assert "\n" not in message
    assert str(path) in message
    return message


@pytest.mark.parametrize("header", [b"0 4", b"3 0", b"-3 4", b"3 -4"])
@pytest.mark.parametrize("name", ["bin", "text"])
def test_impossible_headers(header: bytes, name: str, tmp_path: Path) -> None:
    path = tmp_path / "v"
    make(["a", "b", "c"]).save(path, format=name)
    path.write_bytes(path.read_bytes().replace(b"3 4", header, 1))
    assert "both must be at least 1" in error_of(path)


@pytest.mark.parametrize(
    "header", [b"1000000000000 4", b"3 1000000000000", b"99999999999999999999999 99999999999999999999999"]
)
@pytest.mark.parametrize("name", ["bin", "text"])
def test_headers_too_large_ask_for_no_memory(header: bytes, name: str, tmp_path: Path) -> None:
    path = tmp_path / "v"
    make(["a", "b", "c"]).save(path, format=name)
    path.write_bytes(path.read_bytes().replace(b"3 4", header, 1))
    message = error_of(path)
    if header.endswith(b" 4"):
        assert "promises 1000000000000 words of 4 dimensions, but the file holds 3" in message


@pytest.mark.parametrize("name", ["bin", "text"])
def test_headers_too_small(name: str, tmp_path: Path) -> None:
    path = tmp_path / "v"
    make(["a", "b", "c"]).save(path, format=name)
    path.write_bytes(path.read_bytes().replace(b"3 4", b"2 4", 1))
    message = error_of(path)
    assert "promises 2 words of 4 dimensions, but" in message
    assert re.search(r"\d+ more bytes follow from byte \d+ on", message)


@pytest.mark.parametrize("name", ["bin", "text"])
def test_truncated_anywhere(name: str, tmp_path: Path) -> None:
    path = tmp_path / "v"
    make(["apple", "b", "c"]).save(path, format=name)
    data = path.read_bytes()
    start = data.index(b"\nc ") + (name == "text")
    for size in range(start, len(data) - 1 - 20 * (name == "text")):
        path.write_bytes(data[:size])
        message = error_of(path)
        assert "promises 3 words of 4 dimensions, but the file holds 2" in message
        assert f"it ends at byte {size}, and row 3 begins at byte {start}" in message


@pytest.mark.parametrize("newline", [b"", b"\n"])
@pytest.mark.parametrize("chunk", [16, 60, 64, 65, 128, 500])
def test_truncated_binary_around_the_borders_of_the_buffer(
    chunk: int, newline: bytes, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setattr(formats.binary, "CHUNK_BYTES", chunk)
    path = tmp_path / "v"
    # Numbers full of spaces: what the buffer still holds of earlier rows looks like ends of words.
    rows = [b"word%02d " % i + b"\x01 \x02 " * 12 + newline for i in range(12)]
    header = b"12 12\n"
    ends = np.cumsum([len(header), *map(len, rows)]) - len(newline)
    data = header + b"".join(rows)
    for size in range(len(header), len(data) - len(newline)):
        path.write_bytes(data[:size])
        n_whole = int((ends[1:] <= size).sum())
        assert f"promises 12 words of 12 dimensions, but the file holds {n_whole}:" in error_of(path)
    path.write_bytes(data)
    assert Vectors.load(path).words == [f"word{i:02d}" for i in range(12)]


def test_truncated_binary_of_the_real_buffer_size(tmp_path: Path) -> None:
    path = tmp_path / "v"
    rows = [b"word%08d " % i + struct.pack("<100f", *[i + 1.0] * 100) + b"\n" for i in range(2533)]
    data = b"2533 100\n" + b"".join(rows)
    for size in (2**20 + 10, 2**20, len(data) - 2):
        path.write_bytes(data[:size])
        assert "but the file holds 2532: it ends at byte" in error_of(path)


@pytest.mark.parametrize("data", [b"1 2\n3 4\n", b"1 20000\n" + b"\x01 \x02" * 6800])
def test_binary_shorter_than_one_vector(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "v"
    path.write_bytes(data)
    message = error_of(path)
    assert f"but the file holds 0: it ends at byte {len(data)}" in message
    assert "truncated" in message


def test_binary_trailing_bytes(tmp_path: Path) -> None:
    path = tmp_path / "v"
    make(["a", "b"]).save(path, format="bin")
    size = path.stat().st_size
    path.write_bytes(path.read_bytes() + b"xyz")
    assert f"but 4 more bytes follow from byte {size - 1} on" in error_of(path)


def test_text_of_another_dimension(tmp_path: Path) -> None:
    path = tmp_path / "v"
    path.write_bytes(b"2 2\na 1 2 3\nb 4 5 6\n")
    assert "the header promises 2 words of 2 dimensions, but line 2 has 3 numbers" in error_of(path)
    path.write_bytes(b"2 4\na 1 2 3\nb 4 5 6\n")
    assert "line 2: expected a word and 4 numbers" in error_of(path)


def test_malformed_lines_are_named(tmp_path: Path) -> None:
    path = tmp_path / "v"
    path.write_bytes(b"a 1 2\nb 3 4\n" * 20 + b"c x 5\n")
    assert "line 41: 'x' is no number; expected a word and 2 numbers" in error_of(path)
    path.write_bytes(b"a 1 2\nb 3 4\n" * 20 + b"5\n")
    assert "line 41: expected a word and 2 numbers" in error_of(path)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"2 3\na 1 2 3\nb 1 2 3 4\n", "line 3: expected a word and 3 numbers, found 4 numbers"),
        (b"2 3\na 1 2 3 4 5e-1\nb 1 2 3\n", "line 2: expected a word and 3 numbers, found 5 numbers"),
        (b"2 3\na 1 2 3\nb 1 2\n", "line 3: expected a word and 3 numbers, found 3 fields"),
        (b"2 2\na 3 4\nroute 66 3 4\n", "line 3: expected a word and 2 numbers, found 3 numbers"),
        (b"a 1 2 3\nb 1 2\n", "line 2: expected a word and 3 numbers, found 3 fields"),
        (b"a 1 2\nb 1 2 3\n", "line 2: expected a word and 2 numbers, found 3 numbers"),
        (b"a 1 2 3\nb 1 2 3 4\nc 1 2 3\n", "line 2: expected a word and 3 numbers, found 4 numbers"),
        (b"a 1 2 3 4\nb 1 2 3\nc 1 2 3\n", "line 1: expected a word and 3 numbers, found 4 numbers"),
        (b"a 1 2\n" + b"".join(b"b%d 1 2\n" % i for i in range(2000)) + b"c 1 2 3\n", "line 2002: expected"),
    ],
)
def test_rows_that_differ_in_length(data: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "v"
    path.write_bytes(data)
    assert message in error_of(path)


# --- files that are no vectors -----------------------------------------------------------------------------


def npy_bytes() -> bytes:
    stream = io.BytesIO()
    np.save(stream, np.ones((3, 3)))
    return stream.getvalue()


def zip_bytes() -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("glove.txt", "a 1 2")
    return stream.getvalue()


FOREIGN = {
    "empty": (b"", "is empty"),
    "gzip": (gzip.compress(b"1 1\na 1.0\n"), "gzip -dk"),
    "xz": (lzma.compress(b"1 1\na 1.0\n"), "xz -dk"),
    "bz2": (bz2.compress(b"1 1\na 1.0\n"), "bzip2 -dk"),
    "zstd": (b"\x28\xb5\x2f\xfd\x00rest", "zstd -d"),
    "zip": (zip_bytes(), "unzip"),
    "pickle": (pickle.dumps({"a": [1.0]}), "a pickle, .*save_word2vec_format"),
    "npy": (npy_bytes(), "a NumPy array, which holds no words"),
    "html": (b"\n<!DOCTYPE html><html>404 1 2</html>", "a web page"),
    "fasttext": (b"\xba\x16\x4f\x2f\x0c\x00\x00\x00", "a fastText model.*\\.vec"),
    "projector": (b"0.1\t0.2\n0.3\t0.4\n", "a table of numbers without words"),
    "corpus": (b"The king of France is bald.\nSo is the queen.\n", "not a file of vectors.*w2v train"),
    "benchmark": (b"# pairs\ncat\tdog\t3.5\n", "not a file of vectors"),
    "pairs": (b"cat dog 3.5\ntiger cat 7.35\n", "not a file of vectors"),
    "vocabulary": (b"the\t500\nof\t300\n", "not a file of vectors"),
    "random": (np.random.default_rng(0).bytes(5000), "not a file of vectors"),
    "blank": (b"\n\n \n", "not a file of vectors"),
    "one byte": (b"\x80", "not a file of vectors"),
    "safetensors cut": (b"\x00\x10\x00\x00\x00\x00\x00\x00{\"a\"", "not a readable safetensors file"),
    "safetensors hostile": (b"\xff\xff\xff\xff\xff\x00\x00\x00{\"a\"", "not a readable safetensors file"),
}  # fmt: skip


@pytest.mark.parametrize("kind", FOREIGN)
def test_foreign_files(kind: str, tmp_path: Path) -> None:
    data, message = FOREIGN[kind]
    (tmp_path / "v.bin").write_bytes(data)
    assert re.search(message, error_of(tmp_path / "v.bin"))


def test_paths_that_are_no_files(tmp_path: Path) -> None:
    assert "is a directory" in error_of(tmp_path)
    assert "no such file" in error_of(tmp_path / "absent")
    assert "cannot be read" in error_of(tmp_path / ("x" * 300))
    os.mkfifo(tmp_path / "pipe")
    assert "not a regular file" in error_of(tmp_path / "pipe")
    assert "not a regular file" in error_of(Path("/dev/null"))


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(min_size=1, max_size=60) | st.binary(max_size=40).map(lambda rest: b"2 2\n" + rest))
def test_any_bytes_are_read_or_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "v").write_bytes(data)
    try:
        vectors = Vectors.load(tmp_path / "v")
    except VectorsError:
        return
    assert len(vectors) >= 1


@pytest.mark.parametrize(
    ("tensors", "message"),
    [
        ({"weight": np.ones((2, 3), np.float32)}, "no tensor `input_vectors` \\(found: weight\\)"),
        ({"input_vectors": np.ones((2, 3), np.float32)}, "no tensor `words`"),
        ({"input_vectors": np.ones((2, 3), np.float64), "words": b"a\nb"}, "is F64"),
        ({"input_vectors": np.ones(2, np.float32), "words": b"a\nb"}, "expected F32 with 2 axes"),
        ({"input_vectors": np.ones((0, 3), np.float32), "words": b"a\nb"}, "none of them empty"),
        ({"input_vectors": np.ones((2, 3), np.float32), "words": b"a"}, "1 words for 2 vectors"),
        ({"input_vectors": np.ones((2, 3), np.float32), "words": b"a\na"}, "duplicate words, the first 'a'"),
        ({"input_vectors": np.ones((2, 3), np.float32), "words": b"a\nb", "counts": np.ones(3, np.int64)},
         "3 counts for 2 vectors"),
        ({"input_vectors": np.ones((2, 3), np.float32), "words": b"a\nb", "output_bias": np.ones(3, np.float32)},
         "3 biases for 2 vectors"),
        ({"input_vectors": np.ones((2, 3), np.float32), "words": b"a\nb", "output_bias": np.ones(2)}, "is F64"),
        ({"input_vectors": np.ones((2, 3), np.float32), "words": b"a\nb", "counts": np.array([0, -5])},
         "the count of word 2 is -5; counts must not be negative"),
        ({"input_vectors": np.ones((2, 3), np.float32), "words": b"a\nb",
          "output_vectors": np.ones((2, 4), np.float32)}, "differ in shape"),
    ],
)  # fmt: skip
def test_safetensors_that_do_not_fit(tensors, message: str, tmp_path: Path) -> None:
    tensors = {k: np.frombuffer(v, np.uint8) if isinstance(v, bytes) else v for k, v in tensors.items()}
    save_file(tensors, tmp_path / "m.safetensors")
    assert re.search(message, error_of(tmp_path / "m.safetensors"))


@pytest.mark.parametrize("text", ["{", "[1]", '{"a":' * 100_000, "[" * 100_000])
def test_safetensors_metadata_must_be_a_json_object(text: str, tmp_path: Path) -> None:
    tensors = {"input_vectors": np.ones((1, 3), np.float32), "words": np.frombuffer(b"a", np.uint8)}
    save_file(tensors, tmp_path / "m", metadata={"w2v": text})
    assert "its metadata is no JSON" in error_of(tmp_path / "m")


@pytest.mark.parametrize("metadata", ["null", "{}"])
def test_safetensors_without_metadata(metadata: str, tmp_path: Path) -> None:
    vectors = make(["a", "b"])
    header = (
        f'{{"__metadata__":{metadata},"input_vectors":{{"dtype":"F32","shape":[2,4],"data_offsets":[0,32]}},'
        '"words":{"dtype":"U8","shape":[3],"data_offsets":[32,35]}}'
    ).encode()
    path = tmp_path / "m"
    path.write_bytes(len(header).to_bytes(8, "little") + header + vectors.matrix.tobytes() + b"a\nb")
    back = Vectors.load(path)
    assert same(back, vectors)
    assert back.metadata == {}


def test_truncated_safetensors(tmp_path: Path) -> None:
    path = tmp_path / "m.safetensors"
    make(["a", "b"]).save(path)
    path.write_bytes(path.read_bytes()[:-3])
    assert "truncated or damaged" in error_of(path)


# --- what is not written -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "word", ["", " ", "a b", "a\u00a0b", "a\tb", "a\nb", "a\x00b", "\u3000", "a\x1cb", "a\x85b", "\udc80"]
)
@pytest.mark.parametrize("name", PLAIN)
def test_words_that_would_not_read_back(word: str, name: str, tmp_path: Path) -> None:
    with pytest.raises(VectorsError, match="word 2, ") as caught:
        make(["good", word]).save(tmp_path / "v", format=name)
    assert repr(word) in str(caught.value)
    assert names_in(tmp_path) == []


@pytest.mark.parametrize(("name", "word"), [("safetensors", "a\nb"), ("npy", "a\rb"), ("tsv", "a\tb"), ("tsv", "")])
def test_words_other_formats_refuse(name: str, word: str, tmp_path: Path) -> None:
    with pytest.raises(VectorsError, match="would not read back"):
        make(["good", word]).save(tmp_path / "v", format=name)


def test_byte_order_mark_at_the_start_of_headerless_text(tmp_path: Path) -> None:
    with pytest.raises(VectorsError, match="would not read back"):
        make(["\ufeffa"]).save(tmp_path / "v.glove")


@pytest.mark.parametrize("name", [row.name for row in formats.FORMATS])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_not_finite_is_not_written(name: str, value: float, tmp_path: Path) -> None:
    vectors = make(["good", "bad", "worse"])
    vectors.matrix[1, 2] = vectors.matrix[2, 0] = value
    with pytest.raises(VectorsError, match="the vector of 'bad' is not finite \\(2 such"):
        vectors.save(tmp_path / "v", format=name)
    assert names_in(tmp_path) == []


# --- where it is written -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "name"),
    [("v.bin", "bin"), ("v.BIN", "bin"), ("v.txt", "text"), ("v.vec", "text"), ("v.glove", "glove"),
     ("v.safetensors", "safetensors"), ("v.npy", "npy"), ("v.tsv", "tsv")],
)  # fmt: skip
def test_extensions(path: str, name: str) -> None:
    assert formats.format_for_output(path).name == name
    assert formats.format_for_output(path, "glove").name == "glove"


def test_unknown_formats() -> None:
    with pytest.raises(OutputError, match=r"v.xyz: its ending names no format; use one of \.safetensors, \.bin"):
        formats.format_for_output("v.xyz")
    with pytest.raises(OutputError, match="unknown format 'xyz'; known: safetensors, bin"):
        formats.format_for_output("v.bin", "xyz")


def test_existing_files_are_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "v.bin"
    path.write_bytes(b"precious")
    with pytest.raises(OutputError, match="--overwrite"):
        make(["a"]).save(path)
    assert path.read_bytes() == b"precious"
    make(["a"]).save(path, overwrite=True)
    assert len(Vectors.load(path)) == 1


@pytest.mark.parametrize(
    ("path", "beside"), [("v.bin", "v.bin.json"), ("v.npy", "v.words.txt"), ("v.tsv", "v.metadata.tsv")]
)
def test_files_beside_are_not_replaced(path: str, beside: str, tmp_path: Path) -> None:
    (tmp_path / beside).write_text("precious")
    with pytest.raises(OutputError, match="--overwrite"):
        make(["a"], metadata={"x": 1}).save(tmp_path / path)
    assert names_in(tmp_path) == [beside]


def test_check_output(tmp_path: Path) -> None:
    formats.check_output(tmp_path / "new.bin")
    formats.check_output(tmp_path / "new.any-other-ending")
    with pytest.raises(OutputError, match="is a directory"):
        formats.check_output(tmp_path)
    with pytest.raises(OutputError, match="there is no folder"):
        formats.check_output(tmp_path / "absent" / "v.bin")
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputError, match="there is no folder"):
        formats.check_output(tmp_path / "file" / "v.bin")
    with pytest.raises(OutputError, match="--overwrite"):
        formats.check_output(tmp_path / "file")
    formats.check_output(tmp_path / "file", overwrite=True)
    with pytest.raises(OutputError, match="cannot be written"):
        formats.check_output(tmp_path / ("x" * 300 + ".bin"))
    with pytest.raises(OutputError, match="not a regular file"):
        formats.check_output("/dev/null", overwrite=True)
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    with pytest.raises(OutputError):
        formats.check_output(tmp_path / "circle" / "v.bin")
    assert names_in(tmp_path) == ["circle", "file"]


def test_check_output_in_a_folder_that_is_not_writable(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(OutputError, match="not writable"):
        formats.check_output(tmp_path / "v.bin")


def test_a_failure_leaves_the_old_file_and_no_other(tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "v.bin"
    make(["old"]).save(path)
    before = path.read_bytes()

    def no_space(vectors, streams) -> None:
        streams[0].write(b"half")
        raise OSError(28, "No space left on device")

    row = formats.format_for_output(path)
    monkeypatch.setattr(formats, "FORMATS", (base.Format("bin", (".bin",), "", no_space, row.sniff, row.read),))
    with pytest.raises(OutputError, match="cannot be written \\(No space left on device\\)"):
        make(["new"]).save(path, overwrite=True)
    assert path.read_bytes() == before
    assert names_in(tmp_path) == ["v.bin"]


def test_symbolic_links_are_followed(tmp_path: Path) -> None:
    (tmp_path / "link.bin").symlink_to(tmp_path / "real.bin")
    make(["a"]).save(tmp_path / "link.bin")
    assert (tmp_path / "link.bin").is_symlink()
    assert len(Vectors.load(tmp_path / "real.bin")) == 1


def test_new_files_have_the_usual_permissions(tmp_path: Path) -> None:
    old = os.umask(0o022)
    try:
        make(["a"]).save(tmp_path / "v.bin")
    finally:
        os.umask(old)
    assert (tmp_path / "v.bin").stat().st_mode & 0o777 == 0o644
