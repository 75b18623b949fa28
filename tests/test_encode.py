"""The compiled tokeniser beside its slow twin: any text, any cutting into blocks, any option."""

import random
import sys
import unicodedata
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from naive_text import END, naive_sentences

from w2v.config import TrainConfig
from w2v.encode import WordTable
from w2v.reading import Encoder
from w2v.text import Utf8Repair, character_classes, fold

LETTERS = "aAbßéÉıİIσΣςşﬁ½①⒜ﷺ™ㄱ가각ᆨ가ｶﾞか゛王１²ŉǅ𝐀"
BLANKS = " \t\v\f\x1c\x1d\x1e\x1f\0\x85\xa0\u1680\u2000\u2003\u2028\u2029\u202f\u3000"
SIGNS = "'’-‐‑\u00ad\u200c\u200d.,!:·¨´`^…—_\x1a\x7f\u200b\ufeff\ufffd\u0301\u0307\u0323\u093c\u0308＇－€"
text_of_all_kinds = st.text(st.sampled_from("\n\r" + LETTERS + BLANKS + SIGNS) | st.characters(codec="utf-8"))
bytes_of_all_kinds = st.one_of(
    text_of_all_kinds.map(str.encode),
    st.binary(),
    st.lists(text_of_all_kinds.map(str.encode) | st.binary(max_size=4)).map(b"".join),
)


def encode_in_pieces(encoder: Encoder, data: bytes, cuts: list[int]) -> list[list[str]]:
    """Sentences of one source whose bytes come cut at the given places."""
    borders = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    repair, ids = Utf8Repair(), []
    for begin, end in pairwise(borders):
        ids += encoder.encode(repair.feed(data[begin:end])).tolist()
    ids += encoder.encode(repair.feed(b"", last=True) + b"\n").tolist()
    return sentences_of(encoder, ids)


def sentences_of(encoder: Encoder, ids: list[int]) -> list[list[str]]:
    words = list(encoder.table.words(np.arange(len(encoder.table))))
    assert len(set(words)) == len(words)
    occurrences = np.bincount([i for i in ids if i != END], minlength=len(words))
    assert encoder.counts.tolist() == occurrences.tolist()
    sentences: list[list[str]] = [[]]
    for i in ids:
        if i == END:
            assert sentences[-1], "an empty sentence"
            sentences.append([])
        else:
            sentences[-1].append(words[i])
    assert sentences.pop() == [], "the last sentence has no end"
    return sentences


def check(data: bytes, cuts: list[int], **options: object) -> None:
    encoder = Encoder(TrainConfig(**options))  # type: ignore[arg-type]
    assert encode_in_pieces(encoder, data, cuts) == naive_sentences(data, **options)  # type: ignore[arg-type]


cuts = st.lists(st.integers(0, 10_000), max_size=8)
max_sentences = st.sampled_from([1, 2, 3, 10_000])


@given(bytes_of_all_kinds, cuts, max_sentences)
@example(b"\xef\xbb\xbf\xef\xbb\xbfx", [1, 2], 10)
@example("a\u2028b\x85c\n\r\r\nd\re".encode(), [4], 10)
@example(b"\xef\xbb", [1], 10)
@example(b"12345678 12345678a x", [], 10)
def test_white_space(data: bytes, cuts: list[int], max_sentence: int) -> None:
    check(data, cuts, max_sentence=max_sentence)


@given(bytes_of_all_kinds, cuts, max_sentences)
@example("“king,” (king) don't rock-'n'-roll- a--b ’tis x-\u0301y".encode(), [9], 10)
@example("র\u200d্যাব می\u200cخواهم\u200c क्\u200dष".encode(), [4], 10)
def test_words(data: bytes, cuts: list[int], max_sentence: int) -> None:
    check(data, cuts, tokenize="words", max_sentence=max_sentence)


@given(
    bytes_of_all_kinds,
    cuts,
    max_sentences,
    st.sampled_from(["none", "nfc", "nfkc"]),
    st.booleans(),
    st.sampled_from(["whitespace", "words"]),
)
@example("½\u3000ﷺ x ﷺ".encode(), [], 2, "nfkc", True, "words")
@example("ﷺ ﷺ\nﷺ".encode(), [], 3, "nfkc", False, "whitespace")
@example("ΟΔΥΣΣΕΥΣ ΑΣ\nΣ".encode(), [3], 9, "none", True, "whitespace")
@example("İstanbul I\u0307 ı".encode(), [3], 9, "nfc", True, "words")
@example("각 각 각".encode(), [5], 9, "nfc", False, "words")
def test_folding(  # noqa: PLR0917
    data: bytes, cuts: list[int], max_sentence: int, normalize: str, lowercase: bool, tokenize: str
) -> None:
    if tokenize == "words" and lowercase:
        # The documented exception: a sigma before punctuation and a further letter.
        data = data.replace("Σ".encode(), b"s")
        data = "".join(
            c for c in data.decode("utf-8", "replace") if "Σ" not in unicodedata.normalize("NFKC", c)
        ).encode()
    check(data, cuts, normalize=normalize, lowercase=lowercase, tokenize=tokenize, max_sentence=max_sentence)


