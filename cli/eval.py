"""`w2v eval`: scores of vectors on benchmark sets."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from w2v.cli.lookup import load_vectors
from w2v.cli.matrices import MATRICES, vectors_of
from w2v.cli.output import is_terminal, note, print_json, print_rows, print_text, warn
from w2v.cli.sessions import check_options, evaluate_sessions, session_options
from w2v.cli.sets_option import SetsCommand
from w2v.data.catalog import entry_of, is_known
from w2v.errors import BenchmarkError, VectorsError
from w2v.eval import comparison, tables
from w2v.eval.analogy import METHODS
from w2v.eval.categories import CLUSTERS
from w2v.eval.comparison import Evaluation, Row
from w2v.eval.datasets import files_of
from w2v.eval.lookup import CASES
from w2v.eval.plot import check_plot, draw
from w2v.eval.readers import read_set
from w2v.eval.report import DEFAULT_SETS, load_sets
from w2v.eval.sets import BenchmarkSet
from w2v.eval.settings import EvalSettings
from w2v.formats import output_files, recognise
from w2v.vectors import Vectors

_DEFAULTS = EvalSettings()


@click.command(cls=SetsCommand)
@click.argument("files", nargs=-1, metavar="[VECTORS]...", type=click.Path(path_type=Path))
@click.option("--sets", multiple=True, metavar="NAME|FILE...",
              help="Score on these sets in place of the standard ones: names (`w2v data list`), files or folders; "
              "takes all that follows up to the next option.")  # fmt: skip
@click.option("--case", type=click.Choice(CASES), default=_DEFAULTS.case, show_default=True,
              help="Letter case: none = words as they stand; lower = words of the sets lower-cased; fold = both "
              "sides case-folded, the most frequent variant wins; auto = lower for a vocabulary without "
              "capitals, else none.")  # fmt: skip
@click.option(
    "--restrict-vocab",
    type=click.IntRange(min=1),
    metavar="N",
    help="Only the first N words of the vocabulary are known and are candidates; all by default.",
)
@click.option("--method", type=click.Choice(list(METHODS)), default=_DEFAULTS.method, show_default=True,
              help="Analogies by 3CosAdd, 3CosMul, 3CosAvg or PairDirection.")  # fmt: skip
@click.option("--clusters", type=click.Choice(CLUSTERS), default=_DEFAULTS.clusters, show_default=True,
              help="How words with classes are clustered.")  # fmt: skip
@click.option("--vectors-of", "which", type=click.Choice(MATRICES), default=MATRICES[0], show_default=True,
              help="Score these vectors of native models (.safetensors): of words as input, as output, "
              "or the sums of both.")  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), default=_DEFAULTS.seed, show_default=True,
              help="Of the bootstrap and of k-means.")  # fmt: skip
@click.option("--sections", is_flag=True, help="Show every section of an analogy set too.")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print JSON: everything, with all sections, policies and Pearson's correlation.",
)
@click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown tables.")
@click.option(
    "--plot",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Draw the scores as bars with their intervals, to .png, .svg, .pdf, ...",
)
@click.option("--overwrite", is_flag=True, help="Replace the plot when it exists already.")
@session_options
def command(
    *, files: tuple[Path, ...], sets: tuple[str, ...], sections: bool, as_json: bool, as_markdown: bool,
    which: str, plot: Path | None, overwrite: bool, sessions: str | None, train_sessions: str | None,
    score: str | None, from_last: int | None, **settings: Any,
) -> None:  # fmt: skip
    """Score VECTORS (default: $W2V_VECTORS, else vectors.bin) on word similarity and analogies.

    \b
      w2v eval vectors.bin                          the standard sets that are at hand
      w2v eval vectors.bin --sets men rw my.tsv     two sets by name and one of your own
      w2v eval old.bin new.bin                      side by side: is new better on these items?
      w2v eval old.bin new.bin --plot scores.png    bars with intervals

    The standard sets are WordSim-353, SimLex-999 and the Google analogies, which come with gensim (pip install
    'w2v[eval]'); `w2v data list` has more.  Files of your own: lines of two words and a number; of four words,
    where `: name` opens a section; of a word and its class; or a BATS folder.  The content decides which.

    Similarity is Spearman's rank correlation x 100 between the given numbers and the cosines of the pairs.
    Analogies (a is to b as c is to d) are the percentage where d is the word nearest to b - a + c (3CosAdd, or
    --method); all words of the vocabulary are candidates but a, b and c.  Sections whose name starts with `gram`
    are syntactic, the others semantic.  Words with classes are clustered; purity is the percentage of words that
    are of the class most words of their cluster have.

    Pairs and questions with a word out of the vocabulary (OOV) are skipped.  Where there are any, a second row
    counts them: such a pair has the mean similarity of the others, such a question or word is wrong.  Words get the
    Unicode form of the training text.  The policies in force are printed to stderr.

    Every score has a 95 % interval from a bootstrap over the items, questions that ask for the same pair drawn
    together; several VECTORS are compared with the first by a paired bootstrap over the items both have scored.
    A share of which all items are wrong, or all right, has Wilson's interval where they are drawn one by one; a
    correlation of fewer than 4 pairs has none.  None of it covers the chance in training: trainings that differ in
    nothing but the seed differ too, and a difference not shown is none disproved; see w2v compare.

    With --sessions FILE it is items, not words: is the last item of each line among the k that VECTORS rank first
    behind the items before it?  Hit rate, MRR and NDCG at k = 5, 10 and 20 over all lines (a line that cannot be
    answered is a miss); coverage, the share of items ever recommended; popularity, the mean percentile by count of
    the items recommended less that of the items to predict (above 0: popular items are over-recommended); ahead, by
    how much the first ranking's hit rate is above this one's.  Candidates are all items, and then only those new to
    the line, over lines that end in a new one.  Baselines beside them: co-occurrence and popularity in the lines of
    --train-sessions; they see the same last N items (--from-last, whose default depends on --score).
    """
    if as_json and as_markdown:
        raise click.UsageError("--json and --markdown exclude each other")
    of_sessions: dict[str, Any] = {"train_sessions": train_sessions, "score": score, "from_last": from_last}
    of_sets = {"sets": sets, "sections": sections, "plot": plot, "vectors_of": which != MATRICES[0]}
    of_sets |= {name: value != getattr(_DEFAULTS, name) for name, value in settings.items()}
    check_options(sessions, of_sessions, of_sets)
    names = [str(file) for file in files] or [os.environ.get("W2V_VECTORS") or "vectors.bin"]
    if sessions is not None:
        evaluate_sessions(names, sessions, **of_sessions, as_json=as_json, as_markdown=as_markdown)
        return
    if plot is not None:
        check_plot(plot, overwrite, _inputs(names, sets))
    chosen = EvalSettings(**settings)
    evaluations = _evaluate(names, which, sets, chosen)
    for line in comparison.warnings(evaluations):
        warn(line)
    rows = comparison.rows(evaluations, with_sections=sections)
    if as_json:
        print_json({"vectors_of": which, **comparison.to_json(evaluations, chosen)})
    else:
        _print_tables(evaluations, rows, as_markdown)
        _print_policies([f"{which} vectors", *comparison.policies(evaluations, chosen)], as_markdown)
    if plot is not None:
        draw(plot, evaluations, rows)


def _inputs(files: Sequence[str], sets: Sequence[str]) -> set[Path]:
    """All files that are read: vectors with what lies beside them, and sets."""
    beside = {path for file in files for path in output_files(file)}
    return {path.resolve() for path in beside if path.exists()} | files_of(sets or DEFAULT_SETS)


def _evaluate(files: Sequence[str], which: str, names: Sequence[str], settings: EvalSettings) -> list[Evaluation]:
    sets = _load_sets(names)
    evaluations = [
        comparison.evaluate(file, label, vectors_of(_load_vectors(file), which, Path(file)), sets, settings)
        for file, label in zip(files, comparison.labels(files), strict=True)
    ]
    for one in evaluations:
        for report in one.reports:
            total = report.scores()[-1]
            if not total.seen:
                warn(f"{report.name}: none of its {total.total} items has all its words in {one.file}")
    return evaluations


def _load_sets(names: Sequence[str]) -> list[BenchmarkSet]:
    try:
        return load_sets(names, note)
    except BenchmarkError:
        for name in names:
            if _is_vectors(Path(name)):
                raise BenchmarkError(
                    f"{name}: vectors, not a benchmark set; name vectors before --sets, which takes all that follows"
                ) from None
        raise


def _is_vectors(path: Path) -> bool:
    try:
        recognise(path)
    except VectorsError:
        return False
    return True


def _load_vectors(file: str) -> Vectors:
    try:
        return load_vectors(Path(file))
    except VectorsError:
        if _is_set(file):
            raise VectorsError(f"{file}: a benchmark set, not vectors; name sets with --sets") from None
        raise


def _is_set(name: str) -> bool:
    if is_known(name) and not os.path.exists(name):  # noqa: PTH110 - Path.exists raises for too long a name
        return entry_of(name).kind != "corpus"
    try:
        read_set(Path(name), name)
    except BenchmarkError:
        return False
    return True


def _print_tables(evaluations: Sequence[Evaluation], rows: Sequence[Row], as_markdown: bool) -> None:
    if not as_markdown and not is_terminal():
        print_rows(*tables.numbers(evaluations, rows), tsv_header=True)
        if len(evaluations) > 1:
            note(tables.ITEMS_ALONE)
        return
    shown = [tables.scores(evaluations, rows)]
    if len(evaluations) > 1:
        shown.append(tables.differences(evaluations, rows))
    for number, table in enumerate(shown):
        if number:
            print_text([""])
        if as_markdown:
            print_text(tables.markdown(table))
        else:
            print_rows(*table)
    if len(evaluations) > 1:
        print_text(["", tables.ITEMS_ALONE] if as_markdown else [tables.ITEMS_ALONE])


def _print_policies(policies: Sequence[str], as_markdown: bool) -> None:
    if as_markdown:
        print_text(["", *(f"- {line}" for line in policies)])
    else:
        for line in policies:
            note(line)
