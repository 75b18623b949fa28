"""The logistic loss of scores with labels, which SGNS, NCE and hierarchical softmax have in common.

    loss = sum of weight * -log sigmoid(s) where the label is 1, weight * -log sigmoid(-s) where it is 0
    -d loss / d s = weight * (label - sigmoid(s))        since d log sigmoid(s) / d s = 1 - sigmoid(s)

The residual is `kernel.rows.logistic_residual`.
"""

import numpy as np

from w2v.kernel.jit import inline
from w2v.kernel.maths import softplus


@inline()
def logistic_value(scores, pairs):
    """The loss summed over a batch, float64."""
    total = 0.0
    for row in range(0, pairs.n_in * pairs.stride, pairs.stride):
        for at in range(row, row + pairs.n_out):
            if pairs.weights[at] > 0:
                sign = 1.0 - 2.0 * pairs.labels[at]
                total += pairs.weights[at] * softplus(sign * np.float64(scores[at]))
    return total
