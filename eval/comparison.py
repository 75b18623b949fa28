"""Several files of vectors on the same sets, side by side: scores of each, and differences to the first."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from w2v.eval import bootstrap
from w2v.eval.analogy import AnalogyResult
from w2v.eval.bootstrap import Difference
from w2v.eval.categories import CategoryResult
from w2v.eval.lookup import Lookup
from w2v.eval.report import Report, Result, Score, distinct, score_found
from w2v.eval.sets import BenchmarkSet
from w2v.eval.settings import EvalSettings
from w2v.vectors import Vectors

SKIPPED = "skipped"


@dataclass(frozen=True, eq=False)
class Evaluation:
    """One file of vectors: how its words were found, and the outcome on each set.

    Attributes
    ----------
    file, label : str
        As named, and short for headings.
    n_words, dim : int
        Of the vectors.
    n_known : int
        Words that are known and candidates.
    case : str
        The case policy in force.
    collisions : int
        Words that case-folding makes equal to a more frequent one.
    reports : list of Report
        One a set.
    """

    file: str
    label: str
    n_words: int
    dim: int
    n_known: int
    case: str
    collisions: int
    reports: list[Report]

    def to_json(self) -> dict[str, Any]:
        """All of it, as JSON values."""
        facts = {"file": self.file, "words": self.n_words, "dim": self.dim, "words_known": self.n_known}
        policy = {"case": self.case, "case_collisions": self.collisions}
        return {**facts, **policy, "sets": [report.to_json() for report in self.reports]}


def evaluate(
    file: str, label: str, vectors: Vectors, sets: Sequence[BenchmarkSet], settings: EvalSettings
) -> Evaluation:
    """Score one file's vectors; errors are those of `w2v.eval.report.score_sets`."""
    lookup = Lookup(vectors, settings.case, settings.restrict_vocab)
    reports = score_found(lookup, sets, settings)
    return Evaluation(file, label, len(vectors), vectors.dim, lookup.n_words, lookup.case, lookup.collisions, reports)


def labels(files: Sequence[str]) -> list[str]:
    """Short headings for files: their stems, or what was named where several have the same."""
    return distinct([Path(file).stem for file in files], files)


@dataclass(frozen=True, eq=False)
class Row:
    """One score of every file.

    Attributes
    ----------
    oov : str
        What became of items with a word out of the vocabulary: ``skipped``, counted ``mean``, counted ``wrong``.
    scores : tuple of Score
        In the order of the files.
    seen : tuple of int
        Items of each file whose words are all in the vocabulary.
    """

    oov: str
    scores: tuple[Score, ...]
    seen: tuple[int, ...]

    @cached_property
    def differences(self) -> list[Difference | None]:
        """Each further file's score less the first's, not x 100; paired over the items scored by both."""
        first, *others = self.scores
        return [bootstrap.difference(one.sample, first.sample, seed=first.seed) for one in others]


def rows(evaluations: Sequence[Evaluation], *, with_sections: bool = False) -> list[Row]:
    """All rows: a second one, in which OOV items count, follows where a file has any."""
    columns = [
        [score for report in one.reports for score in report.scores(with_sections=with_sections)] for one in evaluations
    ]
    found: list[Row] = []
    for scores in zip(*columns, strict=True):
        seen = tuple(score.seen for score in scores)
        found.append(Row(SKIPPED, scores, seen))
        if min(seen) < scores[0].total:
            found.append(Row(scores[0].counted_as, tuple(score.as_counted for score in scores), seen))
    return found


def to_json(evaluations: Sequence[Evaluation], settings: EvalSettings) -> dict[str, Any]:
    """Everything: settings, each file with all its sections, and all differences to the first."""
    differences = [
        {"vectors": one.file, "to": evaluations[0].file, **_difference_json(row, difference)}
        for row in rows(evaluations, with_sections=True)
        for one, difference in zip(evaluations[1:], row.differences, strict=True)
    ]
    return {
        "settings": {**asdict(settings), "resamples": bootstrap.RESAMPLES},
        "vectors": [one.to_json() for one in evaluations],
        "differences": differences,
    }


def _difference_json(row: Row, found: Difference | None) -> dict[str, Any]:
    what = {"score": row.scores[0].name, "measure": row.scores[0].measure, "oov": row.oov}
    if found is None:
        return {**what, "difference": None, "interval": None, "p": None, "items": None, "significant": None}
    return {
        **what,
        "difference": 100 * found.value,
        "interval": (100 * found.low, 100 * found.high),
        "p": found.p,
        "items": found.n_items,
        "significant": found.is_significant,
    }


def warnings(evaluations: Sequence[Evaluation]) -> list[str]:
    """What makes scores of the files incomparable, in lines."""
    lines = []
    if len({one.case for one in evaluations}) > 1:
        cases = ", ".join(f"{one.label}: case {one.case}" for one in evaluations)
        lines.append(f"{cases}: their scores are not of the same rules; give --case fold (or lower) for all")
    if len({one.n_known for one in evaluations}) > 1:
        sizes = ", ".join(f"{one.label}: {one.n_known} words" for one in evaluations)
        fewest = min(one.n_known for one in evaluations)
        lines.append(
            f"{sizes}: they know other items of the sets, and an analogy has more candidates in the larger vocabulary; "
            f"give --restrict-vocab {fewest} for as many in all"
        )
    return lines


def policies(evaluations: Sequence[Evaluation], settings: EvalSettings) -> list[str]:
    """What was chosen or found about the evaluation, in lines: without it scores cannot be compared."""
    lines = []
    for one in evaluations:
        known = "all" if one.n_known == one.n_words else f"the first {one.n_known}"
        auto = " (auto)" if settings.case == "auto" else ""
        equal = f" ({one.collisions} words equal to a more frequent one)" if one.case == "fold" else ""
        lines.append(f"{one.label}: {known} of {one.n_words} words, dim {one.dim}, case {one.case}{auto}{equal}")
    lines += [f"{report.name}: {_how(report.result)}" for report in evaluations[0].reports]
    lines.append(
        "out of vocabulary (OOV): skipped; where there are any, once more with the mean similarity, or as wrong"
    )
    grouped = any(isinstance(report.result, AnalogyResult) for report in evaluations[0].reports)
    drawn = "items (questions by the pair asked for)" if grouped else "items"
    lines.append(f"intervals: 95 %, bootstrap over {drawn}, {bootstrap.RESAMPLES} resamples, seed {settings.seed}")
    return lines


def _how(result: Result) -> str:
    match result:
        case AnalogyResult():
            repeats = f", {result.repeats} of them repeats" if result.repeats else ""
            return f"{result.method}, {len(result.total.values)} questions{repeats}"
        case CategoryResult():
            return f"{result.clusters}, {result.n_classes} clusters of {result.seen} words"
    return f"cosines of {len(result.given)} pairs"
