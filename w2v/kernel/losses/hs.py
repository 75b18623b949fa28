"""Hierarchical softmax over a Huffman tree (Morin and Bengio 2005; Mikolov et al. 2013).

The columns are the inner nodes on the way from the root to the word predicted; at each the row turns left with
probability sigmoid(s).  The probability of a word is the product of its turns, and sums to 1 over the vocabulary:

    loss = -log P(o | x) = -sum over nodes of log sigmoid(s) where the way turns left, log sigmoid(-s) where right

the logistic loss with label 1 for left.  Optimum: P(o | x) itself.
"""

from typing import NamedTuple

from w2v.kernel.logistic import logistic_value
from w2v.kernel.rows import logistic_residual


class HierarchicalSoftmax(NamedTuple):
    """Hierarchical softmax; `n_words` words are the leaves of the tree."""

    n_words: int

    @classmethod
    def create(cls, config, tables):
        return cls(tables.n_words)

    @staticmethod
    def prepare(loss, scores, pairs, lanes):
        """There is neither noise nor a correction."""

    @staticmethod
    def value(loss, scores, pairs):
        return logistic_value(scores, pairs)

    @staticmethod
    def residual(loss, scores, pairs, lr, lanes):
        logistic_residual(scores, pairs.weights, pairs.labels, pairs.n_in * pairs.stride, lr)
