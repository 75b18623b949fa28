"""The two softmaxes of the contrastive losses, and their derivatives.

Against noise: each positive pair competes with the noise alone, although a row may have several positives:

    loss = sum over positives j of  log(e^{s_j} + N) - s_j,    N = sum over noise k of e^{s_k}
    -d loss / d s_j = N / (e^{s_j} + N)          -d loss / d s_k = -e^{s_k} sum_j 1 / (e^{s_j} + N)

Whole row: all columns compete, and the label is spread over them with weights w, W = sum w:

    loss = W log sum_k e^{s_k} - sum_k w_k s_k   -d loss / d s_k = w_k - W e^{s_k} / sum_l e^{s_l}

A row's exponents are taken relative to its largest score, so that none overflows.
"""

import math

import numpy as np

from w2v.kernel.jit import inline
from w2v.kernel.maths import softplus
from w2v.kernel.rows import exponentiate, largest
from w2v.kernel.short_rows import short_rows_against_noise


@inline()
def against_noise_residual(scores, pairs, lr, lanes):
    """Scores become -lr times the derivative; all noise of a row counts, so what was removed must be hidden."""
    n_positive, n_out = pairs.n_positive, pairs.n_out
    if pairs.stride == lanes:
        short_rows_against_noise(scores, pairs.weights, pairs.n_in * lanes, n_positive, n_out, lr, lanes)
        return
    for row in range(0, pairs.n_in * pairs.stride, pairs.stride):
        shift = largest(scores, row, n_positive, n_out, lanes)
        noise = exponentiate(scores, row, n_positive, n_out, shift, lanes)
        shares = np.float32(0)
        for at in range(row, row + n_positive):
            share = pairs.weights[at] / (scores[at] + noise)
            shares += share
            scores[at] = lr * noise * share
        factor = -lr * shares
        for at in range(row + n_positive, row + n_out):
            scores[at] *= factor
        for at in range(row + n_out, row + pairs.stride):
            scores[at] = 0


@inline()
def log_sum_exp(scores, first, last):
    """log of the sum of exp(scores[first:last]), float64; -inf for none."""
    top = -np.inf
    for at in range(first, last):
        top = max(top, np.float64(scores[at]))
    total = 0.0
    for at in range(first, last):
        total += math.exp(np.float64(scores[at]) - top)
    return top + math.log(total) if last > first else top


@inline()
def against_noise_value(scores, pairs):
    """The loss summed over positive pairs, float64."""
    total = 0.0
    for row in range(0, pairs.n_in * pairs.stride, pairs.stride):
        noise = log_sum_exp(scores, row + pairs.n_positive, row + pairs.n_out)
        for at in range(row, row + pairs.n_positive):
            if pairs.weights[at] > 0:
                total += pairs.weights[at] * softplus(noise - np.float64(scores[at]))
    return total


@inline()
def whole_row_residual(scores, weights, n_rows, n_out, stride, lr, lanes):
    """Scores of `n_rows` rows become -lr times the derivative."""
    for row in range(0, n_rows * stride, stride):
        shift = largest(scores, row, 0, n_out, lanes)
        total = exponentiate(scores, row, 0, n_out, shift, lanes)
        label = np.float32(0)
        for at in range(row, row + n_out):
            label += weights[at]
        factor = lr * label / total
        for at in range(row, row + n_out):
            scores[at] = lr * weights[at] - factor * scores[at]
        for at in range(row + n_out, row + stride):
            scores[at] = 0


@inline()
def whole_row_value(scores, weights, n_rows, n_out, stride):
    """The loss summed over rows, float64."""
    total = 0.0
    for row in range(0, n_rows * stride, stride):
        label = 0.0
        for at in range(row, row + n_out):
            if weights[at] > 0:
                label += weights[at]
                total -= weights[at] * np.float64(scores[at])
        total += label * log_sum_exp(scores, row, row + n_out)
    return total


def noise_value(loss, scores, pairs):
    """Each positive against the noise: the loss as a method."""
    return against_noise_value(scores, pairs)


def noise_residual(loss, scores, pairs, lr, lanes):
    """The residual of `noise_value`."""
    against_noise_residual(scores, pairs, lr, lanes)


def row_value(loss, scores, pairs):
    """All columns of a row at once: the loss as a method."""
    return whole_row_value(scores, pairs.weights, pairs.n_in, pairs.n_out, pairs.stride)


def row_residual(loss, scores, pairs, lr, lanes):
    """The residual of `row_value`."""
    whole_row_residual(scores, pairs.weights, pairs.n_in, pairs.n_out, pairs.stride, lr, lanes)


def sampled_value(loss, scores, pairs):
    """Each positive against the noise, or all columns at once; summed over positive pairs."""
    if loss.at_once:
        return whole_row_value(scores, pairs.weights, pairs.n_in, pairs.n_out, pairs.stride) * pairs.n_positive
    return against_noise_value(scores, pairs)


def sampled_residual(loss, scores, pairs, lr, lanes):
    """The residual of `sampled_value`, but for the loss of a row with several positives being their mean."""
    if loss.at_once:
        whole_row_residual(scores, pairs.weights, pairs.n_in, pairs.n_out, pairs.stride, lr, lanes)
    else:
        against_noise_residual(scores, pairs, lr, lanes)
