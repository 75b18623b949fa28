"""Command-line options made from the fields of TrainConfig: names, defaults and help are written there, once."""

import dataclasses
from collections.abc import Callable
from typing import Any

import click

from w2v.config import TrainConfig


class WindowType(click.ParamType):
    """A whole number or the word `line`; what numbers make sense is TrainConfig's to say."""

    name = "INTEGER|line"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        if value == "line" or isinstance(value, int):
            return value
        try:
            return int(value)
        except ValueError:
            self.fail(f"{value!r} is neither a whole number nor `line`", param, ctx)


def config_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator: one option for each field of TrainConfig."""
    for field in reversed(dataclasses.fields(TrainConfig)):
        command = _option(field)(command)
    return command


def _option(field: "dataclasses.Field[Any]") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    flag = "--" + field.name.replace("_", "-")
    settings: dict[str, Any] = {"help": field.metadata["help"], "default": field.default}
    if isinstance(field.default, bool):
        return click.option(flag, is_flag=True, **settings)
    settings["show_default"] = field.default is not None
    if field.name == "window":
        settings["type"] = WindowType()
    elif "choices" in field.metadata:
        settings["type"] = click.Choice(field.metadata["choices"])
    else:
        settings["type"] = float if isinstance(field.default, float) else int
    return click.option(flag, **settings)
