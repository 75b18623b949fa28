"""Lines of items cut into a part to train on and a part to predict.

Both parts are lines of items, separated by one space and ended by LF.  In the held-out part the last item of each line
is the one to predict, from those before it, whatever rule made the split: the form `w2v.eval.items.sessions` reads.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO

import numpy as np

from w2v.corpus import Block, Corpus
from w2v.errors import CorpusError
from w2v.text import BOM

Items = list[str]
# A line's training part and its held-out part; None for a part it has no share in.
Parts = tuple[Items | None, Items | None]
Rule = Callable[[Items, np.random.Generator], Parts]


@dataclass(frozen=True)
class SplitCounts:
    """What became of the lines.

    Attributes
    ----------
    lines : int
        Lines with an item in them.
    held_out : int
        Lines of the held-out part.
    too_short : int
        Lines of one item, from which nothing can be predicted; they went to the training part.
    """

    lines: int
    held_out: int
    too_short: int


def last_item(items: Items, _random: np.random.Generator) -> Parts:
    """The last item is held out: what comes next in a session or a history."""
    return items[:-1], items


def whole_line(items: Items, _random: np.random.Generator) -> Parts:
    """The whole line is held out: users or sessions never seen in training."""
    return None, items


def random_item(items: Items, random: np.random.Generator) -> Parts:
    """One random item is held out: what is missing in a basket, whose items have no order."""
    place = int(random.integers(len(items)))
    rest = items[:place] + items[place + 1 :]
    return rest, [*rest, items[place]]


def split(corpus: Corpus, train: IO[bytes], held_out: IO[bytes], *, rule: Rule, share: float, seed: int) -> SplitCounts:
    """Write the two parts of a corpus, line by line.

    Parameters
    ----------
    corpus : lines of items, separated as words are by the trainer: by Unicode white space and NUL
    train, held_out : binary files to write to; the bytes of items are as they were
    rule : `last_item`, `whole_line` or `random_item`
    share : probability, for each line, that something of it is held out; other lines go to the training part
    seed : of the random numbers; the same seed and lines give the same bytes

    Raises
    ------
    CorpusError
        When the corpus cannot be read, or leaves one of the parts empty.
    """
    random = np.random.default_rng(seed)
    lines = n_held_out = n_train = too_short = 0
    for items in item_lines(corpus):
        lines += 1
        too_short += len(items) < 2
        drawn = random.random() < share
        kept, held = rule(items, random) if drawn and len(items) > 1 else (items, None)
        n_train += _write(train, kept)
        n_held_out += _write(held_out, held)
    where = corpus.sources[0]
    if not lines:
        raise CorpusError(f"{where}: no items in it: it is empty or nothing but blanks")
    if not n_held_out:
        raise CorpusError(f"{where}: nothing could be held out: {too_short} of {lines} lines have a single item, "
                          f"and no other was drawn at a share of {share:g}; raise --share")  # fmt: skip
    if not n_train:
        raise CorpusError(f"{where}: all {lines} lines were held out and none is left to train on; lower --share")
    return SplitCounts(lines, n_held_out, too_short)


def item_lines(corpus: Corpus) -> Iterator[Items]:
    """The items of each line that has any; bytes that are no UTF-8 are kept as surrogates."""
    for line in _lines(corpus):
        items = line.decode("utf-8", "surrogateescape").replace("\0", " ").split()
        if items:
            yield items


def _lines(corpus: Corpus) -> Iterator[bytes]:
    """Lines of all sources; the second sign of CRLF ends an empty one."""
    unfinished: list[bytes] = []
    for block in _without_marks(corpus):
        first, *others = re.split(rb"[\r\n]", block.data)
        unfinished.append(first)
        for piece in others:
            yield b"".join(unfinished)
            unfinished = [piece]
        if block.last:
            yield b"".join(unfinished)
            unfinished = []


def _without_marks(corpus: Corpus) -> Iterator[Block]:
    """Blocks of a corpus without the byte order mark that a source may begin with."""
    begins = True
    for block in corpus.blocks():
        # A first block is shorter than the mark only where the source is.
        yield Block(block.source, block.data.removeprefix(BOM), block.last) if begins else block
        begins = block.last


def _write(file: IO[bytes], items: Items | None) -> int:
    """Write a line, if there is one; how many lines that were."""
    if items is None:
        return 0
    file.write(" ".join(items).encode("utf-8", "surrogateescape") + b"\n")
    return 1
