"""Which options go together: defaults of each objective, every contradiction, round trips, plans of all the rest."""

import itertools
import json
from typing import Any

import numpy as np
import pytest

from w2v.config import TrainConfig
from w2v.errors import ConfigError
from w2v.kernel.registry import LOSSES
from w2v.kernel.similarity import LARGEST_SCALE
from w2v.objective import LEARNED_TEMPERATURES, SPECIAL
from w2v.plan import Planner

BACKWARD = {"direction": "context-from-centre"}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"loss": "sgns"}, {"negative": 5, "accidental_hits": "remove", "share_noise": 2, "noise_power": 0.75}),
        ({"loss": "nce"}, {"negative": 5, "accidental_hits": "keep", "share_noise": 2}),
        ({"loss": "sampled-softmax"}, {"negative": 5, "accidental_hits": "keep", "share_noise": 2}),
        ({"loss": "sampled-softmax", "unique": True}, {"accidental_hits": "remove", "share_noise": 1}),
        ({"loss": "bpr", "unique": True}, {"accidental_hits": "keep", "share_noise": 2}),
        ({"loss": "bpr", "accidental_hits": "remove"}, {"share_noise": 1}),
        ({"loss": "infonce"}, {"similarity": "dot", "temperature": 1.0, "accidental_hits": "keep"}),
        ({"loss": "infonce", "similarity": "cosine"}, {"temperature": 0.1}),
        ({"loss": "infonce", "multi_positive": True, "negative": 20, **BACKWARD}, {"share_noise": 1}),
        ({"loss": "margin"}, {"similarity": "cosine", "margin": 0.1, "scale": 10.0, "temperature": None}),
        ({"loss": "in-batch"}, {"negative": 0, "batch": 32, "frequency_estimate": "counts", "accidental_hits": "keep",
                                "noise_power": None, "share_noise": 1, "temperature": 1.0}),
        ({"loss": "in-batch", "negative": 4}, {"noise_power": 0.75, "share_noise": 1}),
        ({"loss": "softmax"}, {"negative": 0, "accidental_hits": None, "noise_power": None, "share_noise": 1}),
        ({"loss": "hs"}, {"negative": 0, "accidental_hits": None, "noise_power": None, "share_noise": 1}),
        ({"negative": 1}, {"share_noise": 1}), ({"negative": 10}, {"share_noise": 4}),
        ({"negative": 200}, {"share_noise": 4}), ({"negative": 20, "window": "line"}, {"share_noise": 1}),
        ({"noise": "uniform"}, {"noise_power": None}), ({"noise": "log-uniform"}, {"noise_power": None}),
    ],
)  # fmt: skip
def test_what_the_program_chooses(options: dict[str, Any], expected: dict[str, Any]) -> None:
    config = TrainConfig.from_dict(options)
    assert {name: getattr(config, name) for name in expected} == expected
    assert TrainConfig.from_dict(json.loads(json.dumps(config.to_dict()))) == config


