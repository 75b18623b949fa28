"""The objectives, one file each, and the two functions through which the sweep reaches them.

A loss is a NamedTuple of its parameters, `remove_hits` among them, with two static methods that Numba can compile:

    residual(loss, scores, pairs, lr)   scores become -lr * d loss / d score, in place; 0 where there is no pair
    value(loss, scores, pairs)          the loss summed over the positive pairs, float64

`scores` is flat float32, laid out as `kernel.windows.Pairs` says.  The sweep calls the functions below; Numba picks
the loss by the type of the first argument, so the sweep knows no loss by name and its machine code can be kept on
disk.
"""

from importlib import import_module
from typing import Any

from numba.extending import overload

from w2v.kernel import registry


def _load(place: str) -> Any:
    module, name = place.split(":")
    return getattr(import_module(module), name)


LOSSES = {name: _load(place) for name, place in registry.LOSSES.items()}


def residual(loss: Any, scores: Any, pairs: Any, lr: float) -> None:
    """Step 2 of the kernel: turn scores into what is added to the rows, -lr times the loss's derivative."""
    loss.residual(loss, scores, pairs, lr)


def value(loss: Any, scores: Any, pairs: Any) -> float:
    """The loss, summed over the positive pairs."""
    result: float = loss.value(loss, scores, pairs)
    return result


@overload(residual)
def _residual(loss, scores, pairs, lr):
    return loss.instance_class.residual


@overload(value)
def _value(loss, scores, pairs):
    return loss.instance_class.value
