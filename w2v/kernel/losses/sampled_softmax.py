"""Sampled softmax with the logQ correction (Bengio and Senécal 2003, 2008; Jean et al. 2015).

The softmax over the positive and its noise, of scores less the log of each word's expected count among the noise:

    z_j = s_j - log E_j        loss = -log softmax(z_0, z_1, ..., z_K) at 0

Because noise k stands for 1 / E_k words like it, sum_k e^{z_k} estimates the sum of e^s over the vocabulary, and the
optimum is softmax(s) = P(o | x).  This is so when noise equal to the positive is kept and drawn with replacement, or
when the noise is unique and what equals the positive is removed, the positive being corrected too; otherwise the
positive counts too often or too seldom.  Uncorrected (--no-logq) the optimum is P(o | x) / q(o), normalised.

With several positives at once the label is spread evenly over them, and all columns compete.
"""

from typing import NamedTuple

from w2v.kernel.dispatch import methods
from w2v.kernel.pairs import hide_hits, subtract_expected
from w2v.kernel.softmax import sampled_residual, sampled_value


@methods(value=sampled_value, residual=sampled_residual)
class SampledSoftmax(NamedTuple):
    """Sampled softmax; `remove_hits`: noise equal to the positive is left out; `at_once`: several positives a row."""

    remove_hits: bool
    at_once: bool

    @staticmethod
    def prepare(loss, scores, pairs, lanes):
        subtract_expected(scores, pairs, lanes)
        if loss.remove_hits:
            hide_hits(scores, pairs)
