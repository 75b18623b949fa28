"""Word similarity: by hand, and against gensim's evaluate_word_pairs."""

import importlib.util
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from small_vectors import at_angles

from w2v.data.catalog import find
from w2v.eval import similarity
from w2v.eval.bootstrap import score
from w2v.eval.datasets import load
from w2v.eval.lookup import Lookup
from w2v.eval.sets import Pair, SimilaritySet
from w2v.eval.similarity import SimilarityResult
from w2v.vectors import Vectors

needs_gensim = pytest.mark.skipif(importlib.util.find_spec("gensim") is None, reason="gensim is not installed")
SHARED_SETS = sorted((Path(__file__).resolve().parents[2] / "shared" / "benchmarks" / "similarity").glob("*.txt"))


def evaluate(vectors: Vectors, pairs: list[Pair]) -> SimilarityResult:
    return similarity.evaluate(Lookup(vectors), pairs)


def test_spearman_and_pearson_by_their_definitions() -> None:
    # Cosines fall with the angle to a; people rank c and d the other way round.
    vectors = at_angles(a=0, b=10, c=40, d=80, e=170)
    found = evaluate(vectors, [("a", "b", 9.0), ("a", "c", 2.0), ("a", "d", 5.0), ("a", "e", 1.0)])
    cosines = np.cos(np.radians([10, 40, 80, 170]))
    np.testing.assert_allclose(found.cosines, cosines, atol=1e-6)
    assert score(found.spearman) == pytest.approx(1 - 6 * (1 + 1) / (4 * (16 - 1)))
    assert score(found.pearson) == pytest.approx(np.corrcoef(cosines, [9, 2, 5, 1])[0, 1], abs=1e-6)


def test_ties_share_their_mean_rank() -> None:
    vectors = at_angles(a=0, b=80, c=60, d=40, e=20)
    found = evaluate(vectors, [("a", "b", 1.0), ("a", "c", 1.0), ("a", "d", 2.0), ("a", "e", 3.0)])
    # Ranks 1.5 1.5 3 4 against 1 2 3 4: covariance 4.5, variances 4.5 and 5.
    assert score(found.spearman) == pytest.approx(4.5 / math.sqrt(4.5 * 5))


def test_pairs_of_a_word_with_itself_tie_whatever_the_rounding() -> None:
    generator = np.random.default_rng(0)
    words = [f"w{i}" for i in range(40)]
    vectors = Vectors(words, generator.normal(size=(40, 37)).astype(np.float32))
    pairs = [(one, one, float(i)) for i, one in enumerate(words)]
    assert score(evaluate(vectors, pairs).spearman) is None
    # 40 ties at the top and one pair below: the correlation is that of the ties with the rest.
    ranks, tied = np.r_[1.0, np.arange(2.0, 42.0)], np.r_[1.0, np.full(40, 21.5)]
    expected = float(np.corrcoef(ranks, tied)[0, 1])
    assert score(evaluate(vectors, [("w0", "w1", -1.0), *pairs]).spearman) == pytest.approx(expected)


def test_pairs_out_of_vocabulary_under_both_policies() -> None:
    vectors = at_angles(a=0, b=60, c=90)
    found = evaluate(vectors, [("a", "b", 2.0), ("a", "x", 9.0), ("a", "c", 1.0), ("y", "z", 0.0)])
    np.testing.assert_array_equal(np.isnan(found.cosines), [False, True, False, True])
    assert score(found.spearman) == pytest.approx(1.0)
    filled = found.with_mean()
    np.testing.assert_allclose(filled.cosines, [0.5, 0.25, 0, 0.25], atol=1e-6)
    # Ranks 4 2.5 1 2.5 against 3 4 2 1: deviations 1.5 0 -1.5 0 and 0.5 1.5 -0.5 -1.5.
    assert score(filled.spearman) == pytest.approx(1.5 / math.sqrt(4.5 * 5))


def test_mean_of_no_pairs() -> None:
    found = evaluate(at_angles(a=0, b=60), [("a", "x", 2.0), ("y", "b", 9.0)])
    assert score(found.spearman) is None
    assert score(found.with_mean().spearman) is None
    seen = evaluate(at_angles(a=0, b=60), [("a", "b", 2.0)])
    assert seen.with_mean() is seen


