"""Rows, differences, tables and plots of an evaluation, with values worked out by hand."""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from small_vectors import at_angles, family

from w2v.data import catalog
from w2v.errors import BenchmarkError, MissingPackageError, OutputError
from w2v.eval import comparison, plot, report, tables
from w2v.eval.comparison import Evaluation, labels
from w2v.eval.sets import AnalogySet, BenchmarkSet, CategorySet, Section, SimilaritySet, question
from w2v.eval.settings import EvalSettings
from w2v.vectors import Vectors

PAIRS = SimilaritySet("pairs", (("a", "b", 3.0), ("a", "c", 2.0), ("a", "d", 1.0), ("a", "x", 0.0)))
QUESTIONS = AnalogySet(
    "family",
    (
        Section("royal", (question("man", "king", "woman", "queen"),) * 2, "semantic"),
        Section("gram1", (question("man", "woman", "king", "girl"), question("man", "y", "boy", "z")), "syntactic"),
    ),
)


FOR_QUEEN = (question("man", "king", "woman", "queen"), question("man", "woman", "king", "queen"))
GOOD, BAD = at_angles(a=0, b=10, c=40, d=80), at_angles(a=0, b=10, c=80, d=40)


def evaluated(sets: list[BenchmarkSet], settings: EvalSettings | None = None, **vectors: Vectors) -> list[Evaluation]:
    chosen = settings or EvalSettings()
    return [comparison.evaluate(f"{name}.bin", name, one, sets, chosen) for name, one in vectors.items()]


# --- one file


def test_scores_of_pairs() -> None:
    (one,) = report.score_sets(BAD, [PAIRS])
    (row,) = one.scores()
    # Ranks 1 3 2 against 1 2 3: 1 - 6 * 2 / (3 * 8).
    assert (row.name, row.measure, row.seen, row.total) == ("pairs", "Spearman x 100", 3, 4)
    assert row.value == pytest.approx(50)
    assert row.interval is None  # of three pairs
    assert row.as_counted.interval is not None
    assert row.as_counted.interval[0] <= 40 <= row.as_counted.interval[1] <= 100 + 1e-9
    # Cosines .98 .17 .77 and their mean .64 for x: ranks 4 1 3 2 against 4 3 2 1: 1 - 6 * 6 / (4 * 15).
    assert row.as_counted.value == pytest.approx(40)


def test_scores_of_questions() -> None:
    (one,) = report.score_sets(family(), [QUESTIONS])
    found = [(s.name, s.measure, s.value, s.seen, s.total, s.as_counted.value) for s in one.scores()]
    third = pytest.approx(100 * 2 / 3)
    assert found == [
        ("family semantic", "accuracy %", 100, 2, 2, 100),
        ("family syntactic", "accuracy %", 0, 1, 2, 0),
        ("family total", "accuracy %", third, 3, 4, 50),
    ]
    names = [s.name for s in one.scores(with_sections=True)]
    assert names == ["family royal", "family gram1", "family semantic", "family syntactic", "family total"]


def test_one_category_is_the_total() -> None:
    plain = AnalogySet("plain", (Section("royal", QUESTIONS.sections[0].questions, "semantic"),))
    unnamed = AnalogySet("unnamed", (Section("", QUESTIONS.sections[0].questions),))
    for one in report.score_sets(family(), [plain, unnamed]):
        assert [s.name for s in one.scores()] == [f"{one.name} total"]
    assert [s.name for s in one.scores(with_sections=True)] == ["unnamed total"]


def test_scores_of_words_with_classes() -> None:
    pytest.importorskip("sklearn")
    words = CategorySet("words", (("a", "1"), ("b", "1"), ("c", "2"), ("d", "2"), ("x", "1")))
    (one,) = report.score_sets(at_angles(a=0, b=5, c=90, d=95), [words])
    (row,) = one.scores()
    assert (row.name, row.measure, row.value, row.seen, row.total) == ("words", "purity %", 100, 4, 5)
    assert row.as_counted.value == pytest.approx(80)
    assert one.to_json()["kind"] == "categorisation"


def test_json_of_a_set_has_both_policies_and_pearson() -> None:
    (one,) = report.score_sets(GOOD, [PAIRS])
    found = one.to_json()
    assert {key: found[key] for key in ("set", "kind", "seen", "total")} == {
        "set": "pairs", "kind": "similarity", "seen": 3, "total": 4,
    }  # fmt: skip
    assert found["score"] == pytest.approx(100)
    cosines = np.cos(np.radians([10, 40, 80]))
    assert found["pearson"]["score"] == pytest.approx(100 * np.corrcoef(cosines, [3, 2, 1])[0, 1], abs=1e-4)
    filled = np.corrcoef([*cosines, cosines.mean()], [3, 2, 1, 0])[0, 1]
    assert found["pearson"]["oov_mean"]["score"] == pytest.approx(100 * filled, abs=1e-4)
    assert found["interval"] is None
    counted = found["oov_mean"]
    assert counted["interval"][0] <= counted["score"] <= counted["interval"][1] + 1e-9


