"""Analogies by four methods, with values worked out by hand, one question at a time, or by gensim."""

import importlib.util
import math
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_vectors import at_angles, family, write

from w2v.errors import BenchmarkError, ConfigError
from w2v.eval import analogy, datasets, offsets
from w2v.eval.analogy import Tally
from w2v.eval.bootstrap import score
from w2v.eval.lookup import Lookup
from w2v.eval.sets import AnalogySet, Question, Section, question
from w2v.vectors import Vectors

PAIRWISE = ("add", "mul", "pair-direction")


def ask(*lines: str) -> tuple[Question, ...]:
    return tuple(question(*line.split()) for line in lines)


def random_vectors(seed: int, n_words: int, dim: int) -> Vectors:
    matrix = np.random.default_rng(seed).normal(size=(n_words, dim)).astype(np.float32)
    return Vectors([f"w{i}" for i in range(n_words)], matrix)


# --- outcomes


def test_analogies_in_a_known_geometry() -> None:
    sections = [
        Section("royal", ask("man king woman queen", "boy prince girl princess"), "semantic"),
        Section("gram-wrong", ask("man king woman girl", "man woman x y"), "syntactic"),
        Section("empty", (), "semantic"),
    ]
    found = analogy.evaluate(Lookup(family()), sections)
    tallies = {outcome.name: outcome.tally for outcome in found.sections}
    assert tallies == {"royal": Tally(2, 2, 2), "gram-wrong": Tally(0, 1, 2), "empty": Tally(0, 0, 0)}
    assert (tallies["empty"].accuracy, tallies["empty"].accuracy_of_all) == (None, None)
    assert [(one.name, one.tally) for one in found.categories] == [
        ("semantic", Tally(2, 2, 2)),
        ("syntactic", Tally(0, 1, 2)),
    ]
    total = found.total.tally
    assert total == Tally(correct=2, seen=3, total=4)
    assert (total.accuracy, total.accuracy_of_all) == (pytest.approx(2 / 3), pytest.approx(1 / 2))
    np.testing.assert_array_equal(found.total.values, [1, 1, 0, math.nan])
    assert score(found.total.sample) == pytest.approx(2 / 3)
    assert found.method == "3CosAdd"


def test_repeats_are_counted_and_scored_each_time() -> None:
    sections = [
        Section("one", ask("man king woman queen", "man king woman queen")),
        Section("two", ask("man king woman queen", "king man queen woman")),
    ]
    found = analogy.evaluate(Lookup(family()), sections)
    assert found.repeats == 2
    assert found.total.tally.total == 4


def test_no_questions_seen() -> None:
    for method in analogy.METHODS:
        found = analogy.evaluate(Lookup(family()), [Section("s", ask("x king woman queen", "x y u queen"))], method)
        assert (found.total.tally.correct, found.total.tally.seen) == (0, 0)
        assert found.total.tally.accuracy is None


def test_question_words_are_no_answers_by_their_row() -> None:
    # b - a + c is c itself when a and b are the same: the nearest other word is the answer.
    lookup = Lookup(at_angles(a=0, b=90, c=80, d=200))
    assert analogy.evaluate(lookup, [Section("s", ask("a a b c"))]).total.tally == Tally(1, 1, 1)
    # A question that expects one of its own words cannot be answered rightly.
    assert analogy.evaluate(lookup, [Section("s", ask("a a b b"))]).total.tally == Tally(0, 1, 1)
    # Another capitalisation is another row.  Only folding makes both one word.
    vectors = at_angles(A=0, C=80, c=81, d=95)
    questions = [Section("s", ask("A A C c"))]
    assert analogy.evaluate(Lookup(vectors, "none"), questions).total.tally == Tally(1, 1, 1)
    assert analogy.evaluate(Lookup(vectors, "fold"), questions).total.tally == Tally(0, 1, 1)
    assert analogy.evaluate(Lookup(vectors, "fold"), [Section("s", ask("a a c D"))]).total.tally == Tally(1, 1, 1)


