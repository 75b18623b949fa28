"""Item vectors scored on held-out lines, against a plain Python twin and values worked out by hand."""

import json
import math
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import w2v
from w2v.cli.main import cli
from w2v.config import TrainConfig
from w2v.errors import BenchmarkError, ConfigError
from w2v.eval.bootstrap import Sample, interval
from w2v.eval.items.lines import UNKNOWN, Lines, held_out, n_answers_in, read_lines
from w2v.eval.items.recommend import by_co_occurrence, by_cosine, by_output, by_popularity
from w2v.eval.items.report import Contestant, SessionReport, score_sessions
from w2v.eval.items.scores import Score
from w2v.eval.items.sessions import CUTS, best_columns, recommend
from w2v.model import Model
from w2v.vectors import Vectors
from w2v.vocab import Vocabulary

NO_BASELINES = (
    "nothing to compare with from co-occurrence and popularity: give --train-sessions FILE, the lines trained on\n"
)
N_ITEMS = 30  # known items are i0..i29, i30 and i31 are not


def write(path: Path, lines: list[list[str]]) -> str:
    path.write_text("".join(" ".join(line) + "\n" for line in lines), encoding="utf-8")
    return str(path)


def made_vectors(seed: int = 0) -> Vectors:
    random = np.random.default_rng(seed)
    counts = np.sort(random.integers(1, 9, N_ITEMS))[::-1]  # with ties
    return Vectors([f"i{n}" for n in range(N_ITEMS)], random.standard_normal((N_ITEMS, 4)), counts=counts)


def found(report: SessionReport, candidates: str, ranked_by: str, k: int) -> Score:
    (score,) = [s for s in report.scores if (s.candidates, s.ranked_by, s.k) == (candidates, ranked_by, k)]
    return score


class Twin:
    """The same by loops over words."""

    def __init__(self, vectors: Vectors, train: list[list[str]], from_last: int) -> None:
        self.vectors, self.train, self.from_last = vectors, train, from_last
        self.counts = Counter(item for line in train for item in line if item in vectors)
        self.popular = sorted(vectors.words, key=lambda word: (-self.counts[word], vectors.index(word)))

    def ranking(self, kind: str, query: list[str]) -> list[str]:
        query = query[-self.from_last :]
        if kind == "popularity":
            return self.popular
        if kind == "co-occurrence":
            pairs = Counter(
                line[q]
                for line in self.train
                for p in range(len(line))
                for q in range(len(line))
                if p != q
                for _ in range(query.count(line[p]))
            )
            return sorted(self.popular, key=lambda word: -pairs[word])
        unit = {word: self.vectors[word] / np.linalg.norm(self.vectors[word]) for word in self.vectors.words}
        mean = np.mean([unit[word] for word in query], axis=0)
        cosines = {word: float(unit[word] @ mean) for word in self.vectors.words}
        gaps = np.diff(sorted(cosines.values()))
        assume(not ((gaps > 1e-9) & (gaps < 1e-5)).any())  # float32 may have them the other way round
        return sorted(self.vectors.words, key=lambda word: -round(cosines[word], 6))

    def positions(self, kind: str, lines: list[list[str]], only_new: bool) -> list[int]:
        positions = []
        for *given_items, target in [line for line in lines if len(line) > 1]:
            if only_new and target in given_items:
                continue
            known = [item for item in given_items if item in self.vectors]
            ranking = self.ranking(kind, known) if known else []
            ranking = [word for word in ranking if not (only_new and word in known)][: max(CUTS)]
            positions.append(ranking.index(target) + 1 if target in ranking else 0)
        return positions


lines_of_items = st.lists(
    st.lists(st.integers(0, N_ITEMS + 1).map("i{}".format), min_size=1, max_size=6), min_size=1, max_size=12
)


