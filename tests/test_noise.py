"""Noise distributions, their alias slots, and subsampling."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import naive_alias_probabilities

from w2v.noise import (
    FULL,
    alias_slots,
    expected_unique,
    keep_probabilities,
    keep_thresholds,
    log_uniform_probabilities,
    noise_probabilities,
    positive_shares,
    unigram_probabilities,
)

COUNTS = np.array([6_000_000_000, 3_000_000_000, 70_000, 70_000, 900, 5, 1, 1])


@pytest.mark.parametrize("n", [*range(1, 20), 50, 127, 128, 333, 1000])
def test_slots_hold_the_distribution(n: int) -> None:
    random = np.random.default_rng(n)
    for concentration in (100, 1, 0.05):
        q = random.dirichlet(np.full(n, concentration))
        np.testing.assert_allclose(naive_alias_probabilities(alias_slots(q)), q, atol=1e-8)


@pytest.mark.parametrize("n", [1, 2, 1000])
def test_slots_of_one_certain_word(n: int) -> None:
    q = np.zeros(n)
    q[n // 2] = 1
    np.testing.assert_allclose(naive_alias_probabilities(alias_slots(q)), q, atol=1e-8)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(1, 6 * 10**9), min_size=1, max_size=60),
    st.sampled_from([0.75, 0.0, 1.0, -1.0, 5.0, 100.0, -100.0]),
)
def test_any_counts_and_power(counts: list[int], power: float) -> None:
    q = unigram_probabilities(np.array(counts), power)
    assert np.isfinite(q).all()
    assert abs(q.sum() - 1) < 1e-12
    largest = (max if power >= 0 else min)(counts)
    expected = [(count / largest) ** power for count in counts]
    assert (q > 0).all()
    np.testing.assert_allclose(q, np.array(expected) / np.sum(expected), rtol=1e-9, atol=1e-250)
    slots = alias_slots(q)
    np.testing.assert_allclose(naive_alias_probabilities(slots), q, atol=1e-8)


def test_alias_slots_leave_the_distribution_alone() -> None:
    q = unigram_probabilities(COUNTS, 0.75)
    before = q.copy()
    slots = alias_slots(q)
    np.testing.assert_array_equal(q, before)
    assert slots.dtype == np.uint64
    assert (slots & np.uint64(0xFFFFFFFF)).max() < len(COUNTS)


def test_a_large_vocabulary_keeps_its_precision() -> None:
    q = unigram_probabilities((10**9 / np.arange(1, 200_001)).astype(np.int64), 0.75)
    slots = alias_slots(q)
    thresholds = (slots >> np.uint64(32)).astype(np.float64) / FULL
    implied = thresholds + np.bincount(
        (slots & np.uint64(0xFFFFFFFF)).astype(np.int64), weights=1 - thresholds, minlength=len(q)
    )
    np.testing.assert_allclose(implied, q * len(q), rtol=1e-4, atol=1e-6)


def test_unigram_probabilities_by_hand() -> None:
    np.testing.assert_allclose(unigram_probabilities(np.array([8, 1, 1]), 1.0), [0.8, 0.1, 0.1])
    np.testing.assert_allclose(unigram_probabilities(np.array([8, 1, 1]), 0.0), [1 / 3] * 3)
    np.testing.assert_allclose(unigram_probabilities(np.array([16, 1]), 0.75), [8 / 9, 1 / 9])
    np.testing.assert_allclose(unigram_probabilities(np.array([4, 1]), -1.0), [0.2, 0.8])


def test_log_uniform_probabilities_by_hand() -> None:
    # log(2/1), log(3/2), log(4/3), log(5/4) over log 5.
    expected = np.log([2, 1.5, 4 / 3, 1.25]) / np.log(5)
    np.testing.assert_allclose(log_uniform_probabilities(4), expected)
    assert log_uniform_probabilities(1) == pytest.approx([1.0])


def test_noise_by_name() -> None:
    counts = np.array([16, 1, 1])
    np.testing.assert_allclose(noise_probabilities(counts, "unigram", 0.75), [0.8, 0.1, 0.1])
    np.testing.assert_allclose(noise_probabilities(counts, "uniform", None), [1 / 3] * 3)
    np.testing.assert_allclose(noise_probabilities(counts, "log-uniform", None), log_uniform_probabilities(3))


def test_expected_unique_by_hand() -> None:
    np.testing.assert_allclose(expected_unique(np.array([0.5, 0.1]), 2), [0.75, 0.19])
    np.testing.assert_allclose(expected_unique(np.array([1e-15]), 3), [3e-15], rtol=1e-9)
    np.testing.assert_allclose(expected_unique(np.array([0.3, 0.7]), 1), [0.3, 0.7])


def test_positive_shares_by_hand() -> None:
    # Of 80 occurrences 20 stay, of 20 all.
    np.testing.assert_allclose(positive_shares(np.array([80, 20]), np.array([0.25, 1.0])), [0.5, 0.5])


def test_keep_probabilities_by_hand() -> None:
    # f = 0.8, 0.16, 0.04; t = 0.04: sqrt(0.05) + 0.05, sqrt(0.25) + 0.25, and 2, which is 1.
    keep = keep_probabilities(np.array([80, 16, 4]), 0.04)
    np.testing.assert_allclose(keep, [0.05**0.5 + 0.05, 0.75, 1.0])
    assert list(keep_probabilities(np.array([80, 16, 4]), 0)) == [1, 1, 1]
    assert list(keep_probabilities(np.array([80, 16, 4]), 5)) == [1, 1, 1]


def test_keep_probabilities_of_huge_counts() -> None:
    keep = keep_probabilities(COUNTS, 1e-3)
    share = COUNTS / COUNTS.sum()
    np.testing.assert_allclose(keep, np.minimum(1, np.sqrt(1e-3 / share) + 1e-3 / share))


def kept_share(threshold: Any) -> float:
    """Part of all 2^32 numbers that are at most the threshold."""
    return (int(threshold) + 1) / FULL


def test_keep_thresholds() -> None:
    thresholds = keep_thresholds(np.array([1.0, 0.5, 0.25, 1e-9, 0.0]))
    assert thresholds.dtype == np.uint32
    assert kept_share(thresholds[0]) == 1
    assert kept_share(thresholds[1]) == 0.5
    assert kept_share(thresholds[2]) == 0.25
    assert kept_share(thresholds[3]) == pytest.approx(1e-9, abs=1 / FULL)
    assert kept_share(thresholds[4]) <= 1 / FULL
