"""Which words are drawn as noise, and how often frequent words are kept."""

import numpy as np
from numpy.typing import NDArray

from w2v.kernel.alias import build_alias

FULL = 2**32


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
    weights: NDArray[np.float64] = np.exp(logarithms - logarithms.max())  # no overflow for any power
    weights /= weights.sum()
    return weights


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
