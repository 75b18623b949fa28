"""Words on their way from and to files."""

import re
from pathlib import Path

import numpy as np
import numpy.typing as npt

from w2v.errors import VectorsError
from w2v.vectors import DuplicateWordError, Vectors


def assemble(path: Path, joined: bytes, separator: bytes, matrix: npt.NDArray[np.float32]) -> Vectors:
    """Vectors out of what a reader found: words decoded, duplicates dropped, with warnings.

    Parameters
    ----------
    path : Path
        File the words come from, named in warnings.
    joined : bytes
        One word a row, UTF-8, with `separator` between them.
    separator : bytes
        A byte that is in no word.
    matrix : array, float32, (n_words, dim)
        Vectors in the order of the words.
    """
    words, n_invalid = _decode(joined, separator)
    duplicates: list[str] = []
    try:
        vectors = Vectors(words, matrix)
    except DuplicateWordError:
        first_row: dict[str, int] = {}
        duplicates = [word for row, word in enumerate(words) if first_row.setdefault(word, row) != row]
        vectors = Vectors(list(first_row), matrix[list(first_row.values())])
    vectors.duplicate_words = duplicates
    if n_invalid:
        vectors.warnings.append(
            f"{path}: {n_invalid} words are not valid UTF-8; their bad bytes were replaced by U+FFFD"
        )
    if duplicates:
        vectors.warnings.append(
            f"{path}: {len(duplicates)} rows repeat an earlier word, the first of them {duplicates[0]!r}; "
            f"only the first vector of each word was kept"
        )
    return vectors


def _decode(joined: bytes, separator: bytes) -> tuple[list[str], int]:
    # All words at once: decoding a million one by one takes longer than reading their vectors.
    try:
        return joined.decode().split(separator.decode()), 0
    except UnicodeDecodeError:
        encoded = joined.split(separator)
    words = [word.decode("utf-8", "replace") for word in encoded]
    return words, sum(word.encode() != raw for word, raw in zip(words, encoded, strict=True))


def check_writable(vectors: Vectors, refuse: str, path: Path) -> None:
    """Refuse vectors that would not read back as they are.

    Parameters
    ----------
    vectors : Vectors
        What is to be written.
    refuse : str
        Pattern of the characters the format cannot keep inside a word.
    path : Path
        Where it is to be written, named in errors.

    Raises
    ------
    VectorsError
        Naming the first word that is empty or holds such a character, or whose vector or bias is not finite.
    """
    search = re.compile(refuse).search
    for row, word in enumerate(vectors.words):
        if not word or search(word):
            raise VectorsError(
                f"{path}: word {row + 1}, {word!r}, is empty or holds a character this format cannot keep, "
                f"so it would not read back; rename or remove it (safetensors keeps all but line breaks)"
            )
    reason = not_finite(vectors)
    if reason:
        raise VectorsError(f"{path}: not written, {reason}; if training diverged, use a smaller --lr")


def not_finite(vectors: Vectors) -> str | None:
    """Which vector or bias is not finite, and how many such there are; None when all are."""
    bias = vectors.output_bias
    for name, matrix in (
        ("vector", vectors.matrix),
        ("output vector", vectors.output_matrix),
        ("output_bias", None if bias is None else bias[:, np.newaxis]),
    ):
        if matrix is not None:
            bad_rows = np.flatnonzero(~finite_rows(matrix))
            if bad_rows.size:
                return f"the {name} of {vectors.words[bad_rows[0]]!r} is not finite ({bad_rows.size} such in all)"
    return None


def finite_rows(matrix: npt.NDArray[np.float32]) -> npt.NDArray[np.bool_]:
    """Whether every number of a row is finite; by blocks, as the flags of a whole matrix would be large."""
    blocks = [np.isfinite(matrix[start : start + 4096]).all(axis=1) for start in range(0, len(matrix), 4096)]
    return np.concatenate(blocks)
