"""The vocabulary: words and counts, pruned and ordered, and its file (word TAB count)."""

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from w2v.encode import WordTable
from w2v.errors import CorpusError, shown
from w2v.files import check_file, replacing
from w2v.formats.regular import open_regular

MAX_COUNT = 2**63 - 1
MAX_DIGITS = 19


@dataclass(frozen=True)
class Vocabulary:
    """Words by falling count, equal counts by rising bytes.

    Attributes
    ----------
    words : list of str
    counts : int64 array (n_words,)
    """

    words: list[str]
    counts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        return f"Vocabulary({len(self)} words, total count {self.counts.sum()})"

    @classmethod
    def ordered(cls, words: list[str], counts: NDArray[np.int64], max_vocab: int | None = None) -> "Vocabulary":
        """Sort; then keep the first `max_vocab`."""
        order = _order(words, counts)[:max_vocab]
        return cls([words[i] for i in order], counts[order])

    @classmethod
    def from_counts(
        cls, table: WordTable, counts: NDArray[np.int64], min_count: int, max_vocab: int | None
    ) -> tuple["Vocabulary", NDArray[np.int32]]:
        """Prune the words of a corpus.

        Returns
        -------
        The vocabulary, and the final id of each word of `table`: int32, -1 for a word that was dropped.

        Raises
        ------
        CorpusError
            When fewer than two words are left.
        """
        kept = np.flatnonzero(counts >= min_count)
        if not len(kept):
            raise CorpusError(
                f"--min-count {min_count} leaves no word: the largest count is {counts.max()}; lower --min-count"
            )
        words = list(table.words(kept))
        order = _order(words, counts[kept])[:max_vocab]
        vocabulary = cls([words[i] for i in order], counts[kept[order]])
        vocabulary.require_two_words()
        final_ids = np.full(len(table), -1, np.int32)
        final_ids[kept[order]] = np.arange(len(order), dtype=np.int32)
        return vocabulary, final_ids

    def require_two_words(self) -> None:
        """Raise CorpusError when there is nothing to learn from."""
        if len(self) < 2:
            raise CorpusError(
                f"the vocabulary is the single word {shown(self.words[0])}: vectors need at least two; "
                "lower --min-count, or check --tokenize for text without blanks"
            )

    def final_ids(self, table: WordTable) -> NDArray[np.int32]:
        """The id here of each word of `table`: int32, -1 where there is none."""
        index = {word: i for i, word in enumerate(self.words)}
        ids = (index.get(word, -1) for word in table.words(np.arange(len(table))))
        return np.fromiter(ids, np.int32, len(table))

    def save(self, path: str | os.PathLike[str], overwrite: bool = False) -> None:
        """Write one `word TAB count` a line.

        Raises
        ------
        OutputError
            When the file exists (and not `overwrite`) or cannot be written.
        """
        check_file(Path(path), overwrite)
        with replacing([Path(path)]) as (file,):
            for word, count in zip(self.words, self.counts, strict=True):
                file.write(f"{word}\t{count}\n".encode())

    @classmethod
    def load(cls, path: str | os.PathLike[str], min_count: int = 1, max_vocab: int | None = None) -> "Vocabulary":
        """Read a file that `save` wrote, or any of that form.

        Raises
        ------
        CorpusError
            When the file cannot be read, or a line is not `word TAB count`, or a word occurs twice.
        """
        counts: dict[str, int] = {}
        try:
            with open_regular(Path(path)) as file:
                lines = file.read().decode("utf-8-sig").split("\n")
        except UnicodeDecodeError as error:
            raise CorpusError(f"{path}: not a vocabulary, byte {error.start} is not UTF-8") from error
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise CorpusError(f"{path}: the vocabulary cannot be read: {reason}") from error
        for number, line in enumerate(lines, 1):
            if line.strip():
                word, count = _parse(line.removesuffix("\r"), f"{path}, line {number}")
                if word in counts:
                    raise CorpusError(f"{path}, line {number}: the word {shown(word)} occurs a second time")
                counts[word] = count
        if sum(counts.values()) > MAX_COUNT:
            raise CorpusError(f"{path}: the counts add up to more than 2^63 - 1; divide them all by one number")
        kept = {word: count for word, count in counts.items() if count >= min_count}
        if not kept:
            largest = f": the largest is {max(counts.values())}; lower --min-count" if counts else "; the file is empty"
            raise CorpusError(f"{path}: no word has a count of at least {min_count}{largest}")
        vocabulary = cls.ordered(list(kept), np.array(list(kept.values()), np.int64), max_vocab)
        vocabulary.require_two_words()
        return vocabulary


def _order(words: list[str], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Positions by falling count, then rising bytes; UTF-8 sorts by bytes as str does by code points."""
    by_word = np.fromiter(sorted(range(len(words)), key=words.__getitem__), np.int64, len(words))
    return by_word[np.argsort(-counts[by_word], kind="stable")]


def _parse(line: str, where: str) -> tuple[str, int]:
    word, _, count = line.rpartition("\t")
    if not (
        word and count.isascii() and count.isdecimal() and len(count) <= MAX_DIGITS and 0 < int(count) <= MAX_COUNT
    ):
        raise CorpusError(f"{where}: expected `word TAB count`, found {shown(line)}")
    if word.replace("\0", " ").split() != [word]:
        raise CorpusError(f"{where}: the word {shown(word)} has a blank in it, which no word of a corpus can have")
    return word, int(count)
