"""The catalogue of sets and corpora, and downloads from a server of the test's own."""

import importlib.util
import os
import re
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest
from served import TEXT, Server, entry, serving, sha256, zipped

from w2v.data import catalog, download, path
from w2v.data.catalog import Entry, Packaged, entries, find, locate, names, resolve
from w2v.data.download import Archive
from w2v.errors import DataError

SHARED = Path(__file__).resolve().parents[2] / "shared" / "benchmarks"
needs_gensim = pytest.mark.skipif(importlib.util.find_spec("gensim") is None, reason="needs gensim")
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared/benchmarks")


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as state:
        yield state


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of downloads, not there yet; no proxy of the machine is asked."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("W2V_DATA", str(tmp_path / "cache" / "data"))
    return tmp_path / "cache" / "data"


@pytest.fixture
def know(monkeypatch: pytest.MonkeyPatch) -> "Knows":
    return Knows(monkeypatch)


class Knows:
    """Makes the catalogue hold one entry."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch

    def __call__(self, known: Entry) -> None:
        self._monkeypatch.setattr(catalog, "entries", lambda: (known,))


def only(folder: Path) -> list[str]:
    """Names in the folder, hidden ones too."""
    return sorted(item.name for item in folder.iterdir())


def free_port() -> int:
    """A port on which nobody listens."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


# --- the catalogue itself


def test_entries_are_complete() -> None:
    known = [name for one in entries() for name in one.names]
    assert len(known) == len(set(known))
    for one in entries():
        assert one.kind in catalog.KINDS
        assert re.fullmatch("[a-z]{2}", one.language)
        assert one.title
        assert one.licence
        assert one.citation
        assert one.name == one.name.lower()
        assert one.packaged or one.download
        sums = [part.checksum for part in (one.packaged, one.download) if part]
        assert all(re.fullmatch("sha256:[0-9a-f]{64}|md5:[0-9a-f]{32}", one_sum) for one_sum in sums)


def test_what_comes_over_the_net_is_checked_by_sha256() -> None:
    for one in entries():
        if one.download is not None:
            assert re.fullmatch("sha256:[0-9a-f]{64}", (one.download.archive or one.download).checksum), one.name
            assert re.fullmatch(r"https?://[\w./-]+", one.download.url)


def test_names_by_kind() -> None:
    assert {"men", "rw", "mturk771", "rg65", "ws353", "ws353-sim", "ws353-rel", "simlex999"} <= set(names("similarity"))
    assert names("analogy") == ("google", "msr")
    assert names("corpus") == ("head500", "lee", "text8")
    assert set(names()) == {one.name for one in entries()}


@pytest.mark.parametrize("name", ["wordsim353", "WordSim353", "ws353", "wordsim353.tsv"])
def test_a_set_has_one_entry_under_all_its_names(name: str) -> None:
    assert catalog.entry_of(name).name == "ws353"
    assert catalog.is_known(name)


def test_an_unknown_name_gets_the_similar_ones() -> None:
    assert not catalog.is_known("simlex99")
    with pytest.raises(DataError, match=r"simlex99: .* did you mean simlex999"):
        find("simlex99")
    with pytest.raises(DataError, match="zzzzzz: no set or corpus of that name; `w2v data list`"):
        find("zzzzzz")


@needs_shared
def test_sums_are_those_of_the_files() -> None:
    files = {file.name: file for file in SHARED.rglob("*.txt")}
    compared = 0
    for one in entries():
        if one.download is not None and one.download.archive is None:
            data = files[one.download.file].read_bytes()
            assert (sha256(data), len(data)) == (one.download.checksum, one.download.size), one.name
            compared += 1
    assert compared == 12


@needs_shared
@needs_gensim
@pytest.mark.parametrize("name", ["ws353", "simlex999", "google"])
def test_both_files_of_an_entry_say_the_same(name: str) -> None:
    one = catalog.entry_of(name)
    assert one.download is not None
    (downloaded,) = SHARED.rglob(one.download.file)
    assert content(find(name)) == content(downloaded)


