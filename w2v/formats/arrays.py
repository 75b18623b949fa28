"""A NumPy array file with the words beside it; written only, as the array alone is no vectors."""

from collections.abc import Sequence
from pathlib import Path
from typing import IO

import numpy as np

from w2v.formats.native import write_array
from w2v.vectors import Vectors


def files(path: Path) -> tuple[Path, ...]:
    """The array and `<stem>.words.txt`."""
    return path, path.with_name(f"{path.stem}.words.txt")


def write(vectors: Vectors, streams: Sequence[IO[bytes]]) -> None:
    """Write the array to the first stream, the words to the second, one a line."""
    array_stream, words_stream = streams
    header = {"descr": "<f4", "fortran_order": False, "shape": vectors.matrix.shape}
    np.lib.format.write_array_header_1_0(array_stream, header)
    write_array(array_stream, vectors.matrix, np.dtype("<f4"))
    words_stream.write("".join(f"{word}\n" for word in vectors.words).encode())
