"""Windows: the rows are context words, the columns the centres they predict and noise.

Centres are taken in groups of neighbours that share their noise words.  With one centre a group this is skip-gram
as word2vec.c does it, but for noise being drawn once a window; larger groups make the matrix products larger and
the memory traffic smaller.
"""

from typing import NamedTuple

import numpy as np

from w2v.kernel.jit import inline
from w2v.kernel.layouts.steps import are_neighbours, next_step, rewind
from w2v.kernel.sampling import draw
from w2v.kernel.simd import prefetch

LOOKAHEAD = 2  # groups between drawing (and prefetching) the outputs and using them
RING = 4  # a power of two greater than LOOKAHEAD


class Windows(NamedTuple):
    """Groups of centres; with `from_centre` the windows are those of the rows, not of the columns."""

    n_rows: int
    n_out: int
    stride: int
    radius: int
    from_centre: bool

    @staticmethod
    def begin(layout, stretch, length, batch, noise, matrices, group, n_noise, width, state):
        rewind(stretch, group)
        for first in range(0, min(LOOKAHEAD * group, length), group):
            state = draw_outputs(stretch, length, first, batch, noise, group, n_noise, state)
            ask_for_rows(layout, stretch, length, first, batch, matrices, group, n_noise, width)
        return state

    @staticmethod
    def advance(layout, stretch, length, batch, noise, matrices, group, n_noise, width, state):
        first, low, high, fresh = next_step(layout, stretch, length, group)
        if first >= length:
            return -1, group, group + n_noise, 0, 0, state
        slot = (first // group) & (RING - 1)
        if fresh:
            ahead = first + LOOKAHEAD * group
            if ahead < length:
                state = draw_outputs(stretch, length, ahead, batch, noise, group, n_noise, state)
                ask_for_rows(layout, stretch, length, ahead, batch, matrices, group, n_noise, width)
            for k in range(group + n_noise):
                batch.output_ids[k] = batch.ring[slot * (group + n_noise) + k]
        else:
            tries, state = draw(noise, batch.output_ids, group, n_noise, state)
            batch.ring_tries[slot] = tries
            for k in range(group, group + n_noise):
                prefetch(matrices.outputs, batch.output_ids[k], width)
        n_in, n_pairs = gather_pairs(layout, stretch, low, high, first, batch, group, n_noise)
        return n_in, group, group + n_noise, n_pairs, batch.ring_tries[slot], state


@inline()
def draw_outputs(stretch, length, first, batch, noise, group, n_noise, state):
    """Outputs of the group at `first` into its slot of the ring: its centres, then noise."""
    slot = (first // group) & (RING - 1)
    at = slot * (group + n_noise)
    for j in range(group):
        batch.ring[at + j] = stretch.words[min(first + j, length - 1)]
    tries, state = draw(noise, batch.ring, at + group, n_noise, state)
    batch.ring_tries[slot] = tries
    return state


@inline()
def ask_for_rows(layout, stretch, length, first, batch, matrices, group, n_noise, width):
    """Prefetch what the group at `first` will need: its outputs, and the inputs that enter its windows."""
    at = ((first // group) & (RING - 1)) * (group + n_noise)
    for k in range(at, at + group + n_noise):
        prefetch(matrices.outputs, batch.ring[k], width)
    for j in range(group):
        if first + j + layout.radius < length:
            prefetch(matrices.inputs, np.int64(stretch.words[first + j + layout.radius]), width)


@inline()
def gather_pairs(layout, stretch, low, high, first, batch, group, n_noise):
    """Write the words low..high - 1 that a centre of the group has in its context, and which pairs they form.

    Returns
    -------
    The number of context words, the number of positive pairs.
    """
    n, n_pairs = 0, 0
    for position in range(low, high):
        row = np.uint64(n * layout.stride)  # unsigned: not negative, so never counted from the end
        n_positive = 0
        for j in range(group):
            pair = are_neighbours(layout, stretch, position, first + j)
            batch.weights[row + np.uint64(j)] = pair
            n_positive += pair
        for k in range(group, group + n_noise):
            batch.weights[row + np.uint64(k)] = n_positive
        batch.input_ids[np.uint64(n)] = stretch.words[np.uint64(position)]
        n += np.int64(n_positive > 0)
        n_pairs += n_positive
    return n, n_pairs