def test_any_variant_of_the_right_word_is_right_when_case_is_folded() -> None:
    vectors = at_angles(a=0, c=80, D=300, d=90)
    questions = [Section("s", ask("a a c D"))]
    assert analogy.evaluate(Lookup(vectors, "none"), questions).total.tally.correct == 0
    assert analogy.evaluate(Lookup(vectors, "fold"), questions).total.tally.correct == 1


def test_words_behind_the_restriction_are_neither_known_nor_candidates() -> None:
    vectors = at_angles(a=0, c=80, d=95, near=84)
    questions = [Section("s", ask("a a c d", "a a c near"))]
    assert analogy.evaluate(Lookup(vectors), questions).total.values.tolist() == [0, 1]
    restricted = analogy.evaluate(Lookup(vectors, restrict_vocab=3), questions).total.values
    np.testing.assert_array_equal(restricted, [1, math.nan])


def test_several_right_answers_and_the_first_known_counterpart() -> None:
    vectors = family()
    first: tuple[str, tuple[str, ...]] = ("man", ("emperor", "king", "boy"))
    second: tuple[str, tuple[str, ...]] = ("woman", ("empress", "girl", "queen"))
    sections = [Section("s", ((first, second), (first, ("woman", ("empress",))), (second, first)))]
    # king - man + woman is queen; girl - woman + man is boy; of the empress nothing is known.
    found = analogy.evaluate(Lookup(vectors), sections).total.values
    np.testing.assert_array_equal(found, [1, math.nan, 1])


@pytest.mark.parametrize("method", analogy.METHODS)
def test_bats_folder_from_end_to_end(tmp_path: Path, method: str) -> None:
    folder = tmp_path / "1_Inflectional_morphology"
    write(folder / "I01 [royal].txt", "man\tking\nwoman\tempress/queen\nboy\tprince\ngirl\tprincess\nox\toxen\n")
    bats = datasets.load(str(folder))
    assert isinstance(bats, AnalogySet)
    found = analogy.evaluate(Lookup(family()), bats.sections, method)
    # Four of five pairs are known: 4 x 3 of 5 x 4 questions, and each pair once for the mean of the others.
    seen, total = (4, 5) if method == "avg" else (12, 20)
    assert (found.total.tally.seen, found.total.tally.total) == (seen, total)
    # A product prefers the next of kin to the right answer in two thirds of the questions: see `naive_scores`.
    assert found.total.tally.correct == (4 if method == "mul" else seen)
    assert [one.name for one in found.categories] == ["inflectional"]


def test_settings_that_make_no_sense() -> None:
    with pytest.raises(ConfigError, match="'cos': must be one of add, mul, avg, pair-direction"):
        analogy.evaluate(Lookup(family()), [], "cos")
    with pytest.raises(BenchmarkError, match="msr: 3CosAvg needs relations"):
        analogy.evaluate(Lookup(family()), [Section("", ask("man king woman queen"))], "avg", "msr")


# --- methods, one question and one word at a time


