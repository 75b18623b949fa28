"""A loss is one file and one entry: a new one, written here, is all it takes to train with it."""

import os
import subprocess
import sys
from pathlib import Path

LOSS = '''
"""Hinge loss of pairs: the positive is to score 1 above each noise word."""

from typing import NamedTuple

import numpy as np


class Hinge(NamedTuple):
    gap: float

    @staticmethod
    def parameters(config, tables):
        return {"gap": np.float32(1)}

    @staticmethod
    def prepare(loss, scores, pairs, lanes):
        """Nothing to shift."""

    @staticmethod
    def value(loss, scores, pairs):
        total = 0.0
        for row in range(0, pairs.n_in * pairs.stride, pairs.stride):
            for j in range(row, row + pairs.n_positive):
                for k in range(row + pairs.n_positive, row + pairs.n_out):
                    total += pairs.weights[j] * max(0.0, loss.gap - scores[j] + scores[k])
        return total

    @staticmethod
    def residual(loss, scores, pairs, lr, lanes):
        for row in range(0, pairs.n_in * pairs.stride, pairs.stride):
            for at in range(pairs.stride):
                pairs.scratch[at] = 0
            for j in range(pairs.n_positive):
                for k in range(pairs.n_positive, pairs.n_out):
                    if scores[row + k] - scores[row + j] + loss.gap > 0:
                        pairs.scratch[j] += lr * pairs.weights[row + j]
                        pairs.scratch[k] -= lr * pairs.weights[row + j]
            for at in range(pairs.stride):
                scores[row + at] = pairs.scratch[at]
'''

TRAIN = """
from w2v.kernel.registry import LOSSES, Entry
LOSSES["hinge"] = Entry("hinge:Hinge", "pairs ranked by a gap of 1")

from click.testing import CliRunner
from w2v.cli.main import cli

arguments = ["train", "corpus.txt", "--loss", "hinge", "--lr", "0.1", "--threads", "1", "--min-count", "1"]
arguments += ["--sample", "1e-3", "--epochs", "5"]
outcome = CliRunner().invoke(cli, arguments, catch_exceptions=False)
assert outcome.exit_code == 0, outcome.output
assert "hinge pairs ranked by a gap of 1" in " ".join(CliRunner().invoke(cli, ["train", "--help"]).output.split())

import w2v
vectors = w2v.Vectors.load("vectors.bin")
assert vectors.metadata["objective"] == "hinge"
losses = vectors.metadata["losses"]
assert losses[-1] < 0.8 * losses[0], losses
assert vectors.similarity("tea", "coffee") > vectors.similarity("tea", "stone") + 0.2
"""


def test_one_file_and_one_entry(tmp_path: Path) -> None:
    (tmp_path / "hinge.py").write_text(LOSS)
    drinks = [f"{drink} {word}" for drink in ("tea", "coffee") for word in ("hot", "drink", "cup", "sugar")]
    rocks = [f"{rock} {word}" for rock in ("stone", "granite") for word in ("hard", "quarry", "hill", "grey")]
    (tmp_path / "corpus.txt").write_text("\n".join((drinks + rocks) * 200) + "\n")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "W2V_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", TRAIN], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
