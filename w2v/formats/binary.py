"""The word2vec binary format: a header line, then word, space, little-endian float32 numbers, newline."""

from collections.abc import Iterator, Sequence
from io import FileIO
from typing import IO

import numpy as np
import numpy.typing as npt

from w2v.formats.base import CHUNK_BYTES, Head, Header, too_long, truncated
from w2v.formats.text import is_text
from w2v.formats.words import assemble
from w2v.vectors import Vectors


def sniff(head: Head) -> bool:
    """Whether a file has a header and no lines of text after it."""
    return head.header is not None and not is_text(head)


def read(head: Head) -> Vectors:
    """Read a file, with or without the newline after each vector.

    Raises
    ------
    VectorsError
        When the header is impossible, or promises fewer or more words than the file holds.
    """
    header = head.checked_header()
    row_bytes = 4 * header.dim
    # No memory for a header the file is too short for: its rows are only counted, for the message.
    believable = header.n_words * (row_bytes + 1) <= head.size - header.end
    matrix = np.empty((header.n_words if believable else 0, header.dim), np.dtype("<f4"))
    rows = matrix.view(f"V{row_bytes}").reshape(-1)
    texts: list[bytes] = []
    n_found, end = 0, header.end
    with head.path.open("rb", buffering=0) as stream:
        stream.seek(header.end)
        for text, vectors, record_end in _records(stream, header):
            if believable:
                rows[n_found : n_found + len(vectors)] = vectors
            texts.append(text)
            n_found += len(vectors)
            end = record_end
        if n_found < header.n_words:
            raise truncated(head, header, n_found, end)
        stream.seek(end)
        if stream.read(2) not in (b"", b"\n"):
            raise too_long(head, header, end)
    # The newline before a word ends the record before.  A vector's own first byte comes after the space.
    joined = b" " + b"".join(texts)
    while b" \n" in joined:
        joined = joined.replace(b" \n", b" ")
    return assemble(head.path, joined[1:-1], b" ", matrix.astype(np.float32, copy=False))


def _records(stream: FileIO, header: Header) -> Iterator[tuple[bytes, npt.NDArray[np.void], int]]:
    """Cut a stream into records, many at a time.

    Yields
    ------
    bytes
        The words, each with the space after it.
    array, void of 4 x dim bytes, (n_records,)
        The vectors.
    int
        Offset in the file where the last of the records ends.
    """
    row_bytes = 4 * header.dim
    buffer, filled, offset, n_left = bytearray(CHUNK_BYTES), 0, header.end, header.n_words
    while n_left:
        if filled == len(buffer):  # a record that is longer
            buffer = buffer + bytes(len(buffer))
        n_read = stream.readinto(memoryview(buffer)[filled:])
        if not n_read:
            return
        filled += n_read
        spaces = _spaces(buffer, filled, row_bytes, n_left)
        if len(spaces):
            end = int(spaces[-1]) + 1 + row_bytes
            # Every offset seen as a row: one indexing operation then copies all rows out of the buffer.
            windows = np.ndarray((len(buffer) - row_bytes + 1,), f"V{row_bytes}", buffer, strides=(1,))
            n_left -= len(spaces)
            yield _words(buffer, spaces, row_bytes), windows[spaces + 1], offset + end
            buffer[: filled - end] = buffer[end:filled]
            filled, offset = filled - end, offset + end


def _spaces(buffer: bytearray, filled: int, row_bytes: int, limit: int) -> npt.NDArray[np.int64]:
    """Where the word of each complete record ends; the one step that must go from record to record."""
    spaces: list[int] = []
    find, append = buffer.find, spaces.append
    # Never negative: `find` would then count from the end of the buffer, into what is not filled.
    step, stop, position = 1 + row_bytes, max(0, filled - row_bytes), 0
    for _ in range(limit):
        space = find(b" ", position, stop)
        if space < 0:
            break
        append(space)
        position = space + step
    return np.array(spaces, np.int64)


def _words(buffer: bytearray, spaces: npt.NDArray[np.int64], row_bytes: int) -> bytes:
    """The bytes from the end of each record to the space of the next one, and it."""
    starts = np.zeros_like(spaces)
    starts[1:] = spaces[:-1] + 1 + row_bytes
    lengths = spaces + 1 - starts
    ends = np.cumsum(lengths)
    positions = np.arange(ends[-1]) + np.repeat(starts - (ends - lengths), lengths)
    return bytes(np.frombuffer(buffer, np.uint8)[positions])


def write(vectors: Vectors, streams: Sequence[IO[bytes]]) -> None:
    """Write as the C tool does, a newline after each vector."""
    (stream,) = streams
    stream.write(b"%d %d\n" % (len(vectors), vectors.dim))
    row_bytes = 4 * vectors.dim
    step = max(1, CHUNK_BYTES // row_bytes)
    for start in range(0, len(vectors), step):
        numbers = memoryview(vectors.matrix[start : start + step].astype("<f4").tobytes())
        pieces: list[bytes | memoryview] = []
        for row, word in enumerate(vectors.words[start : start + step]):
            pieces += (word.encode(), b" ", numbers[row * row_bytes : (row + 1) * row_bytes], b"\n")
        stream.write(b"".join(pieces))
