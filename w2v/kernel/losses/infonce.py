"""InfoNCE (van den Oord et al. 2018): which of the words at hand is the positive?

    loss = -log softmax(s_0, ..., s_K) at 0,    s = similarity / temperature

The temperature, fixed or learned, and cosine or product are `kernel.similarity`'s.  With the product the optimum is
s = log[P(o | x) / q(o)] + c(x), for any c: noise is not corrected for, so that frequent words are not favoured.
"""

from typing import NamedTuple

from w2v.kernel.dispatch import methods
from w2v.kernel.pairs import hide_hits_if_asked
from w2v.kernel.softmax import sampled_residual, sampled_value


@methods(prepare=hide_hits_if_asked, value=sampled_value, residual=sampled_residual)
class InfoNCE(NamedTuple):
    """InfoNCE; `remove_hits`: noise equal to the positive is left out; `at_once`: several positives a row."""

    remove_hits: bool
    at_once: bool
