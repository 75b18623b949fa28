"""The catalogue: which sets and corpora have names, and where the file of each is found."""

import importlib.util
import os
import tomllib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any, Literal, get_args

import platformdirs

from w2v.data.download import Download, checksum_of, download
from w2v.errors import DataError
from w2v.spelling import closest

Kind = Literal["similarity", "analogy", "categorisation", "corpus"]
Where = Literal["packaged", "cached", "damaged", "not downloaded", "needs gensim"]
KINDS: tuple[Kind, ...] = get_args(Kind)
PREFIX = "data:"
_REINSTALL = "pip install --force-reinstall gensim"


@dataclass(frozen=True)
class Packaged:
    """A file in the test data of gensim; `checksum` is algorithm:hexadecimal, `size` in bytes."""

    file: str
    checksum: str
    size: int


@dataclass(frozen=True)
class Entry:
    """A set or corpus of the catalogue.

    Attributes
    ----------
    name, aliases : str, tuple of str
        What users call it; the name of gensim's file does as well.
    title : str
        For tables.
    kind : {"similarity", "analogy", "categorisation", "corpus"}
    language : str
        ISO 639-1.
    licence, citation : str
    packaged : Packaged or None
        The copy that comes with gensim.
    download : Download or None
        Where anyone can get it; None when it comes with gensim only.
    """

    name: str
    title: str
    kind: Kind
    language: str
    licence: str
    citation: str
    aliases: tuple[str, ...] = ()
    packaged: Packaged | None = None
    download: Download | None = None

    @property
    def size(self) -> int:
        """Bytes of the file: of gensim's copy where there is one."""
        known = self.packaged or self.download
        return known.size if known else 0

    @property
    def names(self) -> tuple[str, ...]:
        """Everything it is found by."""
        return (self.name, *self.aliases, *([self.packaged.file] if self.packaged else []))


@cache
def entries() -> tuple[Entry, ...]:
    """All entries, in the order of catalog.toml."""
    with Path(__file__).with_name("catalog.toml").open("rb") as file:
        return tuple(_entry(table) for table in tomllib.load(file)["entry"])


def _entry(table: dict[str, Any]) -> Entry:
    packaged, source = table.pop("packaged", None), table.pop("download", None)
    return Entry(
        aliases=tuple(table.pop("aliases", ())),
        packaged=Packaged(**packaged) if packaged else None,
        download=Download.from_table(source) if source else None,
        **table,
    )


def names(kind: Kind | None = None) -> tuple[str, ...]:
    """Names of the entries of one kind, or of all."""
    return tuple(entry.name for entry in entries() if kind in (None, entry.kind))


def is_known(name: str) -> bool:
    """Whether `name` (in capitals or not) is one of the catalogue's."""
    return any(name.lower() in entry.names for entry in entries())


def entry_of(name: str) -> Entry:
    """The entry called `name`, in capitals or not.

    Raises
    ------
    DataError
        When there is none; the message has the most similar names.
    """
    for entry in entries():
        if name.lower() in entry.names:
            return entry
    known = {known: row for row, known in enumerate(known for entry in entries() for known in entry.names)}
    similar = closest(name, known)
    hint = f"did you mean {' or '.join(similar)}? " if similar else ""
    raise DataError(f"{name}: no set or corpus of that name; {hint}`w2v data list` shows all")


def cache_folder() -> Path:
    """Folder of downloaded files: $W2V_DATA, else `data` in the user's cache folder of w2v."""
    given = os.environ.get("W2V_DATA")
    return Path(given).absolute() if given else platformdirs.user_cache_path("w2v", appauthor=False) / "data"


def locate(entry: Entry) -> tuple[Where, Path | None]:
    """Where the file of an entry is; `damaged` if there is one but it cannot be read or its checksum is wrong."""
    found = False
    for where, path, checksum in _copies(entry):
        found = True
        with suppress(DataError):  # what cannot be read should not keep the others from being listed
            if _is_intact(path, checksum):
                return where, path
    if found:
        return "damaged", None
    return ("not downloaded" if entry.download else "needs gensim"), None


