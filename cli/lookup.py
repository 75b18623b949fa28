"""What the commands that look words up share: options, the file, queries from arguments or stdin."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import Any, TypeVar

import click

from w2v.cli.output import print_json, print_rows, warn
from w2v.errors import VectorsError, W2VError, one_line
from w2v.vectors import Vectors

Answers = list[tuple[str, float]]
Ask = Callable[[Vectors, list[str]], Answers]
_Command = TypeVar("_Command", bound=Callable[..., Any])

_OPTIONS = (
    click.option("-k", "--top", type=click.IntRange(min=1), default=10, show_default=True,
                 help="Number of words to show."),
    click.option("--vectors", "vectors_path", envvar="W2V_VECTORS", default="vectors.bin", metavar="PATH",
                 type=click.Path(path_type=Path),
                 help="File of vectors; without it $W2V_VECTORS, else ./vectors.bin."),
    click.option("--min-similarity", type=click.FloatRange(-1, 1), metavar="COSINE",
                 help="Show only words with at least this cosine, -1 to 1."),
    click.option("--json", "as_json", is_flag=True, help="Print one JSON object a query."),
)  # fmt: skip


def lookup_options(command: _Command) -> _Command:
    """Add the options of a look-up to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def load_vectors(path: Path, named_by: str = "as an argument") -> Vectors:
    """Read vectors, with what is odd about them on stderr; `named_by` is how the command at hand takes their name.

    Raises
    ------
    VectorsError
        When the file is not readable or not vectors; when it is missing, with all ways to name one.
    """
    if _is_missing(path):
        raise VectorsError(
            f"no vectors at {path}; train some with `w2v train CORPUS`, or name a file "
            f"({named_by}, or in the environment variable W2V_VECTORS)"
        )
    vectors = Vectors.load(path)
    for warning in vectors.warnings:
        warn(warning)
    return vectors


def _is_missing(path: Path) -> bool:
    try:
        return not path.exists()
    except OSError:  # too long a name, or a folder one may not enter: the reader says so
        return False


@dataclass
class Session:
    """Queries asked one after the other; `exit_code` is that of the worst."""

    ask: Callable[[list[str]], Answers]
    as_json: bool
    measure: str
    exit_code: int = 0

    def answer(self, query: list[str], *, show_query: bool) -> None:
        """Look one query up and print the answers."""
        answers = self.ask(query)
        if self.as_json:
            found = [{"word": word, self.measure: value} for word, value in answers]
            print_json({"query": query, "neighbours": found})
        elif show_query:
            text = " ".join(query)
            print_rows(("query", "word", self.measure), [(text, *answer) for answer in answers])
        else:
            print_rows(("word", self.measure), answers)

    def answer_all(self, lines: Iterator[str], *, show_query: bool) -> None:
        """Answer each line; a line without an answer is reported and the next one is read."""
        for line in lines:
            query = line.split()
            try:
                if query:
                    self.answer(query, show_query=show_query)
            except W2VError as error:
                click.echo(f"Error: {error}", err=True)
                self.exit_code = max(self.exit_code, error.exit_code)


def run(arguments: tuple[str, ...], vectors_path: Path, ask: Ask, as_json: bool, measure: str = "similarity") -> None:
    """Answer the arguments, or when there are none the lines of stdin or of a prompt; `measure` names the numbers."""
    session = Session(partial(ask, load_vectors(vectors_path, "with --vectors PATH")), as_json, measure)
    if arguments:
        session.answer([_repaired(word) for word in arguments], show_query=False)
    elif sys.stdin is None:
        raise VectorsError("no word given, and standard input is closed; name a word")
    elif sys.stdin.isatty():
        session.answer_all(_prompted_lines(), show_query=False)
    else:
        session.answer_all(_stdin_lines(), show_query=True)
        click.get_current_context().exit(session.exit_code)


def _repaired(word: str) -> str:
    # Python keeps bytes of an argument that are no UTF-8 as surrogates, which nothing could print.
    return word.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _stdin_lines() -> Iterator[str]:
    # The words of vectors are UTF-8 whatever the locale is.
    for number, line in enumerate(sys.stdin.buffer):
        yield line.decode("utf-8-sig" if number == 0 else "utf-8", "replace")


def _prompted_lines() -> Iterator[str]:
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(errors="surrogateescape")  # what is typed may be no UTF-8
    prompt = "> "
    if not sys.stdout.isatty():
        # The answers go elsewhere and the prompt must not go with them.
        prompt = ""
        click.echo("Words, one query a line; Ctrl-D ends.", err=True)
    while True:
        try:
            yield _repaired(input(prompt))
        except EOFError:
            click.echo(err=True)
            return


def shown(words: list[str]) -> str:
    """Words as they go into a message."""
    return one_line(" ".join(words))
