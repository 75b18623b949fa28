"""Skip-gram with negative sampling (Mikolov et al., "Distributed representations of words and phrases", 2013).

Per positive pair, with s_0 the score of the positive and s_1..s_K those of the noise:

    loss = -log sigmoid(s_0) - sum_k log sigmoid(-s_k)

With d log sigmoid(s) / ds = 1 - sigmoid(s), and label 1 for the positive, 0 for noise, all scores are alike:

    -d loss / d s = label - sigmoid(s)

Noise that equals the positive is left out.  Optimum, were it kept: s = log[P(o | x) / (K q(o))], the pointwise
mutual information shifted by log K when q is the unigram share (Levy and Goldberg, "Neural word embedding as
implicit matrix factorization", 2014).
"""

from typing import NamedTuple

from w2v.kernel.maths import softplus
from w2v.kernel.simd import logistic_residual


class SkipGramNegativeSampling(NamedTuple):
    """SGNS; `remove_hits`: noise that equals the positive is left out."""

    remove_hits: bool = True

    @staticmethod
    def residual(loss, scores, pairs, lr):
        logistic_residual(scores, pairs.weights, pairs.labels, pairs.n_in * pairs.stride, lr)

    @staticmethod
    def value(loss, scores, pairs):
        total = 0.0
        for row in range(0, pairs.n_in * pairs.stride, pairs.stride):
            for at in range(row, row + pairs.n_out):
                if pairs.weights[at] > 0:
                    sign = 1.0 - 2.0 * pairs.labels[at]
                    total += pairs.weights[at] * softplus(sign * scores[at])
        return total
