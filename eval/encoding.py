"""Ways from text to ids and counts, each timed: ours, a plain Python loop, gensim's count of words."""

import io
import time
from array import array
from collections.abc import Callable
from pathlib import Path

import numpy as np

from w2v.config import TrainConfig
from w2v.corpus import BLOCK_BYTES
from w2v.eval.tools import runs
from w2v.eval.tools.gensim_baseline import word2vec_class
from w2v.kernel.recode import END
from w2v.reading import Encoder
from w2v.text import Utf8Repair


def python_ids(data: bytes) -> int:
    """Give every word of a text its id with `str.split` and a dict; returns the number of tokens."""
    ids_of: dict[str, int] = {}
    ids = array("i")
    for line in io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", errors="replace"):
        for word in line.split():
            ids.append(ids_of.setdefault(word, len(ids_of)))
    return len(ids)


def compiled_ids(data: bytes) -> int:
    """Do the same with the compiled tokeniser, block by block on one thread; returns the number of tokens."""
    encoder, repair = Encoder(TrainConfig()), Utf8Repair()
    n_tokens = 0
    for start in range(0, len(data), BLOCK_BYTES):
        ids = encoder.encode(repair.feed(data[start : start + BLOCK_BYTES]))
        n_tokens += int(np.count_nonzero(ids != END))
    ids = encoder.encode(repair.feed(b"\n", last=True))
    return n_tokens + int(np.count_nonzero(ids != END))


def seconds(work: Callable[[], object]) -> float:
    """Wall time of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def ways(corpus: Path, min_count: int, folder: Path) -> dict[str, Callable[[], float]]:
    """Name of each way -> a function that goes it once and gives the seconds it took.

    The first two have the text in memory and make ids; the others read the file, count and prune, ours also
    writing the ids to disk.  What compiles on first use is compiled here.

    Raises
    ------
    BenchmarkError
        When gensim is not installed, or training fails.
    """
    data, word2vec = corpus.read_bytes(), word2vec_class()
    # The stage before training is that of the command; what comes after it is as little as can be.
    settings: runs.Settings = {"dim": 1, "window": 1, "negative": 1, "epochs": 1, "min_count": min_count, "threads": 1}
    runs.warm_up(settings)
    compiled_ids(b"a few words")
    return {
        "Python loop, ids": lambda: seconds(lambda: python_ids(data)),
        "w2v, ids": lambda: seconds(lambda: compiled_ids(data)),
        "gensim build_vocab": lambda: seconds(
            lambda: word2vec(min_count=min_count).build_vocab(corpus_file=str(corpus))
        ),
        "w2v train, counting": lambda: runs.train("w2v", corpus, folder / "out.bin", settings, seed=1).seconds[
            "counting"
        ],
    }
