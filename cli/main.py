"""The command group: finds commands without importing them, turns errors into one line and an exit code."""

import contextlib
import importlib
import signal
import sys

import click

from w2v.cli.output import discard_stdout
from w2v.errors import W2VError

COMMANDS = {
    "train": "Train vectors on a corpus.",
    "nn": "Nearest neighbours of a word.",
    "analogy": "Solve A is to B as C is to ?",
    "eval": "Score vectors on similarity, analogy and category benchmarks.",
    "compare": "Train w2v, gensim and fastText on one corpus and compare them.",
    "split": "Hold out a part of sessions or baskets, to predict it.",
    "info": "Describe a file of vectors.",
    "convert": "Convert vectors from one format to another.",
    "data": "Benchmark sets and corpora: list, download, find.",
}


RAISE_AGAIN_SECONDS = 0.2


class Stopped(BaseException):
    """SIGINT or SIGTERM has come; as an exception it lets every file be closed and taken away on the way out."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class Signals:
    """Turns SIGINT and SIGTERM into `Stopped`."""

    def __init__(self) -> None:
        self._number = 0

    def watch(self) -> None:
        """Begin.  A signal that whoever started the program wants ignored stays so."""
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, self._stop)
        if hasattr(signal, "SIGALRM"):
            signal.signal(signal.SIGALRM, self._stop)

    def _stop(self, number: int, _frame: object) -> None:
        if not hasattr(signal, "SIGALRM") or number != signal.SIGALRM:
            self._number = number
        # The module is there but empty while Numba is being loaded, and nothing is compiled then.
        when_not_compiling = getattr(sys.modules.get("w2v.kernel.jit"), "when_not_compiling", None)
        if when_not_compiling is None:
            self._raise()
        else:
            when_not_compiling(self._raise)

    def _raise(self) -> None:
        if hasattr(signal, "SIGALRM"):
            # An exception in the middle of a callback from C is printed and lost; it is raised until it is heard.
            signal.setitimer(signal.ITIMER_REAL, RAISE_AGAIN_SECONDS)
        raise Stopped(self._number)

    def heard(self) -> None:
        """The exception has arrived; further signals end the program as they do by themselves."""
        if hasattr(signal, "SIGALRM"):
            signal.setitimer(signal.ITIMER_REAL, 0)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)


SIGNALS = Signals()


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
            say(f"Error: {error}")
            ctx.exit(error.exit_code)
        except BrokenPipeError:
            # The reader went away (head, a closed pager): stop quietly, and keep Python's shutdown from
            # complaining about the same pipe again.
            discard_stdout()
            ctx.exit(0)
        except Stopped as stopped:
            SIGNALS.heard()
            say("Interrupted." if stopped.number == signal.SIGINT else "Terminated.")
            ctx.exit(128 + stopped.number)
        except KeyboardInterrupt:  # where no handler is set: a command called from Python
            say("Interrupted.")
            ctx.exit(128 + signal.SIGINT)


def say(message: str) -> None:
    """A line on stderr; when that is closed or full, the exit code has to do."""
    with contextlib.suppress(OSError):
        click.echo(message, err=True)


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


def main() -> None:
    """Entry point of the `w2v` program."""
    SIGNALS.watch()
    cli(prog_name="w2v")


if __name__ == "__main__":
    main()