def test_json_of_questions_has_sections_categories_and_repeats() -> None:
    (one,) = report.score_sets(family(), [QUESTIONS])
    found = one.to_json()
    assert (found["method"], found["repeats"], found["oov_wrong"]["score"]) == ("3CosAdd", 1, 50)
    assert (found["correct"], found["seen"], found["total"]) == (2, 3, 4)
    assert [(part["section"], part["score"], part["correct"], part["seen"]) for part in found["sections"]] == [
        ("royal", 100, 2, 2),
        ("gram1", 0, 0, 1),
    ]
    assert [part["category"] for part in found["categories"]] == ["semantic", "syntactic"]


def test_settings_reach_the_lookup_and_the_solver() -> None:
    vectors = at_angles(a=0, b=10, c=40, d=80)
    (few,) = report.score_sets(vectors, [PAIRS], EvalSettings(restrict_vocab=3))
    assert few.scores()[0].seen == 2
    capitals = SimilaritySet("capitals", (("A", "B", 1.0), ("A", "C", 0.0)))
    seen = {case: report.score_sets(vectors, [capitals], EvalSettings(case=case))[0].scores()[0].seen
            for case in ("none", "lower", "fold", "auto")}  # fmt: skip
    assert seen == {"none": 0, "lower": 2, "fold": 2, "auto": 2}
    (solved,) = report.score_sets(family(), [QUESTIONS], EvalSettings(method="mul"))
    assert solved.to_json()["method"] == "3CosMul"


