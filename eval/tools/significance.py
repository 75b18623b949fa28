"""Is a difference between two tools more than noise?  Over other seeds, and over other items of the set as well."""

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from w2v.errors import needing
from w2v.eval.bootstrap import mean_difference
from w2v.eval.report import Score


@dataclass(frozen=True)
class Comparison:
    """How far the mean score of w2v over the seeds is above that of an opponent, in points of the score.

    Attributes
    ----------
    difference : float
    beyond_spread : bool or None
        Whether it is larger than the spread, largest less smallest, of either tool; None with one seed, which shows
        no spread.
    p_seeds : float or None
        Two-sided p of `welch`.
    interval : (float, float) or None
        95 % interval when items and seeds, if there are several, are drawn anew (`w2v.eval.bootstrap.mean_difference`).
    p : float or None
        Two-sided p of the same.
    """

    difference: float
    beyond_spread: bool | None
    p_seeds: float | None
    interval: tuple[float, float] | None
    p: float | None


def compare(ours: Sequence[Score], theirs: Sequence[Score]) -> Comparison | None:
    """Compare the scores of two tools, one a seed; None where one is undefined."""
    first, second = ([score.value for score in scores if score.value is not None] for scores in (ours, theirs))
    if len(first) < len(ours) or len(second) < len(theirs):
        return None
    difference = math.fsum(first) / len(first) - math.fsum(second) / len(second)
    spread = max(max(values) - min(values) for values in (first, second))
    drawn = mean_difference([score.sample for score in ours], [score.sample for score in theirs])
    return Comparison(
        difference,
        abs(difference) > spread if min(len(first), len(second)) > 1 else None,
        welch(first, second),
        (100 * drawn.low, 100 * drawn.high) if drawn else None,
        drawn.p if drawn else None,
    )


def t_test() -> Callable[..., Any]:
    """SciPy's t-test of two samples.

    Raises
    ------
    MissingPackageError
        When SciPy is not installed.
    """
    with needing("the test over seeds", "SciPy"):
        from scipy.stats import ttest_ind
    function: Callable[..., Any] = ttest_ind
    return function


def welch(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Two-sided p of Welch's t-test (Welch 1947), which lets the variances of the two sides differ.

    Over the scores of the seeds it asks whether other seeds would show the difference; the items stay those they are.

    Returns
    -------
    float or None
        None with fewer than two values on a side, or where none varies.
    """
    if min(len(first), len(second)) < 2:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # values that do not vary
        p = float(t_test()(first, second, equal_var=False).pvalue)
    return p if math.isfinite(p) and max(max(side) - min(side) for side in (first, second)) > 0 else None
