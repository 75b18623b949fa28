"""Scores of one file of vectors on several sets, each with its interval, as rows of a table and as JSON."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from w2v.data.catalog import at_hand, entry_of
from w2v.errors import BenchmarkError
from w2v.eval import analogy, bootstrap, categories, similarity
from w2v.eval.analogy import AnalogyResult
from w2v.eval.bootstrap import Sample
from w2v.eval.categories import CategoryResult
from w2v.eval.datasets import load
from w2v.eval.lookup import Lookup
from w2v.eval.sets import AnalogySet, BenchmarkSet, CategorySet, SimilaritySet
from w2v.eval.settings import EvalSettings
from w2v.eval.similarity import SimilarityResult
from w2v.vectors import Vectors

SPEARMAN = "Spearman x 100"
ACCURACY = "accuracy %"
PURITY = "purity %"
DEFAULT_SETS = ("wordsim353", "simlex999", "google")


@dataclass(frozen=True, eq=False)
class Score:
    """One row of the report.

    Attributes
    ----------
    name : str
        The set, and the part of it where it has parts.
    measure : str
        What `value` is: `SPEARMAN`, `ACCURACY` or `PURITY`.
    sample : Sample
        Outcome of each item; NaN for one with a word out of the vocabulary (OOV), which is skipped.
    counted : Sample
        The same where OOV items count in some way.
    counted_as : str
        In which: ``mean``, with the mean similarity of the pairs seen, or ``wrong``.
    seed : int
        Of the bootstrap.
    """

    name: str
    measure: str
    sample: Sample
    counted: Sample
    counted_as: str
    seed: int = 0

    @property
    def seen(self) -> int:
        """Items whose words are all in the vocabulary."""
        return int(self.sample.scored.sum())

    @property
    def total(self) -> int:
        """All items."""
        return len(self.sample.values)

    @cached_property
    def value(self) -> float | None:
        """The score x 100, OOV items skipped; None where it is undefined, as when no item was seen."""
        return percent(bootstrap.score(self.sample))

    @cached_property
    def interval(self) -> tuple[float, float] | None:
        """95 % interval of `value`."""
        return percents(bootstrap.interval(self.sample, seed=self.seed))

    @cached_property
    def as_counted(self) -> "Score":
        """The score with OOV items counted: itself when there are none."""
        if self.seen == self.total:
            return self
        return Score(self.name, self.measure, self.counted, self.counted, self.counted_as, self.seed)

    def to_json(self) -> dict[str, Any]:
        """Both policies, as JSON values."""
        counted = self.as_counted
        is_share = self.sample.statistic == "mean"
        return {
            "score": self.value,
            "interval": self.interval,
            "seen": self.seen,
            "total": self.total,
            **({"correct": int(np.nansum(self.sample.values))} if is_share else {}),
            f"oov_{self.counted_as}": {"score": counted.value, "interval": counted.interval},
        }


Result = SimilarityResult | AnalogyResult | CategoryResult


@dataclass(frozen=True, eq=False)
class Report:
    """A set's name and the outcome on it."""

    name: str
    result: Result
    seed: int = 0

    def scores(self, *, with_sections: bool = False) -> list[Score]:
        """Rows of the table: for analogies their categories, if there are several, and the total; else one."""
        match self.result:
            case SimilarityResult() as pairs:
                return [self._correlation(SPEARMAN, pairs.spearman, pairs.with_mean().spearman)]
            case CategoryResult() as words:
                return [self._share(self.name, PURITY, words.sample)]
        sections = [section for section in self.result.sections if with_sections and section.name]
        return [self._accuracy(part) for part in (*sections, *_several(self.result), self.result.total)]

    def to_json(self) -> dict[str, Any]:
        """The outcome as JSON values, with all sections of an analogy set."""
        total, result = self.scores()[-1].to_json(), self.result
        match result:
            case SimilarityResult():
                pearson = self._correlation("Pearson x 100", result.pearson, result.with_mean().pearson)
                return {"set": self.name, "kind": "similarity", **total, "pearson": pearson.to_json()}
            case CategoryResult():
                how = {"clusters": result.clusters, "classes": result.n_classes}
                return {"set": self.name, "kind": "categorisation", **how, **total}
        return {
            "set": self.name,
            "kind": "analogy",
            "method": result.method,
            "repeats": result.repeats,
            **total,
            "categories": [{"category": part.name, **self._accuracy(part).to_json()} for part in result.categories],
            "sections": [{"section": part.name, **self._accuracy(part).to_json()} for part in result.sections],
        }

    def _correlation(self, measure: str, sample: Sample, counted: Sample) -> Score:
        return Score(self.name, measure, sample, counted, "mean", self.seed)

    def _accuracy(self, part: analogy.Outcome) -> Score:
        return self._share(f"{self.name} {part.name}", ACCURACY, part.sample)

    def _share(self, name: str, measure: str, sample: Sample) -> Score:
        counted = replace(sample, values=np.nan_to_num(sample.values))
        return Score(name, measure, sample, counted, "wrong", self.seed)


