"""Scalar functions of scores, for the reported loss."""

import math

import numpy as np

from w2v.kernel.jit import inline


@inline()
def softplus(x):
    """log(1 + exp(x)) in float64; -log sigmoid(s) = softplus(-s)."""
    x = np.float64(x)
    return np.float64(max(x, 0.0) + math.log1p(math.exp(-abs(x))))  # else a sum in Python would become float32