@given(train=lines_of_items, test=lines_of_items, from_last=st.integers(1, 3))
@settings(max_examples=40)
def test_positions_are_those_of_the_twin(
    train: list[list[str]], test: list[list[str]], from_last: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder, vectors = tmp_path_factory.mktemp("sessions"), made_vectors()
    train, test = [*train, ["i1", "i2", "i1"]], [*test, ["i3", "i4", "i5"]]
    contestant = Contestant("cosine", vectors, by_cosine(vectors))
    report = score_sessions([contestant], write(folder / "h", test), write(folder / "t", train), from_last)
    twin = Twin(vectors, train, from_last)
    for kind in ("cosine", "co-occurrence", "popularity"):
        for candidates in ("all", "new"):
            positions = twin.positions(kind, test, candidates == "new")
            for k in CUTS:
                score = found(report, candidates, kind, k)
                within = [p for p in positions if 0 < p <= k]
                assert score.lines == len(positions)
                assert score.hit.value == pytest.approx(len(within) / len(positions))
                assert score.mrr.value == pytest.approx(sum(1 / p for p in within) / len(positions))
                gains = sum(1 / math.log2(p + 1) for p in within)
                assert score.ndcg.value == pytest.approx(gains / len(positions))


def test_counts_of_lines(tmp_path: Path) -> None:
    lines = [["i0", "i1"], ["i2"], ["i1", "i0", "i1"], ["i0", "x"], ["x", "i0"], ["x", "y", "x"], ["i0", "x", "i3"]]
    part = held_out(read_lines(write(tmp_path / "h", lines), made_vectors()))
    assert (len(part), part.n_short) == (6, 1)
    assert part.targets.tolist() == [1, 1, UNKNOWN, 0, UNKNOWN, 3]
    # An unknown target and a line without a known item before it cannot be answered.
    assert part.seen.tolist() == [True, True, False, False, False, True]
    assert part.repeats.tolist() == [False, True, False, False, True, False]
    assert part.last_given(2, np.arange(6)).tolist() == [[0, -1], [0, 1], [0, -1], [-1, -1], [-1, -1], [0, -1]]
    assert part.last_given(10**12, np.arange(6)).tolist() == part.last_given(2, np.arange(6)).tolist()


def test_values_worked_out_by_hand(tmp_path: Path) -> None:
    # a and b point one way, c and d another: behind a come a, b, c, d.
    vectors = Vectors(list("abcd"), [[1, 0], [0.9, 0.1], [0.1, 0.9], [-1, 0]], counts=[8, 4, 2, 2])
    path = write(tmp_path / "h", [list("ab"), list("aa"), list("ac"), ["d", "zz"]])
    report = score_sessions([Contestant("cosine", vectors, by_cosine(vectors))], path)
    assert (report.lines, report.seen, report.repeats, report.items) == (4, 3, 1, 4)
    all_items, new = found(report, "all", "cosine", 5), found(report, "new", "cosine", 5)
    assert all_items.hit.value == pytest.approx(3 / 4)
    assert all_items.mrr.value == pytest.approx((1 / 2 + 1 + 1 / 3) / 4)
    assert all_items.ndcg.value == pytest.approx((1 / math.log2(3) + 1 + 1 / 2) / 4)
    # Without the items of the line: ab at 1, ac at 2, d zz a miss; aa is no line of this kind.
    assert (new.lines, new.hit.value) == (3, pytest.approx(2 / 3))
    assert new.mrr.value == pytest.approx((1 + 1 / 2) / 3)
    assert (all_items.coverage, new.coverage) == (1.0, 0.75)
    # Percentiles by count: a 87.5, b 62.5, c and d 25.  Recommended behind a, when only new: b, c, d.
    assert new.popularity == pytest.approx((62.5 + 25 + 25) / 3)
    assert new.popularity_of_targets == pytest.approx((62.5 + 25) / 2)
    assert found(report, "all", "popularity", 5).popularity == pytest.approx((87.5 + 62.5 + 25 + 25) / 4)
    assert not [score for score in report.scores if score.ranked_by == "co-occurrence"]


def test_first_contestant_is_compared_with_the_others(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    lines = [[f"i{n}" for n in random.integers(0, N_ITEMS, 3)] for _ in range(400)]
    path = write(tmp_path / "h", lines)
    first, second = made_vectors(1), made_vectors(2)
    contestants = [Contestant(name, v, by_cosine(v)) for name, v in (("first", first), ("second", second))]
    report = score_sessions(contestants, path)
    a, b = (found(report, "all", name, 10) for name in ("first", "second"))
    assert a.ahead is None
    assert b.ahead is not None
    assert b.ahead["hit"].value == pytest.approx(a.hit.value - b.hit.value)
    assert b.ahead["hit"].low < 0 < b.ahead["hit"].high  # random vectors
    # The interval is that of the other sets.
    outcome = recommend(by_cosine(first), held_out(read_lines(path, first)), 1, only_new=False)
    expected = interval(Sample("mean", outcome.hits(10)))
    assert (a.hit.low, a.hit.high) == pytest.approx(expected, abs=0.01)
    spread = 1.96 * math.sqrt(a.hit.value * (1 - a.hit.value) / 400)
    assert a.hit.high - a.hit.low == pytest.approx(2 * spread, rel=0.15)


@given(st.lists(st.lists(st.integers(-3, 3), min_size=7, max_size=7), min_size=1, max_size=5), st.integers(1, 9))
def test_best_columns(rows: list[list[int]], k: int) -> None:
    scores = np.array(rows, np.float64)
    scores[scores == -3] = -np.inf
    for row, best in zip(scores, best_columns(scores, k), strict=True):
        kept = [column for column in best if column != UNKNOWN]
        assert row[kept].tolist() == sorted(row[row > -np.inf], reverse=True)[:k]
        assert (best[len(kept) :] == UNKNOWN).all()


def test_zero_vectors_are_never_recommended(tmp_path: Path) -> None:
    vectors = Vectors(list("abc"), [[1, 0], [0, 0], [-1, 0]])
    report = score_sessions(
        [Contestant("c", vectors, by_cosine(vectors))], write(tmp_path / "h", [["a", "b"], ["a", "c"]])
    )
    assert (report.lines, report.seen) == (2, 1)
    assert found(report, "all", "c", 20).hit.value == 0.5
    assert found(report, "all", "c", 20).coverage == pytest.approx(2 / 3)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 0])
