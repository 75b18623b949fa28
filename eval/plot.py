"""Scores as bars with their intervals."""

import warnings
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from w2v.errors import OutputError, needing, one_line
from w2v.eval.comparison import SKIPPED, Evaluation, Row
from w2v.eval.report import Score
from w2v.files import check_files, replacing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_GROUP_WIDTH = 0.8  # of the distance between two groups of bars


def check_plot(path: Path, overwrite: bool, inputs: Collection[Path] = ()) -> None:
    """Find out whether a plot could be drawn and written there, before the scores are worked out.

    `inputs` are the resolved paths of what is read.

    Raises
    ------
    OutputError
        When matplotlib does not write files of that ending, or the file cannot be written or is read.
    MissingPackageError
        When matplotlib is not installed.
    """
    with needing("a plot", "matplotlib", "plot"):
        from matplotlib.backend_bases import FigureCanvasBase
    endings = FigureCanvasBase.get_supported_filetypes()
    if path.suffix.lower().removeprefix(".") not in endings:
        raise OutputError(f"{path}: a plot is written to a file that ends in one of .{', .'.join(sorted(endings))}")
    check_files([path], inputs, overwrite)


def draw(path: Path, evaluations: Sequence[Evaluation], rows: Sequence[Row]) -> None:
    """Write one group of bars a score, one bar a file, with 95 % intervals; OOV items are skipped.

    Raises
    ------
    OutputError
        When the file cannot be written.
    """
    from matplotlib.figure import Figure

    rows = [row for row in rows if row.oov == SKIPPED]
    figure = Figure(figsize=(max(5.0, 1.5 + len(rows) * (0.6 + 0.3 * len(evaluations))), 4.5), layout="constrained")
    axes = figure.add_subplot()
    width = _GROUP_WIDTH / len(evaluations)
    for number, one in enumerate(evaluations):
        places = np.arange(len(rows)) + (number - (len(evaluations) - 1) / 2) * width
        _draw_bars(axes, places, width, one.label, [row.scores[number] for row in rows])
    axes.set_xticks(range(len(rows)), [plain(row.scores[0].name) for row in rows], rotation=30, ha="right")
    axes.set_ylabel("Spearman x 100, or accuracy in %")
    axes.axhline(0, color="black", linewidth=0.8)
    axes.grid(axis="y", alpha=0.3)
    axes.legend()
    save(figure, path)


def save(figure: "Figure", path: Path) -> None:
    """Write a figure in the format that the ending of `path` names; letters the font lacks are drawn as boxes.

    Raises
    ------
    OutputError
        When the file cannot be written.
    """
    with replacing([path]) as (stream,), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        figure.savefig(stream, format=path.suffix.lower().removeprefix("."), dpi=150)


def _draw_bars(
    axes: "Axes", places: npt.NDArray[np.floating], width: float, label: str, scores: Sequence[Score]
) -> None:
    heights = np.array([np.nan if score.value is None else score.value for score in scores])
    bounds = np.array([score.interval or (np.nan, np.nan) for score in scores]).reshape(-1, 2)
    # A percentile interval may lie beside the score of a small set; a length below zero cannot be drawn.
    lengths = np.maximum(0, [heights - bounds[:, 0], bounds[:, 1] - heights])
    axes.bar(places, heights, width, yerr=lengths, capsize=3, label=plain(label))


def plain(text: str) -> str:
    """A name from anywhere as matplotlib takes it: no line breaks, nothing that is not UTF-8, no mathematics."""
    # Between two dollar signs matplotlib would read mathematics.
    return one_line(text).replace("$", r"\$")
