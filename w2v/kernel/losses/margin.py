"""Additive margin softmax (AM-softmax; Wang et al. 2018): the positive is to win by a margin of cosine.

    loss = -log softmax(scale * (cos_0 - m), scale * cos_1, ..., scale * cos_K) at 0

The scores are scale * cos already (`kernel.similarity`, temperature 1 / scale), so that the margin is a shift of the
positives; it does not change the derivatives.  With m = 0 this is InfoNCE with cosines and temperature 1 / scale.
"""

from typing import NamedTuple

import numpy as np

from w2v.kernel.dispatch import methods
from w2v.kernel.pairs import hide_hits
from w2v.kernel.rows import subtract_row
from w2v.kernel.softmax import noise_residual, noise_value


@methods(value=noise_value, residual=noise_residual)
class AdditiveMargin(NamedTuple):
    """AM-softmax; `shift` = scale * m; `remove_hits`: noise equal to the positive is left out."""

    remove_hits: bool
    shift: float

    @staticmethod
    def parameters(config, tables):
        return {"shift": np.float32(config.margin * config.scale)}

    @staticmethod
    def prepare(loss, scores, pairs, lanes):
        for k in range(pairs.stride):
            pairs.scratch[k] = loss.shift if k < pairs.n_positive else np.float32(0)
        subtract_row(scores, pairs.scratch, pairs.n_in, pairs.stride, lanes)
        if loss.remove_hits:
            hide_hits(scores, pairs)
