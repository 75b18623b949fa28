"""Two tables for the TensorFlow embedding projector (projector.tensorflow.org); written only."""

from collections.abc import Sequence
from pathlib import Path
from typing import IO

from w2v.formats.text import number_lines
from w2v.vectors import Vectors


def files(path: Path) -> tuple[Path, ...]:
    """The table of numbers and `<stem>.metadata.tsv` with the words."""
    return path, path.with_name(f"{path.stem}.metadata.tsv")


def write(vectors: Vectors, streams: Sequence[IO[bytes]]) -> None:
    """Write the numbers to the first stream, the words to the second, without headers."""
    numbers_stream, words_stream = streams
    for _, lines in number_lines(vectors.matrix, "\t"):
        numbers_stream.write("".join(f"{line}\n" for line in lines).encode())
    words_stream.write("".join(f"{word}\n" for word in vectors.words).encode())
