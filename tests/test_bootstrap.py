"""Scores, intervals and differences against other ways to the same numbers."""

import math
import time
from dataclasses import replace
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from w2v.eval.bootstrap import Difference, Sample, difference, interval, score

Floats = npt.NDArray[np.float64]
Statistic = Literal["mean", "spearman", "pearson"]
NAN = math.nan
BY_SCIPY = {
    "mean": lambda values, _given: values.mean(),
    "spearman": lambda values, given_: stats.spearmanr(values, given_).statistic,
    "pearson": lambda values, given_: stats.pearsonr(values, given_).statistic,
}


def noisy(n_items: int, noise: float, seed: int = 0, statistic: Statistic = "spearman") -> Sample:
    """Given values 0, 1, ... in few steps, and values that follow them with some noise."""
    given_ = np.floor(np.linspace(0, 20, n_items))
    values = given_ + np.random.default_rng(seed).normal(0, noise, n_items)
    return Sample(statistic, values, given_)


def test_scores_by_hand() -> None:
    assert score(Sample("mean", np.array([1.0, 0.0, NAN, 1.0]))) == pytest.approx(2 / 3)
    # Ranks 1 2 3 against 1 3 2, the last item not scored: 1 - 6 * 2 / (3 * 8).
    given_ = np.array([1.0, 9.0, 2.0, 100.0])
    assert score(Sample("spearman", np.array([1.0, 2.0, 3.0, NAN]), given_)) == pytest.approx(0.5)
    # Deviations -1 0 1 against -1 1 0: 1 / 2.
    assert score(Sample("pearson", np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0]))) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("statistic", "values", "given_"),
    [
        ("mean", [NAN, NAN], None),
        ("mean", [], None),
        ("spearman", [1, NAN], [1, 2]),
        ("spearman", [1, 1, 1], [1, 2, 3]),
        ("pearson", [1, 2, 3], [5, 5, 5]),
        ("pearson", [], []),
    ],
)
def test_undefined_is_none(statistic: Statistic, values: list[float], given_: list[float] | None) -> None:
    sample = Sample(statistic, np.array(values, float), None if given_ is None else np.array(given_, float))
    assert score(sample) is None
    assert interval(sample) is None
    assert difference(sample, sample) is None


def test_one_item_has_a_score_but_no_interval() -> None:
    sample = Sample("mean", np.array([1.0, NAN]))
    assert score(sample) == 1
    assert interval(sample) is None
    assert difference(sample, sample) is None


def test_all_wrong_or_all_right_has_the_interval_of_wilson() -> None:
    for n in (2, 10, 500):
        for share in (0.0, 1.0):
            theirs = stats.binomtest(int(n * share), n).proportion_ci(method="wilson")
            found = interval(Sample("mean", np.append(np.full(n, share), NAN)))
            assert found == pytest.approx((theirs.low, theirs.high), abs=1e-12)
    # Neither means of other numbers nor groups: there it has no width.
    assert interval(Sample("mean", np.full(10, 0.5))) == (0.5, 0.5)
    assert interval(Sample("mean", np.ones(4), groups=np.array([0, 0, 1, 1]))) == (1, 1)
    alone = Sample("mean", np.ones(4), groups=np.array([3, 0, 1, 2]))
    assert interval(alone) == interval(Sample("mean", np.ones(4)))


@pytest.mark.parametrize("statistic", ["spearman", "pearson"])
def test_fewer_than_four_pairs_have_no_interval(statistic: Statistic) -> None:
    values, given_ = np.array([1.0, 3.0, 2.0, 4.0]), np.array([1.0, 2.0, 3.0, 4.0])
    assert interval(Sample(statistic, values, given_)) is not None
    three = Sample(statistic, np.array([1.0, 3.0, 2.0, NAN]), given_)
    assert score(three) == pytest.approx(0.5)
    assert interval(three) is None


@settings(max_examples=100)
@given(
    statistic=st.sampled_from(["spearman", "pearson"]),
    pairs=st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=2, max_size=30),
)
def test_correlations_are_those_of_scipy(statistic: Statistic, pairs: list[tuple[int, int]]) -> None:
    values, given_ = np.array(pairs, dtype=np.float64).T
    found = score(Sample(statistic, values, given_))
    if np.ptp(values) == 0 or np.ptp(given_) == 0:
        assert found is None
    else:
        assert found == pytest.approx(BY_SCIPY[statistic](values, given_), abs=1e-12)