def _several(result: AnalogyResult) -> tuple[analogy.Outcome, ...]:
    """The categories; none where there is but one, which the total is."""
    return result.categories if len(result.categories) > 1 else ()


def load_sets(sets: Sequence[str] = (), say: Callable[[str], None] | None = None) -> list[BenchmarkSet]:
    """Read sets by name or file; without any, those of `DEFAULT_SETS` that need no download.

    `say` gets a line when a set is downloaded.

    Raises
    ------
    BenchmarkError, DataError
        When one is missing or malformed, or none was named and none is at hand.
    """
    chosen = sets or [name for name in DEFAULT_SETS if at_hand(entry_of(name)) is not None]
    if not chosen:
        raise BenchmarkError(
            f"none of the standard sets ({', '.join(DEFAULT_SETS)}) is at hand: get them with gensim "
            "(pip install 'w2v[eval]') or `w2v data get NAME`, or name a set with --sets"
        )
    loaded = [load(name, say) for name in chosen]
    names = distinct([one.name for one in loaded], chosen)
    return [replace(one, name=name) for one, name in zip(loaded, names, strict=True)]


def distinct(short: Sequence[str], full: Sequence[str]) -> list[str]:
    """The short names, but the full one for each whose short one others have too."""
    return [one if short.count(one) == 1 else whole for one, whole in zip(short, full, strict=True)]


def score_sets(vectors: Vectors, sets: Iterable[BenchmarkSet], settings: EvalSettings | None = None) -> list[Report]:
    """Score vectors on each set.

    Raises
    ------
    ConfigError
        When a setting is none.
    BenchmarkError
        When a set does not fit the settings.
    """
    settings = settings or EvalSettings()
    return score_found(Lookup(vectors, settings.case, settings.restrict_vocab), sets, settings)


def score_found(lookup: Lookup, sets: Iterable[BenchmarkSet], settings: EvalSettings) -> list[Report]:
    """Score vectors whose words are found by `lookup`; see `score_sets`."""
    return [Report(one.name, _evaluate(lookup, one, settings), settings.seed) for one in sets]


def _evaluate(lookup: Lookup, one: BenchmarkSet, settings: EvalSettings) -> Result:
    match one:
        case SimilaritySet():
            return similarity.evaluate(lookup, one.pairs)
        case AnalogySet():
            return analogy.evaluate(lookup, one.sections, settings.method, one.name)
        case CategorySet():
            return categories.evaluate(lookup, one.items, settings.clusters, settings.seed)


def percent(share: float | None) -> float | None:
    """A share of 1 as a share of 100; None stays."""
    return None if share is None else 100 * share


def percents(interval: tuple[float, float] | None) -> tuple[float, float] | None:
    """The same for an interval."""
    return None if interval is None else (100 * interval[0], 100 * interval[1])
