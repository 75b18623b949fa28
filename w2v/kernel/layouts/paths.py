"""Paths: the rows are context words, the columns the inner nodes on the way to the centre in a Huffman tree."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from w2v.kernel.dispatch import methods
from w2v.kernel.layouts.steps import are_neighbours, begin_at_the_first, next_step
from w2v.kernel.simd import prefetch
from w2v.kernel.target import LANES


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
        stride = -(-n_out // LANES) * LANES
        for k in range(stride):
            batch.output_ids[k] = layout.nodes[start + min(k, n_out - 1)]
        if first + 1 < length:
            following = stretch.words[first + 1]
            for at in range(layout.starts[following], layout.starts[following + 1]):
                prefetch(matrices.outputs, np.int64(layout.nodes[at]), width)
        n = 0
        for position in range(low, high):
            if are_neighbours(layout, stretch, position, first):
                batch.input_ids[n] = stretch.words[position]
                for k in range(stride):
                    batch.weights[n * stride + k] = np.float32(k < n_out)
                    batch.labels[n * stride + k] = layout.lefts[start + min(k, n_out - 1)]
                n += 1
        return n, 0, n_out, n, 0, state
