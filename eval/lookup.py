"""How the words of a benchmark are found in a vocabulary; the same for pairs and for analogies."""

import re
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from w2v.vectors import Vectors


def word_finder(vectors: Vectors) -> Callable[[str], int | None]:
    """Make the function that gives a benchmark word's row, or None when it is out of the vocabulary.

    A word is treated as the training text was (lower-casing, Unicode normalisation) and looked for as it
    then stands.  When the vocabulary holds no capital A-Z at all, as after lower-casing by another program,
    the lower-cased word is looked for too; a vocabulary with capitals is taken at its word, since there
    ``Polish`` is not ``polish``.
    """
    is_lower_case = re.search("[A-Z]", "\n".join(vectors.words)) is None

    def find(word: str) -> int | None:
        treated = vectors.normalize_word(word)
        if treated not in vectors and is_lower_case:
            treated = treated.lower()
        return vectors.index(treated) if treated in vectors else None

    return find


def rows_of(vectors: Vectors, items: Sequence[tuple[str, ...]]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Rows of the words of each item, and which items have all their words in the vocabulary.

    Returns
    -------
    rows : int64 array, shape (items seen, words an item)
    seen : bool array, shape (items,)
    """
    find = word_finder(vectors)
    found = [[find(word) for word in item] for item in items]
    seen = np.array([None not in rows for rows in found], dtype=np.bool_)
    width = len(items[0]) if items else 0
    rows = np.array([rows for rows in found if None not in rows], dtype=np.int64)
    return rows.reshape(-1, width), seen
