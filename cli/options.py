"""Command-line options made from the fields of TrainConfig: names, defaults and help are written there, once."""

import dataclasses
from collections.abc import Callable
from typing import Any

import click
from click.core import ParameterSource

from w2v.config import TrainConfig
from w2v.kernel.registry import LOSSES

FIELDS = {field.name: field for field in dataclasses.fields(TrainConfig)}
FILES = "Files and messages"  # what the command adds


class WindowType(click.ParamType):  # type: ignore[type-arg]  # generic in newer releases of click only
    """A whole number or the word `line`; what numbers make sense is TrainConfig's to say."""

    name = "INTEGER|line"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        if isinstance(value, int):
            return value
        if value == "line":
            return "line"
        try:
            return int(value)
        except ValueError:
            self.fail(f"{value!r} is neither a whole number nor `line`", param, ctx)


class TrainCommand(click.Command):
    """A command whose help has its options under headings, and the objectives at its end."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {field.metadata["heading"]: [] for field in FIELDS.values()}
        for parameter in self.get_params(ctx):
            field, record = FIELDS.get(parameter.name or ""), parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                sections.setdefault(field.metadata["heading"] if field else FILES, []).append(record)
        sections["Objectives (--loss)"] = [(name, entry.summary) for name, entry in LOSSES.items()]
        for heading, records in sections.items():
            with formatter.section(heading):
                formatter.write_dl(records)


def given_options(options: dict[str, Any]) -> dict[str, Any]:
    """Those that were named on the command line, not left at their defaults."""
    context = click.get_current_context()
    return {n: value for n, value in options.items() if context.get_parameter_source(n) != ParameterSource.DEFAULT}


def config_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator: one option for each field of TrainConfig."""
    for field in reversed(FIELDS.values()):
        command = _option(field)(command)
    return command


def _option(field: "dataclasses.Field[Any]") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    flag = "--" + field.name.replace("_", "-")
    settings: dict[str, Any] = {"help": field.metadata["help"], "default": field.default}
    if field.metadata["kind"] is bool:
        off = field.metadata.get("off")
        return click.option(f"{flag}/{off}" if off else flag, is_flag=True, **settings)
    settings["show_default"] = field.default is not None
    if field.name == "window":
        settings["type"] = WindowType()
    elif "choices" in field.metadata:
        settings["type"] = click.Choice(field.metadata["choices"])
    else:
        settings["type"] = field.metadata["kind"]
    return click.option(flag, **settings)
