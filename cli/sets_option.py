"""An option that takes several values behind one flag, which click has for a fixed number only."""

from collections.abc import Sequence

import click

FLAG = "--sets"


class SetsCommand(click.Command):
    """A command whose option `--sets` takes all that follows it, up to the next option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, repeated(args, FLAG))


def repeated(arguments: Sequence[str], flag: str) -> list[str]:
    """Write ``flag a b`` as ``flag a flag b``; what begins with a hyphen ends the values."""
    spread: list[str] = []
    is_value = False
    for position, argument in enumerate(arguments):
        if argument == "--":
            return [*spread, *arguments[position:]]
        if argument.startswith("-"):
            is_value = argument == flag or argument.startswith(f"{flag}=")
        elif is_value and spread[-1] != flag:
            spread.append(flag)
        spread.append(argument)
    return spread
