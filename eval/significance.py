"""Is a difference between two tools more than noise?  Over other seeds: Welch's t-test."""

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Comparison:
    """How far the mean score of w2v is above that of an opponent.

    Attributes
    ----------
    difference : float
        In points of the score.
    p_seeds : float or None
        Two-sided p of Welch's t-test over the seeds' scores; None with fewer than two seeds of either tool, or where
        all scores are equal.
    beyond_spread : bool
        Whether the difference is larger than the spread, largest less smallest, of either tool.
    """

    difference: float
    p_seeds: float | None
    beyond_spread: bool


def compare(first: Sequence[float], second: Sequence[float]) -> Comparison:
    """Compare the scores of two tools, one score a seed."""
    difference = math.fsum(first) / len(first) - math.fsum(second) / len(second)
    spread = max(max(scores) - min(scores) for scores in (first, second))
    return Comparison(difference, welch(first, second), abs(difference) > spread)


def welch(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Two-sided p of Welch's t-test (Welch 1947), which lets the tools' variances differ.

    It asks whether other seeds would show the difference; the sets' words stay those they are.
    """
    if min(len(first), len(second)) < 2:
        return None
    from scipy.stats import ttest_ind

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # scores that do not vary at all
        p = float(ttest_ind(first, second, equal_var=False).pvalue)
    return None if math.isnan(p) else p
