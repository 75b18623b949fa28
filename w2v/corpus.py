"""From what the user names (files, globs, folders, stdin, URLs) to blocks of decompressed bytes."""

import glob
import io
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from w2v.compression import DAMAGE, MAGIC_BYTES, decompressed
from w2v.errors import CorpusError, shown

BLOCK_BYTES = 1 << 17
STDIN = "-"


@dataclass(frozen=True)
class Block:
    """A piece of one source's text; `last` on the final one, which may be empty."""

    source: str
    data: bytes
    last: bool


class _Counted(io.RawIOBase):
    """A stream whose first bytes were read already, and that knows how much was read of it."""

    def __init__(self, stream: BinaryIO, on_bytes: Callable[[int], None]) -> None:
        # One system call a time: within a longer read a signal that comes between two calls would wait for input.
        self._read = getattr(stream, "read1", stream.read)
        self._on_bytes = on_bytes
        self.head = b""
        while len(self.head) < MAGIC_BYTES and (more := self._read(MAGIC_BYTES - len(self.head))):
            self.head += more
        self._pending = self.head

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "memoryview[int]") -> int:  # type: ignore[override]
        data = self._pending[: len(buffer)] or self._read(len(buffer))
        self._pending = self._pending[len(buffer) :]
        buffer[: len(data)] = data
        self._on_bytes(len(data))
        return len(data)


class Corpus:
    """A corpus as the user named it, expanded to its files.

    Parameters
    ----------
    names : paths, globs, folders (all regular files below, sorted, hidden ones left out), `-` for standard
        input, or URLs that smart_open opens

    Attributes
    ----------
    sources : list of str
        What is read, in order.
    total_bytes : int or None
        Size on disk of all of it; None when it is not known (stdin, URLs, pipes).
    bytes_read : int
        How much of that has been read so far.

    Raises
    ------
    CorpusError
        When a name leads to nothing, or the same file is named twice.
    """

    def __init__(self, names: Iterable[str | os.PathLike[str]]) -> None:
        self.sources = [source for name in names for source in expand(os.fspath(name))]
        if not self.sources:
            raise CorpusError("no corpus given: name at least one file, folder or - for standard input")
        _refuse_repeats(self.sources)
        sizes = [_size(source) for source in self.sources]
        self.total_bytes = None if None in sizes else sum(size for size in sizes if size is not None)
        self.bytes_read = 0

    @property
    def files(self) -> set[Path]:
        """Resolved paths of the sources that are local files."""
        return {Path(source).resolve() for source in self.sources if source != STDIN and not is_remote(source)}

    def blocks(self) -> Iterator[Block]:
        """The text of all sources, decompressed, in blocks of about BLOCK_BYTES.

        Raises
        ------
        CorpusError
            When a source cannot be opened or read, or its compressed data is damaged.
        """
        for source in self.sources:
            yield from self._source_blocks(source)

    def _count(self, n_bytes: int) -> None:
        self.bytes_read += n_bytes

    def _source_blocks(self, source: str) -> Iterator[Block]:
        position = 0
        try:
            with _open(source) as raw:
                counted = _Counted(raw, self._count)
                buffered = cast(BinaryIO, io.BufferedReader(counted, BLOCK_BYTES))
                stream = decompressed(buffered, counted.head)
                while data := stream.read(BLOCK_BYTES):
                    position += len(data)
                    yield Block(source, data, last=False)
        except DAMAGE as error:
            raise _unreadable(source, position, error) from error
        yield Block(source, b"", last=True)


def _unreadable(source: str, position: int, error: BaseException) -> CorpusError:
    if isinstance(error, OSError) and error.errno is not None:
        return CorpusError(f"{source}: cannot be read: {error.strerror}")
    reason = _first_line(error)
    if is_remote(source):
        return CorpusError(f"{source}: broke off after {position} bytes of text: {reason}; fetch it to a file first")
    return CorpusError(
        f"{source}: damaged after {position} bytes of text ({reason}): "
        "decompress it with its own tool to see what can be saved"
    )


