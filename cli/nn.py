"""`w2v nn`: nearest neighbours of words."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import click

from w2v.cli.lookup import Answers, lookup_options, run
from w2v.errors import ConfigError
from w2v.vectors import Vectors

if TYPE_CHECKING:
    from w2v.model import Model


@click.command()
@click.argument("words", nargs=-1, metavar="[WORD]...")
@lookup_options
@click.option("--predict", is_flag=True,
              help="Show the words a model predicts beside WORD, with their probabilities.")  # fmt: skip
def command(
    *, words: tuple[str, ...], top: int, vectors_path: Path, min_similarity: float | None, as_json: bool, predict: bool
) -> None:
    """Show the words nearest to WORD, by the cosine of their vectors; several words stand for their mean.

    \b
      w2v nn king                         the ten words nearest to king
      w2v nn king queen -k 5              the five nearest to the mean of both
      w2v nn king --vectors other.bin     in another file
      w2v nn < words.txt                  one query a line; every answer begins with its query
      w2v nn                              on a terminal: a prompt, ended by Ctrl-D
      w2v nn -- -ing                      a word that begins with a hyphen
      w2v nn king --predict --vectors model.safetensors
      w2v nn item7 item3 --predict --vectors items.safetensors

    The words asked for are not among the answers.  Queries are treated as the training text was (--lowercase,
    --normalize) when the file says so.  A terminal gets a table, a pipe gets lines of word TAB cosine.

    --predict ranks by P(word | WORD), as the objective of the training defines it (bpr and margin do not), and needs
    a native model (.safetensors), which has the output vectors; several words, as the last items of a session, stand
    for their mean, and the words asked for may be among the answers.

    A word that is not in the vocabulary is an error that names the closest spellings, exit code 1; of several
    lines the others are answered first.
    """

    if predict and min_similarity is not None:
        raise ConfigError("--min-similarity: --predict shows probabilities, not similarities; drop one of the two")

    @cache
    def model(vectors: Vectors) -> "Model":
        from w2v.model import Model  # loads the compiler, which neighbours do not need

        return Model.from_vectors(vectors, vectors_path)

    def ask(vectors: Vectors, query: list[str]) -> Answers:
        if not predict:
            return vectors.nearest(query, top, min_similarity)
        return model(vectors).predict(query, top)

    run(words, vectors_path, ask, as_json, "probability" if predict else "similarity")
