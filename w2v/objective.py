"""Which options go with which objective: defaults that depend on it, and contradictions."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from w2v.kernel.registry import LOSSES, Entry

if TYPE_CHECKING:
    from w2v.config import TrainConfig

ARCHITECTURES = ("skipgram", "cbow")
DIRECTIONS = ("centre-from-context", "context-from-centre")
NOISES = ("unigram", "uniform", "log-uniform")
HITS = ("keep", "remove")
SIMILARITIES = ("dot", "cosine")
ESTIMATES = ("counts", "streaming")
MAX_SHARE_NOISE = 4
DEFAULT_BATCH = 32
DEFAULT_NOISE_POWER = 0.75
COSINE_TEMPERATURE = 0.1  # the default for cosines, which lie between -1 and 1
TEMPERATURE_HELP = f"1 for dot, {COSINE_TEMPERATURE} for cosine"
# Options that only some objectives have; `Entry.options` names them.
SPECIAL = (
    "similarity", "learn_temperature", "multi_positive", "no_logq", "allow_biased", "batch", "symmetric",
    "frequency_estimate",
)  # fmt: skip
# Options of drawing noise, which make no sense when there is none to draw.
OF_NOISE = ("negative", "share_noise", "noise_power", "unique", "accidental_hits")


def defaults_of(name: str) -> str:
    """The default of each objective, for help texts: `5; 0 for in-batch`."""
    names: dict[Any, list[str]] = {}
    for loss, entry in LOSSES.items():
        value = getattr(entry, name)
        if value is not None and (entry.negative or loss == "in-batch"):
            names.setdefault(value, []).append(loss)
    ranked = sorted(names.items(), key=lambda item: -len(item[1]))
    others = [f"{value} for {', '.join(losses)}" for value, losses in ranked[1:]]
    return "; ".join([f"{ranked[0][0]}", *others])


def chosen(config: "TrainConfig") -> dict[str, Any]:
    """Values for the options that were left to the program."""
    entry = LOSSES[config.loss]
    values: dict[str, Any] = {}
    if config.negative is None:
        values["negative"] = entry.negative
    noisy = entry.negative or entry.layout == "in_batch"
    if config.accidental_hits is None and noisy:
        unique_hits = "remove" if config.unique and config.loss == "sampled-softmax" else entry.hits
        values["accidental_hits"] = unique_hits
    if config.noise == "unigram" and config.noise_power is None and noisy:
        values["noise_power"] = DEFAULT_NOISE_POWER
    if config.similarity is None and (entry.cosine or "similarity" in entry.options):
        values["similarity"] = "cosine" if entry.cosine else "dot"
    if config.temperature is None and entry.temperature is not None:
        values["temperature"] = COSINE_TEMPERATURE if config.similarity == "cosine" else entry.temperature
    for name in ("margin", "scale"):
        if getattr(config, name) is None:
            values[name] = getattr(entry, name)
    if entry.layout == "in_batch":
        values["batch"] = config.batch or DEFAULT_BATCH
        values["frequency_estimate"] = config.frequency_estimate or "counts"
    if not config.share_noise:
        negative = values.get("negative", config.negative) or 0
        values["share_noise"] = max(1, min(_most_shared(config, entry), negative * 2 // 5))
    return values


def _most_shared(config: "TrainConfig", entry: Entry) -> int:
    """Most centres that may share noise by default."""
    alone = config.window == "line" or entry.layout != "windows" or config.multi_positive or _hides_hits(config, entry)
    return 1 if alone else MAX_SHARE_NOISE


def _hides_hits(config: "TrainConfig", entry: Entry) -> bool:
    # A softmax cannot leave a noise word out for one of the centres that share it.
    return not entry.weighs_hits and (config.accidental_hits == "remove" or config.unique)


def contradiction(config: "TrainConfig") -> str | None:
    """Why a combination of options makes no sense; None when it does."""
    return next(_contradictions(config, LOSSES[config.loss]), None)


def _contradictions(config: "TrainConfig", entry: Entry) -> Iterator[str]:
    loss = f"--loss {config.loss}"
    given = {name for name in (*SPECIAL, *OF_NOISE, "temperature", "margin", "scale") if _is_given(config, name)}
    for name in SPECIAL:
        if name in given and name not in entry.options and not (name == "similarity" and entry.cosine):
            losses = [other for other, row in LOSSES.items() if name in row.options]
            yield f"{_flag(name)}: not an option of {loss}; it is for {', '.join(losses)}"
    if entry.cosine and config.similarity == "dot":
        yield f"--similarity dot: {loss} is defined on cosines, where a margin means the same for all words"
    for name in ("temperature", "margin", "scale"):
        if name in given and getattr(entry, name) is None:
            yield f"{_flag(name)}: {loss} has no {name}"
    for name in OF_NOISE:
        if name in given and not entry.negative and entry.layout != "in_batch":
            yield f"{_flag(name)}: {loss} draws no noise"
    yield from _of_noise(config, entry, loss)
    yield from _of_form(config, entry, loss)


def _of_noise(config: "TrainConfig", entry: Entry, loss: str) -> Iterator[str]:
    if config.noise_power is not None and config.noise != "unigram":
        yield f"--noise-power {config.noise_power:g}: --noise {config.noise} does not depend on counts"
    if entry.layout == "in_batch":
        if config.unique:
            yield "--unique: in-batch noise is what the text brings; drop --unique"
        if config.noise != "unigram" and not config.negative:
            yield f"--noise {config.noise}: {loss} draws noise only with --negative"
        if config.share_noise > 1:
            yield f"--share-noise {config.share_noise}: all pairs of a batch share their noise"
        if config.no_logq and config.frequency_estimate == "streaming":
            yield "--frequency-estimate: there is nothing to estimate for with --no-logq"
    elif config.noise != "unigram" and not entry.negative:
        yield f"--noise {config.noise}: {loss} draws no noise"
    hits = config.accidental_hits
    if (
        config.loss == "sampled-softmax"
        and not config.no_logq
        and hits
        and not config.allow_biased
        and (hits == "remove") != config.unique
    ):
        drawn = "--unique" if config.unique else "drawing with replacement"
        yield (f"--accidental-hits {hits} with {drawn}: the corrected scores would not be log probabilities; the "
               "consistent pairs are replacement with keep and --unique with remove; --allow-biased trains it all the "
               "same")  # fmt: skip
    if config.share_noise > 1 and _hides_hits(config, entry):
        yield f"--share-noise {config.share_noise}: {loss} cannot leave noise out for one centre alone; take 1"


def _of_form(config: "TrainConfig", entry: Entry, loss: str) -> Iterator[str]:
    if config.cbow_normalize and config.architecture != "cbow":
        yield "--cbow-normalize: only --architecture cbow takes a mean"
    backward = config.direction == "context-from-centre"
    if config.architecture == "cbow":
        if entry.layout == "in_batch":
            yield f"--architecture cbow: {loss} pairs single words; take skipgram"
        if backward:
            yield "--direction context-from-centre: cbow predicts the centre from its context, there is no other way"
        if config.multi_positive:
            yield "--multi-positive: with cbow the word predicted is one"
    if config.multi_positive:
        if not backward:
            yield "--multi-positive: several positives are the context words of one centre; add --direction " \
                  "context-from-centre"  # fmt: skip
        if config.share_noise > 1:
            yield "--share-noise: with --multi-positive all words of a window share their noise already"


def _is_given(config: "TrainConfig", name: str) -> bool:
    value = getattr(config, name)
    return value not in (None, False, 0) and not (name == "share_noise" and value == 1)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"
