"""Order, pruning and file of the vocabulary."""

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from w2v.encode import WordTable
from w2v.errors import CorpusError, OutputError
from w2v.text import character_classes
from w2v.vocab import Vocabulary

words = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1).filter(lambda w: w.split() == [w])
tallies = st.dictionaries(words, st.integers(1, 6_000_000_000), min_size=2, max_size=30)


def table_of(words: list[str]) -> WordTable:
    table = WordTable(character_classes("whitespace"), 2**62)
    table.encode(" ".join([*words, "\n"]).encode())
    return table


@given(tallies, st.integers(1, 5), st.none() | st.integers(2, 40))
def test_order_and_pruning(tally: dict[str, int], min_count: int, max_vocab: int | None) -> None:
    tally = {word: count % 9 + 1 for word, count in tally.items()}
    expected = sorted((w for w in tally if tally[w] >= min_count), key=lambda w: (-tally[w], w.encode()))[:max_vocab]
    counts = np.array(list(tally.values()), np.int64)
    if len(expected) < 2:
        with pytest.raises(CorpusError):
            Vocabulary.from_counts(table_of(list(tally)), counts, min_count, max_vocab)
        return
    vocabulary, final_ids = Vocabulary.from_counts(table_of(list(tally)), counts, min_count, max_vocab)
    assert vocabulary.words == expected
    assert vocabulary.counts.tolist() == [tally[word] for word in expected]
    assert final_ids.dtype == np.int32
    assert final_ids.tolist() == [expected.index(w) if w in expected else -1 for w in tally]
    assert vocabulary.final_ids(table_of(list(tally))).tolist() == final_ids.tolist()


@given(tallies)
def test_file_round_trip(tmp_path_factory: pytest.TempPathFactory, tally: dict[str, int]) -> None:
    path = tmp_path_factory.getbasetemp() / "vocabulary"
    vocabulary = Vocabulary.ordered(list(tally), np.array(list(tally.values()), np.int64))
    vocabulary.save(path, overwrite=True)
    loaded = Vocabulary.load(path)
    assert loaded.words == vocabulary.words
    assert loaded.counts.tolist() == vocabulary.counts.tolist()


def test_file_is_word_tab_count(tmp_path: Path) -> None:
    path = tmp_path / "vocabulary"
    Vocabulary.ordered(["b", "ä", "a"], np.array([6_000_000_000, 7, 7])).save(path)
    assert path.read_bytes() == "b\t6000000000\na\t7\nä\t7\n".encode()
    with pytest.raises(OutputError, match="--overwrite"):
        Vocabulary.ordered(["a", "b"], np.array([1, 2])).save(path)


def load(tmp_path: Path, content: bytes, **options: int) -> Vocabulary:
    (tmp_path / "vocabulary").write_bytes(content)
    return Vocabulary.load(tmp_path / "vocabulary", **options)


def test_any_order_bom_crlf_and_blank_lines(tmp_path: Path) -> None:
    vocabulary = load(tmp_path, b"\xef\xbb\xbfb\t1\r\n\r\na\t1\r\nc\t2", max_vocab=2)
    assert vocabulary.words == ["c", "a"]
    assert load(tmp_path, b"a\t1\nb\t5\nc\t5\n", min_count=5).words == ["b", "c"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a\t2\nb 3\n", "line 2: expected `word TAB count`, found 'b 3'"),
        (b"a\t2\nb\t0\n", "line 2: expected"),
        (b"a\t2\nb\t-1\n", "line 2: expected"),
        (b"a\t2\nb\t1.5\n", "line 2: expected"),
        (b"a\t2\n\t1\n", "line 2: expected"),
        (b"a\t2\nb\t\n", "line 2: expected"),
        (b"a\t2\nb\t" + b"9" * 5000 + b"\n", "line 2: expected"),
        (b"a\t2\nb\t9223372036854775808\n", "line 2: expected"),
        (b"a\t9223372036854775807\nb\t1\n", "add up"),
        (b"a\t2\n\na\t3\n", "line 3: the word 'a' occurs a second time"),
        (b"a\t2\nNew York\t3\n", "line 2: the word 'New York' has a blank in it"),
        ("a\t2\nx\u2028y\t3\n".encode(), "line 2: the word 'x\\u2028y' has a blank in it"),
        (b"a\t2\nx\0y\t3\n", "has a blank in it"),
        (b"a\t2\nb\xff\t3\n", "byte 5 is not UTF-8"),
        (b"", "the file is empty"),
        (b"\n\n", "the file is empty"),
        (b"a\t2\n", "the single word 'a'"),
        (b"x" * 100_000, "line 1: expected"),
        ("a\t3\nb\t٣\n".encode(), "line 2: expected `word TAB count`, found 'b\\t٣'"),
        ("a\t３\nb\t2\n".encode(), "line 1: expected"),
        (b"a\t3\nb\t 2\n", "line 2: expected"),
        (b"a\t+3\nb\t2\n", "line 1: expected"),
        (b"a\t1_0\nb\t2\n", "line 1: expected"),
    ],
)
def test_malformed_files(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(CorpusError) as caught:
        load(tmp_path, content)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 300


def test_nothing_left(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="at least 10: the largest is 5; lower --min-count"):
        load(tmp_path, b"a\t5\nb\t4\n", min_count=10)
    with pytest.raises(CorpusError, match="--min-count 9 leaves no word: the largest count is 4"):
        Vocabulary.from_counts(table_of(["a", "b"]), np.array([4, 2]), 9, None)


def test_one_word_of_any_length() -> None:
    with pytest.raises(CorpusError, match="single word 'xxx") as caught:
        Vocabulary.from_counts(table_of(["x" * 1_000_000]), np.array([4]), 1, None)
    assert len(str(caught.value)) < 300


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="cannot be read: No such file"):
        Vocabulary.load(tmp_path / "none")
    with pytest.raises(CorpusError, match="cannot be read: Is a directory"):
        Vocabulary.load(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_pipes_are_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(CorpusError, match="pipe: the vocabulary cannot be read: not a regular file; save it to one"):
        Vocabulary.load(tmp_path / "pipe")
