"""`w2v data`: small corpora and benchmark sets that an installed package brings along."""

import click

from w2v.cli.output import print_rows
from w2v.eval.datasets import PACKAGED, packaged_path


@click.group()
def command() -> None:
    """Find small corpora and benchmark sets that come with gensim (pip install 'w2v[eval]').

    \b
      w2v data list
      w2v train "$(w2v data path head500.noblanks.cor)"
    """


@command.command("list")
def list_data() -> None:
    """List the files, with where each is."""
    print_rows(("name", "path"), [(name, str(packaged_path(name))) for name in PACKAGED], tsv_header=True)


@command.command()
@click.argument("name", type=click.Choice(PACKAGED))
def path(*, name: str) -> None:
    """Print the path of the file NAME."""
    click.echo(packaged_path(name))
