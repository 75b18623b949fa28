"""Sets by name and from files: every layout, and every way to be malformed."""

import errno
import gzip
import importlib.util
import os
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_vectors import write

from w2v.errors import BenchmarkError, DataError
from w2v.eval import datasets
from w2v.eval.readers import read_set
from w2v.eval.sets import AnalogySet, CategorySet, Pair, Section, SimilaritySet, question

SHARED_SETS = Path(__file__).resolve().parents[2] / "shared" / "benchmarks"
needs_gensim = pytest.mark.skipif(importlib.util.find_spec("gensim") is None, reason="gensim is not installed")


# --- names


@needs_gensim
def test_packaged_sets_have_their_known_sizes() -> None:
    word_similarity, simlex, google = map(datasets.load, ("WordSim353", "data:simlex999", "google"))
    assert isinstance(word_similarity, SimilaritySet)
    assert word_similarity.name == "WordSim-353"
    assert len(word_similarity.pairs) == 353
    assert word_similarity.pairs[0] == ("love", "sex", 6.77)
    assert isinstance(simlex, SimilaritySet)
    assert len(simlex.pairs) == 999
    assert isinstance(google, AnalogySet)
    assert len(google.sections) == 14
    assert sum(len(s.questions) for s in google.sections) == 19544
    assert google.sections[0].questions[0] == question("Athens", "Greece", "Baghdad", "Iraq")
    syntactic = [s for s in google.sections if s.category == "syntactic"]
    assert sum(len(s.questions) for s in syntactic) == 10675
    assert sum(len(s.questions) for s in google.sections if s.category == "semantic") == 8869
    # 23 capitals of the first section give all its 23 x 22 questions.
    assert len(google.sections[0].pairs) == 23
    assert len(google.sections[0].questions) == 506


def test_a_file_wins_over_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "google", "a b 1\n")
    assert datasets.load("google") == SimilaritySet("google", (("a", "b", 1.0),))


def test_names_that_are_no_set(tmp_path: Path) -> None:
    with pytest.raises(BenchmarkError, match=r"nothing: no such file, nor the name of a set; `w2v data list`"):
        datasets.load(str(tmp_path / "nothing"))
    with pytest.raises(BenchmarkError, match="data:lee: a corpus, not a benchmark set"):
        datasets.load("data:lee")
    with pytest.raises(DataError, match="gogle: no set or corpus of that name; did you mean google"):
        datasets.load("data:gogle")


def test_names_the_system_refuses() -> None:
    with pytest.raises(BenchmarkError, match="an empty name was given for a set"):
        datasets.load("")
    with pytest.raises(BenchmarkError, match=r"^'x{40}'\.\.\.: cannot be read: File name too long$"):
        datasets.load("x" * 5000)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may enter every folder")
def test_folders_one_may_not_read_or_enter(tmp_path: Path) -> None:
    folder = bats(tmp_path / "bats")
    for mode, message in ((0o300, "cannot be listed: Permission denied"), (0o600, "Permission denied")):
        folder.chmod(mode)
        try:
            with pytest.raises(BenchmarkError, match=message):
                datasets.load(str(folder))
            if mode == 0o600:
                with pytest.raises(BenchmarkError, match=message):
                    datasets.load(str(folder / "set.txt"))
        finally:
            folder.chmod(0o700)


def test_a_folder_that_cannot_be_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(folder: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), folder)

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(BenchmarkError, match="the folder cannot be listed: Permission denied"):
        datasets.load(str(tmp_path))


def test_a_relation_of_too_many_lines(tmp_path: Path) -> None:
    write(tmp_path / "r.txt", "".join(f"a{n}\tb{n}\n" for n in range(1001)))
    with pytest.raises(BenchmarkError, match=r"r\.txt: 1,001 lines in one relation; at most 1,000"):
        datasets.load(str(tmp_path))


# --- pairs


