"""UTF-8 repair and character classes."""

import codecs
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from w2v.text import BLANK, INNER, LINE_END, MARK, WORD, Utf8Repair, character_classes, fold


def repaired(data: bytes, cuts: list[int]) -> tuple[bytes, Utf8Repair]:
    repair, out = Utf8Repair(), b""
    borders = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    for begin, end in pairwise(borders):
        piece = repair.feed(data[begin:end])
        piece.decode()  # cut at the borders of characters only
        out += piece
    return out + repair.feed(b"", last=True), repair


ill_formed = st.lists(
    st.sampled_from([b"\xf0\x9f\x98", b"\xed\xa0\x80", b"\xc0\xaf", b"\xff", b"\xe2\x82", "\ufffd€é𝐀".encode(), b"a"])
    | st.binary(max_size=3)
).map(b"".join)


@given(ill_formed, st.lists(st.integers(0, 100)))
@example(b"\xef\xbb\xbfabc\xff", [1])
@example(b"\xe2\x82", [1])
@example(b"\xef\xbf\xbd\xff\xef\xbf\xbd", [1, 2])
def test_repair_is_what_python_decodes(data: bytes, cuts: list[int]) -> None:
    places = []

    def note(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, UnicodeDecodeError)
        places.append(error.start)
        return "\ufffd", error.end

    codecs.register_error("w2v-note", note)
    body = data.removeprefix(codecs.BOM_UTF8)
    expected = body.decode("utf-8", "w2v-note")
    out, repair = repaired(data, cuts)
    assert out.decode() == expected == body.decode("utf-8", "replace")
    assert repair.n_replaced == len(places)
    assert repair.first_replaced == (places[0] + len(data) - len(body) if places else None)


@pytest.mark.parametrize("cuts", [[], [1], [2], [1, 2, 3], [3]])
def test_only_the_first_bom_goes(cuts: list[int]) -> None:
    out, repair = repaired(codecs.BOM_UTF8 * 2 + b"x", cuts)
    assert out == codecs.BOM_UTF8 + b"x"
    assert repair.n_replaced == 0


def test_blanks_are_those_of_python_and_nul() -> None:
    expected = {i for i in range(0x110000) if chr(i).isspace()} | {0}
    for tokenize in ("whitespace", "words"):
        classes = character_classes(tokenize)
        assert classes[0x0A] == classes[0x0D] == LINE_END
        blanks = {i for i in expected if classes[i] in (BLANK, LINE_END)}
        assert blanks == expected
    assert (character_classes("whitespace") == WORD).sum() == 0x110000 - len(expected)


@pytest.mark.parametrize(
    ("characters", "kind"),
    [
        ("aé王１½ªʼ²Ⅷ", WORD),
        ("'’-‐‑\u00ad\u200c\u200d", INNER),
        ("\u0301\u093e\u20dd\U000e0100", MARK),
        (".,_™€😀\ufffd\ue000\u200b\U000f0000\U0010ffff", BLANK),
    ],
)
def test_classes_of_words(characters: str, kind: int) -> None:
    classes = character_classes("words")
    assert [int(classes[ord(c)]) for c in characters] == [kind] * len(characters)


def test_classes_look_ahead_to_the_normal_form() -> None:
    assert character_classes("words", "nfkc")[ord("™")] == WORD
    assert character_classes("words", "nfkc")[ord("－")] == INNER
    assert character_classes("words", "nfc")[ord("™")] == BLANK


@pytest.mark.parametrize(
    ("word", "normalize", "lowercase", "expected"),
    [
        ("ΟΔΥΣΣΕΥΣ", "none", True, "οδυσσευς"),
        ("İ", "none", True, "i\u0307"),
        ("İ", "nfc", True, "i\u0307"),
        ("ﬁ", "nfkc", False, "fi"),
        ("e\u0301", "nfc", False, "é"),
        ("가", "nfc", False, "가"),
        ("ℌ", "nfkc", True, "h"),
        ("ẞ", "none", True, "ß"),
        ("A", "none", False, "A"),
    ],
)
def test_fold(word: str, normalize: str, lowercase: bool, expected: str) -> None:
    assert fold(word, normalize, lowercase) == expected
