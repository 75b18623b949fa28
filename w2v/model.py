"""Model: what training makes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from w2v.config import TrainConfig
from w2v.cosine import best_rows
from w2v.errors import ConfigError, VectorsError, shown
from w2v.events import Summary
from w2v.formats.words import not_finite
from w2v.kernel.registry import LOSSES
from w2v.metadata import faults, faults_of_model
from w2v.scores import Scorer
from w2v.vectors import Vectors
from w2v.version import __version__
from w2v.vocab import Vocabulary


@dataclass(frozen=True)
class Model:
    """A trained model.

    Attributes
    ----------
    vocabulary : Vocabulary
        Words and counts.
    input_vectors, output_vectors : float32 arrays (n_words, dim)
        The vectors one usually wants, and those of the words as predicted (with hs: of the inner nodes of the tree).
    config : TrainConfig
        The options it was trained with.
    summary : Summary or None
        Tokens, loss, time per stage; None for a model read from a file.
    losses : list of float
        The mean loss of each epoch; NaN for one without pairs, which files keep as null.
    output_bias : float32 array (n_words,) or None
        Learned with `bias`: of each output word, or node of the tree.
    temperature : float or None
        What scores are divided by, as it was after training; None where the objective has none.
    kept : dict or None
        The metadata of the file it was read from.
    """

    vocabulary: Vocabulary
    input_vectors: NDArray[np.float32]
    output_vectors: NDArray[np.float32]
    config: TrainConfig
    summary: Summary | None
    losses: list[float] = field(default_factory=list)
    output_bias: NDArray[np.float32] | None = None
    temperature: float | None = None
    kept: dict[str, Any] | None = None

    @classmethod
    def load(cls, path: str | Path) -> "Model":
        """Read a native model (`.safetensors`), as `save` wrote it.

        Raises
        ------
        VectorsError
            When the file cannot be read or lacks what a model needs (output vectors, counts, options), or when
            something in it is not finite, makes no sense or contradicts the rest.
        """
        return cls.from_vectors(Vectors.load(path), path)

    @classmethod
    def from_vectors(cls, vectors: Vectors, path: str | Path) -> "Model":
        """The model that was read from `path` as vectors; errors are those of `load`."""
        metadata, counts = vectors.metadata, vectors.counts
        if vectors.output_matrix is None or counts is None or not metadata.get("config"):
            raise VectorsError(
                f"{path}: not a whole model (output vectors, counts, options); train to a file that ends in "
                ".safetensors, or read it with Vectors.load"
            )
        fault = next(faults_of_model(metadata, vectors.matrix.shape, vectors.output_bias is not None), None)
        if fault is None and counts.min() < 1:
            fault = f"the count of {shown(vectors.words[counts.argmin()])} is {counts.min()}, not at least 1"
        fault = fault or not_finite(vectors)
        if fault:
            raise VectorsError(f"{path}: {fault}; no model to ask for scores, but Vectors.load reads its vectors")
        config = TrainConfig.from_dict(metadata["config"])
        losses = [math.nan if loss is None else float(loss) for loss in metadata.get("losses", [])]
        return cls(Vocabulary(vectors.words, counts), vectors.matrix, vectors.output_matrix, config, None, losses,
                   vectors.output_bias, metadata.get("temperature"), metadata)  # fmt: skip

    def __repr__(self) -> str:
        losses = f", loss {self.losses[-1]:.4f} after {self.config.epochs} epochs" if self.losses else ""
        return f"Model({len(self.vocabulary)} words, {self.config.dim} dimensions, {self.config.loss}{losses})"

    @property
    def metadata(self) -> dict[str, Any]:
        """What a file keeps beside the numbers."""
        if self.summary is None:
            return self.kept or {}
        temperature = {} if self.temperature is None else {"temperature": self.temperature}
        return {
            "program": f"w2v {__version__}",
            "objective": self.config.loss,
            "config": self.config.to_dict(),
            "total_count": int(self.vocabulary.counts.sum()),
            "tokens_trained": self.summary.tokens * self.config.epochs,
            "losses": [None if math.isnan(loss) else loss for loss in self.losses],
            **temperature,
        }

    @cached_property
    def vectors(self) -> Vectors:
        """The input vectors with words, counts and, for the native format, the output vectors and biases."""
        vectors = Vectors(
            self.vocabulary.words,
            self.input_vectors,
            output_matrix=self.output_vectors,
            counts=self.vocabulary.counts,
            metadata=self.metadata,
        )
        vectors.output_bias = self.output_bias
        return vectors

    @property
    def output(self) -> Vectors:
        """The output vectors as vectors of their own.

        Raises
        ------
        ConfigError
            With hs, whose outputs are not words.
        """
        require_output_words(self.config)
        return Vectors(
            self.vocabulary.words, self.output_vectors, counts=self.vocabulary.counts, metadata=self.metadata
        )

    def score(self, input_word: str, output_word: str) -> float:
        """What the objective calls s: product or cosine, plus the bias of the output word, over the temperature.

        It is the score before corrections for noise (logQ) and margins.  With hs, which scores nodes and not words,
        it is log P.  With cbow the input word is a context of one word.

        Raises
        ------
        UnknownWordError
            When one is not in the vocabulary.
        """
        output = self.vectors.index(output_word)
        return float(self._scorer.scores(self.vectors.index(input_word), output, output + 1)[0])

    def scores(self, input_word: str) -> NDArray[np.float64]:
        """`score` of a word with all output words, in the order of the vocabulary, float64 (n_words,)."""
        return self._scorer.scores(self.vectors.index(input_word))

    def log_probability(self, input_word: str, output_word: str) -> float:
        """log P(output word | input word) as the model has it, normalised over the vocabulary; see `w2v.scores`.

        Raises
        ------
        UnknownWordError
            When one is not in the vocabulary.
        ConfigError
            When the objective defines no probabilities (bpr, margin).
        """
        output = self.vectors.index(output_word)
        return float(self.log_probabilities(input_word)[output])

    def log_probabilities(self, input_word: str) -> NDArray[np.float64]:
        """`log_probability` of all output words, in the order of the vocabulary, float64 (n_words,)."""
        return self._scorer.log_probabilities(self.vectors.index(input_word))

    def predict(self, input_words: str | Sequence[str], k: int = 10) -> list[tuple[str, float]]:
        """Find the output words of highest probability, the input words themselves among them.

        Several input words, as the last items of a session, stand for the mean of their vectors, as the words of a
        context do with cbow.  Errors as `log_probability`.

        Returns
        -------
        list of (str, float)
            At most `k` words and P(word | input words), best first.
        """
        if k < 1:
            raise ConfigError(f"{k} answers asked for: must be at least 1")
        words = [input_words] if isinstance(input_words, str) else input_words
        if not words:
            raise ConfigError("no word to predict from")
        rows = [self.vectors.index(self.vectors.normalize_word(word)) for word in words]
        logs = self._scorer.log_probabilities(rows)
        return [(self.vocabulary.words[row], math.exp(logs[row])) for row in best_rows(logs, k)]

    @cached_property
    def _scorer(self) -> Scorer:
        return Scorer(self.config, self.vocabulary.counts, self.input_vectors, self.output_vectors, self.output_bias,
                      self.temperature)  # fmt: skip

    def save(self, path: str | Path, *, format: str | None = None, overwrite: bool = False) -> None:  # noqa: A002
        """Write the model; `.safetensors` keeps all of it, other formats the input vectors.

        Raises
        ------
        OutputError
            When the file exists (and not `overwrite`) or cannot be written.
        VectorsError
            When a vector, a bias or the temperature is not finite.
        """
        fault = next(faults(self.metadata, self.input_vectors.shape, self.output_bias is not None), None)
        if fault:
            raise VectorsError(f"{path}: not written, {fault}")
        self.vectors.save(path, format=format, overwrite=overwrite)


def require_output_words(config: TrainConfig) -> None:
    """Raise ConfigError when output vectors are not those of words."""
    if LOSSES[config.loss].layout == "paths":
        raise ConfigError(
            f"--loss {config.loss}: there are no output vectors of words to save, only of the inner nodes of the tree"
        )
