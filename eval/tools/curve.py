"""The curve of quality against time, drawn."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from w2v.eval.plot import plain, save
from w2v.eval.tools.summary import Point, Quality, Summary

COLUMNS = 3  # panels in a row, at most


def drawable(summary: Summary) -> list[Quality]:
    """The scores that have a point: none where no set has a known word."""
    return [row for row in summary.quality if any(point.scores[row.name] for point in summary.curve)]


def plot(summary: Summary, path: Path) -> None:
    """Draw each score against the wall time of the whole process, one panel a score, one line a tool.

    Points are means over the seeds, bars reach from the smallest to the largest score; numbers are epochs.  The
    ending of `path` says the format (`w2v.eval.plot.check_plot`).

    There must be one that is `drawable`.

    Raises
    ------
    OutputError
        When the file cannot be written.
    """
    from matplotlib.figure import Figure

    rows = drawable(summary)
    n_columns = max(1, min(COLUMNS, len(rows)))
    n_lines = max(1, -(-len(rows) // n_columns))
    figure = Figure(figsize=(4.2 * n_columns, 3.2 * n_lines), layout="constrained")
    for place, row in enumerate(rows, 1):
        axes = figure.add_subplot(n_lines, n_columns, place)
        for tool in dict.fromkeys(point.column.title for point in summary.curve):
            _draw(axes, tool, [p for p in summary.curve if p.column.title == tool and p.scores[row.name]], row.name)
        axes.set(title=plain(row.name), xlabel="seconds, whole command", ylabel=row.measure, xscale="log")
        axes.xaxis.set_major_formatter("{x:g}")
        axes.xaxis.set_minor_formatter("{x:g}")
        axes.grid(visible=True, alpha=0.3)
    figure.axes[0].legend()
    save(figure, path)


def _draw(axes: Any, tool: str, points: Sequence[Point], score: str) -> None:
    points = sorted(points, key=lambda point: point.epochs)
    values = [one for point in points if (one := point.scores[score])]
    seconds = [point.wall.mean for point in points]
    below = [one.mean - min(one.values) for one in values]
    above = [max(one.values) - one.mean for one in values]
    means = [one.mean for one in values]
    axes.errorbar(seconds, means, yerr=[below, above], marker="o", markersize=4, capsize=2, label=tool)
    for x, y, point in zip(seconds, means, points, strict=True):
        axes.annotate(str(point.epochs), (x, y), textcoords="offset points", xytext=(3, 4), fontsize=7)