@pytest.mark.parametrize(
    "pairs",
    [
        [("x", "y", 1.0), ("x", "z", 2.0)],
        [("a", "b", 1.0), ("x", "z", 2.0)],
        [("a", "b", 1.0), ("a", "c", 1.0)],
        [("a", "b", 1.0), ("b", "a", 2.0)],
    ],
)
def test_undefined_correlation_is_none_not_nan(pairs: list[Pair]) -> None:
    assert score(evaluate(at_angles(a=0, b=10, c=30), pairs).spearman) is None


def test_zero_and_broken_rows_do_not_spoil_the_score() -> None:
    matrix = np.array([[1, 0], [0.9, 0.1], [0, 1], [0, 0], [np.nan, 1]], dtype=np.float32)
    vectors = Vectors(list("abcde"), matrix)
    found = evaluate(vectors, [("a", "b", 3.0), ("a", "c", 1.0), ("a", "d", 1.0), ("a", "e", 1.0)])
    assert score(found.spearman) == pytest.approx(1.0)


# --- gensim's numbers


def made_vectors(pairs: tuple[Pair, ...], *, with_capitals: bool) -> Vectors:
    """A vocabulary of two thirds of the set's words and of others, with variants in capitals behind them."""
    generator = np.random.default_rng(5)
    words = list(dict.fromkeys(word.lower() for pair in pairs for word in pair[:2]))
    known = [word for i, word in enumerate(words) if i % 3]
    others = [f"other{i}" for i in range(len(known))]
    mixed = [word for both in zip(known, others, strict=True) for word in both]
    if with_capitals:
        mixed += [word.capitalize() for word in known[::2]] + [word.upper() for word in known[1::2]]
    return Vectors(mixed, generator.normal(size=(len(mixed), 20)).astype(np.float32))


@needs_gensim
@pytest.mark.parametrize("name", ["wordsim353", "simlex999"])
@pytest.mark.parametrize("case", ["none", "lower", "fold"])
@pytest.mark.parametrize("restrict_vocab", [None, 300])
def test_the_numbers_of_gensim(tmp_path: Path, name: str, case: str, restrict_vocab: int | None) -> None:
    one = load(name)
    assert isinstance(one, SimilaritySet)
    vectors = made_vectors(one.pairs, with_capitals=case == "fold")
    found = similarity.evaluate(Lookup(vectors, case, restrict_vocab), one.pairs)
    path = find(name)
    if case == "lower":  # which gensim has for the vocabulary and the set alike, so the set is given in lower case
        path = tmp_path / "lower.tsv"
        path.write_text(find(name).read_text(encoding="utf-8").lower(), encoding="utf-8")
    pearson, spearman, unseen = vectors.to_gensim().evaluate_word_pairs(
        str(path), case_insensitive=case == "fold", restrict_vocab=restrict_vocab or len(vectors)
    )
    assert score(found.pearson) == pytest.approx(pearson.statistic, abs=1e-6)
    assert score(found.spearman) == pytest.approx(spearman.statistic, abs=1e-6)
    assert 100 * (1 - found.spearman.scored.mean()) == pytest.approx(unseen)
    assert 10 < found.spearman.scored.sum() < len(one.pairs)


@needs_gensim
@pytest.mark.skipif(not SHARED_SETS, reason="needs ../shared/benchmarks")
def test_the_numbers_of_gensim_on_other_sets() -> None:
    for path in SHARED_SETS:
        one = load(str(path))
        assert isinstance(one, SimilaritySet)
        vectors = made_vectors(one.pairs, with_capitals=True)
        found = similarity.evaluate(Lookup(vectors, "fold"), one.pairs)
        delimiter = "\t" if "\t" in path.read_text(encoding="utf-8") else " "
        pearson, spearman, unseen = vectors.to_gensim().evaluate_word_pairs(str(path), delimiter)
        assert score(found.pearson) == pytest.approx(pearson.statistic, abs=1e-6)
        assert score(found.spearman) == pytest.approx(spearman.statistic, abs=1e-6)
        assert 100 * (1 - found.spearman.scored.mean()) == pytest.approx(unseen)


@needs_gensim
def test_the_mean_policy_is_that_of_filled_in_cosines() -> None:
    one = load("wordsim353")
    assert isinstance(one, SimilaritySet)
    found = evaluate(made_vectors(one.pairs, with_capitals=False), list(one.pairs))
    filled = np.where(np.isnan(found.cosines), np.nanmean(found.cosines), found.cosines)
    expected = stats.spearmanr(filled, found.given).statistic
    assert score(found.with_mean().spearman) == pytest.approx(expected, abs=1e-12)
