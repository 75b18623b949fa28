"""Vectors as text: word and numbers a line, with the word2vec header or without it (GloVe)."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import IO

import numpy as np
import numpy.typing as npt

from w2v.errors import VectorsError
from w2v.formats.base import CHUNK_BYTES, Head, Header, too_long, truncated
from w2v.formats.words import assemble
from w2v.vectors import Vectors

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_SAMPLED_LINES = 20
_LINES_AT_ONCE = 1024
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")
_WHITE_SPACE = b" \t\r\n\x0b\x0c"


def sample_lines(data: bytes, start: int = 0) -> list[bytes]:
    """Complete lines at a file's beginning; the last one may be cut off and counts only when it is alone."""
    lines = data[start:].removeprefix(BYTE_ORDER_MARK).split(b"\n", _SAMPLED_LINES + 1)
    return [line for line in lines[:-1] if line.strip()][:_SAMPLED_LINES] or lines[:1]


def numbers_at_end(line: bytes) -> int:
    """How many fields at the end of a line are numbers."""
    fields = line.split()
    for count, field in enumerate(reversed(fields)):
        if not _is_number(field):
            return count
    return len(fields)


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _sampled_dims(lines: list[bytes]) -> list[int]:
    # A word may itself be a number.
    return [min(numbers_at_end(line), len(line.split()) - 1) for line in lines]


def is_text(head: Head) -> bool:
    """Whether lines of word and numbers follow the header, of its dimension or (an error later) another."""
    header = head.header
    lines = sample_lines(head.data, header.end) if header else []
    if header is None or not all(line.split() for line in lines):
        return False
    dim = min(_sampled_dims(lines))
    if dim == header.dim:
        # Four bytes of binary can look like one number, so one dimension asks for more.
        return dim > 1 or all(len(line.split()) == 2 for line in lines)
    return dim > 1 and not any(_CONTROL.search(line) for line in lines)


def is_headerless(head: Head) -> bool:
    """Whether a file begins with lines of word and numbers, without a header."""
    lines = sample_lines(head.data)
    if head.header or any(b"\x00" in line or not line.split() for line in lines):
        return False
    if is_number_table(head.data):
        return False
    dim = min(_sampled_dims(lines))
    # Word and count is a vocabulary, two words and a number a benchmark: neither is one-dimensional vectors.
    return dim > 1 or (dim == 1 and all(len(line.split()) == 2 and not line.split()[1].isdigit() for line in lines))


def is_number_table(data: bytes) -> bool:
    """Whether lines hold numbers between tabs and nothing else, as in tables for the TensorFlow projector."""
    lines = sample_lines(data)
    return all(b"\t" in line and numbers_at_end(line) == len(line.split()) for line in lines)


def read(head: Head) -> Vectors:
    """Read text with a header.

    Raises
    ------
    VectorsError
        When the header is impossible or untrue, or a line is malformed, named by its number.
    """
    header = head.checked_header()
    sampled = min(_sampled_dims(sample_lines(head.data, header.end)))
    if sampled > header.dim:
        raise VectorsError(f"{head.path}: {header}, but line 2 has {sampled} numbers; correct the header")
    # A row takes at least a word of one byte, a space and a digit for each number, a line break.
    believable = header.n_words * (2 * header.dim + 2) - 1 <= head.size - header.end
    matrix = np.empty((header.n_words if believable else 0, header.dim), np.float32)
    words = _read_rows(head, header, matrix)
    return assemble(head.path, b"\n".join(words), b"\n", matrix)


def read_headerless(head: Head) -> Vectors:
    """Read text without a header; the dimension is that of most of the first lines.

    Raises
    ------
    VectorsError
        When a line is malformed, named by its number.
    """
    with head.path.open("rb") as stream:
        n_lines = 1 + sum(chunk.count(b"\n") for chunk in iter(lambda: stream.read(CHUNK_BYTES), b""))
    # The commonest, so that the line that is told is the odd one.
    dim = Counter(_sampled_dims(sample_lines(head.data))).most_common(1)[0][0]
    matrix = np.empty((n_lines, dim), np.float32)
    words = _read_rows(head, None, matrix)
    return assemble(head.path, b"\n".join(words), b"\n", matrix[: len(words)])


