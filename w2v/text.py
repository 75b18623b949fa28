"""What is a word: character classes, UTF-8 repair, case and normalisation."""

import codecs
import unicodedata
from functools import cache

import numpy as np
from numpy.typing import NDArray

from w2v.kernel.classes import BLANK, INNER, LINE_END, MARK, WORD

N_CODE_POINTS = 0x110000
# There are no letters, marks, digits or blanks elsewhere.
ASSIGNED = (range(0x40000), range(0xE0100, 0xE01F0))
APOSTROPHES_AND_HYPHENS = "'’-‐‑"
JOINERS = "\u00ad\u200c\u200d"  # soft hyphen, zero-width (non-)joiner: inside words of Persian, Hindi, ...
BOM = b"\xef\xbb\xbf"
REPLACEMENT = "\ufffd"


def fold(text: str, normalize: str, lowercase: bool) -> str:
    """Text, or a single word, in the normal form and case the vocabulary uses.

    Folding words one by one gives what folding the text before it is cut would give, with one exception: a Greek
    sigma before a full stop or the like is final (ς) even when a letter follows that, which `words` cuts off.
    """
    text = _normalized(text, normalize)
    # Lower-casing can undo a normal form: U+0130 becomes i and a combining dot.
    return _normalized(text.lower(), normalize) if lowercase else text


def _normalized(text: str, normalize: str) -> str:
    match normalize:
        case "nfc":
            return unicodedata.normalize("NFC", text)
        case "nfkc":
            return unicodedata.normalize("NFKC", text)
    return text


def _class_in_words(character: str) -> int:
    if character in APOSTROPHES_AND_HYPHENS or character in JOINERS:
        return INNER
    category = unicodedata.category(character)
    if category[0] in "LN":
        return WORD
    return MARK if category[0] == "M" else BLANK


def _class_before_folding(character: str, normalize: str) -> int:
    """Class in raw text that is still to be normalised: U+2122 (a symbol) becomes TM (letters) under NFKC."""
    classes = [_class_in_words(c) for c in fold(character, normalize, lowercase=False)]
    return WORD if WORD in classes else classes[0]


@cache
def character_classes(tokenize: str, normalize: str = "none") -> NDArray[np.uint8]:
    """Class of every code point.

    Blanks are what `str.split` splits at (Unicode white space and U+001C to U+001F) and NUL, so that no word
    can hold a character that another reader of Python would split it at.

    Returns
    -------
    uint8 array of shape (0x110000,)
    """
    classes = np.full(N_CODE_POINTS, WORD, np.uint8)
    if tokenize == "words":
        classes[:] = BLANK
        for points in ASSIGNED:
            classes[points.start : points.stop] = [_class_before_folding(chr(p), normalize) for p in points]
    blanks = [0, *(point for point in range(0x10000) if chr(point).isspace())]
    classes[blanks] = BLANK
    classes[[0x0A, 0x0D]] = LINE_END
    return classes


class Utf8Repair:
    """Bytes of one source in, valid UTF-8 cut at character borders out; counts what it had to replace.

    Attributes
    ----------
    n_replaced : int
        Ill-formed sequences replaced by U+FFFD.
    first_replaced : int or None
        Byte offset of the first of them.
    """

    def __init__(self) -> None:
        self.n_replaced = 0
        self.first_replaced: int | None = None
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._pending = b""
        self._offset = 0
        self._start = b""
        self._started = False

    def feed(self, data: bytes, last: bool = False) -> bytes:
        """The repaired text of `data`, less an unfinished character at its end; `last` finishes that too."""
        if not self._started:
            self._start += data
            if len(self._start) < len(BOM) and not last:
                return b""
            self._started, data = True, self._start
            if data.startswith(BOM):
                data, self._offset = data[len(BOM) :], len(BOM)
        if data.isascii() and not self._pending:
            self._offset += len(data)
            return data
        text = self._decoder.decode(data, last)
        raw = self._pending + data
        self._pending = b"" if last else self._decoder.getstate()[0]
        raw = raw[: len(raw) - len(self._pending)]
        if REPLACEMENT in text:
            self._note_replacements(raw, text)
        self._offset += len(raw)
        return text.encode()

    def _note_replacements(self, raw: bytes, text: str) -> None:
        replaced = text.count(REPLACEMENT) - raw.count(REPLACEMENT.encode())
        if replaced and self.first_replaced is None:
            try:
                raw.decode()
            except UnicodeDecodeError as error:
                self.first_replaced = self._offset + error.start
        self.n_replaced += replaced
