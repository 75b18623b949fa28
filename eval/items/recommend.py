"""What to recommend behind given items: by vectors, by what occurs together, by what is popular."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from w2v.errors import ConfigError, needing
from w2v.eval.items.lines import UNKNOWN, Lines, Rows
from w2v.kernel.registry import LOSSES
from w2v.model import Model
from w2v.vectors import Vectors

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Scores = NDArray[np.floating[Any]]
# Given items, int64 (n, n_given), UNKNOWN where there is none -> scores of all items, (n, n_items), a new array; -inf
# for an item that cannot be recommended.
Recommender = Callable[[Rows], Scores]


def by_cosine(vectors: Vectors) -> Recommender:
    """Rank by the cosine of an item's vector and the mean of the given items' unit vectors."""
    unit = vectors.normalized()
    unusable = ~unit.any(axis=1)

    def scores(given: Rows) -> Scores:
        # Two given items are equally near to their mean: rounding must not put them in an order.
        found = np.round(_mean(unit, given) @ unit.T, 6)
        found[:, unusable] = -np.inf
        return found

    return scores


def by_output(model: Model) -> Recommender:
    """Rank by the score of the objective: mean of the given items' input vectors · output vector, plus bias.

    Raises
    ------
    ConfigError
        With hs, whose outputs are not items.
    """
    if LOSSES[model.config.loss].layout == "paths":
        raise ConfigError(f"--score output: --loss {model.config.loss} has nodes of a tree for outputs, not items; "
                          "give --score cosine")  # fmt: skip
    inputs, outputs = model.input_vectors, model.output_vectors
    if model.config.similarity == "cosine":
        inputs, outputs = model.vectors.normalized(), model.output.normalized()

    def scores(given: Rows) -> Scores:
        found = _mean(inputs, given) @ outputs.T
        return found if model.output_bias is None else found + model.output_bias

    return scores


def _mean(matrix: NDArray[np.float32], given: Rows) -> NDArray[np.float32]:
    total = np.zeros((len(given), matrix.shape[1]), np.float32)
    if len(given) < given.shape[1]:  # a long history has many items, and most of them several times
        for line, items in zip(total, given, strict=True):
            rows, counts = np.unique(items[items != UNKNOWN], return_counts=True)
            line[:] = counts.astype(np.float32) @ matrix[rows]
    else:
        for items in given.T:
            known = items != UNKNOWN
            total[known] += matrix[items[known]]
    total /= np.maximum((given != UNKNOWN).sum(axis=1), 1)[:, None]
    return total


def by_popularity(counts: Rows) -> Recommender:
    """Rank by count, whatever is given."""
    order = _places(counts)
    return lambda given: np.tile(-order, (len(given), 1))


def by_co_occurrence(lines: Lines, n_items: int) -> Recommender:
    """Rank by how often an item stands on a line with a given one; where that is equal, by popularity.

    Each pair of two places of a line counts once; an item that stands there twice goes with itself.  With several
    items given their counts are summed.

    Raises
    ------
    MissingPackageError
        When SciPy is not installed.
    """
    with needing("co-occurrence", "SciPy"):
        from scipy.sparse import csr_array

    known = lines.rows != UNKNOWN
    shape = (int(lines.line[-1]) + 1, n_items)
    on_lines = csr_array((np.ones(int(known.sum())), (lines.line[known], lines.rows[known])), shape=shape)
    on_lines.sum_duplicates()
    counts = on_lines.sum(axis=0)
    tie_break = -_places(counts) / (n_items + 1)
    by_item = on_lines.T.tocsr()

    def scores(given: Rows) -> Scores:
        chosen = _indicator(given, n_items)
        # A place does not go with itself.
        pairs = (chosen @ by_item) @ on_lines - chosen * counts
        return np.asarray(pairs.toarray() + tie_break)

    return scores


def _indicator(given: Rows, n_items: int) -> "csr_array":
    from scipy.sparse import csr_array

    line, place = np.nonzero(given != UNKNOWN)
    return csr_array((np.ones(len(line)), (line, given[line, place])), shape=(len(given), n_items))


def _places(counts: Rows) -> Scores:
    """Place of each item in the order of falling counts, from 0; equal counts in the order of rows."""
    places = np.empty(len(counts))
    places[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    return places
