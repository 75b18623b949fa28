"""Frequencies estimated on the stream (Yi et al., "Sampling-bias-corrected neural modeling", 2019).

For each slot that words are hashed into: when it was last seen, and the moving average of the gaps between its
appearances, counted in words drawn; 1 / gap estimates the probability of being drawn.  Words that share a slot
shorten its gaps, so of several hash functions the largest gap is taken.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from w2v.kernel.jit import inline


class StreamingCounts(NamedTuple):
    """Expected counts of a batch, from a stream of one worker.

    Attributes
    ----------
    last, n_seen : int64 (n_hashes, n_slots)
        Time of the last appearance and number of appearances; time is the number of words drawn.
    gap : float64 (n_hashes, n_slots)
        Mean gap, moving once there have been 1 / rate of them.
    time : int64 (1,)
    multipliers : uint64 (n_hashes,), odd
    shift : 64 less the binary logarithm of n_slots
    rate : float, weight of a new gap
    batch : words drawn from the text for a batch
    noise_counts : float64 (n_words,), expected counts among the noise words of a batch
    """

    last: NDArray[np.int64]
    n_seen: NDArray[np.int64]
    gap: NDArray[np.float64]
    time: NDArray[np.int64]
    multipliers: NDArray[np.uint64]
    shift: np.uint64
    rate: float
    batch: int
    noise_counts: NDArray[np.float64]

    @staticmethod
    def expect(correction, words, n, n_seen, tries, log_expected):
        for k in range(n_seen):
            see(correction, words[k])
        for k in range(n):
            share = 1 / max(1.0, largest_gap(correction, words[k]))
            log_expected[k] = math.log(correction.batch * share + correction.noise_counts[words[k]])


@inline()
def slot_of(correction, word, h):
    """Multiply-shift hashing (Dietzfelbinger et al. 1997)."""
    return np.int64((np.uint64(word + 1) * correction.multipliers[h]) >> correction.shift)


@inline()
def see(correction, word):
    """A word is drawn."""
    correction.time[0] += 1
    for h in range(correction.multipliers.size):
        slot = slot_of(correction, word, h)
        correction.n_seen[h, slot] += 1
        weight = max(correction.rate, 1 / correction.n_seen[h, slot])
        gap = correction.time[0] - correction.last[h, slot]
        correction.gap[h, slot] += weight * (gap - correction.gap[h, slot])
        correction.last[h, slot] = correction.time[0]


@inline()
def largest_gap(correction, word):
    """The largest mean gap of a word's slots; that since the beginning when it was never seen."""
    result = 0.0
    for h in range(correction.multipliers.size):
        slot = slot_of(correction, word, h)
        gap = correction.gap[h, slot] if correction.n_seen[h, slot] else np.float64(correction.time[0] + 1)
        result = max(result, gap)
    return result


def make_streaming_counts(
    n_words: int, batch: int, noise_counts: NDArray[np.float64], seed: int, *, rate: float = 0.01, n_hashes: int = 3,
    least_bits: int = 12,
) -> StreamingCounts:  # fmt: skip
    """An estimator with a power of two of slots, at least as many as words, and at least 2^least_bits.

    With as many slots as words, a quarter of the words share a slot with another word under each of three hashes.
    """
    bits = max(least_bits, int(n_words - 1).bit_length())
    shape = (n_hashes, 1 << bits)
    multipliers = np.random.default_rng([seed, 1]).integers(0, 2**63, n_hashes, np.uint64) * np.uint64(2) + np.uint64(1)
    return StreamingCounts(np.zeros(shape, np.int64), np.zeros(shape, np.int64), np.zeros(shape), np.zeros(1, np.int64),
                           multipliers, np.uint64(64 - bits), rate, batch, noise_counts)  # fmt: skip
