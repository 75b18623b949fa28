"""How sure a score is: bootstrap intervals over the items of a set, and paired differences of two scores.

The percentile bootstrap (Efron 1979): items are drawn with replacement, as many as there are, the score is computed
anew, many times over; the interval holds the middle 95 % of these scores.  A pair of words is drawn together with
its given similarity.  Items that depend on each other are drawn together as a group (the cluster bootstrap; Davison
and Hinkley 1997): of the 19,544 questions in Google's set only 550 pairs are asked for, each many times,
and drawing questions one by one makes intervals a quarter as wide as they are.  The interval says how far the
choice of items decides the score, and nothing of other trainings of the same vectors, which take several seeds.
Where all items have the same outcome no resample differs, though the true score need not be 0 or 1: for shares whose
items are drawn one by one the interval is then Wilson's (1927), for others it has no width.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from w2v.eval.correlations import NORMAL, correlations, drawn_ranks, spearman_interval

Floats = npt.NDArray[np.float64]
RESAMPLES = 1000
MANY, FEW_RESAMPLES = 20_000, 200
LEVELS = (2.5, 97.5)  # percentiles that bound the interval
FEWEST_PAIRS = 4  # of a correlation with an interval: of three pairs most resamples are one pair or a line
_DRAWN_AT_ONCE = 2**19  # items of a block of resamples: a few arrays of 4 MiB


@dataclass(frozen=True, eq=False)
class Sample:
    """The outcome on each item of a set, and the statistic that makes a score of them.

    Attributes
    ----------
    statistic : {"mean", "spearman", "pearson"}
        Mean of `values`, or their correlation with `given`; ties get their mean rank.
    values : float64 array, shape (n_items,)
        Outcome of each item; NaN for an item not scored, as one out of the vocabulary.
    given : float64 array, shape (n_items,), or None
        What a correlation is with.
    groups : int64 array, shape (n_items,), or None
        Items with the same number are drawn together; None for items that are drawn one by one.  For means only.

    Raises
    ------
    ValueError
        When a correlation has no `given` of the same length, or has groups.
    """

    statistic: Literal["mean", "spearman", "pearson"]
    values: Floats
    given: Floats | None = None
    groups: npt.NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        if self.statistic != "mean" and (self.given is None or self.given.shape != self.values.shape):
            raise ValueError(f"{self.statistic} takes as many given values as values")
        if self.statistic != "mean" and self.groups is not None:
            raise ValueError("only means take groups of items")

    @property
    def scored(self) -> npt.NDArray[np.bool_]:
        """Which items are scored, bool, (n_items,)."""
        return ~np.isnan(self.values)

    @property
    def n_drawn(self) -> int:
        """How many are drawn for a resample: items, or groups of them."""
        return len(self.values if self.groups is None else np.unique(self.groups))

    def at(self, items: npt.NDArray[np.bool_]) -> "Sample":
        """The sample of these items alone."""
        given = None if self.given is None else self.given[items]
        groups = None if self.groups is None else self.groups[items]
        return Sample(self.statistic, self.values[items], given, groups)


@dataclass(frozen=True)
class Difference:
    """How far one score is above another on the same items.

    Attributes
    ----------
    value : float
        The first score less the second.
    low, high : float
        95 % interval of the difference.
    p : float
        Two-sided: twice the share of resamples in which the difference is not on the side where `value` is, at
        least 2 / (resamples + 1), at most 1.
    n_items : int
        Items scored by both.
    """

    value: float
    low: float
    high: float
    p: float
    n_items: int

    @property
    def is_significant(self) -> bool:
        """Whether the difference is more than noise of the choice of items: the interval excludes 0."""
        return self.low > 0 or self.high < 0


def score(sample: Sample) -> float | None:
    """The statistic over the items scored.

    Returns
    -------
    float or None
        None where it is undefined: no item scored, or a correlation with fewer than two different values.
    """
    scored = sample.at(sample.scored)
    if not len(scored.values):
        return None
    (value,) = _statistics(scored, np.arange(scored.n_drawn)[None, :])
    return None if np.isnan(value) else float(value)


def interval(sample: Sample, n: int = RESAMPLES, seed: int = 0) -> tuple[float, float] | None:
    """95 % percentile interval of `score` from `n` resamples of the items scored.

    Resamples in which a correlation is undefined are left out.  Of a share, a mean of zeros and ones drawn one
    by one, whose items are all wrong or all right, it is Wilson's score interval.  Correlations of more than `MANY`
    items would take minutes: Spearman's has `spearman_interval`, Pearson's at most `FEW_RESAMPLES` resamples.

    Returns
    -------
    (float, float) or None
        None where the score is undefined or rests on a single item or group, or on fewer than `FEWEST_PAIRS` pairs.
    """
    scored = sample.at(sample.scored)
    value, is_mean = score(scored), scored.given is None
    if scored.n_drawn < (2 if is_mean else FEWEST_PAIRS) or value is None:
        return None
    if is_mean and scored.n_drawn == len(scored.values):
        if not scored.values.any():
            return 0.0, NORMAL**2 / (scored.n_drawn + NORMAL**2)
        if np.all(scored.values == 1):
            return scored.n_drawn / (scored.n_drawn + NORMAL**2), 1.0
    if sample.statistic == "spearman" and scored.n_drawn > MANY:
        return spearman_interval(value, scored.n_drawn)
    if sample.statistic == "pearson" and scored.n_drawn > MANY:
        n = min(n, FEW_RESAMPLES)
    return _percentiles(_resampled([scored], n, seed)[0])


def difference(first: Sample, second: Sample, n: int = RESAMPLES, seed: int = 0) -> Difference | None:
    """How far the score of `first` is above that of `second`, over the items scored by both.

    Paired: both scores of a resample are over the same items, so what makes a set hard for both cancels.

    Returns
    -------
    Difference or None
        None where one of the scores is undefined on the common items, or there is only one item or group.

    Raises
    ------
    ValueError
        When the samples are not of the same items.
    """
    return mean_difference([first], [second], n, seed)


def mean_difference(
    firsts: Sequence[Sample], seconds: Sequence[Sample], n: int = RESAMPLES, seed: int = 0
) -> Difference | None:
    """How far the mean score of some trainings is above that of others, over the items that all of them scored.

    A resample draws the items, the same for all trainings, and on each side as many trainings as there are, with
    replacement; so the interval tells of other items and of other trainings.  With few trainings it is a little
    narrow: of 3, the part that comes from them varies 2/3 as much as it should.

    Returns
    -------
    Difference or None
        As of `difference`, which is the case of one training on each side.

    Raises
    ------
    ValueError
        When the samples are not of the same items.
    """
    samples = [*firsts, *seconds]
    if len({(one.statistic, len(one.values)) for one in samples}) > 1:
        raise ValueError(" and ".join(f"{one.statistic} of {len(one.values)}" for one in samples))
    common = np.logical_and.reduce([one.scored for one in samples])
    samples = [one.at(common) for one in samples]
    values = [value for one in samples if (value := score(one)) is not None]
    if len(values) < len(samples) or samples[0].n_drawn < 2:
        return None
    scores = _resampled(samples, n, seed)
    scores = scores[:, ~np.isnan(scores).any(axis=0)]
    generator = np.random.default_rng((seed, len(samples)))
    differences = _drawn_means(scores[: len(firsts)], generator) - _drawn_means(scores[len(firsts) :], generator)
    value = float(np.mean(values[: len(firsts)]) - np.mean(values[len(firsts) :]))
    tail = min(np.count_nonzero(differences <= 0), np.count_nonzero(differences >= 0))
    p = min(1.0, 2 * (int(tail) + 1) / (len(differences) + 1))
    return Difference(value, *_percentiles(differences), p, int(common.sum()))


def _drawn_means(scores: Floats, generator: np.random.Generator) -> Floats:
    """Mean over trainings drawn anew for each resample; `scores` is (n_trainings, n)."""
    drawn = generator.integers(0, len(scores), scores.shape)
    return np.asarray(np.take_along_axis(scores, drawn, axis=0).mean(axis=0))


def _percentiles(scores: Floats) -> tuple[float, float]:
    low, high = np.percentile(scores[~np.isnan(scores)], LEVELS)
    return float(low), float(high)


def _resampled(samples: Sequence[Sample], n: int, seed: int) -> Floats:
    """Scores of samples of the same items on the same resamples, (n_samples, n); NaN where undefined."""
    generator = np.random.default_rng(seed)
    n_drawn = samples[0].n_drawn
    block = max(1, _DRAWN_AT_ONCE // n_drawn)
    scores = np.empty((len(samples), n))
    for start in range(0, n, block):
        drawn = generator.integers(0, n_drawn, (min(block, n - start), n_drawn), dtype=np.int32)
        for row, sample in zip(scores, samples, strict=True):
            row[start : start + block] = _statistics(sample, drawn)
    return scores


def _statistics(sample: Sample, drawn: npt.NDArray[np.integer]) -> Floats:
    """The statistic of each resample; `drawn` has the items or groups of one in each row, (n_resamples, n_drawn)."""
    if sample.groups is not None:
        _, group = np.unique(sample.groups, return_inverse=True)
        sums, counts = np.bincount(group, sample.values), np.bincount(group)
        return np.asarray(sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1))
    if sample.given is None:
        return np.asarray(sample.values[drawn].mean(axis=1))
    sides = (sample.values, sample.given)
    if sample.statistic == "spearman":
        return correlations(*(drawn_ranks(side, drawn) for side in sides))
    return correlations(*(side[drawn] for side in sides))
