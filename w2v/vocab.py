"""The vocabulary: words and counts, pruned and ordered, and its file (word TAB count)."""

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from w2v.encode import WordTable
from w2v.errors import CorpusError
from w2v.formats.output import check_file, replacing


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

    @classmethod
    def ordered(cls, words: list[str], counts: NDArray[np.int64], max_vocab: int | None = None) -> "Vocabulary":
        """Sort; then keep the first `max_vocab`.  UTF-8 sorts by bytes as its code points do, so str order serves."""
        by_word = np.array(sorted(range(len(words)), key=words.__getitem__), np.int64)
        order = by_word[np.argsort(-counts[by_word], kind="stable")][:max_vocab]
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
        vocabulary = cls.ordered([table.word(int(i)) for i in kept], counts[kept], max_vocab)
        vocabulary.require_two_words()
        return vocabulary, vocabulary.final_ids(table, kept)

    def require_two_words(self) -> None:
        """Raise CorpusError when there is nothing to learn from."""
        if len(self) < 2:
            raise CorpusError(
                f"the vocabulary is the single word {self.words[0]!r}: vectors need at least two; "
                "lower --min-count, or check --tokenize for text without blanks"
            )

    def final_ids(self, table: WordTable, candidates: NDArray[np.int64] | None = None) -> NDArray[np.int32]:
        """The id here of each word of `table`: int32, -1 where there is none."""
        index = {word: i for i, word in enumerate(self.words)}
        final = np.full(len(table), -1, np.int32)
        for i in range(len(table)) if candidates is None else candidates:
            final[i] = index.get(table.word(int(i)), -1)
        return final

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
            lines = Path(path).read_bytes().decode().split("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise CorpusError(f"{path}: cannot be read as a vocabulary: {error}") from error
        for number, line in enumerate(lines, 1):
            word, tab, count = line.rstrip("\r").rpartition("\t")
            if not line.strip():
                continue
            if not (tab and word and count.isdecimal() and 0 < int(count) < 2**63):
                raise CorpusError(f"{path}, line {number}: expected `word TAB count`, found {line[:60]!r}")
            if word in counts:
                raise CorpusError(f"{path}, line {number}: the word {word!r} occurs a second time")
            counts[word] = int(count)
        kept = {word: count for word, count in counts.items() if count >= min_count}
        if not kept:
            raise CorpusError(f"{path}: no word has a count of at least {min_count}; lower --min-count")
        vocabulary = cls.ordered(list(kept), np.array(list(kept.values()), np.int64), max_vocab)
        vocabulary.require_two_words()
        return vocabulary