def test_items_without_a_usable_vector_are_unknown(tmp_path: Path, bad: float) -> None:
    vectors = Vectors(list("abcd"), [[1, 0], [bad, bad], [-1, 0], [0, 1]])
    lines = held_out(read_lines(write(tmp_path / "h", [["a", "b"], ["b", "c"], ["b", "a", "d"]]), vectors))
    assert lines.targets.tolist() == [UNKNOWN, 2, 3]
    assert lines.seen.tolist() == [False, False, True]


def test_lines_follow_the_rules_of_the_training_text(tmp_path: Path) -> None:
    options = {"tokenize": "words", "lowercase": True, "normalize": "nfc"}
    vectors = Vectors(["a", "\u00e9", "c"], np.eye(3), metadata={"config": options})
    lines = read_lines(write(tmp_path / "h", [["A,", "E\u0301!"], ["c"]]), vectors)
    assert lines.rows.tolist() == [0, 1, 2]
    assert lines.line.tolist() == [0, 0, 1]
    plain = Vectors(["a", "E", "c"], np.eye(3), metadata={"config": {"tokenize": "of another program"}})
    assert read_lines(write(tmp_path / "h", [["A,", "c"]]), plain).rows.tolist() == [UNKNOWN, 2]


def test_memory_is_bounded_by_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(3)
    path = write(tmp_path / "h", [[f"i{n}" for n in random.integers(0, N_ITEMS, 4)] for _ in range(50)])
    vectors, rows = made_vectors(), []

    def by_cosine_watched(given_items: Any) -> Any:
        rows.append(len(given_items))
        return by_cosine(vectors)(given_items)

    whole = score_sessions([Contestant("c", vectors, by_cosine(vectors))], path)
    monkeypatch.setattr("w2v.eval.items.sessions._SCORES_AT_ONCE", 7 * N_ITEMS)
    assert score_sessions([Contestant("c", vectors, by_cosine_watched)], path) == whole
    assert max(rows) == 7


