"""Text -> token ids: the words seen so far and the tokeniser's place in the text."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from w2v.kernel.classes import WORD
from w2v.kernel.tokenise import Cursor, Found, Words, fill_table, look_up, split

Scalar = TypeVar("Scalar", bound=np.generic)


class WordTable:
    """Words seen so far, and the tokeniser's place in the text.

    Parameters
    ----------
    classes : uint8 array (0x110000,), see `w2v.text.character_classes`
    max_sentence : tokens after which a line is cut
    """

    def __init__(self, classes: NDArray[np.uint8], max_sentence: int) -> None:
        self._classes, self._max_sentence = classes, max_sentence
        self._plain_ascii = bool((classes[0x21:0x80] == WORD).all())
        self._words = Words(np.zeros(2, np.uint64), np.zeros(1, np.int64), np.zeros(1, np.uint8), np.zeros(0, np.int64))
        self._found = Found(np.zeros(0, np.uint8), np.zeros(0, np.int64), np.zeros(0, np.uint64))
        self._cursor = Cursor(0, 0, 0)
        self._n_words = 0

    def __len__(self) -> int:
        return self._n_words

    @property
    def counts(self) -> NDArray[np.int64]:
        """Occurrences of each word, int64 (n_words,)."""
        return self._words.counts[: len(self)]

    def words(self, ids: NDArray[np.int64]) -> list[str]:
        """The words with these ids."""
        starts, arena = self._words.starts, self._words.arena
        ends = starts[ids + 1] - 1
        return [arena[start:end].tobytes().decode() for start, end in zip(starts[ids], ends, strict=True)]

    def encode(self, data: bytes) -> NDArray[np.int32]:
        """Ids of the words that end in this block; END behind each sentence."""
        self._make_room(len(data))
        block = np.frombuffer(data, np.uint8)
        n_found, begin, cursor = split(
            block, self._classes, self._plain_ascii, self._max_sentence, self._cursor, self._found
        )
        self._cursor = Cursor(*cursor)
        ids = np.empty(n_found, np.int32)
        self._n_words = look_up(self._words, self._n_words, self._found, n_found, ids)
        letters, written = self._found.letters, self._cursor.written
        letters[:written] = letters[begin : begin + written]
        return ids

    def _make_room(self, n_bytes: int) -> None:
        """Grow the arrays so that no block of `n_bytes` can overrun them."""
        letters, ends, hashes = self._found
        written = self._cursor.written
        if written + n_bytes + 16 > letters.size:
            letters = grown(letters, written + n_bytes + 16)
        if n_bytes + 2 > ends.size:
            ends, hashes = grown(ends, n_bytes + 2), grown(hashes, n_bytes + 2)
        self._found = Found(letters, ends, hashes)
        table, starts, arena, counts = self._words
        n_words = len(self) + n_bytes // 2 + 2
        n_letters = int(starts[len(self)]) + written + 2 * n_bytes + 16
        if n_words + 1 > starts.size:
            starts, counts = grown(starts, n_words + 1), grown(counts, n_words + 1)
        if n_letters > arena.size:
            arena = grown(arena, n_letters)
        if 3 * n_words > table.size:  # at least 1.5 entries a word
            table = np.zeros(2 << int(1.5 * n_words).bit_length(), np.uint64)
            fill_table(table, starts, arena, len(self))
        self._words = Words(table, starts, arena, counts)


def grown(array: NDArray[Scalar], size: int) -> NDArray[Scalar]:
    """A longer copy of `array`, of at least `size`; the new elements are 0."""
    longer = np.zeros(max(size, array.size + array.size // 2), array.dtype)
    longer[: array.size] = array
    return longer
