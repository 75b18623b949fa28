"""A corpus from its files to vocabulary and blocks of ids: the same whatever form it comes in."""

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import zstandard
from naive_text import END, naive_sentences, naive_vocabulary

from w2v.config import TrainConfig
from w2v.corpus import Corpus
from w2v.errors import CorpusError
from w2v.events import Counted, Counting, Event, Replaced
from w2v.reading import CorpusReader, Encoder
from w2v.stream import IdStream
from w2v.training import encode_corpus
from w2v.vocab import Vocabulary

LINES = [f"wörter {i % 7} the the  {'x' * (i % 90)} {i % 1000}\tend" for i in range(20_000)]
TEXT = ("\n".join(LINES) + "\n").encode()


def read(*paths: Path, vocabulary: Vocabulary | None = None, **options: object) -> tuple[
    list[tuple[str, int]], list[list[str]], list[Event]
]:  # fmt: skip
    """Vocabulary, sentences (of all blocks) and events of a corpus."""
    events: list[Event] = []
    config = TrainConfig(**options)  # type: ignore[arg-type]
    with IdStream() as stream:
        vocabulary = encode_corpus(Corpus(paths), Encoder(config), vocabulary, stream, events.append)
        sentences: list[list[str]] = [[]]
        for number in range(stream.n_blocks):
            ids, n_tokens = stream.block(number)
            assert ids[-1] == END, "a block is whole sentences"
            assert n_tokens == (ids != END).sum()
            for i in ids.tolist():
                if i == END:
                    sentences.append([])
                else:
                    sentences[-1].append(vocabulary.words[i])
    assert sentences.pop() == []
    return list(zip(vocabulary.words, vocabulary.counts.tolist(), strict=True)), sentences, events


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("plain") / "text.txt"
    path.write_bytes(TEXT)
    return path


def test_plain_against_the_twin(plain: Path) -> None:
    words, sentences, events = read(plain, min_count=1)
    expected = [sentence for sentence in naive_sentences(TEXT) if sentence]
    assert sentences == expected
    assert words == naive_vocabulary(expected, 1, None)
    n_tokens = sum(map(len, expected))
    assert events[-1] == Counted(n_tokens, len(words), len(words), n_tokens, len(expected), max(map(len, expected)))
    assert isinstance(events[-2], Counting)
    assert events[-2].bytes_read == events[-2].bytes_total == len(TEXT)
    assert events[-2].tokens == n_tokens


zstd = zstandard.ZstdCompressor().compress
FORMS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "gz members": lambda text: gzip.compress(text[:1001]) + gzip.compress(text[1001:]),
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstd,
    "zst frames": lambda text: b"".join(
        map(zstandard.ZstdCompressor().compress, [text[:9], text[9:5000], text[5000:]])
    ),
    "CRLF": lambda text: text.replace(b"\n", b"\r\n"),
    "CR": lambda text: text.replace(b"\n", b"\r"),
    "BOM": lambda text: b"\xef\xbb\xbf" + text,
    "no last line end": lambda text: text.rstrip(b"\n"),
    "blank lines and NUL": lambda text: text.replace(b"\n", b"\n \0\n\n").replace(b" ", b"\0"),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_the_same_in_every_form(plain: Path, tmp_path: Path, form: Callable[[bytes], bytes]) -> None:
    (tmp_path / "other").write_bytes(form(TEXT))
    assert read(tmp_path / "other", min_count=3)[:2] == read(plain, min_count=3)[:2]


def test_the_same_in_several_files(plain: Path, tmp_path: Path) -> None:
    for i in range(10):
        # The first nine lack their last line end: a file ends its line.
        text = "\n".join(LINES[i * 2000 : (i + 1) * 2000]).encode()
        (tmp_path / f"{i}").write_bytes(gzip.compress(text) if i % 2 else text)
    assert read(tmp_path, min_count=3)[:2] == read(plain, min_count=3)[:2]


