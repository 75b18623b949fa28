"""Benchmark sets, Spearman and 3CosAdd, with values worked out by hand or by gensim."""

import dataclasses
import gzip
import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from small_vectors import at_angles, write

from w2v.errors import BenchmarkError
from w2v.eval import (
    benchmark,
    encoding,
    gensim_baseline,
    objectives,
    runs,
    script,
)
from w2v.vectors import Vectors

needs_gensim = pytest.mark.skipif(importlib.util.find_spec("gensim") is None, reason="gensim is not installed")
OPTIONS = runs.Options(
    dim=8, window=2, negative=2, epochs=1, sample=1e-3, lr=0.025, min_count=1, threads=1
)  # fmt: skip


def test_tables() -> None:
    header, rows = ("", "words/s"), [("w2v", "1,000"), ("gensim", "9")]
    assert script.render(header, rows, "text") == "        words/s\nw2v       1,000\ngensim        9"
    assert script.render(header, rows, "markdown").splitlines() == [
        "|        | words/s |",
        "| ------ | ------: |",
        "| w2v    |   1,000 |",
        "| gensim |       9 |",
    ]
    assert json.loads(script.render(header, rows, "json"))[1] == {"": "gensim", "words/s": "9"}


# --- measurements


@needs_gensim
def test_gensim_baseline_measures_itself(tmp_path: Path) -> None:
    corpus = write(tmp_path / "corpus.txt", "a b c a\nb a rare\n" * 50 + "once\n")
    out = tmp_path / "vectors.bin"
    arguments = ["--out", str(out), "--dim", "8", "--epochs", "2", "--min-count", "2", "--threads", "1"]
    done = subprocess.run(
        [sys.executable, "-m", "w2v.eval.gensim_baseline", str(corpus), *arguments],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    summary = json.loads(done.stdout)
    assert summary["tokens"] == 7 * 50
    assert summary["vocabulary"] == 4
    seconds = summary["seconds"]
    assert seconds["total"] == pytest.approx(seconds["counting"] + seconds["training"] + seconds["saving"])
    assert summary["words_per_second"] == pytest.approx(2 * 7 * 50 / seconds["training"])
    assert 10 < summary["peak_memory_mib"] < 4000
    found = Vectors.load(out)
    assert found.words[0] == "a"
    assert found.matrix.shape == (4, 8)


@needs_gensim
@pytest.mark.parametrize("form", [{"loss": "hs"}, {"architecture": "cbow"}])
def test_both_tools_train_hierarchical_softmax_and_cbow(form: dict[str, str], tmp_path: Path) -> None:
    corpus = write(tmp_path / "corpus.txt", "a b c a\nb a c\n" * 100)
    options = dataclasses.replace(OPTIONS, min_count=1, epochs=1, threads=1, **form)  # type: ignore[arg-type]
    for tool in runs.TOOLS:
        done = runs.train(tool, corpus, tmp_path / f"{tool}.bin", options, seed=1)
        assert done.words_per_second > 0
        assert sorted(Vectors.load(tmp_path / f"{tool}.bin").words) == ["a", "b", "c"]


def test_speed_of_objectives(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    forms = {name: objectives.FORMS[name] for name in ("sgns", "nce")}
    monkeypatch.setattr(objectives, "FORMS", forms)
    corpus = write(tmp_path / "corpus.txt", "a b c a\nb a c\n" * 100)
    arguments = ["objectives", str(corpus), "--runs", "1", "--threads", "1", "--format", "text"]
    outcome = CliRunner().invoke(benchmark.command, arguments, catch_exceptions=False)
    header, *rows = [re.split("  +", line.strip()) for line in outcome.stdout.splitlines()]
    assert header == ["M scores/s", "ratio", "M words/s", "ratio"]
    assert [row[0] for row in rows] == ["sgns", "nce"]
    assert rows[0][2] == rows[0][4] == "1.00"
    assert float(rows[1][2]) > 0


def test_ratios_are_of_the_same_round() -> None:
    speeds = {"sgns": [objectives.Speed(2e6, 1e6), objectives.Speed(4e6, 2e6)],
              "nce": [objectives.Speed(1e6, 1e6), objectives.Speed(2e6, 4e6)]}  # fmt: skip
    _, rows = objectives.table(speeds)
    assert rows[1] == ("nce", "1.5", "0.50", "2.50", "1.50")


@needs_gensim
def test_failed_training_run_is_one_line_with_the_reason(tmp_path: Path) -> None:
    corpus = write(tmp_path / "corpus.txt", "a b c\n")
    options = dataclasses.replace(OPTIONS, min_count=100)
    with pytest.raises(BenchmarkError, match=r"with gensim failed: .*no word occurs 100 times"):
        runs.train("gensim", corpus, tmp_path / "out.bin", options, seed=1)


def test_gensim_baseline_without_gensim(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "gensim.models", None)
    with pytest.raises(BenchmarkError, match=r"pip install 'w2v\[eval\]'"):
        gensim_baseline.train(tmp_path / "corpus.txt", tmp_path / "out.bin", epochs=1)


def test_training_run_of_w2v_is_read_from_its_log(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[str] = []

    def fake_run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        asked.extend(command)
        summary = {
            "event": "summary",
            "words_per_second": 2.5,
            "peak_memory_mib": 7.0,
            "seconds": {"counting": 0.5},
        }
        log = Path(command[command.index("--log-json") + 1])
        log.write_text('{"event": "training"}\n' + json.dumps(summary) + "\n", encoding="utf-8")
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", fake_run)
    found = runs.train("w2v", tmp_path / "corpus.txt", tmp_path / "out.bin", OPTIONS, seed=3)
    assert (found.counting, found.words_per_second, found.peak_memory_mib) == (0.5, 2.5, 7.0)
    assert found.wall > 0
    start = [sys.executable, "-P", "-m", "w2v.cli.main", "train", str(tmp_path / "corpus.txt")]
    assert asked[:8] == [*start, "-o", str(tmp_path / "out.bin")]
    assert set(OPTIONS.arguments()) < set(asked)
    assert asked[asked.index("--seed") + 1] == "3"
    assert list(tmp_path.iterdir()) == []


def test_options_become_arguments() -> None:
    assert OPTIONS.arguments()[:2] == ["--dim=8", "--window=2"]
    assert "--min-count=1" in OPTIONS.arguments()


class FakeRuns:
    """Training runs of known outcome: w2v takes 1, 2, 9 s, gensim 20, 40, 90 s."""

    def __init__(self, vectors: dict[str, Vectors]) -> None:
        self.order: list[tuple[str, int]] = []
        self._vectors = vectors

    def train(self, tool: str, corpus: Path, out: Path, options: runs.Options, seed: int) -> runs.Run:
        self.order.append((tool, seed))
        self._vectors[tool].save(out, overwrite=True)
        wall = {"w2v": [1.0, 2.0, 9.0], "gensim": [20.0, 40.0, 90.0]}[tool][(seed - 1) % 3]
        return runs.Run(wall, wall / 4, 1e6 / wall, 10 * wall)


@pytest.fixture
def fake_runs(monkeypatch: pytest.MonkeyPatch) -> FakeRuns:
    fake = FakeRuns({"w2v": at_angles(a=0, b=10, c=40, d=80), "gensim": at_angles(a=0, b=10, c=80, d=40)})
    monkeypatch.setattr(runs, "train", fake.train)
    return fake


@pytest.mark.parametrize("program", [benchmark.command.commands["speed"], gensim_baseline.command])
def test_compressed_corpus_is_refused_before_anything_runs(
    fake_runs: FakeRuns, program: click.Command, tmp_path: Path
) -> None:
    corpus = write(tmp_path / "corpus.txt", gzip.compress(b"a b c\n"))
    outcome = CliRunner().invoke(program, [str(corpus)])
    assert isinstance(outcome.exception, BenchmarkError)
    assert "corpus.txt: compressed" in str(outcome.exception)
    assert fake_runs.order == []


def test_speed_alternates_and_shows_medians(fake_runs: FakeRuns, tmp_path: Path) -> None:
    corpus = write(tmp_path / "corpus.txt", "a b\n")
    outcome = CliRunner().invoke(benchmark.command, ["speed", str(corpus), "--format", "json"])
    assert outcome.exit_code == 0, outcome.output
    assert fake_runs.order == [("w2v", 1), *((tool, n) for n in (1, 2, 3) for tool in ("w2v", "gensim"))]
    ours, theirs, ratio = json.loads(outcome.stdout)
    assert ours["whole command, s"] == "2.00"
    assert ours["training, words/s"] == "500,000"
    assert theirs["peak memory, MiB"] == "400"
    assert ours["counting, s"] == "0.50"
    assert [*ratio.values()] == ["w2v / gensim", "0.05", "0.05", "20", "0.05"]
    assert len(outcome.stderr.splitlines()) == 6


def test_quality_table(fake_runs: FakeRuns, tmp_path: Path) -> None:
    corpus = write(tmp_path / "corpus.txt", "a b\n")
    pairs = write(tmp_path / "pairs.tsv", "a\tb\t3\na\tc\t2\na\td\t1\n")
    unknown = write(tmp_path / "unknown.tsv", "x\ty\t3\nx\tz\t2\n")
    arguments = [
        "quality",
        str(corpus),
        str(unknown),
        "--sets",
        str(pairs),
        "--seeds",
        "4,5",
        "--format",
        "markdown",
    ]
    outcome = CliRunner().invoke(benchmark.command, [*arguments, "--keep", str(tmp_path / "kept")])
    assert outcome.exit_code == 0, outcome.output
    assert fake_runs.order == [("w2v", 1), ("w2v", 4), ("gensim", 4), ("w2v", 5), ("gensim", 5)]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in outcome.stdout.splitlines()]
    assert rows[0] == ["", "seen/total", "w2v", "gensim", "difference"]
    # gensim's stand-in ranks the second and the third pair the wrong way round: 1 - 6 * 2 / (3 * 8) = 0.5.
    assert rows[2] == ["pairs", "3/3", "100.0 (0.0)", "50.0 (0.0)", "+50.0"]
    assert rows[3] == ["unknown", "0/2", "-", "-", "-"]
    # Seeds 4 and 5 take 1 and 2 s with w2v, 20 and 40 s with gensim.
    assert [row[1] for row in rows[-3:]] == ["1.50", "30.00", "0.05"]
    kept = sorted(path.name for path in (tmp_path / "kept").glob("*.bin"))
    assert kept == ["gensim-4.bin", "gensim-5.bin", "w2v-4.bin", "w2v-5.bin"]


def test_quality_reads_the_sets_before_it_trains(fake_runs: FakeRuns, tmp_path: Path) -> None:
    corpus = write(tmp_path / "corpus.txt", "a b\n")
    outcome = CliRunner().invoke(benchmark.command, ["quality", str(corpus), "--sets", str(tmp_path / "none")])
    assert isinstance(outcome.exception, BenchmarkError)
    assert fake_runs.order == []


def test_folder_to_keep_vectors_in_that_cannot_be_made(fake_runs: FakeRuns, tmp_path: Path) -> None:
    corpus = write(tmp_path / "corpus.txt", "a b\n")
    pairs = write(tmp_path / "pairs.tsv", "a\tb\t3\n")
    arguments = ["quality", str(corpus), "--sets", str(pairs), "--keep", str(corpus / "below")]
    outcome = CliRunner().invoke(benchmark.command, arguments)
    assert isinstance(outcome.exception, BenchmarkError)
    assert "below: cannot be made: Not a directory" in str(outcome.exception)
    assert fake_runs.order == []


@pytest.mark.parametrize("seeds", ["", "1,x"])
def test_bad_seeds(fake_runs: FakeRuns, tmp_path: Path, seeds: str) -> None:
    corpus = write(tmp_path / "corpus.txt", "a b\n")
    pairs = write(tmp_path / "pairs.tsv", "a\tb\t3\n")
    outcome = CliRunner().invoke(benchmark.command, ["quality", str(corpus), "--sets", str(pairs), "--seeds", seeds])
    assert outcome.exit_code == 2
    assert "--seeds" in outcome.output
    assert fake_runs.order == []


def test_both_ways_to_ids_see_the_same_tokens() -> None:
    text = "the cat\u00a0sat\r\non  the mat\n\ncaf\u00e9 \u4e2d\u6587\u3000the" * 20_000
    data = text.encode()
    assert encoding.python_ids(data) == len(text.split()) == encoding.compiled_ids(data)


def test_encode_table(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    corpus = write(tmp_path / "corpus.txt", "a b c d\n" * 3)
    slow, quick = iter([3.0, 6.0, 5.0]), iter([1.0, 0.5, 0.4])
    ways = {"slow": lambda: next(slow), "quick": lambda: next(quick)}
    monkeypatch.setattr(encoding, "ways", lambda *_: ways)
    outcome = CliRunner().invoke(benchmark.command, ["encode", str(corpus), "--format", "json"])
    assert outcome.exit_code == 0, outcome.output
    assert json.loads(outcome.stdout) == [
        {"": "slow", "seconds": "5.00", "tokens/s": "2"},
        {"": "quick", "seconds": "0.50", "tokens/s": "24"},
    ]
    told = [line.split(":")[0] for line in outcome.stderr.splitlines()]
    assert told == ["slow", "quick"] * 3


@needs_gensim
@pytest.mark.parametrize("subcommand", ["speed", "encode"])
def test_measurements_of_real_runs(tmp_path: Path, subcommand: str) -> None:
    corpus = write(tmp_path / "corpus.txt", "the quick brown fox jumps over the lazy dog\n" * 500)
    arguments = ["--dim=8", "--epochs=1", "--threads=1"] if subcommand == "speed" else []
    done = subprocess.run(
        [sys.executable, "-m", "w2v.eval.benchmark", subcommand, str(corpus), "--runs=1", *arguments],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    first_cells = [line.split("  ")[0] for line in done.stdout.splitlines()[1:]]
    assert (
        first_cells
        == {
            "speed": ["w2v", "gensim", "w2v / gensim"],
            "encode": ["Python loop, ids", "w2v, ids", "gensim build_vocab", "w2v train, counting"],
        }[subcommand]
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["corpus.txt"]
