"""Benchmark sets by name or file, and where gensim keeps its copies."""

import importlib.util
from pathlib import Path

from w2v.errors import BenchmarkError
from w2v.eval.readers import read_set
from w2v.eval.sets import BenchmarkSet

# Name on the command line -> (title in tables, file in gensim's test data).
BENCHMARKS = {
    "wordsim353": ("WordSim-353", "wordsim353.tsv"),
    "simlex999": ("SimLex-999", "simlex999.txt"),
    "google": ("Google analogies", "questions-words.txt"),
}
# Small corpora that gensim packages beside its benchmark sets.
CORPORA = ("head500.noblanks.cor", "lee_background.cor")
PACKAGED = (*(file for _, file in BENCHMARKS.values()), *CORPORA)


def packaged_path(file: str) -> Path:
    """Where the installed gensim keeps `file`, found without importing gensim (which takes seconds).

    Raises
    ------
    BenchmarkError
        When gensim is not installed, or has no such file.
    """
    spec = importlib.util.find_spec("gensim")
    if spec is None or not spec.submodule_search_locations:
        raise BenchmarkError(f"{file} comes with gensim, which is not installed: pip install 'w2v[eval]'")
    path = Path(spec.submodule_search_locations[0]) / "test" / "test_data" / file
    if not path.is_file():
        raise BenchmarkError(f"{path}: not in the installed gensim: pip install --force-reinstall gensim")
    return path


def load(name_or_file: str) -> BenchmarkSet:
    """Read a benchmark set by its name in `BENCHMARKS`, or from a file or folder.

    Raises
    ------
    BenchmarkError
        When it is missing or malformed.
    """
    if name_or_file.lower() in BENCHMARKS:
        title, file = BENCHMARKS[name_or_file.lower()]
        return read_set(packaged_path(file), title)
    path = Path(name_or_file)
    if not path.exists():
        raise BenchmarkError(f"{path}: no such file, nor one of the names {', '.join(BENCHMARKS)}")
    return read_set(path, path.resolve().name if path.is_dir() else path.stem)
