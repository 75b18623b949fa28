"""Small made corpora for tests of training."""

from typing import Any

import numpy as np

from w2v.config import TrainConfig
from w2v.events import Listener, ignore
from w2v.stream import IdStream
from w2v.trainer import Trainer, block_tokens
from w2v.vocab import Vocabulary


def made_stream(sentences: list[Any], n_words: int, block: int) -> IdStream:
    """The stream of sentences of ids 0..n_words-1."""
    stream = IdStream()
    ids = [np.append(sentence, -1) for sentence in sentences]
    stream.append(np.concatenate(ids).astype(np.int32))
    stream.recode(np.arange(n_words, dtype=np.int32), block)
    return stream


def made_trainer(sentences: list[Any], listener: Listener = ignore, **options: Any) -> Trainer:
    """A trainer on sentences of ids."""
    config = TrainConfig(**options)
    flat = np.concatenate(sentences)
    n_words = int(flat.max()) + 1
    counts = np.maximum(1, np.bincount(flat, minlength=n_words))
    stream = made_stream(sentences, n_words, block_tokens(len(flat), config.threads))
    return Trainer(stream, Vocabulary([f"w{i}" for i in range(n_words)], counts), config, listener)


def natural_sentences(n_sentences: int, n_words: int, seed: int = 1, longest: int = 30) -> list[Any]:
    """Sentences of Zipf-distributed words, each mostly about one of ten topics."""
    random = np.random.default_rng(seed)
    zipf = 1 / np.arange(1, n_words + 1)
    topics = [zipf * np.where(np.arange(n_words) % 10 == topic, 20, 1) for topic in range(10)]
    sentences = []
    for _ in range(n_sentences):
        share = topics[random.integers(10)]
        sentences.append(random.choice(n_words, random.integers(1, longest), p=share / share.sum()))
    return sentences
