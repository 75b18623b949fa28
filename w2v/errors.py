"""The errors a user can cause.  A message says what is wrong, where, and what to do."""

import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager

_SHOWN = 40
_STEERING = ("Cc", "Cf", "Cs", "Zl", "Zp")  # controls, formats such as bidi, lone surrogates, line separators
_ORDINARY = "\u00ad\u200c\u200d"  # soft hyphen and joiners: inside words of Persian, Hindi, ...


def one_line(text: str) -> str:
    """Text for a terminal: characters that break the line or steer the terminal are written as escapes.

    File names and words come from anywhere; a line break, ESC or bidi control in one could forge what is shown.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        character.encode("unicode_escape").decode() if _steers(character) else character for character in text
    )


def _steers(character: str) -> bool:
    return character not in _ORDINARY and unicodedata.category(character) in _STEERING


def shown(text: str) -> str:
    """A word as it goes into a message, quoted: a word may have any length."""
    return repr(text) if len(text) <= _SHOWN else f"{text[:_SHOWN]!r}..."


class W2VError(Exception):
    """Base of every error meant for the user; `exit_code` is what the command line exits with.

    As text it is one line without control characters, whatever the names in it.
    """

    exit_code = 2

    def __str__(self) -> str:
        return one_line(super().__str__())


class ConfigError(W2VError):
    """An option or a combination of options that makes no sense."""


class CorpusError(W2VError):
    """A corpus or vocabulary file that cannot be read or holds nothing to train on."""


class VectorsError(W2VError):
    """A file of vectors that cannot be read, or vectors that cannot be written so that they read back."""


class OutputError(W2VError):
    """A file that cannot be written."""


class BenchmarkError(W2VError):
    """A benchmark set that is missing or malformed."""


class DataError(W2VError):
    """A set or corpus of the catalogue that is unknown, or neither at hand nor to be had."""


class MissingPackageError(W2VError):
    """A package of one of the extras that is not installed."""


@contextmanager
def needing(what: str, package: str, extra: str = "eval") -> Iterator[None]:
    """Import packages of an extra in this block.

    Raises
    ------
    MissingPackageError
        When one is not installed; it says what needs it and how to get it.
    """
    try:
        yield
    except ImportError as error:
        raise MissingPackageError(
            f"{what} needs {package}, which is not installed: pip install 'w2v[{extra}]'"
        ) from error


class UnknownWordError(W2VError):
    """A word that is not in the vocabulary; the answer is no, so the exit code is 1."""

    exit_code = 1

    def __init__(self, message: str, words: list[str]) -> None:
        super().__init__(message)
        self.words = words
