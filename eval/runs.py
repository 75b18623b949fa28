"""Training runs as processes of their own, ours and gensim's, with the same options."""

import json
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from w2v.errors import BenchmarkError

TOOLS = ("w2v", "gensim")


@dataclass(frozen=True)
class Options:
    """Options both tools understand, under the names of the command line."""

    dim: int
    window: int
    negative: int
    epochs: int
    sample: float
    lr: float
    min_count: int
    threads: int
    loss: str = "sgns"
    architecture: str = "skipgram"

    def arguments(self) -> list[str]:
        """As arguments of a command; hierarchical softmax has no noise words to draw."""
        given = {name: value for name, value in vars(self).items() if self.loss != "hs" or name != "negative"}
        return [f"--{name.replace('_', '-')}={value}" for name, value in given.items()]


@dataclass(frozen=True)
class Run:
    """One training run.

    Attributes
    ----------
    wall : float
        Seconds from the start of the process to its end.
    counting : float
        Seconds of reading and counting the corpus.
    words_per_second : float
        Of the training phase: in-vocabulary tokens before subsampling, times epochs.
    peak_memory_mib : float
        Largest resident size of the process.
    """

    wall: float
    counting: float
    words_per_second: float
    peak_memory_mib: float


def train(tool: str, corpus: Path, out: Path, options: Options, seed: int) -> Run:
    """Train vectors with ``w2v`` or ``gensim`` and write them to `out`, replacing it.

    Raises
    ------
    BenchmarkError
        When the process fails; the message ends with its own last line.
    """
    log = out.with_name(f"{out.name}.log")
    log.unlink(missing_ok=True)
    shared = [str(corpus), "-o", str(out), *options.arguments(), "--seed", str(seed)]
    module, extra = {
        "w2v": (["w2v.cli.main", "train"], ["--overwrite", "--quiet", "--log-json", str(log)]),
        "gensim": (["w2v.eval.gensim_baseline"], []),
    }[tool]
    start = time.perf_counter()
    done = subprocess.run(  # noqa: S603  (this interpreter, modules of this package)
        [sys.executable, "-P", "-m", *module, *shared, *extra], capture_output=True, text=True, check=False
    )
    wall = time.perf_counter() - start
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise BenchmarkError(f"training {corpus} with {tool} failed: {reason.removeprefix('Error: ')}")
    summary = _last_json(log.read_text(encoding="utf-8") if tool == "w2v" else done.stdout)
    log.unlink(missing_ok=True)
    return Run(wall, summary["seconds"]["counting"], summary["words_per_second"], summary["peak_memory_mib"])


def _last_json(lines: str) -> dict[str, Any]:
    values: dict[str, Any] = json.loads(lines.strip().splitlines()[-1])
    return values


def warm_up(folder: Path, options: Options) -> None:
    """Train on a few words with `options`, so that what compiles on first use is cached before clocks run."""
    corpus = folder / "warm-up.txt"
    corpus.write_text("the quick brown fox jumps over the lazy dog\n" * 200, encoding="utf-8")
    train("w2v", corpus, folder / "warm-up.bin", replace(options, min_count=1), seed=1)
