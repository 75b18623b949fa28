"""What files keep of a training beside its numbers, checked in one place.

Files come from other versions, other programs and editors.  Vectors can be used whatever stands beside them: reading
them warns.  A model that is to give scores cannot: reading and writing one is refused.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from w2v.config import TrainConfig
from w2v.errors import ConfigError
from w2v.kernel.registry import LOSSES
from w2v.objective import LEARNED_TEMPERATURES, too_few_words
from w2v.options import is_finite_number

Metadata = Mapping[str, Any]
_LONGEST = 40  # of a value, in characters, as it goes into a message
_ROUNDING = 1e-6  # a learned temperature at its limit is the exponential of a rounded logarithm


def read_config(metadata: Metadata) -> TrainConfig | None:
    """The options of the training, None when none are kept; those not kept have their defaults.

    Raises
    ------
    ConfigError
        When one is unknown or has a value that makes no sense.
    """
    options = metadata.get("config")
    if options is None:
        return None
    if not isinstance(options, dict):
        raise ConfigError(f"its options are {_told(options)}, not names and values")
    try:
        return TrainConfig.from_dict(options)
    except ConfigError as error:
        raise ConfigError(f"its options are of another version of w2v or damaged ({error})") from None


def faults(metadata: Metadata, shape: tuple[int, int], has_bias: bool) -> Iterator[str]:
    """What is wrong with the values that are there, each in a few words.

    Parameters
    ----------
    metadata : what the file keeps
    shape : number of words and dimension of its vectors
    has_bias : whether it holds output biases
    """
    try:
        config = read_config(metadata)
    except ConfigError as error:
        yield str(error)
        config = None
    if config is not None:
        yield from _faults_of_options(config, metadata, shape, has_bias)
    if "temperature" in metadata:
        yield from _faults_of_temperature(metadata["temperature"], config)
    losses = metadata.get("losses", [])
    if not (isinstance(losses, list) and all(loss is None or is_finite_number(loss) for loss in losses)):
        yield f"its losses are {_told(losses)}, not a list of numbers and null"
    for name in ("total_count", "tokens_trained"):
        count = metadata.get(name, 1)
        if type(count) is not int or count < 1:
            yield f"its {name} is {_told(count)}, not a whole number of at least 1"


def faults_of_model(metadata: Metadata, shape: tuple[int, int], has_bias: bool) -> Iterator[str]:
    """`faults`, and what is missing or contradicts itself when scores are asked for."""
    yield from faults(metadata, shape, has_bias)
    options = metadata.get("config")
    if not isinstance(options, dict) or "loss" not in options:
        yield "its options do not name the loss"
    try:
        config = read_config(metadata) or TrainConfig()
    except ConfigError:
        return  # said already
    if config.dim != shape[1]:
        yield f"its options do not give the dimension of its vectors, {shape[1]}"
    if config.bias and not has_bias:
        yield "its options say that output biases were learned, but it holds none"
    if config.temperature is not None and "temperature" not in metadata:
        yield f"it holds no temperature, which --loss {config.loss} has"
    reason = too_few_words(config, shape[0])
    if reason:
        yield f"its options do not suit its vocabulary ({reason})"


def has_output_words(metadata: Metadata) -> bool:
    """Whether output vectors are those of words, as far as the file says: with hs they are those of inner nodes."""
    options = metadata.get("config")
    losses = [metadata.get("objective"), options.get("loss") if isinstance(options, dict) else None]
    return not any(entry.layout == "paths" and name in losses for name, entry in LOSSES.items())


def _faults_of_options(
    config: TrainConfig, metadata: Metadata, shape: tuple[int, int], has_bias: bool
) -> Iterator[str]:
    options = metadata["config"]
    if "dim" in options and config.dim != shape[1]:
        yield f"its options say {config.dim} dimensions, its vectors have {shape[1]}"
    if has_bias and not config.bias:
        yield "it holds output biases, but its options do not say that they were learned"
    if "loss" in options and metadata.get("objective", config.loss) != config.loss:
        yield f"its objective is {_told(metadata['objective'])}, its options say {config.loss}"


def _faults_of_temperature(value: Any, config: TrainConfig | None) -> Iterator[str]:
    if config is None:
        if not (is_finite_number(value) and value > 0):
            yield f"its temperature is {_told(value)}, not a number greater than 0"
    elif config.temperature is None:
        if value is not None:
            yield f"its temperature is {_told(value)}, but --loss {config.loss} has none"
    elif config.learn_temperature:
        low, high = LEARNED_TEMPERATURES
        if not (is_finite_number(value) and low * (1 - _ROUNDING) <= value <= high * (1 + _ROUNDING)):
            yield f"its temperature is {_told(value)}, but a learned one stays between {low:g} and {high:g}"
    elif not is_finite_number(value) or value != config.temperature:
        yield f"its temperature is {_told(value)}, its options say {config.temperature:g}"


def _told(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
