"""Where the vectors live while they are trained, and how they begin."""

import ctypes
import mmap
import sys

import numpy as np
from numpy.typing import NDArray

from w2v.config import TrainConfig
from w2v.errors import W2VError
from w2v.kernel.sweep import Matrices
from w2v.kernel.target import padded

INIT_ROWS = 1 << 14


def release_freed_memory() -> None:
    """Give back to the system what was freed, which glibc keeps: up to 64 MB on top of what is in use."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)


def allocate(n_rows: int, width: int) -> NDArray[np.float32]:
    """Zeros on whole pages, huge ones where the system has them: rows are hit at random, and page walks cost."""
    try:
        memory = mmap.mmap(-1, n_rows * width * 4)
    except OSError as error:
        raise W2VError(
            f"no memory for {n_rows} vectors of {width} numbers, twice {n_rows * width * 4 >> 20} MiB; "
            "lower --dim or --max-vocab, or raise --min-count"
        ) from error
    if hasattr(mmap, "MADV_HUGEPAGE"):
        memory.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(memory, np.float32).reshape(n_rows, width)


def initial_matrices(n_words: int, config: TrainConfig) -> Matrices:
    """Input vectors uniform in +-1 / dim, output vectors 0; padding is 0 and stays so.

    The range is gensim's, twice that of word2vec.c: small corpora, which leave the start more slowly, score better.
    For cosines, which keep norms as they begin, all have random directions and length 1: the angle of a zero vector
    is not defined, and short vectors would turn too fast.
    """
    width = padded(config.dim)
    inputs, outputs = allocate(n_words, width), allocate(n_words, width)
    random = np.random.default_rng(np.random.SeedSequence(config.seed))
    cosine = config.similarity == "cosine"
    for matrix in (inputs, outputs) if cosine else (inputs,):
        for begin in range(0, n_words, INIT_ROWS):
            rows = matrix[begin : begin + INIT_ROWS, : config.dim]
            rows[:] = (2 * random.random(rows.shape, np.float32) - 1) / config.dim
            if cosine:
                rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.finfo(np.float32).tiny)
    return Matrices(inputs, outputs)
