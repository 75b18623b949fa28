"""The exact softmax over the vocabulary: what all sampled objectives stand in for.

    loss = -log softmax(s over all words) at the word predicted,    -d loss / d s_k = [k is it] - softmax(s)_k

Optimum: softmax(s) = P(o | x).  Each pair costs as many scores as there are words.
"""

from typing import NamedTuple

from w2v.kernel.dispatch import methods
from w2v.kernel.pairs import leave_as_they_are
from w2v.kernel.softmax import row_residual, row_value


@methods(prepare=leave_as_they_are, value=row_value, residual=row_residual)
class Softmax(NamedTuple):
    """Softmax over all columns."""
