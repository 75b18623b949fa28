"""Vectors in memory: look-ups against values worked out by hand, and their errors."""

import math
import time
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from w2v.cosine import best_rows, cosines, row_norms
from w2v.errors import ConfigError, UnknownWordError, VectorsError
from w2v.spelling import closest, n_edits
from w2v.vectors import Vectors


@pytest.fixture
def compass() -> Vectors:
    """Directions in the plane with different lengths, so that cosine and dot product disagree."""
    return Vectors(
        ["east", "northeast", "north", "west", "nowhere"],
        np.array([[1, 0], [10, 10], [0, 0.5], [-2, 0], [0, 0]], np.float32),
    )


def test_container(compass: Vectors) -> None:
    assert len(compass) == 5
    assert compass.dim == 2
    assert "north" in compass
    assert "south" not in compass
    assert compass["north"].tolist() == [0, 0.5]
    assert compass.index("west") == 3
    assert repr(compass) == "Vectors(5 words, 2 dimensions)"


def test_matrix_becomes_float32() -> None:
    vectors = Vectors(["a"], [[1, 2]], counts=[3])
    assert vectors.matrix.dtype == np.float32
    assert vectors.counts is not None
    assert vectors.counts.dtype == np.int64
    assert vectors.metadata == {}


@pytest.mark.parametrize(
    ("words", "matrix", "options", "message"),
    [
        (["a"], [[1], [2]], {}, "one row a word"),
        (["a"], [1], {}, "one row a word"),
        ([], np.zeros((0, 3)), {}, "at least one"),
        (["a"], np.zeros((1, 0)), {}, "at least one"),
        (["a", "b", "a"], np.zeros((3, 1)), {}, "'a' comes more than once"),
        (["a"], [[1]], {"output_matrix": [[1, 2]]}, "output vectors of shape"),
        (["a"], [[1]], {"counts": [1, 2]}, "counts of shape"),
    ],
)
def test_shapes_are_checked(words, matrix, options, message) -> None:
    with pytest.raises(VectorsError, match=message):
        Vectors(words, matrix, **options)


def test_nearest_ranks_by_cosine(compass: Vectors) -> None:
    answers = compass.nearest("east")
    assert [word for word, _ in answers] == ["northeast", "north", "west"]  # never itself, never the zero row
    assert [cosine for _, cosine in answers] == pytest.approx([math.sqrt(0.5), 0, -1])


def test_nearest_k_and_min_similarity(compass: Vectors) -> None:
    assert [word for word, _ in compass.nearest("east", k=1)] == ["northeast"]
    assert [word for word, _ in compass.nearest("east", min_similarity=0.0)] == ["northeast", "north"]
    assert compass.nearest("east", min_similarity=0.9) == []
    assert len(compass.nearest("east", k=100)) == 3
    with pytest.raises(ConfigError, match="at least 1"):
        compass.nearest("east", k=0)
    with pytest.raises(ConfigError, match="at least one"):
        compass.nearest([])


def test_several_words_are_the_mean_of_unit_vectors(compass: Vectors) -> None:
    # Unit vectors (1, 0) and (0, 1): their mean points north-east though east is twice as long as north.
    answers = compass.nearest(["east", "north"])
    assert answers[0] == ("northeast", pytest.approx(1.0))
    assert [word for word, _ in answers] == ["northeast", "west"]


def test_queries_that_point_nowhere(compass: Vectors) -> None:
    with pytest.raises(VectorsError, match="'nowhere' is zero"):
        compass.nearest("nowhere")
    with pytest.raises(VectorsError, match="'east', 'west' is zero"):
        compass.nearest(["east", "west"])


def test_ties_are_in_the_order_of_rows() -> None:
    vectors = Vectors(["q", "d", "c", "b", "a"], np.ones((5, 3)))
    assert [word for word, _ in vectors.nearest("q", 3)] == ["d", "c", "b"]


