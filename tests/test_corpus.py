"""Files, folders, globs, compression, standard input and URLs: what is read, and what is refused."""

import bz2
import functools
import gzip
import http.server
import lzma
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from w2v.corpus import BLOCK_BYTES, Corpus
from w2v.errors import CorpusError

TEXT = "the quick brown fox\njumps over ä lazy dog\r\n".encode() * 500
zstd = zstandard.ZstdCompressor().compress
COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstd,
}
each_compression = pytest.mark.parametrize("compress", COMPRESS.values(), ids=COMPRESS.keys())


def text_of(*names: str | os.PathLike[str]) -> bytes:
    return b"".join(block.data for block in Corpus(names).blocks())


def refusal(*names: str | os.PathLike[str]) -> str:
    with pytest.raises(CorpusError) as caught:
        text_of(*names)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@each_compression
def test_compression_is_told_by_content(tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "plain.txt"
    path.write_bytes(compress(TEXT))
    corpus = Corpus([path])
    assert b"".join(block.data for block in corpus.blocks()) == TEXT
    assert corpus.bytes_read == corpus.total_bytes == path.stat().st_size


@pytest.mark.parametrize("suffix", COMPRESS)
def test_a_name_does_not_make_a_file_compressed(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"text.{suffix}"
    path.write_bytes(TEXT)
    assert text_of(path) == TEXT


@pytest.mark.parametrize("text", [b"BZhang and BZh9 are words", b"BZh", b"PK", b"P", b"", b"\x1e\x8b", b"(\xb5"])
def test_text_that_begins_almost_like_a_compressed_file(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "text"
    path.write_bytes(text)
    assert text_of(path) == text


@each_compression
def test_several_members_or_frames(tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "joined"
    path.write_bytes(compress(TEXT) + compress(b"") + compress(b"more\n"))
    assert text_of(path) == TEXT + b"more\n"


def test_skippable_frames_of_zstd(tmp_path: Path) -> None:
    path = tmp_path / "frames"
    path.write_bytes(b"\x50\x2a\x4d\x18\x02\0\0\0ab" + zstd(TEXT) + b"\x5f\x2a\x4d\x18\0\0\0\0" + zstd(b"end"))
    assert text_of(path) == TEXT + b"end"


@each_compression
@pytest.mark.parametrize("missing", [1, 4, 12, 40])
def test_truncated(tmp_path: Path, compress: Callable[[bytes], bytes], missing: int) -> None:
    path = tmp_path / "truncated"
    path.write_bytes(compress(os.urandom(3000).hex().encode())[:-missing])
    message = refusal(path)
    assert message.startswith(f"{path}: damaged after ")
    assert "decompress it with its own tool" in message


@each_compression
def test_corrupt(tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
    data = bytearray(compress(os.urandom(30_000).hex().encode()))
    data[len(data) // 2] ^= 0xFF
    data[len(data) // 2 + 7] ^= 0x55
    if compress is zstd:  # no checksum by default: damage the structure
        data[6:10] = b"\xff\xff\xff\xff"
    path = tmp_path / "corrupt"
    path.write_bytes(bytes(data))
    assert f"{path}: damaged after " in refusal(path)


@each_compression
def test_highly_compressible_text_comes_in_blocks(tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "zeros"
    path.write_bytes(compress(b"ab " * 1_000_000))
    sizes = [len(block.data) for block in Corpus([path]).blocks()]
    assert sum(sizes) == 3_000_000
    assert max(sizes) <= BLOCK_BYTES


@given(st.binary(max_size=2000), st.sampled_from(sorted(COMPRESS)))
def test_any_bytes_survive(tmp_path_factory: pytest.TempPathFactory, data: bytes, kind: str) -> None:
    path = tmp_path_factory.getbasetemp() / "any"
    path.write_bytes(COMPRESS[kind](data))
    assert text_of(path) == data


def test_last_block_of_each_source_is_marked(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text(name)
    blocks = [(Path(block.source).name, block.data, block.last) for block in Corpus([tmp_path]).blocks()]
    assert blocks == [("a", b"a", False), ("a", b"", True), ("b", b"b", False), ("b", b"", True)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Files and folders, some hidden, one linked to from elsewhere."""
    for name in ("b.txt", "a/2.txt", "a/10.txt", "a/.hidden", ".git/x", "c.log"):
        path = tmp_path / "corpus" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name + "\n")
    (tmp_path / "corpus/empty").mkdir()
    (tmp_path / "corpus/dangling").symlink_to("nowhere")
    return tmp_path / "corpus"


def names(corpus: Corpus, folder: Path) -> list[str]:
    return [str(Path(source).relative_to(folder)) for source in corpus.sources]


def test_folder_is_recursive_sorted_and_leaves_hidden_files_out(folder: Path) -> None:
    assert names(Corpus([folder]), folder) == ["a/10.txt", "a/2.txt", "b.txt", "c.log"]


def test_globs(folder: Path) -> None:
    assert names(Corpus([f"{folder}/*.txt"]), folder) == ["b.txt"]
    assert names(Corpus([f"{folder}/**/*.txt"]), folder) == ["a/10.txt", "a/2.txt", "b.txt"]
    assert sorted(names(Corpus([f"{folder}/**"]), folder)) == ["a/10.txt", "a/2.txt", "b.txt", "c.log"]
    assert names(Corpus([f"{folder}/*"]), folder) == ["a/10.txt", "a/2.txt", "b.txt", "c.log"]


def test_a_file_whose_name_looks_like_a_glob(tmp_path: Path) -> None:
    (tmp_path / "part[1].txt").write_text("yes")
    assert text_of(tmp_path / "part[1].txt") == b"yes"


def test_order_of_names_is_kept(folder: Path) -> None:
    assert names(Corpus([folder / "c.log", folder / "a"]), folder) == ["c.log", "a/10.txt", "a/2.txt"]


def test_nothing_there(tmp_path: Path) -> None:
    (tmp_path / "empty/.hidden").mkdir(parents=True)
    (tmp_path / "empty/.hidden/file").write_text("x")
    assert "no such file" in refusal(tmp_path / "missing.txt")
    assert "no file matches" in refusal(f"{tmp_path}/*.txt")
    assert "holds no files" in refusal(tmp_path / "empty")
    assert "no corpus given" in refusal()
    assert "empty name" in refusal("")
    assert "no such file" in refusal("nul\0byte")


def test_a_file_given_twice(folder: Path, tmp_path: Path) -> None:
    link, hard = tmp_path / "link", tmp_path / "hard"
    link.symlink_to(folder / "b.txt")
    os.link(folder / "b.txt", hard)
    for other in (folder / "b.txt", f"{folder}/../corpus/b.txt", link, hard, folder, f"{folder}/*.txt"):
        message = refusal(folder / "b.txt", other)
        assert "given twice" in message
        assert "--epochs" in message
    assert "given twice" in refusal("-", "-")
    assert "given twice" in refusal("https://example.org/x", "https://example.org/x")


def test_a_folder_that_cannot_be_opened_as_a_file_and_a_path_below_a_file(folder: Path) -> None:
    assert "no such file" in refusal(folder / "b.txt" / "below")


def run_python(code: str, **settings: object) -> subprocess.CompletedProcess[bytes]:
    code = "from w2v.corpus import Corpus\n" + code
    return subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=60, **settings)  # type: ignore[call-overload,no-any-return]


@each_compression
def test_standard_input_compressed_or_not(compress: Callable[[bytes], bytes]) -> None:
    code = "import sys\nsys.stdout.buffer.write(b''.join(b.data for b in Corpus(['-']).blocks()))"
    assert run_python(code, input=TEXT).stdout == TEXT
    assert run_python(code, input=compress(TEXT)).stdout == TEXT


def test_standard_input_that_is_a_corpus_file_too(folder: Path) -> None:
    code = f"try: Corpus(['-', {str(folder / 'b.txt')!r}])\nexcept Exception as error: print(error)"
    with (folder / "b.txt").open("rb") as stdin:
        assert b"given twice (also as -)" in run_python(code, stdin=stdin).stdout


def test_closed_standard_input() -> None:
    code = "try: list(Corpus(['-']).blocks())\nexcept Exception as error: print(error)"
    process = run_python("import sys; sys.stdin = None\n" + code)
    assert process.stdout == b"-: standard input is closed; name a file\n"


def test_pipes_and_devices_have_no_size(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    corpus = Corpus([fifo])
    assert corpus.total_bytes is None
    writer = threading.Thread(target=fifo.write_bytes, args=(TEXT,))
    writer.start()
    assert b"".join(block.data for block in corpus.blocks()) == TEXT
    writer.join()
    assert text_of("/dev/null") == b""


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder without a word on stderr."""

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def url(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Address of a server of `folder`."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(QuietHandler, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


@each_compression
def test_urls(url: str, folder: Path, compress: Callable[[bytes], bytes]) -> None:
    (folder / "remote.bin").write_bytes(compress(TEXT))
    assert text_of(f"{url}/remote.bin", f"{url}/b.txt") == TEXT + b"b.txt\n"


def test_urls_that_cannot_be_read(url: str) -> None:
    assert f"{url}/none.txt: cannot be opened: 404" in refusal(f"{url}/none.txt")
    assert "http://127.0.0.1:9/x: cannot be opened: " in refusal("http://127.0.0.1:9/x")
    assert "nosuch://x/y: cannot be opened: " in refusal("nosuch://x/y")
