"""`w2v nn`: nearest neighbours of words."""

from pathlib import Path

import click

from w2v.cli.lookup import Answers, lookup_options, run
from w2v.vectors import Vectors


@click.command()
@click.argument("words", nargs=-1, metavar="[WORD]...")
@lookup_options
def command(
    *, words: tuple[str, ...], top: int, vectors_path: Path, min_similarity: float | None, as_json: bool
) -> None:
    """Show the words nearest to WORD, by the cosine of their vectors; several words stand for their mean.

    \b
      w2v nn king                         the ten words nearest to king
      w2v nn king queen -k 5              the five nearest to the mean of both
      w2v nn king --vectors other.bin     in another file
      w2v nn < words.txt                  one query a line; every answer begins with its query
      w2v nn                              on a terminal: a prompt, ended by Ctrl-D
      w2v nn -- -ing                      a word that begins with a hyphen

    The words asked for are not among the answers.  Queries are treated as the training text was (--lowercase,
    --normalize) when the file says so.  A terminal gets a table, a pipe gets lines of word TAB cosine.

    A word that is not in the vocabulary is an error that names the closest spellings, exit code 1; of several
    lines the others are answered first.
    """

    def ask(vectors: Vectors, query: list[str]) -> Answers:
        return vectors.nearest(query, top, min_similarity)

    run(words, vectors_path, ask, as_json)
