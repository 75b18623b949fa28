"""Benchmark sets, Spearman and 3CosAdd, with values worked out by hand or by gensim."""

import dataclasses
import gzip
import importlib.util
import json
import math
import os
import re
import subprocess
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import click
import numpy as np
import numpy.typing as npt
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from w2v.errors import BenchmarkError
from w2v.eval import (
    analogy,
    benchmark,
    datasets,
    encoding,
    gensim_baseline,
    objectives,
    report,
    runs,
    script,
    similarity,
)
from w2v.eval.datasets import AnalogySet, Section, SimilaritySet
from w2v.eval.lookup import word_finder
from w2v.vectors import Vectors

needs_gensim = pytest.mark.skipif(importlib.util.find_spec("gensim") is None, reason="gensim is not installed")
SHARED_SETS = Path(__file__).resolve().parents[2] / "shared" / "benchmarks"
OPTIONS = runs.Options(
    dim=8, window=2, negative=2, epochs=1, sample=1e-3, lr=0.025, min_count=1, threads=1
)  # fmt: skip


def at_angles(**degrees: float) -> Vectors:
    """Words in the plane, each at an angle; the lengths differ, since they must not matter."""
    angles = np.radians(list(degrees.values()))
    lengths = np.arange(1, len(angles) + 1)
    matrix = np.stack([np.cos(angles), np.sin(angles)], axis=1) * lengths[:, None]
    return Vectors(list(degrees), matrix.astype(np.float32))


def write(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


# --- where gensim keeps its sets


def test_absent_gensim_names_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(BenchmarkError, match=r"wordsim353\.tsv.*pip install 'w2v\[eval\]'"):
        datasets.load("wordsim353")


def test_gensim_without_its_test_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    spec = ModuleSpec("gensim", None, is_package=True)
    spec.submodule_search_locations = [str(tmp_path)]
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: spec)
    with pytest.raises(BenchmarkError, match=r"simlex999\.txt: not in the installed gensim: pip install"):
        datasets.load("simlex999")


@needs_gensim
def test_packaged_sets_have_their_known_sizes() -> None:
    word_similarity, simlex, google = report.load_sets([], [])
    assert isinstance(word_similarity, SimilaritySet)
    assert len(word_similarity.pairs) == 353
    assert word_similarity.pairs[0] == ("love", "sex", 6.77)
    assert isinstance(simlex, SimilaritySet)
    assert len(simlex.pairs) == 999
    assert isinstance(google, AnalogySet)
    assert len(google.sections) == 14
    assert sum(len(s.questions) for s in google.sections) == 19544
    assert google.sections[0].questions[0] == ("Athens", "Greece", "Baghdad", "Iraq")
    syntactic = [s for s in google.sections if s.name.startswith("gram")]
    assert sum(len(s.questions) for s in syntactic) == 10675


def test_names_replace_the_standard_sets_and_files_come_behind(tmp_path: Path) -> None:
    one = write(tmp_path / "one.txt", "a b 1\n")
    two = write(tmp_path / "two.txt", "a b c d\n")
    assert [s.name for s in report.load_sets([str(two)], [str(one)])] == ["two", "one"]


# --- readers


@pytest.mark.parametrize(
    "text",
    [
        "old\tnew\t1.5\nbig\tlarge\t9\n",
        "old,new,1.5\nbig,large,9\n",
        "old new 1.5\nbig   large  9",
        "old\tnew\t1.5\r\nbig\tlarge\t9\r\n",
        "old\tnew\t1.5\rbig\tlarge\t9\r",
        "\ufeffold\tnew\t1.5\n\n\nbig\tlarge\t9\n",
        "# a comment\n# Word 1\tWord 2\tHuman (mean)\nold\tnew\t1.5\n# more\nbig\tlarge\t9\n",
        "Word 1,Word 2,Human (mean)\nold,new,1.5\nbig,large,9\n",
        "word1 word2 SimLex999\n old new 1.5 \nbig large 9e0\n",
    ],
)
def test_pairs_are_read_in_every_layout(tmp_path: Path, text: str) -> None:
    found = datasets.read_set(write(tmp_path / "pairs", text), "pairs")
    assert found == SimilaritySet("pairs", (("old", "new", 1.5), ("big", "large", 9.0)))


def test_tabs_keep_blanks_and_commas_in_words(tmp_path: Path) -> None:
    found = datasets.read_set(write(tmp_path / "pairs", "New York\ta,b\t-1\n"), "pairs")
    assert found == SimilaritySet("pairs", (("New York", "a,b", -1.0),))


