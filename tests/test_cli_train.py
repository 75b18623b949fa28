"""`w2v train`: what it writes and says, every bad input, signals, memory."""

import json
import os
import pty
import resource
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from w2v.cli.main import cli
from w2v.vectors import Vectors

W2V = [sys.executable, "-m", "w2v.cli.main"]
SMALL = ["--dim", "8", "--threads", "1", "--epochs", "2", "--min-count", "1", "--sample", "0"]
TEXT = "the king rules the land\nthe queen rules the sea\n" * 50
COUNTS = "the\t200\nrules\t100\nking\t50\nland\t50\nqueen\t50\nsea\t50\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder that holds a corpus."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "corpus.txt").write_text(TEXT)
    return tmp_path


def train(*arguments: str | Path, text: bytes | None = None) -> Result:
    return CliRunner().invoke(cli, ["train", *map(str, arguments), *SMALL], input=text, catch_exceptions=False)


def process(*arguments: str | Path, **settings: object) -> subprocess.CompletedProcess[str]:
    command = [*W2V, "train", *map(str, arguments), *SMALL]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, **settings)  # type: ignore[call-overload,no-any-return]


# What it writes.


def test_default_output(folder: Path) -> None:
    result = train("corpus.txt")
    assert result.exit_code == 0
    assert result.stdout == ""
    assert sorted(path.name for path in folder.iterdir()) == ["corpus.txt", "vectors.bin", "vectors.bin.json"]
    vectors = Vectors.load("vectors.bin")
    assert vectors.words == ["the", "rules", "king", "land", "queen", "sea"]
    assert vectors.dim == 8
    assert json.loads(Path("vectors.bin.json").read_text())["config"]["epochs"] == 2


def test_all_outputs() -> None:
    result = train("corpus.txt", "-o", "v.safetensors", "--save-output-vectors", "out.txt", "--save-vocab", "vocab.txt",
                   "--log-json", "log.json")  # fmt: skip
    assert result.exit_code == 0
    assert Path("vocab.txt").read_text() == COUNTS
    model, output = Vectors.load("v.safetensors"), Vectors.load("out.txt")
    assert model.output_matrix is not None
    assert np.array_equal(model.output_matrix, output.matrix)
    assert model.counts is not None
    assert model.counts.tolist() == [200, 100, 50, 50, 50, 50]


def test_vocabulary_round_trip() -> None:
    assert train("corpus.txt", "-o", "a.bin", "--save-vocab", "counts").exit_code == 0
    assert train("corpus.txt", "-o", "b.bin", "--vocab", "counts").exit_code == 0
    assert Path("a.bin").read_bytes() == Path("b.bin").read_bytes()
    assert train("corpus.txt", "-o", "c.bin", "--vocab", "counts", "--max-vocab", "3").exit_code == 0
    assert Vectors.load("c.bin").words == ["the", "rules", "king"]


@pytest.mark.parametrize("hash_seed", ["0", "1"])
def test_the_same_bytes_from_file_and_standard_input(hash_seed: str) -> None:
    assert train("corpus.txt", "-o", "file.bin").exit_code == 0
    assert train("-", "-o", "runner.bin", text=TEXT.encode()).exit_code == 0
    environment = os.environ | {"PYTHONHASHSEED": hash_seed}
    assert process("-", "-o", "piped.bin", input=TEXT, env=environment).returncode == 0
    assert Path("file.bin").read_bytes() == Path("runner.bin").read_bytes() == Path("piped.bin").read_bytes()


def test_overwrite() -> None:
    assert train("corpus.txt", "--seed", "1").exit_code == 0
    before = Path("vectors.bin").read_bytes()
    assert train("corpus.txt", "--seed", "2").exit_code == 2
    assert Path("vectors.bin").read_bytes() == before
    assert train("corpus.txt", "--seed", "2", "--overwrite").exit_code == 0
    assert Path("vectors.bin").read_bytes() != before


