"""Model: what training makes."""

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from w2v.config import TrainConfig
from w2v.events import Summary
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
        The vectors one usually wants, and those of the words as predicted.
    config : TrainConfig
        The options it was trained with.
    summary : Summary
        Tokens, loss, time per stage.
    """

    vocabulary: Vocabulary
    input_vectors: NDArray[np.float32]
    output_vectors: NDArray[np.float32]
    config: TrainConfig
    summary: Summary
    losses: list[float] = field(default_factory=list)

    @property
    def metadata(self) -> dict[str, Any]:
        """What a file keeps beside the numbers."""
        return {
            "program": f"w2v {__version__}",
            "objective": self.config.loss,
            "config": self.config.to_dict(),
            "total_count": int(self.vocabulary.counts.sum()),
            "tokens_trained": self.summary.tokens * self.config.epochs,
            "losses": self.losses,
        }

    @cached_property
    def vectors(self) -> Vectors:
        """The input vectors with words, counts and, for the native format, the output vectors."""
        return Vectors(
            self.vocabulary.words,
            self.input_vectors,
            output_matrix=self.output_vectors,
            counts=self.vocabulary.counts,
            metadata=self.metadata,
        )

    @property
    def output(self) -> Vectors:
        """The output vectors as vectors of their own."""
        return Vectors(
            self.vocabulary.words, self.output_vectors, counts=self.vocabulary.counts, metadata=self.metadata
        )

    def save(self, path: str | Path, *, format: str | None = None, overwrite: bool = False) -> None:  # noqa: A002
        """Write the model; `.safetensors` keeps all of it, other formats the input vectors.

        Raises
        ------
        OutputError
            When the file exists (and not `overwrite`) or cannot be written.
        VectorsError
            When a vector is not finite.
        """
        self.vectors.save(path, format=format, overwrite=overwrite)
