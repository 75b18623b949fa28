"""Pairs: what a loss needs to know of a batch of scores, and the steps several losses share."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from w2v.kernel.emit import LOWEST
from w2v.kernel.jit import inline
from w2v.kernel.rows import subtract_row


class Pairs(NamedTuple):
    """Which scores are of positive pairs, which of noise; arrays of scores are flat, row i begins at i * stride.

    Row i is an input (a context word, or the mean of several), a column an output.  The first `n_positive` columns
    are positives of some rows, the others are noise that the rows share.

    Attributes
    ----------
    weights : float32
        For a positive column: 1 if it and the row are a positive pair, else 0.  For noise: the number of positive
        pairs of the row that it serves.  Where all columns compete (in-batch, softmax, several positives at once),
        the share of the label that falls on the column.
    labels : float32
        1 for columns that are to score high, 0 for those that are to score low.
    input_ids : int32 (n_in,), output_ids : int64 (n_out,)
        Words of the rows and of the columns.
    log_expected : float32 (stride,)
        log of the expected count of each column's word among what is drawn; 0 when there is no correction.
    scratch : float32
        As long as the scores, for the loss to use.
    n_in, n_positive, n_out, stride : int
        Rows, columns that are positives, columns, elements from one row to the next.
    """

    weights: NDArray[np.float32]
    labels: NDArray[np.float32]
    input_ids: NDArray[np.int32]
    output_ids: NDArray[np.int64]
    log_expected: NDArray[np.float32]
    scratch: NDArray[np.float32]
    n_in: int
    n_positive: int
    n_out: int
    stride: int


@inline()
def remove_hits(pairs):
    """Noise that equals a positive does not serve the pairs of that positive."""
    for k in range(pairs.n_positive, pairs.n_out):
        for j in range(pairs.n_positive):
            if pairs.output_ids[k] == pairs.output_ids[j]:
                for row in range(0, pairs.n_in * pairs.stride, pairs.stride):
                    if pairs.weights[row + k] > 0:
                        pairs.weights[row + k] -= pairs.weights[row + j]


@inline()
def silence_beyond(limit, scores, pairs):
    """A pair whose score is at least `limit` from 0 has no weight."""
    for at in range(pairs.n_in * pairs.stride):
        if abs(scores[at]) >= limit:
            pairs.weights[at] = 0


@inline()
def hide_hits(scores, pairs):
    """Noise that equals a positive gets a score that no softmax sees; right where rows share all their positives."""
    for k in range(pairs.n_positive, pairs.n_out):
        for j in range(pairs.n_positive):
            if pairs.output_ids[k] == pairs.output_ids[j]:
                scores[k : pairs.n_in * pairs.stride : pairs.stride] = LOWEST


@inline()
def subtract_expected(scores, pairs, lanes):
    """Scores less the log of the expected count of their column: the correction of sampled losses (logQ)."""
    subtract_row(scores, pairs.log_expected, pairs.n_in, pairs.stride, lanes)


def leave_as_they_are(loss, scores, pairs, lanes):
    """A `prepare` for losses with neither noise nor corrections."""


def hide_hits_if_asked(loss, scores, pairs, lanes):
    """A `prepare` for losses whose noise may equal the positive."""
    if loss.remove_hits:
        hide_hits(scores, pairs)
