"""The commands of the README, run as they stand, in order, in one folder."""

import math
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest

from w2v.cli.main import COMMANDS, cli

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
INSTALL = re.compile(
    r"python3 -m venv \.venv && \. \.venv/bin/activate && pip install ('\.\[eval\]'|-e '\.\[test\]') && "
)


def blocks(language: str) -> list[str]:
    """The code blocks of one language, in order."""
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def run(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a shell script with this environment's `w2v` and `python` first on the path."""
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("readme")


def test_two_commands_set_everything_up(tmp_path: Path) -> None:
    main_job, tests = blocks("bash")[:2]
    assert INSTALL.match(main_job)
    assert INSTALL.match(tests)
    assert INSTALL.sub("", tests).strip() == "pytest"
    done = run(INSTALL.sub("", main_job), tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 10
    assert (tmp_path / "vectors.bin").stat().st_size > 100_000


@pytest.mark.parametrize("script", [b for b in blocks("bash")[2:] if "w2v.eval.benchmark" not in b])
def test_commands_by_example(script: str, folder: Path) -> None:
    done = run(script, folder)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr


def test_files_of_the_examples_were_written(folder: Path) -> None:
    written = {path.name for path in folder.iterdir()}
    assert {"vectors.bin", "vectors.bin.json", "model.safetensors", "log.json", "items.bin", "lee.bin"} <= written
    assert {"page.md", "train.txt", "held-out.txt", "sessions.safetensors", "like-gensim.bin"} <= written
    assert {
        "nce.safetensors",
        "cosine.safetensors",
        "in-batch.safetensors",
        "unique.safetensors",
        "cbow.bin",
    } <= written
    assert {"items.tsv", "vectors.txt", "vectors.glove", "projector.tsv", "projector.metadata.tsv"} <= written


def test_python_examples(folder: Path) -> None:
    script = "".join(blocks("python"))
    done = subprocess.run([sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    nearest, analogy, _, scores, best, shape = done.stdout.splitlines()
    assert nearest.count("(") == 5
    assert analogy.count("(") == 3
    assert all(map(math.isfinite, map(float, scores.split())))
    assert best.count("'") == 10
    assert re.fullmatch(r"\(\d+,\)", shape)


def test_sources_shown_are_those_of_the_files() -> None:
    shown = re.findall(r"```python file=(\S+)\n(.*?)```", README, re.DOTALL)
    assert len(shown) == 2
    for name, text in shown:
        assert text in (ROOT / name).read_text(encoding="utf-8"), name


def test_benchmark_commands_name_options_that_exist() -> None:
    commands = [line for block in blocks("bash") for line in block.splitlines() if "w2v.eval.benchmark" in line]
    assert commands
    for command in commands:
        subcommand = re.search(r"w2v\.eval\.benchmark (\w+)", command)
        assert subcommand, command
        listed = subprocess.run(
            [sys.executable, "-P", "-m", "w2v.eval.benchmark", subcommand[1], "--help"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        assert all(option in listed for option in re.findall(r"--[a-z-]+", command)), command


def test_every_command_and_option_named_exists() -> None:
    for command in re.findall(r"\bw2v (?!`)([a-z]+)\b(?= )", "\n".join(blocks("bash"))):
        assert command in COMMANDS
    options = set(re.findall(r"`(--[a-z-]+)", README))
    programs = [cli.get_command(click.Context(cli), name) for name in COMMANDS]
    parameters = [parameter for program in programs if program for parameter in program.params]
    known = {name for option in parameters for name in (*option.opts, *option.secondary_opts)}
    assert options <= known, options - known


def test_tour_names_files_that_exist() -> None:
    tour = README[README.index("## A tour of the files") : README.index("## Dependencies")]
    for row in re.findall(r"^\| (.*?) \|", tour, re.MULTILINE)[2:]:
        folder = ""
        for name in re.findall(r"`([^`]+)`", row):
            folder = str(Path(name).parent) if name.startswith(("w2v/", "data/", "eval", "cli", "tests")) else folder
            candidates = [ROOT / name, ROOT / folder / name, ROOT / "w2v" / name]
            assert any(path.exists() for path in candidates), name


def test_dependencies_are_those_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    section = README[README.index("## Dependencies") :].lower()
    for requirement in [*project["dependencies"], *project["optional-dependencies"]["eval"]]:
        assert re.split(r"[\[>=<]", requirement)[0] in section, requirement
