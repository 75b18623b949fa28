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
DEFAULT_SAMPLE = 1e-4
COSINE_TEMPERATURE = 0.1  # the default for cosines, which lie between -1 and 1
TEMPERATURE_HELP = f"1 for dot, {COSINE_TEMPERATURE} for cosine"
LEARNED_TEMPERATURES = (0.01, 100.0)  # a learned one stays between these
# Options that only some objectives have; `Entry.options` names them.
SPECIAL = (
    "saturate", "similarity", "learn_temperature", "multi_positive", "no_logq", "allow_biased", "batch", "symmetric",
    "frequency_estimate",
)  # fmt: skip
PARAMETERS = ("temperature", "margin", "scale")  # an objective that has one has a default for it
OF_DRAWS = ("noise", "noise_power", "unique")  # how noise is drawn, which makes no sense where none is


def defaults_of(name: str) -> str:
    """The default of each objective, for help texts: `5; 0 for in-batch`."""
    names: dict[Any, list[str]] = {}
    for loss, entry in LOSSES.items():
        value = getattr(entry, name)
        if value is not None and (name == "lr" or entry.negative or loss == "in-batch"):
            names.setdefault(value, []).append(loss)
    ranked = sorted(names.items(), key=lambda item: -len(item[1]))
    shown = [f"{value:g}" if isinstance(value, float) else f"{value}" for value, _ in ranked]
    others = [f"{value} for {', '.join(losses)}" for value, (_, losses) in zip(shown[1:], ranked[1:], strict=True)]
    return "; ".join([shown[0], *others])