# Bad input.


def prepare_bad_input(folder: Path) -> None:
    (folder / "empty.txt").touch()
    (folder / "blank.txt").write_text("\n \t\r\n\u2028\n")
    (folder / "nofiles/.hidden").mkdir(parents=True)
    (folder / "one.txt").write_text("word word word\n")
    (folder / "lonely.txt").write_text("a\nb\nc\n")
    (folder / "link.txt").symlink_to("corpus.txt")
    (folder / "existing.bin").write_text("precious")
    (folder / "truncated").write_bytes(b"\x1f\x8b\x08\0\0\0\0\0\0\x03abc")
    (folder / "bad.vocab").write_text("the\t5\nking five\n")
    (folder / "other.vocab").write_text("x\t5\ny\t6\n")
    (folder / "sub").mkdir()


BAD_INPUT: list[tuple[list[str], str]] = [
    (["missing.txt"], "missing.txt: no such file"),
    (["*.text"], "*.text: no file matches"),
    (["nofiles"], "nofiles: the folder holds no files"),
    ([""], "an empty name"),
    (["empty.txt"], "empty.txt: the corpus holds no words"),
    (["blank.txt"], "blank.txt: the corpus holds no words"),
    (["one.txt"], "the vocabulary is the single word 'word'"),
    (["lonely.txt"], "no line has two words"),
    (["truncated"], "truncated: damaged"),
    (["corpus.txt/below"], "no such file"),
    (["corpus.txt", "--min-count", "500"], "--min-count 500 leaves no word: the largest count is 200"),
    (["corpus.txt", "--dim", "0"], "--dim 0: must be at least 1"),
    (["corpus.txt", "--negative", "0"], "--negative 0: --loss sgns needs noise words, at least 1"),
    (["corpus.txt", "--window", "0"], "--window 0: must be"),
    (["corpus.txt", "--window", "wide"], "'wide' is neither a whole number nor `line`"),
    (["corpus.txt", "--lr", "nan"], "--lr nan: must be a finite number"),
    (["corpus.txt", "--lr", "-1"], "--lr -1.0: must be greater than 0"),
    (["corpus.txt", "--min-lr", "1"], "--min-lr 1.0: must be between 0 and --lr"),
    (["corpus.txt", "--epochs", "0"], "--epochs 0: must be"),
    (["corpus.txt", "--normalize", "nfd"], "'nfd' is not one of"),
    (["corpus.txt", "-o", "none/v.bin"], "none/v.bin: there is no folder"),
    (["corpus.txt", "-o", "sub"], "sub: "),
    (["corpus.txt", "-o", "corpus.txt/v.bin"], "corpus.txt/v.bin: "),
    (["corpus.txt", "-o", "v.unknown"], "v.unknown: its ending names no format"),
    (["corpus.txt", "--format", "odd"], "unknown format 'odd'"),
    (["corpus.txt", "-o", "existing.bin"], "existing.bin: exists already; give --overwrite"),
    (["corpus.txt", "--save-vocab", "existing.bin"], "existing.bin: exists already; give --overwrite"),
    (["corpus.txt", "--log-json", "existing.bin"], "existing.bin: exists already; give --overwrite"),
    (["corpus.txt", "--log-json", "none/log"], "none/log: there is no folder"),
    (["corpus.txt", "--save-output-vectors", "sub/out"], "sub/out: its ending names no format"),
    (["corpus.txt", "-o", "corpus.txt"], "corpus.txt: is read as input"),
    (["corpus.txt", "-o", "corpus.txt", "--overwrite"], "corpus.txt: is read as input"),
    (["corpus.txt", "-o", "link.txt", "--overwrite"], "link.txt: is read as input"),
    (["corpus.txt", "--save-vocab", "./corpus.txt", "--overwrite"], "corpus.txt: is read as input"),
    (["corpus.txt", "--vocab", "other.vocab", "--save-vocab", "other.vocab", "--overwrite"], "is read as input"),
    (["corpus.txt", "--save-vocab", "v.bin", "-o", "v.bin"], "v.bin: named for two outputs"),
    (["corpus.txt", "-o", "v.bin", "--log-json", "v.bin.json"], "v.bin.json: named for two outputs"),
    (["corpus.txt", "corpus.txt"], "corpus.txt: given twice"),
    (["corpus.txt", "link.txt"], "link.txt: given twice (also as corpus.txt)"),
    (["corpus.txt", "c*.txt"], "corpus.txt: given twice"),
    (["-", "-"], "-: given twice"),
    (["corpus.txt", "--tmp-dir", "none"], "none: no temporary file can be made there"),
    (["corpus.txt", "--tmp-dir", "corpus.txt"], "corpus.txt: no temporary file can be made there"),
    (["corpus.txt", "--vocab", "none.vocab"], "none.vocab: the vocabulary cannot be read"),
    (["corpus.txt", "--vocab", "bad.vocab"], "bad.vocab, line 2: expected `word TAB count`, found 'king five'"),
    (["corpus.txt", "--vocab", "other.vocab"], "no word of --vocab occurs in the corpus"),
    (["nosuch://host/file"], "nosuch://host/file: cannot be opened"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD_INPUT, ids=[" ".join(case[0]) or "empty" for case in BAD_INPUT])
def test_bad_input(folder: Path, arguments: list[str], message: str) -> None:
    prepare_bad_input(folder)
    before = {path: path.read_bytes() if path.is_file() else b"" for path in folder.rglob("*")}
    # The options under test come last, where they win.
    result = CliRunner().invoke(cli, ["train", *SMALL, "--quiet", *arguments], catch_exceptions=False)
    assert result.exit_code == 2
    assert result.stdout == ""
    errors = [line for line in result.stderr.splitlines() if line.startswith("Error: ")]
    assert len(errors) == 1
    assert message in errors[0]
    if "Usage:" not in result.stderr:  # click's own errors come with a hint of the usage
        assert len(result.stderr.splitlines()) == 1
    assert {path: path.read_bytes() if path.is_file() else b"" for path in folder.rglob("*")} == before


def test_bad_input_in_a_process_has_no_traceback(folder: Path) -> None:
    result = process("missing.txt")
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("Error: missing.txt: no such file")
    assert result.stderr.count("\n") == 1


def limit(name: int, value: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(name, (value, value))


def test_no_space_for_the_temporary_file(folder: Path) -> None:
    (folder / "large.txt").write_text("a b c d\n" * 40_000)
    result = process("large.txt", "--quiet", "--tmp-dir", folder, preexec_fn=limit(resource.RLIMIT_FSIZE, 300_000))
    assert result.returncode == 2
    assert result.stderr.startswith(f"Error: {folder}: no space left")
    assert "--tmp-dir" in result.stderr
    assert result.stderr.count("\n") == 1
    assert sorted(path.name for path in folder.iterdir()) == ["corpus.txt", "large.txt"]


def test_no_space_for_the_output(folder: Path) -> None:
    (folder / "large.txt").write_text("".join(f"{i} x y z\n" for i in range(3000)))
    result = process("large.txt", "--quiet", preexec_fn=limit(resource.RLIMIT_FSIZE, 80_000))
    assert result.returncode == 2
    assert result.stderr.startswith("Error: vectors.bin: cannot be written (File too large)")
    assert result.stderr.count("\n") == 1
    assert sorted(path.name for path in folder.iterdir()) == ["corpus.txt", "large.txt"]


# Signals.


@pytest.mark.parametrize(("number", "code", "word"), [(signal.SIGINT, 130, "Interrupted."),
                                                      (signal.SIGTERM, 143, "Terminated.")])  # fmt: skip
@pytest.mark.parametrize("stage", ["counting", "training"])
def test_signals(folder: Path, number: int, code: int, word: str, stage: str) -> None:
    (folder / "tmp").mkdir()
    command = [
        *W2V,
        "train",
        "-" if stage == "counting" else "corpus.txt",
        *SMALL,
        "--tmp-dir",
        "tmp",
        "--epochs",
        "1000000",
    ]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdin is not None
        assert running.stderr is not None
        if stage == "counting":
            running.stdin.write("a b c\n" * 200_000)  # more than the pipe holds: it is being read
            running.stdin.flush()
        else:
            while "epoch 1:" not in running.stderr.readline():
                assert running.poll() is None
        running.send_signal(number)
        begun = time.monotonic()
        rest = running.stderr.read()
        assert running.wait(timeout=30) == code
        assert time.monotonic() - begun < 5
    assert rest.splitlines()[-1] == word
    assert "Traceback" not in rest
    assert sorted(path.name for path in folder.rglob("*")) == ["corpus.txt", "tmp"]


@pytest.mark.parametrize("arguments", [["nn", "king"], ["info", "x.bin"], ["convert", "x.bin", "y.txt"]])
def test_interrupt_in_any_command(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_arguments: object, **_options: object) -> None:
        raise KeyboardInterrupt

    Path("x.bin").write_bytes(b"1 1\na \0\0\0\0\n")
    monkeypatch.setenv("W2V_VECTORS", "x.bin")
    monkeypatch.setattr("w2v.vectors.Vectors.load", interrupted)
    result = CliRunner().invoke(cli, arguments)
    assert (result.exit_code, result.stdout, result.stderr) == (130, "", "Interrupted.\n")


# Progress.


def test_lines(folder: Path) -> None:
    result = process("corpus.txt", "-o", "v.bin")
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert lines[0].startswith("counting: 2,400 of 2,400 bytes read, 500 tokens") or lines[0].startswith("compiling")
    assert sum(line.startswith("counting: ") for line in lines) == 1
    assert "vocabulary: 6 of 6 words; 500 of 500 tokens in 100 sentences" in lines
    assert sum(line.startswith("compiling") for line in lines) <= 1
    for epoch in (1, 2):
        assert sum(line.startswith(f"epoch {epoch}: loss ") for line in lines) == 1
    assert lines[-3].startswith("trained 6 words on 500 tokens an epoch, ")
    assert " pairs in all, " in lines[-3]
    for stage in ("counting", "training", "saving", "total", "peak memory"):
        assert stage in lines[-2]
    assert lines[-1] == "wrote v.bin"


def test_compiling_is_said_once(folder: Path) -> None:
    environment = os.environ | {"W2V_CACHE_DIR": str(folder / "cache")}
    first = process("corpus.txt", "-o", "1.bin", env=environment)
    assert sum(line.startswith("compiling") for line in first.stderr.splitlines()) == 1
    second = process("corpus.txt", "-o", "2.bin", env=environment)
    assert "wrote 2.bin" in second.stderr
    assert Path("1.bin").read_bytes() == Path("2.bin").read_bytes()


def test_quiet_is_silent_but_for_warnings(folder: Path) -> None:
    assert process("corpus.txt", "--quiet").stderr == ""
    (folder / "bad.txt").write_bytes(TEXT.encode() + b"x \xff y \xff\n")
    stderr = process("bad.txt", "--quiet", "-o", "bad.bin").stderr
    assert stderr == ("warning: 2 ill-formed UTF-8 sequences replaced by U+FFFD, the first in bad.txt at byte 2402\n")


def test_json_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("w2v.cli.progress.LOG_SECONDS", 0)
    assert train("corpus.txt", "--quiet", "--log-json", "log").exit_code == 0

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is no JSON")

    events = [json.loads(line, parse_constant=refuse) for line in Path("log").read_text().splitlines()]
    kinds = [event["event"] for event in events]
    kinds = [kind for kind in dict.fromkeys(kinds) if kind != "compiling"]
    assert kinds == ["counting", "counted", "training", "epoch", "summary"]
    assert [event["epoch"] for event in events if event["event"] == "epoch"] == [1, 2]
    summary = events[-1]
    assert (summary["tokens"], summary["vocabulary"], summary["output"]) == (500, 6, "vectors.bin")
    assert summary["pairs"] > 0
    assert set(summary["seconds"]) >= {"counting", "training", "saving", "total"}
    assert 10 < summary["peak_memory_mib"] < 2000


def test_json_log_of_a_file_whose_name_is_no_text(folder: Path) -> None:
    name = os.fsdecode(b"odd\xff.txt")
    (folder / name).write_bytes(TEXT.encode() + b"\xff\n")
    assert process(name, "--log-json", "log").returncode == 0
    events = [json.loads(line) for line in Path("log").read_text().splitlines()]
    assert [event["source"] for event in events if event["event"] == "replaced"] == [name]


def test_a_bar_on_a_terminal(folder: Path) -> None:
    main_end, terminal = pty.openpty()
    termios.tcsetwinsize(terminal, (24, 120))
    command = [*W2V, "train", "corpus.txt", *SMALL, "--epochs", "3"]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=terminal, close_fds=True)
    os.close(terminal)
    shown = b""
    while True:
        try:
            block = os.read(main_end, 65536)
        except OSError:  # how Linux tells that the other end is closed
            break
        shown += block
    os.close(main_end)
    assert running.wait(timeout=30) == 0
    assert running.stdout is not None
    assert running.stdout.read() == b""
    running.stdout.close()
    text = shown.decode()
    for piece in ("counting", "tokens/s", "epoch 1/3", "epoch 3/3", "lr 0.0", "loss 2.", "words/s", "%"):
        assert piece in text
    lines = [line.rsplit("\r", 1)[-1] for line in text.replace("\r\n", "\n").splitlines()]
    assert lines[-1] == "wrote vectors.bin"
    assert not any("epoch 3/3" in line for line in lines[-3:])
    for start in ("vocabulary: ", "epoch 1: loss ", "epoch 3: loss ", "trained 6 words"):
        assert sum(line.startswith(start) for line in lines) == 1


# Memory and shape of the input.


def test_one_line_of_20_mb_in_bounded_memory(folder: Path) -> None:
    with (folder / "line.txt").open("w") as file:
        for i in range(200):
            file.write(" ".join(f"w{(i * 7919 + j * j) % 5000}" for j in range(17_000)) + " ")
    assert (folder / "line.txt").stat().st_size > 18_000_000
    result = process("line.txt", "--quiet", "--epochs", "1", "--log-json", "log")
    assert (result.returncode, result.stderr) == (0, "")
    summary = json.loads(Path("log").read_text().splitlines()[-1])
    assert summary["tokens"] == 200 * 17_000
    assert summary["peak_memory_mib"] < 450  # compiling, if need be, included


def test_a_long_token_is_a_word(folder: Path) -> None:
    word = "é" * 500_000
    (folder / "long.txt").write_text(f"a {word} b\n" * 3)
    assert train("long.txt", "-o", "v.bin", "--lowercase", "--normalize", "nfkc").exit_code == 0
    assert sorted(Vectors.load("v.bin").words) == sorted(["a", "b", word])


def test_baskets() -> None:
    assert train("corpus.txt", "--window", "line", "--window-side", "left", "--fixed-window").exit_code == 0
    assert json.loads(Path("vectors.bin.json").read_text())["config"]["window"] == "line"


def test_help_names_the_rules() -> None:
    text = " ".join(CliRunner().invoke(cli, ["train", "--help"]).stdout.split())
    for piece in (
        "vectors.bin",
        "--max-sentence",
        "10000",
        "white space and NUL",
        "exactly once",
        "--tmp-dir",
        "[default: 5",
    ):
        assert piece in text
