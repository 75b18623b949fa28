"""What the programs of this package share: errors as one line, their corpus and options, tables on stdout."""

import dataclasses
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from w2v.compression import MAGIC_BYTES, is_compressed
from w2v.data.catalog import resolve
from w2v.errors import BenchmarkError, W2VError
from w2v.eval.tools.runs import Options
from w2v.usage import peak_memory_mib

TABLE_FORMATS = ("text", "markdown", "json")


def run(command: click.Command) -> None:
    """Run a command as a program; an error of the user's is one line on stderr and an exit code."""
    try:
        command()
    except W2VError as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(error.exit_code)


def corpus_argument(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the argument CORPUS to a command: a file of plain text, as gensim reads no other, or data:NAME."""
    return click.argument("corpus", callback=_plain_text)(command)


def _plain_text(context: click.Context, parameter: click.Parameter, name: str) -> Path:
    kind = click.Path(exists=True, dir_okay=False, path_type=Path)
    corpus = Path(kind.convert(resolve(name, lambda line: click.echo(line, err=True)), parameter, context))
    with corpus.open("rb") as file:
        head = file.read(MAGIC_BYTES)
    if is_compressed(head):
        raise BenchmarkError(f"{corpus}: compressed, and gensim's corpus_file reads plain text; decompress it")
    return corpus


def training_options(*left_out: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator: an option for each field of `Options` but those left out."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for field in reversed(dataclasses.fields(Options)):
            if field.name not in left_out:
                kind = click.Choice(field.metadata["choices"]) if "choices" in field.metadata else type(field.default)
                command = click.option(f"--{field.name.replace('_', '-')}", type=kind, default=field.default,
                                       show_default=True, help=field.metadata["help"])(command)  # fmt: skip
        return command

    return decorate


def summary(clock: Sequence[float], tokens: int, presented: float) -> dict[str, Any]:
    """What a program that trains says of its run.

    Parameters
    ----------
    clock : sequence of 4 floats
        Seconds at the start, after counting, after training, after saving.
    tokens : int
        Tokens of the corpus that are in the vocabulary.
    presented : float
        Tokens gone through in training, before subsampling.
    """
    stages = ("counting", "training", "saving")
    seconds = {stage: end - start for stage, start, end in zip(stages, clock, clock[1:], strict=False)}
    return {
        "tokens": tokens,
        "seconds": seconds | {"total": clock[-1] - clock[0]},
        "words_per_second": presented / seconds["training"],
        "peak_memory_mib": peak_memory_mib(),
    }


def render(header: Sequence[str], rows: Sequence[Sequence[str]], table_format: str) -> str:
    """Lay out a table as aligned text, Markdown, or JSON (a list with one object a row).

    The first column is aligned to the left, the others, numbers, to the right.
    """
    if table_format == "json":
        return json.dumps([dict(zip(header, row, strict=True)) for row in rows], ensure_ascii=False)
    columns = list(zip(header, *rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    aligned = [
        [cell.rjust(width) if i else cell.ljust(width) for cell in column]
        for i, (column, width) in enumerate(zip(columns, widths, strict=True))
    ]
    lines = list(zip(*aligned, strict=True))
    if table_format == "text":
        return "\n".join("  ".join(cells).rstrip() for cells in lines)
    rule = ("-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:]))
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (lines[0], rule, *lines[1:]))
