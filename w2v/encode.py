"""Text -> token ids, compiled: a tokeniser and a hash table that see every byte once.

Words get provisional ids in the order they first occur.  The bytes of the word being read are collected behind
those of all known words, so a word that goes on in the next block needs no care, whatever its length.
"""

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from w2v.kernel.jit import inline, jit
from w2v.text import BLANK, INNER, LINE_END, MARK, WORD

Scalar = TypeVar("Scalar", bound=np.generic)
END = -1  # in a stream of ids: the end of a sentence
# FNV-1a (Fowler, Noll, Vo), 64 bits, and the finaliser of SplitMix64 to spread it over all bits.
HASH_START, HASH_FACTOR = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)
MIX = np.uint64(0xBF58476D1CE4E5B9)
S32 = np.uint64(32)
LOW_HALF = np.uint64(0xFFFFFFFF)


class Words(NamedTuple):
    """All distinct words so far.

    Attributes
    ----------
    table : uint64 (a power of two,)
        Open addressing: 0 is free, else high half of the hash << 32 | id + 1.
    starts : int64 (more than the number of words,)
        Where each word begins in `arena`; behind the last, where the next one will.
    arena : uint8
        The words' bytes one after the other, then those of the word being read.
    counts : int64
        Occurrences of each word.
    """

    table: NDArray[np.uint64]
    starts: NDArray[np.int64]
    arena: NDArray[np.uint8]
    counts: NDArray[np.int64]


class Cursor(NamedTuple):
    """Where the tokeniser stands between blocks.

    `written` bytes of the current word are in the arena, `confirmed` of them for sure (the others are inner
    characters with nothing behind them yet); `running` and `hashed` are the hashes of the two.
    """

    n_words: int
    sentence_length: int
    written: int
    confirmed: int
    running: np.uint64
    hashed: np.uint64


@inline()
def mixed(hashed):
    hashed = (hashed ^ (hashed >> S32)) * MIX
    return hashed ^ (hashed >> np.uint64(29))


@jit()
def find_or_add(words, n_words, length, hashed):
    """Id of the word of `length` bytes behind the known ones, which becomes word `n_words` if it is new."""
    mask = np.uint64(words.table.size - 1)
    full = mixed(hashed)
    tag = full >> S32
    at = full & mask
    start = words.starts[n_words]
    while words.table[at] != 0:
        slot = words.table[at]
        if slot >> S32 == tag:
            known = np.int64(slot & LOW_HALF) - 1
            other = words.starts[known]
            same = words.starts[known + 1] - other == length
            i = 0
            while same and i < length:
                same = words.arena[other + i] == words.arena[start + i]
                i += 1
            if same:
                return known
        at = (at + np.uint64(1)) & mask
    words.table[at] = (tag << S32) | np.uint64(n_words + 1)
    words.starts[n_words + 1] = start + length
    words.counts[n_words] = 0
    return n_words


@jit()
def fill_table(table, starts, arena, n_words):
    """Enter words 0..n_words-1 into an empty table."""
    mask = np.uint64(table.size - 1)
    for word in range(n_words):
        hashed = HASH_START
        for i in range(starts[word], starts[word + 1]):
            hashed = (hashed ^ np.uint64(arena[i])) * HASH_FACTOR
        full = mixed(hashed)
        at = full & mask
        while table[at] != 0:
            at = (at + np.uint64(1)) & mask
        table[at] = ((full >> S32) << S32) | np.uint64(word + 1)


@inline()
def decode_character(data, at):
    """Code point at data[at] and its length in bytes; `data` is valid UTF-8."""
    first = np.int64(data[at])
    if first < 0x80:
        return first, 1
    second = np.int64(data[at + 1]) & 0x3F
    if first < 0xE0:
        return (first & 0x1F) << 6 | second, 2
    third = np.int64(data[at + 2]) & 0x3F
    if first < 0xF0:
        return (first & 0x0F) << 12 | second << 6 | third, 3
    return (first & 0x07) << 18 | second << 12 | third << 6 | np.int64(data[at + 3]) & 0x3F, 4


