"""The training loop over one block of sentences: windows -> dots -> residual (the loss) -> update.

What varies is chosen by the types in a `Plan`; the loop knows none of it by name.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from w2v.kernel.architecture import gather, scatter
from w2v.kernel.jit import jit
from w2v.kernel.layouts import Batch, advance, begin
from w2v.kernel.layouts.windows import RING
from w2v.kernel.losses import prepare, residual, value
from w2v.kernel.pairs import Pairs
from w2v.kernel.rng import next_state, scramble
from w2v.kernel.sampling import expect
from w2v.kernel.simd import dots, update
from w2v.kernel.similarity import after, before, finish
from w2v.kernel.target import LANES, padded, score_stride
from w2v.kernel.tiled import dots_tiled, update_tiled
from w2v.kernel.windows import Stretch, read_stretch

# Context words trained in one step, each step with noise of its own.  What one matrix product adds starts from the
# same old values, so wide windows taken whole overshoot: with `--window line` the vectors grew without bound.  There
# steps are shorter: next items are hit more often (44.7 against 43.9 % on clicks, 20 epochs), at the same speed.
STEP_ROWS = 16
LINE_STEP_ROWS = 4
CACHE_LINE = 64  # bytes


class Matrices(NamedTuple):
    """Input and output vectors, float32 (n_words, padded width), shared by all workers without locks."""

    inputs: NDArray[np.float32]
    outputs: NDArray[np.float32]


class Sizes(NamedTuple):
    """What the machine code is made for.

    Attributes
    ----------
    width : float32 in a row of a matrix
    group : centres that share noise
    n_noise : noise words of a batch
    n_out : columns of a batch, 0: known only at run time
    whole_block : 1 when batches are made of whole blocks, 0 when of one sentence
    """

    width: int
    group: int
    n_noise: int
    n_out: int
    whole_block: int


class Plan(NamedTuple):
    """What is trained; each part is of one of the classes of its module, and the worker's own where it has memory.

    `keep` is uint32 (n_words,), see `w2v.noise.keep_thresholds`.
    """

    layout: Any
    architecture: Any
    similarity: Any
    noise: Any
    correction: Any
    loss: Any
    keep: NDArray[np.uint32]


class Tally(NamedTuple):
    """What one worker has done, and whether it shall go on; arrays of one element.

    `loss` is a sum over the `measured_pairs`, a random part of all positive `pairs`; `scores` counts the products of
    an input and an output.  When `stop`, which all workers share, is not 0, the sweep ends early.
    """

    loss: NDArray[np.float64]
    measured_pairs: NDArray[np.int64]
    pairs: NDArray[np.int64]
    scores: NDArray[np.int64]
    stop: NDArray[np.int64]


class Work(NamedTuple):
    """One worker's memory for a stretch of text and a batch; float32 where it is of scores."""

    stretch: Stretch
    batch: Batch
    scores: NDArray[np.float32]
    scratch: NDArray[np.float32]
    log_expected: NDArray[np.float32]
    deltas: NDArray[np.float32]


def aligned_zeros(n: int, dtype: Any) -> NDArray[Any]:
    """Zeros that begin with a cache line: vectors that straddle two lines cost a tenth of the speed."""
    size = np.dtype(dtype).itemsize
    memory = np.zeros(n * size + CACHE_LINE, np.uint8)
    begin = -memory.ctypes.data % CACHE_LINE
    return memory[begin : begin + n * size].view(dtype)


