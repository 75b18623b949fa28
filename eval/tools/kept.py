"""Training runs kept in a folder: vectors, and a record that says how they came about.

A run NAME is the file NAME.bin of vectors (word2vec binary) and NAME.json beside it, one object with

    tool                w2v, gensim or fasttext
    version             of the tool
    corpus              sha256 of the corpus file, in hexadecimal digits
    settings            the options that were given, by name: {"dim": 300, "window": 5, ...}
    seed                a whole number
    wall                seconds from the start of the process to its end
    seconds             of each stage: {"counting": 5.5, "training": 340.1, "saving": 0.4}
    tokens              tokens of the corpus that are in the vocabulary
    words_per_second    of the training stage
    peak_memory_mib     of the process, or null

A run is used in place of a new one when tool, version, corpus, settings and seed are all those asked for; NAME does not
matter, so that runs made elsewhere can be put beside the others.
"""

import json
import os
import platform
import shutil
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from w2v.errors import BenchmarkError
from w2v.eval.tools import runs
from w2v.eval.tools.runs import TOOLS, Run, Settings, count_of_epochs
from w2v.files import replacing

SIDECAR = ".bin.json"  # w2v's own file beside vectors
MEASURED = ("wall", "seconds", "tokens", "words_per_second", "peak_memory_mib")


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_whole(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**64


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value < 1e100  # NaN is not


def _is_positive(value: Any) -> bool:
    return _is_number(value) and value > 0


# What the values of a record can be.
_FIELDS: dict[str, Callable[[Any], bool]] = {
    "tool": _is_text,
    "version": _is_text,
    "corpus": _is_text,
    "settings": lambda value: isinstance(value, dict),
    "seed": _is_whole,
    "wall": _is_positive,
    "seconds": lambda value: (
        isinstance(value, dict) and value.keys() >= set(runs.STAGES) and all(map(_is_number, value.values()))
    ),
    "tokens": _is_whole,
    "words_per_second": _is_positive,
    "peak_memory_mib": lambda value: value is None or _is_positive(value),
}


@dataclass(frozen=True)
class Job:
    """A training run to be made."""

    tool: str
    corpus: str
    settings: tuple[tuple[str, int | float | str], ...]
    seed: int

    @classmethod
    def of(cls, tool: str, corpus: str, settings: Settings, seed: int) -> "Job":
        """The job of training with these settings on the corpus of this digest."""
        return cls(tool, corpus, tuple(settings.items()), seed)

    def description(self) -> dict[str, Any]:
        """The part of the record that says what was asked for."""
        return {
            "tool": self.tool,
            "version": runs.version(self.tool),
            "corpus": self.corpus,
            "settings": dict(self.settings),
            "seed": self.seed,
        }

    def __str__(self) -> str:
        epochs = dict(self.settings).get("epochs")
        trained = count_of_epochs(int(epochs)) if epochs else "its own defaults"
        return f"{TOOLS[self.tool].title}, {trained}, seed {self.seed}"


@dataclass(frozen=True)
class Kept:
    """A run and its vectors' file."""

    run: Run
    vectors: Path


class Store:
    """Runs in a folder.

    Parameters
    ----------
    folder : Path
        Made when it is not there.
    corpus : Path
        What is trained on.

    Raises
    ------
    BenchmarkError
        When the folder cannot be made, or a file NAME.json in it is no record.
    """

    def __init__(self, folder: Path, corpus: Path) -> None:
        self._folder, self._corpus = folder, corpus
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BenchmarkError(f"{folder}: cannot be made: {error.strerror}") from error
        _remove_leftovers(folder)
        self._records = dict(_records(folder))

    def find(self, job: Job) -> Kept | None:
        """The run of a job that was made before."""
        wanted = job.description()
        for path, record in self._records.items():
            if all(record[name] == value for name, value in wanted.items()):
                return Kept(Run(**{name: record[name] for name in MEASURED}), path.with_suffix(".bin"))
        return None

    def near_misses(self, job: Job) -> list[str]:
        """Runs like that of a job in tool, seed, dim and epochs, each with what keeps it from being used."""
        wanted = job.description()
        return [
            f"{path.name} is not used: {'; '.join(_differences(record, wanted))}"
            for path, record in self._records.items()
            if _likeness(record) == _likeness(wanted)
        ]

    def make(self, job: Job) -> Kept:
        """Train and keep; a run that is broken off leaves nothing.

        Raises
        ------
        BenchmarkError
            When training fails.
        OutputError
            When the record cannot be written.
        """
        wanted = job.description()
        path = self._folder / f"{_name(job, wanted)}.json"
        with TemporaryDirectory(dir=self._folder, prefix=f"{_running()}{os.getpid()}-") as running:
            out = Path(running) / "vectors.bin"
            run = runs.train(job.tool, self._corpus, out, dict(job.settings), job.seed)
            for written in Path(running).iterdir():
                written.replace(path.with_suffix(written.name.removeprefix("vectors")))
        record = wanted | asdict(run)
        with replacing([path]) as (file,):
            file.write(json.dumps(record, indent=1).encode() + b"\n")
        self._records[path] = record
        return Kept(run, path.with_suffix(".bin"))


def _running() -> str:
    return f".running-{platform.node()}-"


def _remove_leftovers(folder: Path) -> None:
    """Remove what runs that were killed have left; those of other machines may go on, and are left alone."""
    for path in folder.iterdir():
        process = path.name.removeprefix(_running()).partition("-")[0]
        if path.name.startswith(_running()) and process.isdecimal() and not _is_alive(int(process)):
            shutil.rmtree(path, ignore_errors=True)


def _is_alive(process: int) -> bool:
    if os.name != "posix":
        return True  # there the signal 0 would end the process
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass  # of another user
    return True


def _records(folder: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    for path in sorted(folder.glob("*.json")):
        if not path.name.endswith(SIDECAR) and path.with_suffix(".bin").exists():
            yield path, _read(path)


def _read(path: Path) -> dict[str, Any]:
    try:
        record = json.loads(path.read_bytes())
    except OSError as error:
        raise BenchmarkError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise BenchmarkError(f"{path}: not JSON: {error}; take it out of the folder") from error
    except RecursionError:
        raise BenchmarkError(f"{path}: not the record of a run; take it out of the folder") from None
    given = record if isinstance(record, dict) else {}
    if missing := [name for name in _FIELDS if name not in given]:
        raise BenchmarkError(
            f"{path}: not the record of a run, it lacks {', '.join(missing)}; take it out of the folder"
        )
    if wrong := [name for name, is_right in _FIELDS.items() if not is_right(given[name])]:
        raise BenchmarkError(
            f"{path}: not the record of a run, {', '.join(wrong)} cannot be as given; take it out of the folder"
        )
    return dict(given)


def _name(job: Job, wanted: dict[str, Any]) -> str:
    settings = dict(job.settings)
    epochs = f"epochs{settings['epochs']}" if "epochs" in settings else "defaults"
    asked = {name: value for name, value in wanted.items() if name != "seed"}
    digest = sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:8]
    return f"{job.tool}-dim{settings['dim']}-{epochs}-{digest}-seed{job.seed}"


def _likeness(record: dict[str, Any]) -> tuple[Any, ...]:
    settings = record["settings"]
    return record["tool"], record["seed"], settings.get("dim"), settings.get("epochs")


def _differences(record: dict[str, Any], wanted: dict[str, Any]) -> Iterator[str]:
    for name in ("version", "corpus"):
        if record[name] != wanted[name]:
            yield f"{name} {record[name]}, not {wanted[name]}"
    theirs, ours = record["settings"], wanted["settings"]
    for name in sorted(theirs.keys() | ours.keys()):
        if theirs.get(name) != ours.get(name):
            yield f"{name} {theirs.get(name, 'not given')}, not {ours.get(name, 'given')}"
