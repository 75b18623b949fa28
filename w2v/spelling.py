"""Words spelt like one that is not in the vocabulary."""

import difflib
from collections.abc import Mapping

_MAX_CANDIDATES = 10_000
_MAX_MEASURED = 50
_MAX_LENGTH = 100  # letters; time and memory grow with their square, and nothing so long is a slip


def closest(word: str, rows: Mapping[str, int], n: int = 3) -> list[str]:
    """Find the words of a vocabulary that are spelt most like a given one.

    Parameters
    ----------
    word : str
        The word looked for.
    rows : mapping of str to int
        The vocabulary with the row of each word, frequent words first.
    n : int
        Most words to return.

    Returns
    -------
    list of str
        Other capitals first, then fewest edits, then swapped letters, then most frequent; none for a word of
        more than 100 letters.
    """
    if len(word) > _MAX_LENGTH:
        return []
    capitals = [variant for variant in (word.lower(), word.capitalize(), word.upper()) if variant in rows]
    swapped = [word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in range(len(word) - 1)]
    # Comparing letter by letter takes microseconds a word, too long for a million: only words of similar
    # length that share the beginning or the end are compared, and of these the most frequent.
    edge = 1 if len(word) < 4 else 2
    spellings = list(dict.fromkeys((word, word.lower())))
    beginnings = tuple(spelling[:edge] for spelling in spellings)
    ends, length = tuple(spelling[-edge:] for spelling in spellings), len(word)
    slack = 1 + length // 4
    candidates = [
        other
        for other in rows
        if (other.startswith(beginnings) or other.endswith(ends)) and abs(len(other) - length) <= slack
    ]
    similar = [variant for variant in swapped if variant in rows]
    for spelling in spellings:
        similar += difflib.get_close_matches(spelling, candidates[:_MAX_CANDIDATES], _MAX_MEASURED, 0.6)
    # Swapped letters are the likeliest slip of all that take one edit.
    similar.sort(key=lambda other: (min(n_edits(s, other) for s in spellings), other not in swapped, rows[other]))
    return list(dict.fromkeys(capitals + similar))[:n]


def n_edits(a: str, b: str) -> int:
    """Fewest letters to insert, delete, replace or swap with their neighbour that turn `a` into `b`.

    The optimal string alignment distance (Damerau 1964, without edits of an edited place).
    """
    before: list[int] = []
    above = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        row = [i]
        for j, other in enumerate(b, 1):
            best = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == b[j - 2] and a[i - 2] == other:
                best = min(best, before[j - 2] + 1)
            row.append(best)
        before, above = above, row
    return above[-1]