def test_standard_sets_are_those_at_hand(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    one = tmp_path / "simlex999.txt"
    one.write_text("a\tb\t1\n", encoding="utf-8")
    monkeypatch.setattr(report, "at_hand", lambda entry: one if "simlex999" in entry.names else None)
    monkeypatch.setattr(catalog, "find", lambda _name, _say=None: one)
    assert [found.name for found in report.load_sets()] == ["SimLex-999"]
    monkeypatch.setattr(report, "at_hand", lambda _entry: None)
    with pytest.raises(BenchmarkError, match=r"none of the standard sets.*w2v\[eval\].*--sets"):
        report.load_sets()


def test_sets_in_the_order_named(tmp_path: Path) -> None:
    for name, text in (("one.txt", "a b 1\n"), ("two.txt", "a b c d\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert [s.name for s in report.load_sets([str(tmp_path / "two.txt"), str(tmp_path / "one.txt")])] == ["two", "one"]


def test_sets_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    named = [str(tmp_path / folder / name) for folder, name in (("a", "my.txt"), ("b", "my.txt"), ("b", "other.txt"))]
    for file in named:
        Path(file).parent.mkdir(exist_ok=True)
        Path(file).write_text("a b 1\n", encoding="utf-8")
    assert [one.name for one in report.load_sets(named)] == [*named[:2], "other"]


def test_questions_that_ask_for_the_same_pair_are_drawn_together() -> None:
    royal, _, total = report.score_sets(family(), [QUESTIONS])[0].scores()
    assert royal.seen == 2
    assert royal.interval is None  # both ask for woman: queen
    assert total.interval == (0, 100)  # two pairs, found and not found


# --- several files


def test_a_second_row_only_where_items_are_out_of_vocabulary() -> None:
    whole = SimilaritySet("whole", PAIRS.pairs[:3])
    found = comparison.rows(evaluated([whole, PAIRS], good=GOOD, bad=BAD))
    assert [(row.scores[0].name, row.oov, row.seen) for row in found] == [
        ("whole", "skipped", (3, 3)),
        ("pairs", "skipped", (3, 3)),
        ("pairs", "mean", (3, 3)),
    ]
    assert [score.value for score in found[0].scores] == pytest.approx([100, 50])


def test_differences_are_to_the_first_and_over_common_items() -> None:
    one = AnalogySet("royal", (Section("", (*FOR_QUEEN, question("man", "woman", "prince", "princess"))),))
    right = family()
    swapped = Vectors(["man", "woman", "king", "girl", "boy", "queen", "prince"], right.matrix[:7])
    row, counted = comparison.rows(evaluated([one], right=right, swapped=swapped))
    (found,) = row.differences
    assert found is not None
    assert (row.seen, found.n_items, found.value) == ((3, 2), 2, -1)
    assert found.is_significant
    (of_all,) = counted.differences
    assert of_all is not None
    assert (of_all.n_items, of_all.value) == (3, -1)


def test_labels_are_short_where_they_can_be() -> None:
    assert labels(["a/x.bin", "b/y.bin"]) == ["x", "y"]
    assert labels(["a/x.bin", "b/x.bin"]) == ["a/x.bin", "b/x.bin"]
    assert labels(["a/x.bin", "b/x.bin", "c/y.bin"]) == ["a/x.bin", "b/x.bin", "y"]


def test_json_of_a_comparison_is_plain_and_complete() -> None:
    settings = EvalSettings(seed=3)
    found = comparison.to_json(evaluated([PAIRS, QUESTIONS], settings, good=GOOD, bad=BAD), settings)
    found = json.loads(json.dumps(found, allow_nan=False))
    assert found["settings"]["seed"] == 3
    assert [one["case"] for one in found["vectors"]] == ["lower", "lower"]
    assert [len(one["sets"]) for one in found["vectors"]] == [2, 2]
    first, *_, last = found["differences"]
    assert (first["vectors"], first["to"], first["score"], first["oov"]) == ("bad.bin", "good.bin", "pairs", "skipped")
    assert first["difference"] == pytest.approx(-50)
    assert first["significant"] in (True, False)
    assert (last["score"], last["oov"], last["difference"]) == ("family total", "wrong", 0)


def test_policies_are_said() -> None:
    settings = EvalSettings(case="fold", restrict_vocab=3)
    vectors = at_angles(a=0, A=1, b=10, c=50)
    lines = comparison.policies(evaluated([QUESTIONS], settings, one=vectors), settings)
    assert lines[0] == "one: the first 3 of 4 words, dim 2, case fold (1 words equal to a more frequent one)"
    assert lines[1] == "family: 3CosAdd, 4 questions, 1 of them repeats"
    assert "skipped" in lines[2]
    assert "95 %, bootstrap over items (questions by the pair asked for), 1000 resamples, seed 0" in lines[3]
    auto = comparison.policies(evaluated([PAIRS], one=GOOD, two=at_angles(Aa=0)), EvalSettings())
    assert auto[0] == "one: all of 4 words, dim 2, case lower (auto)"
    assert auto[1].endswith("case none (auto)")
    assert auto[-1].startswith("intervals: 95 %, bootstrap over items, 1000 resamples")


# --- tables


def test_table_of_numbers() -> None:
    found = evaluated([PAIRS], good=GOOD, bad=BAD)
    columns, (first, second) = tables.numbers(found, comparison.rows(found))
    row = dict(zip(columns, first, strict=True))
    assert (row["set"], row["oov"], row["total"], row["good seen"], row["bad seen"]) == ("pairs", "skipped", 4, 3, 3)
    assert (row["good score"], row["bad score"], row["bad - good"]) == pytest.approx((100, 50, -50))
    assert row["bad - good low"] <= -50 <= row["bad - good high"]
    assert 0 < row["bad - good p"] <= 1
    assert dict(zip(columns, second, strict=True))["oov"] == "mean"
    assert tables.numbers(found[:1], comparison.rows(found[:1]))[0] == [
        "set", "measure", "oov", "total", "score", "low", "high", "seen",
    ]  # fmt: skip


def test_tables_of_text() -> None:
    unseen = SimilaritySet("unseen", (("x", "y", 1.0), ("y", "z", 2.0)))
    found = evaluated([PAIRS, unseen], good=GOOD, bad=at_angles(a=0, b=10, c=40))
    rows = comparison.rows(found)
    columns, cells = tables.scores(found, rows)
    assert columns == ["set", "measure", "oov", "good [95 %]", "bad [95 %]", "seen/total"]
    assert cells[0][3] == "100.0 (no interval: 3 items)"
    assert re.fullmatch(r" 80\.0 \[.*, 100\.0\]", cells[1][3])
    assert cells[0][-1] == "3, 2/4"
    assert cells[2] == ["unseen", "Spearman x 100", "skipped", "undefined (no items)", "undefined (no items)", "0/2"]
    columns, cells = tables.differences(found, rows)
    assert columns[-2:] == ["bad - good [95 %]", "items"]
    assert cells[2][-2:] == ["undefined", "-"]
    assert cells[0][-2:] == [" +0.0 [+0.0, +0.0] p 1.000 not shown", "2"]


def test_cells_say_why_there_is_nothing() -> None:
    flat = SimilaritySet("flat", tuple(("a", other, 5.0) for other in "bcd"))
    one_pair = SimilaritySet("one", (("a", "b", 1.0), ("a", "x", 2.0)))
    asked_once = AnalogySet("queen", QUESTIONS.sections[:1])
    vectors = Vectors(
        [*GOOD.words, *family().words], np.vstack([np.pad(GOOD.matrix, ((0, 0), (0, 1))), family().matrix])
    )
    found = evaluated([flat, one_pair, asked_once], one=vectors)
    cells = [row[3] for row in tables.scores(found, comparison.rows(found))[1]]
    assert cells[0] == "undefined (all equal)"
    assert cells[1] == "undefined (1 item)"
    assert cells[-1].endswith(" (no interval: one pair asked for)")
    assert tables.numbers(found, comparison.rows(found))[1][0][4:7] == [None, None, None]


def test_items_that_both_have_are_counted_for_each_file() -> None:
    found = evaluated([PAIRS], good=GOOD, same=GOOD, fewer=at_angles(a=0, b=10, c=40))
    rows = comparison.rows(found)
    assert tables.differences(found, rows)[1][0][-1] == "3, 2"
    columns, (first, _) = tables.numbers(found, rows)
    row = dict(zip(columns, first, strict=True))
    assert (row["same - good items"], row["fewer - good items"]) == (3, 2)


def test_warnings_of_files_that_are_not_alike() -> None:
    assert comparison.warnings(evaluated([PAIRS], one=GOOD, two=BAD)) == []
    case, words = comparison.warnings(evaluated([PAIRS], one=GOOD, two=at_angles(Aa=0, b=1)))
    assert case == (
        "one: case lower, two: case none: their scores are not of the same rules; give --case fold (or lower) for all"
    )
    assert words.startswith("one: 4 words, two: 2 words: ")
    assert words.endswith("give --restrict-vocab 2 for as many in all")
    alike = EvalSettings(case="fold", restrict_vocab=2)
    assert comparison.warnings(evaluated([PAIRS], alike, one=GOOD, two=at_angles(Aa=0, b=1))) == []


def test_the_verdict() -> None:
    one = AnalogySet("royal", (Section("", FOR_QUEEN),))
    swapped = Vectors(["man", "woman", "king", "girl", "boy", "queen"], family().matrix[:6])
    for vectors, verdict in (
        ({"right": family(), "wrong": swapped}, ["-100.0 [-100.0, -100.0] p 0.002 worse", "2"]),
        ({"wrong": swapped, "right": family()}, ["+100.0 [+100.0, +100.0] p 0.002 better", "2"]),
    ):
        found = evaluated([one], **vectors)
        assert tables.differences(found, comparison.rows(found))[1][0][-2:] == verdict


def test_markdown_keeps_bars_and_line_breaks_in_names_apart() -> None:
    lines = tables.markdown((["set", "score"], [["a|b\nc", " 5.0"], ["d", "-"]]))
    assert lines == ["| set | score |", "| --- | --- |", "| a\\|b\\nc | 5.0 |", "| d | - |"]


# --- plots


def test_plot_has_a_bar_for_each_score_and_file(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    found = evaluated([PAIRS, QUESTIONS], good=GOOD, **{"$bad_x^2$": BAD})
    path = tmp_path / "scores.svg"
    plot.check_plot(path, False)
    plot.draw(path, found, comparison.rows(found))
    text = path.read_text(encoding="utf-8")
    for name in ("good", "$bad_x^2$", "pairs", "family total"):
        assert f"<!-- {name} -->" in text
    assert [one.name for one in tmp_path.iterdir()] == ["scores.svg"]


def test_plots_that_cannot_be_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    there = tmp_path / "there.png"
    there.write_bytes(b"mine")
    for path, message in (
        (tmp_path / "scores.docx", r"ends in one of .*\.eps, .*\.png"),
        (tmp_path / "scores", "ends in one of"),
        (there, "exists already; give --overwrite"),
        (tmp_path / "none" / "scores.png", "no folder"),
    ):
        with pytest.raises(OutputError, match=message):
            plot.check_plot(path, False)
    plot.check_plot(there, True)
    monkeypatch.setitem(sys.modules, "matplotlib.backend_bases", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'w2v\[plot\]'"):
        plot.check_plot(tmp_path / "scores.png", False)
    assert there.read_bytes() == b"mine"


def test_undefined_scores_are_no_bars(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    found = evaluated([SimilaritySet("unseen", (("x", "y", 1.0), ("y", "z", 2.0)))], good=GOOD)
    assert comparison.rows(found)[0].scores[0].value is None
    plot.draw(tmp_path / "scores.png", found, comparison.rows(found))
    assert (tmp_path / "scores.png").read_bytes().startswith(b"\x89PNG")


def test_any_name_of_a_file_can_be_drawn(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    pytest.importorskip("matplotlib")
    found = evaluated([PAIRS], **{"\x1b\n": GOOD, "\udcff": BAD, "\u8bcd\u5411\u91cf": GOOD})
    plot.draw(tmp_path / "scores.svg", found, comparison.rows(found))
    text = (tmp_path / "scores.svg").read_text(encoding="utf-8")
    for name in (r"\x1b\n", r"\udcff", "\u8bcd\u5411\u91cf"):
        assert f"<!-- {name} -->" in text
    assert len(recwarn) == 0