def test_rows_not_finite_are_never_ranked() -> None:
    matrix = np.array([[1, 0], [np.nan, 1], [np.inf, 0], [1, 1], [0, 0]], np.float32)
    vectors = Vectors(["good", "nan", "inf", "other", "zero"], matrix)
    assert [word for word, _ in vectors.nearest("good")] == ["other"]
    unit = vectors.normalized()
    assert unit.dtype == np.float32
    np.testing.assert_allclose(unit, [[1, 0], [0, 0], [0, 0], [0.5**0.5] * 2, [0, 0]], rtol=1e-6)
    with pytest.raises(VectorsError, match="not finite"):
        vectors.nearest("nan")


def test_rows_of_extreme_length_are_ranked_rightly() -> None:
    matrix = np.array([[1, 1], [3e38, 3e38], [1e-40, -1e-40], [2, 0]], np.float32)
    vectors = Vectors(["a", "huge", "tiny", "b"], matrix)
    assert vectors.nearest("a") == [
        ("huge", pytest.approx(1)),
        ("b", pytest.approx(0.5**0.5)),
        ("tiny", pytest.approx(0, abs=1e-6)),
    ]
    np.testing.assert_allclose(np.linalg.norm(vectors.normalized(), axis=1), 1, rtol=1e-5)


def test_analogy_is_3cosadd() -> None:
    # Axes: royal, female, fruit.  king - man + woman = (1, 1, 0), which is queen though she is shorter.
    words = ["man", "king", "woman", "queen", "apple", "duchess"]
    matrix = [[0.1, -2, 0], [5, -2, 0], [0.1, 2, 0], [1.5, 0.9, 0], [0, 0, 9], [1, 1, 1]]
    vectors = Vectors(words, matrix)
    answers = vectors.analogy("man", "king", "woman", k=2)
    assert [word for word, _ in answers] == ["queen", "duchess"]
    unit = np.array(matrix) / np.linalg.norm(matrix, axis=1, keepdims=True)
    target = unit[1] - unit[0] + unit[2]
    assert answers[0][1] == pytest.approx(unit[3] @ target / np.linalg.norm(target), abs=1e-6)


def test_similarity(compass: Vectors) -> None:
    assert compass.similarity("east", "northeast") == pytest.approx(0.5**0.5)
    assert compass.similarity("east", "nowhere") == 0
    with pytest.raises(UnknownWordError):
        compass.similarity("east", "up")


def test_unknown_word_names_the_closest(compass: Vectors) -> None:
    with pytest.raises(UnknownWordError, match=r"'nroth' is not one of the 5 words; closest: 'north'") as error:
        compass.nearest("nroth")
    assert error.value.exit_code == 1
    assert error.value.words == ["nroth"]
    with pytest.raises(UnknownWordError, match="no word is spelt like it"):
        compass.index("xyzzy")


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("kign", "king"),
        ("King", "king"),
        ("Kimg", "king"),
        ("usa", "USA"),
        ("quene", "queen"),
        ("paris", "Paris"),
    ],
)
def test_closest_spellings(word: str, expected: str) -> None:
    rows = {word: row for row, word in enumerate(["sign", "kin", "king", "USA", "queue", "queen", "Paris"])}
    assert closest(word, rows)[0] == expected


@pytest.mark.parametrize("word", ["", "k", "\udcff", "王" * 50])
def test_closest_takes_any_word(word: str) -> None:
    assert isinstance(closest(word, {"king": 0, "a": 1}), list)