def is_telling(character: str) -> bool:
    """All characters, but few of the great many letters and empty places that are as they are in every form."""
    dull = unicodedata.category(character) in ("Lo", "Cn", "Co") and fold(character, "nfkc", True) == character
    return unicodedata.category(character) != "Cs" and (not dull or ord(character) % 256 == 0)


@pytest.mark.parametrize(("normalize", "lowercase"), [("none", False), ("nfc", False), ("nfkc", False), ("nfkc", True)])
@pytest.mark.parametrize("tokenize", ["whitespace", "words"])
def test_every_character(normalize: str, tokenize: str, lowercase: bool) -> None:
    """Alone, between letters and behind a hyphen; none folds to nothing, which `Encoder` rests on."""
    characters = [c for c in map(chr, range(0x110000)) if is_telling(c) and c not in "\n\rΣ"]
    lines = "".join(f"{c}\nx{c}y x-{c}y\n" for c in characters)
    data = b"\n" + lines.encode()
    sentences = naive_sentences(data, tokenize, normalize, lowercase)
    encoder = Encoder(TrainConfig(tokenize=tokenize, normalize=normalize, lowercase=lowercase))
    assert encode_in_pieces(encoder, data, [1 << 18, 1 << 20, 1 << 22]) == sentences


def test_the_rules_by_example() -> None:
    encoder = Encoder(TrainConfig(tokenize="words"))
    text = "“The king,” (king) said: don't; l’été—naïve co-op- 'quoted' 3.5 A\u0301! e-mail_x\x1a#tag"
    assert encode_in_pieces(encoder, text.encode(), []) == [
        ["The", "king", "king", "said", "don't", "l’été", "naïve", "co-op", "quoted", "3", "5", "A\u0301", "e-mail",
         "x", "tag"]
    ]  # fmt: skip
    encoder = Encoder(TrainConfig())
    assert encode_in_pieces(encoder, b"a\0b\x1ac d\x1ce\r\rf\r\ng\n\n", []) == [["a", "b\x1ac", "d", "e"], ["f"], ["g"]]


def test_a_long_token_over_many_blocks() -> None:
    token = "".join(random.Random(1).choices("aé王𝐀", k=400_000))
    data = f"x {token} y {token}z {token}".encode()
    encoder = Encoder(TrainConfig())
    assert encode_in_pieces(encoder, data, list(range(0, len(data), 65_537))) == [["x", token, "y", token + "z", token]]


def test_cutting_of_long_lines_drops_nothing() -> None:
    words = [str(i) for i in range(1000)]
    for max_sentence in (1, 7, 999, 1000, 1001):
        encoder = Encoder(TrainConfig(max_sentence=max_sentence, lowercase=max_sentence % 2 == 0))
        sentences = encode_in_pieces(encoder, " ".join(words).encode() + b"\nend\n", [100, 200, 3000])
        assert [word for sentence in sentences for word in sentence] == [*words, "end"]
        assert max(map(len, sentences)) == min(max_sentence, 1000)
        assert sentences[-1] == ["end"]


def test_many_words_make_the_table_grow() -> None:
    words = [f"{i}" for i in range(300_000)]
    table = WordTable(character_classes("whitespace"), sys.maxsize)
    text = " ".join(words).encode() + b"\n"
    ids = np.concatenate([table.encode(text[i : i + 50_000]) for i in range(0, len(text), 50_000)])
    assert ids.tolist() == [*range(300_000), END]
    assert table.encode(b"299999 0 new\n").tolist() == [299_999, 0, 300_000, END]
    assert list(table.words(np.array([0, 300_000]))) == ["0", "new"]


@given(st.lists(st.text(st.sampled_from("ab"), min_size=1, max_size=20), max_size=300))
def test_words_that_share_beginnings(words: list[str]) -> None:
    table = WordTable(character_classes("whitespace"), sys.maxsize)
    order: dict[str, int] = {}
    expected = [order.setdefault(word, len(order)) for word in words]
    assert table.encode(" ".join([*words, "\n"]).encode()).tolist() == expected + [END] * bool(words)
