"""Hierarchical softmax over a Huffman tree (Morin and Bengio 2005; Mikolov et al. 2013).

The columns are the inner nodes on the way from the root to the word predicted; at each the row turns left with
probability sigmoid(s).  The probability of a word is the product of its turns, and sums to 1 over the vocabulary:

    loss = -log P(o | x) = -sum over nodes of log sigmoid(s) where the way turns left, log sigmoid(-s) where right

the logistic loss with label 1 for left.  Optimum: P(o | x) itself.
"""

from typing import NamedTuple

from w2v.kernel import logistic
from w2v.kernel.dispatch import methods
from w2v.kernel.pairs import leave_as_they_are


@methods(prepare=leave_as_they_are, value=logistic.value, residual=logistic.residual)
class HierarchicalSoftmax(NamedTuple):
    """Hierarchical softmax; the tree is the layout's."""
