"""Programs that measure: trainings of each tool as processes, the way from text to ids, objectives."""

import dataclasses
import gzip
import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from small_vectors import write

from w2v.errors import BenchmarkError, MissingPackageError
from w2v.eval import benchmark, encoding, objectives, script
from w2v.eval.tools import gensim_baseline, runs
from w2v.vectors import Vectors

needs_gensim = pytest.mark.skipif(importlib.util.find_spec("gensim") is None, reason="gensim is not installed")
OPTIONS = runs.Options(dim=8, window=2, negative=2, epochs=1, min_count=1, threads=1)
HAS_FASTTEXT = importlib.util.find_spec("fasttext") is not None


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
        [sys.executable, "-m", "w2v.eval.tools.gensim_baseline", str(corpus), *arguments],
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


@pytest.mark.parametrize("tool", runs.TOOLS)
@pytest.mark.parametrize("form", [{"loss": "hs"}, {"architecture": "cbow"}])
def test_all_tools_train_hierarchical_softmax_and_cbow(form: dict[str, str], tool: str, tmp_path: Path) -> None:
    if not runs.is_installed(tool):
        pytest.skip(f"{tool} is not installed")
    corpus = write(tmp_path / "corpus.txt", "a b c a\nb a c\n" * 100)
    options = dataclasses.replace(OPTIONS, **form)  # type: ignore[arg-type]
    done = runs.train(tool, corpus, tmp_path / "out.bin", runs.settings_of(tool, options), seed=1)
    assert done.words_per_second > 0
    assert done.tokens == 700
    assert done.wall > sum(done.seconds[stage] for stage in ("counting", "training", "saving"))
    assert sorted(Vectors.load(tmp_path / "out.bin").words) == ["a", "b", "c"]


@pytest.mark.skipif(not HAS_FASTTEXT, reason="fastText is not installed")
def test_fasttext_goes_through_more_than_an_epoch(tmp_path: Path) -> None:
    # 350 tokens of the vocabulary and 101 line ends (fastText's `</s>`) of 452 + 1 rare: 51 rare words, 101 lines.
    corpus = write(tmp_path / "corpus.txt", "a b c a\nb a c\n" * 50 + " ".join(f"rare{i}" for i in range(51)) + "\n")
    settings = runs.settings_of("fasttext", dataclasses.replace(OPTIONS, min_count=2, epochs=3))
    done = runs.train("fasttext", corpus, tmp_path / "out.bin", settings, seed=1)
    assert done.tokens == 350
    gone_through = 3 * (350 + 51 + 101) * 350 / (350 + 101)
    assert done.words_per_second == pytest.approx(gone_through / done.seconds["training"])
    found = Vectors.load(tmp_path / "out.bin")
    assert sorted(found.words) == ["a", "b", "c"]
    assert found.matrix.shape == (3, 8)


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
        runs.train("gensim", corpus, tmp_path / "out.bin", runs.settings_of("gensim", options), seed=1)


def test_gensim_baseline_without_gensim(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "gensim.models", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'w2v\[eval\]'"):
        gensim_baseline.train(tmp_path / "corpus.txt", tmp_path / "out.bin", epochs=1)


def test_training_run_of_w2v_is_read_from_its_log(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[str] = []

    def fake_run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        asked.extend(command)
        summary = {
            "event": "summary",
            "words_per_second": 2.5,
            "peak_memory_mib": 7.0,
            "tokens": 9,
            "seconds": {"counting": 0.5, "training": 1.0, "saving": 0.1},
        }
        log = Path(command[command.index("--log-json") + 1])
        log.write_text('{"event": "training"}\n' + json.dumps(summary) + "\n", encoding="utf-8")
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", fake_run)
    settings = runs.settings_of("w2v", OPTIONS)
    found = runs.train("w2v", tmp_path / "corpus.txt", tmp_path / "out.bin", settings, seed=3)
    assert (found.seconds["counting"], found.words_per_second, found.peak_memory_mib) == (0.5, 2.5, 7.0)
    assert found.tokens == 9
    assert found.wall > 0
    start = [sys.executable, "-P", "-m", "w2v.cli.main", "train", str(tmp_path / "corpus.txt")]
    assert asked[:8] == [*start, "-o", str(tmp_path / "out.bin")]
    assert {"--dim=8", "--window=2", "--min-count=1", "--min-lr=0.0001", "--noise-power=0.75"} < set(asked)
    assert asked[asked.index("--seed") + 1] == "3"
    assert list(tmp_path.iterdir()) == []


def test_tools_are_told_what_they_can_follow() -> None:
    assert "noise_power" not in runs.settings_of("fasttext", OPTIONS)
    assert "min_lr" not in runs.settings_of("fasttext", OPTIONS)
    tree = runs.settings_of("gensim", dataclasses.replace(OPTIONS, loss="hs"))
    assert not {"negative", "noise_power"} & set(tree)
    assert tree["dim"] == 8


def test_compressed_corpus_is_refused(tmp_path: Path) -> None:
    corpus = write(tmp_path / "corpus.txt", gzip.compress(b"a b c\n"))
    outcome = CliRunner().invoke(gensim_baseline.command, [str(corpus)])
    assert isinstance(outcome.exception, BenchmarkError)
    assert "corpus.txt: compressed" in str(outcome.exception)


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
def test_encode_on_a_real_corpus(tmp_path: Path) -> None:
    corpus = write(tmp_path / "corpus.txt", "the quick brown fox jumps over the lazy dog\n" * 500)
    done = subprocess.run(
        [sys.executable, "-m", "w2v.eval.benchmark", "encode", str(corpus), "--runs=1"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    first_cells = [line.split("  ")[0] for line in done.stdout.splitlines()[1:]]
    assert first_cells == ["Python loop, ids", "w2v, ids", "gensim build_vocab", "w2v train, counting"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["corpus.txt"]