@pytest.mark.parametrize("statistic", get_args(Statistic))
def test_every_resample_is_the_score_of_the_drawn_items(statistic: Statistic) -> None:
    """The same draws, each scored by scipy: the interval's bounds are their percentiles."""
    sample = noisy(40, 10, statistic=statistic)
    assert sample.given is not None
    drawn = np.random.default_rng(7).integers(0, 40, (200, 40), dtype=np.int32)
    scores = [BY_SCIPY[statistic](sample.values[one], sample.given[one]) for one in drawn]
    plain = Sample("mean", sample.values) if statistic == "mean" else sample
    assert interval(plain, n=200, seed=7) == pytest.approx(np.percentile(scores, [2.5, 97.5]), abs=1e-12)


def test_interval_is_that_of_scipys_bootstrap() -> None:
    sample = noisy(300, 15)
    assert sample.given is not None
    theirs = stats.bootstrap(
        (sample.values, sample.given), BY_SCIPY["spearman"], paired=True, vectorized=False, method="percentile",
        n_resamples=1000, random_state=np.random.default_rng(3),
    ).confidence_interval  # fmt: skip
    # Two bootstraps differ by chance; the interval is 0.2 wide.
    assert interval(sample) == pytest.approx(tuple(theirs), abs=0.02)


def test_interval_of_a_mean_is_about_that_of_the_normal_distribution() -> None:
    values = (np.arange(5000) % 4 == 0).astype(float)
    half = 1.96 * math.sqrt(0.25 * 0.75 / 5000)
    assert interval(Sample("mean", values)) == pytest.approx((0.25 - half, 0.25 + half), abs=0.001)


def test_intervals_hold_the_true_mean_95_times_in_100() -> None:
    generator = np.random.default_rng(11)
    samples = [Sample("mean", generator.normal(size=60)) for _ in range(300)]
    bounds = [interval(one, n=400, seed=seed) for seed, one in enumerate(samples)]
    held = np.mean([low < 0 < high for low, high in filter(None, bounds)])
    assert 0.90 < held < 0.98


def test_same_seed_same_interval_whatever_the_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    sample = noisy(50, 5)
    first = interval(sample, seed=1)
    assert first == interval(sample, seed=1)
    assert first != interval(sample, seed=2)
    monkeypatch.setattr("w2v.eval.bootstrap._DRAWN_AT_ONCE", 333)
    assert first == interval(sample, seed=1)


def test_items_not_scored_change_nothing() -> None:
    sample = noisy(50, 5)
    assert sample.given is not None
    more = Sample("spearman", np.append(sample.values, [NAN, NAN]), np.append(sample.given, [3.0, 4.0]))
    assert interval(more) == interval(sample)


def test_difference_is_paired() -> None:
    """Both follow the same noise, one a bit better: alone their intervals overlap, together they are apart."""
    generator = np.random.default_rng(0)
    hard = generator.random(2000)
    better, worse = Sample("mean", (hard < 0.52).astype(float)), Sample("mean", (hard < 0.50).astype(float))
    high, low = interval(worse), interval(better)
    assert high is not None
    assert low is not None
    assert high[1] > low[0]
    found = difference(better, worse)
    assert found is not None
    assert found.value == pytest.approx(((hard < 0.52) & (hard >= 0.50)).mean())
    assert found.is_significant
    assert found.p == pytest.approx(2 / 1001)
    assert found.n_items == 2000
    # McNemar's standard error of paired proportions: only discordant items count.
    half = 1.96 * math.sqrt(found.value / 2000)
    assert (found.low, found.high) == pytest.approx((found.value - half, found.value + half), abs=0.0015)


def test_difference_the_other_way_round() -> None:
    first, second = noisy(80, 3), noisy(80, 30, seed=1)
    forth, back = difference(first, second), difference(second, first)
    assert forth is not None
    assert back is not None
    assert (back.value, back.low, back.high, back.p) == pytest.approx((-forth.value, -forth.high, -forth.low, forth.p))
    assert forth.value > 0
    assert forth.is_significant
    assert back.is_significant