def _read_rows(head: Head, header: Header | None, matrix: npt.NDArray[np.float32]) -> list[bytes]:
    """Fill `matrix` with the rows of a file, or only count them when it has no rows."""
    limit = header.n_words if header else len(matrix)
    words: list[bytes] = []
    line_number, offset = (2, header.end) if header else (1, 0)
    with head.path.open("rb") as stream:
        stream.seek(offset)
        while lines := list(islice(stream, _LINES_AT_ONCE)):
            kept = [line for line in lines if line.strip(_WHITE_SPACE)]
            if header and len(words) + len(kept) > limit:
                raise too_long(head, header, offset + sum(map(len, kept[: limit - len(words)])))
            if header and _is_cut_off(lines[-1], matrix.shape[1]):
                lines.pop()
            found, numbers = _parse(head, lines, matrix.shape[1], line_number)
            if len(matrix):
                matrix[len(words) : len(words) + len(found)] = numbers
            words += found
            line_number += len(lines)
            offset += sum(map(len, lines))
    if header and len(words) < limit:
        raise truncated(head, header, len(words), offset)
    return words


def _is_cut_off(line: bytes, dim: int) -> bool:
    return not line.endswith(b"\n") and len(line.rsplit(None, dim)) <= dim


def _parse(head: Head, lines: list[bytes], dim: int, line_number: int) -> tuple[list[bytes], npt.NDArray[np.float32]]:
    words: list[bytes] = []
    rows: list[list[float]] = []
    for number, line in enumerate(lines, line_number):
        # From the right: a word may hold spaces of its own.
        fields = (line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line).rsplit(None, dim)
        if not fields:
            continue
        try:
            words.append(fields[0].strip(_WHITE_SPACE))
            rows.append(list(map(float, fields[1:])))
        except ValueError:
            bad = next(field for field in fields[1:] if not _is_number(field))
            raise VectorsError(
                f"{head.path}, line {number}: {bad.decode('utf-8', 'replace')[:40]!r} is no number; "
                f"expected a word and {dim} numbers"
            ) from None
        if len(fields) != dim + 1:
            raise VectorsError(
                f"{head.path}, line {number}: expected a word and {dim} numbers, found {len(fields)} fields; "
                f"the file is truncated or its rows differ in length"
            )
        blank_parted = words[-1].split()[1:]
        if blank_parted and all(map(_is_number, blank_parted)):
            # "route 66" may be meant, but nothing tells it from a row with a number too many.
            raise VectorsError(
                f"{head.path}, line {number}: expected a word and {dim} numbers, found "
                f"{dim + len(blank_parted)} numbers; remove those too many, or the blanks in the word"
            )
    with np.errstate(over="ignore"):
        return words, np.array(rows, np.float32).reshape(-1, dim)


def write(vectors: Vectors, streams: Sequence[IO[bytes]]) -> None:
    """Write the header and the lines; numbers are the shortest that read back as the same float32."""
    streams[0].write(b"%d %d\n" % (len(vectors), vectors.dim))
    _write_lines(vectors, streams[0])


def write_headerless(vectors: Vectors, streams: Sequence[IO[bytes]]) -> None:
    """Write the lines alone, as GloVe does.

    Raises
    ------
    VectorsError
        When the first word begins with U+FEFF, which at the beginning of a file is no part of a word.
    """
    if vectors.words[0].encode().startswith(BYTE_ORDER_MARK):
        raise VectorsError(
            f"{vectors.words[0]!r} begins with a byte order mark and as the first word would not read back; "
            f"remove it or write another format"
        )
    _write_lines(vectors, streams[0])


def _write_lines(vectors: Vectors, stream: IO[bytes]) -> None:
    for start, lines in number_lines(vectors.matrix, " "):
        words = vectors.words[start : start + len(lines)]
        stream.write("".join(f"{word} {line}\n" for word, line in zip(words, lines, strict=True)).encode())


def number_lines(matrix: npt.NDArray[np.float32], separator: str) -> Iterator[tuple[int, list[str]]]:
    """Rows as text, many at a time, with the row each batch begins at."""
    step = max(1, CHUNK_BYTES // (128 * matrix.shape[1]))  # NumPy takes 128 bytes for a number as text
    for start in range(0, len(matrix), step):
        yield start, [separator.join(row) for row in matrix[start : start + step].astype(np.str_).tolist()]
