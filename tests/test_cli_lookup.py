"""`w2v nn`, `w2v analogy` and `w2v info`, through click's runner and real processes."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from w2v.cli import output
from w2v.cli.main import cli
from w2v.config import TrainConfig
from w2v.vectors import Vectors

W2V = [sys.executable, "-m", "w2v.cli.main"]
WORDS = ["man", "king", "woman", "queen", "ångström", "王"]
MATRIX = [[0.1, -2, 0], [5, -2, 0], [0.1, 2, 0], [1.5, 0.9, 0], [0, 0, 9], [0, 3, 9]]


@pytest.fixture
def path(tmp_path: Path, monkeypatch) -> Path:
    """A small file that $W2V_VECTORS names, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    metadata = {
        "program": "w2v 0.1.0",
        "objective": "sgns",
        "config": {"lowercase": True, "dim": 3},
        "total_count": 99,
    }
    Vectors(WORDS, MATRIX, metadata=metadata).save(tmp_path / "small.bin")
    monkeypatch.setenv("W2V_VECTORS", str(tmp_path / "small.bin"))
    return tmp_path / "small.bin"


def run(*arguments: str, text: str | bytes | None = None) -> Result:
    result = CliRunner().invoke(cli, arguments, input=text, catch_exceptions=False)
    assert "Traceback" not in result.output
    return result


def on_a_terminal(arguments: list[str], typed: bytes = b"") -> str:
    """Output of a process whose stdin, stdout and stderr are a terminal."""
    main_end, terminal = pty.openpty()
    process = subprocess.Popen([*W2V, *arguments], stdin=terminal, stdout=terminal, stderr=terminal, close_fds=True)
    os.close(terminal)
    os.write(main_end, typed)
    shown = b""
    while True:
        try:
            block = os.read(main_end, 65536)
        except OSError:  # how Linux tells that the other end is closed
            block = b""
        if not block:
            break
        shown += block
    os.close(main_end)
    process.wait(timeout=20)
    return shown.decode("utf-8", "replace").replace("\r\n", "\n")


def test_nn_piped_is_tsv(path: Path) -> None:
    result = run("nn", "king", "-k", "2")
    assert result.exit_code == 0
    expected = Vectors(WORDS, MATRIX).nearest("king", 2)
    assert result.stdout == "".join(f"{word}\t{cosine:.4f}\n" for word, cosine in expected)
    assert result.stderr == ""


def test_nn_json(path: Path) -> None:
    result = run("nn", "king", "queen", "-k", "1", "--json")
    expected = Vectors(WORDS, MATRIX).nearest(["king", "queen"], 1)
    assert json.loads(result.stdout) == {
        "query": ["king", "queen"],
        "neighbours": [{"word": word, "similarity": pytest.approx(cosine)} for word, cosine in expected],
    }


def test_nn_min_similarity(path: Path) -> None:
    lines = run("nn", "man", "--min-similarity", "0.3").stdout.splitlines()
    assert [line.split("\t")[0] for line in lines] == ["king"]


def test_nn_normalises_queries(path: Path) -> None:
    assert run("nn", "KING").stdout == run("nn", "king").stdout
    assert run("nn", "ÅNGSTRÖM").exit_code == 0


def test_nn_from_stdin(path: Path) -> None:
    result = run("nn", "-k", "1", text="\ufeffking\r\n\n  man queen \n王".encode())
    assert result.exit_code == 0
    assert [line.split("\t")[0] for line in result.stdout.splitlines()] == ["king", "man queen", "王"]
    assert all(line.count("\t") == 2 for line in result.stdout.splitlines())


def test_nn_from_stdin_goes_on_after_unknown_words(path: Path) -> None:
    result = run("nn", "-k", "1", text=b"kign\nking\n\xff\n")
    assert result.exit_code == 1
    assert result.stdout.startswith("king\t")
    assert "Error: 'kign' is not one of the 6 words; closest: 'king'" in result.stderr
    assert result.stderr.count("Error:") == 2


def test_nn_from_stdin_as_json_lines(path: Path) -> None:
    lines = run("nn", "--json", text="king\nman queen\n").stdout.splitlines()
    assert [json.loads(line)["query"] for line in lines] == [["king"], ["man", "queen"]]


def test_nothing_on_stdin_is_no_error(path: Path) -> None:
    result = run("nn", text="")
    assert (result.exit_code, result.output) == (0, "")


def test_unknown_word(path: Path) -> None:
    result = run("nn", "kign")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr == "Error: 'kign' is not one of the 6 words; closest: 'king'\n"