def chosen(config: "TrainConfig") -> dict[str, Any]:
    """Values for the options that were left to the program."""
    entry = LOSSES[config.loss]
    values: dict[str, Any] = {"lr": config.initial_lr}
    if config.sample is None:
        values["sample"] = 0.0 if config.window == "line" else DEFAULT_SAMPLE
    negative = values["negative"] = entry.negative if config.negative is None else config.negative
    if config.accidental_hits is None and (negative or entry.layout == "in_batch"):
        values["accidental_hits"] = _default_hits(config, entry)
    if config.noise == "unigram" and config.noise_power is None and negative:
        values["noise_power"] = DEFAULT_NOISE_POWER
    if config.similarity is None and (entry.cosine or "similarity" in entry.options):
        values["similarity"] = "cosine" if entry.cosine else "dot"
    if config.temperature is None and entry.temperature is not None:
        values["temperature"] = COSINE_TEMPERATURE if config.similarity == "cosine" else entry.temperature
    for name in ("margin", "scale"):
        if getattr(config, name) is None:
            values[name] = getattr(entry, name)
    if entry.layout == "in_batch":
        values["batch"] = DEFAULT_BATCH if config.batch is None else config.batch
        values["frequency_estimate"] = config.frequency_estimate or "counts"
    if not config.share_noise:
        values["share_noise"] = max(1, min(_most_shared(config, entry), negative * 2 // 5))
    return values


def _most_shared(config: "TrainConfig", entry: Entry) -> int:
    """Most centres that may share noise by default."""
    alone = config.window == "line" or entry.layout != "windows" or config.multi_positive or _hides_hits(config, entry)
    return 1 if alone else MAX_SHARE_NOISE


def _default_hits(config: "TrainConfig", entry: Entry) -> str:
    return "remove" if config.unique and config.loss == "sampled-softmax" else entry.hits


def _hides_hits(config: "TrainConfig", entry: Entry) -> bool:
    # A softmax cannot leave a noise word out for one of the centres that share it.
    return not entry.weighs_hits and (config.accidental_hits or _default_hits(config, entry)) == "remove"


def contradiction(config: "TrainConfig") -> str | None:
    """Why a combination of options makes no sense; None when it does."""
    entry, loss = LOSSES[config.loss], f"--loss {config.loss}"
    parts = (_of_other_objectives, _of_noise, _of_hits, _of_form)
    return next((reason for part in parts for reason in part(config, entry, loss)), None)


def _of_other_objectives(config: "TrainConfig", entry: Entry, loss: str) -> Iterator[str]:
    if entry.cosine and config.similarity == "dot":
        yield f"--similarity dot: {loss} is defined on cosines, where a margin means the same for all words"
    for name in (*SPECIAL, *PARAMETERS):
        if _is_given(config, name) and not _has(entry, name):
            losses = [other for other, row in LOSSES.items() if _has(row, name)]
            yield f"{_flag(name)}: not an option of {loss}; it is for --loss {', '.join(losses)}"
    low, high = LEARNED_TEMPERATURES
    if config.learn_temperature and config.temperature is not None and not low <= config.temperature <= high:
        yield f"--temperature {config.temperature:g}: a learned one stays between {low:g} and {high:g}"
    if config.no_logq and config.frequency_estimate == "streaming":
        yield "--frequency-estimate streaming: with --no-logq there is nothing to estimate for"


def _of_noise(config: "TrainConfig", entry: Entry, loss: str) -> Iterator[str]:
    drawn = [name for name in OF_DRAWS if _is_given(config, name)]
    if entry.layout == "in_batch":
        if config.unique:
            yield f"--unique: the noise of {loss} is what the text brings; drop --unique"
        if drawn and not config.negative:
            yield f"{_flag(drawn[0])}: {loss} draws noise only with --negative"
        if config.share_noise > 1:
            yield f"--share-noise {config.share_noise}: all pairs of a batch share their noise"
    elif not entry.negative:
        for name in (*drawn, "negative", "share_noise", "accidental_hits"):
            if _is_given(config, name):
                yield f"{_flag(name)}: {loss} draws no noise"
    elif config.negative == 0:
        yield f"--negative 0: {loss} needs noise words, at least 1"
    if config.noise_power is not None and config.noise != "unigram":
        yield f"--noise-power {config.noise_power:g}: --noise {config.noise} does not depend on counts"


def _of_hits(config: "TrainConfig", entry: Entry, loss: str) -> Iterator[str]:
    hits = config.accidental_hits
    exact = config.no_logq or config.allow_biased or hits is None or (hits == "remove") == config.unique
    if config.loss == "sampled-softmax" and not exact:
        drawn = "--unique" if config.unique else "drawing with replacement"
        yield (f"--accidental-hits {hits} with {drawn}: the corrected scores would not be log probabilities; the "
               "consistent pairs are replacement with keep and --unique with remove; --allow-biased trains it all the "
               "same")  # fmt: skip
    if config.share_noise > 1 and _hides_hits(config, entry):
        yield f"--share-noise {config.share_noise}: {loss} cannot leave noise out for one centre alone; take 1"


def _of_form(config: "TrainConfig", entry: Entry, loss: str) -> Iterator[str]:
    backward = config.direction == "context-from-centre"
    if config.cbow_normalize and config.architecture != "cbow":
        yield "--cbow-normalize: only --architecture cbow takes a mean"
    if config.architecture == "cbow":
        if entry.layout == "in_batch":
            yield f"--architecture cbow: {loss} pairs single words; take skipgram"
        if backward:
            yield "--direction context-from-centre: cbow predicts the centre from its context, there is no other way"
        if config.multi_positive:
            yield "--multi-positive: with cbow the word predicted is one"
    if config.multi_positive:
        if not backward:
            yield ("--multi-positive: several positives are the context words of one centre; add --direction "
                   "context-from-centre")  # fmt: skip
        if config.share_noise > 1:
            yield f"--share-noise {config.share_noise}: with --multi-positive all words of a window share their noise"


def _has(entry: Entry, name: str) -> bool:
    """Whether an objective has one of the options SPECIAL or PARAMETERS."""
    if name in PARAMETERS:
        return getattr(entry, name) is not None
    return name in entry.options or (name == "similarity" and entry.cosine)


def applies(config: "TrainConfig", name: str) -> bool:
    """Whether an option has a meaning beside the others; one without is not worth showing."""
    entry, draws = LOSSES[config.loss], bool(config.negative)
    if name in (*SPECIAL, *PARAMETERS):
        return _has(entry, name)
    if name in ("negative", "accidental_hits"):
        return draws or entry.layout == "in_batch"
    if name in ("unique", "share_noise"):
        return draws and entry.layout != "in_batch"
    if name == "noise_power":
        return draws and config.noise == "unigram"
    if name == "fixed_window":
        return config.window != "line"
    return config.architecture == "cbow" if name == "cbow_normalize" else draws or name != "noise"


def too_few_words(config: "TrainConfig", n_words: int) -> str | None:
    """Why a vocabulary is too small for the options; None when it is not."""
    negative = config.negative or 0
    if config.unique and negative * 2 >= n_words:
        return (f"--unique: {negative} noise words are half of the vocabulary of {n_words} or more; lower --negative, "
                "or draw with replacement")  # fmt: skip
    if LOSSES[config.loss].layout == "paths" and n_words < 2:
        return f"--loss {config.loss}: a tree needs at least two words"
    return None


def _is_given(config: "TrainConfig", name: str) -> bool:
    """Whether an option says anything; `chosen` may have written the value of one that does not apply."""
    neutral = {"noise": "unigram", "negative": 0}
    value = getattr(config, name)
    return value > 1 if name == "share_noise" else value not in (None, neutral.get(name)) and value is not False


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"
