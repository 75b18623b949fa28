"""Means over held-out lines with their intervals: hit rate, MRR, NDCG; coverage; popularity of what is recommended."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from w2v.eval.bootstrap import LEVELS, RESAMPLES
from w2v.eval.items.lines import UNKNOWN, HeldOut, Rows
from w2v.eval.items.recommend import Recommender
from w2v.eval.items.sessions import CUTS, Outcome, Progress, recommend, silent

Floats = NDArray[np.float64]
MEASURES = ("hit", "mrr", "ndcg")
COLUMNS = ("candidates", "ranked by", "k", "hit %", "low", "high", "MRR", "NDCG", "coverage %", "popularity", "ahead",
           "from", "to", "lines")  # fmt: skip
SHOWN = (
    "candidates",
    "ranked by",
    "k",
    "hit % [95 %]",
    "MRR",
    "NDCG",
    "coverage %",
    "popularity",
    "ahead [95 %]",
    "lines",
)


@dataclass(frozen=True)
class Ranking:
    """What ranks items, the lines as its vocabulary has them, and the counts of that vocabulary, if known."""

    name: str
    recommender: Recommender
    lines: HeldOut
    n_items: int
    counts: Rows | None


@dataclass(frozen=True)
class Measure:
    """A mean over lines, and its 95 % interval."""

    value: float
    low: float
    high: float

    def percent(self) -> tuple[float, float, float]:
        """The three numbers times 100."""
        return 100 * self.value, 100 * self.low, 100 * self.high


@dataclass(frozen=True)
class Score:
    """What one ranking came to at one k.

    Attributes
    ----------
    candidates : str
        "all", or "new": the items a line has already are no candidates, and lines that end in one are left out.
    ranked_by : str
    k : int
    lines : int
        Lines scored; those that cannot be answered are misses.
    hit, mrr, ndcg : Measure
    ahead : dict of Measure, or None
        By how much the first ranking is ahead of this one in each measure, on the same lines; None for the first.
    coverage : float
        Share of the items that are among the first `k` of some line.
    popularity, popularity_of_targets : float or None
        Mean percentile by count, 0 to 100, of the items recommended and of the targets; None without counts.
    """

    candidates: str
    ranked_by: str
    k: int
    lines: int
    hit: Measure
    mrr: Measure
    ndcg: Measure
    ahead: dict[str, Measure] | None
    coverage: float
    popularity: float | None
    popularity_of_targets: float | None

    @property
    def popularity_bias(self) -> float | None:
        """Percentile of the items recommended less that of the targets: above 0, popular items come too often."""
        if self.popularity is None or self.popularity_of_targets is None:
            return None
        return self.popularity - self.popularity_of_targets

    def row(self) -> tuple[Any, ...]:
        """Values for `COLUMNS`."""
        ahead = (None, None, None) if self.ahead is None else self.ahead["hit"].percent()
        return (self.candidates, self.ranked_by, self.k, *self.hit.percent(), self.mrr.value, self.ndcg.value,
                100 * self.coverage, self.popularity_bias, *ahead, self.lines)  # fmt: skip

    def cells(self) -> tuple[Any, ...]:
        """The same for people, under `SHOWN`."""
        hit = "{:5.1f} [{:.1f}, {:.1f}]".format(*self.hit.percent())
        ahead = "" if self.ahead is None else "{:+5.1f} [{:+.1f}, {:+.1f}]".format(*self.ahead["hit"].percent())
        bias = "" if self.popularity_bias is None else f"{self.popularity_bias:+5.1f}"
        return (self.candidates, self.ranked_by, self.k, hit, f"{self.mrr.value:.4f}", f"{self.ndcg.value:.4f}",
                f"{100 * self.coverage:5.1f}", bias, ahead, self.lines)  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        """The score as JSON values."""
        return asdict(self)


def score(rankings: Sequence[Ranking], from_last: int, *, only_new: bool, progress: Progress = silent) -> list[Score]:
    """Score rankings of the same lines; empty when all lines end in a repeat and only new items count."""
    scored = ~rankings[0].lines.repeats if only_new else np.ones(len(rankings[0].lines), np.bool_)
    if not scored.any():
        return []
    outcomes = [
        recommend(each.recommender, each.lines, from_last, only_new=only_new, progress=progress) for each in rankings
    ]
    values = np.stack([_values(outcome)[scored] for outcome in outcomes], axis=1)  # lines, rankings, k and measure
    measures, ahead = _with_intervals(values), _with_intervals(values[:, :1] - values)
    scores = []
    for number, (ranking, outcome) in enumerate(zip(rankings, outcomes, strict=True)):
        for cut, k in enumerate(CUTS):
            place = slice(len(MEASURES) * cut, len(MEASURES) * (cut + 1))
            first = dict(zip(MEASURES, ahead[number][place], strict=True)) if number else None
            hit, mrr, ndcg = measures[number][place]
            coverage, popularity, of_targets = _spread(ranking, outcome.top[scored, :k], scored)
            scores.append(Score("new" if only_new else "all", ranking.name, k, int(scored.sum()), hit, mrr, ndcg, first,
                                coverage, popularity, of_targets))  # fmt: skip
    return scores


def _values(outcome: Outcome) -> Floats:
    """What each line counts in each measure at each k, float64 (n_lines, n_cuts * n_measures)."""
    columns = [(outcome.hits(k), outcome.reciprocal_ranks(k), outcome.gains(k)) for k in CUTS]
    return np.stack([column for measures in columns for column in measures], axis=1)


def _with_intervals(values: Floats) -> list[list[Measure]]:
    """Means over lines, the first axis, with percentile bootstrap intervals: as `w2v.eval.bootstrap`, many at once."""
    flat = values.reshape(len(values), -1)
    random = np.random.default_rng(0)
    means = np.empty((RESAMPLES, flat.shape[1]))
    for row in means:
        drawn = np.bincount(random.integers(0, len(flat), len(flat)), minlength=len(flat))
        row[:] = drawn @ flat / len(flat)
    columns = np.stack([flat.mean(axis=0), *np.percentile(means, LEVELS, axis=0)]).reshape(3, *values.shape[1:])
    return [[Measure(*map(float, columns[:, i, j])) for j in range(columns.shape[2])] for i in range(columns.shape[1])]


def _spread(ranking: Ranking, top: Rows, scored: NDArray[np.bool_]) -> tuple[float, float | None, float | None]:
    """Coverage, and the popularity of what was recommended and of the targets."""
    recommended = top[top != UNKNOWN]
    coverage = len(np.unique(recommended)) / ranking.n_items
    targets = ranking.lines.targets[scored & ranking.lines.seen]
    if ranking.counts is None or not len(recommended) or not len(targets):
        return coverage, None, None
    percentiles = _percentiles(ranking.counts)
    return coverage, float(percentiles[recommended].mean()), float(percentiles[targets].mean())


def _percentiles(counts: Rows) -> Floats:
    """Share of the items, in percent, that are less frequent than each; half of those as frequent as it."""
    ordered = np.sort(counts)
    below, upto = np.searchsorted(ordered, counts), np.searchsorted(ordered, counts, side="right")
    return np.asarray(50 * (below + upto) / len(counts))
