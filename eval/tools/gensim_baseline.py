"""Train gensim's Word2Vec on a corpus file, and say how long each stage took.

``python -m w2v.eval.tools.gensim_baseline CORPUS --out vectors.bin`` prints one line of JSON.
"""

import json
import time
from pathlib import Path
from typing import Any

import click

from w2v.errors import BenchmarkError, needing
from w2v.eval.script import corpus_argument, run, summary, training_options
from w2v.eval.tools.runs import Options


def word2vec_class() -> Any:
    """gensim's `Word2Vec`.

    Raises
    ------
    MissingPackageError
        When gensim is not installed.
    """
    with needing("the comparison", "gensim"):
        from gensim.models import Word2Vec
    return Word2Vec


def train(corpus: Path, out: Path, *, epochs: int, **options: Any) -> dict[str, Any]:
    """Build the vocabulary, train, save in the binary word2vec format.

    Parameters
    ----------
    corpus : Path
        Plain text, a sentence a line, words separated by spaces: what gensim's ``corpus_file`` reads.
    out : Path
        The file of vectors.
    epochs : int
        Passes over the corpus.
    **options
        Further options of gensim's ``Word2Vec``.

    Returns
    -------
    dict
        Seconds of each stage, in-vocabulary tokens an epoch, words/s of the training phase (those tokens,
        before subsampling, times epochs), peak memory of this process in MiB.

    Raises
    ------
    BenchmarkError
        When gensim is absent, or the corpus leaves it no vocabulary.
    """
    model = word2vec_class()(epochs=epochs, **options)
    clock = [time.perf_counter()]
    model.build_vocab(corpus_file=str(corpus))
    clock.append(time.perf_counter())
    if not len(model.wv):
        raise BenchmarkError(f"{corpus}: no word occurs {model.min_count} times, lower --min-count")
    model.train(
        corpus_file=str(corpus),
        total_examples=model.corpus_count,
        total_words=model.corpus_total_words,
        epochs=epochs,
    )
    clock.append(time.perf_counter())
    model.wv.save_word2vec_format(str(out), binary=True)
    clock.append(time.perf_counter())
    tokens = sum(model.wv.get_vecattr(word, "count") for word in model.wv.index_to_key)
    return summary(clock, int(tokens), tokens * epochs) | {"vocabulary": len(model.wv), "output": str(out)}


@click.command()
@corpus_argument
@click.option("-o", "--out", type=click.Path(dir_okay=False, path_type=Path), default="vectors.bin", show_default=True,
              help="File to write.")  # fmt: skip
@training_options()
@click.option("--seed", default=1, show_default=True, help="Seed of all random numbers.")
def command(*, corpus: Path, out: Path, seed: int, **given: Any) -> None:
    """Train gensim's Word2Vec on CORPUS (plain text) and print seconds, words/s and peak memory as JSON.

    The options mean what they mean to `w2v train`.  An existing output file is replaced.
    """
    options = Options(**given)
    click.echo(json.dumps(train(corpus, out, epochs=options.epochs, seed=seed, **_keywords(options))))


def _keywords(options: Options) -> dict[str, Any]:
    """Options under gensim's names, without the number of epochs."""
    hs = options.loss == "hs"
    return {
        "vector_size": options.dim,
        "window": options.window,
        "hs": int(hs),
        "negative": 0 if hs else options.negative,
        "ns_exponent": options.noise_power,
        "sample": options.sample,
        "alpha": options.lr,
        "min_alpha": options.min_lr,
        "min_count": options.min_count,
        "sg": int(options.architecture == "skipgram"),
        "workers": options.threads,
    }


if __name__ == "__main__":
    run(command)
