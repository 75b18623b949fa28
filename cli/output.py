"""Results on stdout: an aligned table on a terminal, TSV in a pipe, JSON when asked for."""

import json
import math
import os
import sys
import unicodedata
from collections.abc import Sequence
from typing import Any

import click

from w2v.errors import OutputError, one_line


def print_rows(columns: Sequence[str], rows: Sequence[Sequence[Any]], *, tsv_header: bool = False) -> None:
    """Print rows of values.

    Parameters
    ----------
    columns : sequence of str
        Headings, which a terminal shows; empty ones are left out.
    rows : sequence of sequences
        Values; floats are shown with four decimals, None as nothing.
    tsv_header : bool
        Whether the headings are the first line of TSV too.
    """
    texts = [[_text(value) for value in row] for row in rows]
    if not is_terminal():
        _print(["\t".join(line) for line in ([list(columns), *texts] if tsv_header else texts)])
        return
    texts = [[one_line(text) for text in row] for row in texts]
    cells = list(zip(columns, *texts, strict=True))
    widths = [max(_width(cell) for cell in column) for column in cells]
    # Numbers end where their headings end, words begin where theirs begin.
    numeric = [all(isinstance(row[i], int | float) for row in rows) for i in range(len(columns))]
    lines = []
    for line in [list(columns), *texts] if any(columns) else texts:
        padded = [
            " " * (width - _width(cell)) + cell if right else cell + " " * (width - _width(cell))
            for cell, width, right in zip(line, widths, numeric, strict=True)
        ]
        lines.append("  ".join(padded).rstrip())
    _print(lines)


def print_json(value: Any) -> None:
    """Print a value as one line of JSON; numbers that JSON does not have become null."""
    text = json.dumps(_finite(value), ensure_ascii=not _encoding().lower().startswith("utf"))
    if is_terminal():
        text = "".join(json.dumps(letter)[1:-1] if one_line(letter) != letter else letter for letter in text)
    _print([text])


def print_text(lines: Sequence[str]) -> None:
    """Print lines as they are."""
    _print(lines)


def _print(lines: Sequence[str]) -> None:
    # A pipe gets every character as it is (click.echo would drop some), save those its encoding lacks.
    text = "".join(f"{line}\n" for line in lines)
    # Flushed here, so that a closed pipe is noticed where it is handled and not while Python exits.
    try:
        print(text.encode(_encoding(), "backslashreplace").decode(_encoding()), end="", flush=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        discard_stdout()
        raise OutputError(f"the results cannot be written to standard output: {error.strerror}") from error


def is_terminal() -> bool:
    """Whether results go to a terminal.

    Raises
    ------
    OutputError
        When there is no standard output at all.
    """
    if sys.stdout is None:
        raise OutputError("standard output is closed; there is nowhere to write results to")
    return sys.stdout.isatty()


def discard_stdout() -> None:
    """Keep Python from trying once more, and complaining, when it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _encoding() -> str:
    return getattr(sys.stdout, "encoding", None) or "utf-8"


def note(message: str) -> None:
    """Print a line to stderr."""
    click.echo(one_line(message), err=True)


def warn(message: str) -> None:
    """Print a warning to stderr."""
    note(f"Warning: {message}")


def _text(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def _width(text: str) -> int:
    """Columns of a terminal that a text takes: two for a wide East Asian character, none for a mark."""
    return sum(
        0 if unicodedata.category(character) in ("Mn", "Me") else 1 + (unicodedata.east_asian_width(character) in "WF")
        for character in text
    )


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list | tuple) else value