def naive_scores(units: npt.NDArray[np.float32], question: list[int], method: str) -> npt.NDArray[np.float64]:
    """Scores of all words in float64; those of the question at minus infinity."""
    words = units.astype(np.float64)
    a, b, c = words[question]
    scores = []
    for row, x in enumerate(words):
        if row in question:
            scores.append(-math.inf)
        elif method == "add":
            scores.append(float(x @ (b - a + c)))
        elif method == "mul":
            shifted = [(float(x @ word) + 1) / 2 for word in (a, b, c)]
            scores.append(shifted[1] * shifted[2] / (shifted[0] + 0.001))
        else:
            lengths = np.linalg.norm(x - c) * np.linalg.norm(b - a)
            scores.append(float((x - c) @ (b - a) / lengths) if lengths else 0.0)
    return np.array(scores)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    n_words=st.integers(4, 30),
    dim=st.integers(2, 9),
    width=st.integers(1, 40),
    height=st.integers(1, 20),
    method=st.sampled_from(PAIRWISE),
)
def test_tiles_of_any_size_answer_as_one_word_at_a_time(
    *, seed: int, n_words: int, dim: int, width: int, height: int, method: str
) -> None:
    vectors = random_vectors(seed, n_words, dim)
    generator = np.random.default_rng(seed)
    asked = np.array([generator.permutation(n_words)[:4] for _ in range(17)])
    questions = ask(*(" ".join(vectors.words[row] for row in rows) for rows in asked))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(offsets, "_NARROWEST", width)
        patch.setattr(offsets, "_WIDEST", width)
        patch.setattr(offsets, "SCORE_BYTES", 4 * width * height)
        found = analogy.evaluate(Lookup(vectors), [Section("s", questions)], method).total.values
    units = vectors.normalized()
    for rows, value in zip(asked.tolist(), found.tolist(), strict=True):
        scores = naive_scores(units, rows[:3], method)
        others = np.delete(scores, rows[3])
        # Where two are as good as equal, rounding decides.
        if abs(scores[rows[3]] - others.max()) > 1e-4 * max(1, abs(others.max())):
            assert value == (scores[rows[3]] > others.max())


def test_average_offset_leaves_out_the_pair_itself() -> None:
    vectors = random_vectors(3, 40, 12)
    pairs = [(f"w{i}", f"w{i + 20}") for i in range(6)]
    # The answers expected are those of the formula in one half of the relations, and others in the other half.
    units = vectors.normalized().astype(np.float64)
    for i in range(6):
        others = [j for j in range(6) if j != i]
        offset = np.mean([units[j + 20] - units[j] for j in others], axis=0)
        scores = units @ (units[i] + offset)
        scores[i] = -np.inf
        answer = f"w{scores.argmax()}"
        questions = tuple((pairs[j], pairs[i]) for j in others) + tuple((pairs[i], pairs[j]) for j in others)
        related = tuple(((a, (b,)), (c, (d,))) for (a, b), (c, d) in questions)
        found = analogy.evaluate(Lookup(vectors), [Section("s", related)], "avg")
        position = [pair[0] for pair in Section("s", related).pairs].index(f"w{i}")
        assert found.total.tally.total == 6
        assert found.total.values[position] == (answer == pairs[i][1])


def test_multiplying_and_adding_can_differ() -> None:
    # x has cosines 0.9, 0.9, 0.8 with b, c and a; y has 0.5, 0.5, -0.3.
    cosines = {"x": (0.8, 0.9, 0.9), "y": (-0.3, 0.5, 0.5)}
    add = {word: b - a + c for word, (a, b, c) in cosines.items()}
    mul = {word: (1 + b) / 2 * (1 + c) / 2 / ((1 + a) / 2 + 0.001) for word, (a, b, c) in cosines.items()}
    arrays = [np.array([[values[i] for values in cosines.values()]], np.float32) for i in range(3)]
    own = np.zeros((1, 1), np.float32)
    summed = offsets.add(*(array.copy() for array in arrays), own)
    np.testing.assert_allclose(summed[0], list(add.values()), rtol=1e-6)
    multiplied = offsets.mul(*(array.copy() for array in arrays), own)
    # Twice each shifted cosine: the quotient is twice the formula's.
    np.testing.assert_allclose(multiplied[0], 2 * np.array(list(mul.values())), rtol=1e-6)


@pytest.mark.parametrize("method", PAIRWISE)
def test_no_word_left_to_answer_with(method: str) -> None:
    matrix = np.array([[1, 0], [0, 1], [1, 1], [0, 0], [np.nan, 1]], np.float32)
    vectors = Vectors(list("abcde"), matrix)
    found = analogy.evaluate(Lookup(vectors), [Section("s", ask("a b c a", "a b c b"))], method)
    assert found.total.tally == Tally(0, 2, 2)


