"""Rules of the project's form: where imports may go, sizes, docstrings, help texts."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import w2v
from w2v.cli.main import COMMANDS, cli

LIBRARY = Path(w2v.__file__).parent
LONGEST_FUNCTION = 40
LONGEST_KERNEL = 70  # a compiled loop with its arrays in one place: calls between pieces cost speed there
# A module of the library may import those of its own line and of the lines above.  A new one needs a place here.
LAYERS = [
    {"kernel"},
    {"errors", "version", "objective", "options", "usage"},
    {"config", "events", "cosine", "spelling", "compression", "files", "matrices", "noise", "text"},
    {"plan", "scores"},
    {"corpus", "stream", "encode"},
    {"vectors", "formats"},  # they know each other: a file makes Vectors, and Vectors.load reads a file
    {"vocab", "reading"},
    {"model", "trainer"},
    {"training"},
    {"__init__"},
]
LAYER = {name: number for number, names in enumerate(LAYERS) for name in names}


def part_of(name: str) -> Path:
    """Folder of the sources of w2v.<name>, wherever they lie."""
    return Path(str(__import__(f"w2v.{name}", fromlist=["__path__"]).__path__[0]))


FOLDERS = {"w2v": LIBRARY, "cli": part_of("cli"), "eval": part_of("eval"), "data": part_of("data")}


def sources() -> Iterator[tuple[str, Path]]:
    """Every source file, with its name relative to its folder."""
    for kind, folder in FOLDERS.items():
        for path in sorted(folder.rglob("*.py")):
            relative = path.relative_to(folder)
            if kind != "w2v" or relative.parts[0] not in ("cli", "eval", "data"):  # as installed, they lie below
                yield kind, path


FILES = [
    pytest.param(kind, path, id=f"{kind}/{path.relative_to(FOLDERS[kind]).as_posix()}") for kind, path in sources()
]
every_file = pytest.mark.parametrize(("kind", "path"), FILES)


def imported(tree: ast.AST) -> set[str]:
    """Full names of all modules a file imports, also inside functions."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def type_checking_only(tree: ast.Module) -> set[str]:
    """What is imported for annotations alone."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            names |= imported(node)
    return names


@every_file
def test_imports_flow_one_way(kind: str, path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = imported(tree) - type_checking_only(tree)
    parts = {name.split(".")[1] for name in names if name.startswith("w2v.")}
    if kind == "w2v":
        assert not parts & {"cli", "eval", "data"}
        assert "click" not in {name.split(".")[0] for name in names}
        own = path.relative_to(LIBRARY).parts[0].removesuffix(".py")
        for part in parts - {"__version__"}:
            assert LAYER[part] <= LAYER[own], f"{own} imports {part}"
    if kind == "eval":
        assert "cli" not in parts
    if kind == "data":
        assert not parts & {"cli", "eval"}


@every_file
def test_files_are_short(kind: str, path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 250


@every_file
def test_functions_are_short(kind: str, path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.FunctionDef):
            continue
        body = node.body[1:] if ast.get_docstring(node) else node.body
        lines = body[-1].end_lineno - body[0].lineno + 1 if body else 0  # type: ignore[operator]
        longest = LONGEST_KERNEL if "kernel" in path.parts else LONGEST_FUNCTION
        assert lines <= longest, f"{node.name} has {lines} lines"


@every_file
def test_every_public_name_has_a_docstring(kind: str, path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    if path.read_text(encoding="utf-8").strip():
        assert ast.get_docstring(tree), "the module has none"
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            if "kernel" in path.parts and isinstance(node, ast.FunctionDef) and len(node.body) <= 6:
                continue  # the kernel's smallest pieces are their own description
            assert ast.get_docstring(node), f"{node.name} has none"


@every_file
def test_the_library_prints_nothing(kind: str, path: Path) -> None:
    if kind != "w2v":
        return
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            assert ast.unparse(node.func) not in {"print", "sys.stdout.write", "sys.stderr.write", "input"}


@every_file
def test_no_exception_is_caught_wholesale(kind: str, path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ExceptHandler):
            caught = ast.unparse(node.type) if node.type else ""
            reraised = any(isinstance(inner, ast.Raise) and inner.exc is None for inner in node.body)
            explained = "noqa: BLE001 - " in text.splitlines()[node.lineno - 1]
            assert caught not in ("", "Exception", "BaseException") or reraised or explained


def test_importing_the_library_is_cheap() -> None:
    program = (
        "import sys, w2v; print(sorted({'numba', 'numpy', 'scipy', 'gensim', 'click', 'tqdm'} & set(sys.modules)))"
    )
    output = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert output.strip() == "[]"


def commands(group: click.Group, prefix: str = "") -> Iterator[tuple[str, click.Command]]:
    """All commands, those of subgroups too."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield prefix + name, command
        if isinstance(command, click.Group):
            yield from commands(command, f"{prefix}{name} ")


@pytest.mark.parametrize(("name", "command"), [pytest.param(*pair, id=pair[0]) for pair in commands(cli)])
def test_every_command_and_option_has_help(name: str, command: click.Command) -> None:
    assert command.help, f"{name} has no description"
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{name} {parameter.opts[0]} has no help"
        else:
            assert parameter.name
            names = {parameter.name.upper(), *re.findall("[A-Z]+", parameter.make_metavar(click.Context(command)))}
            said = set(re.findall("[A-Z]+", command.help))
            assert names & said, f"{name}: the description does not say what {parameter.name} is"


def test_every_command_is_listed_with_a_short_help() -> None:
    assert all(text.endswith((".", "?")) for text in COMMANDS.values())
