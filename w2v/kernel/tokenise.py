"""A tokeniser and a hash table that see every byte once.

Words get provisional ids in the order they first occur.  A block is worked on in two steps: `split` finds the words,
`look_up` finds their ids.  Apart from each other, the second can ask memory for the entries of the words to come.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from w2v.kernel.classes import BLANK, INNER, LINE_END, MARK, WORD
from w2v.kernel.jit import inline, jit
from w2v.kernel.memory import load_8_bytes, prefetch_element, store_8_bytes, trailing_zeros
from w2v.kernel.recode import END

HASH_FACTOR = np.uint64(0xBF58476D1CE4E5B9)  # of SplitMix64
FULL, ONES = np.uint64(2**64 - 1), np.uint64(0x0101010101010101)
S32 = np.uint64(32)
LOW_HALF = np.uint64(0xFFFFFFFF)
ONE, TWO = np.uint64(1), np.uint64(2)
ENTRY_AHEAD, BYTES_AHEAD = 16, 8  # words between asking for an entry, for the bytes it points to, and using both


class Words(NamedTuple):
    """All distinct words so far.

    Attributes
    ----------
    table : uint64 (2 * a power of two,)
        Open addressing, entries of two: high half of the hash << 32 | id + 1 (0: free), start in `arena`.
    starts : int64
        Where each word begins in `arena`; behind the last, where the next one will.
    arena : uint8
        The words' bytes, each followed by NUL, which is in no word.
    counts : int64
        Occurrences of each word.
    """

    table: NDArray[np.uint64]
    starts: NDArray[np.int64]
    arena: NDArray[np.uint8]
    counts: NDArray[np.int64]


class Found(NamedTuple):
    """What `split` found in a block: words one behind the other, and ends of sentences.

    Attributes
    ----------
    letters : uint8
        Bytes of the words; those of an unfinished word come last.
    ends : int64
        Where each word ends in `letters`; the same as the one before for the end of a sentence.
    hashes : uint64
    """

    letters: NDArray[np.uint8]
    ends: NDArray[np.int64]
    hashes: NDArray[np.uint64]


class Cursor(NamedTuple):
    """Where `split` stands between blocks.

    The unfinished word has `written` bytes, `confirmed` of them for sure: the others are inner characters with
    nothing behind them yet.
    """

    sentence_length: int
    written: int
    confirmed: int


@inline()
def masked(letters, start, length):
    """The up to 8 bytes of letters[start : start + length] as a number."""
    return load_8_bytes(letters, start) & (FULL >> np.uint64(64 - 8 * min(length, 8)))


@inline()
def hash_word(letters, start, length):
    """64-bit hash of a word, 8 bytes at a time."""
    hashed = np.uint64(length)
    for at in range(0, length, 8):
        hashed = (hashed ^ masked(letters, start + at, length - at)) * HASH_FACTOR
        hashed ^= hashed >> S32
    return hashed


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
def split(data, classes, plain_ascii, max_sentence, cursor, found):
    """Find the words that end in a block.

    Parameters
    ----------
    data : uint8, valid UTF-8 that ends with a whole character
    classes : uint8 (0x110000,)
    max_sentence : words after which a sentence ends even without a line end
    cursor, found : the state, and where words go; `found.letters` begins with the unfinished word

    Returns
    -------
    The number of words and sentence ends, where the unfinished word begins in `found.letters`, the new cursor.
    """
    letters, ends, hashes = found
    sentence_length, written, confirmed = cursor
    begin, n_found, at = 0, 0, 0
    whole = data.size - 8 if plain_ascii else 0
    while at < data.size:
        if at < whole:
            eight = load_8_bytes(data, at)
            store_8_bytes(letters, begin + written, eight)
            n_plain = leading_plain_bytes(eight)
            if n_plain > 0:
                at += n_plain
                written += n_plain
                confirmed = written
                if n_plain == 8:
                    continue
        point, n_bytes = decode_character(data, at)
        kind = classes[point]
        if kind == INNER and written != confirmed:
            kind = BLANK  # a second one in a row ends the word
        if kind == WORD or (confirmed > 0 and kind in (INNER, MARK)):
            for i in range(at, at + n_bytes):
                letters[begin + written] = data[i]
                written += 1
            if kind != INNER:
                confirmed = written
        else:
            if confirmed > 0:
                hashes[n_found] = hash_word(letters, begin, confirmed)
                begin += confirmed
                ends[n_found] = begin
                n_found += 1
                sentence_length += 1
            written, confirmed = 0, 0
            if sentence_length == max_sentence or (kind == LINE_END and sentence_length > 0):
                ends[n_found], hashes[n_found] = begin, 0
                n_found += 1
                sentence_length = 0
        at += n_bytes
    # A plain tuple: to make a NamedTuple Numba runs Python, and crashes when a signal handler raises there.
    return n_found, begin, (sentence_length, written, confirmed)


@inline()
def leading_plain_bytes(eight):
    """How many of 8 bytes come before the first that is not printable ASCII."""
    blank = (eight - ONES * np.uint64(0x21)) & ~eight  # the lowest byte below 0x21 has its high bit set
    return trailing_zeros((eight | blank) & (ONES * np.uint64(0x80))) >> 3


@inline()
def same_bytes(a, a_start, b, b_start, length):
    """Whether a and b agree in `length` bytes."""
    at = 0
    while at < length and masked(a, a_start + at, length - at) == masked(b, b_start + at, length - at):
        at += 8
    return at >= length


@jit()
def look_up(words, n_words, found, n_found, ids):
    """Ids of the words found, END for the ends of sentences; new words are added.

    Returns
    -------
    The number of distinct words.
    """
    table, starts, arena, counts = words
    letters, ends, hashes = found
    mask = np.uint64(table.size // 2 - 1)
    begin = 0
    for i in range(n_found):
        if i + ENTRY_AHEAD < n_found:
            prefetch_element(table, np.int64((hashes[i + ENTRY_AHEAD] & mask) * TWO))
        if i + BYTES_AHEAD < n_found:
            prefetch_element(arena, np.int64(table[(hashes[i + BYTES_AHEAD] & mask) * TWO + ONE]))
        length = ends[i] - begin
        if length == 0:
            ids[i] = END
            continue
        tag = hashes[i] >> S32
        at = hashes[i] & mask
        word = -1
        while word < 0:
            entry, start = table[at * TWO], np.int64(table[at * TWO + ONE])
            if entry == 0:
                word = n_words
                table[at * TWO], table[at * TWO + ONE] = (tag << S32) | np.uint64(word + 1), np.uint64(starts[word])
                start = starts[word]
                for j in range(length):
                    arena[start + j] = letters[begin + j]
                arena[start + length] = 0
                starts[word + 1] = start + length + 1
                n_words += 1
            elif (
                entry >> S32 == tag and same_bytes(arena, start, letters, begin, length) and arena[start + length] == 0
            ):
                word = np.int64(entry & LOW_HALF) - 1
            at = (at + ONE) & mask
        counts[word] += 1
        ids[i] = word
        begin = ends[i]
    return n_words


@jit()
def fill_table(table, starts, arena, n_words):
    """Enter words 0..n_words-1 into an empty table."""
    mask = np.uint64(table.size // 2 - 1)
    for word in range(n_words):
        full = hash_word(arena, starts[word], starts[word + 1] - 1 - starts[word])
        at = full & mask
        while table[at * TWO] != 0:
            at = (at + ONE) & mask
        table[at * TWO] = ((full >> S32) << S32) | np.uint64(word + 1)
        table[at * TWO + ONE] = np.uint64(starts[word])
