"""What an option is: a field with a default, a meaning, and rules for its values."""

import sys
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import field, fields
from functools import partial
from typing import Any


def option(default: Any, help_text: str, **metadata: Any) -> Any:
    """A field of a dataclass.

    Parameters
    ----------
    default : the value when none is given; None may stand for one that depends on other options
    help_text : its meaning
    metadata : rules that `broken_rule` knows, and what the command line needs
        kind: the type of its values, by default that of the default; object: `broken_rule` shall not look at it.
        choices: all values there are.  low, high: limits.  off: the flag that says the default of a bool.
        heading: the part of the help text it belongs to.
    """
    kind = metadata.pop("kind", str if "choices" in metadata else type(default))
    return field(default=default, metadata={"help": help_text, "kind": kind, **metadata})


def heading(name: str) -> Callable[..., Any]:
    """`option` for a part of the help text."""
    return partial(option, heading=name)


def parameters(options: type[Any]) -> str:
    """The section "Parameters" of a docstring, out of the fields of a dataclass of options."""
    lines, last = ["Parameters", "----------"], ""
    for f in fields(options):
        if f.metadata["heading"] != last:
            last = f.metadata["heading"]
            lines.append(f"*{last}*")
        lines.append(f"{f.name} : default {f.default!r}")
        lines += textwrap.wrap(f.metadata["help"], 110, initial_indent="    ", subsequent_indent="    ")
    return "\n".join(lines)


def is_finite_number(value: Any) -> bool:
    """Whether a value out of JSON or a caller's hands is a number that a float can hold."""
    return type(value) in (int, float) and abs(value) <= sys.float_info.max


def broken_rule(value: Any, rules: Mapping[str, Any]) -> str | None:
    """What is wrong with a value by itself; None when nothing is."""
    kind, choices, low, high = (rules.get(name) for name in ("kind", "choices", "low", "high"))
    if choices and value not in choices:
        return f"must be one of {', '.join(choices)}"
    if kind is bool and type(value) is not bool:
        return "must be true or false"
    if kind is int and type(value) is not int:
        return "must be a whole number"
    if kind is float and not is_finite_number(value):
        return "must be a finite number"
    if low is not None and value < low:
        return f"must be at least {low}"
    return f"must be at most {high}" if high is not None and value > high else None