@pytest.mark.parametrize("separator", [" ", "\t", "   "])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_questions_and_sections(tmp_path: Path, separator: str, end: str) -> None:
    lines = [": capital cities", "a b c d", ":gram1", "e f g h", "i j k l", ": empty", ""]
    text = end.join(line if line.startswith(":") else line.replace(" ", separator) for line in lines)
    found = datasets.read_set(write(tmp_path / "questions", text), "questions")
    first, second = ("a", "b", "c", "d"), (("e", "f", "g", "h"), ("i", "j", "k", "l"))
    sections = (Section("capital cities", (first,)), Section("gram1", second), Section("empty", ()))
    assert found == AnalogySet("questions", sections)


def test_questions_without_sections(tmp_path: Path) -> None:
    found = datasets.read_set(write(tmp_path / "msr", "good better rough rougher\r\n"), "msr")
    assert found == AnalogySet("msr", (Section("", (("good", "better", "rough", "rougher"),)),))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no word pairs or analogy questions"),
        ("\n  \n# only a comment\n", "no word pairs or analogy questions"),
        ("a\tb\t1\nc\td\n", r"line 2: 2 columns"),
        ("a\tb\t1\n\n# x\nc\td\t5,5\n", r"line 4: '5,5' is not a number"),
        ("a\tb\t1\nc\t\t5\n", r"line 2: 3 columns"),
        ("a\tb\t1\nc\td\tnan\n", r"line 2: 'nan' is not a number"),
        ("a\tb\tinf\n", r"line 1: 'inf' is not a number"),
        ("a\tb\t6.x\nc\td\t1\n", r"line 1: '6.x' is not a number"),
        ("word1\tword2\tscore\n", "headings without word pairs"),
        ("a b\n", r"line 1: 2 columns; a pair is two words and a number \(an analogy question is four"),
        ("a b c d\ne f g\n", r"line 2: 3 words; an analogy question has 4"),
        (": s\na b c d e\n", r"line 2: 5 words"),
        (": s\na\tb\t\td\n", r"line 2: 4 words"),
        (": s\n: t\n", "sections without analogy questions"),
        ("<!DOCTYPE html><html>", "HTML page"),
        ("\n <HTML>\n", "HTML page"),
        (b"a b 1\nc\xff d 2\n", r"not UTF-8 text \(byte 7\)"),
        (gzip.compress(b"a b 1\n"), "compressed file must be decompressed"),
        (b"a\0b c 1\n", "binary file"),
    ],
)
def test_malformed_file_is_named_with_its_line(tmp_path: Path, text: str | bytes, message: str) -> None:
    path = write(tmp_path / "set.txt", text)
    with pytest.raises(BenchmarkError, match=message) as error:
        datasets.load(str(path))
    assert str(error.value).startswith(str(path))
    assert "\n" not in str(error.value)
    assert error.value.exit_code == 2


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(BenchmarkError, match="no such file, nor one of the names wordsim353, simlex999, google"):
        datasets.load(str(tmp_path / "nothing"))
    with pytest.raises(BenchmarkError, match="cannot be read: Is a directory"):
        datasets.load(str(tmp_path))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_pipes_are_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BenchmarkError, match="pipe: cannot be read: not a regular file; save it to one first"):
        datasets.load(str(tmp_path / "pipe"))


word = st.text(st.characters(exclude_categories=("Z", "C")), min_size=1, max_size=6).filter(
    lambda text: not text.startswith(("#", ":", "<", "\ufeff"))
)
score = st.floats(-100, 100)


@settings(max_examples=60, deadline=None)
@given(pairs=st.lists(st.tuples(word, word, score), min_size=1, max_size=8))
def test_written_pairs_read_back(tmp_path_factory: pytest.TempPathFactory, pairs: list[datasets.Pair]) -> None:
    path = tmp_path_factory.mktemp("pairs") / "set.tsv"
    write(path, "".join(f"{a}\t{b}\t{number!r}\n" for a, b, number in pairs))
    assert datasets.read_set(path, "set") == SimilaritySet("set", tuple(pairs))


# --- words


def test_lower_case_vocabulary_is_found_by_capitalised_words() -> None:
    find = word_finder(at_angles(athens=0, été=1))
    assert [find("Athens"), find("athens"), find("ÉTÉ"), find("Greece")] == [0, 0, 1, None]


def test_vocabulary_with_capitals_is_taken_at_its_word() -> None:
    find = word_finder(at_angles(polish=0, Polish=1, athens=2))
    assert [find("Polish"), find("polish"), find("Athens"), find("POLISH")] == [1, 0, None, None]


