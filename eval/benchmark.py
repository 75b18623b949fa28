"""The README's measurements, on any corpus: ``python -m w2v.eval.benchmark speed|quality|encode CORPUS``."""

import statistics
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from w2v.errors import BenchmarkError
from w2v.eval import runs
from w2v.eval.gensim_baseline import LOSSES
from w2v.eval.report import DEFAULT_SETS, Score, load_sets, score_sets
from w2v.eval.script import TABLE_FORMATS, corpus_argument, render, run
from w2v.objective import ARCHITECTURES
from w2v.vectors import Vectors

Command = Callable[..., None]


def _format_option(command: Command) -> Command:
    return click.option(
        "--format", "table_format", type=click.Choice(TABLE_FORMATS), default="text", show_default=True,
        help="How the table is printed.",
    )(command)  # fmt: skip


def _training_options(command: Command) -> Command:
    """Add the options that both tools are trained with; they mean what they mean to `w2v train`."""
    for option in (
        click.option("--threads", default=2, show_default=True),
        click.option("--min-count", default=5, show_default=True),
        click.option("--lr", default=0.025, show_default=True),
        click.option("--sample", default=1e-3, show_default=True),
        click.option("--epochs", default=5, show_default=True),
        click.option("--negative", default=5, show_default=True),
        click.option("--window", default=5, show_default=True),
        click.option("--dim", default=100, show_default=True),
        click.option("--loss", type=click.Choice(LOSSES), default="sgns", show_default=True),
        click.option("--architecture", type=click.Choice(ARCHITECTURES), default="skipgram", show_default=True),
    ):
        command = option(command)
    return command


def _say(message: str) -> None:
    click.echo(message, err=True)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Measure w2v beside other ways on CORPUS: plain text, a sentence a line, words separated by spaces."""


@command.command()
@corpus_argument
@_training_options
@click.option("--runs", "n_runs", type=click.IntRange(min=1), default=3, show_default=True, help="Runs of each.")
@_format_option
def speed(*, corpus: Path, n_runs: int, table_format: str, **training: Any) -> None:
    """Time the whole command `w2v train` and a gensim script with the same settings.

    Each run is a process of its own; runs alternate; the table shows medians.  Words/s count in-vocabulary
    words before subsampling in the training phase alone, wall time all from start to end of the process.
    Training options mean what they mean to `w2v train`.
    """
    options = runs.Options(**training)
    measured: dict[str, list[runs.Run]] = {tool: [] for tool in runs.TOOLS}
    with TemporaryDirectory() as folder:
        runs.warm_up(Path(folder), options)
        for number in range(1, n_runs + 1):
            for tool in runs.TOOLS:
                one = runs.train(tool, corpus, Path(folder) / f"{tool}.bin", options, seed=number)
                measured[tool].append(one)
                _say(f"{tool} {number}/{n_runs}: {one.wall:.2f} s, {one.words_per_second:,.0f} words/s")
    click.echo(render(*_speed_table(measured), table_format))


def _speed_table(measured: dict[str, list[runs.Run]]) -> tuple[Sequence[str], list[Sequence[str]]]:
    medians = {
        tool: [
            statistics.median(one.wall for one in done),
            statistics.median(one.counting for one in done),
            statistics.median(one.words_per_second for one in done),
            statistics.median(one.peak_memory_mib for one in done),
        ]
        for tool, done in measured.items()
    }
    rows: list[Sequence[str]] = [
        (tool, f"{wall:.2f}", f"{counting:.2f}", f"{words:,.0f}", f"{memory:.0f}")
        for tool, (wall, counting, words, memory) in medians.items()
    ]
    ours, theirs = (medians[tool] for tool in runs.TOOLS)
    ratios = [f"{one / other:.3g}" for one, other in zip(ours, theirs, strict=True)]
    rows.append((" / ".join(runs.TOOLS), *ratios))
    return ("", "whole command, s", "counting, s", "training, words/s", "peak memory, MiB"), rows


@command.command()
@corpus_argument
@click.argument("files", nargs=-1)
@_training_options
@click.option("--seeds", default="1,2,3", show_default=True, help="Seeds, one training of each tool for each.")
@click.option("--sets", multiple=True, help="A set to score, by name or file, instead of those of `w2v eval`.")
@click.option(
    "--keep",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder to keep the vectors in, replacing those there.",
)
@_format_option
def quality(
    *,
    corpus: Path,
    files: tuple[str, ...],
    seeds: str,
    sets: tuple[str, ...],
    keep: Path | None,
    table_format: str,
    **training: Any,
) -> None:
    """Train w2v and gensim with several seeds and score both on the sets of `w2v eval` and on FILES.

    The table shows the mean over the seeds with the spread, largest less smallest, in brackets, and how far
    the mean of w2v is above gensim's.  Scores are Spearman x 100 and accuracy in percent.  A second table
    has the medians of time and memory, as of `speed`.  Training options mean what they mean to `w2v train`.
    """
    options, seed_numbers = runs.Options(**training), _parse_seeds(seeds)
    benchmarks = load_sets((*(sets or DEFAULT_SETS), *files))
    scores: dict[str, list[list[Score]]] = {tool: [] for tool in runs.TOOLS}
    measured: dict[str, list[runs.Run]] = {tool: [] for tool in runs.TOOLS}
    with TemporaryDirectory() as temporary:
        folder = _made(keep) if keep else Path(temporary)
        runs.warm_up(Path(temporary), options)
        for seed in seed_numbers:
            for tool in runs.TOOLS:
                out = folder / f"{tool}-{seed}.bin"
                one = runs.train(tool, corpus, out, options, seed)
                measured[tool].append(one)
                reports = score_sets(Vectors.load(out), benchmarks)
                scores[tool].append([score for report in reports for score in report.scores()])
                _say(f"{tool}, seed {seed}: trained in {one.wall:.1f} s")
    click.echo(render(*_quality_table(scores), table_format))
    click.echo(render(*_speed_table(measured), table_format))


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BenchmarkError(f"{folder}: cannot be made: {error.strerror}") from error
    return folder


def _parse_seeds(seeds: str) -> list[int]:
    try:
        return [int(seed) for seed in seeds.split(",")]
    except ValueError as error:
        raise click.BadParameter(f"{seeds!r}: whole numbers separated by commas", param_hint="--seeds") from error


def _quality_table(scores: dict[str, list[list[Score]]]) -> tuple[Sequence[str], list[Sequence[str]]]:
    ours, theirs = (list(zip(*scores[tool], strict=True)) for tool in runs.TOOLS)
    rows: list[Sequence[str]] = []
    for sides in zip(ours, theirs, strict=True):
        first = sides[0][0]
        values = [[score.value for score in side if score.value is not None] for side in sides]
        cells = ["-", "-", "-"]
        if all(values):
            means = [statistics.mean(side) for side in values]
            cells = [f"{mean:.1f} ({max(side) - min(side):.1f})" for mean, side in zip(means, values, strict=True)]
            cells.append(f"{means[0] - means[1]:+.1f}")
        rows.append((first.name, f"{first.seen}/{first.total}", *cells))
    return ("", "seen/total", *runs.TOOLS, "difference"), rows


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
