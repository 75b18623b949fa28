"""In-batch negatives with the logQ correction (Yi et al. 2019), two-sided on request (CLIP, Radford et al. 2021).

B positive pairs (x_i, o_i); the outputs of the others are the noise of each, and K noise words of all:

    z_ij = s_ij - log E_j        loss_i = -log softmax over j of z_ij at i

A word is drawn as often as it is a positive: E = B p, p its share of the positives after subsampling, or B p + K q.
Optimum: softmax(s) = P(o | x); without the correction P(o | x) / p(o), normalised.  A duplicate of the positive stays
(the positive is then a draw like the others); to drop it is consistent when the positive is left uncorrected.

Two-sided, the loss is the mean of this and of the same with rows and columns exchanged, inputs corrected by
their expected count B p(x).  Both derivatives are of the same scores, so they are averaged.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from w2v.kernel.emit import LOWEST
from w2v.kernel.pairs import subtract_expected
from w2v.kernel.softmax import whole_row_residual, whole_row_value


class InBatchSoftmax(NamedTuple):
    """In-batch softmax; `log_expected_inputs` float32 (n_words,): of words among a batch's inputs, or 0 throughout."""

    remove_hits: bool
    symmetric: bool
    log_expected_inputs: NDArray[np.float32]

    @staticmethod
    def parameters(config, tables):
        return {"symmetric": config.symmetric, "log_expected_inputs": tables.log_expected_inputs}

    @staticmethod
    def prepare(loss, scores, pairs, lanes):
        n, stride = pairs.n_positive, pairs.stride
        if loss.symmetric:
            for i in range(n):
                for j in range(n):
                    expected = loss.log_expected_inputs[pairs.input_ids[i]]
                    if loss.remove_hits and i == j:
                        expected = np.float32(0)
                    hit = loss.remove_hits and i != j and pairs.input_ids[i] == pairs.input_ids[j]
                    pairs.scratch[j * stride + i] = LOWEST if hit else scores[i * stride + j] - expected
        if loss.remove_hits:
            for i in range(n):
                scores[i * stride + i] += pairs.log_expected[i]
        subtract_expected(scores, pairs, lanes)
        if loss.remove_hits:
            for i in range(n):
                for k in range(pairs.n_out):
                    if k != i and pairs.output_ids[k] == pairs.output_ids[i]:
                        scores[i * stride + k] = LOWEST

    @staticmethod
    def value(loss, scores, pairs):
        n, stride = pairs.n_positive, pairs.stride
        total = whole_row_value(scores, pairs.weights, n, pairs.n_out, stride)
        if loss.symmetric:
            total = (total + whole_row_value(pairs.scratch, pairs.weights, n, n, stride)) / 2
        return total

    @staticmethod
    def residual(loss, scores, pairs, lr, lanes):
        n, stride = pairs.n_positive, pairs.stride
        whole_row_residual(scores, pairs.weights, n, pairs.n_out, stride, lr, lanes)
        if loss.symmetric:
            whole_row_residual(pairs.scratch, pairs.weights, n, n, stride, lr, lanes)
            for i in range(n):
                for k in range(pairs.n_out):
                    other = pairs.scratch[k * stride + i] if k < n else np.float32(0)
                    scores[i * stride + k] = (scores[i * stride + k] + other) / 2
