"""Options: defaults, validation, and that the command line offers each of them as it is."""

import click
import pytest

from w2v.cli.train import command
from w2v.config import TrainConfig, available_cores
from w2v.errors import ConfigError


def test_defaults_are_those_of_word2vec_and_gensim() -> None:
    config = TrainConfig()
    expected = {"dim": 100, "window": 5, "negative": 5, "epochs": 5, "sample": 1e-3, "lr": 0.025, "min_lr": 0.0001,
                "seed": 1, "min_count": 5, "max_sentence": 10_000, "noise_power": 0.75, "fixed_window": False,
                "window_side": "both", "tokenize": "whitespace", "normalize": "none", "lowercase": False}  # fmt: skip
    assert {name: getattr(config, name) for name in expected} == expected
    assert config.threads == available_cores()


@pytest.mark.parametrize(
    ("name", "value", "rule"),
    [
        *[(name, value, "at least 1") for name in ("dim", "negative", "epochs", "min_count", "max_sentence", "threads")
          for value in (-1, *((0,) if name != "threads" else ()))],
        *[(name, value, "whole number") for name in ("dim", "epochs", "seed", "max_vocab")
          for value in (1.5, "3", True, 2.0)],
        *[(name, value, "finite number") for name in ("lr", "min_lr", "sample", "noise_power")
          for value in (float("nan"), float("inf"), -float("inf"), "1", True)],
        *[("window", value, "whole number of at least 1, or `line`") for value in (0, -1, 2.5, "lines", True)],
        *[(name, "other", "must be one of") for name in ("tokenize", "normalize", "window_side", "loss")],
        ("lr", 0, "greater than 0"), ("lr", -0.1, "greater than 0"), ("min_lr", -1e-9, "between 0 and --lr"),
        ("min_lr", 0.03, "between 0 and --lr (0.025)"), ("sample", -1e-9, "not be negative"),
        ("max_vocab", 1, "at least 2"), ("max_vocab", 0, "at least 2"), ("seed", -1, "between 0 and"),
        ("seed", 2**63, "between 0 and"), ("dim", 10**9, "at most"), ("negative", 10**6, "at most"),
        ("threads", 10**6, "at most"), ("noise_power", 101, "between"), ("lowercase", 1, "true or false"),
        ("fixed_window", "yes", "true or false"), ("share_noise", 5, "0, 1, 2, 3 or 4"),
        ("share_noise", -1, "0, 1, 2, 3 or 4"),
    ],
)  # fmt: skip
def test_refused(name: str, value: object, rule: str) -> None:
    with pytest.raises(ConfigError) as caught:
        TrainConfig.from_dict({name: value})
    assert str(caught.value).startswith(f"--{name.replace('_', '-')} {value}: ")
    assert rule in str(caught.value)


@pytest.mark.parametrize(
    "options",
    [{"window": "line"}, {"window": 10**9}, {"sample": 0}, {"lr": 1}, {"min_lr": 0.025}, {"max_vocab": 2}, {"seed": 0},
     {"noise_power": -1}, {"noise_power": 0}, {"dim": 1}, {"negative": 1}, {"share_noise": 4}, {"threads": 1024}],
)  # fmt: skip
def test_accepted(options: dict[str, object]) -> None:
    config = TrainConfig.from_dict(options)
    assert TrainConfig.from_dict(config.to_dict()) == config


def test_unknown_options_are_named() -> None:
    with pytest.raises(ConfigError, match="unknown option dims, size; known: tokenize, lowercase"):
        TrainConfig.from_dict({"size": 1, "dims": 3})


def test_window_radius_never_exceeds_a_sentence() -> None:
    assert TrainConfig(window="line", max_sentence=77).window_radius == 77
    assert TrainConfig(window=100, max_sentence=77).window_radius == 77
    assert TrainConfig(window=3).window_radius == 3


@pytest.mark.parametrize("name", TrainConfig.names())
def test_the_command_line_offers_every_option(name: str) -> None:
    option = next(parameter for parameter in command.params if parameter.name == name)
    assert isinstance(option, click.Option)
    assert option.opts == [f"--{name.replace('_', '-')}"]
    assert option.help
    if name not in ("threads", "share_noise"):  # 0 there stands for a number that is chosen
        assert option.default == getattr(TrainConfig(), name)