def at_hand(entry: Entry) -> Path | None:
    """The file of an entry without a download; None when there is none or its checksum is wrong."""
    return next((path for _, path, checksum in _copies(entry) if _is_intact(path, checksum)), None)


def why_not_at_hand(entry: Entry) -> str:
    """What is wrong with an entry that is not `at_hand`, and what to do."""
    remedy = f"w2v data get {entry.name}" if entry.download else "pip install 'w2v[eval]'"
    damaged = [path for _, path, _ in _copies(entry)]
    if not damaged:
        return f"not at hand; to get it: {remedy}"
    if entry.download is None:
        remedy = _REINSTALL
    return f"{damaged[-1]} is not the file of the catalogue (its checksum differs); to get it anew: {remedy}"


def find(name: str, say: Callable[[str], None] | None = None) -> Path:
    """The file of a set or corpus: gensim's copy, else the user's cache, else a download to there.

    Parameters
    ----------
    name : str
        A name or alias of the catalogue.
    say : callable or None
        Gets a line when a download begins; a terminal then shows a progress bar too.

    Returns
    -------
    Path
        A file whose checksum is that of the catalogue.

    Raises
    ------
    DataError
        When the name is unknown, or the file is neither at hand nor to be had; it says what to do.
    """
    entry = entry_of(name)
    path = at_hand(entry)
    if path is not None:
        return path
    target = _cached_path(entry)
    if target is None or entry.download is None:
        raise DataError(_without_gensim(entry))
    if say is not None and _is_file(target):
        say(f"{target}: not the file of the catalogue (its checksum differs): it is downloaded anew")
    return download(entry.download, target, say)


def resolve(argument: str, say: Callable[[str], None] | None = None) -> str:
    """A file as the user named it: `data:NAME` becomes the path of that set or corpus, anything else stays.

    A file that is really called so wins, as it does in a shell.

    Raises
    ------
    DataError
        As `find` does.
    """
    if not argument.startswith(PREFIX) or os.path.lexists(argument):
        return argument
    return str(find(argument.removeprefix(PREFIX), say))


def _copies(entry: Entry) -> Iterator[tuple[Where, Path, str]]:
    """Files of an entry that are there, good or not, gensim's first, each with the checksum it should have."""
    packaged, cached = _packaged_path(entry), _cached_path(entry)
    if packaged is not None and entry.packaged is not None:
        yield "packaged", packaged, entry.packaged.checksum
    if cached is not None and entry.download is not None and _is_file(cached):
        yield "cached", cached, entry.download.checksum


def _packaged_path(entry: Entry) -> Path | None:
    """Gensim's copy, found without importing gensim (which takes seconds)."""
    spec = importlib.util.find_spec("gensim") if entry.packaged else None
    if entry.packaged is None or spec is None or not spec.submodule_search_locations:
        return None
    path = Path(spec.submodule_search_locations[0]) / "test" / "test_data" / entry.packaged.file
    return path if _is_file(path) else None


def _cached_path(entry: Entry) -> Path | None:
    if entry.download is None:
        return None
    return cache_folder() / (entry.name + PurePosixPath(entry.download.file).suffix)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # what lies in a folder that may not be entered is not at hand
        return False


def _is_intact(path: Path, checksum: str) -> bool:
    try:
        return _is_file(path) and checksum_of(path, checksum) == checksum
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}; make it readable, or remove it") from error


def _without_gensim(entry: Entry) -> str:
    path, file = _packaged_path(entry), entry.packaged.file if entry.packaged else entry.name
    if path is None:
        return f"{file} comes with gensim, which is not installed or lacks it: {_REINSTALL}"
    return f"{path}: not the file of the catalogue (its checksum differs): {_REINSTALL}"
