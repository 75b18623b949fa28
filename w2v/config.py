"""Every training option: its default, its meaning, its validation, once for the library and the command line."""

import dataclasses
import math
import os
from dataclasses import dataclass, field
from typing import Any

from w2v.errors import ConfigError
from w2v.kernel.registry import LOSSES

TOKENIZERS = ("whitespace", "words")
NORMALIZATIONS = ("none", "nfc", "nfkc")
WINDOW_SIDES = ("both", "left", "right")
MAX_DIM = 65536
LARGEST = 2**31  # ids and lengths are 32-bit integers in the stream
MAX_SHARE_NOISE = 4


def _option(default: Any, help_text: str, **metadata: Any) -> Any:
    return field(default=default, metadata={"help": help_text, **metadata})


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
    max_vocab: int | None = _option(None, "Keep only this many words, the most frequent ones.")
    max_sentence: int = _option(10_000, "Cut lines into sentences of at most this many tokens.")
    loss: str = _option("sgns", "Objective; sgns is skip-gram with negative sampling.", choices=tuple(LOSSES))
    dim: int = _option(100, "Dimensions of a vector.")
    window: int | str = _option(
        5,
        "Largest distance between a word and its context; `line` takes every word of the line (baskets, sessions).",
    )
    window_side: str = _option("both", "Side of the word its context is taken from.", choices=WINDOW_SIDES)
    fixed_window: bool = _option(False, "Always use the whole window, not a random radius from 1 to --window.")
    negative: int = _option(5, "Noise words drawn for each word.")
    share_noise: int = _option(
        0,
        "Neighbouring centre words that share their noise words, 1 to 4: speed for variety.  0 takes as many as leave "
        "each centre 2.5 noise words of its own: 2 for --negative 5, 4 from --negative 10 on; 1 for --window line.",
    )
    noise_power: float = _option(0.75, "Noise words are drawn in proportion to count to this power.")
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
        for name in ("dim", "epochs", "negative", "min_count", "max_sentence", "threads"):
            self._require(name, getattr(self, name) >= 1, "must be at least 1")
        self._require("dim", self.dim <= MAX_DIM, f"must be at most {MAX_DIM}")
        self._require("negative", self.negative <= 256, "must be at most 256")
        self._require("threads", self.threads <= 1024, "must be at most 1024")
        self._require("max_vocab", self.max_vocab is None or self.max_vocab >= 2, "must be at least 2")
        for name in ("window", "max_vocab", "max_sentence", "min_count", "epochs"):
            value = getattr(self, name)
            self._require(name, not isinstance(value, int) or value < LARGEST, f"must be less than {LARGEST}")
        self._require("share_noise", 0 <= self.share_noise <= MAX_SHARE_NOISE, "must be 0, 1, 2, 3 or 4")
        self._require("window", self.window == "line" or (type(self.window) is int and self.window >= 1),
                      "must be a whole number of at least 1, or `line`")  # fmt: skip
        self._require("seed", 0 <= self.seed < 2**63, "must be between 0 and 2^63 - 1")
        self._require("noise_power", abs(self.noise_power) <= 100, "must be between -100 and 100")
        self._require("sample", self.sample >= 0, "must not be negative")
        self._require("lr", 0 < self.lr <= 100, "must be greater than 0 and at most 100")
        self._require("min_lr", 0 <= self.min_lr <= self.lr, f"must be between 0 and --lr ({self.lr:g})")
        for f in dataclasses.fields(self):
            choices = f.metadata.get("choices")
            if choices:
                self._require(f.name, getattr(self, f.name) in choices, f"must be one of {', '.join(choices)}")
        if not self.share_noise:
            most = 1 if self.window == "line" else MAX_SHARE_NOISE
            object.__setattr__(self, "share_noise", min(most, max(1, self.negative * 2 // 5)))

    def _check_types(self) -> None:
        for f in dataclasses.fields(self):
            value, kind = getattr(self, f.name), type(f.default)
            if f.default is None:
                self._require(f.name, value is None or type(value) is int, "must be a whole number")
            elif kind is float:
                self._require(f.name, type(value) in (int, float) and math.isfinite(value), "must be a finite number")
            elif kind is int and f.name != "window":
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
