"""Tables of a comparison: numbers for programs, and short text for people."""

from collections.abc import Sequence
from typing import Any

from w2v.errors import one_line
from w2v.eval.bootstrap import FEWEST_PAIRS, Difference
from w2v.eval.comparison import Evaluation, Row
from w2v.eval.report import Score

ITEMS_ALONE = (
    "intervals are over items alone; two trainings that differ in nothing but the seed differ too: see w2v compare"
)
Table = tuple[list[str], list[list[Any]]]
_WHAT = ["set", "measure", "oov"]


def _what(row: Row) -> list[Any]:
    return [row.scores[0].name, row.scores[0].measure, row.oov]


def numbers(evaluations: Sequence[Evaluation], rows: Sequence[Row]) -> Table:
    """Columns and rows with one number a cell, None where there is none."""
    columns = [*_WHAT, "total"]
    for one in evaluations:
        prefix = f"{one.label} " if len(evaluations) > 1 else ""
        columns += [f"{prefix}{name}" for name in ("score", "low", "high", "seen")]
    for one in evaluations[1:]:
        columns += [f"{one.label} - {evaluations[0].label}{name}" for name in ("", " low", " high", " p", " items")]
    return columns, [_number_cells(row) for row in rows]


def _number_cells(row: Row) -> list[Any]:
    cells = [*_what(row), row.scores[0].total]
    for score, seen in zip(row.scores, row.seen, strict=True):
        cells += [score.value, *(score.interval or (None, None)), seen]
    for found in row.differences:
        cells += (
            [*(100 * value for value in (found.value, found.low, found.high)), found.p, found.n_items]
            if found
            else [None] * 5
        )
    return cells


def scores(evaluations: Sequence[Evaluation], rows: Sequence[Row]) -> Table:
    """Columns and rows of text: a score with its interval for each file, and items seen of all."""
    names = [one.label for one in evaluations] if len(evaluations) > 1 else ["score"]
    columns = [*_WHAT, *(f"{name} [95 %]" for name in names), "seen/total"]
    cells = [[*_what(row), *(_with_interval(score) for score in row.scores), _seen(row)] for row in rows]
    return columns, cells


def differences(evaluations: Sequence[Evaluation], rows: Sequence[Row]) -> Table:
    """Columns and rows of text: how far each further file is from the first, over how many common items."""
    first, *others = [one.label for one in evaluations]
    columns = [*_WHAT, *(f"{other} - {first} [95 %]" for other in others), "items"]
    return columns, [[*_what(row), *map(_verdict, row.differences), _common_items(row)] for row in rows]


def _with_interval(score: Score) -> str:
    if score.value is None:
        return f"undefined ({'all equal' if score.seen > 1 else _items(score.seen)})"
    if score.interval is None:
        is_few = score.seen < (2 if score.sample.given is None else FEWEST_PAIRS)
        return f"{score.value:5.1f} (no interval: {_items(score.seen) if is_few else 'one pair asked for'})"
    low, high = score.interval
    return f"{score.value:5.1f} [{low:.1f}, {high:.1f}]"


def _items(number: int) -> str:
    return f"{number or 'no'} item{'' if number == 1 else 's'}"


def _common_items(row: Row) -> str:
    # Once where it is the same for all files.
    counts = [str(found.n_items) if found else "-" for found in row.differences]
    return ", ".join(counts if len(set(counts)) > 1 else counts[:1])


def _verdict(found: Difference | None) -> str:
    if found is None:
        return "undefined"
    verdict = "not shown" if not found.is_significant else "better" if found.value > 0 else "worse"
    return f"{100 * found.value:+5.1f} [{100 * found.low:+.1f}, {100 * found.high:+.1f}] p {found.p:.3f} {verdict}"


def _seen(row: Row) -> str:
    # Once where it is the same for all files.
    seen = row.seen if len(set(row.seen)) > 1 else row.seen[:1]
    return f"{', '.join(map(str, seen))}/{row.scores[0].total}"


def markdown(table: Table) -> list[str]:
    """Lines of a Markdown table."""
    columns, rows = table
    lines = [columns, ["---"] * len(columns), *rows]
    return [f"| {' | '.join(_cell(value) for value in line)} |" for line in lines]


def _cell(value: Any) -> str:
    return one_line(str(value)).strip().replace("|", "\\|")