# --- gensim as the other side


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Vectors of a small corpus with capitals, trained and written by gensim."""
    word2vec = pytest.importorskip("gensim.models").Word2Vec
    folder = tmp_path_factory.mktemp("trained")
    corpus = datasets.catalog.find("lee")
    model = word2vec(corpus_file=str(corpus), sg=1, vector_size=30, min_count=2, epochs=5, seed=1, workers=1)
    model.wv.save_word2vec_format(str(folder / "vectors.bin"), binary=True)
    return folder / "vectors.bin"


@pytest.mark.parametrize("restrict_vocab", [10**6, 1500])
@pytest.mark.parametrize("case", ["none", "fold"])
def test_analogies_agree_with_gensim_question_for_question(
    trained: Path, tmp_path: Path, case: str, restrict_vocab: int
) -> None:
    models = pytest.importorskip("gensim.models")
    theirs, ours = models.KeyedVectors.load_word2vec_format(str(trained), binary=True), Vectors.load(trained)
    lines = [": made"]
    for asked in np.random.default_rng(5).integers(0, 400, size=(200, 3)).tolist():
        # Every other question expects gensim's own answer, so that right answers are compared as well.
        a, b, c = (theirs.index_to_key[i] for i in asked)
        answers = theirs.most_similar(positive=[b, c], negative=[a], topn=2, restrict_vocab=restrict_vocab)
        lines.append(f"{a} {b} {c} {answers[len(lines) % 2][0]}")
    google = datasets.catalog.find("google").read_text(encoding="utf-8").rstrip("\n")
    path = write(tmp_path / "questions.txt", google + "\n" + "\n".join(lines))
    _, sections = theirs.evaluate_word_analogies(
        str(path), restrict_vocab=restrict_vocab, case_insensitive=case == "fold"
    )
    one = datasets.load(str(path))
    assert isinstance(one, AnalogySet)
    lookup = Lookup(ours, case, restrict_vocab)
    assert (lookup.collisions > 50) == (case == "fold")
    found = analogy.evaluate(lookup, one.sections)
    assert len(sections) == len(found.sections) + 1
    for expected, outcome in zip(sections, found.sections, strict=False):
        tally = Tally(len(expected["correct"]), len(expected["correct"]) + len(expected["incorrect"]), 0)
        assert (outcome.name, outcome.tally.correct, outcome.tally.seen) == (
            expected["section"], tally.correct, tally.seen,
        )  # fmt: skip
    assert found.sections[-1].tally.correct >= 60
    right = set(sections[-1]["correct"])
    questions = [question for section in one.sections for question in section.questions]
    for ((a, (b,)), (c, (d,))), value in zip(questions, found.total.values.tolist(), strict=True):
        if not math.isnan(value):
            key = tuple(each.upper() for each in (a, b, c, d)) if case == "fold" else (a, b, c, d)
            assert (value == 1) == (key in right)


@pytest.mark.skipif(importlib.util.find_spec("gensim") is None, reason="gensim is not installed")
def test_google_has_171_repeats() -> None:
    google = datasets.load("google")
    assert isinstance(google, AnalogySet)
    questions = [question for section in google.sections for question in section.questions]
    found = analogy.evaluate(Lookup(family()), google.sections)
    assert found.repeats == 19544 - len(set(questions)) == 171
    # man, woman, king, queen, boy, girl, prince and princess are four pairs of `family`: 4 x 3 questions.
    assert found.total.tally.seen == 12
    assert found.total.tally.total == 19544
    by_relation = analogy.evaluate(Lookup(family()), google.sections, "avg")
    assert by_relation.total.tally.seen == 4
    assert by_relation.total.tally.total == sum(len(section.pairs) for section in google.sections)


@pytest.mark.parametrize("method", PAIRWISE)
def test_words_without_a_usable_vector_are_out_of_the_vocabulary(method: str) -> None:
    matrix = np.array([[1, 0], [0, 1], [1, 1], [0, 0], [np.nan, 1]], np.float32)
    found = analogy.evaluate(Lookup(Vectors(list("abcde"), matrix)), [Section("s", ask("a b c d", "a b c e"))], method)
    assert found.total.tally == Tally(0, 0, 2)
