"""What a row of scores stands for: a context word (skip-gram), or the mean of a centre's context words (CBOW)."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from w2v.kernel.dispatch import by_type
from w2v.kernel.single_rows import add_row


class SkipGram(NamedTuple):
    """Each context word is a row of its own."""

    @staticmethod
    def gather(architecture, inputs, batch, n_in, n_pairs, group, n_noise, stride, width):
        return inputs, batch.input_ids, n_in, n_pairs

    @staticmethod
    def scatter(architecture, inputs, batch, n_in, group, stride, width):
        return None


class ContinuousBagOfWords(NamedTuple):
    """One row a centre, the mean of its context words.

    Each context word gets the whole delta of the mean, as in word2vec.c, or with `divided` its n-th part, which is
    the gradient.

    Attributes
    ----------
    hidden : float32 (2 * group, width)
        The means, then the means as they were.
    members : float32 (n_rows, group)
        1 where a context word belongs to a centre.
    sizes : int64 (group,)
        Context words of each centre.
    ids : int32 (group,), 0, 1, ...
    """

    hidden: NDArray[np.float32]
    members: NDArray[np.float32]
    sizes: NDArray[np.int64]
    ids: NDArray[np.int32]
    divided: bool

    @staticmethod
    def gather(architecture, inputs, batch, n_in, n_pairs, group, n_noise, stride, width):
        hidden, n_full = architecture.hidden, 0
        for j in range(group):
            n = 0
            for i in range(n_in):
                architecture.members[i, j] = 1 if group == 1 else batch.weights[i * stride + j]
                n += np.int64(architecture.members[i, j] > 0)
            architecture.sizes[j] = n
            n_full += np.int64(n > 0)
            hidden[j] = 0
            hidden[group + j] = 0
            for i in range(n_in):
                if architecture.members[i, j] > 0:
                    add_row(hidden, j, inputs, np.int64(batch.input_ids[i]), np.float32(1 / n), width)
            add_row(hidden, group + j, hidden, j, np.float32(1), width)
        if group > 1:
            for j in range(group):
                for k in range(group + n_noise):
                    batch.weights[j * stride + k] = np.float32(architecture.sizes[j] > 0 and (k == j or k >= group))
        return hidden, architecture.ids, group if n_full else 0, n_full

    @staticmethod
    def scatter(architecture, inputs, batch, n_in, group, stride, width):
        hidden = architecture.hidden
        for j in range(group):
            share = np.float32(1 / max(architecture.sizes[j], 1)) if architecture.divided else np.float32(1)
            add_row(hidden, j, hidden, group + j, np.float32(-1), width)
            for i in range(n_in):
                if architecture.members[i, j] > 0:
                    add_row(inputs, np.int64(batch.input_ids[i]), hidden, j, share, width)


@by_type
def gather(
    architecture: Any, inputs: Any, batch: Any, n_in: int, n_pairs: int, group: int, n_noise: int, stride: int,
    width: int,
) -> Any:  # fmt: skip
    """Matrix, ids and number of the rows of scores, and of positive pairs; weights are made to fit the rows."""
    return architecture.gather(architecture, inputs, batch, n_in, n_pairs, group, n_noise, stride, width)


@by_type
def scatter(architecture: Any, inputs: Any, batch: Any, n_in: int, group: int, stride: int, width: int) -> None:
    """Hand on to the context words what the rows have learnt."""
    architecture.scatter(architecture, inputs, batch, n_in, group, stride, width)
