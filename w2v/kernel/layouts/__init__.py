"""Layouts: which words are the rows and the columns of the next batch of scores.

A layout is a NamedTuple with `n_rows` and `n_out`, the most rows and columns of a batch, and `stride`, the most
elements from one row of scores to the next (padded(columns) where the columns of a batch vary), and two static methods
that Numba can compile:

    begin(layout, stretch, length, batch, noise, matrices, group, n_noise, width, state)
        get ready for a new stretch of `length` words; returns the random state
    advance(layout, stretch, length, batch, noise, matrices, group, n_noise, width, state)
        fill the next batch; returns rows (-1: the stretch is done), columns that are positives, columns, positive
        pairs, tries of the noise, random state

`group` and `n_noise` are compile-time constants.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from w2v.kernel.dispatch import by_type


class Batch(NamedTuple):
    """Where a layout writes: words of rows and columns, weights and labels (see `Pairs`), noise drawn ahead."""

    input_ids: NDArray[np.int32]
    output_ids: NDArray[np.int64]
    weights: NDArray[np.float32]
    labels: NDArray[np.float32]
    ring: NDArray[np.int64]
    ring_tries: NDArray[np.int64]


@by_type
def begin(
    layout: Any, stretch: Any, length: int, batch: Any, noise: Any, matrices: Any, group: int, n_noise: int,
    width: int, state: Any,
) -> Any:  # fmt: skip
    """Get ready for a new stretch of words; see above."""
    return layout.begin(layout, stretch, length, batch, noise, matrices, group, n_noise, width, state)


@by_type
def advance(
    layout: Any, stretch: Any, length: int, batch: Any, noise: Any, matrices: Any, group: int, n_noise: int,
    width: int, state: Any,
) -> Any:  # fmt: skip
    """Fill the next batch; see above."""
    return layout.advance(layout, stretch, length, batch, noise, matrices, group, n_noise, width, state)
