"""Similarity of a row and a column, and the parameters that are no rows: output biases and the temperature.

    s = (x . o  or  cos(x, o)) * scale + bias of o,    scale = 1 / temperature = exp(log_scale)

With R = -lr * d loss / d s, what is added per step follows from the chain rule; c = cos(x, o):

    bias of o    sum over rows of R
    log_scale    sum of R * scale * (x . o or c), per label
    x            sum over columns of R * scale * (o / |o| - c x / |x|) / |x|,   and likewise o

A bias counts in units of the score here, so that neither its step nor what the step does depends on the scale.  In
units of the similarity, s = (x . o + bias) * scale, a large scale would make biases swing, and the noise of their
steps would push a learned scale towards 0.

The last is at right angles to x, so that to the first order the norm of x does not change.  The part along x, -c x,
is therefore taken off by giving each row back its norm after the update; taken off by itself, large steps would make
rows grow without bound, and what is long hardly turns any more.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from w2v.kernel.dispatch import by_type
from w2v.kernel.jit import inline
from w2v.kernel.rows import multiply_all
from w2v.kernel.single_rows import inverse_norms, restore_norms

LARGEST_SCALE = 100.0  # that of CLIP (Radford et al. 2021)


class Dot(NamedTuple):
    """The plain product; there are no parameters."""

    @staticmethod
    def before(similarity, inputs, input_ids, outputs, pairs, scores, width):
        return None

    @staticmethod
    def after(similarity, pairs, scores):
        return None

    @staticmethod
    def finish(similarity, inputs, input_ids, outputs, pairs, width):
        return None


class Adjusted(NamedTuple):
    """Product or cosine, with biases and a scale.

    Attributes
    ----------
    bias : float32 (n_words,), or (0,) for none
    log_scale : float64 (1,)
    cosine, learn_scale : bool
    unit : bool
        Whether all rows have length 1, and keep it, so that a product is a cosine; factors are then 1.
    plain : float32, as long as the scores
        The similarities before scale and bias, where the scale is learned.
    input_factors : float32 (n_in,), output_factors : float32 (n_out,)
        1 / norm of each row and column.
    """

    bias: NDArray[np.float32]
    log_scale: NDArray[np.float64]
    cosine: bool
    learn_scale: bool
    unit: bool
    plain: NDArray[np.float32]
    input_factors: NDArray[np.float32]
    output_factors: NDArray[np.float32]

    @staticmethod
    def before(similarity, inputs, input_ids, outputs, pairs, scores, width):
        n = pairs.n_in * pairs.stride
        if similarity.cosine and not similarity.unit:
            inverse_norms(inputs, input_ids, pairs.n_in, similarity.input_factors, width)
            inverse_norms(outputs, pairs.output_ids, pairs.n_out, similarity.output_factors, width)
            multiply(scores, similarity, pairs)
        if similarity.learn_scale:
            for at in range(n):
                similarity.plain[at] = scores[at]
        multiply_all(scores, np.float32(math.exp(similarity.log_scale[0])), n)
        if similarity.bias.size:
            add_biases(similarity, pairs, scores)

    @staticmethod
    def after(similarity, pairs, scores):
        n = pairs.n_in * pairs.stride
        if similarity.bias.size:
            move_biases(similarity, pairs, scores)
        multiply_all(scores, np.float32(math.exp(similarity.log_scale[0])), n)
        if similarity.learn_scale:
            rise = 0.0
            for at in range(n):
                rise += scores[at] * similarity.plain[at]
            limit = math.log(LARGEST_SCALE)
            similarity.log_scale[0] = max(-limit, min(limit, similarity.log_scale[0] + rise / labels(pairs)))
        if similarity.cosine and not similarity.unit:
            multiply(scores, similarity, pairs)

    @staticmethod
    def finish(similarity, inputs, input_ids, outputs, pairs, width):
        if similarity.cosine:
            restore_norms(inputs, input_ids, pairs.n_in, similarity.input_factors, width)
            restore_norms(outputs, pairs.output_ids, pairs.n_out, similarity.output_factors, width)


@inline()
def labels(pairs):
    """How many labels a batch has: one a positive pair, or one a row of several positives at once; at least 1."""
    total = 0.0
    for row in range(0, pairs.n_in * pairs.stride, pairs.stride):
        for at in range(row, row + pairs.n_positive):
            total += pairs.weights[at]
    return max(total, 1.0)


@inline()
def add_biases(similarity, pairs, scores):
    for row in range(0, pairs.n_in * pairs.stride, pairs.stride):
        for k in range(pairs.n_out):
            scores[row + k] += similarity.bias[pairs.output_ids[k]]


@inline()
def move_biases(similarity, pairs, scores):
    """Each bias gains the residuals of its column."""
    for k in range(pairs.n_out):
        total = np.float32(0)
        for at in range(k, pairs.n_in * pairs.stride + k, pairs.stride):
            total += scores[at]
        similarity.bias[pairs.output_ids[k]] += total


@inline()
def multiply(scores, similarity, pairs):
    """Each score times the factors of its row and its column."""
    for i in range(pairs.n_in):
        for k in range(pairs.n_out):
            scores[i * pairs.stride + k] *= similarity.input_factors[i] * similarity.output_factors[k]


@by_type
def before(similarity: Any, inputs: Any, input_ids: Any, outputs: Any, pairs: Any, scores: Any, width: int) -> None:
    """Make of the products what the loss calls scores."""
    similarity.before(similarity, inputs, input_ids, outputs, pairs, scores, width)


@by_type
def after(similarity: Any, pairs: Any, scores: Any) -> None:
    """Move the parameters, and make of the loss's residual that of the products."""
    similarity.after(similarity, pairs, scores)


@by_type
def finish(similarity: Any, inputs: Any, input_ids: Any, outputs: Any, pairs: Any, width: int) -> None:
    """What is left to do when the rows have been updated."""
    similarity.finish(similarity, inputs, input_ids, outputs, pairs, width)
