"""w2v: fast, exact word2vec.

import w2v
model = w2v.train("corpus.txt", dim=100)
model.save("vectors.bin")
w2v.Vectors.load("vectors.bin").nearest("king", 10)
"""

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from w2v.version import __version__

if TYPE_CHECKING:
    from w2v.config import TrainConfig
    from w2v.events import Event
    from w2v.model import Model
    from w2v.vectors import Vectors

__all__ = ["Model", "TrainConfig", "Vectors", "__version__", "train"]


def train(
    corpus: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    vocab: str | os.PathLike[str] | None = None,
    tmp_dir: str | None = None,
    like: str | None = None,
    on_event: "Callable[[Event], None] | None" = None,
    **options: Any,
) -> "Model":
    """Train word vectors on a corpus.

    Parameters
    ----------
    corpus : str, path or several
        Files, globs, folders, URLs or "-" for standard input; a line is a sentence.
    vocab : path, optional
        File of words and counts (word TAB count) to use in place of those of the corpus.
    tmp_dir : str, optional
        Folder for the temporary file of token ids, 4 bytes a token.
    like : str, optional
        Follow the rules of `gensim`, `word2vec` or `fasttext` (skip-gram) where no option says otherwise.
    on_event : callable, optional
        Called with the events of `w2v.events` while training goes on.
    **options
        Those of `w2v train`, with _ for -; `help(w2v.TrainConfig)` gives their defaults and meanings.
        Text: tokenize, lowercase, normalize, min_count, max_vocab, max_sentence
        Model: dim, window, window_side, fixed_window, architecture, cbow_normalize, direction
        Objective: loss, bias, saturate, similarity, temperature, learn_temperature, margin, scale, multi_positive,
        no_logq, allow_biased, batch, symmetric, frequency_estimate
        Noise: negative, noise, noise_power, unique (False: with replacement), accidental_hits, share_noise
        Training: epochs, sample, lr, min_lr, threads, seed

    Returns
    -------
    Model
        With `vectors`, `input_vectors` and `output_vectors` (float32, (n_words, dim)), `vocabulary`, `score`,
        `log_probability`, `save`.

    Raises
    ------
    ConfigError
        On an unknown option or a bad value.
    CorpusError
        When the corpus cannot be read or holds nothing to train on.
    OutputError
        When there is no room for the temporary file.
    """
    from w2v.config import TrainConfig
    from w2v.events import ignore
    from w2v.presets import options_like
    from w2v.training import load_vocabulary, train_model

    config = TrainConfig.from_dict(options_like(like, options))
    vocabulary = load_vocabulary(vocab, config) if vocab is not None else None
    return train_model(corpus, config, vocabulary=vocabulary, tmp_dir=tmp_dir, listener=on_event or ignore)


def __getattr__(name: str) -> Any:
    # Loaded when first used: the command line must not wait for NumPy to print its help.
    if name == "Model":
        from w2v.model import Model

        return Model
    if name == "TrainConfig":
        from w2v.config import TrainConfig

        return TrainConfig
    if name == "Vectors":
        from w2v.vectors import Vectors

        return Vectors
    raise AttributeError(f"module 'w2v' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
