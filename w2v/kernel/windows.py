"""Which words a window holds: subsampling of a sentence, then the contexts of a group of neighbouring centres."""

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


class Pairs(NamedTuple):
    """What a loss needs to know of a group's scores; all arrays are flat, row i begins at i * stride.

    Row i is a context word.  The first `n_positive` columns are the centres of the group, the others are noise
    shared by them.

    Attributes
    ----------
    weights : float32
        For a centre: 1 if the context word of the row is in its window, so that the two are a positive pair,
        else 0.  For noise: the number of positive pairs of the row that it serves.
    labels : float32
        1 for centres, 0 for noise.
    output_ids : int64 (n_out,)
        Words of the columns.
    n_in, n_positive, n_out, stride : int
        Rows, columns that are centres, columns, elements from one row to the next.
    """

    weights: NDArray[np.float32]
    labels: NDArray[np.float32]
    output_ids: NDArray[np.int64]
    n_in: int
    n_positive: int
    n_out: int
    stride: int


class Spans(NamedTuple):
    """Window of each centre of a group: words lows[j]..highs[j] - 1 of the sentence, int64 (group,)."""

    lows: NDArray[np.int64]
    highs: NDArray[np.int64]


@inline()
def subsample(ids, at, keep, sentence, state):
    """Copy the words that are kept from ids[at:], up to the end of the sentence (-1), into `sentence`.

    Returns
    -------
    The position behind the sentence, the number of words kept, the random state.
    """
    length = 0
    word = ids[at]
    while word >= 0:
        state = next_state(state)
        sentence[length] = word
        length += np.int64(np.uint32(scramble(state) >> HALF) <= keep[word])
        at += 1
        word = ids[at]
    return at + 1, length, state


@inline()
def lay_windows(first, group, length, window, spans, state):
    """Draw a radius for each centre first..first + group - 1; a centre behind the sentence gets an empty window.

    Returns
    -------
    The first word of any window, the position behind the last, the random state.
    """
    low, high = length, 0
    for j in range(group):
        centre = first + j
        state = next_state(state)
        radius = window.radius
        if window.shrink:
            radius = 1 + below(scramble(state), radius)
        spans.lows[j] = max(0, centre - radius * window.left) if centre < length else length
        spans.highs[j] = min(length, centre + radius * window.right + 1) if centre < length else 0
        low, high = min(low, spans.lows[j]), max(high, spans.highs[j])
    return low, high, state


@inline()
def gather_pairs(sentence, low, high, first, group, n_out, stride, spans, context, weights):
    """Write the words of all windows of a group into `context`, and which pairs they form into `weights`.

    Returns
    -------
    The number of context words, the number of positive pairs.
    """
    n, n_pairs = 0, 0
    for position in range(low, high):
        row = n * stride
        n_positive = 0
        for j in range(group):
            inside = np.int64(position >= spans.lows[j]) & np.int64(position < spans.highs[j])
            pair = inside & np.int64(position != first + j)
            weights[row + j] = pair
            n_positive += pair
        for k in range(group, n_out):
            weights[row + k] = n_positive
        context[n] = sentence[position]
        n += np.int64(n_positive > 0)
        n_pairs += n_positive
    return n, n_pairs


@inline()
def remove_hits(pairs):
    """Noise that equals a centre does not serve that centre's pairs."""
    for k in range(pairs.n_positive, pairs.n_out):
        for j in range(pairs.n_positive):
            if pairs.output_ids[k] == pairs.output_ids[j]:
                for row in range(0, pairs.n_in * pairs.stride, pairs.stride):
                    pairs.weights[row + k] -= pairs.weights[row + j]