def content(file: Path) -> list[tuple[object, ...]]:
    """Fields of the lines that are no comments, numbers as numbers."""
    lines = [line.split() for line in file.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
    return [tuple(float(field) if re.fullmatch(r"[\d.]+", field) else field for field in line) for line in lines]


@needs_gensim
@pytest.mark.parametrize("one", [one for one in entries() if one.packaged], ids=lambda one: one.name)
def test_packaged_files_are_found_without_a_download(one: Entry, folder: Path) -> None:
    assert one.packaged is not None
    found = find(one.name)
    assert found.name == one.packaged.file
    assert found.stat().st_size == one.size == one.packaged.size
    assert locate(one) == ("packaged", found)
    assert path(one.packaged.file) == found
    assert not folder.exists()


def test_without_gensim_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    assert locate(catalog.entry_of("lee")) == ("needs gensim", None)
    with pytest.raises(DataError, match=r"lee_background\.cor comes with gensim.*pip install"):
        find("lee")


def gensim_with(data: bytes, root: Path) -> ModuleSpec:
    """As if a gensim were installed whose cups.txt holds `data`."""
    (root / "test" / "test_data").mkdir(parents=True)
    (root / "test" / "test_data" / "cups.txt").write_bytes(data)
    spec = ModuleSpec("gensim", None, is_package=True)
    spec.submodule_search_locations = [str(root)]
    return spec


@pytest.mark.parametrize("intact", [True, False])
def test_a_packaged_file_with_another_checksum_is_not_used(
    intact: bool, server: Server, folder: Path, know: Knows, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = gensim_with(TEXT if intact else TEXT + b"x", folder.parent / "gensim")
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: spec)
    server.files["/cups.txt"] = TEXT
    served = entry(f"{server.url}/cups.txt")
    both = Entry(**{**vars(served), "packaged": Packaged("cups.txt", sha256(TEXT), len(TEXT))})
    know(both)
    assert (find("cups").parent == folder) is not intact
    assert bool(server.paths) is not intact
    know(Entry(**{**vars(both), "download": None}))
    if not intact:
        with pytest.raises(DataError, match=r"cups\.txt: not the file of the catalogue.*pip install"):
            find("cups")


# --- downloads


def test_a_good_file_is_downloaded_once(server: Server, folder: Path, know: Knows) -> None:
    server.files["/some/cups.txt"] = TEXT
    know(entry(f"{server.url}/some/cups.txt"))
    said: list[str] = []
    assert locate(catalog.entry_of("cups")) == ("not downloaded", None)
    found = find("cups", said.append)
    assert found == folder / "cups.txt"
    assert found.read_bytes() == TEXT
    assert said == [f"downloading {server.url}/some/cups.txt ({len(TEXT):,} bytes) to {found}"]
    assert find("CUPS", said.append) == found
    assert locate(catalog.entry_of("cups")) == ("cached", found)
    assert server.paths == ["/some/cups.txt"]
    assert len(said) == 1
    assert only(folder) == ["cups.txt"]


def test_others_may_read_what_was_downloaded(server: Server, folder: Path, know: Knows) -> None:
    server.files["/cups.txt"] = TEXT
    know(entry(f"{server.url}/cups.txt"))
    mask = os.umask(0o022)
    try:
        assert stat.S_IMODE(find("cups").stat().st_mode) == 0o644
    finally:
        os.umask(mask)


def test_a_wrong_checksum_is_told_and_nothing_kept(server: Server, folder: Path, know: Knows) -> None:
    wrong = TEXT[:-2] + b"9\n"
    server.files["/cups.txt"] = wrong
    know(entry(f"{server.url}/cups.txt"))
    with pytest.raises(DataError, match=f"expected {sha256(TEXT)}, got {sha256(wrong)}"):
        find("cups")
    assert only(folder) == []


def test_a_broken_connection_leaves_nothing_and_the_next_begins_anew(server: Server, folder: Path, know: Knows) -> None:
    server.files["/cups.txt"] = TEXT
    server.broken.add("/cups.txt")
    know(entry(f"{server.url}/cups.txt"))
    with pytest.raises(DataError, match=r"cannot be downloaded .*; try again, or .* save it as .*cups\.txt"):
        find("cups")
    assert only(folder) == []
    server.broken.clear()
    assert find("cups").read_bytes() == TEXT
    assert server.paths == ["/cups.txt"] * 2


def test_an_error_of_the_server_is_named(server: Server, folder: Path, know: Knows) -> None:
    know(entry(f"{server.url}/gone.txt"))
    with pytest.raises(DataError, match=r"gone\.txt: cannot be downloaded \(the server answers 404 Not Found\)"):
        find("cups")
    assert only(folder) == []


def test_offline_is_one_line_with_the_address_and_where_to_save(folder: Path, know: Knows) -> None:
    url = f"http://127.0.0.1:{free_port()}/cups.txt"
    know(entry(url))
    with pytest.raises(DataError) as error:
        find("cups")
    assert str(error.value) == (
        f"{url}: cannot be downloaded (Connection refused); try again, or get it by other means and save it as "
        f"{folder / 'cups.txt'}: it is verified there"
    )
    (folder / "cups.txt").write_bytes(TEXT)
    assert find("cups") == folder / "cups.txt"


def test_a_server_that_stalls_is_given_up(
    server: Server, folder: Path, know: Knows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "TIMEOUT_SECONDS", 0.2)
    server.files["/cups.txt"] = TEXT
    server.stalled.add("/cups.txt")
    know(entry(f"{server.url}/cups.txt"))
    with pytest.raises(DataError, match=r"cannot be downloaded .*timed out"):
        find("cups")
    assert only(folder) == []


def test_a_server_that_does_not_end_is_cut_off(server: Server, folder: Path, know: Knows) -> None:
    server.files["/cups.txt"] = TEXT
    server.endless.add("/cups.txt")
    know(entry(f"{server.url}/cups.txt"))
    with pytest.raises(DataError, match="more bytes than sha256:"):
        find("cups")
    assert server.half_sent.wait(10)
    assert only(folder) == []


def test_a_damaged_file_in_the_cache_is_replaced(server: Server, folder: Path, know: Knows) -> None:
    folder.mkdir(parents=True)
    (folder / "cups.txt").write_bytes(TEXT[:100])
    know(entry(f"{server.url}/cups.txt"))
    with pytest.raises(DataError, match="404"):
        find("cups")
    assert (folder / "cups.txt").read_bytes() == TEXT[:100]
    server.files["/cups.txt"] = TEXT
    said: list[str] = []
    assert find("cups", said.append).read_bytes() == TEXT
    assert "its checksum differs" in said[0]


def test_a_cache_that_cannot_be_written(
    server: Server, tmp_path: Path, know: Knows, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("W2V_DATA", str(tmp_path / "file" / "data"))
    server.files["/cups.txt"] = TEXT
    know(entry(f"{server.url}/cups.txt"))
    with pytest.raises(DataError, match="Not a directory; let the environment variable W2V_DATA name a folder"):
        find("cups")


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_read_only_cache(server: Server, folder: Path, know: Knows) -> None:
    folder.mkdir(parents=True)
    folder.chmod(0o500)
    server.files["/cups.txt"] = TEXT
    know(entry(f"{server.url}/cups.txt"))
    with pytest.raises(DataError, match=r"cups\.txt: cannot be written .*W2V_DATA"):
        find("cups")


def test_a_folder_that_may_not_be_entered_holds_nothing(folder: Path, know: Knows) -> None:
    know(entry(f"http://127.0.0.1:{free_port()}/cups.txt"))
    folder.parent.mkdir(parents=True)
    folder.symlink_to(folder)  # a loop: the superuser cannot enter it either
    assert locate(catalog.entry_of("cups")) == ("not downloaded", None)
    with pytest.raises(DataError, match="W2V_DATA"):
        find("cups")


def test_a_full_disk(server: Server, know: Knows, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(download._Checked, "flush", refuse)
    server.files["/cups.txt"] = TEXT
    know(entry(f"{server.url}/cups.txt"))
    with pytest.raises(DataError, match=r"No space left on device.*W2V_DATA"):
        find("cups")
    assert only(folder) == []


def test_a_proxy_of_the_environment_is_asked(
    server: Server, folder: Path, know: Knows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", server.url)
    server.files["http://sets.invalid/cups.txt"] = TEXT
    know(entry("http://sets.invalid/cups.txt"))
    assert find("cups").read_bytes() == TEXT


# --- archives


@dataclass
class Zip:
    """A zip file, and what the catalogue has of it: its checksum (the right one when empty) and its member cups."""

    data: bytes
    checksum: str = ""
    text: bytes = TEXT

    def entry(self, server: Server) -> Entry:
        """Have it served."""
        server.files["/cups.zip"] = self.data
        archive = Archive("cups", self.checksum or sha256(self.data), len(self.data))
        return entry(f"{server.url}/cups.zip", self.text, archive)


def test_a_member_of_an_archive(server: Server, folder: Path, tmp_path: Path, know: Knows) -> None:
    know(Zip(zipped(readme=b"hello", cups=TEXT, __evil=b"outside")).entry(server))
    assert find("cups") == folder / "cups"
    assert find("cups").read_bytes() == TEXT
    assert only(folder) == ["cups"]
    assert [item.name for item in tmp_path.rglob("*") if item.is_file()] == ["cups"]
    assert len(server.paths) == 1


@pytest.mark.parametrize(
    ("served", "message"),
    [
        (Zip(zipped(cups=TEXT), checksum=sha256(b"")), "expected sha256:e3b0c44298fc1c14"),
        (Zip(zipped(cups=TEXT), text=TEXT[:-1] + b" "), "expected sha256:"),
        (Zip(zipped(cups=TEXT), text=TEXT[:-1]), "more bytes than sha256:"),
        (Zip(zipped(mugs=TEXT)), "cups cannot be taken out of it"),
        (Zip(b"no archive"), "cups cannot be taken out of it"),
    ],
)
def test_archives_with_something_wrong(served: Zip, message: str, server: Server, folder: Path, know: Knows) -> None:
    know(served.entry(server))
    with pytest.raises(DataError, match=message):
        find("cups")
    assert only(folder) == []


def test_a_damaged_member(server: Server, folder: Path, know: Knows) -> None:
    data = bytearray(zipped(cups=TEXT))
    data[45] ^= 0xFF
    know(Zip(bytes(data)).entry(server))
    with pytest.raises(DataError, match="cups cannot be taken out of it"):
        find("cups")
    assert only(folder) == []


# --- names where files are expected


def test_a_name_becomes_a_path_and_all_else_stays(
    server: Server, folder: Path, know: Knows, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.files["/cups.txt"] = TEXT
    know(entry(f"{server.url}/cups.txt"))
    monkeypatch.chdir(tmp_path)
    for other in ("cups", "-", "text/*.txt", "http://data:cups", "s3://data:cups"):
        assert resolve(other) == other
    assert resolve("data:cups") == str(folder / "cups.txt")
    with pytest.raises(DataError, match="mugs: no set or corpus of that name"):
        resolve("data:mugs")
    (tmp_path / "data:cups").write_text("mine")
    assert resolve("data:cups") == "data:cups"


def test_the_catalogue_is_cheap() -> None:
    program = "import sys, w2v.data as d; d.catalog.names(); print({'pooch', 'requests', 'numpy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
