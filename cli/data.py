"""`w2v data`: benchmark sets and corpora by name."""

import click

from w2v.cli.output import note, print_json, print_rows
from w2v.data.catalog import KINDS, Entry, at_hand, entries, entry_of, find, locate, why_not_at_hand
from w2v.errors import DataError

_json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object a name.")


@click.group()
def command() -> None:
    """Find and download benchmark sets and corpora.

    \b
      w2v data list
      w2v data get men rw
      w2v train data:text8
      w2v train "$(w2v data path head500)"

    `data:NAME` works wherever a corpus or set is named, and downloads what is not at hand.  Copies that come with
    gensim (pip install 'w2v[eval]') are used where they are.  Everything else goes to the user's cache folder, or
    to $W2V_DATA, and is compared with the checksum of the catalogue whenever it is used.
    """


@command.command("list")
@click.option("--kind", type=click.Choice(KINDS), help="Only those of this kind.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array, with citations, addresses and checksums.")
def list_data(*, kind: str | None, as_json: bool) -> None:
    """List all, with size in bytes, licence and place.

    `packaged` comes with the installed gensim; `cached` was downloaded; `not downloaded` is fetched when it is first
    used, or by `w2v data get`; `needs gensim` is in gensim only (pip install 'w2v[eval]'); `damaged` is there, but
    cannot be read or has a wrong checksum: `w2v data path NAME` says what to do.  Aliases are names that work as well.
    """
    chosen = [entry for entry in entries() if kind in (None, entry.kind)]
    if as_json:
        print_json([_facts(entry) for entry in chosen])
        return
    columns = ("name", "title", "kind", "language", "bytes", "licence", "where", "aliases")
    rows = [
        (
            entry.name,
            entry.title,
            entry.kind,
            entry.language,
            entry.size,
            entry.licence,
            locate(entry)[0],
            " ".join(entry.names[1:]),
        )
        for entry in chosen
    ]
    print_rows(columns, rows, tsv_header=True)


@command.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@_json_option
@click.pass_context
def get(ctx: click.Context, *, names: tuple[str, ...], as_json: bool) -> None:
    """Download each NAME that is not at hand, and print the paths.

    \b
      w2v data get men rw

    What breaks off begins anew the next time; a file with a wrong checksum is not kept.  What cannot be had does not
    keep the others from being tried; the exit code is 2 then.
    """
    # A slip in the last name shows before the first is downloaded.
    failed = False
    for entry in [entry_of(name) for name in names]:
        try:
            _print_path(entry.name, str(find(entry.name, note)), as_json)
        except DataError as error:
            note(f"Error: {error}")
            failed = True
    if failed:
        ctx.exit(DataError.exit_code)


@command.command()
@click.argument("name")
@_json_option
@click.pass_context
def path(ctx: click.Context, *, name: str, as_json: bool) -> None:
    """Print the path of NAME if it is at hand; if not, the exit code is 1.

    \b
      w2v train "$(w2v data path head500)"
    """
    entry = entry_of(name)
    found = at_hand(entry)
    if found is None:
        note(f"Error: {name}: {why_not_at_hand(entry)}")
        ctx.exit(1)
    _print_path(entry.name, str(found), as_json)


def _print_path(name: str, where: str, as_json: bool) -> None:
    if as_json:
        print_json({"name": name, "path": where})
    else:
        print_rows(("",), [(where,)])


def _facts(entry: Entry) -> dict[str, object]:
    where, found = locate(entry)
    known = entry.download or entry.packaged
    return {
        "name": entry.name,
        "aliases": list(entry.names[1:]),
        "title": entry.title,
        "kind": entry.kind,
        "language": entry.language,
        "bytes": entry.size,
        "licence": entry.licence,
        "citation": entry.citation,
        "url": entry.download.url if entry.download else None,
        "checksum": known.checksum if known else None,
        "where": where,
        "path": str(found) if found else None,
    }
