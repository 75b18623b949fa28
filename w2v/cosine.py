"""Cosines between the rows of a matrix and a query, right for rows of any length."""

import numpy as np
import numpy.typing as npt

_ROWS_AT_ONCE = 4096  # blocks that stay in the cache while they are widened to float64


def row_norms(matrix: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """Length of each row, float64, (n_rows,); NaN or infinite where the row is."""
    norms = np.empty(len(matrix))
    for start in range(0, len(matrix), _ROWS_AT_ONCE):
        block = matrix[start : start + _ROWS_AT_ONCE].astype(np.float64)
        norms[start : start + _ROWS_AT_ONCE] = np.sqrt(np.einsum("ij,ij->i", block, block))
    return norms


def usable_rows(norms: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Which rows have a direction, bool, (n_rows,): not those that are zero or not finite."""
    return np.isfinite(norms) & (norms > 0)


def unit_rows(rows: npt.NDArray[np.float32], norms: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Rows of length one, float64, in which no float32 overflows when squared; zero where one cannot be."""
    usable = usable_rows(norms)
    block = np.where(usable[:, None], rows, 0).astype(np.float64)
    return np.asarray(block / np.where(usable, norms, 1)[:, None], np.float64)


def unit_matrix(matrix: npt.NDArray[np.float32], norms: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    """All rows at length one, float32, a new array; made by blocks, so that one copy is all the memory."""
    unit = np.empty(matrix.shape, np.float32)
    for start in range(0, len(matrix), _ROWS_AT_ONCE):
        block = slice(start, start + _ROWS_AT_ONCE)
        unit[block] = unit_rows(matrix[block], norms[block])
    return unit


def cosines(
    matrix: npt.NDArray[np.float32], norms: npt.NDArray[np.float64], unit_query: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Cosine of every row with a query of length one; -inf for rows that are zero or not finite.

    Returns
    -------
    array, float64, (n_rows,)
    """
    usable = usable_rows(norms)
    with np.errstate(all="ignore"):
        scores = (matrix @ unit_query.astype(np.float32)) / norms
    # float32 products of such rows overflow or vanish; there are few or none.
    extreme = np.flatnonzero(usable & ((norms > 1e15) | (norms < 1e-15)))
    scores[extreme] = unit_rows(matrix[extreme], norms[extreme]) @ unit_query
    return np.where(usable, np.clip(scores, -1, 1), -np.inf)


def best_rows(scores: npt.NDArray[np.float64], k: int) -> list[int]:
    """Rows of the `k` highest scores, best first, ties in the order of rows; -inf is no score."""
    k = min(k, len(scores))
    # Rows as good as the last one stay in, so that ties at the end are decided by order and not by chance.
    candidates = np.flatnonzero((scores >= np.partition(scores, -k)[-k]) & (scores > -np.inf))
    best: list[int] = candidates[np.argsort(-scores[candidates], kind="stable")][:k].tolist()
    return best
