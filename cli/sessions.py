"""The part of `w2v eval` that scores item vectors on held-out sessions: its options, and what it prints."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from w2v.cli.lookup import load_vectors
from w2v.cli.output import print_json, print_rows, warn
from w2v.errors import ConfigError

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
                 "times output vector (.safetensors).  [default: cosine]"),
    click.option("--from-last", type=click.IntRange(min=1), metavar="N",
                 help="With --sessions: predict from the mean of the last N items.  [default: cosine 1, output 2]"),
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
    paths: Sequence[Path],
    sessions: str,
    *,
    train_sessions: str | None,
    score: str | None,
    from_last: int | None,
    as_json: bool,
) -> None:
    """Score files of vectors on held-out lines and print the scores."""
    from w2v.eval.session_report import score_sessions
    from w2v.eval.session_scores import COLUMNS

    score = score or "cosine"
    contestants = [_contestant(path, score, score if len(paths) == 1 else str(path)) for path in paths]
    report = score_sessions(contestants, sessions, train_sessions, from_last or FROM_LAST[score])
    if as_json:
        print_json({"vectors": [str(path) for path in paths], "score": score} | report.to_json())
        return
    short = f"; {report.too_short} lines of one item are left out" if report.too_short else ""
    click.echo(
        f"{sessions}: {report.seen} of {report.lines} lines can be answered, the others are misses; {report.repeats} "
        f"end in an item they have already{short}; {report.items} candidates; score {score}, from the last "
        f"{report.from_last}", err=True)  # fmt: skip
    print_rows(COLUMNS, [each.row() for each in report.scores], tsv_header=True)


def _contestant(path: Path, score: str, name: str) -> Any:
    from w2v.eval.recommend import by_cosine, by_output
    from w2v.eval.session_report import Contestant
    from w2v.model import Model

    if score == "cosine":
        vectors = load_vectors(path)
        return Contestant(name, vectors, by_cosine(vectors))
    model = Model.load(path)
    for warning in model.vectors.warnings:
        warn(warning)
    return Contestant(name, model.vectors, by_output(model))
