"""One pass over a corpus: blocks of text -> provisional ids in a stream, and the words' counts."""

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from w2v.config import TrainConfig
from w2v.corpus import Corpus
from w2v.encode import WordTable, grown
from w2v.errors import CorpusError
from w2v.events import Counting, Listener, Replaced
from w2v.kernel.recode import END, cut
from w2v.stream import IdStream
from w2v.text import Utf8Repair, character_classes, fold

EVENT_SECONDS = 0.2
NO_CUT = 2**62


class Encoder:
    """Text in, provisional ids of words in their final form out.

    Case and normalisation are applied to each distinct word once, not to the text: raw words have a table of
    their own, and `_targets` says which word of the final table each became.  The few that normalisation turns
    into several words, with a blank between them, have a list of ids in `_several`.
    """

    def __init__(self, config: TrainConfig) -> None:
        self.config = config
        self._folds = config.lowercase or config.normalize != "none"
        # A sentence is measured in final words.
        self._raw = WordTable(
            character_classes(config.tokenize, config.normalize), NO_CUT if self._folds else config.max_sentence
        )
        self.table = WordTable(character_classes(config.tokenize), NO_CUT) if self._folds else self._raw
        self._sentence_length = 0
        # Entry 0 is END, entry i + 1 raw word i, so that ids + 1 are indices; END - 1 - i stands for several[i].
        self._targets = np.array([END], np.int32)
        self._n_folded = 0
        self._several: list[NDArray[np.int32]] = []

    @property
    def counts(self) -> NDArray[np.int64]:
        """Occurrences of each word of `table`."""
        if not self._folds:
            return self._raw.counts
        counts = np.zeros(len(self.table), np.int64)
        targets, raw_counts = self._targets[1 : len(self._raw) + 1], self._raw.counts
        single = targets >= 0
        np.add.at(counts, targets[single], raw_counts[single])
        for target, count in zip(targets[~single], raw_counts[~single], strict=True):
            np.add.at(counts, self._several[END - 1 - target], count)
        return counts

    def encode(self, data: bytes) -> NDArray[np.int32]:
        """Ids of the words that end in this piece of valid UTF-8."""
        ids = self._raw.encode(data)
        if not self._folds:
            return ids
        self._fold_new_words()
        ids = self._expanded(self._targets[ids + 1])
        out = np.empty(2 * len(ids), np.int32)
        n_ids, self._sentence_length = cut(ids, self.config.max_sentence, self._sentence_length, out)
        return out[:n_ids]

    def _expanded(self, ids: NDArray[np.int32]) -> NDArray[np.int32]:
        places = np.flatnonzero(ids < END)
        if not len(places):
            return ids
        parts = [self._several[END - 1 - i] for i in ids[places]]
        lengths = np.ones(len(ids), np.int64)
        lengths[places] = [len(part) for part in parts]
        expanded: NDArray[np.int32] = np.repeat(ids, lengths)
        expanded[expanded < END] = np.concatenate(parts)
        return expanded

    def _fold_new_words(self) -> None:
        begin, self._n_folded = self._n_folded, len(self._raw)
        if begin == self._n_folded:
            return
        words = "\n".join(self._raw.words(np.arange(begin, self._n_folded)))
        text = fold(words, self.config.normalize, self.config.lowercase)
        # No word folds to nothing, so each has its END.
        ids = self.table.encode(text.encode() + b"\n")
        ends = np.flatnonzero(ids == END)
        lengths = np.diff(ends, prepend=-1) - 1
        targets = ids[ends - lengths]
        for i in np.flatnonzero(lengths > 1):
            targets[i] = END - 1 - len(self._several)
            self._several.append(ids[ends[i] - lengths[i] : ends[i]].copy())
        if self._n_folded + 1 > len(self._targets):
            self._targets = grown(self._targets, self._n_folded + 1)
        self._targets[begin + 1 : self._n_folded + 1] = targets


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
        for text in repaired(self.corpus, self.listener):
            ids = self.encoder.encode(text)
            n_tokens += int(np.count_nonzero(ids != END))
            self.stream.append(ids)
            now = time.perf_counter()
            if now - reported > EVENT_SECONDS:
                reported = now
                self._report(n_tokens, now - begun)
        if not n_tokens:
            names = self.corpus.sources
            where = names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
            raise CorpusError(f"{where}: the corpus holds no words: it is empty or nothing but blanks")
        self._report(n_tokens, time.perf_counter() - begun)
        return n_tokens

    def _report(self, n_tokens: int, seconds: float) -> None:
        rate = n_tokens / seconds if seconds else 0.0
        self.listener(Counting(self.corpus.bytes_read, self.corpus.total_bytes, n_tokens, rate))


def repaired(corpus: Corpus, listener: Listener) -> Iterator[bytes]:
    """Valid UTF-8 of all sources of a corpus; what had to be replaced is reported once, behind the last."""
    repair, damaged = Utf8Repair(), []
    for block in corpus.blocks():
        # A source ends its last line, so that words of two sources never join.
        yield repair.feed(block.data, block.last) + (b"\n" if block.last else b"")
        if block.last:
            if repair.n_replaced:
                damaged.append((block.source, repair.n_replaced, repair.first_replaced))
            repair = Utf8Repair()
    if damaged:
        source, _, first_byte = damaged[0]
        listener(Replaced(source, sum(n for _, n, _ in damaged), first_byte, len(damaged)))
