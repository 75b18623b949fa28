"""Noise-contrastive estimation (Gutmann and Hyvärinen 2010; Mnih and Teh 2012).

Is a pair from the text or from the noise?  For one positive there are E_o draws of the word o to be expected among
the noise, so the odds of the text are P(o | x) / E_o.  Let e^s stand for P(o | x): the log odds are s - log E_o, and

    loss = -log sigmoid(s_0 - log E_0) - sum_k log sigmoid(-(s_k - log E_k))

the logistic loss of corrected scores.  E = K q with replacement, 1 - (1 - q)^T unique, T the tries made.  Optimum when
noise equal to the positive is kept: s = log P(o | x), normalised without being made to.  Removing such noise makes
another objective: the odds of the text then grow with the pair's own frequency.
"""

from typing import NamedTuple

from w2v.kernel import logistic
from w2v.kernel.dispatch import methods
from w2v.kernel.pairs import remove_hits, subtract_expected


@methods(value=logistic.value, residual=logistic.residual)
class NoiseContrastiveEstimation(NamedTuple):
    """NCE; `remove_hits`: noise that equals the positive is left out."""

    remove_hits: bool

    @staticmethod
    def prepare(loss, scores, pairs, lanes):
        subtract_expected(scores, pairs, lanes)
        if loss.remove_hits:
            remove_hits(pairs)
