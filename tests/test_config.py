"""Options: defaults, validation, and that the command line offers each of them as it is."""

import click
import pytest
from click.testing import CliRunner

from w2v.cli.main import cli
from w2v.cli.options import FILES
from w2v.cli.train import command
from w2v.config import TrainConfig
from w2v.errors import ConfigError
from w2v.kernel.registry import LOSSES
from w2v.usage import available_cores


def test_defaults() -> None:
    config = TrainConfig()
    expected = {"dim": 100, "window": 5, "negative": 5, "epochs": 10, "sample": 1e-4, "lr": 0.05, "min_lr": 0.0001,
                "seed": 1, "min_count": 5, "max_sentence": 10_000, "noise_power": 0.75, "fixed_window": False,
                "window_side": "both", "tokenize": "whitespace", "normalize": "none", "lowercase": False,
                "loss": "sgns", "architecture": "skipgram", "direction": "centre-from-context", "noise": "unigram",
                "unique": False, "accidental_hits": "remove", "share_noise": 2}  # fmt: skip
    assert {name: getattr(config, name) for name in expected} == expected
    assert config.threads == available_cores()
    assert TrainConfig(loss="bpr").lr == 0.025
    assert TrainConfig(window="line").sample == 0
    assert TrainConfig(window="line", sample=1e-3).sample == 1e-3


@pytest.mark.parametrize(
    ("name", "value", "rule"),
    [
        *[(name, value, "at least 1") for name in ("dim", "epochs", "min_count", "max_sentence", "threads")
          for value in (-1, *((0,) if name != "threads" else ()))],
        *[(name, value, "whole number") for name in ("dim", "epochs", "seed", "max_vocab", "negative", "batch")
          for value in (1.5, "3", True, 2.0)],
        *[(name, value, "finite number") for name in ("lr", "min_lr", "sample", "noise_power", "temperature", "scale")
          for value in (float("nan"), float("inf"), -float("inf"), "1", True)],
        *[("window", value, "whole number, or `line`") for value in (2.5, "lines", True, None)],
        ("window", 0, "at least 1, or `line`"), ("window", -1, "at least 1, or `line`"),
        ("window", 2**31, "at most 2147483647, or `line`"),
        *[(name, "other", "must be one of") for name in ("tokenize", "normalize", "window_side", "loss", "noise",
          "architecture", "direction", "accidental_hits", "similarity", "frequency_estimate")],
        *[(name, None, "must be") for name in ("loss", "noise", "dim", "epochs", "unique", "seed")],
        ("lr", 0, "greater than 0"), ("lr", -0.1, "greater than 0"), ("lr", 101, "at most 100"),
        ("min_lr", -1e-9, "at least 0"), ("min_lr", 0.06, "between 0 and --lr (0.05)"),
        ("sample", -1e-9, "at least 0"),
        ("max_vocab", 1, "at least 2"), ("max_vocab", 0, "at least 2"), ("seed", -1, "at least 0"),
        ("seed", 2**63, "at most"), ("dim", 10**9, "at most"), ("threads", 10**6, "at most"),
        ("negative", 0, "at least 1"), ("negative", -1, "at least 0"), ("negative", 257, "at most 256"),
        ("noise_power", 101, "at most 100"), ("noise_power", -101, "at least -100"), ("lowercase", 1, "true or false"),
        ("fixed_window", "yes", "true or false"), ("share_noise", 5, "at most 4"), ("share_noise", -1, "at least 0"),
        ("temperature", 0, "at least 0.001"), ("temperature", -1.0, "at least 0.001"), ("temperature", 1001, "at most"),
        ("margin", -0.1, "at least 0"), ("margin", 2.1, "at most 2"), ("scale", 0, "at least 0.01"),
        ("scale", 1001, "at most"), ("batch", 0, "at least 2"), ("batch", 1, "at least 2"), ("batch", 1025, "at most"),
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


def options_of_the_command() -> dict[str, click.Option]:
    return {option.name: option for option in command.params if isinstance(option, click.Option) and option.name}


@pytest.mark.parametrize("name", TrainConfig.names())
def test_the_command_line_offers_every_option(name: str) -> None:
    option = options_of_the_command()[name]
    assert option.opts == [f"--{name.replace('_', '-')}"]
    assert option.help
    rules = TrainConfig.__dataclass_fields__[name].metadata
    assert option.secondary_opts == ([rules["off"]] if "off" in rules else [])
    kinds = {bool: click.BOOL, int: click.INT, float: click.FLOAT}
    if rules["kind"] in kinds:
        assert type(option.type) is type(kinds[rules["kind"]])
    context = click.Context(command)
    assert option.get_default(context) == TrainConfig.__dataclass_fields__[name].default
    if option.get_default(context) not in (None, 0):  # these stand for values that are chosen
        assert option.get_default(context) == getattr(TrainConfig(), name)


def parsed(*arguments: str) -> TrainConfig:
    """What the command makes of its arguments."""
    names = set(TrainConfig.names())
    values = command.make_context("train", ["corpus.txt", *arguments]).params
    return TrainConfig(**{name: value for name, value in values.items() if name in names})


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ([], {}),
        (["--unique"], {"unique": True}),
        (["--with-replacement"], {"unique": False}),
        (["--unique", "--with-replacement"], {"unique": False}),
        (["--window", "line", "--noise-power", "1"], {"window": "line", "noise_power": 1.0}),
        (["--loss", "in-batch", "--batch", "8", "--temperature", "0.5", "--frequency-estimate", "streaming"],
         {"loss": "in-batch", "batch": 8, "temperature": 0.5, "frequency_estimate": "streaming"}),
        (["--loss", "margin", "--margin", "0", "--scale", "3"], {"loss": "margin", "margin": 0.0, "scale": 3.0}),
        (["--loss", "sampled-softmax", "--unique", "--accidental-hits", "remove", "--no-logq", "--bias"],
         {"loss": "sampled-softmax", "unique": True, "accidental_hits": "remove", "no_logq": True, "bias": True}),
        (["--architecture", "cbow", "--cbow-normalize"], {"architecture": "cbow", "cbow_normalize": True}),
    ],
)  # fmt: skip
def test_the_command_line_and_python_mean_the_same(arguments: list[str], options: dict[str, object]) -> None:
    assert parsed(*arguments) == TrainConfig.from_dict(options)


@pytest.mark.parametrize("width", ["60", "80", "110"])
def test_help_has_headings_and_every_option_once(width: str) -> None:
    result = CliRunner(env={"COLUMNS": width}).invoke(cli, ["train", "--help"])
    lines = result.stdout.splitlines()
    headings = [line for line in lines if line.endswith(":") and not line.startswith(" ")]
    expected = ["Text", "Model", "Objective", "Noise", "Training", FILES, "Objectives (--loss)"]
    assert headings == [f"{name}:" for name in expected]
    for name in options_of_the_command():
        flag = f"--{name.replace('_', '-').replace('format-name', 'format')}"
        assert sum(line.startswith((f"  {flag} ", f"  -o, {flag} ")) or line == f"  {flag}" for line in lines) == 1, (
            flag
        )
    listed = lines[lines.index("Objectives (--loss):") :]
    assert [name for name in LOSSES if any(line.startswith(f"  {name} ") for line in listed)] == list(LOSSES)
    assert max(map(len, lines)) <= max(80, int(width))
