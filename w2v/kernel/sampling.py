"""What is drawn as noise, and how often a word is to be expected there."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from w2v.kernel.dispatch import by_type
from w2v.kernel.rng import draw_alias, next_state, scramble


class Replacement(NamedTuple):
    """Noise drawn independently; `slots` uint64 (n_words,), see `w2v.noise.alias_slots`."""

    slots: NDArray[np.uint64]

    @staticmethod
    def draw(noise, words, begin, n, state):
        for k in range(begin, begin + n):
            state = next_state(state)
            words[k] = draw_alias(scramble(state), noise.slots)
        return n, state


class Unique(NamedTuple):
    """Noise in which no word comes twice: repeats are drawn again."""

    slots: NDArray[np.uint64]

    @staticmethod
    def draw(noise, words, begin, n, state):
        tries, k = 0, begin
        while k < begin + n:
            state = next_state(state)
            tries += 1
            words[k] = draw_alias(scramble(state), noise.slots)
            fresh = True
            for earlier in range(begin, k):
                fresh = fresh and words[earlier] != words[k]
            k += np.int64(fresh)
        return tries, state


@by_type
def draw(noise: Any, words: Any, begin: int, n: int, state: Any) -> Any:
    """Write n noise words into words[begin:]; returns the number of tries made and the random state."""
    return noise.draw(noise, words, begin, n, state)


class Uncorrected(NamedTuple):
    """No correction: `log_expected` stays as it is, 0."""

    @staticmethod
    def expect(correction, words, n, n_seen, tries, log_expected):
        return None


class ExpectedCounts(NamedTuple):
    """`log_counts` float32 (n_words,): log of a word's expected count in one draw of the noise."""

    log_counts: NDArray[np.float32]

    @staticmethod
    def expect(correction, words, n, n_seen, tries, log_expected):
        for k in range(n):
            log_expected[k] = correction.log_counts[words[k]]


class ExpectedUnique(NamedTuple):
    """E = 1 - (1 - q)^T of T tries; `log_others` float64 (n_words,) is log(1 - q)."""

    log_others: NDArray[np.float64]

    @staticmethod
    def expect(correction, words, n, n_seen, tries, log_expected):
        for k in range(n):
            log_expected[k] = math.log(-math.expm1(tries * correction.log_others[words[k]]))


@by_type
def expect(correction: Any, words: Any, n: int, n_seen: int, tries: int, log_expected: Any) -> None:
    """Fill log_expected[:n] for the words[:n] of a batch's columns; the first `n_seen` come from the text."""
    correction.expect(correction, words, n, n_seen, tries, log_expected)
