"""The part of `w2v eval` that scores item vectors on held-out sessions: its options, and what it prints."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from w2v.cli.lookup import load_vectors
from w2v.cli.output import is_terminal, note, print_json, print_rows, print_text, warn
from w2v.data.catalog import resolve
from w2v.errors import ConfigError

if TYPE_CHECKING:
    from w2v.eval.items.report import Contestant, SessionReport

LINE_SECONDS = 5.0  # between two lines of progress
_Command = TypeVar("_Command", bound=Callable[..., Any])

# Measured on clicks, histories and baskets: the last item by itself is best for cosines, two of them for outputs.
FROM_LAST = {"cosine": 1, "output": 2}

_OPTIONS = (
    click.option("--sessions", metavar="FILE",
                 help="Score item vectors: predict the last item of each line of FILE (see `w2v split`)."),
    click.option("--train-sessions", metavar="FILE",
                 help="With --sessions: the lines trained on, for the baselines co-occurrence and popularity."),
    click.option("--score", type=click.Choice(list(FROM_LAST)),
                 help="With --sessions: rank by the cosine of input vectors, or by the score of the objective, input "
                 "times output vector (.safetensors); decides the default of --from-last too.  [default: cosine]"),
    click.option("--from-last", type=click.IntRange(min=1), metavar="N",
                 help="With --sessions: predict from the mean of the last N items; the baselines see the same "
                 "last N items.  [default: cosine 1, output 2]"),
)  # fmt: skip


def session_options(command: _Command) -> _Command:
    """Add the options of a score on sessions to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def check_options(sessions: str | None, of_sessions: dict[str, Any], of_sets: dict[str, Any]) -> None:
    """Refuse options of the other kind: what is scored is sessions or sets of words.

    Raises
    ------
    ConfigError
        When one is given that would be ignored.
    """
    for name, value in (of_sessions if sessions is None else of_sets).items():
        if value:
            reason = "belongs to --sessions FILE, which is not given" if sessions is None else "not with --sessions"
            raise ConfigError(f"--{name.replace('_', '-')}: {reason}")


def evaluate_sessions(
    files: Sequence[str],
    sessions: str,
    *,
    train_sessions: str | None,
    score: str | None,
    from_last: int | None,
    as_json: bool,
    as_markdown: bool,
) -> None:
    """Score files of vectors on held-out lines and print the scores."""
    from w2v.eval.comparison import labels
    from w2v.eval.items.report import score_sessions

    score = score or "cosine"
    sessions, train_sessions = resolve(sessions, note), train_sessions and resolve(train_sessions, note)
    names = labels(files) if len(files) > 1 else [score]
    contestants = [_contestant(Path(file), score, name) for file, name in zip(files, names, strict=True)]
    report = score_sessions(contestants, sessions, train_sessions, from_last or FROM_LAST[score], _Progress())
    _tell(report, contestants[0], train_sessions)
    if as_json:
        print_json({"vectors": list(files), "score": score} | report.to_json())
    else:
        _print_tables(report, score, as_markdown)


def _tell(report: "SessionReport", first: "Contestant", train_sessions: str | None) -> None:
    """What is missing beside the scores, and what spoils them."""
    if train_sessions is None:
        missing = ["co-occurrence"] if first.vectors.counts is not None else ["co-occurrence", "popularity"]
        note(f"nothing to compare with from {' and '.join(missing)}: give --train-sessions FILE, the lines trained on")
    elif report.in_training is not None and 2 * report.in_training > report.seen:
        warn(f"{report.in_training} of {report.seen} held-out lines stand whole in {train_sessions}: the baselines "
             "have seen the answers; give the training part that `w2v split` writes")  # fmt: skip


def _print_tables(report: "SessionReport", score: str, as_markdown: bool) -> None:
    from w2v.eval import tables
    from w2v.eval.items import scores as session_scores

    short = f"; {report.too_short} lines of one item are left out" if report.too_short else ""
    given = "item" if report.from_last == 1 else f"{report.from_last} items"
    answered, candidates = f"{report.seen} of {report.lines} lines can be answered", f"{report.items} candidates"
    if len(report.seen_by) > 1:
        answered += f" ({_listed(report.seen_by)})"
        candidates += f" ({_listed(report.items_of)})"
    rules = (
        f"{report.sessions}: {answered}, the others are misses; {report.repeats} end in an item they have already"
        f"{short}; {candidates}; score {score}, from the last {given} (baselines see the same last {given})"
    )
    shown = (list(session_scores.SHOWN), [list(each.cells()) for each in report.scores])
    if as_markdown:
        print_text([*tables.markdown(shown), "", f"- {rules}"])
        return
    note(rules)
    if is_terminal():
        print_rows(*shown)
    else:
        print_rows(session_scores.COLUMNS, [each.row() for each in report.scores], tsv_header=True)


class _Progress:
    """A line on stderr every few seconds: many lines take a minute."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def __call__(self, done: int, total: int) -> None:
        if time.monotonic() - self._last >= LINE_SECONDS:
            self._last = time.monotonic()
            note(f"ranking items: {done:,} of {total:,} lines")


def _listed(numbers: dict[str, int]) -> str:
    return ", ".join(f"{name}: {number}" for name, number in numbers.items())


def _contestant(path: Path, score: str, name: str) -> "Contestant":
    from w2v.eval.items.recommend import by_cosine, by_output
    from w2v.eval.items.report import Contestant
    from w2v.model import Model

    if score == "cosine":
        vectors = load_vectors(path)
        return Contestant(name, vectors, by_cosine(vectors))
    model = Model.load(path)
    for warning in model.vectors.warnings:
        warn(warning)
    return Contestant(name, model.vectors, by_output(model))
