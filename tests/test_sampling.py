"""What is drawn as noise: distributions by chi-square, unique draws, expected counts."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from w2v.errors import CorpusError
from w2v.kernel.jit import jit
from w2v.kernel.rng import seed_states
from w2v.kernel.sampling import ExpectedCounts, ExpectedUnique, Replacement, Uncorrected, Unique, draw, expect
from w2v.noise import alias_slots, expected_unique, noise_probabilities

COUNTS = (1e6 / np.arange(1, 41) ** 1.1).astype(np.int64)


def zipf(power: float) -> Any:
    """Shares of 50 words."""
    weights = 1 / np.arange(1, 51) ** power
    return weights / weights.sum()


SKEWED = zipf(0.6)  # the first word has a share of 0.1


@jit()
def draw_many(noise, words, tries, n, state):
    """Row i of words gets the i-th draw of n words."""
    for i in range(tries.size):
        tries[i], state = draw(noise, words[i], 0, n, state)
    return state


def drawn(noise: Any, n_draws: int, n: int, seed: int = 1) -> tuple[Any, Any]:
    """Words (n_draws, n) and tries (n_draws,)."""
    words, tries = np.zeros((n_draws, n), np.int64), np.zeros(n_draws, np.int64)
    draw_many(noise, words, tries, n, seed_states(seed, 1)[0, 0])
    return words, tries


@jit()
def call_expect(correction, words, n, n_seen, tries, log_expected):  # noqa: PLR0917
    expect(correction, words, n, n_seen, tries, log_expected)


def expected_of(correction: Any, words: Any, tries: int, n_seen: int = 1) -> Any:
    result = np.zeros(len(words), np.float32)
    call_expect(correction, words, len(words), n_seen, tries, result)
    return result


DISTRIBUTIONS = {
    **{f"unigram {power:g}": ("unigram", power, COUNTS**1.0) for power in (0.75, 1.0, -0.5, 5.0, 0.0)},
    "uniform": ("uniform", None, COUNTS**1.0),
    "log-uniform": ("log-uniform", None, COUNTS**1.0),
}


@pytest.mark.parametrize("label", DISTRIBUTIONS)
def test_draws_follow_the_distribution(label: str) -> None:
    name, power, counts = DISTRIBUTIONS[label]
    # Worked out here, not with the function under test.
    if name == "log-uniform":
        weights = [np.log((rank + 2) / (rank + 1)) for rank in range(len(counts))]
    else:
        weights = [(count / counts.max()) ** (power or 0.0) for count in counts]
    share = np.array(weights) / np.sum(weights)
    q = noise_probabilities(COUNTS, name, power)
    np.testing.assert_allclose(q, share, rtol=1e-10)
    n_draws = 400_000
    words, tries = drawn(Replacement(alias_slots(q)), n_draws // 20, 20)
    assert (tries == 20).all()
    seen = np.bincount(words.ravel(), minlength=len(q))
    common = n_draws * share >= 10  # rarer ones make one bin
    observed = np.append(seen[common], seen[~common].sum())
    expected = np.append(share[common], share[~common].sum()) * n_draws
    if expected[-1] < 5:
        observed, expected = observed[:-1], expected[:-1] * observed[:-1].sum() / expected[:-1].sum()
    assert stats.chisquare(observed, expected).pvalue > 1e-3


def test_successive_draws_are_independent() -> None:
    q = noise_probabilities(COUNTS, "unigram", 0.5)
    words, _ = drawn(Replacement(alias_slots(q)), 100_000, 2)
    coarse = words // 5
    table = np.zeros((8, 8))
    np.add.at(table, (coarse[:, 0], coarse[:, 1]), 1)
    assert stats.chi2_contingency(table).pvalue > 1e-3


def test_log_uniform_is_a_distribution_over_ranks() -> None:
    q = noise_probabilities(COUNTS, "log-uniform", None)
    assert q.sum() == pytest.approx(1, abs=1e-12)
    assert (np.diff(q) < 0).all()
    # The sum telescopes: the first r ranks have log(r + 1) / log(V + 1).
    np.testing.assert_allclose(np.cumsum(q), np.log(np.arange(2, 42)) / np.log(41))


def test_log_uniform_wants_falling_counts() -> None:
    noise_probabilities(np.array([5, 5, 5, 1]), "log-uniform", None)
    with pytest.raises(CorpusError, match=r"log-uniform.*word 3 .*falling"):
        noise_probabilities(np.array([5, 2, 3, 1]), "log-uniform", None)
    noise_probabilities(np.array([5, 2, 3, 1]), "uniform", None)


@pytest.mark.parametrize("n", [1, 5, 20, 24])
def test_unique_noise_has_no_repeats(n: int) -> None:
    words, tries = drawn(Unique(alias_slots(SKEWED)), 5000, n)
    ordered = np.sort(words, axis=1)
    assert (ordered[:, 1:] != ordered[:, :-1]).all()
    assert (tries >= n).all()
    assert (tries.max() > n) == (n > 1)
    assert (words >= 0).all()
    assert (words < len(SKEWED)).all()


def test_unique_noise_is_the_distinct_words_of_as_many_tries() -> None:
    """The same random numbers with replacement, repeats crossed out."""
    unique, tries = drawn(Unique(alias_slots(SKEWED)), 200, 20)
    plain, _ = drawn(Replacement(alias_slots(SKEWED)), 1, int(tries.sum()))
    at = 0
    for words, n_tries in zip(unique, tries, strict=True):
        part = plain[0, at : at + n_tries]
        assert list(dict.fromkeys(part.tolist())) == words.tolist()
        at += n_tries


@pytest.mark.parametrize("power", [0.6, 1.0])
def test_expected_counts_of_unique_noise_are_those_of_simulation(power: float) -> None:
    """The mean over draws of 1 - (1 - q)^T, T the tries that each draw carries along."""
    q = zipf(power)
    words, tries = drawn(Unique(alias_slots(q)), 400_000, 20)
    inclusion = np.bincount(words.ravel(), minlength=50) / len(words)
    numbers, times = np.unique(tries, return_counts=True)
    expected = sum(expected_unique(q, int(t)) * n for t, n in zip(numbers, times, strict=True)) / len(words)
    # Tries end with a word that is new, so T and the words are not independent: hence 1 to 2 %, and no less.
    np.testing.assert_allclose(expected, inclusion, rtol=0.02)
    assert tries.mean() > 28


def test_a_frequent_word_is_in_almost_every_unique_draw() -> None:
    assert SKEWED[0] == pytest.approx(0.1, abs=1e-3)
    words, tries = drawn(Unique(alias_slots(SKEWED)), 100_000, 20)
    share = (words == 0).any(axis=1).mean()
    assert share > 0.93
    assert expected_unique(SKEWED[:1], 20)[0] == pytest.approx(0.88, abs=0.005)  # with K for T
    assert np.mean([expected_unique(SKEWED[:1], int(t))[0] for t in tries[:20_000]]) == pytest.approx(share, abs=0.01)


def test_corrections() -> None:
    words = np.array([3, 0, 49, 3])
    assert not expected_of(Uncorrected(), words, 7).any()
    counts = ExpectedCounts(np.log(5 * SKEWED).astype(np.float32))
    np.testing.assert_allclose(expected_of(counts, words, 5), np.log(5 * SKEWED[words]), rtol=1e-6)
    unique = ExpectedUnique(np.log1p(-SKEWED))
    for tries in (1, 20, 63):
        result = expected_of(unique, words, tries)
        np.testing.assert_allclose(result, np.log(1 - (1 - SKEWED[words]) ** tries), rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(np.exp(result), expected_unique(SKEWED, tries)[words], rtol=1e-5)


def test_expected_counts_of_the_rarest_words_keep_their_digits() -> None:
    q = np.array([1e-13, 0.5])
    result = expected_of(ExpectedUnique(np.log1p(-q)), np.array([0, 1]), 3)
    np.testing.assert_allclose(result, [np.log(3e-13), np.log(7 / 8)], rtol=1e-5)
