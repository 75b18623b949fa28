"""Every training option: its default, its meaning, its validation, once for the library and the command line."""

import dataclasses
import math
import os
from dataclasses import dataclass, field
from typing import Any

from w2v.errors import ConfigError
from w2v.kernel.registry import LOSSES
from w2v.objective import (
    ARCHITECTURES,
    DEFAULT_BATCH,
    DIRECTIONS,
    ESTIMATES,
    HITS,
    MAX_SHARE_NOISE,
    NOISES,
    SIMILARITIES,
    TEMPERATURE_HELP,
    chosen,
    contradiction,
    defaults_of,
)

TOKENIZERS = ("whitespace", "words")
NORMALIZATIONS = ("none", "nfc", "nfkc")
WINDOW_SIDES = ("both", "left", "right")
MAX_DIM = 65536
LARGEST = 2**31  # ids and lengths are 32-bit integers in the stream


def _option(default: Any, help_text: str, **metadata: Any) -> Any:
    """A field; `kind` is the type of its values where the default does not tell."""
    kind = metadata.pop("kind", type(default))
    return field(default=default, metadata={"help": help_text, "kind": kind, **metadata})


def available_cores() -> int:
    """Cores this process may use."""
    if hasattr(os, "sched_getaffinity"):  # not on macOS and Windows
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass(frozen=True)
class TrainConfig:
    """Options of one training run; the names are those of the command line.

    Raises
    ------
    ConfigError
        On construction, when a value or a combination of values makes no sense.
    """

    tokenize: str = _option(
        "whitespace",
        "How text is cut into words: at Unicode white space, or into runs of letters, marks and digits with inner "
        "apostrophes and hyphens (for raw text with punctuation).",
        choices=TOKENIZERS,
    )
    lowercase: bool = _option(False, "Lower-case every word.")
    normalize: str = _option("none", "Unicode normalisation of every word.", choices=NORMALIZATIONS)
    min_count: int = _option(5, "Drop words that occur fewer times.")
    max_vocab: int | None = _option(None, "Keep only this many words, the most frequent ones.", kind=int)
    max_sentence: int = _option(10_000, "Cut lines into sentences of at most this many tokens.")
    loss: str = _option(
        "sgns",
        f"Objective.  {'; '.join(f'{name}: {entry.summary}' for name, entry in LOSSES.items())}.",
        choices=tuple(LOSSES),
    )
    architecture: str = _option(
        "skipgram",
        "skipgram: each context word by itself predicts the word in the middle.  cbow: the mean of the context words "
        "does, and each of them learns the whole step.",
        choices=ARCHITECTURES,
    )
    cbow_normalize: bool = _option(
        False, "With cbow: the step is divided by the number of context words, which is the exact gradient."
    )
    direction: str = _option(
        "centre-from-context",
        "Which word of a pair has the input vector: the context word, whose window is that of the word predicted (as "
        "word2vec.c), or the centre (as fastText).",
        choices=DIRECTIONS,
    )
    multi_positive: bool = _option(
        False,
        "With sampled-softmax and infonce and --direction context-from-centre: all context words of a centre are "
        "positives at once, each with an equal share of the label.",
    )  # fmt: skip
    dim: int = _option(100, "Dimensions of a vector.")
    window: int | str = _option(
        5,
        "Largest distance between a word and its context; `line` takes every word of the line (baskets, sessions).",
    )
    window_side: str = _option("both", "Side of the word its context is taken from.", choices=WINDOW_SIDES)
    fixed_window: bool = _option(False, "Always use the whole window, not a random radius from 1 to --window.")
    negative: int | None = _option(
        None, f"Noise words drawn for each word.  Default: {defaults_of('negative')}.", kind=int
    )
    share_noise: int = _option(
        0,
        "Neighbouring centre words that share their noise words, 1 to 4: speed for variety.  0 takes as many as leave "
        "each centre 2.5 noise words of its own: 2 for --negative 5, 4 from --negative 10 on; 1 for --window line.",
    )
    noise: str = _option(
        "unigram",
        "Noise words are drawn in proportion to count to the power of --noise-power; all alike; or by rank, with "
        "probability log((rank + 2) / (rank + 1)) / log(words + 1), ranks from 0 in the order of counts.",
        choices=NOISES,
    )
    noise_power: float | None = _option(
        None, "Power of the counts for --noise unigram: 1 the words' shares, 0 all alike.  Default: 0.75.", kind=float
    )
    unique: bool = _option(
        False, "No word twice among the noise words of a window; the default is to draw with replacement.",
        off="--with-replacement",
    )  # fmt: skip
    accidental_hits: str | None = _option(
        None,
        "Noise that equals the word predicted: left out, or kept, as the optimum of most objectives asks for.  "
        f"Default: {defaults_of('hits')}.  With nce, remove makes another objective, whose scores are no log probabilities.",
        choices=HITS, kind=str,
    )  # fmt: skip
    bias: bool = _option(False, "Learn a bias for each output word (or node of the tree).")
    similarity: str | None = _option(
        None, "Score of two vectors, for infonce and in-batch.  Default: dot; margin always takes cosine.",
        choices=SIMILARITIES, kind=str,
    )  # fmt: skip
    temperature: float | None = _option(
        None, f"Scores are divided by this, for infonce and in-batch.  Default: {TEMPERATURE_HELP}.", kind=float
    )
    learn_temperature: bool = _option(False, "Learn the temperature; --temperature is where it begins.")
    margin: float | None = _option(
        None,
        f"With --loss margin: by how much cosine the word is to win.  Default: {defaults_of('margin')}.",
        kind=float,
    )
    scale: float | None = _option(
        None, f"With --loss margin: factor of the cosines.  Default: {defaults_of('scale')}.", kind=float
    )
    no_logq: bool = _option(
        False, "With sampled-softmax and in-batch: scores are not corrected by log expected counts, so that softmax of "
        "the scores becomes P / q in place of P."
    )  # fmt: skip
    allow_biased: bool = _option(
        False,
        "With sampled-softmax: allow --accidental-hits remove with replacement, or keep with --unique, for which the "
        "correction is not exact.",
    )  # fmt: skip
    batch: int | None = _option(None, f"With in-batch: pairs in a batch.  Default: {DEFAULT_BATCH}.", kind=int)
    symmetric: bool = _option(
        False, "With in-batch: the mean of this loss and the one that predicts the input from the output (CLIP)."
    )
    frequency_estimate: str | None = _option(
        None,
        "With in-batch: where the share of a word for the correction comes from, its count or the gaps between its "
        "appearances in the stream (for text that changes on the way).  Default: counts.",
        choices=ESTIMATES, kind=str,
    )  # fmt: skip
    epochs: int = _option(5, "Passes over the corpus.")
    sample: float = _option(1e-3, "Threshold of the subsampling of frequent words; 0 keeps every word.")
    lr: float = _option(0.025, "Learning rate at the start.")
    min_lr: float = _option(0.0001, "Learning rate at the end; it falls linearly with the tokens seen.")
    threads: int = _option(0, "Worker threads; 0 takes every core.  With 1 thread a run repeats to the byte.")
    seed: int = _option(1, "Seed of all random numbers.")

    def __post_init__(self) -> None:
        if not self.threads:
            object.__setattr__(self, "threads", available_cores())
        self._check_types()
        self._check_choices()
        reason = contradiction(self)
        if reason:
            raise ConfigError(reason)
        for name, value in chosen(self).items():
            object.__setattr__(self, name, value)
        self._check_ranges()

    def _check_ranges(self) -> None:
        for name in ("dim", "epochs", "min_count", "max_sentence", "threads"):
            self._require(name, getattr(self, name) >= 1, "must be at least 1")
        self._require("dim", self.dim <= MAX_DIM, f"must be at most {MAX_DIM}")
        self._require("threads", self.threads <= 1024, "must be at most 1024")
        self._require("max_vocab", self.max_vocab is None or self.max_vocab >= 2, "must be at least 2")
        for name in ("window", "max_vocab", "max_sentence", "min_count", "epochs"):
            value = getattr(self, name)
            self._require(name, not isinstance(value, int) or value < LARGEST, f"must be less than {LARGEST}")
        self._require("window", self.window == "line" or (type(self.window) is int and self.window >= 1),
                      "must be a whole number of at least 1, or `line`")  # fmt: skip
        self._require("seed", 0 <= self.seed < 2**63, "must be between 0 and 2^63 - 1")
        self._require("sample", self.sample >= 0, "must not be negative")
        self._require("lr", 0 < self.lr <= 100, "must be greater than 0 and at most 100")
        self._require("min_lr", 0 <= self.min_lr <= self.lr, f"must be between 0 and --lr ({self.lr:g})")
        least = 0 if self.loss == "in-batch" else 1
        for name, low, high in (
            ("negative", least, 256), ("share_noise", 1, MAX_SHARE_NOISE), ("noise_power", -100, 100),
            ("temperature", 0.001, 1000), ("margin", 0, 2), ("scale", 0.01, 1000), ("batch", 2, 1024),
        ):  # fmt: skip
            value = getattr(self, name)
            self._require(name, not value or low <= value <= high, f"must be between {low} and {high}")

    def _check_choices(self) -> None:
        for f in dataclasses.fields(self):
            choices, value = f.metadata.get("choices"), getattr(self, f.name)
            if choices and (value is not None or f.default is not None):
                self._require(f.name, value in choices, f"must be one of {', '.join(choices)}")

    def _check_types(self) -> None:
        for f in dataclasses.fields(self):
            value, kind = getattr(self, f.name), f.metadata["kind"]
            if (value is None and f.default is None) or f.name == "window":
                continue
            if kind is float:
                self._require(f.name, type(value) in (int, float) and math.isfinite(value), "must be a finite number")
            elif kind is int:
                self._require(f.name, type(value) is int, "must be a whole number")
            elif kind is bool:
                self._require(f.name, type(value) is bool, "must be true or false")

    def _require(self, name: str, good: bool, rule: str) -> None:
        if not good:
            raise ConfigError(f"--{name.replace('_', '-')} {getattr(self, name)}: {rule}")

    @property
    def window_radius(self) -> int:
        """Largest distance of a context word, in tokens; a sentence's length for `line`."""
        return self.max_sentence if isinstance(self.window, str) else min(self.window, self.max_sentence)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as they go into model files."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "TrainConfig":
        """Inverse of `to_dict`; unknown names are an error that lists them.

        Raises
        ------
        ConfigError
            On an unknown name or a bad value.
        """
        unknown = sorted(set(values) - {f.name for f in dataclasses.fields(cls)})
        if unknown:
            raise ConfigError(f"unknown option {', '.join(unknown)}; known: {', '.join(cls.names())}")
        return cls(**values)

    @classmethod
    def names(cls) -> list[str]:
        """Names of all options, in the order of the help text."""
        return [f.name for f in dataclasses.fields(cls)]
