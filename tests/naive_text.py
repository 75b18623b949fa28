"""The reading rules once more, slowly and with Python's own means."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable

END = -1
INNER = "'’-‐‑\u00ad\u200c\u200d"


def naive_fold(text: str, normalize: str, lowercase: bool) -> str:
    """The whole text in its final form."""

    def normal(text: str) -> str:
        return text if normalize == "none" else unicodedata.normalize(normalize.upper(), text)

    return normal(normal(text).lower()) if lowercase else normal(text)


def naive_words(line: str) -> list[str]:
    """Runs of letters, marks and digits that begin with a letter or digit, with single inner signs."""
    words, word, pending = [], "", ""
    for character in [*line, " "]:
        kind = unicodedata.category(character)[0]
        if character in INNER and word and not pending:
            pending = character
        elif kind in "LN" or (kind == "M" and word):
            word, pending = word + pending + character, ""
        else:
            words += [word] if word else []
            word, pending = "", ""
    return words


def naive_lines(text: str) -> list[str]:
    """A line is ended by LF, CR LF or a lone CR, and by nothing else."""
    return re.split("\r\n|\r|\n", text)


def naive_sentences(data: bytes, tokenize: str = "whitespace", normalize: str = "none", lowercase: bool = False,
                    max_sentence: int = 10_000) -> list[list[str]]:  # fmt: skip
    """Sentences of one source."""
    text = naive_fold(data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace"), normalize, lowercase)
    sentences = []
    for line in naive_lines(text):
        words = naive_words(line) if tokenize == "words" else line.replace("\0", " ").split()
        sentences += [words[i : i + max_sentence] for i in range(0, len(words), max_sentence)]
    return sentences


def naive_vocabulary(sentences: Iterable[list[str]], min_count: int, max_vocab: int | None) -> list[tuple[str, int]]:
    """Words and counts, by falling count, then by rising bytes."""
    counts = Counter(word for sentence in sentences for word in sentence)
    kept = [(word, count) for word, count in counts.items() if count >= min_count]
    return sorted(kept, key=lambda item: (-item[1], item[0].encode()))[:max_vocab]


def naive_recode(ids: Iterable[int], final_ids: list[int], target: int) -> list[list[int]]:
    """Blocks of final ids: whole sentences of words that were kept, cut behind at least `target` tokens."""
    blocks: list[list[int]] = [[]]
    sentence: list[int] = []
    for word in ids:
        if word != END:
            sentence += [final_ids[word]] if final_ids[word] >= 0 else []
        elif sentence:
            if sum(i != END for i in blocks[-1]) >= target:
                blocks.append([])
            blocks[-1] += [*sentence, END]
            sentence = []
    return [block for block in blocks if block]
