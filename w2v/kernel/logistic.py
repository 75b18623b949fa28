"""The logistic loss of scores with labels, which SGNS, NCE and hierarchical softmax have in common.

    loss = sum of weight * -log sigmoid(s) where the label is 1, weight * -log sigmoid(-s) where it is 0
    -d loss / d s = weight * (label - sigmoid(s))        since d log sigmoid(s) / d s = 1 - sigmoid(s)

Its functions are methods that losses share.
"""

import numpy as np

from w2v.kernel.maths import softplus
from w2v.kernel.rows import logistic_residual


def value(loss, scores, pairs):
    """The loss summed over a batch, float64."""
    total = 0.0
    for row in range(0, pairs.n_in * pairs.stride, pairs.stride):
        for at in range(row, row + pairs.n_out):
            if pairs.weights[at] > 0:
                sign = 1.0 - 2.0 * pairs.labels[at]
                total += pairs.weights[at] * softplus(sign * np.float64(scores[at]))
    return total


def residual(loss, scores, pairs, lr, lanes):
    """Scores become -lr times the derivative; weights are 0 between the last column and the next row."""
    logistic_residual(scores, pairs.weights, pairs.labels, pairs.n_in * pairs.stride, lr)
