"""The rules of other tools as options: `--like NAME`."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from w2v.errors import ConfigError


class Preset(NamedTuple):
    """Options that make skip-gram with negative sampling follow another tool, and what differs all the same."""

    options: Mapping[str, Any]
    differences: tuple[str, ...]


_COMMON = {"window": 5, "negative": 5, "epochs": 5, "min_count": 5, "share_noise": 1}
_NOISE_PER_PAIR = "it draws noise words for each pair, w2v for each window"
PRESETS = {
    "gensim": Preset(
        {**_COMMON, "lr": 0.025, "min_lr": 0.0001, "sample": 1e-3, "noise_power": 0.75, "max_sentence": 10_000,
         "direction": "centre-from-context", "saturate": 6.0},
        (_NOISE_PER_PAIR, "its sigmoid is a table of 1,000 values"),
    ),
    "word2vec": Preset(
        {**_COMMON, "lr": 0.025, "min_lr": 2.5e-6, "sample": 1e-3, "noise_power": 0.75, "max_sentence": 1000,
         "direction": "centre-from-context"},
        (_NOISE_PER_PAIR, "scores beyond +-6 count as certain",
         "line ends count as words in the shares for subsampling"),
    ),
    "fasttext": Preset(
        {**_COMMON, "lr": 0.05, "min_lr": 0.0, "sample": 1e-4, "noise_power": 0.5, "max_sentence": 1024,
         "direction": "context-from-centre"},
        (_NOISE_PER_PAIR, "scores beyond +-8 count as certain", "line ends are words",
         "shares for subsampling are of all words, rare ones too: the same as --sample times all words over those kept",
         "an epoch ends when as many words of the vocabulary were seen as there are words of any kind",
         "with n < 10 threads only the n/10 most frequent words begin at random values, the others at 0",
         "subwords are off"),
    ),
}  # fmt: skip
_OF_SGNS = ("saturate", "noise_power", "negative", "share_noise")


def options_like(tool: str | None, given: Mapping[str, Any]) -> dict[str, Any]:
    """The options `given`, and those of `tool` where nothing is given.

    With another objective than sgns, the tool's rules of noise and saturation are left out.

    Raises
    ------
    ConfigError
        When the tool is not one of `PRESETS`.
    """
    if tool is None:
        return dict(given)
    if tool not in PRESETS:
        raise ConfigError(f"--like {tool}: not one of {', '.join(PRESETS)}")
    is_sgns = given.get("loss", "sgns") == "sgns"
    preset = {name: value for name, value in PRESETS[tool].options.items() if is_sgns or name not in _OF_SGNS}
    return {**preset, **given}


def told(tool: str, options: Mapping[str, Any]) -> list[str]:
    """Lines that say which rules a tool's preset sets in `options`, and which differ all the same."""
    preset = PRESETS[tool]
    rules = [f"--{name.replace('_', '-')} {options[name]}" for name in preset.options if options.get(name) is not None]
    if options.get("loss", "sgns") != "sgns":
        rules.append(f"(its rules of noise and scores are those of sgns and do not go with --loss {options['loss']})")
    return [f"like {tool}: {' '.join(rules)}", f"still unlike {tool}: {'; '.join(preset.differences)}"]
