"""What a comparison comes to: medians of time and memory, means and spreads of scores, the curve, as values."""

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from w2v.eval.report import Score
from w2v.eval.tools import significance
from w2v.eval.tools.compare import Column, Outcome, Outcomes, Plan
from w2v.eval.tools.runs import STAGES
from w2v.eval.tools.significance import Comparison

OTHER = "start and rest"  # starting Python, imports, and what a tool does between its stages


@dataclass(frozen=True)
class Values:
    """One number of several runs."""

    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Arithmetic mean."""
        return statistics.fmean(self.values)

    @property
    def median(self) -> float:
        """Median."""
        return statistics.median(self.values)

    @property
    def spread(self) -> float | None:
        """Largest less smallest; None for one run, which shows none."""
        return max(self.values) - min(self.values) if len(self.values) > 1 else None


@dataclass(frozen=True)
class Speed:
    """Time and memory of one column; seconds and MiB over its runs."""

    column: Column
    wall: Values
    stages: dict[str, Values]
    words_per_second: Values
    peak_memory_mib: Values | None


@dataclass(frozen=True)
class Quality:
    """One score of every column.

    Attributes
    ----------
    name, measure : str
    seen : list of int
        Items seen with the vectors of each column.
    total : int
    scores : list of Values or None
        None where a score is undefined.
    comparisons : dict of str to Comparison or None
        w2v's score with that of each opponent, by title.
    """

    name: str
    measure: str
    seen: list[int]
    total: int
    scores: list[Values | None]
    comparisons: dict[str, Comparison | None]

    @property
    def seen_of_total(self) -> str:
        """As text: ``3/4``, or ``2-3/4`` where columns differ."""
        least, most = min(self.seen), max(self.seen)
        return f"{least}/{self.total}" if least == most else f"{least}-{most}/{self.total}"


@dataclass(frozen=True)
class Point:
    """A point of the curve: after training with so many epochs, seconds of the whole process, and the scores.

    `scores` has their numbers; `single` has them one by one, a list a name with a score a seed.
    """

    column: Column
    epochs: int
    wall: Values
    scores: dict[str, Values | None]
    single: dict[str, list[Score]] = field(repr=False)


@dataclass(frozen=True)
class HeadStart:
    """Where w2v is when an opponent is at one of its points.

    Attributes
    ----------
    theirs : Point
    ours : Point
        That of most epochs among those whose mean time is no longer.
    comparisons : dict of str to Comparison or None
        By name of the score.
    """

    theirs: Point
    ours: Point
    comparisons: dict[str, Comparison | None]


@dataclass(frozen=True)
class Summary:
    """All tables of a comparison."""

    plan: Plan
    machine: dict[str, Any]
    versions: dict[str, str]
    speed: list[Speed]
    quality: list[Quality]
    curve: list[Point]
    head_starts: list[HeadStart]


def summarise(plan: Plan, outcomes: Outcomes, machine: dict[str, Any], versions: dict[str, str]) -> Summary:
    """Make the tables of a comparison."""
    done = [[outcomes[plan.job(column, seed)] for seed in plan.seeds] for column in plan.columns]
    curve = [_point(column, [outcomes[plan.job(column, seed)] for seed in plan.seeds]) for column in plan.points]
    speed = [_speed(column, runs) for column, runs in zip(plan.columns, done, strict=True)]
    return Summary(plan, machine, versions, speed, list(_quality(plan, done)), curve, list(_head_starts(curve)))


def _speed(column: Column, outcomes: Sequence[Outcome]) -> Speed:
    done = [outcome.run for outcome in outcomes]
    stages = {stage: Values(tuple(run.seconds[stage] for run in done)) for stage in STAGES}
    rest = Values(tuple(run.wall - sum(run.seconds[stage] for stage in STAGES) for run in done))
    memory = [run.peak_memory_mib for run in done if run.peak_memory_mib is not None]
    return Speed(
        column,
        Values(tuple(run.wall for run in done)),
        stages | {OTHER: rest},
        Values(tuple(run.words_per_second for run in done)),
        Values(tuple(memory)) if memory else None,
    )


def _quality(plan: Plan, done: Sequence[Sequence[Outcome]]) -> Iterator[Quality]:
    tables = [[_scores(outcome) for outcome in outcomes] for outcomes in done]
    for name, first in tables[0][0].items():
        scores = [[table[name] for table in column] for column in tables]
        comparisons = {
            column.title: significance.compare(scores[0], theirs)
            for column, theirs in zip(plan.columns, scores, strict=True)
            if column in plan.opponents
        }
        seen = [column[0].seen for column in scores]
        yield Quality(name, first.measure, seen, first.total, [_values(one) for one in scores], comparisons)


def _point(column: Column, outcomes: Sequence[Outcome]) -> Point:
    tables = [_scores(outcome) for outcome in outcomes]
    single = {name: [table[name] for table in tables] for name in tables[0]}
    return Point(
        column,
        int(column.settings["epochs"]),
        Values(tuple(outcome.run.wall for outcome in outcomes)),
        {name: _values(scores) for name, scores in single.items()},
        single,
    )


def _head_starts(curve: Sequence[Point]) -> Iterator[HeadStart]:
    for theirs in curve:
        in_time = [
            point for point in curve if point.column.tool == "w2v" and point.wall.mean <= theirs.wall.mean
        ]  # fmt: skip
        if theirs.column.tool != "w2v" and in_time:
            ours = max(in_time, key=lambda point: point.epochs)
            yield HeadStart(theirs, ours, {name: significance.compare(ours.single[name], scores)
                                           for name, scores in theirs.single.items()})  # fmt: skip


def _scores(outcome: Outcome) -> dict[str, Score]:
    return {score.name: score for report in outcome.reports for score in report.scores()}


def _values(scores: Sequence[Score]) -> Values | None:
    values = [score.value for score in scores if score.value is not None]
    return Values(tuple(values)) if len(values) == len(scores) else None
