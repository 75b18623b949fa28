"""In-batch: the rows are the inputs of as many positive pairs, the columns their outputs (and noise, if any).

As many readers as a batch has pairs walk through equal parts of a block of text.  Each hands in one pair a round, so
the pairs of a batch come from places far apart, and no two of them from the same occurrence of a centre.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from w2v.kernel.jit import inline
from w2v.kernel.sampling import draw
from w2v.kernel.simd import prefetch
from w2v.kernel.target import padded

AHEAD = 2  # words between asking for a reader's rows and using them


class InBatch(NamedTuple):
    """`n_rows` readers; `swapped` makes the centre the input and the word of its context the output.

    Reader i is in the window of the centre at centres[i], at the word contexts[i]; both int64 (n_rows,).
    """

    n_rows: int
    n_out: int
    stride: int
    swapped: bool
    centres: NDArray[np.int64]
    contexts: NDArray[np.int64]

    @staticmethod
    def begin(layout, stretch, length, batch, noise, matrices, group, n_noise, width, state):
        for i in range(layout.n_rows):
            layout.centres[i] = length * i // layout.n_rows
            layout.contexts[i] = -1
        return state

    @staticmethod
    def advance(layout, stretch, length, batch, noise, matrices, group, n_noise, width, state):
        n = 0
        for i in range(layout.n_rows):
            centre, context = next_pair(layout, stretch, length, i, matrices, width)
            if centre >= 0:
                source, target = (centre, context) if layout.swapped else (context, centre)
                batch.input_ids[n] = stretch.words[source]
                batch.output_ids[n] = stretch.words[target]
                n += 1
        if n == 0:
            return -1, 0, 1, 0, 0, state
        tries, state = draw(noise, batch.output_ids, n, n_noise, state)
        n_out = n + n_noise
        stride = padded(n_out)
        for k in range(n_out, stride):
            batch.output_ids[k] = batch.output_ids[0]
        for i in range(n):
            batch.weights[i * stride : i * stride + stride] = 0
            batch.weights[i * stride + i] = 1
        return n, n, n_out, n, tries, state


@inline()
def next_pair(layout, stretch, length, i, matrices, width):
    """Positions of the next centre and word of its context of reader i; -1 when the reader is done."""
    end = length * (i + 1) // layout.n_rows
    centre, context = layout.centres[i], layout.contexts[i]
    found = False
    while centre < end and not found:
        context = max(context + 1, np.int64(stretch.lows[centre]))
        context += np.int64(context == centre)
        found = context < stretch.highs[centre]
        if not found:
            centre += 1
            context = np.int64(-1)
            if centre + AHEAD < end:
                prefetch(matrices.outputs, np.int64(stretch.words[centre + AHEAD]), width)
                prefetch(matrices.inputs, np.int64(stretch.words[centre + AHEAD]), width)
    layout.centres[i], layout.contexts[i] = centre, context
    return (centre, context) if found else (np.int64(-1), np.int64(-1))
