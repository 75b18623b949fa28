"""Formats of vectors: read by content, written by extension or name.

To add one, write a module with its functions and add a line to `FORMATS`.
"""

from pathlib import Path

import numpy as np

from w2v.errors import OutputError, shown
from w2v.files import check_file, replacing
from w2v.formats import arrays, binary, foreign, native, projector, sidecar, text
from w2v.formats.base import NO_WHITE_SPACE, Format, Head
from w2v.formats.words import check_writable, finite_rows
from w2v.metadata import faults
from w2v.vectors import Vectors

# Read in this order; the first whose `sniff` agrees reads the file.
FORMATS = (
    Format("safetensors", (".safetensors",), "native model: both matrices, counts, options, exact",
           native.write, native.sniff, native.read),
    Format("bin", (".bin",), "word2vec binary",
           binary.write, binary.sniff, binary.read, sidecar=True, refuse=NO_WHITE_SPACE),
    Format("text", (".txt", ".vec"), "word2vec text, with a header line",
           text.write, text.is_text, text.read, sidecar=True, refuse=NO_WHITE_SPACE),
    Format("glove", (".glove",), "text without a header line, as GloVe's",
           text.write_headerless, text.is_headerless, text.read_headerless,
           sidecar=True, refuse=NO_WHITE_SPACE),
    Format("npy", (".npy",), "NumPy array, with the words in NAME.words.txt (only written)",
           arrays.write, files=arrays.files),
    Format("tsv", (".tsv",), "TensorFlow projector: NAME.tsv and NAME.metadata.tsv (only written)",
           projector.write, files=projector.files, refuse=r"[\t\r\n\ud800-\udfff]"),
)  # fmt: skip


def recognise(path: str | Path) -> tuple[Format, Head]:
    """Find a file's format by its content.

    Returns
    -------
    Format, Head
        The format, with which it can be read, and the beginning of the file.

    Raises
    ------
    VectorsError
        When the file cannot be read or is not one of vectors; says what it is, if known.
    """
    head = foreign.open_head(Path(path))
    for row in FORMATS:
        if row.sniff is not None and row.sniff(head):
            return row, head
    raise foreign.refusal(head) or foreign.unknown(head)


def read(path: str | Path) -> Vectors:
    """Read vectors; the format is told by content, never by name.

    Parameters
    ----------
    path : str or Path
        A file in one of the formats that are read.

    Returns
    -------
    Vectors
        With the metadata of the sidecar, when there is one that belongs to them; vectors that are not finite are
        among the warnings.

    Raises
    ------
    VectorsError
        When the file is not readable, not vectors, truncated or malformed.
    """
    row, head = recognise(path)
    assert row.read is not None, "only formats with a reader are recognised"
    vectors = row.read(head)
    if row.sidecar:
        sidecar.read_into(vectors, head.path)
    odd = "; ".join(faults(vectors.metadata, vectors.matrix.shape, vectors.output_bias is not None))
    if odd:
        keeper = sidecar.path_of(head.path) if row.sidecar else head.path
        vectors.warnings.append(f"{keeper}: {odd}; the vectors can be used, what is kept of their training cannot")
    bad_rows = np.flatnonzero(~finite_rows(vectors.matrix))
    if len(bad_rows):
        first = shown(vectors.words[bad_rows[0]])
        vectors.warnings.append(
            f"{head.path}: {len(bad_rows)} vectors hold NaN or infinity (first: {first}): their words count as unknown"
        )
    return vectors


def format_for_output(path: str | Path, format: str | None = None) -> Format:  # noqa: A002
    """Find the format to write: by name when one is given, else by the path's extension.

    Raises
    ------
    OutputError
        When neither is known; lists what is.
    """
    for row in FORMATS:
        if format == row.name or (format is None and Path(path).suffix.lower() in row.extensions):
            return row
    if format is not None:
        raise OutputError(f"unknown format {format!r}; known: {', '.join(row.name for row in FORMATS)}")
    known = ", ".join(extension for row in FORMATS for extension in row.extensions)
    raise OutputError(f"{path}: its ending names no format; use one of {known}, or give --format")


def check_output(path: str | Path, overwrite: bool = False, format: str | Format | None = None) -> None:  # noqa: A002
    """Find out whether an output can be written, before hours of work for it.

    Parameters
    ----------
    path : str or Path
        The output; the files its format writes beside it are checked as well.
    overwrite : bool
        Whether existing files may be replaced.
    format : str, Format or None
        The format; None takes it from the extension, and any other file is checked as it is.

    Raises
    ------
    OutputError
        When a folder is missing or not writable, or a file exists and `overwrite` is false.
    """
    for file in output_files(path, format):
        check_file(file, overwrite)


def output_files(path: str | Path, format: str | Format | None = None) -> tuple[Path, ...]:  # noqa: A002
    """All files that writing to a path may write."""
    path = Path(path)
    if format is None and not any(path.suffix.lower() in row.extensions for row in FORMATS):
        return (path,)
    row = format if isinstance(format, Format) else format_for_output(path, format)
    return row.files(path) + ((sidecar.path_of(path),) if row.sidecar else ())


def write(vectors: Vectors, path: str | Path, format: str | None = None, overwrite: bool = False) -> None:  # noqa: A002
    """Write vectors to a file, which appears whole or not at all, and their metadata beside it.

    Parameters
    ----------
    vectors : Vectors
        What to write.
    path : str or Path
        Where to.
    format : str or None
        A name in `FORMATS`; None takes the format from the extension.
    overwrite : bool
        Whether existing files may be replaced.

    Raises
    ------
    OutputError
        When the format is unknown or the files cannot be written.
    VectorsError
        When words or numbers would not read back.
    """
    path = Path(path)
    row = format_for_output(path, format)
    check_output(path, overwrite, row)
    check_writable(vectors, row.refuse, path)
    keeps_metadata = row.sidecar and (bool(vectors.metadata) or vectors.output_bias is not None)
    files = row.files(path) + ((sidecar.path_of(path),) if keeps_metadata else ())
    with replacing(files) as streams:
        row.write(vectors, streams[: len(row.files(path))])
        if keeps_metadata:
            sidecar.write(vectors, streams[-1])
    if row.sidecar and not keeps_metadata:
        # What is left of the vectors replaced would be taken for the metadata of the new ones.
        sidecar.path_of(path).unlink(missing_ok=True)
