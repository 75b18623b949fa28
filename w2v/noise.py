"""Which words are drawn as noise, and how often frequent words are kept."""

import numpy as np
from numpy.typing import NDArray

from w2v.errors import CorpusError
from w2v.kernel.alias import build_alias

FULL = 2**32
LOWEST_LOGARITHM = -600.0  # of a weight, relative to the largest


def unigram_probabilities(counts: NDArray[np.int64], power: float) -> NDArray[np.float64]:
    """Noise distribution q(w) proportional to count(w)^power.

    Parameters
    ----------
    counts : int64 (n_words,), all at least 1
    power : any finite number; 1 is the unigram share, 0 is uniform, negative favours rare words

    Returns
    -------
    float64 (n_words,), sums to 1
    """
    logarithms = power * np.log(counts.astype(np.float64))
    # No overflow for any power, and no 0: expected counts have a logarithm.
    weights: NDArray[np.float64] = np.exp(np.maximum(logarithms - logarithms.max(), LOWEST_LOGARITHM))
    weights /= weights.sum()
    return weights


def log_uniform_probabilities(n_words: int) -> NDArray[np.float64]:
    """P(rank) = log((rank + 2) / (rank + 1)) / log(n_words + 1), ranks from 0 in the order of falling counts.

    A Zipfian guess that needs no counts (TensorFlow's log-uniform sampler).

    Returns
    -------
    float64 (n_words,), sums to 1
    """
    ranks = np.arange(n_words)
    probabilities: NDArray[np.float64] = np.log((ranks + 2) / (ranks + 1)) / np.log(n_words + 1)
    return probabilities


def noise_probabilities(counts: NDArray[np.int64], noise: str, power: float | None) -> NDArray[np.float64]:
    """The noise distribution by name: `unigram` (counts to a power), `uniform`, `log-uniform`.

    Raises
    ------
    CorpusError
        When `log-uniform` is asked for and the words are not in the order of falling counts.
    """
    if noise == "log-uniform":
        if (counts[1:] > counts[:-1]).any():
            row = int(np.argmax(counts[1:] > counts[:-1])) + 1
            raise CorpusError(f"--noise log-uniform: word {row + 1} of the vocabulary is more frequent than the one "
                              "before it; ranks need counts in falling order")  # fmt: skip
        return log_uniform_probabilities(len(counts))
    return unigram_probabilities(counts, 0.0 if noise == "uniform" or power is None else power)


def expected_unique(probabilities: NDArray[np.float64], tries: float) -> NDArray[np.float64]:
    """Expected counts among unique noise that took so many tries: 1 - (1 - q)^T.

    Returns
    -------
    float64, as the probabilities
    """
    expected: NDArray[np.float64] = -np.expm1(tries * log_others(probabilities))
    return expected


def log_others(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """log(1 - q), -inf for a word that is all of the noise."""
    with np.errstate(divide="ignore"):
        return np.log1p(-probabilities)


def positive_shares(counts: NDArray[np.int64], keep: NDArray[np.float64]) -> NDArray[np.float64]:
    """Share of each word among the positives: of the occurrences that subsampling leaves.

    Returns
    -------
    float64 (n_words,), sums to 1
    """
    kept = counts * keep
    shares: NDArray[np.float64] = kept / kept.sum()
    return shares


def alias_slots(probabilities: NDArray[np.float64]) -> NDArray[np.uint64]:
    """Alias table with one packed slot a word: threshold << 32 | alias, for `kernel.rng.draw_alias`.

    Slot i is picked with probability 1/n and yields i when a 32-bit number is below the threshold, else the
    alias.  A slot that always yields itself has itself as alias, so its threshold may be rounded down.

    Returns
    -------
    uint64 (n_words,)
    """
    n = len(probabilities)
    threshold, alias = np.empty(n), np.empty(n, np.int64)
    build_alias(probabilities * n, threshold, alias)
    packed = np.minimum(np.rint(threshold * FULL), FULL - 1).astype(np.uint64)
    return (packed << np.uint64(32)) | alias.astype(np.uint64)


def keep_probabilities(counts: NDArray[np.int64], sample: float) -> NDArray[np.float64]:
    """Probability that one occurrence of a word is kept: min(1, sqrt(t / f) + t / f), f its share (word2vec.c).

    Parameters
    ----------
    counts : int64 (n_words,)
    sample : the threshold t; 0 keeps every word

    Returns
    -------
    float64 (n_words,)
    """
    if sample == 0:
        return np.ones(len(counts))
    ratio = sample * counts.sum() / counts
    keep: NDArray[np.float64] = np.minimum(1.0, np.sqrt(ratio) + ratio)
    return keep


def keep_thresholds(probabilities: NDArray[np.float64]) -> NDArray[np.uint32]:
    """Thresholds for 32 random bits: a word is kept when they are at most its threshold.

    Returns
    -------
    uint32 (n_words,)
    """
    thresholds: NDArray[np.uint32] = np.maximum(np.rint(probabilities * FULL) - 1, 0).astype(np.uint32)
    return thresholds
