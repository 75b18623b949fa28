"""Paths: the rows are context words, the columns the inner nodes on the way to the centre in a Huffman tree."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from w2v.kernel.dispatch import methods
from w2v.kernel.jit import inline
from w2v.kernel.layouts.steps import are_neighbours, begin_at_the_first, next_step
from w2v.kernel.rows import repeat_row
from w2v.kernel.simd import prefetch
from w2v.kernel.target import padded

AHEAD = 2  # centres between asking for rows and using them
# Nodes below the root that are not asked for: every worker writes them all the time, and asking takes them away from
# another that is at work on them.
HOT = 9


@methods(begin=begin_at_the_first)
class Paths(NamedTuple):
    """One centre at a time; its path is nodes[starts[word] : starts[word + 1]], `labels` 1 where it turns left."""

    n_rows: int
    n_out: int
    stride: int
    radius: int
    from_centre: bool
    starts: NDArray[np.int64]
    nodes: NDArray[np.int32]
    lefts: NDArray[np.float32]

    @staticmethod
    def advance(layout, stretch, length, batch, noise, matrices, group, n_noise, width, state):
        first, low, high, _ = next_step(layout, stretch, length, group)
        if first >= length:
            return -1, 0, 1, 0, 0, state
        start = layout.starts[stretch.words[first]]
        n_out = layout.starts[stretch.words[first] + 1] - start
        stride = padded(n_out)
        for k in range(stride):
            at = start + min(k, n_out - 1)
            batch.output_ids[k] = layout.nodes[at]
            batch.weights[k] = np.float32(k < n_out)
            batch.labels[k] = layout.lefts[at]
        ask_for_rows(layout, stretch, length, first + AHEAD, matrices, width)
        n = 0
        for position in range(low, high):
            batch.input_ids[n] = stretch.words[position]
            n += are_neighbours(layout, stretch, position, first)
        repeat_row(batch.weights, n, stride)
        repeat_row(batch.labels, n, stride)
        return n, 0, n_out, n, 0, state


@inline()
def ask_for_rows(layout, stretch, length, centre, matrices, width):
    """Prefetch the path of a centre to come, and the input that enters its window."""
    if centre < length:
        word = stretch.words[centre]
        for at in range(layout.starts[word] + HOT, layout.starts[word + 1]):
            prefetch(matrices.outputs, np.int64(layout.nodes[at]), width)
    if centre + layout.radius < length:
        prefetch(matrices.inputs, np.int64(stretch.words[centre + layout.radius]), width)