def _first_line(error: BaseException) -> str:
    lines = str(error).splitlines()
    return lines[0].rstrip(".") if lines else type(error).__name__


def is_remote(source: str) -> bool:
    """Whether a source is a URL."""
    return "://" in source


def expand(name: str) -> list[str]:
    """The sources that one name stands for.

    Raises
    ------
    CorpusError
        When there is no such file, the glob matches nothing, or the folder holds no file.
    """
    if name == STDIN or is_remote(name):
        return [name]
    if not name:
        raise CorpusError("an empty name was given for the corpus (an unset variable?); name a file or folder")
    try:
        files = _files(Path(name))
    except OSError as error:  # too long a name, or a folder one may not enter
        raise CorpusError(f"{shown(name)}: cannot be read: {error.strerror}") from error
    if files:
        return files
    if Path(name).is_dir():
        raise CorpusError(f"{name}: the folder holds no files (hidden ones are left out)")
    if name.startswith("data:"):
        hint = f'w2v.data.path("{name.removeprefix("data:")}")'
        raise CorpusError(f"{name}: no such file; for a corpus of the catalogue give {hint} (from `import w2v.data`)")
    if not glob.has_magic(name):
        raise CorpusError(f"{name}: no such file; check the path (the current folder is {Path.cwd()})")
    matches = sorted(glob.glob(name, recursive=True))  # noqa: PTH207 - Path.glob takes no absolute pattern
    # `**` finds a folder and again each file in it.
    files = list(dict.fromkeys(file for match in matches for file in _files(Path(match))))
    if not files:
        raise CorpusError(f"{name}: no file matches")
    return files


def _files(path: Path) -> list[str]:
    if path.is_dir():
        return [str(file) for file in _walk(path)]
    return [str(path)] if path.exists() else []


def _walk(folder: Path) -> list[Path]:
    """All regular files below a folder, sorted, hidden ones left out."""

    def fail(error: OSError) -> None:
        raise CorpusError(f"{error.filename}: the folder cannot be listed: {error.strerror}") from error

    found: list[Path] = []
    for parent, folders, files in os.walk(folder, onerror=fail):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [Path(parent, name) for name in files if not name.startswith(".")]
    return sorted(path for path in found if path.is_file())


def _refuse_repeats(sources: list[str]) -> None:
    seen: dict[object, str] = {}
    for source in sources:
        key = _identity(source)
        if key in seen:
            other = "" if seen[key] == source else f" (also as {seen[key]})"
            raise CorpusError(f"{source}: given twice{other}; name it once, and use --epochs to read it more often")
        seen[key] = source


def _identity(source: str) -> object:
    """Equal for two names of one file, be it through a link or as standard input."""
    if is_remote(source):
        return source
    try:
        status = os.fstat(_stdin().fileno()) if source == STDIN else Path(source).stat()
    except OSError:  # standard input replaced by an object without a file, or a file that went away just now
        return source
    return status.st_dev, status.st_ino


def _size(source: str) -> int | None:
    if source == STDIN or is_remote(source) or not Path(source).is_file():
        return None
    return Path(source).stat().st_size


def _stdin() -> BinaryIO:
    if sys.stdin is None:  # how Python shows a closed standard input
        raise CorpusError("-: standard input is closed; name a file")
    return cast(BinaryIO, sys.stdin.buffer)


def _open(source: str) -> AbstractContextManager[BinaryIO]:
    if source == STDIN:
        return nullcontext(_stdin())
    if is_remote(source):
        return _open_remote(source)
    return Path(source).open("rb")


def _open_remote(url: str) -> AbstractContextManager[BinaryIO]:
    import smart_open

    try:
        return closing(smart_open.open(url, "rb", compression="disable"))
    except (ImportError, NotImplementedError, ValueError, OSError) as error:
        raise CorpusError(f"{url}: cannot be opened: {_first_line(error)}") from error
