"""`w2v compare`: the plan, kept runs, tables and page with values worked out by hand, and real comparisons."""

import importlib.util
import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from small_vectors import at_angles, write

from w2v.cli.main import cli
from w2v.errors import BenchmarkError
from w2v.eval import bootstrap
from w2v.eval.bootstrap import Sample
from w2v.eval.tools import compare, facts, page, runs, significance, summary, summary_json
from w2v.eval.tools.kept import Job, Store
from w2v.eval.tools.runs import Options, Run
from w2v.vectors import Vectors

needs_gensim = pytest.mark.skipif(importlib.util.find_spec("gensim") is None, reason="gensim is not installed")
PAIRS = "a\tb\t3\na\tc\t2\na\td\t1\n"
WALL = {"w2v": 2.0, "gensim": 30.0, "fasttext": 8.0}  # seconds an epoch of the stand-ins


class FakeTools:
    """Trainings of known outcome: gensim has c and d the wrong way round but for seed 2, fastText always."""

    def __init__(self) -> None:
        self.order: list[tuple[str, int, int]] = []
        self.warm: list[runs.Settings] = []

    def train(self, tool: str, corpus: Path, out: Path, settings: runs.Settings, seed: int) -> Run:
        epochs = int(settings.get("epochs", 5))
        self.order.append((tool, epochs, seed))
        is_right = tool == "w2v" or (tool == "gensim" and seed == 2)
        right, wrong = at_angles(a=0, b=10, c=40, d=80), at_angles(a=0, b=10, c=80, d=40)
        (right if is_right else wrong).save(out)
        training = WALL[tool] * epochs
        stages = {"counting": 0.5, "training": training, "saving": 0.25}
        return Run(training + 1 + seed / 100, stages, 1000, 1000 * epochs / training, 10.0 * WALL[tool])


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeTools:
    tools = FakeTools()
    monkeypatch.setattr(runs, "train", tools.train)
    monkeypatch.setattr(runs, "warm_up", tools.warm.append)
    monkeypatch.setattr(runs, "is_installed", lambda _: True)
    monkeypatch.setattr(runs, "version", lambda tool: f"{tool} 1.0")
    return tools


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    write(tmp_path / "pairs.tsv", PAIRS)
    return write(tmp_path / "corpus.txt", "a b c d\n")


def invoke(corpus: Path, *arguments: str | Path) -> Result:
    sets = ["--sets", str(corpus.parent / "pairs.tsv")]
    return CliRunner().invoke(cli, ["compare", str(corpus), *sets, *map(str, arguments)])


# --- the plan


def test_tools_take_turns_and_every_run_is_made_once(fake: FakeTools, corpus: Path) -> None:
    result = invoke(corpus, "--seeds", "2", "--epochs", "2", "--own-defaults", "--curve", "1,2", "--curve", "w2v=1,2,4")
    assert result.exit_code == 0, result.output
    tables = [("w2v", 2), ("w2v", 5), ("gensim", 2), ("fasttext", 2)]
    points = [("w2v", 1), ("gensim", 1), ("fasttext", 1), ("w2v", 4)]
    assert fake.order == [(*run, seed) for part in (tables, points) for seed in (1, 2) for run in part]
    assert [sorted(settings) for settings in fake.warm][1] == ["dim", "epochs", "min_count", "threads"]
    assert len(fake.warm) == 2
    assert [len(line) > 0 for line in result.stderr.splitlines()[1:-1]] == [True] * 16


