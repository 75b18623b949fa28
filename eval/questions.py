"""Analogy questions as vectors and rows: those whose words are all known, ready to be answered."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from w2v.eval.lookup import Lookup
from w2v.eval.offsets import IntMatrix
from w2v.eval.sets import Question, Related
from w2v.vectors import FloatMatrix

# Row of a word, and rows of its counterparts.
_Rows = tuple[int, list[int]]


@dataclass(frozen=True, eq=False)
class Asked:
    """Questions that can be asked; a row of -1 is none.

    Attributes
    ----------
    positions : list of int
        Where each stands among all questions.
    operands : float32 array, shape (operands, dim)
        Vectors of words, or means of them.
    terms : int64 array, shape (questions, 3)
        Rows of `operands` that are a, b and c.
    excluded, accepted : int64 array, shape (questions, any)
        Rows of words that are no candidates, and that are right answers.
    """

    positions: list[int]
    operands: FloatMatrix
    terms: IntMatrix
    excluded: IntMatrix
    accepted: IntMatrix


def by_pairs(lookup: Lookup, questions: Sequence[Question]) -> Asked:
    """Questions of two pairs each."""
    known = _known(lookup, (pair for question in questions for pair in question))
    positions = [i for i, (first, second) in enumerate(questions) if first in known and second in known]
    asked = [[known[pair] for pair in questions[i]] for i in positions]
    words = [(a, counterparts[0], c) for (a, counterparts), (c, _) in asked]
    rows, terms = np.unique(np.array(words, dtype=np.int64).reshape(-1, 3), return_inverse=True)
    accepted = [answers for _, (_, answers) in asked]
    return Asked(positions, lookup.units[rows], terms.reshape(-1, 3), _all(lookup, words), _all(lookup, accepted))


def by_relation(lookup: Lookup, relations: Iterable[Sequence[Related]]) -> Asked:
    """Pairs of relations, each to be completed by the mean offset of the other pairs of its relation."""
    positions: list[int] = []
    asked: list[_Rows] = []
    means: list[FloatMatrix] = [np.empty((2, 0, lookup.vectors.dim), np.float32)]
    start = 0
    for pairs in relations:
        known = _known(lookup, pairs)
        if len(known) > 1:
            positions += [start + i for i, pair in enumerate(pairs) if pair in known]
            asked += known.values()
            means.append(_means_of_others(lookup, list(known.values())))
        start += len(pairs)
    words = lookup.units[[c for c, _ in asked]]
    operands = np.concatenate([*np.concatenate(means, axis=1), words])
    terms = np.arange(len(operands)).reshape(3, -1).T
    excluded = _all(lookup, [[c] for c, _ in asked])
    return Asked(positions, operands, terms, excluded, _all(lookup, [answers for _, answers in asked]))


def _means_of_others(lookup: Lookup, known: Sequence[_Rows]) -> FloatMatrix:
    """Mean first word and mean counterpart of all pairs but one, (2, pairs, dim)."""
    rows = [[c for c, _ in known], [answers[0] for _, answers in known]]
    sides = lookup.units[rows].astype(np.float64)
    return np.asarray((sides.sum(axis=1, keepdims=True) - sides) / (len(known) - 1), np.float32)


def _known(lookup: Lookup, pairs: Iterable[Related]) -> dict[Related, _Rows]:
    """Rows of the pairs whose word and at least one counterpart are in the vocabulary."""
    known: dict[Related, _Rows] = {}
    for pair in dict.fromkeys(pairs):
        word, counterparts = pair
        row = lookup.find(word)
        found = [found for each in counterparts if (found := lookup.find(each)) is not None]
        if row is not None and found:
            known[pair] = row, found
    return known


def _all(lookup: Lookup, rows: Sequence[Sequence[int]]) -> IntMatrix:
    """All rows that are the same words as those given, a line of a matrix each, filled up with -1."""
    lines = [[variant for row in each for variant in lookup.variants(row)] for each in rows]
    width = max(map(len, lines), default=0)
    matrix = np.full((len(lines), width), -1, dtype=np.int64)
    for line, found in zip(matrix, lines, strict=True):
        line[: len(found)] = found
    return matrix
