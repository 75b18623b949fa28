"""Correlations of many resamples at once, and an interval that takes no resamples."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
NORMAL = 1.959963984540054  # 97.5 % of a standard normal distribution lie below


def spearman_interval(rho: float, n_items: int) -> tuple[float, float]:
    """95 % interval of Spearman's correlation by Fisher's z with variance (1 + rho^2 / 2) / (n - 3).

    Bonett and Wright (2000), Sample size requirements for estimating Pearson, Kendall and Spearman correlations.
    """
    with np.errstate(divide="ignore"):
        z = np.arctanh(rho)
    half = NORMAL * np.sqrt((1 + rho**2 / 2) / (n_items - 3))
    return float(np.tanh(z - half)), float(np.tanh(z + half))


def drawn_ranks(values: Floats, drawn: npt.NDArray[np.integer]) -> Floats:
    """Mean ranks within each resample.

    A value's rank there follows from how often each different value was drawn: counting costs a sixth of sorting
    every resample.
    """
    different, position = np.unique(values, return_inverse=True)
    n_resamples, n_different = len(drawn), len(different)
    positions = position[drawn]
    cells = positions + n_different * np.arange(n_resamples)[:, None]
    counts = np.bincount(cells.ravel(), minlength=n_resamples * n_different).reshape(n_resamples, n_different)
    ranks = np.cumsum(counts, axis=1) - (counts - 1) / 2
    return np.asarray(np.take_along_axis(ranks, positions, axis=1))


def correlations(first: Floats, second: Floats) -> Floats:
    """Pearson's correlation of each row; NaN where all values of one side are equal."""
    constant = (np.ptp(first, axis=1) == 0) | (np.ptp(second, axis=1) == 0)
    first = first - first.mean(axis=1, keepdims=True)
    second = second - second.mean(axis=1, keepdims=True)
    products = np.einsum("ij,ij->i", first, second)
    lengths = np.einsum("ij,ij->i", first, first) * np.einsum("ij,ij->i", second, second)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(constant, np.nan, np.clip(products / np.sqrt(lengths), -1, 1))
