"""One pass over a corpus: blocks of text -> provisional ids in a stream, and the words' counts."""

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from w2v.config import TrainConfig
from w2v.corpus import Corpus
from w2v.encode import END, WordTable
from w2v.errors import CorpusError
from w2v.events import Counting, Listener, Replaced
from w2v.stream import IdStream
from w2v.text import Utf8Repair, character_classes, fold

EVENT_SECONDS = 0.2
NO_CUT = 2**62


class Encoder:
    """Text in, provisional ids of words in their final form out.

    Case and normalisation are applied to each distinct word once, not to the text: raw words have a table of
    their own, and `_targets` says which words of the final table each became.  That is one word but for the few
    characters that normalisation turns into several with a blank between them, or none.
    """

    def __init__(self, config: TrainConfig) -> None:
        self._config = config
        self._raw = WordTable(character_classes(config.tokenize, config.normalize), config.max_sentence)
        self._folds = config.lowercase or config.normalize != "none"
        self.table = WordTable(character_classes(config.tokenize), NO_CUT) if self._folds else self._raw
        # Entry 0 is END, entry i + 1 raw word i, so that ids + 1 are indices.
        self._targets = np.array([END], np.int32)
        self._offsets = np.array([0, 1], np.int64)

    @property
    def counts(self) -> NDArray[np.int64]:
        """Occurrences of each word of `table`."""
        if not self._folds:
            return self._raw.counts
        counts = np.zeros(len(self.table), np.int64)
        np.add.at(counts, self._targets[1:], np.repeat(self._raw.counts, np.diff(self._offsets[1:])))
        return counts

    def encode(self, data: bytes) -> NDArray[np.int32]:
        """Ids of the words that end in this piece of valid UTF-8."""
        ids = self._raw.encode(data)
        if not self._folds:
            return ids
        self._fold_new_words()
        begins = self._offsets[ids + 1]
        lengths = self._offsets[ids + 2] - begins
        if len(self._targets) == len(self._offsets) - 1:
            single: NDArray[np.int32] = self._targets[begins]
            return single
        ends = np.cumsum(lengths)
        several: NDArray[np.int32] = self._targets[
            np.repeat(begins - ends + lengths, lengths) + np.arange(lengths.sum())
        ]
        return several

    def _fold_new_words(self) -> None:
        words = [self._raw.word(i) for i in range(len(self._offsets) - 2, len(self._raw))]
        if not words:
            return
        ids = self._fold(words)
        ends = np.flatnonzero(ids == END)
        if len(ends) != len(words):  # a word became nothing, and its line was left out: one by one, then
            parts = [self._fold([word]) for word in words]
            parts = [part if len(part) else np.array([END], np.int32) for part in parts]
            ids = np.concatenate(parts)
            ends = np.flatnonzero(ids == END)
        lengths = np.diff(ends, prepend=-1) - 1
        self._offsets = np.concatenate([self._offsets, self._offsets[-1] + np.cumsum(lengths)])
        self._targets = np.concatenate([self._targets, ids[ids != END]])

    def _fold(self, words: list[str]) -> NDArray[np.int32]:
        text = fold("\n".join(words), self._config.normalize, self._config.lowercase)
        return self.table.encode(text.encode() + b"\n")


@dataclass
class CorpusReader:
    """Reads a corpus into a stream and reports how far it is."""

    corpus: Corpus
    encoder: Encoder
    stream: IdStream
    listener: Listener

    def run(self) -> int:
        """Read everything.

        Returns
        -------
        Number of tokens.

        Raises
        ------
        CorpusError
            When the corpus cannot be read or holds no words.
        """
        begun = reported = time.perf_counter()
        n_tokens = 0
        repair = Utf8Repair()
        for block in self.corpus.blocks():
            # A source ends its last line, so that words of two sources never join.
            text = repair.feed(block.data, block.last) + (b"\n" if block.last else b"")
            ids = self.encoder.encode(text)
            n_tokens += int(np.count_nonzero(ids != END))
            self.stream.append(ids)
            now = time.perf_counter()
            if now - reported > EVENT_SECONDS:
                reported = now
                self._report(n_tokens, now - begun)
            if block.last:
                if repair.n_replaced:
                    self.listener(Replaced(block.source, repair.n_replaced, repair.first_replaced))
                repair = Utf8Repair()
        self._report(n_tokens, time.perf_counter() - begun)
        if not n_tokens:
            names = self.corpus.sources
            where = names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
            raise CorpusError(f"{where}: the corpus holds no words: it is empty or nothing but blanks")
        return n_tokens

    def _report(self, n_tokens: int, seconds: float) -> None:
        rate = n_tokens / seconds if seconds else 0.0
        self.listener(Counting(self.corpus.bytes_read, self.corpus.total_bytes, n_tokens, rate))
