"""Word similarity: does the cosine of two vectors rank pairs as people do?"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from w2v.cosine import unit_rows
from w2v.eval.datasets import Pair
from w2v.eval.lookup import rows_of
from w2v.vectors import Vectors


@dataclass(frozen=True)
class SimilarityResult:
    """Outcome on one set of pairs.

    Attributes
    ----------
    spearman : float or None
        Spearman's rank correlation over the pairs seen, -1 to 1; None where it is undefined (fewer than two
        pairs seen, or all similarities equal).
    seen, total : int
        Pairs with both words in the vocabulary, and all pairs.
    """

    spearman: float | None
    seen: int
    total: int


def evaluate(vectors: Vectors, pairs: Sequence[Pair]) -> SimilarityResult:
    """Correlate cosines with the given similarities; pairs with a word out of the vocabulary are skipped.

    Ties get their mean rank.  How words are looked up: `w2v.eval.lookup.word_finder`.
    """
    from scipy.stats import spearmanr

    rows, seen = rows_of(vectors, [(first, second) for first, second, _ in pairs])
    given = np.array([score for _, _, score in pairs], dtype=np.float64)[seen]
    left, right = (unit_rows(vectors.matrix[side], vectors.norms[side]) for side in rows.T)
    cosines = np.einsum("ij,ij->i", left, right)
    # Pairs of a word with itself tie at the top; rounding must not put them in an order.
    cosines[(rows[:, 0] == rows[:, 1]) & (cosines > 0)] = 1.0
    if len(given) < 2 or np.ptp(given) == 0 or np.ptp(cosines) == 0:
        return SimilarityResult(None, len(given), len(pairs))
    return SimilarityResult(float(spearmanr(given, cosines).statistic), len(given), len(pairs))
