"""Words spelt like one that is not in the vocabulary."""

import difflib
from collections.abc import Container, Sequence

_MAX_CANDIDATES = 10_000


def closest(word: str, words: Sequence[str], known: Container[str], n: int = 3) -> list[str]:
    """Find the words of a vocabulary that are spelt most like a given one.

    Parameters
    ----------
    word : str
        The word looked for.
    words : sequence of str
        The vocabulary, frequent words first.
    known : container of str
        The same words, quick to ask.
    n : int
        Most words to return.

    Returns
    -------
    list of str
        Best first; other capitals come before other letters.
    """
    found = [variant for variant in (word.lower(), word.capitalize(), word.upper()) if variant in known]
    # Comparing letter by letter takes microseconds a word, too long for a million: only words of similar
    # length that share the beginning or the end are compared, and of these the most frequent.
    edge = 1 if len(word) < 4 else 2
    beginning, end, length = word[:edge], word[-edge:], len(word)
    slack = 1 + length // 4
    candidates = [
        other
        for other in words
        if (other.startswith(beginning) or other.endswith(end)) and abs(len(other) - length) <= slack
    ]
    found += difflib.get_close_matches(word, candidates[:_MAX_CANDIDATES], n, 0.6)
    return list(dict.fromkeys(found))[:n]
