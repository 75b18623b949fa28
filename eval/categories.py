"""Categorisation: do clusters of words fall together with the classes people put them into?"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from w2v.errors import ConfigError, needing
from w2v.eval.bootstrap import Sample
from w2v.eval.lookup import Lookup

CLUSTERS = ("kmeans", "agglomerative")
_STARTS = 10  # of k-means; the one with the smallest sum of squares counts


@dataclass(frozen=True, eq=False)
class CategoryResult:
    """Outcome on a set of words with classes.

    Attributes
    ----------
    clusters : str
        How the words were clustered; one of `CLUSTERS`.
    n_classes : int
        Classes of the words seen, and clusters made.
    values : float64 array, shape (words,)
        1 for a word of the class that most words of its cluster have, 0 for another, NaN for a word out of
        the vocabulary.
    """

    clusters: str
    n_classes: int
    values: npt.NDArray[np.float64]

    @property
    def sample(self) -> Sample:
        """The outcome of each word; the mean is the purity."""
        return Sample("mean", self.values)

    @property
    def purity(self) -> float | None:
        """Share of the words seen that are of their cluster's most frequent class; None when none was seen."""
        return float(np.nanmean(self.values)) if self.seen else None

    @property
    def seen(self) -> int:
        """Words in the vocabulary."""
        return int((~np.isnan(self.values)).sum())

    @property
    def total(self) -> int:
        """All words."""
        return len(self.values)


def evaluate(
    lookup: Lookup, items: Sequence[tuple[str, str]], clusters: str = "kmeans", seed: int = 0
) -> CategoryResult:
    """Cluster the words into as many clusters as there are classes among them, and compute the purity.

    Vectors have length 1 before they are clustered.  ``kmeans`` is the best of ten starts; ``agglomerative``
    joins by Ward's criterion.  Of classes that are equally frequent in a cluster, the first in the alphabet counts.

    Parameters
    ----------
    lookup : Lookup
        The vectors, and how words are found in them.
    items : sequence of (word, class)
        The set.
    clusters : str
        One of `CLUSTERS`.
    seed : int
        Of the starts of k-means; the same seed gives the same clusters.

    Raises
    ------
    ConfigError
        On an unknown way of clustering.
    MissingPackageError
        When scikit-learn is not installed.
    """
    if clusters not in CLUSTERS:
        raise ConfigError(f"clusters {clusters!r}: must be one of {', '.join(CLUSTERS)}")
    rows, seen = lookup.rows_of([(word,) for word, _ in items])
    names, classes = np.unique([name for _, name in items], return_inverse=True)
    classes = classes[seen]
    n_classes = len(np.unique(classes))
    values = np.full(len(items), np.nan)
    if n_classes:
        labels = _cluster(lookup.units[rows[:, 0]].astype(np.float64), n_classes, clusters, seed)
        counts = np.zeros((n_classes, len(names)), dtype=np.int64)
        np.add.at(counts, (labels, classes), 1)
        values[seen] = counts.argmax(axis=1)[labels] == classes
    return CategoryResult(clusters, n_classes, values)


def _cluster(units: npt.NDArray[np.float64], n_clusters: int, clusters: str, seed: int) -> npt.NDArray[np.int64]:
    if n_clusters == 1:
        return np.zeros(len(units), dtype=np.int64)
    with needing("clustering", "scikit-learn"):
        from sklearn.cluster import AgglomerativeClustering, KMeans
        from sklearn.exceptions import ConvergenceWarning
        from threadpoolctl import threadpool_limits
    model = (
        KMeans(n_clusters, n_init=_STARTS, random_state=seed)
        if clusters == "kmeans"
        else AgglomerativeClustering(n_clusters)
    )
    # More threads add up in an order that differs from run to run.
    with threadpool_limits(1), warnings.catch_warnings():
        # A word in several classes is several equal points, of which there may be fewer than clusters.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return np.asarray(model.fit_predict(units), np.int64)
