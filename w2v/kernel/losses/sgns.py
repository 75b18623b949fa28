"""Skip-gram with negative sampling (Mikolov et al., "Distributed representations of words and phrases", 2013).

Per positive pair, with s_0 the score of the positive and s_1..s_K those of the noise:

    loss = -log sigmoid(s_0) - sum_k log sigmoid(-s_k)

which is the logistic loss with label 1 for the positive and 0 for noise.  By default noise that equals the positive
is left out.  Optimum when it is kept: s = log[P(o | x) / (K q(o))], the pointwise mutual information shifted by log K
when q is the unigram share (Levy and Goldberg, "Neural word embedding as implicit matrix factorization", 2014).
"""

from typing import NamedTuple

from w2v.kernel import logistic
from w2v.kernel.dispatch import methods
from w2v.kernel.pairs import remove_hits


@methods(value=logistic.value, residual=logistic.residual)
class SkipGramNegativeSampling(NamedTuple):
    """SGNS; `remove_hits`: noise that equals the positive is left out."""

    remove_hits: bool

    @staticmethod
    def prepare(loss, scores, pairs, lanes):
        if loss.remove_hits:
            remove_hits(pairs)
