"""What a trained model says of pairs of words: the scores its objective saw, and the probabilities they stand for.

s = similarity of x and o as in training: product or cosine, plus the bias of o, over the temperature.  Each objective
pulls s to an optimum of its own, so that log P(o | x) is a log softmax over the vocabulary of s + shift of o:

    nce, sampled-softmax, in-batch, softmax    shift 0: the scores were corrected, or needed no correction
    sgns, infonce, sampled-softmax --no-logq   shift log E, E the expected count of o among the noise (K q)
    in-batch --no-logq                         shift log E, E = B p + K q

Where sgns and nce leave out noise that equals the positive (the default of sgns), s + shift is not log P but its log
odds log[P / (1 - P)], so the softmax is taken of log sigmoid(s + shift).  With hs the probability is the product of
the turns on the way to o.  bpr and margin define none.  Several positives at once, infonce without hits and
--allow-biased give an approximation.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from w2v.config import TrainConfig
from w2v.cosine import row_norms, unit_rows
from w2v.errors import ConfigError
from w2v.kernel.registry import LOSSES
from w2v.noise import expected_unique, keep_probabilities, noise_probabilities, positive_shares

if TYPE_CHECKING:
    from w2v.kernel.huffman import Tree

_ROWS_AT_ONCE = 4096  # widened to float64 at a time
_WITHOUT = {
    "bpr": "only the order of its scores is learned",
    "margin": "its scores are cosines with a margin, bounded by the scale",
}
Rows = int | Sequence[int]


@dataclass(frozen=True)
class Scorer:
    """Scores and log probabilities by row.

    Attributes
    ----------
    config : TrainConfig
        The options of the training.
    counts : int64 (n_words,)
    inputs, outputs : float32 (n_words, dim)
        With hs, the outputs are the inner nodes of the tree.
    bias : float32 (n_words,) or None
    temperature : float or None
        As it was after training; None for an objective without one.
    """

    config: TrainConfig
    counts: NDArray[np.int64]
    inputs: NDArray[np.float32]
    outputs: NDArray[np.float32]
    bias: NDArray[np.float32] | None
    temperature: float | None

    def scores(self, row: Rows, begin: int = 0, end: int | None = None) -> NDArray[np.float64]:
        """Scores of the input `row` with the words begin..end - 1 (default: all); with hs, their log P.

        Several rows stand for the mean of their vectors.

        Returns
        -------
        float64 (end - begin,)
        """
        end = len(self.counts) if end is None else end
        if self._is_tree:
            return self._along_paths(row, begin, end)
        return self._adjusted(row, np.arange(begin, end))

    def log_probabilities(self, row: Rows) -> NDArray[np.float64]:
        """log P(o | x) of all words, given the input `row`, or the mean of several; their exponentials sum to 1.

        Returns
        -------
        float64 (n_words,)

        Raises
        ------
        ConfigError
            When the objective defines no probabilities.
        """
        loss = self.config.loss
        if loss in _WITHOUT:
            raise ConfigError(f"--loss {loss} defines no probabilities: {_WITHOUT[loss]}; ask for scores")
        logits = self.scores(row)
        if self._is_tree:
            return logits
        logits += self._shift
        if LOSSES[loss].weighs_hits and self.config.accidental_hits == "remove":
            logits = _log_sigmoid(logits)
        logits -= logits.max()
        logits -= np.log(np.exp(logits).sum())
        return logits

    def _adjusted(self, row: Rows, columns: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
        """Similarities with some rows of `outputs`, biased and scaled as in training."""
        mean = self.inputs[np.atleast_1d(row)].mean(axis=0, keepdims=True)
        (vector,), scores = self._rows(mean), np.empty(len(columns))
        for start in range(0, len(columns), _ROWS_AT_ONCE):
            part = slice(start, start + _ROWS_AT_ONCE)
            scores[part] = self._rows(self.outputs[columns[part]]) @ vector
        if self.bias is not None:
            scores += self.bias[columns]
        scores *= (self.config.scale or 1.0) if self.temperature is None else 1 / self.temperature
        return scores

    def _rows(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """Rows as the similarity takes them: for cosines of length one, or zero."""
        return unit_rows(rows, row_norms(rows)) if self.config.similarity == "cosine" else rows.astype(np.float64)

    @property
    def _is_tree(self) -> bool:
        return LOSSES[self.config.loss].layout == "paths"

    @cached_property
    def _tree(self) -> "Tree":
        from w2v.kernel.huffman import huffman_tree

        return huffman_tree(self.counts)

    def _along_paths(self, row: Rows, begin: int, end: int) -> NDArray[np.float64]:
        """Log probabilities of the leaves begin..end - 1: sums of those of the turns."""
        starts = self._tree.starts[begin : end + 1]
        path = slice(starts[0], starts[-1])
        nodes, places = np.unique(self._tree.nodes[path], return_inverse=True)
        turns = self._adjusted(row, nodes)[places] * np.where(self._tree.lefts[path] > 0, 1.0, -1.0)
        sums: NDArray[np.float64] = np.add.reduceat(_log_sigmoid(turns), starts[:-1] - starts[0])
        return sums

    @cached_property
    def _shift(self) -> NDArray[np.float64]:
        """What the optimum of the scores lacks of log P, or of its log odds."""
        config, entry, n_words = self.config, LOSSES[self.config.loss], len(self.counts)
        if entry.layout == "words" or (entry.corrected and not config.no_logq):
            return np.zeros(n_words)
        expected = expected_noise(config, self.counts)
        if entry.layout == "in_batch":
            shares = positive_shares(self.counts, keep_probabilities(self.counts, config.sample or 0.0))
            expected = expected + (config.batch or 0) * shares
        logs: NDArray[np.float64] = np.log(expected)
        return logs


def expected_noise(config: TrainConfig, counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Expected count of each word among the noise of a window.

    For unique noise, 1 - (1 - q)^T with the T at which K words are to be expected in all.

    Returns
    -------
    float64 (n_words,)
    """
    negative = config.negative or 0
    probabilities = noise_probabilities(counts, config.noise, config.noise_power)
    if not config.unique:
        return negative * probabilities
    low, high = 0.0, float(negative)
    while expected_unique(probabilities, high).sum() < negative:
        low, high = high, 2 * high
    for _ in range(50):
        middle = (low + high) / 2
        if expected_unique(probabilities, middle).sum() < negative:
            low = middle
        else:
            high = middle
    return expected_unique(probabilities, high)


def _log_sigmoid(values: NDArray[np.float64]) -> NDArray[np.float64]:
    logs: NDArray[np.float64] = -np.logaddexp(0, -values)
    return logs
