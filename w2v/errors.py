"""The errors a user can cause.  A message says what is wrong, where, and what to do."""


class W2VError(Exception):
    """Base of every error meant for the user; `exit_code` is what the command line exits with."""

    exit_code = 2


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


class UnknownWordError(W2VError):
    """A word that is not in the vocabulary; the answer is no, so the exit code is 1."""

    exit_code = 1

    def __init__(self, message: str, words: list[str]) -> None:
        super().__init__(message)
        self.words = words