@pytest.mark.parametrize(
    "text",
    [
        "old\tnew\t1.5\nbig\tlarge\t9\n",
        "old,new,1.5\nbig,large,9\n",
        "old, new, 1.5\nbig, large, 9\n",
        "old new 1.5\nbig   large  9",
        "old\tnew\t1.5\r\nbig\tlarge\t9\r\n",
        "old\tnew\t1.5\rbig\tlarge\t9\r",
        "\ufeffold\tnew\t1.5\n\n\nbig\tlarge\t9\n",
        "# a comment\n# Word 1\tWord 2\tHuman (mean)\nold\tnew\t1.5\n# more\nbig\tlarge\t9\n",
        "Word 1,Word 2,Human (mean)\nold,new,1.5\nbig,large,9\n",
        "word1 word2 SimLex999\n old new 1.5 \nbig large 9e0\n",
        "word1\tword2\tPOS\tSimLex999\tconc(w1)\nold\tnew\tA\t1.5\t2.72\nbig\tlarge\tA\t9.0\t3\n",
        "word1\tword2\tPOS\tscore\nold\tnew\tA\t1.5\nbig\tlarge\tA\t9.0\n",
        "old\tnew\tV\t1.5\tSYNONYMS\nbig\tlarge\tV\t9\tNONE\n",
        "old\tnew\t1.5\t1\t2\nbig\tlarge\t9\t9\t9\n",
    ],
)
def test_pairs_are_read_in_every_layout(tmp_path: Path, text: str) -> None:
    found = read_set(write(tmp_path / "pairs", text), "pairs")
    assert found == SimilaritySet("pairs", (("old", "new", 1.5), ("big", "large", 9.0)))


def test_tabs_keep_blanks_and_commas_in_words(tmp_path: Path) -> None:
    found = read_set(write(tmp_path / "pairs", "New York\ta,b\t-1\n"), "pairs")
    assert found == SimilaritySet("pairs", (("New York", "a,b", -1.0),))


word = st.text(st.characters(exclude_categories=("Z", "C")), min_size=1, max_size=6).filter(
    lambda text: not text.startswith(("#", ":", "<", "\ufeff"))
)


@settings(max_examples=60, deadline=None)
@given(pairs=st.lists(st.tuples(word, word, st.floats(-100, 100)), min_size=1, max_size=8))
def test_written_pairs_read_back(tmp_path_factory: pytest.TempPathFactory, pairs: list[Pair]) -> None:
    path = tmp_path_factory.mktemp("pairs") / "set.tsv"
    write(path, "".join(f"{a}\t{b}\t{number!r}\n" for a, b, number in pairs))
    assert read_set(path, "set") == SimilaritySet("set", tuple(pairs))


# --- questions


@pytest.mark.parametrize("separator", [" ", "\t", "   "])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_questions_and_sections(tmp_path: Path, separator: str, end: str) -> None:
    lines = [": capital cities", "a b c d", ":gram1", "e f g h", "i j k l", ": empty", ""]
    text = end.join(line if line.startswith(":") else line.replace(" ", separator) for line in lines)
    found = read_set(write(tmp_path / "questions", text), "questions")
    sections = (
        Section("capital cities", (question(*"abcd"),), "semantic"),
        Section("gram1", (question(*"efgh"), question(*"ijkl")), "syntactic"),
        Section("empty", (), "semantic"),
    )
    assert found == AnalogySet("questions", sections)


def test_questions_without_sections(tmp_path: Path) -> None:
    found = read_set(write(tmp_path / "msr", "good\tbetter\trough\trougher\r\n"), "msr")
    assert found == AnalogySet("msr", (Section("", (question("good", "better", "rough", "rougher"),)),))


def test_pairs_of_a_section_come_once() -> None:
    questions = (question(*"abcd"), question(*"abef"), question(*"cdab"))
    assert Section("s", questions).pairs == (("a", ("b",)), ("c", ("d",)), ("e", ("f",)))


