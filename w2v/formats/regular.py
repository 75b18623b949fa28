"""Files that are read from end to end: nothing but regular ones, as a pipe would block or never end."""

import errno
import os
import stat
from pathlib import Path
from typing import IO


def open_regular(path: Path) -> IO[bytes]:
    """Open a file for reading.

    Raises
    ------
    OSError
        When it cannot be opened, is a directory (IsADirectoryError) or is not a regular file.
    """
    # Without O_NONBLOCK a pipe without a writer would block for ever, before it could be refused.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        _check_mode(os.fstat(descriptor).st_mode)
        return os.fdopen(descriptor, "rb")
    except OSError:
        os.close(descriptor)
        raise


def _check_mode(mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "not a regular file; save it to one first")
