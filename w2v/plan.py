"""From options and counts to what the sweep is given: which layout, loss, similarity, noise and correction."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from w2v.config import TrainConfig
from w2v.errors import ConfigError
from w2v.kernel.architecture import ContinuousBagOfWords, SkipGram
from w2v.kernel.huffman import huffman_tree
from w2v.kernel.layouts.in_batch import InBatch
from w2v.kernel.layouts.paths import Paths
from w2v.kernel.layouts.positives import Positives
from w2v.kernel.layouts.windows import Windows
from w2v.kernel.layouts.words import Words
from w2v.kernel.losses import make_loss
from w2v.kernel.registry import LOSSES as ENTRIES
from w2v.kernel.sampling import ExpectedCounts, ExpectedUnique, Replacement, Uncorrected, Unique
from w2v.kernel.similarity import Adjusted, Dot
from w2v.kernel.streaming import make_streaming_counts
from w2v.kernel.sweep import LINE_STEP_ROWS, STEP_ROWS, Plan, Sizes, Work, aligned_zeros, make_work
from w2v.kernel.target import LANES, padded, score_stride
from w2v.noise import (
    alias_slots,
    expected_unique,
    keep_probabilities,
    keep_thresholds,
    log_others,
    noise_probabilities,
    positive_shares,
)
from w2v.objective import too_few_words

SOFTMAX_LIMIT = 20_000  # words; beyond, one pair costs millions of products
MOST_TRIES = 50  # for one word of unique noise, in the mean


class Tables(NamedTuple):
    """What a loss may want to know of the corpus.

    `log_expected_inputs`, float32 (n_words,), is of the count of a word among the inputs of a batch; 0 without
    correction.
    """

    log_expected_inputs: NDArray[np.float32]


@dataclass
class Parameters:
    """What is learned beside the vectors: `log_scale`, the log of 1 / temperature, float64 (1,), and output biases.

    `bias`, float32 (n_words,) or (0,), is in units of the score.
    """

    bias: NDArray[np.float32]
    log_scale: NDArray[np.float64]

    @property
    def temperature(self) -> float:
        """By which similarities are divided."""
        return float(np.exp(-self.log_scale[0]))

    def output_bias(self) -> NDArray[np.float32]:
        """The biases in units of the similarity: score = (similarity + bias) / temperature."""
        return (self.bias * self.temperature).astype(np.float32)


class Planner:
    """Makes the plan and the memory of each worker.

    Parameters
    ----------
    config : TrainConfig
    counts : int64 (n_words,)
    longest : tokens of the longest sentence
    longest_block : ids of the longest block

    Raises
    ------
    ConfigError
        When an option does not suit the size of the vocabulary.
    """

    def __init__(self, config: TrainConfig, counts: NDArray[np.int64], longest: int, longest_block: int) -> None:
        self.config, self.entry, self.n_words, self.longest = config, ENTRIES[config.loss], len(counts), longest
        self._check_vocabulary()
        keep = keep_probabilities(counts, config.sample or 0.0)
        self._keep, self._shares = keep_thresholds(keep), positive_shares(counts, keep)
        self._noise = noise_probabilities(counts, config.noise, config.noise_power)
        self._check_unique()
        self._slots = alias_slots(self._noise)
        expected = np.ones(self.n_words) if config.no_logq else (config.batch or 1) * self._shares
        self._loss = make_loss(config, Tables(np.log(expected).astype(np.float32)))
        self._radius = min(config.window_radius, longest)
        self._tree = huffman_tree(counts) if self.entry.layout == "paths" else None
        negative = config.negative or 0
        self.group = config.share_noise
        whole_block = int(self.entry.layout == "in_batch")
        is_static = self.entry.layout == "windows" and not config.multi_positive
        self.sizes = Sizes(padded(config.dim), self.group, negative, self.group + negative if is_static else 0,
                           whole_block)  # fmt: skip
        self._capacity = longest_block if whole_block else longest
        scale = config.scale or 1 / (config.temperature or 1.0)
        self.parameters = Parameters(
            np.zeros(self.n_words if config.bias else 0, np.float32), np.full(1, np.log(scale), np.float64)
        )

    def _check_vocabulary(self) -> None:
        config, n_words = self.config, self.n_words
        if self.entry.layout == "words" and n_words > SOFTMAX_LIMIT:
            raise ConfigError(
                f"--loss {config.loss}: a vocabulary of {n_words} words is too large for the exact softmax, at most "
                f"{SOFTMAX_LIMIT}; lower --max-vocab, or take sampled-softmax"
            )
        reason = too_few_words(config, n_words)
        if reason:
            raise ConfigError(reason)

    def _check_unique(self) -> None:
        negative = self.config.negative or 0
        if self.config.unique and expected_unique(self._noise, negative * MOST_TRIES).sum() < negative:
            raise ConfigError(
                f"--unique: few words carry nearly all of the noise, and {negative} different ones would take more "
                f"than {MOST_TRIES} tries each; lower --negative, draw with replacement, or lower --noise-power"
            )

    def plan(self, worker: int) -> tuple[Plan, Work]:
        """The plan of a worker, and memory for it."""
        layout = self._layout()
        work = make_work(layout, self.sizes, self._capacity, getattr(layout, "n_labelled", layout.n_rows))
        sampler = Unique if self.config.unique else Replacement
        plan = Plan(layout, self._architecture(layout), self._similarity(layout, work), sampler(self._slots),
                    self._correction(worker), self._loss, self._keep)  # fmt: skip
        return plan, work

    def _layout(self) -> Any:
        config, negative = self.config, self.sizes.n_noise
        from_centre = config.direction == "context-from-centre"
        reach = min(self.longest, 2 * self._radius + self.group)
        step = LINE_STEP_ROWS if config.window == "line" else STEP_ROWS
        n_rows = reach if config.architecture == "cbow" else min(reach, step)
        if self.entry.layout == "in_batch":
            size = config.batch or 0
            return InBatch(size, size + negative, padded(size + negative), from_centre, np.zeros(size, np.int64),
                           np.zeros(size, np.int64))  # fmt: skip
        if self.entry.layout == "words":
            n_labelled = 1 if config.architecture == "cbow" else n_rows
            return Words(n_rows, self.n_words, padded(self.n_words), self._radius, from_centre, n_labelled)
        if self._tree is not None:
            most = self._tree.longest
            return Paths(n_rows, most, padded(most), self._radius, from_centre, *self._tree)
        if config.multi_positive:
            return Positives(n_rows, n_rows + negative, padded(n_rows + negative), self._radius, False)
        n_out = self.sizes.n_out
        return Windows(n_rows, n_out, score_stride(n_out), self._radius, from_centre)

    def _architecture(self, layout: Any) -> Any:
        if self.config.architecture == "skipgram":
            return SkipGram()
        return ContinuousBagOfWords(
            aligned_zeros(2 * self.group * self.sizes.width, np.float32).reshape(2 * self.group, -1),
            np.zeros((layout.n_rows + 1, self.group), np.float32),
            np.zeros(self.group, np.int64),
            np.arange(self.group, dtype=np.int32),
            self.config.cbow_normalize,
        )

    def _similarity(self, layout: Any, work: Work) -> Any:
        config, parameters = self.config, self.parameters
        cosine = config.similarity == "cosine"
        if not (cosine or config.bias or config.learn_temperature or parameters.log_scale[0]):
            return Dot()
        rows = max(layout.n_rows, self.group) + LANES
        unit = config.architecture == "skipgram"  # the mean of unit vectors is none
        return Adjusted(parameters.bias, parameters.log_scale, cosine, config.learn_temperature, unit,
                        aligned_zeros(work.scores.size, np.float32), np.ones(rows, np.float32),
                        np.ones(layout.stride, np.float32))  # fmt: skip

    def _correction(self, worker: int) -> Any:
        """What expected counts are taken from: the noise, or the text and the noise of a batch."""
        config = self.config
        if not self.entry.corrected or config.no_logq:
            return Uncorrected()
        if config.unique:
            return ExpectedUnique(log_others(self._noise))
        expected = (config.negative or 0) * self._noise
        if self.entry.layout == "in_batch":
            batch = config.batch or 0
            if config.frequency_estimate == "streaming":
                return make_streaming_counts(self.n_words, batch, expected, config.seed + worker)
            expected = batch * self._shares + expected
        return ExpectedCounts(np.log(expected).astype(np.float32))