# --- folders of relations


def bats(folder: Path) -> Path:
    write(folder / "1_Inflectional_morphology" / "I01 [noun - plural].txt", "cat\tcats\ndog\tdogs\nox\toxen/oxes\n")
    write(folder / "4_Lexicographic_semantics" / "L01 [hypernyms].txt", "\ufeffcat\tfeline/animal\r\nelm\ttree\r\n")
    write(folder / "4_Lexicographic_semantics" / "metadata.json", "{}")
    return folder


def test_bats_folder(tmp_path: Path) -> None:
    found = datasets.load(str(bats(tmp_path / "BATS_3.0")))
    assert isinstance(found, AnalogySet)
    assert found.name == "BATS_3.0"
    plurals, hypernyms = found.sections
    pairs = [("cat", ("cats",)), ("dog", ("dogs",)), ("ox", ("oxen", "oxes"))]
    assert (plurals.name, plurals.category) == ("I01 [noun - plural]", "inflectional")
    assert plurals.questions == tuple(permutations(pairs, 2))
    assert len(plurals.questions) == 6
    assert (hypernyms.name, hypernyms.category) == ("L01 [hypernyms]", "lexicographic")
    assert hypernyms.pairs == (("cat", ("feline", "animal")), ("elm", ("tree",)))


def test_a_part_of_bats_and_relations_of_ones_own(tmp_path: Path) -> None:
    found = datasets.load(str(bats(tmp_path) / "4_Lexicographic_semantics"))
    assert isinstance(found, AnalogySet)
    assert [section.category for section in found.sections] == ["lexicographic"]
    write(tmp_path / "own" / "capitals.txt", "france paris\nspain madrid\n")
    own = datasets.load(str(tmp_path / "own"))
    assert isinstance(own, AnalogySet)
    assert (own.sections[0].name, own.sections[0].category) == ("capitals", "")


@pytest.mark.parametrize("line", ["cat\tfeline/", "cat\tfeline//animal", "cat", "cat\tfeline\tanimal"])
def test_malformed_relation_is_named_with_its_line(tmp_path: Path, line: str) -> None:
    path = write(tmp_path / "E01 [x - y].txt", f"elm\ttree\n\n{line}\n")
    with pytest.raises(BenchmarkError, match="is not a word, a tab, and its counterparts separated by /") as error:
        datasets.load(str(tmp_path))
    assert str(error.value).startswith(f"{path}, line 3: ")


def test_folders_without_questions(tmp_path: Path) -> None:
    with pytest.raises(BenchmarkError, match="a folder without analogy questions"):
        datasets.load(str(tmp_path))
    write(tmp_path / "one.txt", "elm\ttree\n")
    with pytest.raises(BenchmarkError, match="two lines or more"):
        datasets.load(str(tmp_path))


# --- classes


@pytest.mark.parametrize(
    "text",
    [
        "cat\tanimal\ncar\tthing\ndog\tanimal\n",
        "cat,animal\r\ncar,thing\r\ndog,animal\r\n",
        "\ufeff# AP\ncat animal\ncar thing\n\ndog animal",
        "word\tclass\ncat\tanimal\ncar\tthing\ndog\tanimal\n",
        "Concept,Category\ncat,animal\ncar,thing\ndog,animal\n",
    ],
)
def test_words_with_classes(tmp_path: Path, text: str) -> None:
    found = datasets.load(str(write(tmp_path / "ap.txt", text)))
    assert found == CategorySet("ap", (("cat", "animal"), ("car", "thing"), ("dog", "animal")))