def test_an_unfinished_character_does_not_reach_into_the_next_file(tmp_path: Path) -> None:
    (tmp_path / "1").write_bytes(b"a b \xc3")
    (tmp_path / "2").write_bytes(b"\xa9 a b")
    _, sentences, events = read(tmp_path, min_count=1)
    assert sentences == [["a", "b", "\ufffd"], ["\ufffd", "a", "b"]]
    assert [event for event in events if isinstance(event, Replaced)] == [Replaced(str(tmp_path / "1"), 2, 4, 2)]


def test_replacements_are_told_once(tmp_path: Path) -> None:
    text = b"word " * 100_000 + b"\xff\xfe bad \xed\xa0\x80\n"
    (tmp_path / "text").write_bytes(text * 3)
    events = read(tmp_path / "text", min_count=1)[2]
    replaced = [event for event in events if isinstance(event, Replaced)]
    assert replaced == [Replaced(str(tmp_path / "text"), 15, 500_000, 1)]


@pytest.mark.parametrize("threads", [1, 7])
@pytest.mark.parametrize("min_count", [1, 20, 200])
@pytest.mark.parametrize("max_vocab", [None, 2, 10])
def test_pruning(plain: Path, min_count: int, max_vocab: int | None, threads: int) -> None:
    words, sentences, _ = read(plain, min_count=min_count, max_vocab=max_vocab, threads=threads)
    twin = [sentence for sentence in naive_sentences(TEXT) if sentence]
    kept = naive_vocabulary(twin, min_count, max_vocab)
    assert words == kept
    known = {word for word, _ in kept}
    pruned = [[word for word in sentence if word in known] for sentence in twin]
    assert sentences == [sentence for sentence in pruned if sentence]


@pytest.mark.parametrize("max_sentence", [1, 3, 5])
@pytest.mark.parametrize("lowercase", [False, True])
def test_sentences_are_cut_before_pruning(plain: Path, max_sentence: int, lowercase: bool) -> None:
    options = {"max_sentence": max_sentence, "min_count": 50}
    if max_sentence == 1:
        with pytest.raises(CorpusError, match="no line has two words"):
            read(plain, lowercase=lowercase, **options)
        return
    sentences = read(plain, lowercase=lowercase, **options)[1]
    twin = [s for s in naive_sentences(TEXT, max_sentence=max_sentence) if s]
    known = {word for word, _ in naive_vocabulary(twin, 50, None)}
    pruned = [[word for word in sentence if word in known] for sentence in twin]
    assert sentences == [sentence for sentence in pruned if sentence]


def test_given_vocabulary(plain: Path) -> None:
    vocabulary = Vocabulary.ordered(["the", "end", "absent"], np.array([5, 9, 7]))
    words, sentences, _ = read(plain, vocabulary=vocabulary)
    assert words == [("end", 9), ("absent", 7), ("the", 5)]
    assert sentences == [["the", "the", "end"]] * len(LINES)


def test_lowercase_merges_counts(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("The the THE a\nA ﬁ FI x½\n")
    words, sentences, events = read(tmp_path / "text", min_count=1, lowercase=True, normalize="nfkc", tokenize="words")
    assert words == [("the", 3), ("a", 2), ("fi", 2), ("2", 1), ("x1", 1)]
    assert sentences == [["the", "the", "the", "a"], ["a", "fi", "fi", "x1", "2"]]
    assert events[-1] == Counted(9, 5, 5, 9, 2, 5)


@pytest.mark.parametrize("text", [b"", b"\n\n \r\n\t\0\x1c", b"\xef\xbb\xbf", "\u3000\u2028".encode()])
def test_no_words(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "text").write_bytes(text)
    with pytest.raises(CorpusError, match="holds no words") as caught:
        read(tmp_path / "text")
    assert str(tmp_path / "text") in str(caught.value)
    (tmp_path / "other").write_bytes(b"")
    with pytest.raises(CorpusError, match="other and 1 more: the corpus holds no words"):
        read(tmp_path)


def test_progress_while_counting(plain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("w2v.reading.EVENT_SECONDS", 0)
    events: list[Event] = []
    with IdStream() as stream:
        CorpusReader(Corpus([plain]), Encoder(TrainConfig()), stream, events.append).run()
    done = [event.bytes_read for event in events if isinstance(event, Counting)]
    assert done == sorted(done)
    assert len(set(done)) > 2
    assert done[-1] == len(TEXT)