@pytest.mark.parametrize("command", ["info", "eval"])
def test_missing_vectors_of_an_argument(command: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(command, "nosuch.bin")
    assert result.exit_code == 2
    assert result.stderr == (
        "Error: no vectors at nosuch.bin; train some with `w2v train CORPUS`, or name a file "
        "(as an argument, or in the environment variable W2V_VECTORS)\n"
    )


@pytest.mark.parametrize("command", ["nn", "analogy"])
def test_missing_vectors_say_how_to_get_some(command: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("W2V_VECTORS", raising=False)
    result = run(command, "a", "b", "c")
    assert result.exit_code == 2
    assert "no vectors at vectors.bin" in result.stderr
    assert "w2v train CORPUS" in result.stderr
    assert "(with --vectors PATH, or in the environment variable W2V_VECTORS)" in result.stderr


def test_vectors_come_from_option_then_environment_then_folder(path: Path, monkeypatch) -> None:
    Vectors(["king", "other"], [[1], [2]]).save(path.parent / "other.bin")
    Vectors(["king", "here"], [[1], [2]]).save(path.parent / "vectors.bin")
    assert run("nn", "king", "--vectors", "other.bin").stdout == "other\t1.0000\n"
    assert run("nn", "king", "-k1").stdout.startswith("queen\t")
    monkeypatch.delenv("W2V_VECTORS")
    assert run("nn", "king").stdout == "here\t1.0000\n"


@pytest.mark.parametrize(
    "arguments", [("nn", "king", "-k", "0"), ("nn", "king", "--min-similarity", "2"), ("analogy", "king"),
                  ("analogy", "a", "b", "c", "d")]
)  # fmt: skip
def test_wrong_use_exits_with_2(arguments: tuple[str, ...], path: Path) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Error: " in result.stderr


def test_analogy(path: Path) -> None:
    result = run("analogy", "man", "king", "woman", "-k", "1")
    assert result.exit_code == 0
    assert result.stdout.startswith("queen\t")
    found = json.loads(run("analogy", "man", "KING", "woman", "--json").stdout)
    assert found["query"] == ["man", "KING", "woman"]
    assert found["neighbours"][0]["word"] == "queen"
    assert len(found["neighbours"]) == 3


def test_analogy_from_stdin(path: Path) -> None:
    result = run("analogy", "-k", "1", text="man king woman\nman king\nman kign woman\n")
    assert result.stdout.startswith("man king woman\tqueen\t")
    assert result.stdout.count("\n") == 1
    assert "an analogy takes three words, not 2 (man king)" in result.stderr
    assert result.exit_code == 2


def test_warnings_go_to_stderr(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"\nman ", b"\nking ").replace(b"3\nman", b"3\nking", 1))
    result = run("nn", "king", "-k1")
    assert result.stdout.count("\n") == 1
    assert result.stderr.startswith("Warning: ")
    assert "1 rows repeat an earlier word" in result.stderr


def test_info(path: Path) -> None:
    result = run("info", str(path))
    facts = dict(line.split("\t") for line in result.stdout.splitlines())
    assert facts["format"] == "bin"
    assert facts["words"] == "6"
    assert facts["dimensions"] == "3"
    assert facts["first words"] == " ".join(WORDS)
    assert facts["norm max"] == f"{90**0.5:.4f}"
    assert facts["total count"] == "99"
    assert facts["program"] == "w2v 0.1.0"
    assert facts["objective"] == "sgns"
    assert facts["lowercase"] == "yes"
    assert result.stdout == run("info").stdout


def test_info_json_counts_odd_rows(tmp_path: Path) -> None:
    text = b"6 2\na nan 1\nb 0 0\nc 3 4\nd 6 8\na 1 1\ne inf 0\n"
    (tmp_path / "v").write_bytes(text)
    facts = json.loads(run("info", str(tmp_path / "v"), "--json").stdout)
    assert facts["format"] == "text"
    assert facts["bytes"] == len(text)
    assert (facts["words"], facts["dimensions"]) == (5, 2)
    assert facts["norms"] == {"min": 0, "median": 5, "max": 10}
    assert (facts["zero_rows"], facts["non_finite_rows"], facts["duplicate_words"]) == (1, 2, 1)
    assert facts["total_count"] is None
    assert facts["metadata"] == {}


def test_info_of_a_native_model(tmp_path: Path) -> None:
    vectors = Vectors(["a", "b"], np.eye(2), output_matrix=np.eye(2), counts=[3, 2])
    vectors.save(tmp_path / "m.safetensors")
    facts = json.loads(run("info", str(tmp_path / "m.safetensors"), "--json").stdout)
    assert (facts["format"], facts["total_count"]) == ("safetensors", 5)
    assert facts["counts"] is facts["output_vectors"] is True


def test_info_shows_what_applies(tmp_path: Path) -> None:
    def shown(name: str, **options: object) -> dict[str, str]:
        metadata = {"config": TrainConfig(dim=2, **options).to_dict(), "losses": [2.123456789, None]}  # type: ignore[arg-type]
        Vectors(["a", "b"], np.eye(2), metadata=metadata).save(tmp_path / name)
        assert json.loads(run("info", str(tmp_path / name), "--json").stdout)["metadata"] == metadata
        return dict(line.split("\t") for line in run("info", str(tmp_path / name)).stdout.splitlines())

    noise = {"negative", "noise", "noise power", "unique", "accidental hits", "share noise"}
    special = {"similarity", "temperature", "learn temperature", "margin", "scale", "multi positive", "no logq",
               "allow biased", "batch", "symmetric", "frequency estimate", "cbow normalize"}  # fmt: skip
    facts = shown("sgns.bin")
    assert facts["losses"] == "2.1235 ?"
    assert noise <= set(facts)
    assert not special & set(facts)
    assert {"lowercase", "dim", "window", "bias", "epochs", "lr"} <= set(facts)
    assert not (noise | special) & set(shown("hs.bin", loss="hs"))
    assert special & set(shown("margin.bin", loss="margin")) == {"similarity", "margin", "scale"}
    in_batch = set(shown("in-batch.bin", loss="in-batch"))
    assert noise & in_batch == {"negative", "accidental hits"}
    assert special & in_batch == {"similarity", "temperature", "learn temperature", "no logq", "batch", "symmetric",
                                  "frequency estimate"}  # fmt: skip
    assert "cbow normalize" in shown("cbow.bin", architecture="cbow")
    assert "noise power" not in shown("uniform.bin", noise="uniform")


def test_info_with_nothing_finite(tmp_path: Path) -> None:
    (tmp_path / "v").write_bytes(b"1 2\na nan nan\n")
    assert json.loads(run("info", str(tmp_path / "v"), "--json").stdout)["norms"]["median"] is None
    assert "non finite rows\t1" in run("info", str(tmp_path / "v")).stdout


def test_info_of_something_else(tmp_path: Path) -> None:
    (tmp_path / "v").write_bytes(b"<html>")
    result = run("info", str(tmp_path / "v"))
    assert result.exit_code == 2
    assert "a web page" in result.stderr


@pytest.mark.parametrize("command", ["nn", "analogy", "info", "convert"])
def test_help_is_complete(command: str) -> None:
    result = run(command, "--help")
    assert result.exit_code == 0
    assert f"w2v {command} " in result.stdout  # an example


# --- real processes ----------------------------------------------------------------------------------------


def test_terminal_gets_a_table(path: Path) -> None:
    lines = on_a_terminal(["nn", "king", "-k", "3"]).splitlines()
    assert lines[0].split() == ["word", "similarity"]
    assert lines[1].split()[0] == "queen"
    assert len({len(line) for line in lines}) == 1


def test_info_on_a_terminal(path: Path) -> None:
    lines = on_a_terminal(["info"]).splitlines()
    assert lines[0].split() == ["file", str(path)]
    assert lines[1].split() == ["format", "bin"]


def test_prompt_on_a_terminal(path: Path) -> None:
    shown = on_a_terminal(["nn", "-k", "1"], b"king\nkign\n\xff\nking queen\n\x04")
    assert shown.count("similarity") == 2
    assert "Error: 'kign'" in shown
    assert shown.count("Error:") == 2
    assert "Traceback" not in shown


def test_control_characters_are_escaped_on_a_terminal(tmp_path: Path, monkeypatch) -> None:
    Vectors(["a", "\x1b[31mred"], [[1], [2]]).save(tmp_path / "v.bin")
    assert "\x1b[31m" not in on_a_terminal(["nn", "a", "--vectors", str(tmp_path / "v.bin")])
    assert "\\x1b[31mred" in on_a_terminal(["nn", "a", "--vectors", str(tmp_path / "v.bin")])
    assert run("nn", "a", "--vectors", str(tmp_path / "v.bin")).stdout == "\x1b[31mred\t1.0000\n"


def test_closed_pipe_is_quiet(path: Path) -> None:
    process = subprocess.Popen([*W2V, "nn"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.close()
    _, errors = process.communicate(b"king\n" * 1000, timeout=20)
    assert errors == b""


def test_any_locale_and_any_bytes(path: Path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    done = subprocess.run([*W2V, "nn", "王", "-k", "1"], env=environment, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b"\\xe5ngstr\\xf6m\t0.9487\n")
    done = subprocess.run([*W2V, "nn", "王", "--json"], env=environment, capture_output=True, check=True)
    assert json.loads(done.stdout)["neighbours"][0]["word"] == "ångström"
    done = subprocess.run([*W2V, "nn", b"\xff"], env=environment, capture_output=True, check=False)
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr


def test_lookups_import_no_heavy_library(path: Path) -> None:
    code = (
        "import sys; from w2v.cli.main import cli; cli(['nn', 'king'], standalone_mode=False);"
        "print([m for m in ('numba', 'scipy', 'gensim') if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stderr == b"[]\n"


# --- tables ------------------------------------------------------------------------------------------------


def test_table_alignment(monkeypatch, capsys) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    output.print_rows(("word", "count"), [("王王", 5), ("e\u0301a", 1000), ("abcdef", 1)])
    assert capsys.readouterr().out == "word    count\n王王        5\ne\u0301a       1000\nabcdef      1\n"


def test_tsv_and_empty_tables(capsys) -> None:
    output.print_rows(("a", "b"), [(None, 0.5)], tsv_header=True)
    assert capsys.readouterr().out == "a\tb\n\t0.5000\n"
    output.print_rows(("a", "b"), [])
    assert capsys.readouterr().out == ""


def test_json_has_no_nan(capsys) -> None:
    output.print_json({"a": [float("nan"), 1.5], "b": (float("inf"), "ü")})
    assert capsys.readouterr().out == '{"a": [null, 1.5], "b": [null, "ü"]}\n'
