"""Scores of one file of vectors on several sets, as rows of a table and as JSON."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from w2v.eval import analogy, similarity
from w2v.eval.analogy import AnalogyResult, Tally
from w2v.eval.datasets import BENCHMARKS, AnalogySet, SimilaritySet, load
from w2v.eval.similarity import SimilarityResult
from w2v.vectors import Vectors

SPEARMAN = "Spearman x 100"
ACCURACY = "accuracy %"


@dataclass(frozen=True)
class Score:
    """One row of the report.

    Attributes
    ----------
    name : str
        The set, and the part of it where it has parts.
    measure : str
        What `value` is: `SPEARMAN` or `ACCURACY`.
    value : float or None
        None where it is undefined, as when no item was seen.
    seen, total : int
        Items whose words are all in the vocabulary, and all items.
    """

    name: str
    measure: str
    value: float | None
    seen: int
    total: int


@dataclass(frozen=True)
class Report:
    """A set's name and the outcome on it."""

    name: str
    result: SimilarityResult | AnalogyResult

    def scores(self, *, with_sections: bool = False) -> list[Score]:
        """Rows of the table: one for pairs; for analogies their parts, if there are any, and the total."""
        if isinstance(self.result, SimilarityResult):
            value = _percent(self.result.spearman)
            return [Score(self.name, SPEARMAN, value, self.result.seen, self.result.total)]
        sections = [section for section in self.result.sections if with_sections and section[0]]
        return [
            Score(f"{self.name} {part}", ACCURACY, _percent(tally.accuracy), tally.seen, tally.total)
            for part, tally in (*sections, *_sums(self.result))
        ]

    def to_json(self) -> dict[str, Any]:
        """The outcome as JSON values, with all sections of an analogy set."""
        if isinstance(self.result, SimilarityResult):
            score, seen, total = _percent(self.result.spearman), self.result.seen, self.result.total
            return {"set": self.name, "kind": "similarity", "score": score, "seen": seen, "total": total}
        return {
            "set": self.name,
            "kind": "analogy",
            **{part: _tally_json(tally) for part, tally in _sums(self.result)},
            "sections": [{"section": name, **_tally_json(tally)} for name, tally in self.result.sections],
        }


def load_sets(sets: Sequence[str], files: Sequence[str]) -> list[SimilaritySet | AnalogySet]:
    """Read `sets` (names or files; all of `BENCHMARKS` when empty) and then `files`.

    Raises
    ------
    BenchmarkError
        When one is missing or malformed.
    """
    return [load(name) for name in (*(sets or BENCHMARKS), *files)]


def score_sets(vectors: Vectors, sets: Iterable[SimilaritySet | AnalogySet]) -> list[Report]:
    """Score vectors on each set."""
    return [
        Report(
            one.name,
            similarity.evaluate(vectors, one.pairs)
            if isinstance(one, SimilaritySet)
            else analogy.evaluate(vectors, one.sections),
        )
        for one in sets
    ]


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _tally_json(tally: Tally) -> dict[str, float | int | None]:
    return {"score": _percent(tally.accuracy), **vars(tally)}


def _sums(result: AnalogyResult) -> list[tuple[str, Tally]]:
    """Semantic, syntactic, total; only the total where the sections are all of one kind."""
    halves = [("semantic", result.semantic), ("syntactic", result.syntactic)]
    has_both = all(tally.total for _, tally in halves)
    return [*(halves if has_both else ()), ("total", result.total)]
