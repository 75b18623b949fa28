"""Lines of items as the rows that one file of vectors has for them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from w2v.config import LARGEST, TrainConfig
from w2v.corpus import Corpus
from w2v.cosine import usable_rows
from w2v.errors import BenchmarkError, ConfigError
from w2v.events import Listener, ignore
from w2v.kernel.recode import END
from w2v.reading import Encoder, repaired
from w2v.vectors import Vectors
from w2v.vocab import Vocabulary

Rows = NDArray[np.int64]
UNKNOWN = -1


@dataclass(frozen=True)
class Lines:
    """Items of lines, one behind the other.

    Attributes
    ----------
    source : str
        The file, for messages.
    rows : int64 (n_items,)
        The row of each item; UNKNOWN for one that is not in the vocabulary.
    ids : int64 (n_items,)
        A number for each distinct item, in the vocabulary or not.
    line : int64 (n_items,)
        The line of each item, from 0; lines without items are not counted.
    """

    source: str
    rows: Rows
    ids: Rows
    line: Rows


@dataclass(frozen=True)
class HeldOut:
    """Lines whose last item is to be predicted from those before it.

    Attributes
    ----------
    n_short : int
        Lines of a single item, which are left out of all the rest.
    targets : int64 (n_lines,)
        Row of the item to predict; UNKNOWN when the vectors have none.
    given : Lines
        The known items before the target.
    repeats : bool (n_lines,)
        Whether the target is one of the items before it.
    """

    n_short: int
    targets: Rows
    given: Lines
    repeats: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.targets)

    @cached_property
    def seen(self) -> NDArray[np.bool_]:
        """Lines that can be answered: the target and at least one item before it are in the vocabulary."""
        answerable: NDArray[np.bool_] = (self.targets != UNKNOWN) & (self.n_given > 0)
        return answerable

    @cached_property
    def n_given(self) -> Rows:
        """Known items before each target, int64 (n_lines,)."""
        return np.bincount(self.given.line, minlength=len(self))

    def last_given(self, n: int, lines: Rows) -> Rows:
        """The last `n` known items of some lines, last first; as wide as the longest needs, UNKNOWN elsewhere.

        Returns
        -------
        int64 (len(lines), at most n)
        """
        counts = self.n_given[lines]
        ends = np.cumsum(self.n_given)[lines]
        back = np.arange(1, min(n, counts.max(initial=0)) + 1)
        places = np.where(back <= counts[:, None], ends[:, None] - back, -1)
        return np.where(places < 0, UNKNOWN, np.append(self.given.rows, UNKNOWN)[places])


def read_lines(source: str, vectors: Vectors, listener: Listener = ignore) -> Lines:
    """Read lines of items by the rules of the text the vectors were trained on.

    Parameters
    ----------
    source : a file, or what else `w2v.corpus.Corpus` takes
    vectors : with the options of their training, where the file keeps them

    Raises
    ------
    CorpusError
        When the source cannot be read.
    BenchmarkError
        When there is no item in it, or none that the vectors know.
    """
    encoder = Encoder(_text_rules(vectors))
    ids = np.concatenate([encoder.encode(text) for text in repaired(Corpus([source]), listener)]).astype(np.int64)
    ends = ids == END
    if ends.all():
        raise BenchmarkError(f"{source}: no items in it; give lines of items, as `w2v split` writes them")
    final_ids = Vocabulary(vectors.words, np.zeros(0, np.int64)).final_ids(encoder.table).astype(np.int64)
    # The words of unusable vectors can be neither asked for nor asked with.
    final_ids[(final_ids >= 0) & ~usable_rows(vectors.norms)[final_ids]] = UNKNOWN
    if (final_ids < 0).all():
        raise BenchmarkError(f"{source}: none of its items is in the vectors; were they trained on other items?")
    _, line = np.unique(np.cumsum(ends)[~ends], return_inverse=True)
    return Lines(source, final_ids[ids[~ends]], ids[~ends], line)


def n_answers_in(training: Lines, held_out_lines: Lines, n_items: int) -> int:
    """How many held-out lines stand whole among those of `training`, each there as often as it is counted.

    The order of the items does not matter, and items that are not in the vocabulary are left out; held-out lines are
    counted where at least two are left, the last one of the line among them.
    """
    begins = np.flatnonzero(np.diff(held_out_lines.line, prepend=-1))
    ends = np.append(begins[1:], len(held_out_lines.rows)) - 1
    known = (np.add.reduceat(held_out_lines.rows != UNKNOWN, begins, dtype=np.int64) > 1) & (
        held_out_lines.rows[ends] != UNKNOWN
    )
    held, n_held = np.unique(_signatures(held_out_lines, n_items)[known], return_counts=True)
    trained, n_trained = np.unique(_signatures(training, n_items), return_counts=True)
    _, here, there = np.intersect1d(held, trained, assume_unique=True, return_indices=True)
    return int(np.minimum(n_held[here], n_trained[there]).sum())


def _signatures(lines: Lines, n_items: int) -> NDArray[np.uint64]:
    """A number for each line: the sum of a random number for each known item, modulo 2^64."""
    numbers = np.random.default_rng(0).integers(np.iinfo(np.uint64).max, size=n_items + 1, dtype=np.uint64)
    numbers[UNKNOWN] = 0
    begins = np.flatnonzero(np.diff(lines.line, prepend=-1))
    return np.asarray(np.add.reduceat(numbers[lines.rows], begins))


def _text_rules(vectors: Vectors) -> TrainConfig:
    options = vectors.metadata.get("config")
    kept = options if isinstance(options, dict) else {}
    rules = {name: kept[name] for name in ("tokenize", "lowercase", "normalize") if name in kept}
    try:
        return TrainConfig(**rules, max_sentence=LARGEST)
    except ConfigError:  # of another program
        return TrainConfig(max_sentence=LARGEST)


def held_out(lines: Lines) -> HeldOut:
    """The last item of each line as the target, those before it as what is given.

    Raises
    ------
    BenchmarkError
        When no line has two items.
    """
    long = np.bincount(lines.line) > 1
    if not long.any():
        raise BenchmarkError(f"{lines.source}: no line has two items, one to predict and one to predict it from")
    chosen = long[lines.line]
    rows, ids = lines.rows[chosen], lines.ids[chosen]
    _, line = np.unique(lines.line[chosen], return_inverse=True)
    is_target = np.append(line[1:] != line[:-1], True)
    same = (ids == ids[is_target][line]) & ~is_target
    given = ~is_target & (rows != UNKNOWN)
    return HeldOut(
        n_short=int(np.count_nonzero(~long)),
        targets=rows[is_target],
        given=Lines(lines.source, rows[given], ids[given], line[given]),
        repeats=np.bincount(line, weights=same) > 0,
    )