def test_words_are_treated_as_the_training_text_was() -> None:
    vectors = Vectors(
        ["\xe9t\xe9", "IBM"],
        np.eye(2, dtype=np.float32),
        metadata={"config": {"lowercase": False, "normalize": "nfc"}},
    )
    assert word_finder(vectors)("e\u0301te\u0301") == 0


# --- similarity


def test_spearman_by_its_definition() -> None:
    # Cosines fall with the angle to a; people rank c and d the other way round.
    vectors = at_angles(a=0, b=10, c=40, d=80, e=170)
    pairs = [("a", "b", 9.0), ("a", "c", 2.0), ("a", "d", 5.0), ("a", "e", 1.0)]
    found = similarity.evaluate(vectors, pairs)
    assert found.spearman == pytest.approx(1 - 6 * (1 + 1) / (4 * (16 - 1)))
    assert (found.seen, found.total) == (4, 4)


def test_ties_share_their_mean_rank() -> None:
    vectors = at_angles(a=0, b=80, c=60, d=40, e=20)
    pairs = [("a", "b", 1.0), ("a", "c", 1.0), ("a", "d", 2.0), ("a", "e", 3.0)]
    # Ranks 1.5 1.5 3 4 against 1 2 3 4: covariance 4.5, variances 4.5 and 5.
    assert similarity.evaluate(vectors, pairs).spearman == pytest.approx(4.5 / math.sqrt(4.5 * 5))


def test_pairs_of_a_word_with_itself_tie_whatever_the_rounding() -> None:
    generator = np.random.default_rng(0)
    words = [f"w{i}" for i in range(40)]
    vectors = Vectors(words, generator.normal(size=(40, 37)).astype(np.float32))
    pairs = [(one, one, float(i)) for i, one in enumerate(words)]
    assert similarity.evaluate(vectors, pairs).spearman is None
    # 40 ties at the top and one pair below: the correlation is that of the ties with the rest.
    ranks, tied = np.r_[1.0, np.arange(2.0, 42.0)], np.r_[1.0, np.full(40, 21.5)]
    expected = float(np.corrcoef(ranks, tied)[0, 1])
    assert similarity.evaluate(vectors, [("w0", "w1", -1.0), *pairs]).spearman == pytest.approx(expected)


def test_pairs_out_of_vocabulary_are_skipped_and_counted() -> None:
    vectors = at_angles(a=0, b=10, c=20, d=30)
    pairs = [("a", "b", 3.0), ("a", "x", 9.0), ("a", "c", 2.0), ("y", "z", 9.0), ("a", "d", 1.0)]
    found = similarity.evaluate(vectors, pairs)
    assert found.spearman == pytest.approx(1.0)
    assert (found.seen, found.total) == (3, 5)


@pytest.mark.parametrize(
    ("pairs", "seen"),
    [
        ([("x", "y", 1.0), ("x", "z", 2.0)], 0),
        ([("a", "b", 1.0), ("x", "z", 2.0)], 1),
        ([("a", "b", 1.0), ("a", "c", 1.0)], 2),
        ([("a", "b", 1.0), ("b", "a", 2.0)], 2),
    ],
)
def test_undefined_correlation_is_none_not_nan(pairs: list[datasets.Pair], seen: int) -> None:
    found = similarity.evaluate(at_angles(a=0, b=10, c=30), pairs)
    assert (found.spearman, found.seen) == (None, seen)


def test_zero_and_broken_rows_do_not_spoil_the_score() -> None:
    matrix = np.array([[1, 0], [0.9, 0.1], [0, 1], [0, 0], [np.nan, 1]], dtype=np.float32)
    vectors = Vectors(list("abcde"), matrix)
    pairs = [("a", "b", 3.0), ("a", "c", 1.0), ("a", "d", 1.0), ("a", "e", 1.0)]
    assert similarity.evaluate(vectors, pairs).spearman == pytest.approx(1.0)


# --- analogies


def family() -> Vectors:
    """Gender is the first axis, royalty the second, age the third; `king` stands nearest to most sums."""
    words = {
        "man": (1, 0, 1), "woman": (-1, 0, 1), "king": (1, 2, 1), "queen": (-1, 2, 1),
        "boy": (1, 0, -1), "girl": (-1, 0, -1), "prince": (1, 2, -1), "princess": (-1, 2, -1),
    }  # fmt: skip
    return Vectors(list(words), np.array(list(words.values()), dtype=np.float32))