def test_memory_is_bounded_with_one_long_line_among_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(4)
    lengths = [3, 500, *[4] * 40]
    path = write(tmp_path / "h", [[f"i{n}" for n in random.integers(0, N_ITEMS, length)] for length in lengths])
    vectors, sizes = made_vectors(), []

    def by_cosine_watched(given_items: Any) -> Any:
        sizes.append(given_items.size)
        return by_cosine(vectors)(given_items)

    whole = score_sessions([Contestant("c", vectors, by_cosine(vectors))], path, from_last=10**9)
    monkeypatch.setattr("w2v.eval.items.sessions._SCORES_AT_ONCE", 500)
    assert score_sessions([Contestant("c", vectors, by_cosine_watched)], path, from_last=10**9) == whole
    assert max(sizes) == 499


def test_long_and_short_queries_have_the_same_mean() -> None:
    vectors, given_items = made_vectors(), np.array([[3, 5, 3, 7, UNKNOWN]])
    many = by_cosine(vectors)(np.repeat(given_items, 9, axis=0))
    np.testing.assert_allclose(by_cosine(vectors)(given_items)[0], many[0], atol=2e-6)


@pytest.mark.parametrize("options", [{}, {"loss": "infonce", "similarity": "cosine"}, {"loss": "nce", "bias": True}])
def test_output_scores_are_those_of_the_objective(tmp_path: Path, options: dict[str, Any]) -> None:
    write(tmp_path / "t", [[f"i{(n + m) % 7}" for m in range(4)] for n in range(60)])
    model = w2v.train(tmp_path / "t", min_count=1, dim=8, epochs=3, threads=1, **options)
    scores = by_output(model)(np.array([[2, UNKNOWN], [4, 4]]))
    for row, item in zip(scores, (2, 4), strict=True):
        expected = model.scores(model.vocabulary.words[item]) * (model.temperature or 1)
        np.testing.assert_allclose(row, expected, rtol=1e-4, atol=1e-5)


def test_a_tree_has_no_output_items() -> None:
    matrix = np.eye(3, dtype=np.float32)
    model = Model(Vocabulary(list("abc"), np.array([3, 2, 1])), matrix, matrix, TrainConfig(loss="hs"), None)
    with pytest.raises(ConfigError, match="nodes of a tree"):
        by_output(model)


def test_co_occurrence_counts_pairs_of_places(tmp_path: Path) -> None:
    vectors = Vectors(list("abc"), np.eye(3))
    lines = read_lines(write(tmp_path / "t", [list("aab"), list("bc"), list("x")]), vectors)
    scores = by_co_occurrence(lines, 3)(np.array([[0, UNKNOWN], [1, 2]]))
    # Behind a: itself once in each order, b twice.  Behind b and c: a twice, b once, c once.
    assert np.ceil(scores).tolist() == [[2, 2, 0], [2, 1, 1]]
    assert best_columns(scores, 3).tolist() == [[0, 1, 2], [0, 1, 2]]
    assert best_columns(by_popularity(np.array([1, 3, 3]))(np.array([[0]])), 3).tolist() == [[1, 2, 0]]


def test_files_without_anything_to_score(tmp_path: Path) -> None:
    vectors = made_vectors()
    for lines, message in (
        ([], "no items in it"), ([["i0"], ["i1"]], "no line has two items"), ([["x", "y"]], "none of its items"),
        ([["i0", "x"], ["y", "i1"]], "h: no line can be answered by c: none has its last item and one before it"),
    ):  # fmt: skip
        with pytest.raises(BenchmarkError, match=message):
            score_sessions([Contestant("c", vectors, by_cosine(vectors))], write(tmp_path / "h", lines))


def evaluate(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, ["eval", *map(str, arguments)])


@pytest.fixture
def items(tmp_path: Path) -> Path:
    """Vectors, held-out.txt and train.txt in a folder."""
    made_vectors().save(tmp_path / "items.bin")
    write(tmp_path / "held-out.txt", [["i0", "i1"], ["i2", "i3", "i2"], ["i4", "x"], ["i9"]])
    write(tmp_path / "train.txt", [["i0", "i1", "i5"], ["i2", "i2"]])
    return tmp_path / "items.bin"