def test_no_difference_is_noise() -> None:
    sample = noisy(50, 5)
    assert difference(sample, sample) == Difference(0.0, 0.0, 0.0, 1.0, 50)
    found = difference(noisy(50, 5), noisy(50, 5, seed=2))
    assert found is not None
    assert not found.is_significant
    assert 0.05 < found.p <= 1


def test_difference_is_over_the_items_scored_by_both() -> None:
    first = Sample("mean", np.array([1.0, 1.0, 1.0, NAN, 1.0]))
    second = Sample("mean", np.array([0.0, NAN, 1.0, 0.0, 0.0]))
    found = difference(first, second)
    assert found is not None
    assert (found.value, found.n_items) == (pytest.approx(2 / 3), 3)
    assert difference(first, Sample("mean", np.array([NAN, NAN, NAN, 1.0, NAN]))) is None


def test_items_of_a_group_are_drawn_together() -> None:
    """Ten copies of each item say no more than the item once: the interval is the same, draw by draw."""
    values = (np.arange(60) % 3 == 0).astype(float)
    once = Sample("mean", values)
    copies = Sample("mean", np.repeat(values, 10), groups=np.repeat(np.arange(60) + 5, 10))
    assert score(copies) == pytest.approx(score(once))
    assert interval(copies) == pytest.approx(interval(once))
    alone = interval(Sample("mean", np.repeat(values, 10)))
    grouped = interval(copies)
    assert alone is not None
    assert grouped is not None
    assert grouped[1] - grouped[0] == pytest.approx(math.sqrt(10) * (alone[1] - alone[0]), rel=0.15)
    found = difference(copies, replace(copies, values=1 - copies.values))
    assert found is not None
    assert found.n_items == 600
    assert found.value == pytest.approx(-1 / 3)


def test_groups_of_different_sizes_weigh_by_their_items() -> None:
    sample = Sample("mean", np.array([1.0, 0.0, 0.0, NAN, 1.0]), groups=np.array([7, 2, 2, 2, 7]))
    assert score(sample) == 0.5
    # Two groups, of means 1 and 0: a resample has one of them twice, or both.
    assert interval(sample) == (0.0, 1.0)
    assert interval(Sample("mean", np.array([1.0, 0.0]), groups=np.zeros(2, np.int64))) is None
    with pytest.raises(ValueError, match="only means"):
        Sample("pearson", np.ones(2), np.ones(2), np.zeros(2, np.int64))


def test_samples_of_different_items_are_refused() -> None:
    with pytest.raises(ValueError, match="mean of 1 and mean of 2"):
        difference(Sample("mean", np.ones(1)), Sample("mean", np.ones(2)))
    with pytest.raises(ValueError, match="spearman"):
        difference(noisy(5, 1), noisy(5, 1, statistic="pearson"))
    with pytest.raises(ValueError, match="as many given values"):
        Sample("spearman", np.ones(3), np.ones(2))
    with pytest.raises(ValueError, match="as many given values"):
        Sample("pearson", np.ones(3))


@pytest.mark.parametrize(
    "sample", [noisy(3000, 20), Sample("mean", np.arange(19544) % 2.0)], ids=["pairs", "questions"]
)
def test_large_sets_take_well_under_a_second(sample: Sample) -> None:
    before = time.process_time()
    interval(sample)
    assert time.process_time() - before < 1


def test_many_pairs_have_an_interval_of_fishers_z() -> None:
    random = np.random.default_rng(5)
    given = random.standard_normal(20_001)
    sample = Sample("spearman", given + random.standard_normal(20_001), given)
    found, drawn = interval(sample), interval(sample.at(np.arange(20_001) < 20_000), n=200)
    assert found is not None
    assert drawn is not None
    # By hand: z = atanh(rho) and 1.96 sqrt((1 + rho^2 / 2) / 19,998) on both sides.
    rho = score(sample)
    assert rho is not None
    half = 1.959964 * math.sqrt((1 + rho * rho / 2) / 19_998)
    assert found == pytest.approx((math.tanh(math.atanh(rho) - half), math.tanh(math.atanh(rho) + half)))
    assert found == pytest.approx(drawn, abs=0.003)
    assert interval(Sample("spearman", given, given)) == (1, 1)
