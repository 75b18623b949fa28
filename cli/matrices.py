"""Which vectors of a native model a command takes: those of words as input, as output, or the sums of both."""

from pathlib import Path

from w2v.errors import VectorsError
from w2v.kernel.registry import LOSSES
from w2v.vectors import Vectors

MATRICES = ("input", "output", "sum")


def vectors_of(vectors: Vectors, which: str, source: Path) -> Vectors:
    """The vectors of one of `MATRICES` as vectors of their own; `source` is for messages.

    Raises
    ------
    VectorsError
        When there are no output vectors, or they are not those of words.
    """
    if which == "input":
        return vectors
    if vectors.output_matrix is None:
        raise VectorsError(f"{source}: holds no output vectors; only native models (.safetensors) keep them")
    entry = LOSSES.get(str(vectors.metadata.get("objective")))
    if entry is not None and entry.layout == "paths":
        raise VectorsError(f"{source}: its output vectors are those of the inner nodes of a tree, not of words")
    matrix = vectors.output_matrix if which == "output" else vectors.matrix + vectors.output_matrix
    return Vectors(vectors.words, matrix, counts=vectors.counts, metadata=vectors.metadata)