CONTRADICTIONS: list[tuple[dict[str, Any], str]] = [
    ({"loss": "margin", "similarity": "dot"}, "--similarity dot: --loss margin is defined on cosines"),
    ({"loss": "margin", "temperature": 0.1}, "--temperature: not an option of --loss margin; it is for "),
    ({"temperature": 0.1}, "--temperature: not an option of --loss sgns; it is for --loss infonce, in-batch"),
    ({"margin": 0}, "--margin: not an option of --loss sgns; it is for --loss margin"),
    ({"loss": "infonce", "scale": 2}, "--scale: not an option of --loss infonce; it is for --loss margin"),
    ({"noise": "log-uniform", "noise_power": 0.75}, "--noise-power 0.75: --noise log-uniform does not depend on"),
    ({"noise": "uniform", "noise_power": 0}, "--noise-power 0: --noise uniform does not depend on counts"),
    ({"loss": "infonce", "temperature": 0}, "--temperature 0: must be at least 0.001"),
    ({"loss": "infonce", "temperature": 0.001, "learn_temperature": True}, "a learned one stays between 0.01 and 100"),
    ({"loss": "in-batch", "temperature": 0}, "--temperature 0: must be at least 0.001"),
    ({"loss": "margin", "scale": 0}, "--scale 0: must be at least 0.01"),
    ({"loss": "in-batch", "batch": 0}, "--batch 0: must be at least 2"),
    *[({"loss": loss, "negative": 0}, f"--negative 0: --loss {loss} needs noise words, at least 1")
      for loss, entry in LOSSES.items() if entry.negative],
    *[({"loss": loss, name: value}, f"--{name.replace('_', '-')}: --loss {loss} draws no noise")
      for loss in ("softmax", "hs")
      for name, value in (("negative", 5), ("noise", "uniform"), ("noise_power", 0.75), ("unique", True),
                          ("accidental_hits", "keep"), ("share_noise", 2))],
    ({"loss": "in-batch", "architecture": "cbow"}, "--architecture cbow: --loss in-batch pairs single words"),
    ({"loss": "in-batch", "unique": True}, "--unique: the noise of --loss in-batch is what the text brings"),
    ({"loss": "in-batch", "noise": "uniform"}, "--noise: --loss in-batch draws noise only with --negative"),
    ({"loss": "in-batch", "noise_power": 1.0}, "--noise-power: --loss in-batch draws noise only with --negative"),
    ({"loss": "in-batch", "share_noise": 2}, "--share-noise 2: all pairs of a batch share their noise"),
    ({"loss": "in-batch", "no_logq": True, "frequency_estimate": "streaming"}, "nothing to estimate for"),
    ({"loss": "sampled-softmax", "unique": True, "accidental_hits": "keep"}, "--accidental-hits keep with --unique: "),
    ({"loss": "sampled-softmax", "accidental_hits": "remove"}, "remove with drawing with replacement: "),
    ({"loss": "sampled-softmax", "unique": True, "share_noise": 2}, "cannot leave noise out for one centre alone"),
    ({"loss": "infonce", "accidental_hits": "remove", "share_noise": 3}, "cannot leave noise out for one centre alone"),
    ({"loss": "infonce", "multi_positive": True}, "add --direction context-from-centre"),
    ({"loss": "infonce", "multi_positive": True, "share_noise": 2, **BACKWARD}, "--share-noise 2: with --multi-positi"),
    ({"loss": "infonce", "multi_positive": True, "architecture": "cbow"}, "with cbow the word predicted is one"),
    ({"architecture": "cbow", **BACKWARD}, "--direction context-from-centre: cbow predicts the centre"),
    ({"cbow_normalize": True}, "--cbow-normalize: only --architecture cbow takes a mean"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "reason"), CONTRADICTIONS, ids=[str(case[0]) for case in CONTRADICTIONS])
def test_contradictions(options: dict[str, Any], reason: str) -> None:
    with pytest.raises(ConfigError) as caught:
        TrainConfig.from_dict(options)
    assert reason in str(caught.value)
    assert str(caught.value).startswith("--")
    assert "\n" not in str(caught.value)


VALUES = {"saturate": 6.0, "similarity": "cosine", "batch": 8, "frequency_estimate": "counts"}


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("name", SPECIAL)
def test_an_option_of_other_objectives_is_refused(loss: str, name: str) -> None:
    options = {"loss": loss, name: VALUES.get(name, True), **(BACKWARD if name == "multi_positive" else {})}
    if name in LOSSES[loss].options or (name, loss) == ("similarity", "margin"):
        assert getattr(TrainConfig.from_dict(options), name) == VALUES.get(name, True)
    else:
        with pytest.raises(
            ConfigError, match=f"--{name.replace('_', '-')}: not an option of --loss {loss}; it is for "
        ):
            TrainConfig.from_dict(options)


def test_sampled_softmax_trains_an_inconsistent_pair_when_told_to() -> None:
    for unique, hits in ((True, "keep"), (False, "remove")):
        pair: dict[str, Any] = {"loss": "sampled-softmax", "unique": unique, "accidental_hits": hits}
        for permission in ("allow_biased", "no_logq"):
            config = TrainConfig.from_dict({**pair, permission: True})
            assert (config.unique, config.accidental_hits) == (unique, hits)
            assert TrainConfig.from_dict(config.to_dict()) == config


SETTINGS: list[tuple[str, Any]] = [
    ("architecture", "cbow"), ("cbow_normalize", True), ("direction", "context-from-centre"), ("multi_positive", True),
    ("window", "line"), ("window_side", "left"), ("fixed_window", True), ("dim", 1), ("sample", 0),
    ("negative", 0), ("negative", 3), ("share_noise", 1), ("share_noise", 2), ("noise", "uniform"),
    ("noise", "log-uniform"), ("noise_power", 0.0), ("noise_power", -1), ("unique", True), ("accidental_hits", "keep"),
    ("accidental_hits", "remove"), ("bias", True), ("similarity", "dot"), ("similarity", "cosine"),
    ("temperature", 0.001), ("temperature", 2.0), ("learn_temperature", True), ("margin", 0.0), ("margin", 0.4),
    ("scale", 1), ("scale", 30.0), ("no_logq", True), ("allow_biased", True), ("batch", 2), ("batch", 64),
    ("symmetric", True), ("saturate", 6.0), ("frequency_estimate", "counts"), ("frequency_estimate", "streaming"),
]  # fmt: skip
COUNTS = np.arange(40, 0, -1)