def test_analogies_in_a_known_geometry() -> None:
    sections = [
        Section("royal", (("man", "king", "woman", "queen"), ("boy", "prince", "girl", "princess"))),
        Section("gram-wrong", (("man", "king", "woman", "girl"), ("man", "woman", "x", "y"))),
        Section("empty", ()),
    ]
    found = analogy.evaluate(family(), sections)
    tallies = dict(found.sections)
    assert tallies["royal"] == analogy.Tally(correct=2, seen=2, total=2)
    assert tallies["gram-wrong"] == analogy.Tally(correct=0, seen=1, total=2)
    assert tallies["empty"] == analogy.Tally(0, 0, 0)
    assert tallies["empty"].accuracy is None
    assert found.semantic == analogy.Tally(2, 2, 2)
    assert found.syntactic == analogy.Tally(0, 1, 2)
    assert found.total == analogy.Tally(2, 3, 4)
    assert found.total.accuracy == pytest.approx(2 / 3)


def test_question_words_are_no_answers() -> None:
    # b - a + c is c itself when a and b are the same: the nearest other word is the answer.
    units = at_angles(a=0, b=90, c=80, d=200).normalized()
    assert analogy.predict(units, np.array([[0, 0, 1]])).tolist() == [2]
    # A question that expects one of its own words cannot be answered rightly.
    vectors = at_angles(a=0, b=90, c=80)
    assert analogy.evaluate(vectors, [Section("s", (("a", "a", "b", "b"),))]).total == analogy.Tally(0, 1, 1)


def test_no_word_left_to_answer_with() -> None:
    units = np.array([[1, 0], [0, 1], [1, 0], [0, 0]], dtype=np.float32)
    assert analogy.predict(units, np.array([[0, 1, 2]])).tolist() == [-1]


def test_no_questions_seen() -> None:
    found = analogy.evaluate(family(), [Section("s", (("x", "king", "woman", "queen"),))])
    assert found.total == analogy.Tally(0, 0, 1)
    assert found.total.accuracy is None


def naive_answer(units: npt.NDArray[np.float32], question: list[int]) -> npt.NDArray[np.float64]:
    """Cosines of all words with b - a + c, in float64, one at a time; question words at minus infinity."""
    a, b, c = units[question].astype(np.float64)
    target = b - a + c
    cosines = [float(row.astype(np.float64) @ target) for row in units]
    return np.array([-math.inf if i in question else cosine for i, cosine in enumerate(cosines)])


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32), n_words=st.integers(4, 30), dim=st.integers(1, 9), block=st.integers(1, 4000))
def test_blocks_of_any_size_answer_as_one_word_at_a_time(seed: int, n_words: int, dim: int, block: int) -> None:
    generator = np.random.default_rng(seed)
    vectors = Vectors([f"w{i}" for i in range(n_words)], generator.normal(size=(n_words, dim)).astype(np.float32))
    units = vectors.normalized()
    questions = generator.integers(0, n_words, size=(17, 3))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(analogy, "BLOCK_BYTES", block)
        answers = analogy.predict(units, questions)
    for question, answer in zip(questions.tolist(), answers.tolist(), strict=True):
        scores = naive_answer(units, question)
        assert answer not in question
        assert scores[answer] == pytest.approx(scores.max(), abs=1e-5)


