"""Word similarity: does the cosine of two vectors rank pairs as people do?"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from w2v.cosine import unit_rows
from w2v.eval.bootstrap import Sample
from w2v.eval.lookup import Lookup
from w2v.eval.sets import Pair


@dataclass(frozen=True, eq=False)
class SimilarityResult:
    """Outcome on one set of pairs.

    Attributes
    ----------
    cosines : float64 array, shape (n_pairs,)
        Of each pair, -1 to 1; NaN for a pair with a word out of the vocabulary.
    given : float64 array, shape (n_pairs,)
        Similarities the set has, on any scale.
    """

    cosines: npt.NDArray[np.float64]
    given: npt.NDArray[np.float64]

    @property
    def spearman(self) -> Sample:
        """For Spearman's rank correlation over the pairs seen."""
        return Sample("spearman", self.cosines, self.given)

    @property
    def pearson(self) -> Sample:
        """For Pearson's correlation over the pairs seen."""
        return Sample("pearson", self.cosines, self.given)

    def with_mean(self) -> "SimilarityResult":
        """The outcome when each pair out of the vocabulary has the mean cosine of the pairs seen."""
        unseen = np.isnan(self.cosines)
        if unseen.all() or not unseen.any():
            return self
        return replace(self, cosines=np.where(unseen, self.cosines[~unseen].mean(), self.cosines))


def evaluate(lookup: Lookup, pairs: Sequence[Pair]) -> SimilarityResult:
    """Cosines of the pairs, beside the similarities the set gives them."""
    vectors = lookup.vectors
    rows, seen = lookup.rows_of([(first, second) for first, second, _ in pairs])
    left, right = (unit_rows(vectors.matrix[side], vectors.norms[side]) for side in rows.T)
    found = np.einsum("ij,ij->i", left, right)
    # Pairs of a word with itself tie at the top; rounding must not put them in an order.
    found[(rows[:, 0] == rows[:, 1]) & (found > 0)] = 1.0
    cosines = np.full(len(pairs), np.nan)
    cosines[seen] = found
    return SimilarityResult(cosines, np.array([score for _, _, score in pairs], dtype=np.float64))
