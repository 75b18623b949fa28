"""The exact softmax over the vocabulary: what all sampled objectives stand in for.

    loss = -log softmax(s over all words) at the word predicted,    -d loss / d s_k = [k is it] - softmax(s)_k

Optimum: softmax(s) = P(o | x).  Each pair costs as many scores as there are words.
"""

from typing import NamedTuple

from w2v.kernel.softmax import whole_row_residual, whole_row_value


class Softmax(NamedTuple):
    """Softmax over `n_words` columns."""

    n_words: int

    @classmethod
    def create(cls, config, tables):
        return cls(tables.n_words)

    @staticmethod
    def prepare(loss, scores, pairs, lanes):
        """There is neither noise nor a correction."""

    @staticmethod
    def value(loss, scores, pairs):
        return whole_row_value(scores, pairs.weights, pairs.n_in, pairs.n_out, pairs.stride)

    @staticmethod
    def residual(loss, scores, pairs, lr, lanes):
        whole_row_residual(scores, pairs.weights, pairs.n_in, pairs.n_out, pairs.stride, lr, lanes)