def refused(reason: str, options: dict[str, Any]) -> None:
    assert reason.startswith("--"), options
    assert ": " in reason, options


def accepted(options: dict[str, Any]) -> TrainConfig | None:
    """The configuration, which is that of its own values; None when it is refused with a reason."""
    try:
        config = TrainConfig(**options, threads=1)
    except ConfigError as error:
        return refused(str(error), options)
    assert TrainConfig.from_dict(config.to_dict()) == config, options
    assert all(getattr(config, name) == value for name, value in options.items())
    return config


@pytest.mark.parametrize("loss", LOSSES)
def test_every_pair_of_options_is_refused_or_comes_back_as_it_is(loss: str) -> None:
    seen: set[str] = set()
    for pair in itertools.combinations(SETTINGS, 2):
        if pair[0][0] != pair[1][0] and accepted({"loss": loss, **dict(pair)}):
            seen |= {name for name, _ in pair}
    assert seen >= {"window", "window_side", "dim", "sample", "bias", *LOSSES[loss].options}


@pytest.mark.parametrize("loss", LOSSES)
def test_whatever_is_accepted_can_be_planned(loss: str) -> None:
    random = np.random.default_rng(list(LOSSES).index(loss))
    n_accepted = 0
    for _ in range(2000):
        picked = random.permutation(len(SETTINGS))[: random.integers(0, 7)]
        config = accepted({"loss": loss, **dict(SETTINGS[i] for i in picked)})
        if config is not None:
            n_accepted += 1
            if n_accepted % 10 == 0:
                Planner(config, COUNTS, 12, 60).plan(0)
    assert n_accepted > 100


def test_a_learned_temperature_stays_where_options_say() -> None:
    low, high = LEARNED_TEMPERATURES
    assert (low, high) == (1 / LARGEST_SCALE, LARGEST_SCALE)
    for temperature in (low, high):
        TrainConfig(loss="infonce", temperature=temperature, learn_temperature=True)


# What depends on the number of words.


def plan(n_words: int, **options: Any) -> None:
    Planner(TrainConfig(threads=1, **options), np.arange(n_words, 0, -1), 10, 50).plan(0)


def test_softmax_has_a_largest_vocabulary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("w2v.plan.SOFTMAX_LIMIT", 30)
    plan(30, loss="softmax")
    with pytest.raises(ConfigError, match=r"--loss softmax: a vocabulary of 31 words is too large .* at most 30"):
        plan(31, loss="softmax")
    plan(31, loss="sampled-softmax")


@pytest.mark.parametrize("loss", [loss for loss, entry in LOSSES.items() if entry.negative])
def test_unique_noise_is_less_than_half_of_the_words(loss: str) -> None:
    plan(11, loss=loss, unique=True, negative=5)
    for n_words in (2, 10):
        with pytest.raises(ConfigError, match=f"--unique: 5 noise words are half of the vocabulary of {n_words} or"):
            plan(n_words, loss=loss, unique=True, negative=5)


def test_unique_noise_that_would_take_for_ever_is_refused() -> None:
    """One word of 99 % of the noise: 5 others need hundreds of draws each."""
    skewed = np.array([990_000] + [100] * 100)
    for power, counts in ((1.0, skewed), (100.0, skewed), (0.75, np.array([6 * 10**9, *range(40, 0, -1)]))):
        config = TrainConfig(threads=1, loss="nce", unique=True, negative=5, noise_power=power)
        with pytest.raises(ConfigError, match=r"--unique: few words carry nearly all of the noise, and 5 different"):
            Planner(config, counts, 10, 50)
    zipf = (1e6 / np.arange(1, 1001)).astype(np.int64)
    Planner(TrainConfig(threads=1, loss="nce", unique=True, negative=20, noise_power=1.0), zipf, 10, 50)


def test_the_exact_softmax_of_a_mean_has_one_row_of_scores() -> None:
    """Not one of the vocabulary's length for each word of the context."""
    config = TrainConfig(threads=1, loss="softmax", architecture="cbow", window="line")
    _, work = Planner(config, np.arange(5000, 0, -1), 10_000, 50_000).plan(0)
    assert sum(array.nbytes for array in (work.scores, work.scratch, *work.batch)) < 1_000_000
