"""`w2v eval` through click's runner and as a process of its own."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from w2v.cli.main import cli
from w2v.vectors import Vectors

needs_gensim = pytest.mark.skipif(importlib.util.find_spec("gensim") is None, reason="needs gensim")
HEADER = ["set", "measure", "score", "seen", "total"]


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
    assert result.stderr == ""
    return [line.split("\t") for line in result.stdout.splitlines()]


def test_sets_given_replace_the_standard_ones(vectors: Path, pairs: Path, questions: Path) -> None:
    header, *rows = table(invoke(vectors, "--sets", pairs, "--sets", questions))
    assert header == HEADER
    # Ranks 3 1 2 against 3 2 1: 1 - 6 * 2 / (3 * 8).
    assert rows == [
        ["pairs", "Spearman x 100", "50.0000", "3", "4"],
        ["family semantic", "accuracy %", "100.0000", "2", "2"],
        ["family syntactic", "accuracy %", "0.0000", "1", "2"],
        ["family total", "accuracy %", "66.6667", "3", "4"],
    ]


def test_sections(vectors: Path, questions: Path) -> None:
    _, *rows = table(invoke(vectors, "--sets", questions, "--sections"))
    names = [row[0] for row in rows]
    assert names == ["family royal", "family gram1", "family semantic", "family syntactic", "family total"]


def test_undefined_score_is_empty_and_null(vectors: Path, tmp_path: Path) -> None:
    unknown = tmp_path / "unknown.txt"
    unknown.write_text("x y 1\ny z 2\n", encoding="utf-8")
    assert table(invoke(vectors, "--sets", unknown))[1] == ["unknown", "Spearman x 100", "", "0", "2"]
    found = json.loads(invoke(vectors, "--sets", unknown, "--json").stdout)
    assert found["sets"][0]["score"] is None


def test_json(vectors: Path, pairs: Path, questions: Path) -> None:
    result = invoke(vectors, "--sets", pairs, "--sets", questions, "--json")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert (found["vectors"], found["words"], found["dim"]) == (str(vectors), 8, 3)
    similarity, analogy = found["sets"]
    assert similarity == {"set": "pairs", "kind": "similarity", "score": 50.0, "seen": 3, "total": 4}
    assert analogy["semantic"] == {"score": 100.0, "correct": 2, "seen": 2, "total": 2}
    assert [section["section"] for section in analogy["sections"]] == ["royal", "gram1"]


@needs_gensim
def test_standard_sets_own_file_and_vectors_from_the_environment(vectors: Path, pairs: Path) -> None:
    _, *rows = table(invoke(vectors, pairs))
    google = [f"Google analogies {part}" for part in ("semantic", "syntactic", "total")]
    assert [row[0] for row in rows] == ["WordSim-353", "SimLex-999", *google, "pairs"]
    assert [row[4] for row in rows] == ["353", "999", "8869", "10675", "19544", "4"]
    # Of Google's sections only `family` has questions of these words, as man woman king queen.
    assert rows[2][3] == rows[4][3] != "0"
    assert table(invoke(W2V_VECTORS=str(vectors)))[1:] == rows[:-1]


def test_vectors_bin_of_the_working_folder_is_the_default(
    vectors: Path, pairs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(vectors.parent)
    monkeypatch.delenv("W2V_VECTORS", raising=False)
    assert table(invoke("--sets", pairs))[1][2] == "50.0000"


def test_bad_input_is_one_line(vectors: Path, pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "broken.tsv"
    broken.write_text("a\tb\t1\na\tb\n", encoding="utf-8")
    cases: list[tuple[tuple[str | Path, ...], str]] = [
        ((vectors, "--sets", broken), f"{broken}, line 2: 2 columns"),
        ((vectors, "--sets", "wordsim"), "wordsim: no such file, nor one of the names wordsim353"),
        ((tmp_path / "none.bin", "--sets", pairs), f"no vectors at {tmp_path / 'none.bin'}; train some"),
        ((pairs, "--sets", pairs), f"{pairs}"),
    ]
    for arguments, message in cases:
        result = invoke(*arguments)
        assert result.exit_code == 2
        assert result.stdout == ""
        assert result.stderr.startswith(f"Error: {message}")
        assert result.stderr.count("\n") == 1
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    assert "pip install 'w2v[eval]'" in invoke(vectors).stderr


def test_help_states_policy() -> None:
    text = " ".join(invoke("--help").stdout.split())
    for policy in ("out of the vocabulary are skipped", "3CosAdd", "all words of the vocabulary are"):
        assert policy in text


def test_process(vectors: Path, pairs: Path) -> None:
    command = [sys.executable, "-m", "w2v.cli.main", "eval", str(vectors), "--sets", str(pairs)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "\t".join(HEADER) + "\npairs\tSpearman x 100\t50.0000\t3\t4\n"
    assert done.stderr == ""


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a terminal")
def test_terminal_gets_an_aligned_table(vectors: Path, pairs: Path) -> None:
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "w2v.cli.main", "eval", str(vectors), "--sets", str(pairs)]
    subprocess.run(command, stdout=theirs, check=True)
    os.close(theirs)
    lines = os.read(ours, 10000).decode().splitlines()
    os.close(ours)
    assert [line.split() for line in lines[:1]] == [HEADER]
    assert any(line.startswith("pairs  ") and "\t" not in line and "50.0" in line for line in lines)


def test_closed_pipe_is_quiet(vectors: Path, pairs: Path) -> None:
    command = [sys.executable, "-m", "w2v.cli.main", "eval", str(vectors), "--sets", str(pairs)]
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert done.stderr == ""
    assert done.returncode == 0
