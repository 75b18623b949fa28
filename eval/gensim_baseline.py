"""Train gensim's Word2Vec on a corpus file, and say how long each stage took.

``python -m w2v.eval.gensim_baseline CORPUS --out vectors.bin`` prints one line of JSON.
"""

import json
import time
from pathlib import Path
from typing import Any

import click

from w2v.errors import BenchmarkError
from w2v.eval.script import corpus_argument, run
from w2v.objective import ARCHITECTURES
from w2v.usage import peak_memory_mib

LOSSES = ("sgns", "hs")  # those that both tools have


def word2vec_class() -> Any:
    """gensim's `Word2Vec`.

    Raises
    ------
    BenchmarkError
        When gensim is not installed.
    """
    try:
        from gensim.models import Word2Vec
    except ImportError as error:
        raise BenchmarkError("gensim is not installed: pip install 'w2v[eval]'") from error
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
    return _summary(tokens, epochs, clock) | {"vocabulary": len(model.wv), "output": str(out)}


def _summary(tokens: int, epochs: int, clock: list[float]) -> dict[str, Any]:
    stages = ("counting", "training", "saving")
    seconds = {stage: end - start for stage, start, end in zip(stages, clock, clock[1:], strict=False)}
    return {
        "tokens": int(tokens),
        "seconds": seconds | {"total": clock[-1] - clock[0]},
        "words_per_second": tokens * epochs / seconds["training"],
        "peak_memory_mib": peak_memory_mib(),
    }


@click.command()
@corpus_argument
@click.option("-o", "--out", type=click.Path(dir_okay=False, path_type=Path), default="vectors.bin", show_default=True)
@click.option("--dim", default=100, show_default=True)
@click.option("--window", default=5, show_default=True)
@click.option("--negative", default=5, show_default=True)
@click.option("--epochs", default=5, show_default=True)
@click.option("--sample", default=1e-3, show_default=True)
@click.option("--lr", default=0.025, show_default=True)
@click.option("--loss", type=click.Choice(LOSSES), default="sgns", show_default=True)
@click.option("--architecture", type=click.Choice(ARCHITECTURES), default="skipgram", show_default=True)
@click.option("--min-count", default=5, show_default=True)
@click.option("--threads", default=2, show_default=True)
@click.option("--seed", default=1, show_default=True)
def command(
    *, corpus: Path, out: Path, dim: int, lr: float, threads: int, loss: str, architecture: str, **options: Any
) -> None:
    """Train gensim's Word2Vec on CORPUS (plain text) and print seconds, words/s and peak memory as JSON.

    The options mean what they mean to `w2v train`.  An existing output file is replaced.
    """
    if loss == "hs":
        options |= {"hs": 1, "negative": 0}
    options |= {"sg": int(architecture == "skipgram"), "vector_size": dim, "alpha": lr, "workers": threads}
    click.echo(json.dumps(train(corpus, out, **options)))


if __name__ == "__main__":
    run(command)
