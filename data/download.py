"""From an address to a verified file: whole and with the right checksum, or not there at all."""

import hashlib
import shutil
import sys
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryFile
from typing import IO, Any, Self
from urllib.parse import urlsplit

from w2v.errors import DataError, OutputError
from w2v.files import replacing

TIMEOUT_SECONDS = 30
CHUNK_BYTES = 1 << 16


@dataclass(frozen=True)
class Archive:
    """A zip file of which one member is wanted; checksum (algorithm:hexadecimal) and bytes of the zip file."""

    member: str
    checksum: str
    size: int


@dataclass(frozen=True)
class Download:
    """Where a file is, and what makes it the right one.

    Attributes
    ----------
    url : str
    checksum : str
        Algorithm:hexadecimal, of the file that is wanted: of the member where there is an archive.
    size : int
        Its bytes.
    archive : Archive or None
    """

    url: str
    checksum: str
    size: int
    archive: Archive | None = None

    @classmethod
    def from_table(cls, table: dict[str, Any]) -> Self:
        """Read one from catalog.toml."""
        archive = table.pop("archive", None)
        return cls(**table, archive=Archive(**archive) if archive else None)

    @property
    def file(self) -> str:
        """Name of the file that is wanted."""
        return self.archive.member if self.archive else PurePosixPath(urlsplit(self.url).path).name


class _Checked:
    """A file to write to that sums what it is given, and takes no more of it than is expected."""

    def __init__(self, file: IO[bytes], source: str, checksum: str, size: int) -> None:
        self._file, self._source, self._expected, self._left = file, source, checksum, size
        self._digest = hashlib.new(_algorithm(checksum), usedforsecurity=False)

    def write(self, data: bytes) -> int:
        self._left -= len(data)
        if self._left < 0:
            raise self._wrong(f"more bytes than {self._expected} has")
        self._digest.update(data)
        return self._file.write(data)

    def flush(self) -> None:
        self._file.flush()

    def check(self) -> None:
        """Raise DataError when what was written is not what was expected."""
        got = f"{self._digest.name}:{self._digest.hexdigest()}"
        if got != self._expected:
            raise self._wrong(f"expected {self._expected}, got {got}")

    def _wrong(self, what: str) -> DataError:
        return DataError(
            f"{self._source}: not the file of the catalogue ({what}); nothing was kept; try again, "
            "and look whether a proxy or login page answers in its place"
        )


def checksum_of(path: Path, like: str) -> str:
    """Checksum of a file, with the algorithm that the checksum `like` is made with."""
    algorithm = _algorithm(like)
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, lambda: hashlib.new(algorithm, usedforsecurity=False))
    return f"{algorithm}:{digest.hexdigest()}"


def _algorithm(checksum: str) -> str:
    return checksum.partition(":")[0]


def download(source: Download, target: Path, say: Callable[[str], None] | None = None) -> Path:
    """Download a file to `target`, which is replaced when it exists and left as it was when anything fails.

    Parameters
    ----------
    source : Download
    target : Path
    say : callable or None
        Gets a line at the beginning; a terminal then shows a progress bar too.

    Returns
    -------
    Path
        `target`.

    Raises
    ------
    DataError
        When the server cannot be reached, breaks off or sends something else, or the file cannot be written.
    """
    if say is not None:
        size = (source.archive or source).size
        say(f"downloading {source.url} ({size:,} bytes) to {target}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with replacing([target]) as (file,):
            wanted = _Checked(file, source.url, source.checksum, source.size)
            if source.archive is None:
                _fetch(source, wanted, target, show=say is not None)
            else:
                _fetch_member(source, source.archive, wanted, target, show=say is not None)
            wanted.check()
    except (OSError, OutputError) as error:
        reason = f"{target.parent}: {error.strerror or error}" if isinstance(error, OSError) else str(error)
        raise DataError(f"{reason}; let the environment variable W2V_DATA name a folder to write to") from error
    return target


def _fetch_member(source: Download, archive: Archive, wanted: _Checked, target: Path, *, show: bool) -> None:
    with TemporaryFile(dir=target.parent) as file:
        zipped = _Checked(file, source.url, archive.checksum, archive.size)
        _fetch(source, zipped, target, show=show)
        zipped.check()
        try:
            with zipfile.ZipFile(file) as opened, opened.open(archive.member) as member:
                shutil.copyfileobj(member, wanted, CHUNK_BYTES)
        except (zipfile.BadZipFile, zlib.error, KeyError, NotImplementedError, EOFError) as error:
            raise DataError(f"{source.url}: {archive.member} cannot be taken out of it: {error}") from error


def _fetch(source: Download, file: _Checked, target: Path, *, show: bool) -> None:
    import pooch
    import requests
    from tqdm import tqdm

    size = (source.archive or source).size
    hidden = not (show and sys.stderr is not None and sys.stderr.isatty())
    # Not compressed on the way: the bar counts bytes as they come, and no server can make few of them many.
    headers = {"Accept-Encoding": "identity"}
    style = {"unit": "B", "unit_scale": True, "dynamic_ncols": True, "leave": False, "desc": target.name}
    with tqdm(total=size, disable=hidden, **style) as bar:
        fetch = pooch.HTTPDownloader(bar, CHUNK_BYTES, timeout=TIMEOUT_SECONDS, headers=headers)
        try:
            fetch(source.url, file, None)
        except requests.RequestException as error:
            part = f", take {source.file} out of it" if source.archive else ""
            raise DataError(
                f"{source.url}: cannot be downloaded ({_reason(error)}); try again, or get it by other means{part} and "
                f"save it as {target}: it is verified there"
            ) from error


def _reason(error: BaseException) -> str:
    """What went wrong at the bottom of a chain of errors: libraries wrap it three times and say it at length."""
    import requests

    if isinstance(error, requests.HTTPError) and error.response is not None:
        return f"the server answers {error.response.status_code} {error.response.reason}"
    while error.__context__ is not None:
        error = error.__context__
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return str(text).splitlines()[0]
