"""`w2v data` and `data:NAME`, through click's runner and as processes of their own."""

import importlib.util
import json
import os
import pty
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from served import TEXT, Server, entry, serving, sha256, zipped

import w2v
from w2v.cli.main import cli
from w2v.data import catalog
from w2v.data.catalog import Entry, entries
from w2v.data.download import Archive
from w2v.errors import BenchmarkError, CorpusError
from w2v.vectors import Vectors

needs_gensim = pytest.mark.skipif(importlib.util.find_spec("gensim") is None, reason="needs gensim")
PACKAGED = [one.packaged.file for one in entries() if one.packaged]
COLUMNS = ["name", "title", "kind", "language", "bytes", "licence", "where", "aliases"]


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as state:
        yield state


def invoke(*arguments: str, **environment: str) -> Result:
    return CliRunner(env=environment).invoke(cli, ["data", *arguments])


def program(*known: Entry, before: str = "") -> list[str]:
    """A w2v whose catalogue holds other entries."""
    code = "from w2v.data import catalog, download\nfrom w2v.data.catalog import *\nfrom w2v.data.download import *\n"
    code += f"entries = catalog.entries = lambda: {known!r}\n{before}\nfrom w2v.cli.main import main\nmain()"
    return [sys.executable, "-c", code]


def environment(folder: Path, proxy: str = "") -> dict[str, str]:
    """Downloads go to `folder`; nothing of this machine's proxies."""
    cleared = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    return {**cleared, "W2V_DATA": str(folder), **({"http_proxy": proxy} if proxy else {})}


def run(
    arguments: list[str], *, folder: Path, proxy: str = "", cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        arguments, env=environment(folder, proxy), cwd=cwd, capture_output=True, text=True, check=False
    )


W2V = [sys.executable, "-Pm", "w2v.cli.main"]


# --- list


def test_list_has_every_entry(tmp_path: Path) -> None:
    outcome = invoke("list", W2V_DATA=str(tmp_path))
    header, *rows = [line.split("\t") for line in outcome.stdout.splitlines()]
    assert header == COLUMNS
    assert [row[0] for row in rows] == [one.name for one in entries()]
    assert all(len(row) == len(COLUMNS) for row in rows)
    where = {row[0]: row[6] for row in rows}
    assert where["men"] == where["text8"] == "not downloaded"
    assert where["lee"] in ("packaged", "needs gensim")
    assert {row[0]: row[7] for row in rows}["ws353"] == "wordsim353 wordsim353.tsv"
    (tmp_path / "men.txt").write_bytes(b"")
    assert "men\tMEN\tsimilarity\ten\t53593\tas published\tdamaged\t\n" in invoke("list", W2V_DATA=str(tmp_path)).stdout
    assert "`not downloaded` is fetched" in " ".join(invoke("list", "--help").stdout.split())


@needs_gensim
def test_titles_count_the_lines_of_the_corpora() -> None:
    for name in ("head500", "lee"):
        number = int(catalog.entry_of(name).title.split()[0])
        assert len(catalog.find(name).read_text(encoding="utf-8").splitlines()) == number


def test_list_of_one_kind_as_json(tmp_path: Path) -> None:
    facts = json.loads(invoke("list", "--kind", "analogy", "--json", W2V_DATA=str(tmp_path)).stdout)
    assert [one["name"] for one in facts] == ["google", "msr"]
    assert facts[1]["where"] == "not downloaded"
    assert facts[1]["path"] is None
    assert facts[1]["url"].endswith("/msr.txt")
    assert facts[1]["checksum"].startswith("sha256:6e8d8a1d83165250")
    assert "questions-words.txt" in facts[0]["aliases"]
    assert json.loads(invoke("list", "--kind", "categorisation", "--json").stdout) == []
    assert invoke("list", "--kind", "cups").exit_code == 2


# --- get and path


