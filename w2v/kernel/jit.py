"""How every compiled function of w2v is compiled and where its machine code is kept."""

import hashlib
import os
import pickle
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache, wraps
from pathlib import Path
from typing import Any

import numba
import numpy as np
import platformdirs

# No "nnan" and "ninf": a score that overflowed must stay visible as such to the checks that look for it.
FASTMATH = {"contract", "reassoc", "nsz", "arcp", "afn"}
# What reading a damaged pickle or object file, or writing to a full disk, raises.
CACHE_FAULTS = (OSError, EOFError, ValueError, LookupError, TypeError, AttributeError, ImportError, RuntimeError,
                pickle.PickleError)  # fmt: skip
SOURCE_ROOT = Path(__file__).resolve().parent.parent


@cache
def source_digest() -> str:
    """Digest of the package's source.

    Numba notices a change of the file that holds a function, not of the files it calls into; a cache folder
    named after all of the source cannot hand out stale code.
    """
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted([*(SOURCE_ROOT / "kernel").rglob("*.py")]):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


@cache
def cache_directory() -> Path | None:
    """Folder of the compiled code: $W2V_CACHE_DIR, else the user's cache folder; None when it cannot be written."""
    root = os.environ.get("W2V_CACHE_DIR") or platformdirs.user_cache_dir("w2v", appauthor=False)
    folder = Path(root) / "jit" / source_digest()
    return folder if _is_writable(folder) else None


def _wrapping(function: Callable[..., Any]) -> Callable[..., Any]:
    """For runs without the compiler: integers wrap around as in machine code, without NumPy's warning."""

    @wraps(function)
    def call(*args: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*args)

    return call


def jit(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """`numba.njit` with the options of this project.

    Numba reads the cache folder from a global setting when a function is decorated; it is set for that moment
    only, so that other users of Numba in the process keep theirs.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        if numba.config.DISABLE_JIT:
            return _wrapping(function)
        folder = cache_directory()
        saved = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = str(folder or "")
        try:
            compiler = numba.njit(
                nogil=True, fastmath=FASTMATH, error_model="numpy", cache=folder is not None, **options
            )
            dispatcher = compiler(function)
        finally:
            numba.config.CACHE_DIR = saved
        if folder is not None:
            _forgive(dispatcher._cache)
        dispatcher._compile_for_args = _counted(dispatcher._compile_for_args)
        return dispatcher

    return decorate


_compiling = 0
_waiting: list[Callable[[], None]] = []


def when_not_compiling(action: Callable[[], None]) -> None:
    """Do something now, or as soon as the compiler is done.

    For signal handlers that raise an exception: in the middle of one of LLVM's callbacks it would end in a crash.
    """
    if _compiling:
        _waiting.append(action)
    else:
        action()


def _counted(compile_for_args: Callable[..., Any]) -> Callable[..., Any]:
    def compile_and_count(*args: Any, **options: Any) -> Any:
        global _compiling  # noqa: PLW0603
        _compiling += 1
        try:
            return compile_for_args(*args, **options)
        finally:
            _compiling -= 1
            while _waiting and not _compiling:
                _waiting.pop(0)()

    return compile_and_count


def _forgive(cache: Any) -> None:
    """Let a cache be damaged or full: what cannot be read is compiled, what cannot be written is not kept."""
    load, save = cache.load_overload, cache.save_overload

    def load_overload(*args: Any) -> Any:
        try:
            return load(*args)
        except CACHE_FAULTS:
            with suppress(*CACHE_FAULTS):
                cache.flush()
            return None

    def save_overload(*args: Any) -> None:
        with suppress(*CACHE_FAULTS):
            save(*args)

    cache.load_overload, cache.save_overload = load_overload, save_overload


def inline() -> Callable[[Callable[..., Any]], Any]:
    """For pieces of a kernel that must see compile-time sizes: inlined before types are inferred."""
    decorator: Callable[[Callable[..., Any]], Any] = numba.njit(inline="always", fastmath=FASTMATH, error_model="numpy")
    return decorator
