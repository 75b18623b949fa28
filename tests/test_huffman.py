"""The Huffman tree: known codes, shortest mean, prefix-free."""

import heapq
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from w2v.kernel.huffman import Tree, huffman_tree


def falling(counts: Any) -> Any:
    return np.sort(np.array(counts, np.int64))[::-1].copy()


def lengths_of(tree: Tree) -> Any:
    return np.diff(tree.starts)


def codes_of(tree: Tree) -> list[str]:
    """The turns of each word, L and R."""
    cuts = tree.starts
    return ["".join("L" if left else "R" for left in tree.lefts[begin:end]) for begin, end in pairwise(cuts)]


def least_cost(counts: Any) -> int:
    """Sum over words of count times path length in the best tree: the weights of all joined items."""
    heap = [int(count) for count in counts]
    heapq.heapify(heap)
    cost = 0
    while len(heap) > 1:
        joined = heapq.heappop(heap) + heapq.heappop(heap)
        cost += joined
        heapq.heappush(heap, joined)
    return cost


def check(counts: Any) -> Tree:
    """Everything that must hold for any counts."""
    tree, n_words = huffman_tree(counts), len(counts)
    lengths, codes = lengths_of(tree), codes_of(tree)
    assert int((counts * lengths).sum()) == least_cost(counts)
    assert lengths.min() >= 1
    assert tree.longest == lengths.max()
    # Kraft: a full tree has no loose end.  In whole numbers, for paths may be longer than a float is precise.
    assert sum(1 << (tree.longest - int(length)) for length in lengths) == 1 << tree.longest
    ranked = sorted(codes)
    assert not any(later.startswith(earlier) for earlier, later in pairwise(ranked))
    assert set(np.unique(tree.lefts)) == {0.0, 1.0}
    assert tree.nodes.min() == 0
    assert tree.nodes.max() == n_words - 2
    # All paths begin at the root, and what follows a turn is always the same: they are paths of one tree.
    assert set(tree.nodes[tree.starts[:-1]]) == {n_words - 2}
    children: dict[tuple[int, float], int] = {}
    for word in range(n_words):
        path = range(tree.starts[word], tree.starts[word + 1])
        following = [*(int(tree.nodes[at]) for at in path[1:]), -1 - word]
        for at, child in zip(path, following, strict=True):
            assert children.setdefault((int(tree.nodes[at]), float(tree.lefts[at])), child) == child
    assert len(children) == 2 * (n_words - 1)
    assert len(set(children.values())) == 2 * (n_words - 1)
    return tree


def test_a_known_tree() -> None:
    # 1 + 2 = 3, 3 + 3 = 6, 6 + 8 = 14: paths of 1, 2, 3, 3 turns.
    tree = check(np.array([8, 3, 2, 1]))
    assert list(lengths_of(tree)) == [1, 2, 3, 3]
    assert tree.nodes.dtype == np.int32
    assert tree.lefts.dtype == np.float32
    assert list(tree.nodes) == [2, 2, 1, 2, 1, 0, 2, 1, 0]
    codes = codes_of(tree)
    assert codes[2][:2] == codes[3][:2] == codes[1][0] + {"L": "R", "R": "L"}[codes[1][1]]
    assert codes[2][2] != codes[3][2]


def test_two_words() -> None:
    tree = check(np.array([5, 1]))
    assert list(tree.nodes) == [0, 0]
    assert sorted(codes_of(tree)) == ["L", "R"]


@pytest.mark.parametrize("n_words", [2, 3, 4, 7, 8, 64, 100])
def test_equal_counts_make_an_even_tree(n_words: int) -> None:
    lengths = lengths_of(check(np.full(n_words, 6)))
    assert lengths.max() - lengths.min() <= 1
    assert lengths.max() == (n_words - 1).bit_length()


def test_counts_like_powers_of_two_make_a_comb() -> None:
    tree = check(2 ** np.arange(40, dtype=np.int64)[::-1])
    assert list(lengths_of(tree)) == [*range(1, 40), 39]


def test_a_large_vocabulary() -> None:
    counts = np.maximum(1, (1e9 / np.arange(1, 50_001) ** 1.2).astype(np.int64))
    tree = huffman_tree(counts)
    assert int((counts * lengths_of(tree)).sum()) == least_cost(counts)
    share = counts / counts.sum()
    entropy = -(share * np.log2(share)).sum()
    assert entropy <= (share * lengths_of(tree)).sum() < entropy + 1


@settings(max_examples=150)
@given(st.lists(st.one_of(st.integers(1, 5), st.integers(1, 10**9)), min_size=2, max_size=60))
def test_any_counts(counts: list[int]) -> None:
    check(falling(counts))
