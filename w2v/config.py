"""Every training option: its default, its meaning, its validation, once for the library and the command line."""

import dataclasses
import inspect
from dataclasses import dataclass
from typing import Any

from w2v.errors import ConfigError
from w2v.kernel.registry import LOSSES
from w2v.objective import (
    ARCHITECTURES,
    DEFAULT_BATCH,
    DEFAULT_NOISE_POWER,
    DEFAULT_SAMPLE,
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
from w2v.options import broken_rule, heading, parameters
from w2v.usage import available_cores

TOKENIZERS = ("whitespace", "words")
NORMALIZATIONS = ("none", "nfc", "nfkc")
WINDOW_SIDES = ("both", "left", "right")
MAX_DIM = 65536
LARGEST = 2**31 - 1  # ids and lengths are 32-bit integers in the stream
_text, _model, _objective, _noise, _training = map(heading, ("Text", "Model", "Objective", "Noise", "Training"))


@dataclass(frozen=True)
class TrainConfig:
    """Options of one training run; the names are those of the command line, with _ for -.

    Raises
    ------
    ConfigError
        On construction, when a value or a combination of values makes no sense.
    """

    tokenize: str = _text(
        "whitespace",
        "How text is cut into words: at Unicode white space, or into runs of letters, marks and digits with inner "
        "apostrophes and hyphens (for raw text with punctuation).",
        choices=TOKENIZERS,
    )
    lowercase: bool = _text(False, "Lower-case every word.")
    normalize: str = _text("none", "Unicode normalisation of every word.", choices=NORMALIZATIONS)
    min_count: int = _text(5, "Drop words that occur fewer times.", low=1, high=LARGEST)
    max_vocab: int | None = _text(
        None, "Keep only this many words, the most frequent ones.", kind=int, low=2, high=LARGEST
    )
    max_sentence: int = _text(10_000, "Cut lines into sentences of at most this many tokens.", low=1, high=LARGEST)
    dim: int = _model(100, "Dimensions of a vector.", low=1, high=MAX_DIM)
    window: int | str = _model(
        5,
        "Largest distance between a word and its context; `line` takes every word of the line (baskets, sessions).",
        kind=object,
    )
    window_side: str = _model("both", "Side of the word its context is taken from.", choices=WINDOW_SIDES)
    fixed_window: bool = _model(False, "Always use the whole window, not a random radius from 1 to --window.")
    architecture: str = _model(
        "skipgram",
        "skipgram: each context word by itself predicts the word in the middle.  cbow: the mean of the context words "
        "does, and each of them learns the whole step.",
        choices=ARCHITECTURES,
    )
    cbow_normalize: bool = _model(
        False, "With cbow: the step is divided by the number of context words, which is the exact gradient."
    )
    direction: str = _model(
        "centre-from-context",
        "Which word of a pair has the input vector: the context word, whose window is that of the word predicted (as "
        "word2vec.c), or the centre (as fastText).",
        choices=DIRECTIONS,
    )
    loss: str = _objective("sgns", "What is minimised; see the list below.", choices=tuple(LOSSES))
    bias: bool = _objective(False, "Learn a bias for each output word (or node of the tree).")
    saturate: float | None = _objective(
        None, "For sgns: pairs whose score is this far from 0 or farther teach nothing, right or wrong (gensim: 6).  "
        "Default: none do.", kind=float, low=0.1, high=1000,
    )  # fmt: skip
    similarity: str | None = _objective(
        None, "For infonce and in-batch: score of two vectors.  Default: dot; margin always takes cosine.",
        choices=SIMILARITIES,
    )  # fmt: skip
    temperature: float | None = _objective(
        None, f"For infonce and in-batch: scores are divided by this.  Default: {TEMPERATURE_HELP}.", kind=float,
        low=0.001, high=1000,
    )  # fmt: skip
    learn_temperature: bool = _objective(
        False, "For infonce and in-batch: learn the temperature; --temperature is where it begins."
    )
    margin: float | None = _objective(
        None, f"For margin: by how much cosine the word is to win.  Default: {defaults_of('margin')}.", kind=float,
        low=0, high=2,
    )  # fmt: skip
    scale: float | None = _objective(
        None, f"For margin: factor of the cosines.  Default: {defaults_of('scale')}.", kind=float, low=0.01, high=1000
    )
    multi_positive: bool = _objective(
        False,
        "For sampled-softmax and infonce with --direction context-from-centre: all context words of a centre are "
        "positives at once, each with an equal share of the label; a centre then learns the step of one pair, "
        "so raise --lr.",
    )
    no_logq: bool = _objective(
        False,
        "For sampled-softmax and in-batch: scores are not corrected by log expected counts, so that softmax of the "
        "scores becomes P / q in place of P.",
    )
    allow_biased: bool = _objective(
        False,
        "For sampled-softmax: allow --accidental-hits remove with replacement, or keep with --unique, for which the "
        "correction is not exact.",
    )
    batch: int | None = _objective(
        None, f"For in-batch: pairs in a batch, up to 1024.  Default: {DEFAULT_BATCH}.", kind=int, low=2, high=1024
    )
    symmetric: bool = _objective(
        False, "For in-batch: the mean of this loss and the one that predicts the input from the output (CLIP)."
    )
    frequency_estimate: str | None = _objective(
        None,
        "For in-batch: where the share of a word for the correction comes from, its count or the gaps between its "
        "appearances in the stream (for text that changes on the way).  Default: counts.",
        choices=ESTIMATES,
    )
    negative: int | None = _noise(
        None,
        f"Noise words drawn for each word, up to 256.  Default: {defaults_of('negative')}.",
        kind=int,
        low=0,
        high=256,
    )
    noise: str = _noise(
        "unigram",
        "Noise words are drawn in proportion to count to the power of --noise-power; all alike; or by rank, with "
        "probability log((rank + 2) / (rank + 1)) / log(words + 1), ranks from 0 in the order of counts.",
        choices=NOISES,
    )
    noise_power: float | None = _noise(
        None,
        f"Power of the counts for --noise unigram: 1 the words' shares, 0 all alike.  Default: {DEFAULT_NOISE_POWER}.",
        kind=float, low=-100, high=100,
    )  # fmt: skip
    unique: bool = _noise(
        False, "No word twice among the noise words of a window, or drawn with replacement (the default).",
        off="--with-replacement",
    )  # fmt: skip
    accidental_hits: str | None = _noise(
        None,
        f"Noise that equals the word predicted: kept, or left out.  Default: {defaults_of('hits')}, sampled-softmax "
        "with --unique.  With nce, remove makes another objective, whose scores are no log probabilities.",
        choices=HITS,
    )
    share_noise: int = _noise(
        0,
        "Neighbouring centre words that share their noise words, 1 to 4: speed for variety.  0 takes as many as leave "
        "each centre 2.5 noise words of its own: 2 for --negative 5, 4 from --negative 10 on; 1 where they cannot be "
        "shared and for --window line.",
        low=0, high=MAX_SHARE_NOISE,
    )  # fmt: skip
    epochs: int = _training(10, "Passes over the corpus.", low=1, high=LARGEST)
    sample: float | None = _training(
        None, "Threshold of the subsampling of frequent words; 0 keeps every word.  Default: "
        f"{DEFAULT_SAMPLE:g}; 0 for --window line.", kind=float, low=0,
    )  # fmt: skip
    lr: float | None = _training(
        None, f"Learning rate at the start.  Default: {defaults_of('lr')}.", kind=float, high=100
    )
    min_lr: float = _training(0.0001, "Learning rate at the end; it falls linearly with the tokens seen.", low=0)
    threads: int = _training(
        0, "Worker threads; 0 takes every core.  With 1 thread a run repeats to the byte.", low=1, high=1024
    )
    seed: int = _training(1, "Seed of all random numbers.", low=0, high=2**63 - 1)

    def __post_init__(self) -> None:
        if not self.threads:
            object.__setattr__(self, "threads", available_cores())
        self._check_values()
        reason = contradiction(self)
        if reason:
            raise ConfigError(reason)
        for name, value in chosen(self).items():
            object.__setattr__(self, name, value)
        if self.min_lr > self.initial_lr:
            self._refuse("min_lr", f"must be between 0 and --lr ({self.initial_lr:g})")

    def _check_values(self) -> None:
        for f in dataclasses.fields(self):
            value = getattr(self, f.name)
            if value is not None or f.default is not None:
                self._refuse(f.name, broken_rule(value, f.metadata))
        if self.window != "line":
            self._refuse("window", broken_rule(self.window, {"kind": int, "low": 1, "high": LARGEST}), ", or `line`")
        if self.lr is not None and self.lr <= 0:
            self._refuse("lr", "must be greater than 0")

    def _refuse(self, name: str, rule: str | None, more: str = "") -> None:
        if rule:
            raise ConfigError(f"--{name.replace('_', '-')} {getattr(self, name)}: {rule}{more}")

    @property
    def initial_lr(self) -> float:
        """The learning rate at the start, never None."""
        return self.lr or LOSSES[self.loss].lr

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
        unknown = sorted(set(values) - set(cls.names()))
        for f in dataclasses.fields(cls):
            opposite = f.metadata.get("off", "").removeprefix("--").replace("-", "_")
            if opposite in unknown:
                raise ConfigError(f"unknown option {opposite}: write {f.name}=False for it, {f.name}=True against it")
        if unknown:
            raise ConfigError(f"unknown option {', '.join(unknown)}; known: {', '.join(cls.names())}")
        return cls(**values)

    @classmethod
    def names(cls) -> list[str]:
        """Names of all options, in the order of the help text."""
        return [f.name for f in dataclasses.fields(cls)]


if TrainConfig.__doc__:  # python -OO drops it
    TrainConfig.__doc__ = f"{inspect.cleandoc(TrainConfig.__doc__)}\n\n{parameters(TrainConfig)}\n"
