"""Purity of clusters, with clusters that are known."""

import math
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_vectors import at_angles

from w2v.errors import ConfigError, MissingPackageError
from w2v.eval import categories
from w2v.eval.lookup import Lookup
from w2v.vectors import Vectors

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

# Two bundles: a to d, and w to z.
BUNDLES = at_angles(a=0, b=3, c=5, d=9, w=120, x=122, y=127, z=130)


@pytest.mark.parametrize("clusters", categories.CLUSTERS)
def test_purity_of_known_clusters(clusters: str) -> None:
    # d and e stand where the other class is; e is unknown, so that one of seven is wrong.
    items = [
        ("a", "cat"),
        ("b", "cat"),
        ("c", "cat"),
        ("d", "dog"),
        ("w", "dog"),
        ("x", "dog"),
        ("y", "dog"),
        ("e", "cat"),
    ]
    found = categories.evaluate(Lookup(BUNDLES), items, clusters)
    np.testing.assert_array_equal(found.values, [1, 1, 1, 0, 1, 1, 1, math.nan])
    assert found.purity == pytest.approx(6 / 7)
    assert (found.seen, found.total, found.n_classes) == (7, 8, 2)
    assert found.sample.statistic == "mean"


@pytest.mark.parametrize("clusters", categories.CLUSTERS)
def test_lengths_do_not_matter_and_classes_unseen_take_no_cluster(clusters: str) -> None:
    items = [*((word, "near") for word in "abcd"), *((word, "far") for word in "wxyz"), ("q", "unseen")]
    found = categories.evaluate(Lookup(BUNDLES), items, clusters)
    assert (found.purity, found.n_classes) == (1.0, 2)


def test_nothing_seen_and_one_class_seen() -> None:
    nothing = categories.evaluate(Lookup(BUNDLES), [("q", "one"), ("r", "one"), ("s", "two")])
    assert (nothing.purity, nothing.seen, nothing.total, nothing.n_classes) == (None, 0, 3, 0)
    one = categories.evaluate(Lookup(BUNDLES), [("a", "one"), ("z", "one"), ("s", "two")])
    assert (one.purity, one.seen, one.n_classes) == (1.0, 2, 1)


def test_zero_vectors_are_clustered_like_any() -> None:
    vectors = Vectors(list("abc"), np.array([[0, 0], [0, 0], [1, 0]], np.float32))
    found = categories.evaluate(Lookup(vectors), [("a", "nothing"), ("b", "nothing"), ("c", "something")])
    assert found.purity == 1.0


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("clusters", categories.CLUSTERS)
def test_a_word_in_several_classes_is_right_in_one(clusters: str) -> None:
    items = [("a", "bank"), ("a", "river"), ("a", "shore"), ("z", "bank")]
    found = categories.evaluate(Lookup(BUNDLES), items, clusters)
    assert (found.seen, found.n_classes) == (4, 3)
    assert found.purity is not None
    assert found.purity >= 0.5


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 1000), n_classes=st.integers(2, 5), clusters=st.sampled_from(categories.CLUSTERS))
def test_purity_is_reproducible_and_at_least_the_largest_class(seed: int, n_classes: int, clusters: str) -> None:
    generator = np.random.default_rng(seed)
    words = [f"w{i}" for i in range(40)]
    lookup = Lookup(Vectors(words, generator.normal(size=(40, 6)).astype(np.float32)))
    classes = generator.integers(0, n_classes, 40).astype(str).tolist()
    items = list(zip(words, classes, strict=True))
    first, second = (categories.evaluate(lookup, items, clusters, seed) for _ in range(2))
    np.testing.assert_array_equal(first.values, second.values)
    # Joining clusters cannot raise purity, and all in one cluster have that of the largest class.
    assert first.purity is not None
    assert max(map(classes.count, classes)) / 40 <= first.purity <= 1


def test_unknown_way_of_clustering() -> None:
    with pytest.raises(ConfigError, match="'spectral': must be one of kmeans, agglomerative"):
        categories.evaluate(Lookup(BUNDLES), [("a", "x")], "spectral")


def test_absent_scikit_learn_names_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.cluster", None)
    with pytest.raises(MissingPackageError, match=r"scikit-learn, which is not installed: pip install 'w2v\[eval\]'"):
        categories.evaluate(Lookup(BUNDLES), [("a", "x"), ("z", "y")])
