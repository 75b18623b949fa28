"""Vectors: words and their matrix, and what one asks of them."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from w2v.config import NORMALIZATIONS
from w2v.cosine import best_rows, cosines, row_norms, unit_matrix, unit_rows
from w2v.errors import ConfigError, UnknownWordError, VectorsError, needing, shown
from w2v.spelling import closest
from w2v.text import fold

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

FloatMatrix = npt.NDArray[np.float32]


class DuplicateWordError(VectorsError):
    """A word that comes more than once in a vocabulary."""


def _any_repeated(words: list[str]) -> bool:
    # Sorting hashes takes half the time and memory of a set; only equal ones call for the words themselves.
    hashes = np.sort(np.fromiter(map(hash, words), np.int64, len(words)))
    return bool((hashes[1:] == hashes[:-1]).any()) and len(set(words)) < len(words)


class Vectors:
    """Words and their vectors.

    Parameters
    ----------
    words : list of str
        The vocabulary, frequent words first where counts are known; no word twice.
    matrix : array, float32, (n_words, dim)
        One row a word.
    output_matrix : array, float32, (n_words, dim), optional
        The model's output vectors.
    counts : array, int64, (n_words,), optional
        Occurrences of each word in the corpus.
    metadata : dict, optional
        What files keep beside the numbers, as plain JSON values: program, objective, options, total count.

    Attributes
    ----------
    output_bias : array, float32, (n_words,), or None
        The biases of the output words, when they were learned.
    warnings : list of str
        What a reader found odd about the file, one line each.
    duplicate_words : list of str
        Words of the rows a reader dropped because an earlier row has the same word.

    Raises
    ------
    VectorsError
        When the shapes do not fit each other, there are no words, or (DuplicateWordError) a word comes twice.
    """

    def __init__(
        self,
        words: list[str],
        matrix: npt.ArrayLike,
        *,
        output_matrix: npt.ArrayLike | None = None,
        counts: npt.ArrayLike | None = None,
        metadata: dict[str, Any] | None = None,
    ) -> None:
        self.words = words
        self.matrix: FloatMatrix = np.asarray(matrix, np.float32)
        self.output_matrix = None if output_matrix is None else np.asarray(output_matrix, np.float32)
        self.counts = None if counts is None else np.asarray(counts, np.int64)
        self.metadata = {} if metadata is None else metadata
        self.output_bias: FloatMatrix | None = None
        self.warnings: list[str] = []
        self.duplicate_words: list[str] = []
        self._check_shapes()

    def _check_shapes(self) -> None:
        n_words, shape = len(self.words), self.matrix.shape
        if len(shape) != 2 or shape[0] != n_words or 0 in shape:
            raise VectorsError(f"{n_words} words and a matrix of shape {shape}: expected one row a word, at least one")
        if self.output_matrix is not None and self.output_matrix.shape != shape:
            raise VectorsError(f"output vectors of shape {self.output_matrix.shape}, vectors of shape {shape}")
        if self.counts is not None and self.counts.shape != (n_words,):
            raise VectorsError(f"counts of shape {self.counts.shape} for {n_words} words")
        if _any_repeated(self.words):
            word = next(word for row, word in enumerate(self.words) if self._rows[word] != row)
            raise DuplicateWordError(f"the word {word!r} comes more than once")

    @classmethod
    def load(cls, path: str | Path) -> "Vectors":
        """Read vectors from a file, whose content tells its format; errors are those of `formats.read`."""
        from w2v import formats

        return formats.read(path)

    def save(self, path: str | Path, *, format: str | None = None, overwrite: bool = False) -> None:  # noqa: A002
        """Write vectors to a file; options and errors are those of `formats.write`."""
        from w2v import formats

        formats.write(self, path, format=format, overwrite=overwrite)

    @cached_property
    def _rows(self) -> dict[str, int]:
        # Made when a word is first looked up: a third of a second for a million words.
        return dict(zip(self.words, range(len(self)), strict=True))

    @property
    def dim(self) -> int:
        """Dimensions of a vector."""
        return int(self.matrix.shape[1])

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self._rows

    def __getitem__(self, word: str) -> FloatMatrix:
        vector: FloatMatrix = self.matrix[self.index(word)]
        return vector

    def __repr__(self) -> str:
        return f"Vectors({len(self)} words, {self.dim} dimensions)"

    def index(self, word: str) -> int:
        """Row of a word.

        Raises
        ------
        UnknownWordError
            When there is no such word; its message names the closest spellings.
        """
        row = self._rows.get(word)
        if row is None:
            similar = closest(word, self._rows)
            hint = f"closest: {', '.join(map(repr, similar))}" if similar else "no word is spelt like it"
            raise UnknownWordError(f"{shown(word)} is not one of the {len(self)} words; {hint}", [word])
        return row

    def normalize_word(self, word: str, lowercase: bool | None = None) -> str:
        """Apply the options the vectors were trained with to a query: Unicode form, and case if not told otherwise."""
        given = self.metadata.get("config")
        config = given if isinstance(given, dict) else {}
        form = config.get("normalize")
        lower = config.get("lowercase") is True if lowercase is None else lowercase
        return fold(word, form if form in NORMALIZATIONS else "none", lower)

    @cached_property
    def norms(self) -> npt.NDArray[np.float64]:
        """Length of each row, float64, (n_words,); NaN or infinite where the row is."""
        return row_norms(self.matrix)

    def normalized(self) -> FloatMatrix:
        """Rows of length one, float32, (n_words, dim), a new array; zero where one is zero or not finite."""
        return unit_matrix(self.matrix, self.norms)

    def _unit_rows(self, rows: list[int]) -> npt.NDArray[np.float64]:
        return unit_rows(self.matrix[rows], self.norms[rows])

    def similarity(self, a: str, b: str) -> float:
        """Cosine of the angle between the vectors of two words; 0 when one of them is zero or not finite.

        Raises
        ------
        UnknownWordError
            When one is not in the vocabulary.
        """
        first, second = self._unit_rows([self.index(a), self.index(b)])
        return float(first @ second)

    def nearest(
        self, word: str | Sequence[str], k: int = 10, min_similarity: float | None = None
    ) -> list[tuple[str, float]]:
        """Find the words whose vectors are nearest to that of a word, or to the mean of several.

        Parameters
        ----------
        word : str or sequence of str
            The query; several words stand for the mean of their unit vectors.  None of them is an answer.
        k : int
            Most words to return.
        min_similarity : float, optional
            Least cosine of an answer.

        Returns
        -------
        list of (str, float)
            Words and cosines, best first.  Words with a zero or not finite vector are left out.

        Raises
        ------
        UnknownWordError
            When a word is not in the vocabulary.
        VectorsError
            When the query's vectors are zero or not finite, so that nothing is near them.
        """
        words = [word] if isinstance(word, str) else list(word)
        if not words:
            raise ConfigError("no word to look up; give at least one")
        rows = [self.index(self.normalize_word(each)) for each in words]
        return self._rank(self._unit_rows(rows).mean(axis=0), rows, k, min_similarity)

    def analogy(
        self, a: str, b: str, c: str, k: int = 10, min_similarity: float | None = None
    ) -> list[tuple[str, float]]:
        """Solve `a` is to `b` as `c` is to ? by 3CosAdd: rank by b - a + c of unit vectors, as `nearest`."""
        rows = [self.index(self.normalize_word(each)) for each in (a, b, c)]
        unit = self._unit_rows(rows)
        return self._rank(unit[1] - unit[0] + unit[2], rows, k, min_similarity)

    def _rank(
        self, query: npt.NDArray[np.float64], excluded: list[int], k: int, min_similarity: float | None
    ) -> list[tuple[str, float]]:
        if k < 1:
            raise ConfigError(f"{k} answers asked for: must be at least 1")
        length = float(np.linalg.norm(query))
        if length < 1e-7:
            names = ", ".join(repr(self.words[row]) for row in excluded)
            raise VectorsError(f"the vector of {names} is zero or not finite, so nothing is near it")
        scores = cosines(self.matrix, self.norms, query / length)
        scores[excluded] = -np.inf
        if min_similarity is not None:
            scores[scores < min_similarity] = -np.inf
        return [(self.words[row], float(scores[row])) for row in best_rows(scores, k)]

    def to_gensim(self) -> "KeyedVectors":
        """The same words and vectors as gensim's `KeyedVectors`, with counts when they are known.

        Raises
        ------
        MissingPackageError
            When gensim is not installed.
        """
        with needing("to_gensim", "gensim"):
            from gensim.models import KeyedVectors
        keyed = KeyedVectors(self.dim, dtype=np.float32)
        keyed.add_vectors(self.words, self.matrix)
        for word, count in zip(self.words, [] if self.counts is None else self.counts.tolist(), strict=False):
            keyed.set_vecattr(word, "count", count)
        return keyed
