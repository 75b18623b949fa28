"""Functions that Numba chooses by the type of their first argument.

The sweep calls `residual(loss, ...)`, `advance(layout, ...)` and so on; each kind of loss or layout is a NamedTuple
class with a static method of that name.  So the sweep knows none of them by name, and its machine code can be kept on
disk, which a function passed as an argument would prevent.
"""

from collections.abc import Callable
from typing import Any

from numba.extending import overload


def by_type(stub: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator: calls of `stub` go to the static method of that name of its first argument.

    The names of the arguments must be those of the methods.  Integers known when compiling stay known inside.
    """

    @overload(stub, prefer_literal=True, strict=False, jit_options={"forceinline": True})
    def _choose(subject, *args):
        return getattr(subject.instance_class, stub.__name__)

    return stub


def methods(**functions: Callable[..., Any]) -> Callable[[Any], Any]:
    """Decorator of a class: static methods that it shares with other classes."""

    def add_to(cls: Any) -> Any:
        for name, function in functions.items():
            setattr(cls, name, staticmethod(function))
        return cls

    return add_to
