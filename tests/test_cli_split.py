"""`w2v split` through click's runner and as a process of its own."""

import gzip
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from w2v.cli.main import cli

Lines = list[list[str]]
items = st.text(st.characters(min_codepoint=33, max_codepoint=0x2FF, exclude_categories=["Zs", "Cc", "Cs"]), min_size=1)
baskets = st.lists(st.lists(items, min_size=1, max_size=6), min_size=1, max_size=30).filter(
    lambda lines: any(len(line) > 1 for line in lines)
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def split(source: str | Path, *options: str) -> Result:
    return CliRunner().invoke(cli, ["split", str(source), *options])


def lines_of(path: Path) -> Lines:
    return [line.split(" ") for line in path.read_text(encoding="utf-8").split("\n")[:-1]]


def parts(folder: Path, lines: Lines, *options: str) -> tuple[Lines, Lines]:
    (folder / "lines.txt").write_text("".join(" ".join(line) + "\n" for line in lines), encoding="utf-8")
    result = split(folder / "lines.txt", "--overwrite", *options)
    assert result.exit_code == 0, result.output
    return lines_of(folder / "train.txt"), lines_of(folder / "held-out.txt")


def test_last_item_of_each_line(folder: Path) -> None:
    (folder / "s.txt").write_text("a b c\n\nd\ne f\n", encoding="utf-8")
    result = split("s.txt", "--by", "last", "--train", "t", "--held-out", "h")
    assert (result.exit_code, result.stdout) == (0, "")
    assert (folder / "t").read_bytes() == b"a b\nd\ne\n"
    assert (folder / "h").read_bytes() == b"a b c\ne f\n"
    assert result.stderr == "h: 2 of 3 lines; 1 of one item, all for training\nt: 3 lines\n"


def test_bytes_of_items_stay_and_lines_end_as_the_trainer_has_it(folder: Path) -> None:
    # A mark of byte order, CRLF, a lone CR, NUL, a no-break space, ill-formed UTF-8, no end of the last line.
    (folder / "s.txt").write_bytes(b"\xef\xbb\xbfa\tb\r\n\xff\xfe c\xc3 d\re\0f\xc2\xa0g\n\xe2\x80\xa8 \nx\xc3\xa9 y")
    assert split("s.txt", "--by", "last").exit_code == 0
    assert (folder / "train.txt").read_bytes() == b"a\n\xff\xfe c\xc3\ne f\nx\xc3\xa9\n"
    assert (folder / "held-out.txt").read_bytes() == b"a b\n\xff\xfe c\xc3 d\ne f g\nx\xc3\xa9 y\n"


def test_blocks_of_any_size(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "s.txt").write_bytes(b"\xef\xbb\xbfaa \xc3\xa9b cc\r\ndd e\r\rfff g h\n" * 3)
    assert split("s.txt", "--by", "last").exit_code == 0
    expected = (folder / "train.txt").read_bytes()
    for size in range(3, 12):
        monkeypatch.setattr("w2v.corpus.BLOCK_BYTES", size)
        assert split("s.txt", "--by", "last", "--overwrite").exit_code == 0
        assert (folder / "train.txt").read_bytes() == expected


@given(lines=baskets, seed=st.integers(0, 2**40))
def test_whole_lines_go_to_one_part(lines: Lines, seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("split")
    lines = [*lines, ["a", "b"], ["c", "d"]]
    names = ("--train", str(folder / "train.txt"), "--held-out", str(folder / "held-out.txt"), "--seed", str(seed))
    (folder / "lines.txt").write_text("".join(" ".join(line) + "\n" for line in lines), encoding="utf-8")
    result = split(folder / "lines.txt", "--by", "random", "--share", "0.5", *names)
    if result.exit_code:  # by chance all or none
        assert "share" in result.stderr
        assert not (folder / "train.txt").exists()
        return
    train, held_out = lines_of(folder / "train.txt"), lines_of(folder / "held-out.txt")
    assert sorted(train + held_out) == sorted(lines)
    assert all(len(line) > 1 for line in held_out)
    positions = [lines.index(line) for line in held_out if lines.count(line) == 1]
    assert positions == sorted(positions)


@given(lines=baskets, seed=st.integers(0, 2**40))
def test_one_item_of_each_basket(lines: Lines, seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("split")
    names = ("--train", str(folder / "train.txt"), "--held-out", str(folder / "held-out.txt"), "--seed", str(seed))
    train, held_out = parts(folder, lines, "--by", "random", "--baskets", *names)
    assert len(train) == len(lines)
    long = [number for number, line in enumerate(lines) if len(line) > 1]
    assert [train[number] for number in long] == [line[:-1] for line in held_out]
    assert [sorted(line) for line in held_out] == [sorted(lines[number]) for number in long]
    assert all(train[n] == line for n, line in enumerate(lines) if len(line) == 1)


def test_every_place_of_a_basket_is_drawn_as_often(folder: Path) -> None:
    _, held_out = parts(folder, [["a", "b", "c"]] * 3000, "--by", "random", "--baskets")
    for item in "abc":
        assert 900 < sum(line[-1] == item for line in held_out) < 1100


def test_seed_decides_and_share_is_kept(folder: Path) -> None:
    lines = [[f"a{i}", f"b{i}"] for i in range(5000)]
    first = parts(folder, lines, "--by", "random", "--seed", "3")
    assert parts(folder, lines, "--by", "random", "--seed", "3") == first
    assert parts(folder, lines, "--by", "random", "--seed", "4") != first
    assert 400 < len(first[1]) < 600
    train, held_out = parts(folder, lines, "--by", "last", "--share", "0.3")
    assert 1350 < len(held_out) < 1650
    assert sum(len(line) == 1 for line in train) == len(held_out)


def test_compressed_and_standard_input(folder: Path) -> None:
    text = b"a b c\nd e\n" * 10
    (folder / "s.gz").write_bytes(gzip.compress(text))
    assert split("s.gz", "--by", "last").exit_code == 0
    command = [sys.executable, "-m", "w2v.cli.main", "split", "-", "--by", "last", "--train", "t", "--held-out", "h"]
    done = subprocess.run(command, input=text, capture_output=True, check=False, cwd=folder)
    assert (done.returncode, done.stdout) == (0, b"")
    assert (folder / "t").read_bytes() == (folder / "train.txt").read_bytes() == b"a b\nd\n" * 10
    assert (folder / "h").read_bytes() == (folder / "held-out.txt").read_bytes() == text


def test_bad_use_is_one_line_and_writes_nothing(folder: Path) -> None:
    (folder / "s.txt").write_text("a b\n", encoding="utf-8")
    (folder / "short.txt").write_text("a\nb\n", encoding="utf-8")
    (folder / "empty.txt").write_text("\n", encoding="utf-8")
    (folder / "old.txt").write_text("kept", encoding="utf-8")
    (folder / "cut.gz").write_bytes(gzip.compress(b"a b\n" * 1000)[:-12])
    cases = [
        (("s.txt", "--by", "last", "--baskets"), "--by random"),
        (("s.txt", "--by", "last", "--train", "old.txt"), "old.txt: exists already; give --overwrite"),
        (("s.txt", "--by", "last", "--train", "s.txt", "--overwrite"), "s.txt: is read as input"),
        (("s.txt", "--by", "last", "--train", "x", "--held-out", "x"), "x: named for two outputs"),
        (("s.txt", "--by", "last", "--train", "-"), "-: results cannot be written to standard output"),
        (("s.txt", "--by", "last", "--held-out", "-"), "-: results cannot be written to standard output"),
        (("s.txt", "--by", "last", "--share", "nan"), "--share nan: must be a number above 0 and at most 1"),
        (("s.txt", "--by", "random", "--share", "1"), "all 1 lines were held out"),
        (("short.txt", "--by", "last"), "2 of 2 lines have a single item"),
        (("empty.txt", "--by", "last"), "empty.txt: no items"),
        (("none.txt", "--by", "last"), "none.txt: no such file"),
        (("cut.gz", "--by", "last"), "cut.gz: damaged"),
    ]
    before = sorted(folder.iterdir())
    for arguments, message in cases:
        result = split(*arguments)
        assert result.exit_code == 2, arguments
        assert result.stderr.startswith("Error: ")
        assert message in result.stderr
        assert len(result.stderr.splitlines()) == 1
    assert sorted(folder.iterdir()) == before
    assert (folder / "old.txt").read_text(encoding="utf-8") == "kept"


def test_help_trains_by_the_recipe_of_the_readme() -> None:
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    (recipe,) = re.findall(r"^w2v train train\.txt -o sessions\.safetensors (--.*)$", readme, re.MULTILINE)
    shown = " ".join(CliRunner().invoke(cli, ["split", "--help"]).stdout.replace("\\\n", " ").split())
    assert f"w2v train train.txt -o items.safetensors {recipe} w2v eval items.safetensors" in shown
    assert "--window line in place of --window 3 --fixed-window" in shown
