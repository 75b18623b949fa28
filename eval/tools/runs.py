"""Training runs as processes of their own: w2v, gensim and fastText, told the same options."""

import importlib.metadata
import importlib.util
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import w2v
from w2v.errors import BenchmarkError
from w2v.objective import ARCHITECTURES
from w2v.options import option
from w2v.usage import available_cores

Settings = dict[str, int | float | str]
LOSSES = ("sgns", "hs")  # those that all tools have


@dataclass(frozen=True)
class Options:
    """Options that all tools know, under the names of `w2v train`; the defaults are those of gensim's programs."""

    dim: int = option(100, "Dimensions of a vector.")
    window: int = option(5, "Largest distance between a word and its context.")
    negative: int = option(5, "Noise words for each word.")
    epochs: int = option(5, "Passes over the corpus.")
    sample: float = option(1e-3, "Threshold of the subsampling of frequent words; 0 keeps every word.")
    lr: float = option(0.025, "Learning rate at the start.")
    min_lr: float = option(0.0001, "Learning rate at the end (fastText always ends at 0).")
    noise_power: float = option(0.75, "Noise words are drawn in proportion to count to this power (fastText: 0.5).")
    min_count: int = option(5, "Drop words that occur fewer times.")
    loss: str = option("sgns", "What is minimised: negative sampling or hierarchical softmax.", choices=LOSSES)
    architecture: str = option("skipgram", "Which words predict: each of the context, or their mean.",
                               choices=ARCHITECTURES)  # fmt: skip
    threads: int = option(0, "Worker threads; 0 takes every core.")

    def __post_init__(self) -> None:
        if not self.threads:
            object.__setattr__(self, "threads", available_cores())


@dataclass(frozen=True)
class Tool:
    """A way to train vectors.

    Attributes
    ----------
    title : str
        What tables call it.
    module : str
        The module that trains when it is run.
    package : str
        What must be installed.
    fixed : tuple of str
        Options of `Options` that it has no way to follow.
    environment : dict
        Variables its process needs.
    """

    title: str
    module: str
    package: str
    fixed: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)


TOOLS = {
    "w2v": Tool("w2v", "w2v.cli.main", "w2v"),
    "gensim": Tool("gensim", "w2v.eval.tools.gensim_baseline", "gensim"),
    "fasttext": Tool(
        "fastText",
        "w2v.eval.tools.fasttext_baseline",
        "fasttext",
        fixed=("min_lr", "noise_power"),
        # fastText 0.9.3 begins with memory it has not cleared when it has fewer than 10 threads, and what lies there
        # can be NaN.  This has the C library of Linux fill memory with the complement, 0, which large matrices, fresh
        # from the system, hold anyway; it costs no time that could be measured.
        environment={"MALLOC_PERTURB_": "255"},
    ),
}
STAGES = ("counting", "training", "saving")  # those that every tool has
MEASURING = "measuring"  # a stage of a baseline program that is no part of the tool's work
OPPONENTS = tuple(name for name in TOOLS if name != "w2v")
REMEDY = {"gensim": "pip install 'w2v[eval]'", "fasttext": "pip install 'w2v[fasttext]'"}


@dataclass(frozen=True)
class Run:
    """What a training run took.

    Attributes
    ----------
    wall : float
        Seconds from the start of the process to its end.
    seconds : dict of str to float
        Seconds of each stage: counting, training, saving, and others a tool may have.
    tokens : int
        Tokens of the corpus that are in the vocabulary.
    words_per_second : float
        Of the training stage: in-vocabulary tokens gone through, before subsampling.
    peak_memory_mib : float or None
        Largest resident size of the process; None where the system does not tell.
    """

    wall: float
    seconds: dict[str, float]
    tokens: int
    words_per_second: float
    peak_memory_mib: float | None


def settings_of(tool: str, options: Options) -> Settings:
    """What a tool is told: those of the options that it knows and that mean something with this loss."""
    unused = {*TOOLS[tool].fixed, *(("negative", "noise_power") if options.loss == "hs" else ())}
    return {name: value for name, value in vars(options).items() if name not in unused}


def is_installed(tool: str) -> bool:
    """Whether a tool can be run here."""
    return importlib.util.find_spec(TOOLS[tool].package) is not None


@cache
def version(tool: str) -> str:
    """Version of a tool; w2v's own ends with a digest of its source, since that changes between versions.

    Raises
    ------
    BenchmarkError
        When the tool is not installed.
    """
    if tool == "w2v":
        folder = Path(w2v.__file__).parent
        files = [path for path in sorted(folder.rglob("*.py")) if path.relative_to(folder).parts[0] not in
                 ("cli", "eval", "data")]  # fmt: skip
        return f"{w2v.__version__}+{sha256(b''.join(path.read_bytes() for path in files)).hexdigest()[:8]}"
    package = TOOLS[tool].package
    distributions = importlib.metadata.packages_distributions().get(package)
    if not distributions or not is_installed(tool):
        raise BenchmarkError(f"{TOOLS[tool].title} is not installed: {REMEDY[tool]}")
    return importlib.metadata.version(distributions[0])


def train(tool: str, corpus: Path, out: Path, settings: Settings, seed: int) -> Run:
    """Train vectors with a tool and write them to `out`, replacing it.

    Parameters
    ----------
    tool : str
        A key of `TOOLS`.
    settings : dict
        Options by name; those left out are the tool's defaults.

    Raises
    ------
    BenchmarkError
        When the process fails; the message ends with its own last line.
    """
    log = out.with_name(f"{out.name}.log")
    log.unlink(missing_ok=True)
    given = [f"--{name.replace('_', '-')}={value}" for name, value in settings.items()]
    start, extra = ([], [])
    if tool == "w2v":
        start, extra = ["train"], ["--overwrite", "--quiet", "--log-json", str(log)]
    command = [*start, str(corpus), "-o", str(out), *given, "--seed", str(seed), *extra]
    begun = time.perf_counter()
    done = subprocess.run(  # noqa: S603  (this interpreter, modules of this package)
        [sys.executable, "-P", "-m", TOOLS[tool].module, *command], capture_output=True, text=True, check=False,
        env=os.environ | dict(TOOLS[tool].environment),
    )  # fmt: skip
    taken = time.perf_counter() - begun
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise BenchmarkError(f"training {corpus} with {TOOLS[tool].title} failed: {reason.removeprefix('Error: ')}")
    summary = _last_json(log.read_text(encoding="utf-8") if tool == "w2v" else done.stdout)
    log.unlink(missing_ok=True)
    seconds = summary["seconds"]
    wall = taken - seconds.pop(MEASURING, 0.0)
    return Run(wall, seconds, summary["tokens"], summary["words_per_second"], summary["peak_memory_mib"])


def _last_json(lines: str) -> dict[str, Any]:
    values: dict[str, Any] = json.loads(lines.strip().splitlines()[-1])
    return values


def warm_up(settings: Settings) -> None:
    """Train w2v for an epoch on a few words, so that what compiles on first use is cached before clocks run."""
    with TemporaryDirectory() as folder:
        corpus = Path(folder) / "warm-up.txt"
        corpus.write_text("the quick brown fox jumps over the lazy dog\n" * 200, encoding="utf-8")
        train("w2v", corpus, Path(folder) / "warm-up.bin", settings | {"min_count": 1, "epochs": 1}, seed=1)


def count_of_epochs(number: int) -> str:
    """As text: ``1 epoch``, ``2 epochs``."""
    return f"{number} epoch{'s' if number != 1 else ''}"
