"""How the words of a benchmark are found in a vocabulary; the same for every kind of set."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from w2v.cosine import unit_matrix, usable_rows
from w2v.errors import ConfigError
from w2v.vectors import FloatMatrix, Vectors

CASES = ("auto", "none", "lower", "fold")


class Lookup:
    """The words of a file of vectors, as benchmarks find them.

    Words of a set get the Unicode normal form the vectors were trained with.  Letter case then is a policy:

    - ``none``: words count as they stand; ``Polish`` is not ``polish``.
    - ``lower``: words of the set are lower-cased, for vocabularies of lower-cased text.
    - ``fold``: words of both sides are case-folded (Unicode: ``ß`` is ``ss``).  Of several words that become
      one, the first is taken, which is the most frequent where words are sorted by count, as they are in
      all usual files.  To an analogy all of them are one word.
    - ``auto``: ``lower`` when lower-casing would change no word of the vocabulary, else ``none``.

    Rules of one language are not applied: the Turkish dotless ``ı`` is never ``i``, ``I`` always becomes
    ``i``, and ``İ`` becomes ``i`` and a combining dot, as in text that w2v lower-cased itself.

    A word whose vector is zero or not finite is out of the vocabulary: nothing can be asked of it.

    Parameters
    ----------
    vectors : Vectors
        Words and matrix.
    case : str
        One of `CASES`.
    restrict_vocab : int, optional
        Only that many first words of the vocabulary are known; all by default.

    Attributes
    ----------
    vectors : Vectors
        As given.
    case : str
        The policy in force: ``none``, ``lower`` or ``fold``.
    n_words : int
        Words of the vocabulary that are known.

    Raises
    ------
    ConfigError
        On an unknown policy, or when no word would be known.
    """

    def __init__(self, vectors: Vectors, case: str = "auto", restrict_vocab: int | None = None) -> None:
        if case not in CASES:
            raise ConfigError(f"case {case!r}: must be one of {', '.join(CASES)}")
        if restrict_vocab is not None and restrict_vocab < 1:
            raise ConfigError(f"a vocabulary restricted to {restrict_vocab} words: must be at least 1")
        self.vectors = vectors
        self.case = _fitting_case(vectors.words) if case == "auto" else case
        self.n_words = min(len(vectors), restrict_vocab or len(vectors))
        self._is_usable = usable_rows(vectors.norms[: self.n_words])
        self._folded: dict[str, int] = {}
        self._variants: dict[int, tuple[int, ...]] = {}
        if self.case == "fold":
            self._fold_vocabulary()

    def _fold_vocabulary(self) -> None:
        for row in np.flatnonzero(self._is_usable).tolist():
            word = self.vectors.words[row]
            first = self._folded.setdefault(self._spelling(word), row)
            if first != row:
                self._variants[first] = (*self.variants(first), row)

    def _spelling(self, word: str) -> str:
        spelling = self.vectors.normalize_word(word, lowercase=self.case == "lower")
        # Case-folding can undo a normal form, as lower-casing can.
        return self.vectors.normalize_word(spelling.casefold(), False) if self.case == "fold" else spelling

    @property
    def collisions(self) -> int:
        """Words of the vocabulary that case-folding makes equal to an earlier one."""
        return sum(len(rows) - 1 for rows in self._variants.values())

    @cached_property
    def units(self) -> FloatMatrix:
        """Vectors of the words known, at length one, float32, (n_words, dim); zero where one is zero or not finite."""
        return unit_matrix(self.vectors.matrix[: self.n_words], self.vectors.norms[: self.n_words])

    def find(self, word: str) -> int | None:
        """Row of a word of a set; None when it is out of the vocabulary."""
        spelling = self._spelling(word)
        if self.case == "fold":
            return self._folded.get(spelling)
        row = self.vectors.index(spelling) if spelling in self.vectors else self.n_words
        return row if row < self.n_words and self._is_usable[row] else None

    def variants(self, row: int) -> tuple[int, ...]:
        """Rows that are the same word as that of `row` under the policy, `row` among them."""
        return self._variants.get(row, (row,))

    def rows_of(self, items: Sequence[tuple[str, ...]]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        """Rows of the words of each item, and which items have all their words in the vocabulary.

        Returns
        -------
        rows : int64 array, shape (items seen, words an item)
        seen : bool array, shape (items,)
        """
        found = [[self.find(word) for word in item] for item in items]
        seen = np.array([None not in rows for rows in found], dtype=np.bool_)
        width = len(items[0]) if items else 0
        rows = np.array([rows for rows in found if None not in rows], dtype=np.int64)
        return rows.reshape(-1, width), seen


def _fitting_case(words: list[str]) -> str:
    # Capitals without a small letter, as those of mathematics, stay as they are in lower-cased text.
    text = "\n".join(words)
    return "lower" if text == text.lower() else "none"
