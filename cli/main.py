"""The command group: finds commands without importing them, turns errors into one line and an exit code."""

import importlib
import os
import signal
import sys

import click

from w2v.errors import W2VError

COMMANDS = {
    "train": "Train vectors on a corpus.",
    "nn": "Nearest neighbours of a word.",
    "analogy": "Solve A is to B as C is to ?",
    "eval": "Score vectors on similarity and analogy benchmarks.",
    "info": "Describe a file of vectors.",
    "convert": "Convert vectors from one format to another.",
    "data": "Small corpora and benchmark sets at hand.",
}


class Terminated(BaseException):
    """SIGTERM has come; as an exception it lets every file be closed and taken away on the way out."""


class LazyGroup(click.Group):
    """Lists commands from COMMANDS, so that --help imports no command and no heavy library."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"w2v.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except W2VError as error:
            click.echo(f"Error: {error}", err=True)
            ctx.exit(error.exit_code)
        except BrokenPipeError:
            # The reader went away (head, a closed pager): stop quietly, and keep Python's shutdown from
            # complaining about the same pipe again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(0)
        except KeyboardInterrupt:
            click.echo("Interrupted.", err=True)
            ctx.exit(128 + signal.SIGINT)
        except Terminated:
            click.echo("Terminated.", err=True)
            ctx.exit(128 + signal.SIGTERM)


def _print_version(ctx: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value:
        from w2v.version import __version__

        click.echo(f"w2v {__version__}")
        ctx.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version,
              help="Show the version and exit.")  # fmt: skip
def cli() -> None:
    """Train, look up and evaluate word vectors.

    \b
    w2v train corpus.txt        writes vectors.bin
    w2v nn king                 the words nearest to king
    w2v eval vectors.bin        scores on standard benchmarks

    `w2v COMMAND --help` explains each command.
    """


def _terminate(_signal: int, _frame: object) -> None:
    raise Terminated


def main() -> None:
    """Entry point of the `w2v` program."""
    if signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:  # ignored, if whoever started the program wants it so
        signal.signal(signal.SIGTERM, _terminate)
    cli(prog_name="w2v")


if __name__ == "__main__":
    main()