def test_table(items: Path) -> None:
    folder = items.parent
    result = evaluate(items, "--sessions", folder / "held-out.txt", "--train-sessions", folder / "train.txt")
    assert result.exit_code == 0, result.output
    header, *rows = [line.split("\t") for line in result.stdout.splitlines()]
    assert header[:4] == ["candidates", "ranked by", "k", "hit %"]
    assert [row[:3] for row in rows] == [
        [candidates, by, str(k)]
        for candidates in ("all", "new")
        for by in ("cosine", "co-occurrence", "popularity")
        for k in (5, 10, 20)
    ]
    # co-occurrence: i1 behind i0, and i2, here the last item given is i3, by popularity.
    assert rows[3][3] == "66.6667"
    assert "2 of 3 lines can be answered" in result.stderr
    assert "score cosine, from the last item (baselines see the same last item)" in result.stderr
    assert "Warning" not in result.stderr
    assert "1 end in an item they have already; 1 lines of one item are left out" in result.stderr


def test_answers_in_the_training_file_are_told(items: Path) -> None:
    held_out, train = items.parent / "held-out.txt", items.parent / "unsplit.txt"
    # Whole but for the order, whole, and not: an item that the vectors do not know, and a line of one.
    write(train, [["i1", "i0"], ["i2", "i3", "i2"], ["i4", "x"], ["i9"], ["i0", "i1"]])
    result = evaluate(items, "--sessions", held_out, "--train-sessions", train, "--json")
    assert result.stderr == (
        f"Warning: 2 of 2 held-out lines stand whole in {train}: the baselines have seen the answers; "
        "give the training part that `w2v split` writes\n"
    )
    assert json.loads(result.stdout)["in_training"] == 2
    write(train, [["i0", "i1"], ["i2", "i3"], ["i2", "i3", "i2", "i2"], ["i4"]])
    result = evaluate(items, "--sessions", held_out, "--train-sessions", train, "--json")
    assert (result.stderr, json.loads(result.stdout)["in_training"]) == ("", 1)


known_lines = st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=3), min_size=1, max_size=12)


@given(first=known_lines, second=known_lines)
def test_common_lines_are_counted_as_often_as_they_are_there(first: list[list[int]], second: list[list[int]]) -> None:
    def as_lines(lists: list[list[int]]) -> Lines:
        rows = np.array([row if row < 4 else UNKNOWN for line in lists for row in line])
        return Lines("f", rows, rows, np.repeat(np.arange(len(lists)), [len(line) for line in lists]))

    def known(line: list[int]) -> tuple[int, ...]:
        return tuple(sorted(row for row in line if row < 4))

    held = Counter(known(line) for line in first if line[-1] < 4 and len(known(line)) > 1)
    expected = (held & Counter(map(known, second))).total()
    assert n_answers_in(as_lines(second), as_lines(first), 4) == expected


def test_markdown_of_two_files(items: Path) -> None:
    made_vectors(1).save(items.parent / "other.bin")
    result = evaluate(items, items.parent / "other.bin", "--sessions", items.parent / "held-out.txt", "--markdown")
    assert (result.exit_code, result.stderr) == (0, NO_BASELINES)
    lines = result.stdout.splitlines()
    assert lines[0].startswith("| candidates | ranked by | k | hit % [95 %] |")
    assert [line.split(" | ")[1] for line in lines[2:8]] == ["items"] * 3 + ["other"] * 3
    assert re.match(r"\| all \| other \| 5 \| +\d+\.\d \[\d+\.\d, \d+\.\d\] \| 0\.\d{4} \| 0\.\d{4} \| ", lines[5])
    assert re.search(r"\| [+-]\d+\.\d \[[+-]\d+\.\d, [+-]\d+\.\d\] \| 3 \|$", lines[5])
    assert lines[-1].startswith(f"- {items.parent / 'held-out.txt'}: 2 of 3 lines can be answered")


def test_lines_and_candidates_of_each_file_are_said(items: Path) -> None:
    other = items.parent / "other.bin"
    Vectors(["i0", "i1", "i7"], np.eye(3)).save(other)
    arguments = (items, other, "--sessions", items.parent / "held-out.txt")
    stderr = evaluate(*arguments).stderr
    assert "2 of 3 lines can be answered (items: 2, other: 1)" in stderr
    assert f"{N_ITEMS} candidates (items: {N_ITEMS}, other: 3);" in stderr
    report = json.loads(evaluate(*arguments, "--json").stdout)
    assert report["seen_by"] == {"items": 2, "other": 1}
    assert report["items_of"] == {"items": N_ITEMS, "other": 3}


