"""`w2v eval` through click's runner and as a process of its own."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from w2v.cli.main import cli
from w2v.cli.sets_option import repeated
from w2v.vectors import Vectors

needs_gensim = pytest.mark.skipif(importlib.util.find_spec("gensim") is None, reason="needs gensim")
SEEDS_TOO = (
    "intervals are over items alone; two trainings that differ in nothing but the seed differ too: see w2v compare"
)
HEADER = ["set", "measure", "oov", "total", "score", "low", "high", "seen"]


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    """Eight words whose analogies come out, each of (gender, royalty, age)."""
    words = {
        "man": (1, 0, 1), "woman": (-1, 0, 1), "king": (1, 2, 1), "queen": (-1, 2, 1),
        "boy": (1, 0, -1), "girl": (-1, 0, -1), "prince": (1, 2, -1), "princess": (-1, 2, -1),
    }  # fmt: skip
    path = tmp_path / "vectors.bin"
    Vectors(list(words), np.array(list(words.values()), dtype=np.float32)).save(path)
    return path


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    # Cosines 2 / sqrt(12), 0, -2 / sqrt(12): the last two the other way round than given.
    path = tmp_path / "pairs.tsv"
    path.write_text("man\tking\t9\nMan\tqueen\t1\nking\tgirl\t2\nman\tunicorn\t4\n", encoding="utf-8")
    return path


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "family.txt"
    royal = ": royal\nman king woman queen\nboy prince girl princess\n"
    path.write_text(f"{royal}: gram1\nman woman king girl\nman woman a b\n", encoding="utf-8")
    return path


def invoke(*arguments: str | Path, **environment: str) -> Result:
    return CliRunner(env=environment).invoke(cli, ["eval", *map(str, arguments)])


def table(result: Result) -> list[list[str]]:
    assert result.exit_code == 0, result.output
    return [line.split("\t") for line in result.stdout.splitlines()]


def scores(result: Result) -> list[list[str]]:
    """Set, policy, score and items seen of each row."""
    header, *rows = table(result)
    assert header == HEADER
    return [[row[0], row[2], row[4], row[7]] for row in rows]


def test_sets_given_replace_the_standard_ones(vectors: Path, pairs: Path, questions: Path) -> None:
    result = invoke(vectors, "--sets", pairs, "--sets", questions)
    # Ranks 3 1 2 against 3 2 1: 1 - 6 * 2 / (3 * 8); with the mean, 0, for the last: 4 1.5 . against 4 1 2 3.
    assert scores(result)[0] == ["pairs", "skipped", "50.0000", "3"]
    assert [row[1:] for row in scores(result)[2::2]] == [
        ["skipped", "100.0000", "2"],
        ["wrong", "0.0000", "1"],
        ["wrong", "50.0000", "3"],
    ]
    assert [row[3] for row in table(result)[1:]] == ["4", "4", "2", "2", "2", "4", "4"]


def test_policies_go_to_stderr(vectors: Path, pairs: Path, questions: Path) -> None:
    result = invoke(vectors, "--sets", pairs, questions, "--case", "fold", "--restrict-vocab", "7", "--method", "mul")
    first, second, *others = result.stderr.splitlines()
    assert first == "input vectors"
    assert second.startswith("vectors: the first 7 of 8 words, dim 3, case fold (0 words")
    assert others[1] == "family: 3CosMul, 4 questions"
    # By 3CosMul girl, opposite to man, beats queen: a cosine near 0 in the denominator.
    assert scores(result)[2] == ["family semantic", "skipped", "0.0000", "1"]


@pytest.mark.parametrize(
    "order",
    [
        "{v} --sets {p} {q}",
        "{v} --sets {p} {q} --sections",
        "--sets {p} {q} --sections {v}",
        "--sets={p} {q} -- {v}",
        "--sections --sets {p} --sets {q} -- {v}",
    ],
)
def test_several_sets_behind_one_flag(order: str, vectors: Path, pairs: Path, questions: Path) -> None:
    arguments = [part.format(v=vectors, p=pairs, q=questions) for part in order.split()]
    names = dict.fromkeys(row[0].split()[0] for row in scores(invoke(*arguments)))
    assert list(names) == ["pairs", "family"]


def test_a_flag_without_values(vectors: Path) -> None:
    result = invoke(vectors, "--sets")
    assert result.exit_code == 2
    assert "'--sets' requires an argument" in result.stderr


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ("v --sets a b --json", "v --sets a --sets b --json"),
        ("--sets=a b v", "--sets=a --sets b --sets v"),
        ("--sets a -- b", "--sets a -- b"),
        ("--sets --json", "--sets --json"),
        ("a b", "a b"),
        ("--sets a --json b", "--sets a --json b"),
        ("", ""),
    ],
)
def test_values_get_the_flag_each(given: str, made: str) -> None:
    assert repeated(given.split(), "--sets") == made.split()


def test_sections(vectors: Path, questions: Path) -> None:
    names = dict.fromkeys(row[0] for row in scores(invoke(vectors, "--sets", questions, "--sections")))
    assert list(names) == ["family royal", "family gram1", "family semantic", "family syntactic", "family total"]


def test_undefined_score_is_empty_and_null(vectors: Path, tmp_path: Path) -> None:
    unknown = tmp_path / "unknown.txt"
    unknown.write_text("x y 1\ny z 2\n", encoding="utf-8")
    assert table(invoke(vectors, "--sets", unknown))[1][3:] == ["2", "", "", "", "0"]
    (found,) = json.loads(invoke(vectors, "--sets", unknown, "--json").stdout)["vectors"][0]["sets"]
    assert (found["score"], found["interval"], found["seen"]) == (None, None, 0)


@pytest.mark.parametrize("case", ["none", "lower", "fold"])
def test_words_without_a_usable_vector_are_unknown(vectors: Path, pairs: Path, case: str) -> None:
    made = Vectors.load(vectors)
    matrix = made.matrix.copy()
    matrix[made.index("king")], matrix[made.index("boy")], matrix[made.index("girl")] = np.nan, np.inf, 0
    # No writer of ours takes such numbers.
    head = f"{len(made)} {made.dim}\n".encode()
    rows = [word.encode() + b" " + row.tobytes() + b"\n" for word, row in zip(made.words, matrix, strict=True)]
    vectors.write_bytes(head + b"".join(rows))
    result = invoke(vectors, "--sets", pairs, "--case", case, "--json")
    assert json.loads(result.stdout)["vectors"][0]["sets"][0]["seen"] == (0 if case == "none" else 1)  # Man, queen
    warning = "2 vectors hold NaN or infinity (first: 'king'): their words count as unknown"
    assert f"Warning: {vectors}: {warning}\n" in result.stderr
    assert Vectors.load(vectors).warnings == [f"{vectors}: {warning}"]


def test_a_set_without_a_known_word_is_said(vectors: Path, tmp_path: Path) -> None:
    (tmp_path / "foreign.tsv").write_text("x\ty\t1\nz\ty\t2\n", encoding="utf-8")
    result = invoke(vectors, "--sets", tmp_path / "foreign.tsv")
    assert f"Warning: foreign: none of its 2 items has all its words in {vectors}\n" in result.stderr
    assert result.exit_code == 0


def test_json(vectors: Path, pairs: Path, questions: Path) -> None:
    result = invoke(vectors, "--sets", pairs, questions, "--json", "--seed", "4")
    assert result.exit_code == 0
    assert result.stderr == ""
    found = json.loads(result.stdout)
    assert found["settings"] == {
        "case": "auto", "restrict_vocab": None, "method": "add", "clusters": "kmeans", "seed": 4, "resamples": 1000,
    }  # fmt: skip
    assert (found["vectors_of"], found["differences"]) == ("input", [])
    (one,) = found["vectors"]
    assert (one["file"], one["words"], one["dim"], one["case"]) == (str(vectors), 8, 3, "lower")
    similarity, analogy = one["sets"]
    assert (similarity["score"], similarity["seen"], similarity["total"]) == (50.0, 3, 4)
    assert set(similarity["pearson"]) >= {"score", "interval", "oov_mean"}
    assert [section["section"] for section in analogy["sections"]] == ["royal", "gram1"]


def test_several_files(vectors: Path, pairs: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.bin"
    loaded = Vectors.load(vectors)
    Vectors(loaded.words, -loaded.matrix[::-1]).save(other)
    header, first, second = table(invoke(vectors, other, "--sets", pairs))
    row = dict(zip(header, first, strict=True))
    assert row["vectors score"] == "50.0000"
    difference = float(row["other score"]) - float(row["vectors score"])
    assert float(row["other - vectors"]) == pytest.approx(difference, abs=1e-3)
    assert float(row["other - vectors low"]) <= difference <= float(row["other - vectors high"])
    assert second[2] == "mean"
    (found, _) = json.loads(invoke(vectors, other, "--sets", pairs, "--json").stdout)["differences"]
    assert (found["vectors"], found["to"], found["items"]) == (str(other), str(vectors), 3)
    # The same file twice: named in full, and no difference at all.
    header, first, _ = table(invoke(vectors, vectors, "--sets", pairs))
    assert header[-5] == f"{vectors} - {vectors}"
    assert header[-1] == f"{vectors} - {vectors} items"
    assert first[-5:] == ["0.0000", "0.0000", "0.0000", "1.0000", "3"]


def test_markdown(vectors: Path, pairs: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.bin"
    Vectors.load(vectors).save(other)
    result = invoke(vectors, other, "--sets", pairs, "--markdown")
    assert result.exit_code == 0
    assert result.stderr == ""
    lines = result.stdout.splitlines()
    assert lines[0] == "| set | measure | oov | vectors [95 %] | other [95 %] | seen/total |"
    assert lines[2].startswith("| pairs | Spearman x 100 | skipped | 50.0 (no interval: 3 items) | ")
    assert lines[5] == "| set | measure | oov | other - vectors [95 %] | items |"
    assert lines[7].endswith("| +0.0 [+0.0, +0.0] p 1.000 not shown | 3 |")
    assert lines[9:12] == ["", SEEDS_TOO, ""]
    assert "- vectors: all of 8 words, dim 3, case lower (auto)" in lines
    assert invoke(vectors, "--markdown", "--json").exit_code == 2


def test_plot(vectors: Path, pairs: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    drawn = tmp_path / "scores.png"
    before = vectors.read_bytes()
    assert scores(invoke(vectors, "--sets", pairs, "--plot", drawn))[0][0] == "pairs"
    assert drawn.read_bytes().startswith(b"\x89PNG")
    assert vectors.read_bytes() == before
    refused = invoke(vectors, "--sets", pairs, "--plot", drawn)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr.startswith(f"Error: {drawn}: exists already")
    assert invoke(vectors, "--sets", pairs, "--plot", drawn, "--overwrite").exit_code == 0


def test_plot_is_not_written_over_what_is_read(vectors: Path, pairs: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    for number, path in enumerate((vectors, pairs)):
        before = path.read_bytes()
        link = tmp_path / f"link{number}.png"
        link.symlink_to(path)
        refused = invoke(vectors, "--sets", pairs, "--plot", link, "--overwrite")
        assert (refused.exit_code, refused.stdout) == (2, "")
        assert refused.stderr == f"Error: {link}: is read as input; name another file to write\n"
        assert path.read_bytes() == before


def test_input_output_and_sum(vectors: Path, pairs: Path, tmp_path: Path) -> None:
    loaded = Vectors.load(vectors)
    model, turned = tmp_path / "model.safetensors", -2 * loaded.matrix[::-1]
    Vectors(loaded.words, loaded.matrix, output_matrix=turned).save(model)
    for which, matrix in (("input", loaded.matrix), ("output", turned), ("sum", loaded.matrix + turned)):
        same = tmp_path / f"{which}.bin"
        Vectors(loaded.words, matrix).save(same)
        assert scores(invoke(model, "--sets", pairs, "--vectors-of", which)) == scores(invoke(same, "--sets", pairs))
    refused = invoke(vectors, "--sets", pairs, "--vectors-of", "sum")
    assert refused.stderr.startswith(f"Error: {vectors}: holds no output vectors")


@needs_gensim
def test_standard_sets_and_vectors_from_the_environment(vectors: Path) -> None:
    rows = table(invoke(vectors))[1:]
    google = [f"Google analogies {part}" for part in ("semantic", "syntactic", "total")]
    skipped = [row for row in rows if row[2] == "skipped"]
    assert [row[0] for row in skipped] == ["WordSim-353", "SimLex-999", *google]
    assert [row[3] for row in skipped] == ["353", "999", "8869", "10675", "19544"]
    # Of Google's sections only `family` has questions of these words, as man woman king queen.
    assert skipped[2][7] == skipped[4][7] != "0"
    result = invoke(W2V_VECTORS=str(vectors))
    assert table(result)[1:] == rows
    assert "Google analogies: 3CosAdd, 19544 questions, 171 of them repeats" in result.stderr.splitlines()


def test_vectors_bin_of_the_working_folder_is_the_default(
    vectors: Path, pairs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(vectors.parent)
    monkeypatch.delenv("W2V_VECTORS", raising=False)
    assert scores(invoke("--sets", pairs))[0][2] == "50.0000"


def test_bad_input_is_one_line(vectors: Path, pairs: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.tsv"
    broken.write_text("a\tb\t1\na\tb\n", encoding="utf-8")
    cases: list[tuple[tuple[str | Path, ...], str]] = [
        ((vectors, "--sets", broken), f"{broken}, line 2: 2 columns"),
        ((vectors, "--sets", "wordsim"), "wordsim: no such file, nor the name of a set"),
        ((vectors, "--sets", "x" * 5000), f"'{'x' * 40}'...: cannot be read: File name too long"),
        (("x" * 5000, "--sets", pairs), "x" * 5000),
        ((tmp_path / "none.bin", "--sets", pairs), f"no vectors at {tmp_path / 'none.bin'}; train some"),
        ((broken, "--sets", pairs), f"{broken}"),
        # Sets were arguments once.
        ((vectors, pairs), f"{pairs}: a benchmark set, not vectors; name sets with --sets"),
        ((vectors, "men", "--sets", pairs), "men: a benchmark set, not vectors; name sets with --sets"),
        (("--sets", pairs, vectors), f"{vectors}: vectors, not a benchmark set; name vectors before --sets"),
    ]
    for arguments, message in cases:
        result = invoke(*arguments)
        assert result.exit_code == 2
        assert result.stdout == ""
        assert result.stderr.startswith(f"Error: {message}")
        assert result.stderr.count("\n") == 1


def test_no_standard_set_at_hand(vectors: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    assert "pip install 'w2v[eval]'" in invoke(vectors, W2V_DATA=str(tmp_path / "nothing")).stderr


def test_help_states_policy() -> None:
    text = " ".join(invoke("--help").stdout.split())
    for policy in ("out of the vocabulary (OOV) are skipped", "3CosAdd", "all words of the vocabulary are"):
        assert policy in text


def run(*arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "w2v.cli.main", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_process(vectors: Path, pairs: Path) -> None:
    done = run("eval", vectors, "--sets", pairs)
    assert done.returncode == 0
    header, first, second = [line.split("\t") for line in done.stdout.splitlines()]
    assert header == HEADER
    assert first[:5] == ["pairs", "Spearman x 100", "skipped", "4", "50.0000"]
    assert second[2] == "mean"
    assert done.stderr.splitlines()[1] == "vectors: all of 8 words, dim 3, case lower (auto)"


@needs_gensim
def test_trained_vectors_get_the_scores_of_gensim(tmp_path: Path) -> None:
    """Text, sets and the other numbers all come with gensim; training and scoring are processes of their own."""
    corpus = run("data", "path", "lee_background.cor").stdout.strip()
    trained = tmp_path / "lee.bin"
    options = ("--dim", "20", "--epochs", "1", "--min-count", "2", "--threads", "1", "--lowercase")
    assert run("train", corpus, "-o", trained, *options).returncode == 0
    done = run("eval", trained, "--sets", "wordsim353", "google", "--json")
    pairs, questions = json.loads(done.stdout)["vectors"][0]["sets"]
    keyed = Vectors.load(trained).to_gensim()
    lowered = tmp_path / "lower.tsv"
    set_file = Path(run("data", "path", "wordsim353").stdout.strip())
    lowered.write_text(set_file.read_text(encoding="utf-8").lower(), encoding="utf-8")
    pearson, spearman, unseen = keyed.evaluate_word_pairs(str(lowered), case_insensitive=False)
    assert pairs["score"] == pytest.approx(100 * spearman.statistic, abs=1e-4)
    assert pairs["pearson"]["score"] == pytest.approx(100 * pearson.statistic, abs=1e-4)
    assert 100 * (1 - pairs["seen"] / pairs["total"]) == pytest.approx(unseen)
    accuracy, _ = keyed.evaluate_word_analogies(
        run("data", "path", "google").stdout.strip(), restrict_vocab=len(keyed), case_insensitive=True
    )
    assert questions["score"] == pytest.approx(100 * accuracy, abs=1e-9)


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a terminal")
def test_terminal_gets_an_aligned_table(vectors: Path, pairs: Path) -> None:
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "w2v.cli.main", "eval", str(vectors), "--sets", str(pairs)]
    subprocess.run(command, stdout=theirs, check=True)
    os.close(theirs)
    lines = os.read(ours, 10000).decode().splitlines()
    os.close(ours)
    assert lines[0].split() == ["set", "measure", "oov", "score", "[95", "%]", "seen/total"]
    assert any(re.match(r"pairs  .* skipped   50\.0 \(no interval: 3 items\)  3/4$", line) for line in lines)
    assert SEEDS_TOO not in lines


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a terminal")
def test_terminal_says_that_seeds_differ_too(vectors: Path, pairs: Path) -> None:
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "w2v.cli.main", "eval", str(vectors), str(vectors), "--sets", str(pairs)]
    subprocess.run(command, stdout=theirs, stderr=subprocess.DEVNULL, check=True)
    os.close(theirs)
    lines = os.read(ours, 10000).decode().splitlines()
    os.close(ours)
    assert lines[-1] == SEEDS_TOO
    assert "not shown" in lines[-2]


def test_files_of_other_case_rules_are_warned_of(vectors: Path, pairs: Path, tmp_path: Path) -> None:
    capital = tmp_path / "capital.bin"
    loaded = Vectors.load(vectors)
    Vectors([word.title() for word in loaded.words[:6]], loaded.matrix[:6]).save(capital)
    result = invoke(vectors, capital, "--sets", pairs)
    assert "\nWarning: vectors: case lower, capital: case none: their scores" in result.stderr
    assert "\nWarning: vectors: 8 words, capital: 6 words: " in result.stderr
    assert SEEDS_TOO in result.stderr.splitlines()
    assert "Warning" not in invoke(vectors, capital, "--sets", pairs, "--case", "fold", "--restrict-vocab", "6").stderr


def test_a_text_named_as_a_set(vectors: Path, tmp_path: Path) -> None:
    text = tmp_path / "corpus.txt"
    for line in ("a, b, " + "c " * 300, "the cat sat on the mat and fell", "on one day, it was all over for them"):
        text.write_text(f"{line}\n" * 2, encoding="utf-8")
        result = invoke(vectors, "--sets", text)
        assert result.exit_code == 2
        assert result.stderr.endswith("; this looks like a text, not a benchmark set\n")
        assert len(result.stderr) < len(str(text)) + 300
    text.write_text("man\tking\t1\nman\tking\tnine " + "x " * 200 + "\n", encoding="utf-8")
    assert invoke(vectors, "--sets", text).stderr.endswith("x x x x x x'... is not a number\n")


def test_closed_pipe_is_quiet(vectors: Path, pairs: Path) -> None:
    command = [sys.executable, "-m", "w2v.cli.main", "eval", str(vectors), "--sets", str(pairs)]
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert done.stderr == ""
    assert done.returncode == 0
