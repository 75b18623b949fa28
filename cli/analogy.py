"""`w2v analogy`: A is to B as C is to ?"""

from pathlib import Path

import click

from w2v.cli.lookup import Answers, lookup_options, run, shown
from w2v.errors import ConfigError
from w2v.vectors import Vectors


@click.command()
@click.argument("words", nargs=-1, metavar="[A B C]")
@lookup_options
def command(
    *, words: tuple[str, ...], top: int, vectors_path: Path, min_similarity: float | None, as_json: bool
) -> None:
    """Solve A is to B as C is to ?: the words nearest to B - A + C (unit vectors, 3CosAdd).

    \b
      w2v analogy man king woman          man is to king as woman is to ... queen
      w2v analogy paris france rome -k 3
      w2v analogy < questions.txt         three words a line; every answer begins with its question
      w2v analogy                         on a terminal: a prompt, ended by Ctrl-D

    A, B and C are not among the answers.  Queries are treated as the training text was (--lowercase,
    --normalize) when the file says so.  A terminal gets a table, a pipe gets lines of word TAB cosine.

    A word that is not in the vocabulary is an error that names the closest spellings, exit code 1.
    """

    def ask(vectors: Vectors, query: list[str]) -> Answers:
        _check(query)
        first, second, third = query
        return vectors.analogy(first, second, third, top, min_similarity)

    if words:
        _check(list(words))
    run(words, vectors_path, ask, as_json)


def _check(query: list[str]) -> None:
    if len(query) != 3:
        raise ConfigError(f"an analogy takes three words, not {len(query)} ({shown(query)}): A B C")