def test_curve_texts() -> None:
    found = compare.parse_curve(["w2v=8,1,2", "1,5"], ["w2v", "gensim"])
    assert found == {"w2v": [1, 2, 8], "gensim": [1, 5]}
    assert compare.parse_curve(["gensim=3"], ["w2v", "gensim"]) == {"gensim": [3]}
    assert compare.parse_curve([], ["w2v"]) == {}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--curve", "0,1"], "--curve 0,1: give numbers of epochs"),
        (["--curve", "glove=1"], "glove is not compared; compared are w2v, gensim"),
        (["--with", "glove"], "'glove' is not one of gensim, fasttext"),
        (["--with", ""], "is not one of gensim, fasttext"),
        (["--dim", "0"], "--dim 0: must be at least 1"),
        (["--plot", "curve.png"], "give --curve too"),
        (["--curve", "1", "--plot", "curve.nothing"], "curve.nothing: a plot is written to a file that ends in"),
        (["-o", "old.md"], "old.md: exists already; give --overwrite"),
        (["-o", "corpus.txt"], "corpus.txt: is read as input; name another file"),
        (["--keep", "corpus.txt/below"], "below: cannot be made: Not a directory"),
        (["--sets", "nowhere.tsv"], "nowhere.tsv"),
    ],
)
def test_mistakes_are_found_before_anything_runs(
    fake: FakeTools, corpus: Path, arguments: list[str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(corpus.parent)
    write(corpus.parent / "old.md", "mine")
    result = invoke(corpus, *arguments)
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1
    assert said in result.stderr
    assert fake.order == []


def test_tool_that_is_not_installed(fake: FakeTools, corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "is_installed", lambda tool: tool == "gensim")
    assert compare.opponents_named(None) == ["gensim"]
    result = invoke(corpus, "--with", "gensim,fasttext")
    assert result.exit_code == 2
    assert result.stderr == "Error: fastText is not installed: pip install 'w2v[fasttext]'\n"
    monkeypatch.setattr(runs, "is_installed", lambda _: False)
    with pytest.raises(BenchmarkError, match="nothing to compare with is installed"):
        compare.opponents_named(None)


def test_absent_scipy_shows_before_anything_runs(
    fake: FakeTools, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    result = invoke(corpus, "--seeds", "2")
    assert (result.exit_code, fake.order) == (2, [])
    assert result.stderr == "Error: the test over seeds needs SciPy, which is not installed: pip install 'w2v[eval]'\n"


def test_compressed_corpus(tmp_path: Path, fake: FakeTools) -> None:
    corpus = write(tmp_path / "corpus.gz", b"\x1f\x8b\x08\x00" + bytes(20))
    result = CliRunner().invoke(cli, ["compare", str(corpus)])
    assert result.exit_code == 2
    assert "corpus.gz: compressed, and gensim's corpus_file reads plain text" in result.stderr


def test_outputs_are_not_inputs(fake: FakeTools, corpus: Path) -> None:
    pytest.importorskip("matplotlib")
    folder = corpus.parent
    kept = folder / "kept"
    kept.mkdir()
    inputs = [corpus, folder / "pairs.tsv", write(kept / "run.bin", b"mine")]
    before = [path.read_bytes() for path in inputs]
    for number, path in enumerate(inputs):
        link = folder / f"link{number}.png"
        link.symlink_to(path)
        for option in (["-o", path], ["-o", link], ["--plot", link, "--curve", "1"]):
            for overwrite in ([], ["--overwrite"]):
                result = invoke(corpus, "--keep", kept, *option, *overwrite)
                assert result.exit_code == 2
                assert result.stderr.endswith(f"{option[1]}: is read as input; name another file to write\n")
    twice = invoke(corpus, "--curve", "1", "--plot", folder / "new.png", "-o", folder / "new.png")
    assert "new.png: named for two outputs" in twice.stderr
    assert [path.read_bytes() for path in inputs] == before
    assert fake.order == []


def test_corpus_that_is_not_utf8(fake: FakeTools, corpus: Path) -> None:
    corpus.write_bytes("é b\n".encode() + "c é\n".encode("latin-1"))
    result = invoke(corpus)
    assert result.exit_code == 2
    place = f"{corpus}: line 2, byte 7 of the file"
    assert result.stderr.startswith(f"Error: {place}: not UTF-8, and gensim reads no other; convert the file, as with")
    assert fake.order == []


def test_any_name_of_a_set_can_be_drawn(fake: FakeTools, corpus: Path, recwarn: pytest.WarningsRecorder) -> None:
    pytest.importorskip("matplotlib")
    names = ["$x_1$ \x1b\n", "\udcff", "\u8bcd\u5411\u91cf"]
    files = [write(corpus.parent / f"{name}.tsv", PAIRS) for name in names]
    plot = corpus.parent / "curve.svg"
    result = invoke(corpus, "--seeds", "1", "--curve", "1", "--plot", plot, *(f"--sets={file}" for file in files))
    assert result.exit_code == 0, result.output
    assert plot.read_text(encoding="utf-8").count("<!-- ") >= 4
    assert r"<!-- $x_1$ \x1b\n -->" in plot.read_text(encoding="utf-8")
    assert not [one for one in recwarn if "Glyph" in str(one.message)]


def test_facts_of_a_corpus(tmp_path: Path) -> None:
    lines = ["a b", "", "a " * 1025, "b " * 10_001]
    found = facts.describe_corpus(write(tmp_path / "corpus.txt", "\n".join(lines)))
    assert (found.lines, found.tokens, found.longest) == (3, 11_028, 10_001)
    assert (found.over_1024, found.over_10000) == (2, 1)
    assert found.size == (tmp_path / "corpus.txt").stat().st_size


# --- kept runs


def test_kept_runs_are_taken_and_a_broken_off_comparison_goes_on(
    fake: FakeTools, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ["--seeds", "2", "--epochs", "1", "--with", "gensim", "--keep", corpus.parent / "kept"]

    def train(tool: str, *others: Any) -> Run:
        if (tool, others[-1]) == ("gensim", 2):
            (others[1]).write_bytes(b"half")
            raise BenchmarkError("broken off")
        return fake.train(tool, *others)

    monkeypatch.setattr(runs, "train", train)
    assert invoke(corpus, *arguments).exit_code == 2
    kept = {path.name.split("-")[0] + path.suffix for path in (corpus.parent / "kept").iterdir()}
    assert kept == {"w2v.bin", "w2v.json", "gensim.bin", "gensim.json"}
    fake.order.clear()
    monkeypatch.setattr(runs, "train", fake.train)
    result = invoke(corpus, *arguments)
    assert result.exit_code == 0, result.output
    assert fake.order == [("gensim", 1, 2)]
    assert result.stderr.count("made before") == 3
    fake.order.clear()
    assert invoke(corpus, *arguments, "--lr", "0.05").exit_code == 0
    assert len(fake.order) == 4


def record(**changes: Any) -> dict[str, Any]:
    settings = runs.settings_of("gensim", Options(threads=2))
    return {
        "tool": "gensim", "version": "4.4.0", "corpus": "f00", "settings": settings, "seed": 3, "wall": 20.0,
        "seconds": {"counting": 1.0, "training": 17.0, "saving": 1.0}, "tokens": 100, "words_per_second": 29.4,
        "peak_memory_mib": None,
    } | changes  # fmt: skip


def test_run_made_elsewhere_is_taken_whatever_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "version", lambda _: "4.4.0")
    write(tmp_path / "my.lr0.5.bin", b"")
    write(tmp_path / "my.lr0.5.json", json.dumps(record()))
    write(tmp_path / "w2v.bin.json", "not a record but w2v's own file")
    write(tmp_path / "alone.json", "its vectors are not here")
    store = Store(tmp_path, tmp_path / "corpus.txt")
    settings = runs.settings_of("gensim", Options(threads=2))
    found = store.find(Job.of("gensim", "f00", settings, 3))
    assert found is not None
    assert found.vectors == tmp_path / "my.lr0.5.bin"
    assert (found.run.wall, found.run.peak_memory_mib) == (20.0, None)
    for other in (
        Job.of("gensim", "f00", settings, 4),
        Job.of("gensim", "f01", settings, 3),
        Job.of("gensim", "f00", settings | {"lr": 0.05}, 3),
        Job.of("fasttext", "f00", settings, 3),
    ):
        assert store.find(other) is None
    unlike = Job.of("gensim", "f01", settings | {"lr": 0.05}, 3)
    assert store.near_misses(unlike) == ["my.lr0.5.json is not used: corpus f00, not f01; lr 0.025, not 0.05"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not JSON"),
        ("[]", "it lacks tool, version"),
        ("[" * 100_000, "not the record of a run; take it out of the folder"),
        (json.dumps(record(settings=None)), "not the record of a run, settings cannot be as given; take it out"),
        (json.dumps(record(seconds="x", seed=True)), "seed, seconds cannot be as given"),
        (json.dumps(record(seconds={"training": 1.0})), "seconds cannot be as given"),
        (json.dumps(record(wall=0, tokens="many", words_per_second=math.nan)), "wall, tokens, words_per_second cannot"),
        (json.dumps(record(peak_memory_mib=10**400)), "peak_memory_mib cannot"),
        (json.dumps({key: value for key, value in record().items() if key != "wall"}), "it lacks wall;"),
    ],
)
def test_malformed_record(tmp_path: Path, text: str, said: str) -> None:
    write(tmp_path / "run.bin", b"")
    write(tmp_path / "run.json", text)
    with pytest.raises(BenchmarkError, match=said) as raised:
        Store(tmp_path, tmp_path / "corpus.txt")
    assert "run.json" in str(raised.value)


def test_what_a_killed_run_left_is_removed(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    killed = f"""
import os
from pathlib import Path
from w2v.eval.tools import runs
from w2v.eval.tools.kept import Job, Store
runs.version = str
runs.train = lambda tool, corpus, out, *others: (out.write_bytes(b"half"), os.kill(os.getpid(), 9))
folder = Path({str(folder)!r})
Store(folder, folder).make(Job.of("w2v", "f00", {{"dim": 2}}, 1))
"""
    assert subprocess.run([sys.executable, "-c", killed], check=False).returncode == -9
    (left,) = folder.iterdir()
    prefix = left.name.rsplit("-", 2)[0]
    running, elsewhere = folder / f"{prefix}-{os.getpid()}-x", folder / ".running-elsewhere-1-x"
    running.mkdir()
    elsewhere.mkdir()
    Store(folder, folder)
    assert set(folder.iterdir()) == {running, elsewhere}


# --- significance


def test_welch_of_known_values() -> None:
    # Means 2 and 5, variances 1 and 4, three each: t = -3 / sqrt(5 / 3), 2.94 degrees of freedom.
    assert significance.welch([1, 2, 3], [3, 5, 7]) == pytest.approx(0.1046, abs=2e-3)
    assert significance.welch([1, 1], [2, 2]) is None
    assert significance.welch([1], [2, 3]) is None


def test_mean_difference_is_over_items_and_trainings() -> None:
    generator = np.random.default_rng(5)
    easy = generator.random(400) < 0.5
    first = [Sample("mean", (easy | (generator.random(400) < 0.2)).astype(float)) for _ in range(3)]
    second = [Sample("mean", easy.astype(float)) for _ in range(2)]
    found = bootstrap.mean_difference(first, second)
    assert found is not None
    by_hand = np.mean([one.values.mean() for one in first]) - easy.mean()
    assert found.value == pytest.approx(by_hand)
    assert 0 < found.low < by_hand < found.high
    assert found.p == pytest.approx(2 / 1001)
    # Trainings far apart widen the interval, though the items say the same.
    shifted = [Sample("mean", np.full(400, value)) for value in (0.2, 0.5, 0.8)]
    level = [Sample("mean", np.full(400, 0.5))] * 3
    wide = bootstrap.mean_difference(shifted, level)
    assert wide is not None
    assert wide.value == pytest.approx(0)
    assert wide.high - wide.low > 0.4


def test_mean_difference_takes_items_that_all_scored() -> None:
    first = Sample("mean", np.array([1.0, 1, 0, math.nan]))
    second = Sample("mean", np.array([1.0, 0, math.nan, 1]))
    found = bootstrap.mean_difference([first, first], [second])
    assert found is not None
    assert (found.n_items, found.value) == (2, 0.5)
    with pytest.raises(ValueError, match="mean of 4 and mean of 2"):
        bootstrap.mean_difference([first], [Sample("mean", np.zeros(2))])


# --- tables and page


def test_tables_of_known_runs(fake: FakeTools, corpus: Path) -> None:
    output, plot = corpus.parent / "page.md", corpus.parent / "curve.png"
    arguments = ["--epochs", "2", "--curve", "1,2", "--curve", "w2v=1,2,20", "-o", output, "--plot", plot, "--json"]
    pytest.importorskip("matplotlib")
    result = invoke(corpus, *arguments, "--with", "gensim")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    # w2v trains 2 s an epoch, gensim 30 s; half a second for counting, a quarter for saving, 0.25 + seed / 100 else.
    assert found["speed"]["gensim"]["wall"]["median"] == pytest.approx(61.02)
    assert found["speed"]["w2v"]["seconds"]["training"]["values"] == [4, 4, 4]
    assert found["speed"]["w2v"]["seconds"]["start and rest"]["median"] == pytest.approx(0.27)
    assert found["speed"]["w2v"]["peak_memory_mib"]["mean"] == 20
    (quality,) = found["quality"]
    # Two pairs of three the wrong way round: 1 - 6 * 2 / (3 * 8) = 0.5; gensim has that with two seeds of three.
    assert quality["tools"]["gensim"]["values"] == pytest.approx([50, 100, 50])
    assert quality["w2v_less"]["gensim"]["difference"] == pytest.approx(100 / 3)
    assert quality["w2v_less"]["gensim"]["beyond_spread"] is False
    assert quality["w2v_less"]["gensim"]["p_seeds"] == pytest.approx(0.1835, abs=1e-4)  # t = 2, 2 degrees of freedom
    # gensim's first epoch ends after 31.02 s; w2v's 2 epochs after 5.02, its 20 after 41.02.
    heads = {(one["opponent_epochs"], one["w2v_epochs"]) for one in found["head_starts"]}
    assert heads == {(1, 2), (2, 20)}
    text = output.read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"]
    assert ["gensim", "61.02", "0.50", "60.00", "0.25", "0.27", "33", "300"] in rows
    assert ["gensim / w2v", "12.2", "1", "15", "1", "1", "0.0667", "15"] in rows
    assert any(row[:5] == ["pairs", "3/3", "100.0 (0.0)", "66.7 (50.0)", "+33.3"] for row in rows)
    assert ["w2v", "20", "41.0", "100.0 (0.0)"] in rows
    assert "![Quality against time](curve.png)" in text
    assert "In the 31.0 s in which gensim trains 1 epoch, w2v trains 2 epochs (5.0 s):" in text
    assert "0.2,0.5" not in text
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_rows_for_a_pipe(fake: FakeTools, corpus: Path) -> None:
    result = invoke(corpus, "--seeds", "1", "--own-defaults")
    header, *rows = [line.split("\t") for line in result.stdout.splitlines()]
    assert header[2] == "seen/total"
    assert header[3:11:2] == ["w2v", "w2v, own defaults", "gensim", "fastText"]
    assert header[11:] == ["w2v less gensim", "p, seeds", "low", "high", "w2v less fastText", "p, seeds", "low", "high"]
    assert {len(row) for row in rows} == {len(header)}
    by_name = {row[0]: row for row in rows}
    assert by_name["pairs"][3::2][:4] == ["100.0000", "100.0000", "50.0000", "50.0000"]
    assert by_name["pairs"][2] == "3/3"
    # One seed has no spread.
    assert by_name["memory"][1:5] == ["MiB", "", "20", ""]
    assert result.stderr.splitlines()[-1].startswith("one seed shows no spread, and no p over seeds; [low, high]: 95 %")


def test_legend_of_several_seeds(fake: FakeTools, corpus: Path) -> None:
    result = invoke(corpus, "--seeds", "2", "--epochs", "1", "--with", "gensim")
    said = "p, seeds: Welch's t-test over seeds; [low, high]: 95 % over seeds and items"
    assert result.stderr.splitlines()[-1] == said
    assert said not in result.stdout
    assert "w2v, 1 epoch, seed 1" in result.stderr
    assert "1 epochs" not in result.stderr


def test_one_seed_claims_nothing_about_seeds(fake: FakeTools, corpus: Path) -> None:
    output = corpus.parent / "page.md"
    result = invoke(corpus, "--seeds", "1", "--with", "gensim", "--curve", "1", "-o", output, "--json")
    (quality,) = json.loads(result.stdout)["quality"]
    assert quality["tools"]["gensim"]["spread"] is None
    assert quality["w2v_less"]["gensim"]["difference"] == pytest.approx(50)
    assert quality["w2v_less"]["gensim"]["beyond_spread"] is None
    text = output.read_text(encoding="utf-8")
    assert "| 100.0 (-) " in text
    assert "One seed, which shows no spread." in text
    for claim in ("+50.0 *", "over the seeds", "other seeds", "`*`", "t-test"):
        assert claim not in text


def test_a_terminal_shows_that_there_is_no_spread(
    fake: FakeTools, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("w2v.cli.compare.is_terminal", lambda: True)
    monkeypatch.setattr("w2v.cli.output.is_terminal", lambda: True)
    result = invoke(corpus, "--seeds", "1", "--with", "gensim")
    (row,) = [line.split() for line in result.stdout.splitlines() if line.startswith("pairs")]
    assert row[:9] == ["pairs", "Spearman", "x", "100", "3/3", "100.0000", "-", "50.0000", "-"]


@pytest.mark.parametrize(("n_sets", "wide"), [(1, 1), (2, 2), (4, 3)])
def test_curve_has_no_empty_panel_beside_the_others(
    fake: FakeTools, corpus: Path, monkeypatch: pytest.MonkeyPatch, n_sets: int, wide: int
) -> None:
    figure = pytest.importorskip("matplotlib.figure").Figure
    sizes = []
    monkeypatch.setattr(figure, "savefig", lambda self, *_, **__: sizes.append(self.get_size_inches()[0]))
    sets = [write(corpus.parent / f"pairs{number}.tsv", PAIRS) for number in range(n_sets - 1)]
    more = ["--sets", *sets] if sets else []
    plot = corpus.parent / "curve.png"
    result = invoke(corpus, *more, "--seeds", "1", "--curve", "1", "--with", "gensim", "--plot", plot)
    assert result.exit_code == 0, result.output
    assert sizes == [pytest.approx(4.2 * wide)]


def test_set_without_a_known_word(fake: FakeTools, corpus: Path) -> None:
    write(corpus.parent / "pairs.tsv", "x\ty\t3\nx\tz\t2\n")
    result = invoke(corpus, "--seeds", "1", "--json")
    (quality,) = json.loads(result.stdout)["quality"]
    assert quality["tools"]["w2v"] == {"seen": 0, "mean": None}
    assert quality["w2v_less"] == {"gensim": None, "fastText": None}


def test_nothing_to_draw_is_said_after_the_results(fake: FakeTools, corpus: Path) -> None:
    pytest.importorskip("matplotlib")
    write(corpus.parent / "pairs.tsv", "x\ty\t3\nx\tz\t2\n")
    output, plot = corpus.parent / "page.md", corpus.parent / "curve.png"
    result = invoke(corpus, "--seeds", "1", "--curve", "1,2", "-o", output, "--plot", plot, "--json")
    assert result.exit_code == 2
    assert json.loads(result.stdout)["quality"][0]["tools"]["w2v"] == {"seen": 0, "mean": None}
    assert result.stderr.splitlines()[-1].startswith(f"Error: {plot}: nothing to draw")
    assert "curve.png" not in output.read_text(encoding="utf-8")
    assert not plot.exists()


def test_page_says_which_rules_differ(fake: FakeTools, corpus: Path) -> None:
    output = corpus.parent / "page.md"
    invoke(corpus, "--seeds", "1", "-o", output)
    text = output.read_text(encoding="utf-8")
    assert text.startswith("# w2v compared with gensim and fastText\n")
    for rule in ("square root of the count", "An epoch is over when", "Subwords are off", "centre word predicts"):
        assert rule in text
    assert "gensim gensim 1.0, fastText fasttext 1.0" in text


def test_summary_without_a_curve_has_no_head_starts() -> None:
    assert list(summary._head_starts([])) == []
    assert summary_json._values_json(None) is None
    assert page._interval(None) == "-"


# --- as it is


@needs_gensim
def test_real_comparison_on_real_text(tmp_path: Path) -> None:
    from w2v.eval.tools.runs import is_installed

    lines = (Path(str(importlib.util.find_spec("gensim").submodule_search_locations[0]))  # type: ignore[union-attr, index]
             / "test" / "test_data" / "lee_background.cor").read_text(encoding="utf-8").splitlines()  # fmt: skip
    corpus = write(tmp_path / "corpus.txt", "\n".join(lines[:150]) + "\n")
    arguments = [
        str(corpus), "--seeds", "1", "--dim", "10", "--epochs", "1", "--threads", "1", "--curve", "w2v=1,2", "--curve",
        "gensim=1", "--keep", str(tmp_path / "kept"), "-o", str(tmp_path / "page.md"), "--json",
        "--sets", "wordsim353",
    ]  # fmt: skip
    command = [sys.executable, "-m", "w2v.cli.main", "compare", *arguments]
    first = subprocess.run(command, capture_output=True, text=True, check=False)
    assert first.returncode == 0, first.stderr
    found = json.loads(first.stdout)
    expected = {"w2v", "gensim", *(["fastText"] if is_installed("fasttext") else [])}
    assert set(found["speed"]) == expected
    for speed in found["speed"].values():
        stages = sum(values["mean"] for values in speed["seconds"].values())
        assert stages == pytest.approx(speed["wall"]["mean"])
        assert speed["words_per_second"]["mean"] > 100
        assert 10 < speed["peak_memory_mib"]["mean"] < 4000
    (quality,) = found["quality"]
    assert len({tool["seen"] for tool in quality["tools"].values()}) == 1
    vectors = [Vectors.load(path) for path in (tmp_path / "kept").glob("*.bin")]
    assert len(vectors) == len(expected) + 1
    assert len({frozenset(one.words) for one in vectors}) == 1
    again = subprocess.run([*command, "--overwrite"], capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr
    assert again.stderr.count("made before") == len(expected) + 1
    assert json.loads(again.stdout)["quality"] == found["quality"]


def test_a_corpus_whose_name_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"corp\xff.txt")
    path.write_text("a b c\n", encoding="utf-8")
    with pytest.raises(BenchmarkError, match=r"its name is not UTF-8, .*; rename it"):
        facts.describe_corpus(path)
