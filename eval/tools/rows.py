"""A comparison as one table of values, for a terminal or a pipe."""

from collections.abc import Sequence

from w2v.eval.tools.runs import STAGES
from w2v.eval.tools.significance import Comparison
from w2v.eval.tools.summary import OTHER, Summary, Values


def rows(summary: Summary) -> tuple[Sequence[str], Sequence[Sequence[str | int | float | None]]]:
    """The tables in one, as values: medians of time and memory, then means of scores with their spread."""
    columns, opponents = summary.plan.columns, summary.plan.opponents
    header = ["", "unit", "seen/total", *(cell for column in columns for cell in (column.title, "spread"))]
    header += [cell for column in opponents for cell in (f"w2v less {column.title}", "p, seeds", "low", "high")]
    nothing: list[str | int | float | None] = [None] * (4 * len(opponents))
    kinds: list[tuple[str, str, Sequence[Values | None]]] = [
        ("whole command", "s", [speed.wall for speed in summary.speed]),
        *((stage, "s", [speed.stages[stage] for speed in summary.speed]) for stage in (*STAGES, OTHER)),
        ("training", "words/s", [speed.words_per_second for speed in summary.speed]),
        ("memory", "MiB", [speed.peak_memory_mib for speed in summary.speed]),
    ]
    table = [
        [name, unit, None, *(_rounded(cell, unit) for one in values for cell in _middle(one)), *nothing]
        for name, unit, values in kinds
    ]
    for row in summary.quality:
        scores = [cell for one in row.scores for cell in ((one.mean, one.spread) if one else (None, None))]
        compared = [cell for one in row.comparisons.values() for cell in _comparison_values(one)]
        table.append([row.name, row.measure, row.seen_of_total, *scores, *compared])
    return header, table


def _comparison_values(one: Comparison | None) -> tuple[float | None, ...]:
    return (one.difference, one.p_seeds, *(one.interval or (None, None))) if one else (None,) * 4


def _middle(values: Values | None) -> tuple[float | None, float | None]:
    return (values.median, values.spread) if values else (None, None)


def _rounded(value: float | None, unit: str) -> float | int | None:
    return value if value is None or unit == "s" else round(value)


def legend(summary: Summary) -> str:
    """What the columns of `rows` are, in a line."""
    if len(summary.plan.seeds) > 1:
        return "p, seeds: Welch's t-test over seeds; [low, high]: 95 % over seeds and items"
    return "one seed shows no spread, and no p over seeds; [low, high]: 95 % over items alone"
