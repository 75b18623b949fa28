"""What every format shares: the row of the table, a file's beginning, the header line."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO

from w2v.errors import VectorsError
from w2v.vectors import Vectors

HEAD_BYTES = 1 << 22  # holds several lines of text at the largest dimension
CHUNK_BYTES = 1 << 20  # read and written at a time, so that the peak stays near one matrix
NO_WHITE_SPACE = r"[\s\x00\ud800-\udfff]"  # surrogates: cannot be encoded
NO_LINE_BREAK = r"[\r\n\ud800-\udfff]"
_HEADER = re.compile(rb"(?:\xef\xbb\xbf)?[ \t]*([+-]?\d{1,30})[ \t]+([+-]?\d{1,30})[ \t\r]*\n")


@dataclass(frozen=True)
class Header:
    """The line `count dimension` of the word2vec formats; `end` is the byte offset of what follows it."""

    n_words: int
    dim: int
    end: int

    def __str__(self) -> str:
        return f"the header promises {self.n_words} words of {self.dim} dimensions"


@dataclass(frozen=True)
class Head:
    """The beginning of a file, as far as the sniffers look.

    Attributes
    ----------
    path : Path
        The file.
    data : bytes
        Its first `HEAD_BYTES` bytes, or all of it.
    size : int
        Size of the whole file, in bytes.
    """

    path: Path
    data: bytes
    size: int

    @cached_property
    def header(self) -> Header | None:
        """The header line, when the file begins with one."""
        match = _HEADER.match(self.data)
        return Header(int(match[1]), int(match[2]), match.end()) if match else None

    def checked_header(self) -> Header:
        """The header line, for a reader.

        Raises
        ------
        VectorsError
            When it promises no words, no dimensions, or more dimensions than the file has bytes.
        """
        header = self.header
        if header is None or header.n_words < 1 or header.dim < 1:
            raise VectorsError(f"{self.path}: {header}; both must be at least 1")
        if header.dim > self.size:
            raise truncated(self, header, 0, header.end)
        return header


def truncated(head: Head, header: Header, n_found: int, row_start: int) -> VectorsError:
    """Error for a file that ends before the words its header promises."""
    return VectorsError(
        f"{head.path}: {header}, but the file holds {n_found}: it ends at byte {head.size}, and row "
        f"{n_found + 1} begins at byte {row_start}. The file is truncated or the header wrong; fetch it again"
    )


def too_long(head: Head, header: Header, end: int) -> VectorsError:
    """Error for a file that goes on after the words its header promises."""
    return VectorsError(
        f"{head.path}: {header}, but {head.size - end} more bytes follow from byte {end} on. "
        f"The header is wrong or files were joined; fetch or write it again"
    )


@dataclass(frozen=True)
class Format:
    """One row of the table of formats.

    Attributes
    ----------
    name : str
        What --format takes.
    extensions : tuple of str
        Endings of an output path that select this format.
    description : str
        One line for help texts.
    write : callable
        Writes vectors to one open binary file for each path `files` names.
    sniff, read : callable or None
        Whether a file's beginning is of this format, and its reader; None when the format is only written.
    files : callable
        Paths written for an output path.
    sidecar : bool
        Whether a JSON file beside the vectors keeps their metadata.
    refuse : str
        Pattern of the characters a word must not hold, because it would not read back.
    """

    name: str
    extensions: tuple[str, ...]
    description: str
    write: Callable[[Vectors, Sequence[IO[bytes]]], None]
    sniff: Callable[[Head], bool] | None = None
    read: Callable[[Head], Vectors] | None = None
    files: Callable[[Path], tuple[Path, ...]] = lambda path: (path,)
    sidecar: bool = False
    refuse: str = NO_LINE_BREAK
