"""The vector code of `w2v.kernel.simd` in NumPy, for runs without a compiler (NUMBA_DISABLE_JIT=1).

Thousands of times slower; with it a debugger or a coverage tool can step through the kernel.
"""

from typing import Any

import numpy as np

from w2v.kernel.emit import LARGEST_EXPONENT
from w2v.kernel.target import LANES, score_stride


def dots(inputs, input_ids, n_in, outputs, output_ids, scores, width, n_out):
    stride = score_stride(n_out)
    rows = scores[: n_in * stride].reshape(n_in, stride)
    rows[:] = 0
    rows[:, :n_out] = inputs[input_ids[:n_in], :width] @ outputs[output_ids[:n_out], :width].T


def update(inputs, input_ids, n_in, outputs, output_ids, residual, width, n_out):
    stride = score_stride(n_out)
    steps = residual[: n_in * stride].reshape(n_in, stride)[:, :n_out]
    input_deltas = steps @ outputs[output_ids[:n_out], :width]
    output_deltas = steps.T @ inputs[input_ids[:n_in], :width]
    np.add.at(inputs[:, :width], input_ids[:n_in], input_deltas)
    np.add.at(outputs[:, :width], output_ids[:n_out], output_deltas)


def prefetch(matrix: Any, row: int, width: int) -> None:
    """There is nothing to ask for."""


def logistic_residual(scores, weights, labels, n, lr):
    n = -(-n // LANES) * LANES
    probability = 1 / (1 + np.exp(-np.clip(scores[:n], -LARGEST_EXPONENT, LARGEST_EXPONENT)))
    scores[:n] = lr * weights[:n] * (labels[:n] - probability)


def load_8_bytes(array, index):
    return array[index : index + 8].view(np.uint64)[0]


def store_8_bytes(array, index, value):
    array[index : index + 8].view(np.uint64)[0] = value


def trailing_zeros(bits):
    return (int(bits) & -int(bits)).bit_length() - 1 if bits else 64


def prefetch_element(array: Any, index: int) -> None:
    """There is nothing to ask for."""