def test_get_prints_paths_and_only_those_on_stdout(server: Server, tmp_path: Path) -> None:
    server.files["/cups.txt"] = TEXT
    w2v = program(entry(f"{server.url}/cups.txt"))
    done = run([*w2v, "data", "get", "cups"], folder=tmp_path / "new")
    assert done.stdout == f"{tmp_path}/new/cups.txt\n"
    assert done.stderr == f"downloading {server.url}/cups.txt ({len(TEXT):,} bytes) to {tmp_path}/new/cups.txt\n"
    again = run([*w2v, "data", "get", "cups", "--json"], folder=tmp_path / "new")
    assert json.loads(again.stdout) == {"name": "cups", "path": f"{tmp_path}/new/cups.txt"}
    assert again.stderr == ""
    found = run([*w2v, "data", "path", "cups"], folder=tmp_path / "new")
    assert (found.returncode, found.stdout) == (0, done.stdout)


def test_what_cannot_be_had_does_not_keep_the_others_from_being_tried(server: Server, tmp_path: Path) -> None:
    server.files["/second.txt"] = TEXT
    known = [replace(entry(f"{server.url}/{name}.txt"), name=name) for name in ("first", "second", "third")]
    done = run([*program(*known), "data", "get", "first", "second", "third"], folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, f"{tmp_path}/second.txt\n")
    errors = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
    assert [error.split(":")[3].rpartition("/")[2] for error in errors] == ["first.txt", "third.txt"]


