"""Bayesian personalised ranking (Rendle et al. 2009): the positive is to score above each noise word.

    loss = sum_k -log sigmoid(s_0 - s_k)

    -d loss / d s_k = -sigmoid(s_k - s_0)        -d loss / d s_0 = sum_k sigmoid(s_k - s_0)

At the optimum, s_a - s_b = log of [P(a | x) q(b)] / [P(b | x) q(a)]: words are in the order of P / q.  Noise equal to
the positive changes nothing when it is kept: its two derivatives are of the same row and cancel.
"""

from typing import NamedTuple

import numpy as np

from w2v.kernel.dispatch import methods
from w2v.kernel.maths import softplus
from w2v.kernel.pairs import hide_hits_if_asked
from w2v.kernel.rows import sigmoids
from w2v.kernel.short_rows import short_rows_pairwise


@methods(prepare=hide_hits_if_asked)
class BayesianPersonalizedRanking(NamedTuple):
    """BPR; `remove_hits`: noise that equals the positive is left out."""

    remove_hits: bool

    @staticmethod
    def value(loss, scores, pairs):
        total = 0.0
        for row in range(0, pairs.n_in * pairs.stride, pairs.stride):
            for j in range(row, row + pairs.n_positive):
                if pairs.weights[j] > 0:
                    for k in range(row + pairs.n_positive, row + pairs.n_out):
                        total += pairs.weights[j] * softplus(np.float64(scores[k]) - np.float64(scores[j]))
        return total

    @staticmethod
    def residual(loss, scores, pairs, lr, lanes):
        if pairs.stride == lanes:
            short_rows_pairwise(scores, pairs.weights, pairs.n_in * lanes, pairs.n_positive, pairs.n_out, lr, lanes)
            return
        stride, sums = pairs.stride, pairs.scratch[pairs.stride :]
        for row in range(0, pairs.n_in * stride, stride):
            sums[:stride] = 0
            for j in range(pairs.n_positive):
                step = lr * pairs.weights[row + j]
                if step > 0:
                    lost = sigmoids(scores, row, pairs.n_positive, pairs.n_out, scores[row + j], pairs.scratch, lanes)
                    sums[j] = step * lost
                    for k in range(pairs.n_positive, pairs.n_out):
                        sums[k] -= step * pairs.scratch[k]
            for k in range(stride):
                scores[row + k] = sums[k]
