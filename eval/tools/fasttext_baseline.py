"""Train fastText (the PyPI package) on a corpus file without subwords, and say how long each stage took.

``python -m w2v.eval.tools.fasttext_baseline CORPUS --out vectors.bin`` prints one line of JSON.
"""

import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from w2v.errors import BenchmarkError, needing
from w2v.eval.script import corpus_argument, run, summary, training_options
from w2v.eval.tools.runs import MEASURING, Options
from w2v.vectors import Vectors

LINE_END = "</s>"  # fastText counts each end of a line as a word of this name
COUNTED = b"Number of words:"  # what it prints on stderr between counting and training
NAMES = {"sgns": "ns", "hs": "hs", "skipgram": "skipgram", "cbow": "cbow"}


def train(corpus: Path, out: Path, options: Options, seed: int) -> dict[str, Any]:
    """Count and train, in one call as fastText has it, and save in the binary word2vec format.

    Returns
    -------
    dict
        As `w2v.eval.tools.gensim_baseline.train`.  Words/s are of the tokens that fastText really went through: an
        epoch is over when it has seen as many tokens of the vocabulary as the file has tokens of any kind.

    Raises
    ------
    BenchmarkError
        When fastText is absent, or refuses the corpus.
    """
    fasttext = _module()
    fasttext.FastText.unsupervised_default["seed"] = seed  # train_unsupervised has no such argument
    clock = [time.perf_counter()]
    try:
        with _time_of(COUNTED) as seen:
            model = fasttext.train_unsupervised(str(corpus), **_keywords(options))
    except (ValueError, RuntimeError) as error:
        hint = "; set MALLOC_PERTURB_=255, so that it starts from cleared memory" if "NaN" in str(error) else ""
        raise BenchmarkError(f"{corpus}: fastText says: {error}{hint}") from error
    clock += [*seen, time.perf_counter()]
    words, counts = model.get_words(include_freq=True, on_unicode_error="replace")
    kept = [row for row, word in enumerate(words) if word != LINE_END]
    Vectors([words[row] for row in kept], model.get_input_matrix()[kept]).save(out, overwrite=True)
    clock.append(time.perf_counter())
    tokens = int(counts[kept].sum())
    gone_through = options.epochs * _all_tokens(corpus) * tokens / int(counts.sum())
    measured = summary(clock, tokens, gone_through)
    measured["seconds"][MEASURING] = time.perf_counter() - clock[-1]
    return measured | {"vocabulary": len(kept), "output": str(out)}


def _module() -> Any:
    with needing("the comparison", "fastText", "fasttext"):
        import fasttext
        import fasttext.FastText
    return fasttext


def _keywords(options: Options) -> dict[str, Any]:
    """Options under fastText's names; without subwords it has nothing to put into buckets."""
    return {
        "model": NAMES[options.architecture],
        "loss": NAMES[options.loss],
        "dim": options.dim,
        "ws": options.window,
        "neg": options.negative,
        "epoch": options.epochs,
        "t": options.sample,
        "lr": options.lr,
        "minCount": options.min_count,
        "thread": options.threads,
        "minn": 0,
        "maxn": 0,
        "bucket": 0,
        "verbose": 1,
    }


@contextmanager
def _time_of(text: bytes) -> Iterator[list[float]]:
    """Catch what the block's C++ code writes to stderr; yields a list that gets the time at which `text` came."""
    reading, writing = os.pipe()
    saved = os.dup(2)
    os.dup2(writing, 2)
    os.close(writing)
    times: list[float] = []

    def watch() -> None:
        said = b""
        while piece := os.read(reading, 65536):
            if not times:
                said += piece
                times.extend([time.perf_counter()] if text in said else [])

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield times
    finally:
        os.dup2(saved, 2)  # closes the pipe's last writing end, which ends the watcher
        os.close(saved)
        watcher.join()
        os.close(reading)


def _all_tokens(corpus: Path) -> int:
    """Tokens of any kind, each line's end among them."""
    with corpus.open("rb") as file:
        return sum(len(line.replace(b"\0", b" ").split()) + line.endswith(b"\n") for line in file)


@click.command()
@corpus_argument
@click.option("-o", "--out", type=click.Path(dir_okay=False, path_type=Path), default="vectors.bin", show_default=True,
              help="File to write.")  # fmt: skip
@training_options("min_lr", "noise_power")
@click.option("--seed", default=1, show_default=True, help="Seed of all random numbers.")
def command(*, corpus: Path, out: Path, seed: int, **given: Any) -> None:
    """Train fastText on CORPUS (plain text), subwords off, and print seconds, words/s and peak memory as JSON.

    The options mean what they mean to `w2v train`.  An existing output file is replaced.
    """
    click.echo(json.dumps(train(corpus, out, Options(**given), seed)))


if __name__ == "__main__":
    run(command)
