"""`w2v compare`: w2v beside gensim and fastText on one corpus."""

from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from w2v.cli.output import is_terminal, note, print_json, print_rows
from w2v.cli.sets_option import SetsCommand
from w2v.config import TrainConfig
from w2v.errors import BenchmarkError
from w2v.eval.datasets import files_of
from w2v.eval.plot import check_plot
from w2v.eval.report import DEFAULT_SETS, load_sets
from w2v.eval.script import corpus_argument, training_options
from w2v.eval.tools import compare, runs
from w2v.eval.tools.facts import describe_corpus, describe_machine
from w2v.eval.tools.kept import Store
from w2v.eval.tools.runs import Options
from w2v.eval.tools.significance import t_test
from w2v.files import check_files, replacing


@click.command(cls=SetsCommand)
@corpus_argument
@click.option("--with", "opponents", metavar="NAMES", help="Tools to compare with: gensim, fasttext, or both separated "
              "by a comma.  Default: those that are installed.")  # fmt: skip
@click.option("--seeds", type=click.IntRange(min=1), default=3, show_default=True, metavar="N",
              help="Train each tool with the seeds 1 to N.")  # fmt: skip
@click.option("--sets", multiple=True, metavar="NAME|FILE...",
              help="Score on these sets in place of the standard ones: names (`w2v data list`) or files.")  # fmt: skip
@click.option(
    "--own-defaults",
    is_flag=True,
    help="A column more: w2v with its own defaults for all options but --dim, --min-count and --threads.",
)
@click.option("--curve", multiple=True, metavar="[TOOL=]EPOCHS", help="Quality against time: train with each of these "
              "numbers of epochs too, as 1,2,5, or w2v=1,2,4,8 for one tool; may be repeated.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Write a page of Markdown.")
@click.option("--plot", type=click.Path(path_type=Path), metavar="FILE", help="Draw the curve (png, svg, pdf).")
@click.option("--overwrite", is_flag=True, help="Replace existing files of --output and --plot.")
@click.option("--keep", type=click.Path(file_okay=False, path_type=Path), metavar="FOLDER",
              help="Keep every run here, and take those that are here already in place of new ones.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with the values of each run.")
@training_options()
def command(
    *,
    corpus: Path,
    opponents: str | None,
    seeds: int,
    sets: tuple[str, ...],
    own_defaults: bool,
    curve: tuple[str, ...],
    output: Path | None,
    plot: Path | None,
    overwrite: bool,
    keep: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Train w2v and other tools on CORPUS with the same settings, and say who is better at what.

    CORPUS is a plain text file or data:NAME, a sentence a line, words separated by blanks, since gensim reads no
    other; lines of more than 10,000 words are cut into pieces, by w2v and by gensim.

    \b
      w2v compare corpus.txt
      w2v compare corpus.txt --sets men rw my.tsv
      w2v compare corpus.txt --dim 300 --keep runs --own-defaults -o page.md
      w2v compare corpus.txt --curve gensim=1,2,5 --curve w2v=1,2,4,8 --plot curve.png

    Every training is a process of its own; the tools take turns.  Shown are medians of time and memory, and of every
    score the mean and the spread (largest less smallest) over the seeds; w2v's difference to each tool, and the p of
    Welch's t-test over the seeds; one seed has neither spread nor p.  The training options mean what they mean to
    `w2v train`; their defaults here are gensim's.  A comparison broken off goes on where it stopped when
    --keep names the same folder.
    """
    columns, points = _columns(Options(**options), opponents, curve, own_defaults)
    if plot and not points:
        raise BenchmarkError("--plot draws the curve: give --curve too")
    _check_outputs(output, plot, overwrite, _inputs(corpus, sets, keep))
    if seeds > 1:
        t_test()  # a missing package shows now, not after hours
    benchmarks = load_sets(sets, note)
    with ExitStack() as stack:
        folder = keep or Path(stack.enter_context(TemporaryDirectory()))
        store = Store(folder, corpus)
        plan = compare.Plan(describe_corpus(corpus), columns, points, range(1, seeds + 1))
        outcomes = compare.carry_out(plan, store, benchmarks, note)
    _show(plan, outcomes, output, plot, as_json)


def _columns(
    options: Options, opponents: str | None, curve: tuple[str, ...], own_defaults: bool
) -> tuple[list[compare.Column], list[compare.Column]]:
    """Columns and points of the curve, all of it checked before hours go into it."""
    TrainConfig(**vars(options))
    chosen = compare.opponents_named(opponents)
    columns = compare.columns_for(options, chosen, own_defaults)
    points = compare.points_for(columns, compare.parse_curve(curve, ["w2v", *chosen]))
    return columns, points


def _inputs(corpus: Path, sets: tuple[str, ...], keep: Path | None) -> set[Path]:
    """All files that are read, kept runs included."""
    kept = keep.glob("*") if keep else ()
    return {path.resolve() for path in (corpus, *kept)} | files_of(sets or DEFAULT_SETS)


def _check_outputs(output: Path | None, plot: Path | None, overwrite: bool, inputs: set[Path]) -> None:
    if plot is not None:
        check_plot(plot, overwrite, inputs)
    check_files([path for path in (output, plot) if path is not None], inputs, overwrite)


def _show(
    plan: compare.Plan, outcomes: compare.Outcomes, output: Path | None, plot: Path | None, as_json: bool
) -> None:
    from w2v.eval.tools import curve
    from w2v.eval.tools.page import markdown
    from w2v.eval.tools.rows import legend, rows
    from w2v.eval.tools.summary import summarise
    from w2v.eval.tools.summary_json import to_json

    versions = {runs.TOOLS[tool].title: runs.version(tool) for tool in dict.fromkeys(c.tool for c in plan.columns)}
    summary = summarise(plan, outcomes, describe_machine(), versions)
    drawn = plot if curve.drawable(summary) else None
    if as_json:
        print_json(to_json(summary))
    else:
        header, values = rows(summary)
        if is_terminal():
            values = [["-" if value is None else value for value in row] for row in values]
        print_rows(header, values, tsv_header=True)
        note(legend(summary))
    if output is not None:
        with replacing([output]) as (file,):
            file.write(markdown(summary, drawn, output).encode())
    if drawn is not None:
        curve.plot(summary, drawn)
    elif plot is not None:
        raise BenchmarkError(
            f"{plot}: nothing to draw, as no score has a value; name --sets whose words the corpus has"
        )