def test_progress_is_told_on_stderr(items: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("w2v.cli.sessions.LINE_SECONDS", 0)
    result = evaluate(items, "--sessions", items.parent / "held-out.txt", "--json")
    assert "ranking items: 2 of 2 lines" in result.stderr.splitlines()
    assert json.loads(result.stdout)["seen"] == 2


def test_json(items: Path) -> None:
    result = evaluate(items, "--sessions", items.parent / "held-out.txt", "--from-last", "2", "--json")
    assert (result.exit_code, result.stderr) == (0, NO_BASELINES)
    report = json.loads(result.stdout)
    assert (report["lines"], report["seen"], report["repeats"], report["too_short"]) == (3, 2, 1, 1)
    assert (report["score"], report["from_last"], report["items"]) == ("cosine", 2, N_ITEMS)
    assert len(report["scores"]) == 6  # the binary format keeps no counts, and there is no training file
    assert set(report["scores"][0]["hit"]) == {"value", "low", "high"}
    assert report["scores"][0]["ahead"] is None


def test_bad_use_is_one_line(items: Path) -> None:
    sessions = items.parent / "held-out.txt"
    for arguments, message in (
        ((items, "--from-last", "2"), "--from-last: belongs to --sessions"),
        ((items, "--train-sessions", sessions), "--train-sessions: belongs to --sessions"),
        ((items, "--sessions", sessions, "--sets", "pairs.tsv"), "--sets: not with --sessions"),
        ((items, "--sessions", sessions, "--method", "mul"), "--method: not with --sessions"),
        ((items, "--sessions", sessions, "--vectors-of", "output"), "--vectors-of: not with --sessions"),
        ((items, "--sessions", sessions, "--score", "output"), "not a whole model"),
        ((items, "--sessions", items.parent / "none.txt"), "none.txt: no such file"),
        ((items.parent / "none.bin", "--sessions", sessions), "no vectors at"),
        ((items, "--sessions", "x" * 5000), "cannot be read: File name too long"),
        (("x" * 5000, "--sessions", sessions), "cannot be read (File name too long)"),
    ):
        result = evaluate(*arguments)
        assert result.exit_code == 2, arguments
        assert result.stderr.startswith("Error: ")
        assert message in result.stderr
        assert len(result.stderr.splitlines()) == 1


def test_without_scipy_the_remedy_is_named(items: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.sparse", None)
    result = evaluate(
        items, "--sessions", items.parent / "held-out.txt", "--train-sessions", items.parent / "train.txt"
    )
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "Error: co-occurrence needs SciPy, which is not installed: pip install 'w2v[eval]'\n"


def test_a_recipe_from_split_to_score_in_real_processes(tmp_path: Path) -> None:
    """Sessions that walk round one of ten rings of items: vectors learn them, popularity does not."""
    random = np.random.default_rng(5)
    lines = []
    for _ in range(1500):
        ring, place, length = random.integers(10), random.integers(12), random.integers(2, 7)
        lines.append([f"r{ring}.{(place + step) % 12}" for step in range(length)])
    write(tmp_path / "sessions.txt", lines)

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "w2v.cli.main", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return done

    run("split", "sessions.txt", "--by", "last")
    run("train", "train.txt", "-o", "items.safetensors", "--loss", "sampled-softmax", "--window", "line", "--sample",
        "0", "--min-count", "1", "--negative", "10", "--lr", "0.1", "--epochs", "20", "--quiet", "--seed", "1",
        "--threads", "1", "--dim", "32")  # fmt: skip
    outcome = json.loads(run("eval", "items.safetensors", "--sessions", "held-out.txt", "--train-sessions", "train.txt",
                             "--score", "output", "--json").stdout)  # fmt: skip
    hits = {(s["candidates"], s["ranked_by"], s["k"]): s["hit"]["value"] for s in outcome["scores"]}
    assert hits["new", "output", 10] > 0.8
    assert hits["new", "popularity", 10] < 0.2
    popular = next(s for s in outcome["scores"] if s["ranked_by"] == "popularity" and s["k"] == 10)
    assert popular["ahead"]["hit"]["low"] > 0
