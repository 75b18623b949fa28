"""The training loop over one block of sentences: windows -> dots -> residual (the loss) -> update.

Centres are taken in groups of neighbours that share their noise words.  With one centre a group this is skip-gram
as word2vec.c does it, but for noise being drawn once a window; larger groups make the matrix products larger and
the memory traffic smaller.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from w2v.kernel.jit import inline, jit
from w2v.kernel.losses import residual, value
from w2v.kernel.rng import draw_alias, next_state, scramble
from w2v.kernel.simd import dots, prefetch, update
from w2v.kernel.target import LANES, score_stride
from w2v.kernel.windows import Pairs, Spans, gather_pairs, lay_windows, remove_hits, subsample

LOOKAHEAD = 2  # groups between drawing (and prefetching) the outputs and using them
RING = 4  # a power of two greater than LOOKAHEAD
# Context words trained in one step, each step with noise of its own.  What one matrix product adds starts from the
# same old values, so wide windows taken whole overshoot: with `--window line` the vectors grew without bound.
STEP_ROWS = 16


class Matrices(NamedTuple):
    """Input and output vectors, float32 (n_words, padded width), shared by all workers without locks."""

    inputs: NDArray[np.float32]
    outputs: NDArray[np.float32]


class Sampling(NamedTuple):
    """What is drawn: `keep` uint32 (n_words,), `slots` uint64 (n_words,); see `w2v.noise`."""

    keep: NDArray[np.uint32]
    slots: NDArray[np.uint64]


class Tally(NamedTuple):
    """What one worker has done, and whether it shall go on; arrays of one element.

    `loss` is a sum over the `measured_pairs`, a random part of all positive `pairs`.  When `stop`, which all workers
    share, is not 0, the sweep ends early.
    """

    loss: NDArray[np.float64]
    measured_pairs: NDArray[np.int64]
    pairs: NDArray[np.int64]
    stop: NDArray[np.int64]


@inline()
def draw_outputs(sentence, length, first, group, n_out, ring, slot, slots, state):
    """Outputs of the group that begins at `first`, into `slot` of the ring: its centres, then noise."""
    at = slot * n_out
    for j in range(group):
        ring[at + j] = sentence[min(first + j, length - 1)]
    for k in range(at + group, at + n_out):
        state = next_state(state)
        ring[k] = draw_alias(scramble(state), slots)
    return state


@inline()
def redraw_noise(group, n_out, output_ids, slots, outputs, width, state):
    """New noise for the next step of a window that takes several."""
    for k in range(group, n_out):
        state = next_state(state)
        output_ids[k] = draw_alias(scramble(state), slots)
        prefetch(outputs, output_ids[k], width)
    return state


@inline()
def ask_for_rows(sentence, length, first, group, n_out, ring, slot, radius, inputs, outputs, width):
    """Prefetch what the group at `first` will need: its outputs, and the inputs that enter its windows."""
    for k in range(slot * n_out, slot * n_out + n_out):
        prefetch(outputs, ring[k], width)
    for j in range(group):
        if first + j + radius < length:
            prefetch(inputs, np.int64(sentence[first + j + radius]), width)


@cache
def make_sweep(width: int, group: int, n_noise: int) -> Any:
    """The sweep for rows of `width` float32, `group` centres that share `n_noise` noise words.

    Sizes are integers in closure cells: constants to the compiler, and no obstacle to Numba's cache on disk.
    """
    n_out = group + n_noise
    stride = score_stride(n_out)

    @jit()
    def sweep(ids, longest, matrices, sampling, window, loss, rate, measure_mask, state, tally):
        inputs, outputs = matrices
        n_rows = min(longest, 2 * window.radius + group, STEP_ROWS)
        scores = np.zeros(n_rows * stride + LANES, np.float32)
        weights = np.zeros(n_rows * stride + LANES, np.float32)
        labels = np.zeros(n_rows * stride + LANES, np.float32)
        for j in range(group):
            labels[j : n_rows * stride : stride] = 1
        sentence, context = np.zeros(longest + 1, np.int32), np.zeros(n_rows + 1, np.int32)
        ring, output_ids = np.zeros(RING * n_out, np.int64), np.zeros(n_out, np.int64)
        spans = Spans(np.zeros(group, np.int64), np.zeros(group, np.int64))
        random = state[0]
        at = 0
        while at < ids.size and tally.stop[0] == 0:
            lr = np.float32(rate[0] + (rate[1] - rate[0]) * at / ids.size)
            at, length, random = subsample(ids, at, sampling.keep, sentence, random)
            if length < 2:
                continue
            for first in range(-LOOKAHEAD * group, length, group):
                ahead = first + LOOKAHEAD * group
                if ahead < length:
                    slot = (ahead // group) & (RING - 1)
                    random = draw_outputs(sentence, length, ahead, group, n_out, ring, slot, sampling.slots, random)
                    ask_for_rows(
                        sentence, length, ahead, group, n_out, ring, slot, window.radius, inputs, outputs, width
                    )
                if first < 0:
                    continue
                if tally.stop[0] != 0:
                    break
                slot = (first // group) & (RING - 1)
                for k in range(n_out):
                    output_ids[k] = ring[slot * n_out + k]
                low, high, random = lay_windows(first, group, length, window, spans, random)
                for begin in range(low, high, n_rows):
                    if begin > low:
                        random = redraw_noise(group, n_out, output_ids, sampling.slots, outputs, width, random)
                    n_in, n_pairs = gather_pairs(
                        sentence, begin, min(begin + n_rows, high), first, group, n_out, stride, spans, context, weights
                    )
                    pairs = Pairs(weights, labels, output_ids, n_in, group, n_out, stride)
                    if loss.remove_hits:
                        remove_hits(pairs)
                    dots(inputs, context, n_in, outputs, output_ids, scores, width, n_out)
                    tally.pairs[0] += n_pairs
                    if scramble(random) & measure_mask == 0:
                        tally.loss[0] += value(loss, scores, pairs)
                        tally.measured_pairs[0] += n_pairs
                    residual(loss, scores, pairs, lr)
                    update(inputs, context, n_in, outputs, output_ids, scores, width, n_out)
        state[0] = random

    return sweep
