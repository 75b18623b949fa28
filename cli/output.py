"""Results on stdout: an aligned table on a terminal, TSV in a pipe, JSON when asked for."""

import json
import math
import sys
import unicodedata
from collections.abc import Sequence
from typing import Any

import click


def print_rows(columns: Sequence[str], rows: Sequence[Sequence[Any]], *, tsv_header: bool = False) -> None:
    """Print rows of values.

    Parameters
    ----------
    columns : sequence of str
        Headings; a terminal shows them.
    rows : sequence of sequences
        Values; floats are shown with four decimals, None as nothing.
    tsv_header : bool
        Whether the headings are the first line of TSV too.
    """
    texts = [[_text(value) for value in row] for row in rows]
    if not sys.stdout.isatty():
        for line in [list(columns), *texts] if tsv_header else texts:
            print_line("\t".join(line))
        return
    texts = [[visible(text) for text in row] for row in texts]
    cells = list(zip(columns, *texts, strict=True))
    widths = [max(_width(cell) for cell in column) for column in cells]
    # Numbers end where their headings end, words begin where theirs begin.
    numeric = [all(isinstance(row[i], int | float) for row in rows) for i in range(len(columns))]
    for line in [list(columns), *texts]:
        padded = [
            " " * (width - _width(cell)) + cell if right else cell + " " * (width - _width(cell))
            for cell, width, right in zip(line, widths, numeric, strict=True)
        ]
        print_line("  ".join(padded).rstrip())


def print_json(value: Any) -> None:
    """Print a value as one line of JSON; numbers that JSON does not have become null."""
    print_line(json.dumps(_finite(value), ensure_ascii=False))


def print_line(text: str) -> None:
    """Print a line; characters the terminal's or pipe's encoding lacks are escaped."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    click.echo(text.encode(encoding, "backslashreplace").decode(encoding))


def warn(message: str) -> None:
    """Print a warning to stderr."""
    click.echo(f"Warning: {message}", err=True)


def visible(text: str) -> str:
    """The text with control characters escaped, which would otherwise steer the terminal."""
    return "".join(
        ascii(character)[1:-1] if unicodedata.category(character) in ("Cc", "Cf", "Cs") else character
        for character in text
    )


def _text(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def _width(text: str) -> int:
    """Columns of a terminal that a text takes: two for a wide East Asian character, none for a mark."""
    return sum(
        0
        if unicodedata.category(character) in ("Mn", "Me")
        else 1 + (unicodedata.east_asian_width(character) in "WF")
        for character in text
    )


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list | tuple) else value
