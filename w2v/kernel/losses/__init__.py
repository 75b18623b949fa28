"""The objectives, one file each, and the three functions through which the sweep reaches them.

A loss is a NamedTuple of its parameters with three static methods that Numba can compile:

    prepare(loss, scores, pairs, lanes)         what shifts scores or takes noise out: corrections, margins, hits
    value(loss, scores, pairs)                  the loss of prepared scores, summed over positive pairs, float64
    residual(loss, scores, pairs, lr, lanes)    prepared scores become -lr * d loss / d score, in place; 0 where
                                                there is no pair, and between the last column and the next row

Fields named in FIELDS are filled from the options of the training; a loss with others has a static method
`parameters(config, tables)` that gives them by name (see `margin`).  `scores` is flat float32, laid
out as `kernel.pairs.Pairs` says; `lanes`, known when compiling, is the part of a row that one vector holds.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from w2v.kernel import registry
from w2v.kernel.dispatch import by_type


def _load(place: str) -> Any:
    module, name = place.split(":")
    return getattr(import_module(module), name)


LOSSES = {name: _load(entry.place) for name, entry in registry.LOSSES.items()}
# config: w2v.config.TrainConfig; tables: w2v.plan.Tables
FIELDS: dict[str, Callable[[Any, Any], Any]] = {
    "remove_hits": lambda config, tables: config.accidental_hits == "remove",
    "at_once": lambda config, tables: config.multi_positive,
}


def make_loss(config: Any, tables: Any) -> Any:
    """The loss that the options name, with its parameters."""
    kind = LOSSES[config.loss]
    own = kind.parameters(config, tables) if hasattr(kind, "parameters") else {}
    return kind(**own, **{name: FIELDS[name](config, tables) for name in kind._fields if name not in own})


@by_type
def prepare(loss: Any, scores: Any, pairs: Any, lanes: int) -> None:
    """Shift scores, take noise out: what comes before the formula."""
    loss.prepare(loss, scores, pairs, lanes)


@by_type
def value(loss: Any, scores: Any, pairs: Any) -> float:
    """The loss, summed over the positive pairs."""
    result: float = loss.value(loss, scores, pairs)
    return result


@by_type
def residual(loss: Any, scores: Any, pairs: Any, lr: float, lanes: int) -> None:
    """Step 2 of the kernel: turn scores into what is added to the rows, -lr times the loss's derivative."""
    loss.residual(loss, scores, pairs, lr, lanes)
