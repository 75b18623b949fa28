"""Benchmark sets by their names in the catalogue, or from files and folders."""

from collections.abc import Callable, Iterable
from pathlib import Path

from w2v.data import catalog
from w2v.errors import BenchmarkError
from w2v.eval.readers import is_folder, read_set
from w2v.eval.sets import BenchmarkSet


def load(name_or_file: str, say: Callable[[str], None] | None = None) -> BenchmarkSet:
    """Read a benchmark set from a file or folder, or by its name in the catalogue; a file so named wins.

    Parameters
    ----------
    name_or_file : str
        A path, NAME or data:NAME.
    say : callable, optional
        Gets a line when a set is downloaded.

    Raises
    ------
    BenchmarkError
        When it is missing or malformed.
    DataError
        When a set of the catalogue is neither at hand nor to be had.
    """
    if not name_or_file:
        raise BenchmarkError("an empty name was given for a set (an unset variable?); name a set, a file or a folder")
    path = Path(name_or_file)
    if is_folder(path):
        return read_set(path, path.resolve().name)
    if path.exists():
        return read_set(path, path.stem)
    name = name_or_file.removeprefix(catalog.PREFIX)
    if name == name_or_file and not catalog.is_known(name):
        raise BenchmarkError(f"{path}: no such file, nor the name of a set; `w2v data list` shows the names")
    entry = catalog.entry_of(name)
    if entry.kind == "corpus":
        raise BenchmarkError(f"{name_or_file}: a corpus, not a benchmark set; `w2v data list` shows the kinds")
    return read_set(catalog.find(name, say), entry.title)


def files_of(sets: Iterable[str]) -> set[Path]:
    """Resolved paths of the files that `load` reads for these sets, as far as they are at hand."""
    found: set[Path] = set()
    for name_or_file in sets:
        path = Path(name_or_file)
        name = name_or_file.removeprefix(catalog.PREFIX)
        if path.is_dir():
            found |= {one.resolve() for one in path.rglob("*") if one.is_file()}
        elif path.exists():
            found.add(path.resolve())
        elif catalog.is_known(name) and (own := catalog.at_hand(catalog.entry_of(name))) is not None:
            found.add(own.resolve())
    return found
