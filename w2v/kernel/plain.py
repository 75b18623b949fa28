"""The vector code of the kernel in NumPy, for runs without a compiler (NUMBA_DISABLE_JIT=1).

Thousands of times slower; with it a debugger or a coverage tool can step through the kernel.
"""

from typing import Any

import numpy as np

from w2v.kernel.emit import LARGEST_EXPONENT, LOWEST, SMALLEST_NORM
from w2v.kernel.target import LANES, padded, score_stride


def dots(inputs, input_ids, n_in, outputs, output_ids, scores, width, n_out):
    stride = score_stride(n_out)
    rows = scores[: n_in * stride].reshape(n_in, stride)
    rows[:] = 0
    rows[:, :n_out] = inputs[input_ids[:n_in], :width] @ outputs[output_ids[:n_out], :width].T


def update(inputs, input_ids, n_in, outputs, output_ids, residual, width, n_out):
    stride = score_stride(n_out)
    steps = residual[: n_in * stride].reshape(n_in, stride)[:, :n_out]
    _add_products(inputs, input_ids[:n_in], outputs, output_ids[:n_out], steps, width)


def _add_products(inputs, input_ids, outputs, output_ids, steps, width):
    input_deltas = steps @ outputs[output_ids, :width]
    output_deltas = steps.T @ inputs[input_ids, :width]
    np.add.at(inputs[:, :width], input_ids, input_deltas)
    np.add.at(outputs[:, :width], output_ids, output_deltas)


def prefetch(matrix: Any, row: int, width: int) -> None:
    """There is nothing to ask for."""


def add_row(target, i, source, k, factor, width):
    target[i, :width] += factor * source[k, :width]


def inverse_norms(matrix, ids, n, factors, width):
    norms = np.sqrt((matrix[ids[:n], :width] ** 2).sum(1))
    factors[:n] = 1 / np.maximum(norms, SMALLEST_NORM)


def restore_norms(matrix, ids, n, factors, width):
    for i in range(n):
        row = matrix[ids[i], :width]
        row /= max(np.sqrt((row * row).sum()), SMALLEST_NORM) * factors[i]


def sigmoid(x):
    return 1 / (1 + np.exp(-np.clip(x, -LARGEST_EXPONENT, LARGEST_EXPONENT)))


def sigmoids(array, begin, first, last, shift, target, lanes):
    end = -(-last // lanes) * lanes
    target[:end] = sigmoid(array[begin : begin + end] - shift)
    return target[first:last].sum()


def short_rows_against_noise(scores, weights, n, n_positive, n_out, lr, stride):
    for row in range(0, n, stride):
        noise = slice(row + n_positive, row + n_out)
        shift = scores[noise].max()
        powers = np.exp(np.clip(scores[row : row + n_out] - shift, -LARGEST_EXPONENT, LARGEST_EXPONENT))
        total = powers[n_positive:].sum()
        shares = weights[row : row + n_positive] / (powers[:n_positive] + total)
        scores[row : row + n_positive] = lr * total * shares
        scores[noise] = -lr * shares.sum() * powers[n_positive:]
        scores[row + n_out : row + stride] = 0


def short_rows_pairwise(scores, weights, n, n_positive, n_out, lr, stride):
    for row in range(0, n, stride):
        steps = np.zeros(stride)
        for j in range(n_positive):
            lost = lr * weights[row + j] * sigmoid(scores[row + n_positive : row + n_out] - scores[row + j])
            steps[j] = lost.sum()
            steps[n_positive:n_out] -= lost
        scores[row : row + stride] = steps


def subtract_row(scores, shifts, n_rows, stride, lanes):
    rows = scores[: n_rows * stride].reshape(n_rows, stride)
    rows -= shifts[:stride]


def repeat_row(array, n_rows, stride):
    array[: n_rows * stride].reshape(n_rows, stride)[:] = array[:stride]


def multiply_all(scores, factor, n):
    scores[: -(-n // LANES) * LANES] *= factor


def logistic_residual(scores, weights, labels, n, lr):
    n = -(-n // LANES) * LANES
    scores[:n] = lr * weights[:n] * (labels[:n] - sigmoid(scores[:n]))


def dots_tiled(inputs, input_ids, n_in, outputs, output_ids, n_out, scores, width):
    stride = padded(n_out)
    rows = scores[: n_in * stride].reshape(n_in, stride)
    rows[:] = inputs[input_ids[:n_in], :width] @ outputs[output_ids[:stride], :width].T


def update_tiled(inputs, input_ids, n_in, outputs, output_ids, n_out, residual, deltas, width):
    steps = residual[: n_in * padded(n_out)].reshape(n_in, padded(n_out))[:, :n_out]
    _add_products(inputs, input_ids[:n_in], outputs, output_ids[:n_out], steps, width)


def largest(array, begin, first, last, lanes):
    return array[begin + first : begin + last].max(initial=LOWEST)


def exponentiate(array, begin, first, last, shift, lanes):
    row = array[begin : begin - (-last // lanes) * lanes]
    row[:] = np.exp(np.clip(row - shift, -LARGEST_EXPONENT, LARGEST_EXPONENT))
    return row[first:last].sum()


def load_8_bytes(array, index):
    return array[index : index + 8].view(np.uint64)[0]


def store_8_bytes(array, index, value):
    array[index : index + 8].view(np.uint64)[0] = value


def trailing_zeros(bits):
    return (int(bits) & -int(bits)).bit_length() - 1 if bits else 64


def prefetch_element(array: Any, index: int) -> None:
    """There is nothing to ask for."""