@jit()
def tokenise(data, classes, max_sentence, words, cursor, ids):
    """Turn one block of text into ids.

    Parameters
    ----------
    data : uint8, valid UTF-8 that ends with a whole character
    classes : uint8 (0x110000,)
    ids : int32, room for 2 * data.size; every sentence with a word in it is followed by END

    Returns
    -------
    The number of ids, the new cursor.
    """
    n_words, sentence_length, written, confirmed, running, hashed = cursor
    tail = words.starts[n_words]
    n_ids = 0
    at = 0
    while at < data.size:
        point, n_bytes = decode_character(data, at)
        kind = classes[point]
        if kind == INNER and written != confirmed:
            kind = BLANK  # a second one in a row ends the word
        if (
            kind == WORD
            or (kind == MARK and confirmed > 0 and written == confirmed)
            or (kind == INNER and confirmed > 0)
        ):
            for i in range(at, at + n_bytes):
                words.arena[tail + written] = data[i]
                running = (running ^ np.uint64(data[i])) * HASH_FACTOR
                written += 1
            if kind != INNER:
                confirmed, hashed = written, running
        else:
            if confirmed > 0:
                word = find_or_add(words, n_words, confirmed, hashed)
                words.counts[word] += 1
                if word == n_words:
                    n_words += 1
                    tail = words.starts[n_words]
                ids[n_ids] = word
                n_ids += 1
                sentence_length += 1
            written, confirmed, running, hashed = 0, 0, HASH_START, HASH_START
            if sentence_length == max_sentence or (kind == LINE_END and sentence_length > 0):
                ids[n_ids] = END
                n_ids += 1
                sentence_length = 0
        at += n_bytes
    return n_ids, Cursor(n_words, sentence_length, written, confirmed, running, hashed)


class WordTable:
    """Words seen so far, and the tokeniser's place in the text.

    Parameters
    ----------
    classes : uint8 array (0x110000,), see `w2v.text.character_classes`
    max_sentence : tokens after which a line is cut
    """

    def __init__(self, classes: NDArray[np.uint8], max_sentence: int) -> None:
        self._classes, self._max_sentence = classes, max_sentence
        self._words = Words(
            np.zeros(1024, np.uint64), np.zeros(512, np.int64), np.zeros(4096, np.uint8), np.zeros(512, np.int64)
        )
        self._cursor = Cursor(0, 0, 0, 0, HASH_START, HASH_START)

    def __len__(self) -> int:
        return self._cursor.n_words

    @property
    def counts(self) -> NDArray[np.int64]:
        """Occurrences of each word, int64 (n_words,)."""
        return self._words.counts[: len(self)]

    def word(self, word_id: int) -> str:
        """The word with that id."""
        starts, arena = self._words.starts, self._words.arena
        return arena[starts[word_id] : starts[word_id + 1]].tobytes().decode()

    def encode(self, data: bytes) -> NDArray[np.int32]:
        """Ids of the words that end in this block; END behind each sentence."""
        self._make_room(len(data))
        ids = np.empty(2 * len(data) + 2, np.int32)
        block = np.frombuffer(data, np.uint8)
        n_ids, cursor = tokenise(block, self._classes, self._max_sentence, self._words, self._cursor, ids)
        # Numba hands the hashes back as plain integers, whose type would then hang on their size.
        self._cursor = Cursor(*cursor[:4], np.uint64(cursor[4]), np.uint64(cursor[5]))
        return ids[:n_ids]

    def _make_room(self, n_bytes: int) -> None:
        """Grow the arrays so that no block of `n_bytes` can overrun them."""
        table, starts, arena, counts = self._words
        n_words = len(self) + n_bytes // 2 + 2
        used = int(starts[len(self)]) + self._cursor.written
        if n_words + 1 > starts.size:
            starts, counts = _grown(starts, n_words + 1), _grown(counts, n_words + 1)
        if used + n_bytes > arena.size:
            arena = _grown(arena, used + n_bytes)
        if 2 * n_words > table.size:
            table = np.zeros(1 << int(2 * n_words).bit_length(), np.uint64)
            fill_table(table, starts, arena, len(self))
        self._words = Words(table, starts, arena, counts)


def _grown(array: NDArray[Scalar], size: int) -> NDArray[Scalar]:
    grown = np.zeros(max(size, array.size + array.size // 2), array.dtype)
    grown[: array.size] = array
    return grown
