"""Random numbers of the kernels: the sequence, and that it is as random as it must be."""

from typing import Any

import numpy as np
from naive import NaiveRandom, naive_below, naive_draw
from scipy.stats import chi2

from w2v.kernel.jit import jit
from w2v.kernel.rng import below, draw_alias, next_state, scramble, seed_states
from w2v.noise import alias_slots


def chi_square_is_plausible(observed: Any, expected: Any) -> bool:
    """Neither too far from what is expected nor too near: both tails at 1e-4, with a fixed seed."""
    statistic = float(((observed - expected) ** 2 / expected).sum())
    return bool(1e-4 < chi2.cdf(statistic, len(observed) - 1) < 1 - 1e-4)


@jit()
def sequence(state, out):
    for i in range(out.size):
        state = next_state(state)
        out[i] = scramble(state)
    return state


@jit()
def count_below(state, counts, n_draws):
    for _ in range(n_draws):
        state = next_state(state)
        counts[below(scramble(state), counts.size)] += 1


@jit()
def count_draws(state, slots, counts, n_draws):
    for _ in range(n_draws):
        state = next_state(state)
        counts[draw_alias(scramble(state), slots)] += 1


@jit()
def draw_each(bits, slots, out):
    for i in range(bits.size):
        out[i] = draw_alias(bits[i], slots)


@jit()
def below_each(bits, n, out):
    for i in range(bits.size):
        out[i] = below(bits[i], n)


def test_sequence_is_xorshift64_star() -> None:
    out = np.zeros(1000, np.uint64)
    twin = NaiveRandom(1)
    final = sequence(np.uint64(1), out)
    assert [int(bits) for bits in out] == [twin.advance() for _ in range(1000)]
    assert int(final) == twin.state
    assert int(out[0]) == 0x47E4CE4B896CDD1D  # state 1 -> 0x2000001, worked out by hand, times the multiplier


def test_below_and_draw_are_their_twins() -> None:
    random = np.random.default_rng(1)
    bits = random.integers(0, 2**64, 2000, np.uint64, endpoint=False)
    bits[:4] = [0, 2**64 - 1, 2**32 - 1, 2**64 - 2**32]
    slots = alias_slots(random.dirichlet(np.full(37, 0.3)))
    out = np.zeros(len(bits), np.int64)
    draw_each(bits, slots, out)
    assert list(out) == [naive_draw(int(b), slots) for b in bits]
    for n in (1, 2, 10, 2**31, 2**32 - 1):
        below_each(bits, n, out)
        assert list(out) == [naive_below(int(b), n) for b in bits]
        assert 0 <= out.min() <= out.max() < n


def test_below_is_uniform() -> None:
    for n in (2, 5, 10, 1000):
        counts = np.zeros(n, np.int64)
        count_below(seed_states(n, 1)[0, 0], counts, 400_000)
        assert counts.sum() == 400_000
        assert chi_square_is_plausible(counts, 400_000 / n)


def test_successive_numbers_are_independent() -> None:
    out = np.zeros(400_000, np.uint64)
    sequence(seed_states(3, 1)[0, 0], out)
    digits = (out >> np.uint64(61)).astype(np.int64)
    for lag in (1, 2, 6):
        pairs = np.bincount(digits[:-lag] * 8 + digits[lag:], minlength=64)
        assert chi_square_is_plausible(pairs, pairs.sum() / 64)


def test_low_bits_that_pick_measured_windows_do_not_know_the_radius() -> None:
    # The same number gives a radius by its high half and "measure this window" by its low 6 bits.
    out = np.zeros(640_000, np.uint64)
    sequence(seed_states(4, 1)[0, 0], out)
    radius = (out >> np.uint64(32)) * np.uint64(5) >> np.uint64(32)
    measured = radius[out & np.uint64(63) == 0].astype(np.int64)
    assert abs(len(measured) - 10_000) < 500
    assert chi_square_is_plausible(np.bincount(measured, minlength=5), len(measured) / 5)


def test_draws_follow_the_distribution() -> None:
    random = np.random.default_rng(2)
    for probabilities in (np.full(7, 1 / 7), random.dirichlet(np.full(50, 0.5)) * 0.99 + 0.01 / 50):
        counts = np.zeros(len(probabilities), np.int64)
        count_draws(seed_states(5, 1)[0, 0], alias_slots(probabilities), counts, 500_000)
        assert chi_square_is_plausible(counts, 500_000 * probabilities)


def test_states_differ_by_worker_and_seed_and_are_never_zero() -> None:
    states = seed_states(1, 64)
    assert states.shape == (64, 1)
    assert states.dtype == np.uint64
    assert states.all()
    assert len(np.unique(states)) == 64
    np.testing.assert_array_equal(states, seed_states(1, 64))
    np.testing.assert_array_equal(states[:8], seed_states(1, 8))  # a worker's numbers do not depend on the others
    assert not np.isin(states, seed_states(2, 64)).any()
    assert seed_states(2**63 - 1, 1).all()


def test_a_zero_state_would_be_replaced(monkeypatch: Any) -> None:
    class Zero:
        def __init__(self, seed: int) -> None: ...

        def spawn(self, n: int) -> list[Any]:
            return [self] * n

        def generate_state(self, n: int, dtype: Any) -> Any:
            return np.zeros(n, dtype)

    monkeypatch.setattr(np.random, "SeedSequence", Zero)
    assert seed_states(1, 2).all()  # xorshift never leaves 0
