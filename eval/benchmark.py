"""Measurements of parts of w2v, on any corpus: ``python -m w2v.eval.benchmark encode|objectives CORPUS``."""

import statistics
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from w2v.eval.script import TABLE_FORMATS, corpus_argument, render, run

Command = Callable[..., None]


def _format_option(command: Command) -> Command:
    return click.option(
        "--format", "table_format", type=click.Choice(TABLE_FORMATS), default="text", show_default=True,
        help="How the table is printed.",
    )(command)  # fmt: skip


def _say(message: str) -> None:
    click.echo(message, err=True)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Measure parts of w2v on CORPUS: plain text, a sentence a line, words separated by spaces."""


@command.command()
@corpus_argument
@click.option("--min-count", default=5, show_default=True, help="Drop words that occur fewer times.")
@click.option("--runs", "n_runs", type=click.IntRange(min=1), default=3, show_default=True, help="Runs of each.")
@_format_option
def encode(corpus: Path, min_count: int, n_runs: int, table_format: str) -> None:
    """Time the way from text to ids on one thread, and the whole stage that reads and counts.

    The first two rows take the text in memory and make ids: a Python loop over line.split() with a dict, and
    the compiled tokeniser.  The others read the file: gensim's build_vocab(corpus_file=...), and what `w2v
    train` does before it trains (read, encode, count, prune, write the ids).  Runs alternate; the table shows
    medians.
    """
    from w2v.eval import encoding

    times: dict[str, list[float]] = {}
    with TemporaryDirectory() as folder:
        ways = encoding.ways(corpus, min_count, Path(folder))
        for _ in range(n_runs):
            for way, measure in ways.items():
                times.setdefault(way, []).append(measure())
                _say(f"{way}: {times[way][-1]:.2f} s")
    n_tokens = encoding.python_ids(corpus.read_bytes())
    medians = {way: statistics.median(taken) for way, taken in times.items()}
    rows = [(way, f"{taken:.2f}", f"{n_tokens / taken:,.0f}") for way, taken in medians.items()]
    click.echo(render(("", "seconds", "tokens/s"), rows, table_format))


@command.command()
@corpus_argument
@click.option("--threads", default=2, show_default=True)
@click.option("--dim", default=100, show_default=True)
@click.option("--runs", "n_runs", type=click.IntRange(min=1), default=3, show_default=True, help="Runs of each.")
@_format_option
def objectives(*, corpus: Path, n_runs: int, table_format: str, **training: Any) -> None:
    """Time one epoch of each objective, in turn, in one process, on the same ids.

    Scores are the products of an input and an output vector; an objective with fewer of them a word is slower by
    that measure and faster by words.  Ratios are to sgns in the same round; the table shows medians.
    """
    from w2v.eval import objectives

    measured = objectives.measure(corpus, n_runs, _say, **training)
    click.echo(render(*objectives.table(measured), table_format))


if __name__ == "__main__":
    run(command)
