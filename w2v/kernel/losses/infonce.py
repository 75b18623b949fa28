"""InfoNCE (van den Oord et al. 2018): which of the words at hand is the positive?

    loss = -log softmax(s_0, ..., s_K) at 0,    s = similarity / temperature

The temperature, fixed or learned, and cosine or product are `kernel.similarity`'s.  With the product the optimum is
s = log[P(o | x) / q(o)] + c(x), for any c: noise is not corrected for, so that frequent words are not favoured.

With several positives at once the label is spread evenly over them, and all columns compete.
"""

from typing import NamedTuple

from w2v.kernel.pairs import hide_hits
from w2v.kernel.softmax import sampled_residual, sampled_value


class InfoNCE(NamedTuple):
    """InfoNCE; `remove_hits`: noise equal to the positive is left out; `at_once`: several positives a row."""

    remove_hits: bool
    at_once: bool

    @classmethod
    def create(cls, config, tables):
        return cls(config.accidental_hits == "remove", config.multi_positive)

    @staticmethod
    def prepare(loss, scores, pairs, lanes):
        if loss.remove_hits:
            hide_hits(scores, pairs)

    @staticmethod
    def value(loss, scores, pairs):
        return sampled_value(scores, pairs, loss.at_once)

    @staticmethod
    def residual(loss, scores, pairs, lr, lanes):
        sampled_residual(scores, pairs, lr, lanes, loss.at_once)
