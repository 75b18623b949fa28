"""`w2v split`: sessions or baskets into a part to train on and a part to predict."""

import math
from pathlib import Path

import click

WHOLE_LINES = 0.1


@click.command()
@click.argument("file", type=click.Path())
@click.option("--by", type=click.Choice(["last", "random"]), required=True,
              help="Hold out the last item of each line, or whole lines drawn at random.")  # fmt: skip
@click.option("--baskets", is_flag=True,
              help="With --by random: hold out one random item of each line, for items without an order.")  # fmt: skip
@click.option("--share", type=click.FloatRange(0, 1, min_open=True), metavar="SHARE",
              help="Share of lines of which something is held out.  [default: 0.1 of whole lines, else 1]")  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Seed of the random numbers.")
@click.option("--train", type=click.Path(path_type=Path), default="train.txt", show_default=True,
              help="File to write what is left to train on to.")  # fmt: skip
@click.option("--held-out", type=click.Path(path_type=Path), default="held-out.txt", show_default=True,
              help="File to write the lines to predict to.")  # fmt: skip
@click.option("--overwrite", is_flag=True, help="Replace existing files.")
def command(
    *, file: str, by: str, baskets: bool, share: float | None, seed: int, train: Path, held_out: Path, overwrite: bool
) -> None:
    """Split FILE, sessions or baskets one a line, into a part to train on and a held-out part to predict.

    \b
      w2v split sessions.txt --by last              the next item of every session
      w2v split sessions.txt --by random            sessions that training never sees, one in ten
      w2v split baskets.txt --by random --baskets   the missing item of every basket
      w2v train train.txt -o items.safetensors --loss sampled-softmax --window 3 --fixed-window --sample 0 \\
        --min-count 1 --negative 64 --share-noise 1 --lr 0.05 --epochs 20
      w2v eval items.safetensors --sessions held-out.txt --train-sessions train.txt --score output

    For baskets, whose items have no order, train with --window line in place of --window 3 --fixed-window.

    FILE may be a folder, a glob in quotes, a URL, data:NAME or -, and compressed, as for `w2v train`.  In the
    held-out file the last item of each line is the one to predict, from the items before it: with --by last a line
    stands there as it was, while the training file has it without its last item; with --baskets the item drawn is
    moved to the end, while the training file has the line without it.  Lines of one item go to the training file.
    Items are written byte by byte as they were, separated by one space.
    """
    from w2v.cli.output import note
    from w2v.corpus import Corpus
    from w2v.data.catalog import resolve
    from w2v.errors import ConfigError
    from w2v.eval.items import split
    from w2v.files import check_files, replacing

    if share is not None and math.isnan(share):
        raise ConfigError("--share nan: must be a number above 0 and at most 1")
    if baskets and by == "last":
        raise ConfigError("--baskets: the items of a basket have no last one; give --by random")
    corpus = Corpus([resolve(file, note)])
    check_files([train, held_out], corpus.files, overwrite)
    rule = split.random_item if baskets else split.last_item if by == "last" else split.whole_line
    if share is None:
        share = WHOLE_LINES if rule is split.whole_line else 1.0
    with replacing([train, held_out]) as (train_file, held_out_file):
        counts = split.split(corpus, train_file, held_out_file, rule=rule, share=share, seed=seed)
    short = f"; {counts.too_short} of one item, all for training" if counts.too_short else ""
    click.echo(f"{held_out}: {counts.held_out} of {counts.lines} lines{short}", err=True)
    click.echo(f"{train}: {counts.lines - (counts.held_out if rule is split.whole_line else 0)} lines", err=True)