# --- gensim as the other side


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Vectors of a small lower-cased corpus, trained and written by gensim."""
    word2vec = pytest.importorskip("gensim.models").Word2Vec
    folder = tmp_path_factory.mktemp("trained")
    text = datasets.packaged_path("lee_background.cor").read_text(encoding="utf-8").lower()
    corpus = write(folder / "corpus.txt", text)
    model = word2vec(corpus_file=str(corpus), sg=1, vector_size=40, min_count=2, epochs=8, seed=1, workers=1)
    model.wv.save_word2vec_format(str(folder / "vectors.bin"), binary=True)
    return folder / "vectors.bin"


def test_spearman_agrees_with_gensim(trained: Path) -> None:
    models = pytest.importorskip("gensim.models")
    theirs, ours = models.KeyedVectors.load_word2vec_format(str(trained), binary=True), Vectors.load(trained)
    files = [datasets.packaged_path(file) for file in ("wordsim353.tsv", "simlex999.txt")]
    for path in [*files, *sorted(SHARED_SETS.glob("similarity/*.txt"))]:
        one = datasets.read_set(path, "set")
        assert isinstance(one, SimilaritySet)
        _, expected, unseen = theirs.evaluate_word_pairs(str(path))
        found = similarity.evaluate(ours, one.pairs)
        assert found.spearman == pytest.approx(expected[0], abs=1e-6)
        assert 100 * (1 - found.seen / found.total) == pytest.approx(unseen)


def test_analogies_agree_with_gensim_question_for_question(trained: Path, tmp_path: Path) -> None:
    models = pytest.importorskip("gensim.models")
    theirs, ours = models.KeyedVectors.load_word2vec_format(str(trained), binary=True), Vectors.load(trained)
    google = datasets.packaged_path("questions-words.txt").read_text(encoding="utf-8")
    generator = np.random.default_rng(5)
    lines = [": made"]
    for asked in generator.integers(0, 400, size=(60, 3)).tolist():
        # Every other question expects gensim's own answer, so that right answers are compared as well.
        a, b, c = (theirs.index_to_key[i] for i in asked)
        answers = theirs.most_similar(positive=[b, c], negative=[a], topn=2)
        lines.append(f"{a} {b} {c} {answers[len(lines) % 2][0]}")
    path = write(tmp_path / "questions.txt", google.rstrip("\n") + "\n" + "\n".join(lines))
    _, sections = theirs.evaluate_word_analogies(str(path), restrict_vocab=10**6)
    one = datasets.read_set(path, "set")
    assert isinstance(one, AnalogySet)
    found = analogy.evaluate(ours, one.sections)
    assert len(sections) == len(found.sections) + 1
    for expected, (name, tally) in zip(sections, found.sections, strict=False):
        assert (name, tally.correct) == (expected["section"], len(expected["correct"]))
        assert tally.seen == len(expected["correct"]) + len(expected["incorrect"])
    assert 20 <= dict(found.sections)["made"].correct <= 40
    right = {tuple(word.lower() for word in question) for question in sections[-1]["correct"]}
    find, units = word_finder(ours), ours.normalized()
    for question in (question for section in one.sections for question in section.questions):
        rows = [find(word) for word in question]
        if None not in rows:
            (answer,) = analogy.predict(units, np.array([rows[:3]]))
            assert (answer == rows[3]) == (tuple(word.lower() for word in question) in right)


@pytest.mark.skipif(not SHARED_SETS.is_dir(), reason="needs the sets in ../shared/benchmarks")
def test_every_shared_set_is_readable() -> None:
    files = sorted(SHARED_SETS.glob("*/*.txt"))
    sets = {f"{path.parent.name}/{path.stem}": datasets.read_set(path, path.stem) for path in files}
    counts = {
        name: len(one.pairs) if isinstance(one, SimilaritySet) else sum(len(s.questions) for s in one.sections)
        for name, one in sets.items()
    }
    assert counts["similarity/EN-MEN-TR-3k"] == 3000
    assert counts["similarity/EN-RW-STANFORD"] == 2034
    assert counts["similarity/EN-MTurk-771"] == 771
    assert counts["analogy/msr"] == 8000
    assert counts["analogy/questions-words"] == 19544
    assert (counts["zh/240"], counts["zh/297"]) == (240, 297)


# --- reports


def test_report_rows_and_json() -> None:
    sets: list[SimilaritySet | AnalogySet] = [
        SimilaritySet("pairs", (("man", "king", 5.0), ("man", "queen", 1.0), ("man", "x", 1.0))),
        AnalogySet(
            "mixed",
            (
                Section("royal", (("man", "king", "woman", "queen"),)),
                Section("gram1", (("man", "king", "woman", "girl"), ("a", "b", "c", "d"))),
            ),
        ),
        AnalogySet("plain", (Section("", (("man", "king", "woman", "queen"),)),)),
    ]
    pairs, mixed, plain = report.score_sets(family(), sets)
    (score,) = pairs.scores()
    assert (score.name, score.measure, score.seen, score.total) == ("pairs", report.SPEARMAN, 2, 3)
    assert score.value == pytest.approx(100.0)
    assert [(s.name, s.value, s.seen, s.total) for s in mixed.scores()] == [
        ("mixed semantic", 100.0, 1, 1),
        ("mixed syntactic", 0.0, 1, 2),
        ("mixed total", 50.0, 2, 3),
    ]
    assert [s.name for s in mixed.scores(with_sections=True)][:2] == ["mixed royal", "mixed gram1"]
    assert [s.name for s in plain.scores(with_sections=True)] == ["plain total"]
    as_json = mixed.to_json()
    assert as_json["total"] == {"score": 50.0, "correct": 1, "seen": 2, "total": 3}
    assert as_json["sections"][1] == {"section": "gram1", "score": 0.0, "correct": 0, "seen": 1, "total": 2}
    assert pairs.to_json() == {
        "set": "pairs", "kind": "similarity", "score": pytest.approx(100.0), "seen": 2, "total": 3,
    }  # fmt: skip


def test_tables() -> None:
    header, rows = ("", "words/s"), [("w2v", "1,000"), ("gensim", "9")]
    assert script.render(header, rows, "text") == "        words/s\nw2v       1,000\ngensim        9"
    assert script.render(header, rows, "markdown").splitlines() == [
        "|        | words/s |",
        "| ------ | ------: |",
        "| w2v    |   1,000 |",
        "| gensim |       9 |",
    ]
    assert json.loads(script.render(header, rows, "json"))[1] == {"": "gensim", "words/s": "9"}


# --- measurements


@needs_gensim
def test_gensim_baseline_measures_itself(tmp_path: Path) -> None:
    corpus = write(tmp_path / "corpus.txt", "a b c a\nb a rare\n" * 50 + "once\n")
    out = tmp_path / "vectors.bin"
    arguments = ["--out", str(out), "--dim", "8", "--epochs", "2", "--min-count", "2", "--threads", "1"]
    done = subprocess.run(
        [sys.executable, "-m", "w2v.eval.gensim_baseline", str(corpus), *arguments],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    summary = json.loads(done.stdout)
    assert summary["tokens"] == 7 * 50
    assert summary["vocabulary"] == 4
    seconds = summary["seconds"]
    assert seconds["total"] == pytest.approx(seconds["counting"] + seconds["training"] + seconds["saving"])
    assert summary["words_per_second"] == pytest.approx(2 * 7 * 50 / seconds["training"])
    assert 10 < summary["peak_memory_mib"] < 4000
    found = Vectors.load(out)
    assert found.words[0] == "a"
    assert found.matrix.shape == (4, 8)


@needs_gensim
@pytest.mark.parametrize("form", [{"loss": "hs"}, {"architecture": "cbow"}])
def test_both_tools_train_hierarchical_softmax_and_cbow(form: dict[str, str], tmp_path: Path) -> None:
    corpus = write(tmp_path / "corpus.txt", "a b c a\nb a c\n" * 100)
    options = dataclasses.replace(OPTIONS, min_count=1, epochs=1, threads=1, **form)  # type: ignore[arg-type]
    for tool in runs.TOOLS:
        done = runs.train(tool, corpus, tmp_path / f"{tool}.bin", options, seed=1)
        assert done.words_per_second > 0
        assert sorted(Vectors.load(tmp_path / f"{tool}.bin").words) == ["a", "b", "c"]


def test_speed_of_objectives(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    forms = {name: objectives.FORMS[name] for name in ("sgns", "nce")}
    monkeypatch.setattr(objectives, "FORMS", forms)
    corpus = write(tmp_path / "corpus.txt", "a b c a\nb a c\n" * 100)
    arguments = ["objectives", str(corpus), "--runs", "1", "--threads", "1", "--format", "text"]
    outcome = CliRunner().invoke(benchmark.command, arguments, catch_exceptions=False)
    header, *rows = [re.split("  +", line.strip()) for line in outcome.stdout.splitlines()]
    assert header == ["M scores/s", "ratio", "M words/s", "ratio"]
    assert [row[0] for row in rows] == ["sgns", "nce"]
    assert rows[0][2] == rows[0][4] == "1.00"
    assert float(rows[1][2]) > 0


def test_ratios_are_of_the_same_round() -> None:
    speeds = {"sgns": [objectives.Speed(2e6, 1e6), objectives.Speed(4e6, 2e6)],
              "nce": [objectives.Speed(1e6, 1e6), objectives.Speed(2e6, 4e6)]}  # fmt: skip
    _, rows = objectives.table(speeds)
    assert rows[1] == ("nce", "1.5", "0.50", "2.50", "1.50")


@needs_gensim
def test_failed_training_run_is_one_line_with_the_reason(tmp_path: Path) -> None:
    corpus = write(tmp_path / "corpus.txt", "a b c\n")
    options = dataclasses.replace(OPTIONS, min_count=100)
    with pytest.raises(BenchmarkError, match=r"with gensim failed: .*no word occurs 100 times"):
        runs.train("gensim", corpus, tmp_path / "out.bin", options, seed=1)


def test_gensim_baseline_without_gensim(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "gensim.models", None)
    with pytest.raises(BenchmarkError, match=r"pip install 'w2v\[eval\]'"):
        gensim_baseline.train(tmp_path / "corpus.txt", tmp_path / "out.bin", epochs=1)


def test_training_run_of_w2v_is_read_from_its_log(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[str] = []

    def fake_run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        asked.extend(command)
        summary = {
            "event": "summary",
            "words_per_second": 2.5,
            "peak_memory_mib": 7.0,
            "seconds": {"counting": 0.5},
        }
        log = Path(command[command.index("--log-json") + 1])
        log.write_text('{"event": "training"}\n' + json.dumps(summary) + "\n", encoding="utf-8")
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", fake_run)
    found = runs.train("w2v", tmp_path / "corpus.txt", tmp_path / "out.bin", OPTIONS, seed=3)
    assert (found.counting, found.words_per_second, found.peak_memory_mib) == (0.5, 2.5, 7.0)
    assert found.wall > 0
    start = [sys.executable, "-P", "-m", "w2v.cli.main", "train", str(tmp_path / "corpus.txt")]
    assert asked[:8] == [*start, "-o", str(tmp_path / "out.bin")]
    assert set(OPTIONS.arguments()) < set(asked)
    assert asked[asked.index("--seed") + 1] == "3"
    assert list(tmp_path.iterdir()) == []


def test_options_become_arguments() -> None:
    assert OPTIONS.arguments()[:2] == ["--dim=8", "--window=2"]
    assert "--min-count=1" in OPTIONS.arguments()


class FakeRuns:
    """Training runs of known outcome: w2v takes 1, 2, 9 s, gensim 20, 40, 90 s."""

    def __init__(self, vectors: dict[str, Vectors]) -> None:
        self.order: list[tuple[str, int]] = []
        self._vectors = vectors

    def train(self, tool: str, corpus: Path, out: Path, options: runs.Options, seed: int) -> runs.Run:
        self.order.append((tool, seed))
        self._vectors[tool].save(out, overwrite=True)
        wall = {"w2v": [1.0, 2.0, 9.0], "gensim": [20.0, 40.0, 90.0]}[tool][(seed - 1) % 3]
        return runs.Run(wall, wall / 4, 1e6 / wall, 10 * wall)


@pytest.fixture
def fake_runs(monkeypatch: pytest.MonkeyPatch) -> FakeRuns:
    fake = FakeRuns({"w2v": at_angles(a=0, b=10, c=40, d=80), "gensim": at_angles(a=0, b=10, c=80, d=40)})
    monkeypatch.setattr(runs, "train", fake.train)
    return fake


@pytest.mark.parametrize("program", [benchmark.command.commands["speed"], gensim_baseline.command])
def test_compressed_corpus_is_refused_before_anything_runs(
    fake_runs: FakeRuns, program: click.Command, tmp_path: Path
) -> None:
    corpus = write(tmp_path / "corpus.txt", gzip.compress(b"a b c\n"))
    outcome = CliRunner().invoke(program, [str(corpus)])
    assert isinstance(outcome.exception, BenchmarkError)
    assert "corpus.txt: compressed" in str(outcome.exception)
    assert fake_runs.order == []


def test_speed_alternates_and_shows_medians(fake_runs: FakeRuns, tmp_path: Path) -> None:
    corpus = write(tmp_path / "corpus.txt", "a b\n")
    outcome = CliRunner().invoke(benchmark.command, ["speed", str(corpus), "--format", "json"])
    assert outcome.exit_code == 0, outcome.output
    assert fake_runs.order == [("w2v", 1), *((tool, n) for n in (1, 2, 3) for tool in ("w2v", "gensim"))]
    ours, theirs, ratio = json.loads(outcome.stdout)
    assert ours["whole command, s"] == "2.00"
    assert ours["training, words/s"] == "500,000"
    assert theirs["peak memory, MiB"] == "400"
    assert ours["counting, s"] == "0.50"
    assert [*ratio.values()] == ["w2v / gensim", "0.05", "0.05", "20", "0.05"]
    assert len(outcome.stderr.splitlines()) == 6


def test_quality_table(fake_runs: FakeRuns, tmp_path: Path) -> None:
    corpus = write(tmp_path / "corpus.txt", "a b\n")
    pairs = write(tmp_path / "pairs.tsv", "a\tb\t3\na\tc\t2\na\td\t1\n")
    unknown = write(tmp_path / "unknown.tsv", "x\ty\t3\nx\tz\t2\n")
    arguments = [
        "quality",
        str(corpus),
        str(unknown),
        "--sets",
        str(pairs),
        "--seeds",
        "4,5",
        "--format",
        "markdown",
    ]
    outcome = CliRunner().invoke(benchmark.command, [*arguments, "--keep", str(tmp_path / "kept")])
    assert outcome.exit_code == 0, outcome.output
    assert fake_runs.order == [("w2v", 1), ("w2v", 4), ("gensim", 4), ("w2v", 5), ("gensim", 5)]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in outcome.stdout.splitlines()]
    assert rows[0] == ["", "seen/total", "w2v", "gensim", "difference"]
    # gensim's stand-in ranks the second and the third pair the wrong way round: 1 - 6 * 2 / (3 * 8) = 0.5.
    assert rows[2] == ["pairs", "3/3", "100.0 (0.0)", "50.0 (0.0)", "+50.0"]
    assert rows[3] == ["unknown", "0/2", "-", "-", "-"]
    # Seeds 4 and 5 take 1 and 2 s with w2v, 20 and 40 s with gensim.
    assert [row[1] for row in rows[-3:]] == ["1.50", "30.00", "0.05"]
    kept = sorted(path.name for path in (tmp_path / "kept").glob("*.bin"))
    assert kept == ["gensim-4.bin", "gensim-5.bin", "w2v-4.bin", "w2v-5.bin"]


def test_quality_reads_the_sets_before_it_trains(fake_runs: FakeRuns, tmp_path: Path) -> None:
    corpus = write(tmp_path / "corpus.txt", "a b\n")
    outcome = CliRunner().invoke(benchmark.command, ["quality", str(corpus), "--sets", str(tmp_path / "none")])
    assert isinstance(outcome.exception, BenchmarkError)
    assert fake_runs.order == []


def test_folder_to_keep_vectors_in_that_cannot_be_made(fake_runs: FakeRuns, tmp_path: Path) -> None:
    corpus = write(tmp_path / "corpus.txt", "a b\n")
    pairs = write(tmp_path / "pairs.tsv", "a\tb\t3\n")
    arguments = ["quality", str(corpus), "--sets", str(pairs), "--keep", str(corpus / "below")]
    outcome = CliRunner().invoke(benchmark.command, arguments)
    assert isinstance(outcome.exception, BenchmarkError)
    assert "below: cannot be made: Not a directory" in str(outcome.exception)
    assert fake_runs.order == []


@pytest.mark.parametrize("seeds", ["", "1,x"])
def test_bad_seeds(fake_runs: FakeRuns, tmp_path: Path, seeds: str) -> None:
    corpus = write(tmp_path / "corpus.txt", "a b\n")
    pairs = write(tmp_path / "pairs.tsv", "a\tb\t3\n")
    outcome = CliRunner().invoke(benchmark.command, ["quality", str(corpus), "--sets", str(pairs), "--seeds", seeds])
    assert outcome.exit_code == 2
    assert "--seeds" in outcome.output
    assert fake_runs.order == []


def test_both_ways_to_ids_see_the_same_tokens() -> None:
    text = "the cat\u00a0sat\r\non  the mat\n\ncaf\u00e9 \u4e2d\u6587\u3000the" * 20_000
    data = text.encode()
    assert encoding.python_ids(data) == len(text.split()) == encoding.compiled_ids(data)


def test_encode_table(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    corpus = write(tmp_path / "corpus.txt", "a b c d\n" * 3)
    slow, quick = iter([3.0, 6.0, 5.0]), iter([1.0, 0.5, 0.4])
    ways = {"slow": lambda: next(slow), "quick": lambda: next(quick)}
    monkeypatch.setattr(encoding, "ways", lambda *_: ways)
    outcome = CliRunner().invoke(benchmark.command, ["encode", str(corpus), "--format", "json"])
    assert outcome.exit_code == 0, outcome.output
    assert json.loads(outcome.stdout) == [
        {"": "slow", "seconds": "5.00", "tokens/s": "2"},
        {"": "quick", "seconds": "0.50", "tokens/s": "24"},
    ]
    told = [line.split(":")[0] for line in outcome.stderr.splitlines()]
    assert told == ["slow", "quick"] * 3


@needs_gensim
@pytest.mark.parametrize("subcommand", ["speed", "encode"])
def test_measurements_of_real_runs(tmp_path: Path, subcommand: str) -> None:
    corpus = write(tmp_path / "corpus.txt", "the quick brown fox jumps over the lazy dog\n" * 500)
    arguments = ["--dim=8", "--epochs=1", "--threads=1"] if subcommand == "speed" else []
    done = subprocess.run(
        [sys.executable, "-m", "w2v.eval.benchmark", subcommand, str(corpus), "--runs=1", *arguments],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    first_cells = [line.split("  ")[0] for line in done.stdout.splitlines()[1:]]
    assert (
        first_cells
        == {
            "speed": ["w2v", "gensim", "w2v / gensim"],
            "encode": ["Python loop, ids", "w2v, ids", "gensim build_vocab", "w2v train, counting"],
        }[subcommand]
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["corpus.txt"]