def test_long_unknown_words_cost_nothing(compass: Vectors) -> None:
    tracemalloc.start()
    with pytest.raises(UnknownWordError) as error:
        compass.index("north" * 12_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_000_000
    assert str(error.value) == f"'{'north' * 8}'... is not one of the 5 words; no word is spelt like it"
    rows = {"a" * 99 + "b": 0}
    assert closest("a" * 100, rows) == ["a" * 99 + "b"]
    assert closest("a" * 101, rows) == []


@pytest.mark.parametrize(
    ("a", "b", "edits"),
    [("", "", 0), ("a", "", 1), ("kign", "king", 1), ("kitten", "sitting", 3), ("abc", "abc", 0)],
)
def test_n_edits(a: str, b: str, edits: int) -> None:
    assert n_edits(a, b) == n_edits(b, a) == edits


def test_closest_is_quick_on_a_million_words() -> None:
    rows = {f"w{number}ing": number for number in range(1_000_000)}
    start = time.perf_counter()
    closest("w123x456ing", rows)
    assert time.perf_counter() - start < 4  # about 0.4 s on an idle core


@pytest.mark.parametrize(
    ("config", "word", "expected"),
    [
        ({}, "Ärger", "Ärger"),
        ({"lowercase": True}, "ÄRGER", "ärger"),
        ({"normalize": "nfc"}, "A\u0308", "Ä"),
        ({"normalize": "nfkc", "lowercase": True}, "ＫＩＮＧ", "king"),
        ({"normalize": "none", "lowercase": False}, "King", "King"),
        ({"normalize": "no such form"}, "King", "King"),
    ],
)
def test_normalize_word(config, word: str, expected: str) -> None:
    assert Vectors(["x"], [[1]], metadata={"config": config}).normalize_word(word) == expected


def test_queries_are_normalised() -> None:
    metadata = {"config": {"lowercase": True}}
    vectors = Vectors(["a", "b", "c", "d"], [[1, 0], [1, 1], [0, 1], [1, 2]], metadata=metadata)
    assert vectors.nearest("A") == vectors.nearest("a")
    assert vectors.analogy("A", "B", "C") == vectors.analogy("a", "b", "c")
    assert Vectors(["x"], [[1]], metadata={"config": "no dict"}).normalize_word("X") == "X"


def test_to_gensim_agrees() -> None:
    pytest.importorskip("gensim")
    rng = np.random.default_rng(1)
    words = [f"w{i}" for i in range(50)]
    vectors = Vectors(words, rng.normal(size=(50, 7)), counts=np.arange(50, 0, -1))
    keyed = vectors.to_gensim()
    assert keyed.index_to_key == words
    assert keyed.get_vecattr("w3", "count") == 47
    assert np.array_equal(keyed.vectors, vectors.matrix)
    for ours, theirs in (
        (vectors.nearest("w5", 20), keyed.most_similar("w5", topn=20)),
        (vectors.nearest(["w5", "w9"], 20), keyed.most_similar(["w5", "w9"], topn=20)),
        (
            vectors.analogy("w1", "w2", "w3", 20),
            keyed.most_similar(positive=["w2", "w3"], negative=["w1"], topn=20),
        ),
    ):
        assert [word for word, _ in ours] == [word for word, _ in theirs]
        assert [cosine for _, cosine in ours] == pytest.approx([cosine for _, cosine in theirs], abs=1e-5)


finite_matrices = arrays(np.float32, st.tuples(st.integers(1, 20), st.integers(1, 5)),
                         elements=st.floats(-(2.0**100), 2.0**100, width=32))  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(finite_matrices, st.integers(1, 25))
def test_cosines_and_ranks_match_float64(matrix: np.ndarray, k: int) -> None:
    query = np.ones(matrix.shape[1]) / math.sqrt(matrix.shape[1])
    wide = matrix.astype(np.float64)
    lengths = np.sqrt((wide**2).sum(axis=1))
    expected = np.full(len(matrix), -np.inf)
    expected[lengths > 0] = (wide[lengths > 0] @ query) / lengths[lengths > 0]
    scores = cosines(matrix, row_norms(matrix), query)
    np.testing.assert_allclose(scores, expected, atol=1e-5)
    order = sorted((row for row in range(len(scores)) if scores[row] > -np.inf), key=lambda row: (-scores[row], row))
    assert best_rows(scores, k) == order[:k]
