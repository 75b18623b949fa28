"""Files that appear whole or not at all."""

import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

from w2v.errors import OutputError


def check_file(path: Path, overwrite: bool) -> None:
    """Find out whether a file could be written, without writing.

    Raises
    ------
    OutputError
        When it could not, or when it exists and `overwrite` is false.
    """
    if path == Path("-"):
        raise OutputError("-: results cannot be written to standard output; name a file")
    parent = _target(path).parent
    try:
        if path.is_dir():
            raise OutputError(f"{path}: is a directory; name a file in it")
        exists = path.exists()
    except OSError as error:
        raise OutputError(f"{path}: cannot be written ({error.strerror})") from None
    if exists and not path.is_file():
        raise OutputError(f"{path}: not a regular file; name a file to write")
    if exists and not overwrite:
        raise OutputError(f"{path}: exists already; give --overwrite to replace it, or another name")
    if not parent.is_dir():
        raise OutputError(f"{path}: there is no folder {parent}; create it first")
    if not os.access(parent, os.W_OK | os.X_OK):
        raise OutputError(f"{path}: the folder {parent} is not writable; name a file elsewhere")


def check_files(outputs: Sequence[Path], inputs: Collection[Path], overwrite: bool) -> None:
    """`check_file` for all files a command writes; `inputs` are the resolved paths of those it reads.

    Raises
    ------
    OutputError
        Also when a file is read as well, or named for two outputs.
    """
    seen: set[Path] = set()
    for path in outputs:
        check_file(path, overwrite or _target(path) in inputs)
        if _target(path) in inputs:
            raise OutputError(f"{path}: is read as input; name another file to write")
        if _target(path) in seen:
            raise OutputError(f"{path}: named for two outputs; give each its own file")
        seen.add(_target(path))


def _target(path: Path) -> Path:
    # Through symbolic links: replacing the link itself would leave the file it points to as it was.
    try:
        return path.resolve()
    except (OSError, RuntimeError) as error:
        raise OutputError(f"{path}: cannot be written ({error})") from None


@contextmanager
def replacing(paths: Sequence[Path]) -> Iterator[list[IO[bytes]]]:
    """Open a temporary file beside each path; they take their places when the block ends without an error.

    Parameters
    ----------
    paths : sequence of Path
        Files to write; symbolic links are followed.

    Yields
    ------
    list of binary file objects
        One for each path.

    Raises
    ------
    OutputError
        When the system refuses to write; the paths then are as before.
    """
    targets = [_target(path) for path in paths]
    temporary = [target.with_name(f".w2v-{os.urandom(8).hex()}.tmp") for target in targets]
    try:
        with ExitStack() as stack:
            yield [stack.enter_context(path.open("xb")) for path in temporary]
        for source, target in zip(temporary, targets, strict=True):
            source.replace(target)
    except OSError as error:
        raise OutputError(f"{paths[0]}: cannot be written ({error.strerror or error})") from None
    finally:
        for path in temporary:
            path.unlink(missing_ok=True)
