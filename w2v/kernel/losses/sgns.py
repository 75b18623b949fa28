"""Skip-gram with negative sampling (Mikolov et al., "Distributed representations of words and phrases", 2013).

Per positive pair, with s_0 the score of the positive and s_1..s_K those of the noise:

    loss = -log sigmoid(s_0) - sum_k log sigmoid(-s_k)

which is the logistic loss with label 1 for the positive and 0 for noise.  By default noise that equals the positive
is left out.  Optimum when it is kept: s = log[P(o | x) / (K q(o))], the pointwise mutual information shifted by log K
when q is the unigram share (Levy and Goldberg, "Neural word embedding as implicit matrix factorization", 2014).
With `saturate`, as in gensim, a pair whose score is beyond +-saturate teaches nothing, be it right or wrong.
"""

from typing import NamedTuple

import numpy as np

from w2v.kernel import logistic
from w2v.kernel.dispatch import methods
from w2v.kernel.pairs import remove_hits, silence_beyond


@methods(value=logistic.value, residual=logistic.residual)
class SkipGramNegativeSampling(NamedTuple):
    """SGNS; `remove_hits`: noise that equals the positive is left out; `limit` of the scores, infinite for none."""

    remove_hits: bool
    limit: float

    @staticmethod
    def parameters(config, tables):
        return {"limit": np.float32(config.saturate or np.inf)}

    @staticmethod
    def prepare(loss, scores, pairs, lanes):
        if loss.remove_hits:
            remove_hits(pairs)
        if loss.limit < np.inf:
            silence_beyond(loss.limit, scores, pairs)
