"""The whole job: corpus in, model out."""

import contextlib
import os
import time
from collections.abc import Iterable, Iterator

import numpy as np

from w2v.config import TrainConfig
from w2v.corpus import Corpus
from w2v.errors import CorpusError
from w2v.events import Compiling, Counted, Event, Listener, Summary, compilation, ignore
from w2v.matrices import release_freed_memory
from w2v.model import Model
from w2v.reading import CorpusReader, Encoder
from w2v.stream import IdStream
from w2v.trainer import Trainer, block_tokens
from w2v.vocab import Vocabulary

Names = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


class Stopwatch:
    """Seconds spent in each stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextlib.contextmanager
    def stage(self, name: str) -> Iterator[None]:
        begun = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - begun


def train_model(
    corpus: Names,
    config: TrainConfig,
    *,
    vocabulary: Vocabulary | None = None,
    tmp_dir: str | None = None,
    listener: Listener = ignore,
) -> Model:
    """Read a corpus and train on it.

    Parameters
    ----------
    corpus : a name or several, see `w2v.corpus.Corpus`
    config : options
    vocabulary : words and counts to use in place of those of the corpus
    tmp_dir : folder for the temporary file of token ids, 4 bytes a token
    listener : called with the events of `w2v.events`

    Raises
    ------
    CorpusError
        When the corpus cannot be read or has nothing to train on.
    OutputError
        When there is no room for the temporary file.
    """
    sources = Corpus([corpus] if isinstance(corpus, str | os.PathLike) else list(corpus))
    listener = _compiling_once(listener)
    watch = Stopwatch()
    with IdStream(tmp_dir) as stream:
        with watch.stage("preparing"):
            encoder = Encoder(config)
            with compilation(listener):
                encoder.encode(b"")
        with watch.stage("counting"):
            vocabulary = encode_corpus(sources, encoder, vocabulary, stream, listener)
        del encoder  # all distinct words, most of which were pruned
        release_freed_memory()
        with watch.stage("preparing"):
            trainer = Trainer(stream, vocabulary, config, listener)
            trainer.compile()
        with watch.stage("training"):
            trainer.run()
    speed = trainer.n_tokens * config.epochs / watch.seconds["training"]
    summary = Summary(trainer.n_tokens, len(vocabulary), trainer.n_pairs, trainer.losses[-1], watch.seconds, speed,
                      None, None)  # fmt: skip
    matrices = [matrix[:, : config.dim] for matrix in trainer.matrices]
    learned = trainer.parameters
    return Model(vocabulary, matrices[0], matrices[1], config, summary, trainer.losses,
                 learned.output_bias() if config.bias else None,
                 learned.temperature if config.learn_temperature else config.temperature)  # fmt: skip


def encode_corpus(
    corpus: Corpus,
    encoder: Encoder,
    vocabulary: Vocabulary | None,
    stream: IdStream,
    listener: Listener,
) -> Vocabulary:
    """Read a corpus into `stream`, decide on the vocabulary, and leave final ids in the stream."""
    n_read = CorpusReader(corpus, encoder, stream, listener).run()
    config, counts = encoder.config, encoder.counts
    if vocabulary is None:
        vocabulary, final_ids = Vocabulary.from_counts(encoder.table, counts, config.min_count, config.max_vocab)
    else:
        final_ids = vocabulary.final_ids(encoder.table)
    n_tokens = int(counts[final_ids >= 0].sum())
    if not n_tokens:
        raise CorpusError("no word of --vocab occurs in the corpus: check --lowercase, --normalize and --tokenize")
    stream.recode(final_ids, block_tokens(n_tokens, config.threads))
    if stream.longest < 2:
        raise CorpusError("no line has two words of the vocabulary, so no word has a neighbour to learn from; "
                          "lower --min-count, or put what belongs together on one line")  # fmt: skip
    listener(Counted(n_read, int(np.count_nonzero(counts)), len(vocabulary), stream.n_tokens, stream.n_sentences,
                     stream.longest))  # fmt: skip
    return vocabulary


def _compiling_once(listener: Listener) -> Listener:
    """Compiling goes on in several places; once is enough to be told."""
    told = False

    def listen(event: Event) -> None:
        nonlocal told
        if not (told and isinstance(event, Compiling)):
            listener(event)
        told = told or isinstance(event, Compiling)

    return listen


def load_vocabulary(path: str | os.PathLike[str], config: TrainConfig) -> Vocabulary:
    """Words and counts from a file, pruned as the options say."""
    return Vocabulary.load(path, config.min_count, config.max_vocab)