def test_a_slip_in_a_name_shows_before_anything_is_downloaded(server: Server, tmp_path: Path) -> None:
    done = run([*program(entry(f"{server.url}/cups.txt")), "data", "get", "cups", "mugs"], folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "Error: mugs: no set or corpus of that name; `w2v data list` shows all\n"
    assert server.paths == []


def test_path_of_what_is_not_at_hand(tmp_path: Path) -> None:
    outcome = invoke("path", "men", W2V_DATA=str(tmp_path))
    assert (outcome.exit_code, outcome.stdout) == (1, "")
    assert outcome.stderr == "Error: men: not at hand; to get it: w2v data get men\n"
    (tmp_path / "men.txt").write_bytes(bytes(53593))
    damaged = invoke("path", "men", W2V_DATA=str(tmp_path))
    assert (damaged.exit_code, damaged.stdout) == (1, "")
    assert damaged.stderr == (
        f"Error: men: {tmp_path}/men.txt is not the file of the catalogue (its checksum differs); "
        "to get it anew: w2v data get men\n"
    )
    facts = json.loads(invoke("list", "--json", W2V_DATA=str(tmp_path)).stdout)
    assert [(one["where"], one["path"]) for one in facts if one["name"] == "men"] == [("damaged", None)]


def test_path_without_gensim(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    outcome = invoke("path", "head500.noblanks.cor")
    assert (outcome.exit_code, outcome.stdout) == (1, "")
    assert outcome.stderr == "Error: head500.noblanks.cor: not at hand; to get it: pip install 'w2v[eval]'\n"


@needs_gensim
@pytest.mark.parametrize("file", PACKAGED)
def test_path_of_a_packaged_file_without_importing_gensim(file: str, tmp_path: Path) -> None:
    before = "import sys, atexit; atexit.register(lambda: print('gensim' in sys.modules))"
    code = [sys.executable, "-c", f"{before}\nfrom w2v.cli.main import main\nmain()"]
    done = run([*code, "data", "path", file], folder=tmp_path)
    path, imported = done.stdout.splitlines()
    assert (done.stderr, imported) == ("", "False")
    assert Path(path).name == file
    assert Path(path).stat().st_size > 1000


# --- what can go wrong, with the catalogue as it is: text8 comes by http, so that a proxy can stand in for its server

TEXT8 = "http://mattmahoney.net/dc/text8.zip"


def test_offline(tmp_path: Path) -> None:
    done = run([*W2V, "data", "get", "text8"], folder=tmp_path / "data", proxy="http://127.0.0.1:9")
    assert (done.returncode, done.stdout) == (2, "")
    said, error = done.stderr.splitlines()
    assert said == f"downloading {TEXT8} (31,344,016 bytes) to {tmp_path}/data/text8"
    assert error.startswith(f"Error: {TEXT8}: cannot be downloaded (")
    assert error.endswith(f"take text8 out of it and save it as {tmp_path}/data/text8: it is verified there")


@pytest.mark.parametrize("fault", ["checksum", "broken", "404"])
def test_faults_are_one_line_and_leave_nothing(fault: str, server: Server, tmp_path: Path) -> None:
    data = zipped(text8=TEXT)
    if fault != "404":
        server.files[TEXT8] = data
    if fault == "broken":
        server.broken.add(TEXT8)
    done = run([*W2V, "data", "get", "text8"], folder=tmp_path, proxy=server.url)
    assert (done.returncode, done.stdout) == (2, "")
    _, error = done.stderr.splitlines()
    expected = {"checksum": f"got {sha256(data)}", "broken": "cannot be downloaded", "404": "404"}
    assert expected[fault] in error
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_stopped_in_the_middle(number: signal.Signals, code: int, server: Server, tmp_path: Path) -> None:
    server.files[TEXT8] = zipped(text8=os.urandom(1_000_000))
    server.stalled.add(TEXT8)
    with subprocess.Popen(
        [*W2V, "data", "get", "text8"],
        env=environment(tmp_path, server.url), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert server.half_sent.wait(30)
        process.send_signal(number)
        output, errors = process.communicate(timeout=30)
    assert (process.returncode, output) == (code, "")
    assert "Traceback" not in errors
    assert list(tmp_path.iterdir()) == []


def test_two_processes_at_once(server: Server, tmp_path: Path) -> None:
    data = zipped(cups=TEXT)
    server.files["/cups.zip"] = data
    server.stalled.add("/cups.zip")
    w2v = program(entry(f"{server.url}/cups.zip", archive=Archive("cups", sha256(data), len(data))))
    processes = [
        subprocess.Popen([*w2v, "data", "get", "cups"], env=environment(tmp_path), stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    while len(server.paths) < 2 and all(process.poll() is None for process in processes):
        server.half_sent.wait(0.05)
    server.stop.set()
    assert [process.communicate(timeout=30)[0] for process in processes] == [f"{tmp_path}/cups\n"] * 2
    assert [path.name for path in tmp_path.iterdir()] == ["cups"]
    assert (tmp_path / "cups").read_bytes() == TEXT
    assert len(server.paths) == 2


def test_a_terminal_sees_a_bar_that_goes_away(server: Server, tmp_path: Path) -> None:
    server.files["/cups.txt"] = TEXT
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    w2v = program(entry(f"{server.url}/cups.txt"))
    done = subprocess.run(
        [*w2v, "data", "get", "cups"],
        env=environment(tmp_path), stdout=subprocess.PIPE, stderr=theirs, check=True,
    )  # fmt: skip
    os.close(theirs)
    shown = ""
    with suppress(OSError):  # how Linux says that the other end is closed
        while more := os.read(ours, 100_000):
            shown += more.decode()
    os.close(ours)
    assert done.stdout.decode() == f"{tmp_path}/cups.txt\n"
    assert "cups.txt:   0%|" in shown
    assert shown.split("\r")[-2:] == [" " * len(shown.split("\r")[-2]), ""]


# --- data:NAME as a corpus

SMALL = ["--dim", "8", "--min-count", "1", "--epochs", "1", "--threads", "1", "--seed", "1"]


def test_a_corpus_of_one_line_trains_as_its_pieces_do(server: Server, tmp_path: Path) -> None:
    words = [f"w{(i * i) % 97}" for i in range(2500)]
    line = " ".join(words).encode()
    pieces = "".join(f"{' '.join(words[i : i + 100])}\n" for i in range(0, len(words), 100))
    (tmp_path / "pieces.txt").write_text(pieces)
    server.files["/line.zip"] = data = zipped(line=line)
    w2v = program(entry(f"{server.url}/line.zip", line, Archive("line", sha256(data), len(data))))
    for corpus, out in (("data:cups", "one.bin"), ("pieces.txt", "other.bin")):
        arguments = ["train", corpus, "-o", out, "--max-sentence", "100", "--log-json", f"{out}.log", *SMALL]
        done = run([*w2v, *arguments], folder=tmp_path / "data", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        log = [json.loads(text) for text in (tmp_path / f"{out}.log").read_text().splitlines()]
        (counted,) = [event for event in log if event["event"] == "counted"]
        assert (counted["tokens"], counted["sentences"]) == (2500, 25)
    assert (tmp_path / "one.bin").read_bytes() == (tmp_path / "other.bin").read_bytes()


def test_quiet_training_downloads_without_a_word(server: Server, tmp_path: Path) -> None:
    server.files["/cups.txt"] = TEXT
    w2v = program(entry(f"{server.url}/cups.txt"))
    done = run([*w2v, "train", "data:cups", "--quiet", *SMALL], folder=tmp_path / "data", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / "vectors.bin").exists()


def test_a_corpus_that_is_not_known(tmp_path: Path) -> None:
    done = run([*W2V, "train", "data:tekst8"], folder=tmp_path, cwd=tmp_path)
    assert done.returncode == 2
    assert (
        done.stderr == "Error: tekst8: no set or corpus of that name; did you mean text8? `w2v data list` shows all\n"
    )


@pytest.fixture
def cups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A catalogue of one entry, `cups`, which is in the cache."""
    monkeypatch.setattr(catalog, "entries", lambda: (entry("http://127.0.0.1:9/cups.txt"),))
    monkeypatch.setenv("W2V_DATA", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "cups.txt").write_bytes(TEXT)
    return tmp_path / "cache" / "cups.txt"


def test_split_of_a_name(cups: Path) -> None:
    outcome = CliRunner().invoke(cli, ["split", "data:cups", "--by", "last"])
    assert outcome.exit_code == 0, outcome.output
    assert (cups.parents[1] / "held-out.txt").read_bytes() == TEXT.replace(b"\t", b" ")
    refused = CliRunner().invoke(cli, ["split", "data:mugs", "--by", "last"])
    assert refused.stderr == "Error: mugs: no set or corpus of that name; `w2v data list` shows all\n"


def test_sessions_of_a_name(cups: Path) -> None:
    words = ["cup", "mug", "9.5", "coffee", "6", "object", "3"]
    Vectors(words, np.eye(len(words), dtype=np.float32)).save("items.bin")
    arguments = ["eval", "items.bin", "--sessions", "data:cups", "--train-sessions", "data:cups", "--json"]
    outcome = CliRunner().invoke(cli, arguments)
    assert outcome.exit_code == 0, outcome.output
    report = json.loads(outcome.stdout)
    assert (report["sessions"], report["lines"]) == (str(cups), TEXT.count(b"\n"))


def test_comparison_on_a_name(cups: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(corpus: Path) -> None:
        raise BenchmarkError(f"would compare on {corpus}")

    monkeypatch.setattr("w2v.cli.compare.describe_corpus", stop)
    monkeypatch.setattr("w2v.eval.tools.runs.is_installed", lambda _tool: True)
    outcome = CliRunner().invoke(cli, ["compare", "data:cups", "--with", "gensim", "--sets", "data:cups"])
    assert outcome.stderr == f"Error: would compare on {cups}\n"
    assert CliRunner().invoke(cli, ["compare", "mugs.txt"]).exit_code == 2


def test_the_library_says_how_to_name_one() -> None:
    with pytest.raises(CorpusError, match=r'data:lee: no such file; .* give w2v\.data\.path\("lee"\)'):
        w2v.train("data:lee")


def test_a_damaged_entry_does_not_stop_the_list(tmp_path: Path) -> None:
    (tmp_path / "men.txt").mkdir()
    outcome = invoke("list", W2V_DATA=str(tmp_path))
    assert "men\tMEN\tsimilarity\ten\t53593\tas published\tnot downloaded\t\n" in outcome.stdout
