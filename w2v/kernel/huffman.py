"""Huffman tree over counts, and the path of each word through it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from w2v.kernel.jit import jit


class Tree(NamedTuple):
    """Paths from the root: word w turns at nodes[starts[w] : starts[w + 1]], left where `lefts` is 1.

    `starts` int64 (n_words + 1,), `nodes` int32, `lefts` float32; nodes are 0..n_words - 2.
    """

    starts: NDArray[np.int64]
    nodes: NDArray[np.int32]
    lefts: NDArray[np.float32]

    @property
    def longest(self) -> int:
        """Nodes of the longest path."""
        return int(np.diff(self.starts).max())


def huffman_tree(counts: NDArray[np.int64]) -> Tree:
    """The tree that makes mean path length least; counts fall, as those of a vocabulary do, at least two of them."""
    n_words = len(counts)
    parents, lefts = np.zeros(2 * n_words - 1, np.int64), np.zeros(2 * n_words - 1, np.float32)
    join(counts.astype(np.float64), parents, lefts)
    lengths = np.zeros(n_words, np.int64)
    measure(parents, lengths)
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    nodes, turns = np.zeros(starts[-1], np.int32), np.zeros(starts[-1], np.float32)
    write_paths(parents, lefts, starts, nodes, turns)
    return Tree(starts, nodes, turns)


@jit()
def join(counts, parents, lefts):
    """Join the two lightest again and again; node i of the tree is item n_words + i, the last one the root.

    Leaves are taken from the end of the counts, inner nodes in the order they were made, which is that of their
    weights: two queues and no heap (van Leeuwen 1976).
    """
    n_words = counts.size
    weights = np.zeros(2 * n_words - 1)
    weights[:n_words] = counts
    leaf, inner = n_words - 1, n_words
    for made in range(n_words, 2 * n_words - 1):
        for turn in range(2):
            if leaf >= 0 and (inner >= made or weights[leaf] <= weights[inner]):
                lightest = leaf
                leaf -= 1
            else:
                lightest = inner
                inner += 1
            parents[lightest] = made
            lefts[lightest] = turn
            weights[made] += weights[lightest]


@jit()
def measure(parents, lengths):
    root = parents.size - 1
    for word in range(lengths.size):
        item = word
        while item != root:
            item = parents[item]
            lengths[word] += 1


@jit()
def write_paths(parents, lefts, starts, nodes, turns):
    root, n_words = parents.size - 1, starts.size - 1
    for word in range(n_words):
        item, at = word, starts[word + 1]
        while item != root:
            at -= 1
            nodes[at] = parents[item] - n_words
            turns[at] = lefts[item]
            item = parents[item]
