"""`w2v convert`: between all formats, and what it refuses."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from w2v.cli.main import cli
from w2v.vectors import Vectors

METADATA = {"program": "w2v 0.1.0", "config": {"dim": 3}, "total_count": 9, "later": {"unknown": [1]}}
READ = [".bin", ".txt", ".glove", ".safetensors"]


def run(*arguments: str | Path) -> Result:
    result = CliRunner().invoke(cli, ["convert", *map(str, arguments)], catch_exceptions=False)
    assert result.stdout == ""
    return result


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def native(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    vectors = Vectors(["a", "ü", "1"], rng.normal(size=(3, 3)), output_matrix=rng.normal(size=(3, 3)),
                      counts=[4, 3, 2], metadata=METADATA)  # fmt: skip
    vectors.save(tmp_path / "m.safetensors")
    return tmp_path / "m.safetensors"


@pytest.mark.parametrize("second", READ)
@pytest.mark.parametrize("first", READ)
def test_between_all_formats(first: str, second: str, native: Path, tmp_path: Path) -> None:
    one, two = tmp_path / f"one{first}", tmp_path / f"two{second}"
    assert run(native, one).exit_code == 0
    result = run(one, two)
    assert result.exit_code == 0
    assert f"{two}: 3 words, 3 dimensions" in result.stderr
    before, after = Vectors.load(native), Vectors.load(two)
    assert after.words == before.words
    assert after.matrix.tobytes() == before.matrix.tobytes()
    assert after.metadata == METADATA
    if first == second == ".safetensors":
        assert after.counts is not None
        assert after.counts.tolist() == [4, 3, 2]
        assert one.read_bytes() == two.read_bytes() == native.read_bytes()


def test_write_only_formats(native: Path, tmp_path: Path) -> None:
    assert run(native, tmp_path / "v.npy").exit_code == 0
    assert run(native, tmp_path / "v.tsv").exit_code == 0
    assert names_in(tmp_path) == ["m.safetensors", "v.metadata.tsv", "v.npy", "v.tsv", "v.words.txt"]
    for path in (tmp_path / "v.npy", tmp_path / "v.tsv"):
        result = run(path, tmp_path / "w.bin")
        assert result.exit_code == 2
        assert "only writes these" in result.stderr
    assert not (tmp_path / "w.bin").exists()


def test_format_wins_over_the_ending(native: Path, tmp_path: Path) -> None:
    assert run(native, tmp_path / "v.txt", "--format", "glove").exit_code == 0
    assert len((tmp_path / "v.txt").read_text(encoding="utf-8").splitlines()) == 3
    assert json.loads((tmp_path / "v.txt.json").read_text())["later"] == {"unknown": [1]}


def test_output_vectors(native: Path, tmp_path: Path) -> None:
    assert run(native, tmp_path / "out.bin", "--output-vectors").exit_code == 0
    model = Vectors.load(native)
    assert model.output_matrix is not None
    assert Vectors.load(tmp_path / "out.bin").matrix.tobytes() == model.output_matrix.tobytes()
    result = run(tmp_path / "out.bin", tmp_path / "again.bin", "--output-vectors")
    assert result.exit_code == 2
    assert "holds no output vectors" in result.stderr


@pytest.mark.parametrize("metadata", [{"objective": "hs"}, {"config": {"loss": "hs"}}])
def test_nodes_of_a_tree_are_no_words(metadata: dict[str, object], tmp_path: Path) -> None:
    Vectors(["a", "b"], np.eye(2), output_matrix=np.eye(2), metadata=metadata).save(tmp_path / "m.safetensors")
    result = run(tmp_path / "m.safetensors", tmp_path / "out.bin", "--output-vectors")
    assert result.exit_code == 2
    assert "inner nodes of a tree" in result.stderr


def test_existing_output(native: Path, tmp_path: Path) -> None:
    (tmp_path / "v.bin").write_bytes(b"precious")
    result = run(native, tmp_path / "v.bin")
    assert result.exit_code == 2
    assert "--overwrite" in result.stderr
    assert (tmp_path / "v.bin").read_bytes() == b"precious"
    assert run(native, tmp_path / "v.bin", "--overwrite").exit_code == 0
    assert len(Vectors.load(tmp_path / "v.bin")) == 3


@pytest.mark.parametrize("kind", ["same", "symbolic", "hard"])
def test_output_equal_to_input(kind: str, native: Path, tmp_path: Path) -> None:
    target = native if kind == "same" else tmp_path / "other.safetensors"
    if kind == "symbolic":
        target.symlink_to(native)
    elif kind == "hard":
        target.hardlink_to(native)
    before = native.read_bytes()
    result = run(native, target, "--overwrite")
    assert result.exit_code == 2
    assert "would replace the input" in result.stderr
    assert native.read_bytes() == before


@pytest.mark.parametrize(
    ("target", "message"),
    [("v.xyz", "names no format"), ("absent/v.bin", "there is no folder"), ("", "names no format")],
)
def test_outputs_that_cannot_be(target: str, message: str, native: Path, tmp_path: Path) -> None:
    result = run(native, tmp_path / target)
    assert result.exit_code == 2
    assert message in result.stderr
    assert names_in(tmp_path) == ["m.safetensors"]


def test_inputs_that_cannot_be(tmp_path: Path) -> None:
    result = run(tmp_path / "absent", tmp_path / "v.bin")
    assert result.exit_code == 2
    assert "no such file" in result.stderr
    (tmp_path / "nan.txt").write_text("1 2\na nan 1\n")
    result = run(tmp_path / "nan.txt", tmp_path / "v.bin")
    assert result.exit_code == 2
    assert "the vector of 'a' is not finite" in result.stderr
    (tmp_path / "phrase.txt").write_text("1 2\nnew york 1 1\n")
    result = run(tmp_path / "phrase.txt", tmp_path / "v.bin")
    assert result.exit_code == 2
    assert "word 1, 'new york'," in result.stderr
    assert run(tmp_path / "phrase.txt", tmp_path / "v.safetensors").exit_code == 0
    assert names_in(tmp_path) == ["nan.txt", "phrase.txt", "v.safetensors"]


def test_warnings_are_shown(tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_text("2 2\na 1 1\na 2 2\n")
    result = run(tmp_path / "v.txt", tmp_path / "w.bin")
    assert result.exit_code == 0
    assert "Warning: " in result.stderr
    assert "the first of them 'a'" in result.stderr
