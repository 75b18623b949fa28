"""Which words are near each other: subsampling, and the span of words in each word's window."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from w2v.kernel.jit import inline
from w2v.kernel.rng import HALF, below, next_state, scramble


class Window(NamedTuple):
    """How far a context reaches: `radius` tokens, or 1..radius at random when `shrink`, on the sides that are 1."""

    radius: int
    shrink: bool
    left: int
    right: int


class Stretch(NamedTuple):
    """The words that batches are made of: a sentence, or several.

    `words` is int32; the window of the word at i holds lows[i]..highs[i] - 1 (int32) without i.  `cursor` (int64) is
    the layout's own mark of where it stands.
    """

    words: NDArray[np.int32]
    lows: NDArray[np.int32]
    highs: NDArray[np.int32]
    cursor: NDArray[np.int64]


@inline()
def subsample(ids, at, keep, words, length, state):
    """Append the words that are kept from ids[at:], up to the end of the sentence (-1), to words[:length].

    Returns
    -------
    The position behind the sentence, the new length, the random state.
    """
    word = ids[np.uint64(at)]  # unsigned: not negative, so never counted from the end
    while word >= 0:
        state = next_state(state)
        words[np.uint64(length)] = word
        length += np.int64(np.uint32(scramble(state) >> HALF) <= keep[word])
        at += 1
        word = ids[np.uint64(at)]
    return at + 1, length, state


@inline()
def lay_windows(window, begin, end, lows, highs, state):
    """Draw a radius for each word of the sentence begin..end - 1, and write the span of its window."""
    radius = window.radius
    for i in range(begin, end):
        if window.shrink:
            state = next_state(state)
            radius = 1 + below(scramble(state), window.radius)
        lows[np.uint64(i)] = max(begin, i - radius * window.left)
        highs[np.uint64(i)] = min(end, i + radius * window.right + 1)
    return state


@inline()
def read_stretch(ids, at, whole_block, group, keep, window, stretch, state):
    """Read the next sentence, or all that are left of a block, into `stretch`.

    Behind its end, up to `group` words have empty windows.

    Returns
    -------
    The position behind it, the number of words, the random state.
    """
    length = 0
    while at < ids.size:
        begin = length
        at, length, state = subsample(ids, at, keep, stretch.words, length, state)
        state = lay_windows(window, begin, length, stretch.lows, stretch.highs, state)
        if not whole_block:
            break
    stretch.lows[length : length + group] = length
    stretch.highs[length : length + group] = 0
    return at, length, state