# --- malformed


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no word pairs, analogy questions or words with classes"),
        ("\n  \n# only a comment\n", "no word pairs, analogy questions or words with classes"),
        ("a\tb\t1\nc\td\n", r"line 2: 2 columns"),
        ("a\tb\t1\nc\td\t2\t3\n", r"line 2: 4 columns"),
        ("a\tb\t1\n\n# x\nc\td\t5,5\n", r"line 4: '5,5' is not a number"),
        ("a\tb\t1\nc\t\t5\n", r"line 2: one of the two words is missing"),
        ("a\tb\t1\nc\td\tnan\n", r"line 2: 'nan' is not a number"),
        ("a\tb\tinf\n", r"line 1: 'inf' is not a number"),
        ("a\tb\t6.x\nc\td\t1\n", r"line 1: '6.x' is not a number"),
        ("a\tb\tN\t2\nc\td\tN\tx\n", r"line 2: 'x' is not a number"),
        ("word1\tword2\tscore\n", "headings without word pairs"),
        ("word1\tword2\tscore\na\tb\t1\nword1\tword2\tscore\n", r"line 3: 'score' is not a number"),
        ("one\n", r"line 1: 1 columns; a pair is two words and a number \(an analogy question is four"),
        ("a b c d\ne f g\n", r"line 2: 3 words; an analogy question has 4"),
        (": s\na b c d e\n", r"line 2: 5 words"),
        (": s\na\tb\t\td\n", r"line 2: 4 words"),
        (": s\n: t\n", "sections without analogy questions"),
        ("a b\n", "two columns, as of words and their classes, but 1 classes of 1 words"),
        ("a\tx\nb\ty\n", "but 2 classes of 2 words"),
        ("a\tx\nb\tx\n", "but 1 classes of 2 words"),
        ("a\tx\nb\tx\nc\n", "line 3: 1 columns; the first line has two, a word and its class"),
        ("a\tx\nb\tx\nc\ty\tz\n", "line 3: 3 columns"),
        ("<!DOCTYPE html><html>", "HTML page"),
        ("\n <HTML>\n", "HTML page"),
        (b"a b 1\nc\xff d 2\n", r"not UTF-8 text \(byte 7\)"),
        (gzip.compress(b"a b 1\n", mtime=0), "compressed file must be decompressed"),
        (b"a\0b c 1\n", "binary file"),
        ("war peace 3,5\ncat dog 7,25\n", r"line 1: '3,5' is not a number; write a point in place of the comma"),
        ("word1 word2 score\nwar peace 3,5\n", r"line 2: '3,5' is not a number"),
        ("a\tb\t" + "x" * 5000 + "\nc\td\t1\nc\td\t" + "7" + "y" * 5000, r"line 3: '7y{39}'\.\.\. is not a number"),
    ],
)
def test_malformed_file_is_named_with_its_line(tmp_path: Path, text: str | bytes, message: str) -> None:
    path = write(tmp_path / "set.txt", text)
    with pytest.raises(BenchmarkError, match=message) as error:
        datasets.load(str(path))
    assert str(error.value).startswith(str(path))
    assert "\n" not in str(error.value)
    assert error.value.exit_code == 2


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_pipes_are_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BenchmarkError, match="pipe: cannot be read: not a regular file; save it to one first"):
        datasets.load(str(tmp_path / "pipe"))


@pytest.mark.skipif(not SHARED_SETS.is_dir(), reason="needs the sets in ../shared/benchmarks")
def test_every_shared_set_is_readable() -> None:
    counts: dict[str, int] = {}
    for path in sorted(SHARED_SETS.glob("*/*.txt")):
        one = datasets.load(str(path))
        assert not isinstance(one, CategorySet)
        sizes = [len(one.pairs)] if isinstance(one, SimilaritySet) else [len(s.questions) for s in one.sections]
        counts[path.stem] = sum(sizes)
    assert counts["EN-MEN-TR-3k"] == 3000
    assert counts["EN-RW-STANFORD"] == 2034
    assert counts["EN-MTurk-771"] == 771
    assert counts["msr"] == 8000
    assert counts["questions-words"] == 19544
    assert (counts["240"], counts["297"]) == (240, 297)