def make_work(layout: Any, sizes: Sizes, capacity: int, n_scored: int) -> Work:
    """Memory for stretches of at most `capacity` words and batches of at most `n_scored` rows of scores."""
    n_scores = (max(n_scored, sizes.group) + 2) * layout.stride + LANES
    labels = aligned_zeros(n_scores, np.float32)
    if sizes.n_out:
        for j in range(sizes.group):
            labels[j :: layout.stride] = 1
    # Behind the last word, the windows of one group are written and those of the next one read.
    words, lows, highs = (aligned_zeros(capacity + 2 * sizes.group, np.int32) for _ in range(3))
    ring = aligned_zeros(RING * (sizes.group + sizes.n_noise), np.int64)
    batch = Batch(aligned_zeros(layout.n_rows + 1, np.int32), aligned_zeros(layout.stride, np.int64),
                  aligned_zeros(n_scores, np.float32), labels, ring, aligned_zeros(RING, np.int64))  # fmt: skip
    deltas = aligned_zeros(0 if sizes.n_out else layout.stride * sizes.width, np.float32)
    return Work(Stretch(words, lows, highs, aligned_zeros(3, np.int64)), batch, aligned_zeros(n_scores, np.float32),
                aligned_zeros(n_scores, np.float32), aligned_zeros(layout.stride, np.float32), deltas)  # fmt: skip


@cache
def make_sweep(sizes: Sizes) -> Any:
    """The sweep for some sizes.

    They are integers in closure cells: constants to the compiler, and no obstacle to Numba's cache on disk.
    """
    width, group, n_noise, n_out, whole_block = sizes
    lanes = min(LANES, score_stride(n_out)) if n_out else LANES

    @jit(_nrt=False)  # counting references to the arrays of a plan took half the time
    def sweep(ids, matrices, plan, work, window, rate, measure_mask, state, tally):
        inputs, outputs = matrices
        layout, architecture, similarity, noise, correction, loss, keep = plan
        stretch, batch, scores, scratch, log_expected, deltas = work
        stride = layout.stride
        random = state[0]
        at = 0
        while at < ids.size and tally.stop[0] == 0:
            lr = np.float32(rate[0] + (rate[1] - rate[0]) * at / ids.size)
            at, length, random = read_stretch(ids, at, whole_block, group, keep, window, stretch, random)
            if length < 2:
                continue
            random = begin(layout, stretch, length, batch, noise, matrices, group, n_noise, width, random)
            while tally.stop[0] == 0:
                n_words, n_positive, n_columns, n_pairs, tries, random = advance(
                    layout, stretch, length, batch, noise, matrices, group, n_noise, width, random
                )
                if n_words < 0:
                    break
                if not n_out:
                    stride = padded(n_columns)
                rows, row_ids, n_in, n_pairs = gather(
                    architecture, inputs, batch, n_words, n_pairs, group, n_noise, stride, width
                )
                pairs = Pairs(batch.weights, batch.labels, row_ids, batch.output_ids, log_expected, scratch, n_in,
                              n_positive, n_columns, stride)  # fmt: skip
                if n_out:
                    dots(rows, row_ids, n_in, outputs, batch.output_ids, scores, width, n_out)
                else:
                    dots_tiled(rows, row_ids, n_in, outputs, batch.output_ids, n_columns, scores, width)
                before(similarity, rows, row_ids, outputs, pairs, scores, width)
                expect(correction, batch.output_ids, n_columns, n_positive, tries, log_expected)
                prepare(loss, scores, pairs, lanes)
                tally.pairs[0] += n_pairs
                tally.scores[0] += n_in * n_columns
                random = next_state(random)
                if scramble(random) & measure_mask == 0:
                    tally.loss[0] += value(loss, scores, pairs)
                    tally.measured_pairs[0] += n_pairs
                residual(loss, scores, pairs, lr, lanes)
                after(similarity, pairs, scores)
                if n_out:
                    update(rows, row_ids, n_in, outputs, batch.output_ids, scores, width, n_out)
                else:
                    update_tiled(rows, row_ids, n_in, outputs, batch.output_ids, n_columns, scores, deltas, width)
                finish(similarity, rows, row_ids, outputs, pairs, width)
                scatter(architecture, inputs, batch, n_words, group, stride, width)
        state[0] = random

    return sweep
