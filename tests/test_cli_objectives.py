"""`w2v train` with every objective: files, repeatability, the loss, what `w2v info` tells, refusals."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from corpora import natural_sentences

from w2v.cli.main import cli
from w2v.kernel.registry import LOSSES
from w2v.vectors import Vectors

SMALL = ["--dim", "16", "--epochs", "3", "--min-count", "1", "--sample", "0", "--lr", "0.05"]
VARIANTS = {
    "cbow": ["--architecture", "cbow"],
    "cbow softmax, divided": ["--loss", "softmax", "--architecture", "cbow", "--cbow-normalize"],
    "cbow hs": ["--loss", "hs", "--architecture", "cbow"],
    "from the centre": ["--direction", "context-from-centre"],
    "many positives": ["--loss", "infonce", "--direction", "context-from-centre", "--multi-positive"],
    "unique": ["--loss", "sampled-softmax", "--unique"],
    "bias": ["--loss", "nce", "--bias"],
    "cosine, learned": ["--loss", "infonce", "--similarity", "cosine", "--learn-temperature"],
    "all of in-batch": ["--loss", "in-batch", "--symmetric", "--negative", "3", "--frequency-estimate", "streaming",
                        "--batch", "16"],
}  # fmt: skip
EVERY_LOSS = {name: ["--loss", name] for name in LOSSES}
RUNS = [pytest.param(options, id=name) for name, options in (EVERY_LOSS | VARIANTS).items()]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder that holds a corpus."""
    monkeypatch.chdir(tmp_path)
    lines = (" ".join(f"w{word}" for word in sentence) for sentence in natural_sentences(200, 60))
    (tmp_path / "corpus.txt").write_text("\n".join(lines))
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments, catch_exceptions=False)


def train(*arguments: str, threads: int = 1) -> Result:
    return run("train", "corpus.txt", *SMALL, "--threads", str(threads), *arguments)


def events(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(name).read_text().splitlines()]


@pytest.mark.parametrize("options", RUNS)
def test_trains_and_repeats_to_the_byte(options: list[str]) -> None:
    for name in ("a", "b"):
        result = train(*options, "-o", f"{name}.safetensors", "--log-json", f"{name}.log")
        assert result.exit_code == 0, result.stderr
    assert Path("a.safetensors").read_bytes() == Path("b.safetensors").read_bytes()
    vectors = Vectors.load("a.safetensors")
    assert vectors.matrix.shape == (60, 16)
    assert np.isfinite(vectors.matrix).all()
    epochs = [event for event in events("a.log") if event["event"] == "epoch"]
    assert len(epochs) == 3
    assert epochs[-1]["loss"] < epochs[0]["loss"]
    assert {event["tokens"] for event in epochs} == {sum(map(len, natural_sentences(200, 60)))}


@pytest.mark.parametrize("loss", LOSSES)
def test_another_process_writes_the_same_bytes_and_info_tells_the_objective(loss: str) -> None:
    options = ["train", "corpus.txt", *SMALL, "--threads", "1", "--loss", loss, "--quiet"]
    assert run(*options, "-o", "a.bin").exit_code == 0
    command = [sys.executable, "-m", "w2v.cli.main", *options, "-o", "b.bin"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert Path("a.bin").read_bytes() == Path("b.bin").read_bytes()
    shown = json.loads(run("info", "a.bin", "--json").stdout)
    assert shown["metadata"]["config"]["loss"] == loss
    assert f"loss\t{loss}\n" in run("info", "a.bin").stdout


@pytest.mark.parametrize("options", RUNS)
def test_two_threads(options: list[str]) -> None:
    assert train(*options, "--log-json", "log", threads=2).exit_code == 0
    assert np.isfinite(Vectors.load("vectors.bin").matrix).all()
    losses = [event["loss"] for event in events("log") if event["event"] == "epoch"]
    assert losses[-1] < losses[0]


REFUSED = [
    (["--loss", "margin", "--similarity", "dot"], "--similarity dot: --loss margin is defined on cosines"),
    (["--noise", "log-uniform", "--noise-power", "1"], "--noise-power 1: --noise log-uniform does not depend on"),
    (["--loss", "softmax"], "--loss softmax: a vocabulary of 60 words is too large"),
    (["--loss", "infonce", "--temperature", "0"], "--temperature 0.0: must be at least 0.001"),
    (["--unique", "--negative", "30"], "--unique: 30 noise words are half of the vocabulary of 60 or more"),
    (["--loss", "in-batch", "--architecture", "cbow"], "--architecture cbow: --loss in-batch pairs single words"),
    (["--loss", "hs", "--negative", "3"], "--negative: --loss hs draws no noise"),
    (["--loss", "in-batch", "--batch", "0"], "--batch 0: must be at least 2"),
    (["--symmetric"], "--symmetric: not an option of --loss sgns; it is for --loss in-batch"),
    (["--loss", "hs", "--save-output-vectors", "nodes.bin"], "hs"),
    (["--loss", "none"], "'none' is not one of"),
]


@pytest.mark.parametrize(("options", "reason"), REFUSED, ids=[" ".join(case[0]) for case in REFUSED])
def test_refused_in_one_line(options: list[str], reason: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("w2v.plan.SOFTMAX_LIMIT", 59)
    result = train(*options, "--quiet")
    assert (result.exit_code, result.stdout) == (2, "")
    *usage, error = result.stderr.splitlines()
    assert error.startswith("Error: ")
    assert reason in error
    assert not usage or "Usage:" in usage[0]
    assert [path.name for path in folder.iterdir()] == ["corpus.txt"]
