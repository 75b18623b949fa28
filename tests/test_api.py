"""`import w2v`: train, look up, hand over to gensim."""

import dataclasses
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import w2v
from w2v.errors import ConfigError, CorpusError, W2VError
from w2v.events import Counted, Counting, EpochDone, Event

OPTIONS = {"dim": 8, "epochs": 2, "min_count": 1, "threads": 1, "sample": 0.0}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("api") / "corpus.txt"
    path.write_text("the king rules the land\nthe queen rules the sea\n" * 50)
    return path


@pytest.fixture(scope="module")
def model(corpus: Path) -> object:
    return w2v.train(corpus, **OPTIONS)


def test_train(corpus: Path) -> None:
    events: list[Event] = []
    model = w2v.train(str(corpus), on_event=events.append, **OPTIONS)
    assert model.vocabulary.words == ["the", "rules", "king", "land", "queen", "sea"]
    assert model.vocabulary.counts.tolist() == [200, 100, 50, 50, 50, 50]
    for matrix in (model.input_vectors, model.output_vectors):
        assert matrix.shape == (6, 8)
        assert matrix.dtype == np.float32
        assert np.isfinite(matrix).all()
    assert model.config.dim == 8
    assert model.summary.tokens == 500
    assert len(model.losses) == 2
    kinds = [type(event) for event in events]
    assert kinds.index(Counting) < kinds.index(Counted) < kinds.index(EpochDone)
    assert kinds.count(EpochDone) == 2
    assert model.losses == [event.loss for event in events if isinstance(event, EpochDone)]


def test_several_names_and_repeatability(corpus: Path, tmp_path: Path, model: object) -> None:
    lines = corpus.read_text().splitlines(keepends=True)
    for name, part in (("a", lines[:30]), ("b", lines[30:])):
        (tmp_path / name).write_text("".join(part))
    again = w2v.train([tmp_path / "a", str(tmp_path / "b")], **OPTIONS)
    assert np.array_equal(again.input_vectors, model.input_vectors)  # type: ignore[attr-defined]


def test_vectors(corpus: Path, tmp_path: Path) -> None:
    model = w2v.train(corpus, **OPTIONS)
    model.save(tmp_path / "vectors.bin")
    vectors = w2v.Vectors.load(tmp_path / "vectors.bin")
    assert isinstance(vectors, w2v.Vectors)
    assert vectors.words == model.vocabulary.words
    assert np.array_equal(vectors.matrix, model.input_vectors)
    unit = vectors.matrix / np.linalg.norm(vectors.matrix, axis=1, keepdims=True)
    cosines = unit @ unit[vectors.words.index("king")]
    expected = [vectors.words[i] for i in np.argsort(-cosines) if vectors.words[i] != "king"][:3]
    assert [word for word, _ in vectors.nearest("king", 3)] == expected
    assert len(vectors.analogy("king", "queen", "land")) > 0
    assert vectors.metadata["config"]["dim"] == 8
    assert vectors.metadata["total_count"] == 500


def test_to_gensim(corpus: Path) -> None:
    pytest.importorskip("gensim")
    model = w2v.train(corpus, **OPTIONS)
    keyed = model.vectors.to_gensim()
    assert keyed.index_to_key == model.vocabulary.words
    assert np.array_equal(keyed.vectors, model.input_vectors)
    assert keyed.get_vecattr("the", "count") == 200
    ours = dict(model.vectors.nearest("king", 5))
    assert {word: pytest.approx(score, abs=1e-5) for word, score in keyed.most_similar("king", topn=5)} == ours


def test_vocabulary_file_and_folder(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "vocabulary").write_text("king\t9\nrules\t5000000000\nabsent\t7\n")
    model = w2v.train(corpus, vocab=tmp_path / "vocabulary", tmp_dir=str(tmp_path), **OPTIONS)
    assert model.vocabulary.words == ["rules", "king", "absent"]
    assert model.summary.tokens == 150
    assert model.metadata["total_count"] == 5_000_000_016


def test_errors_are_exceptions_of_one_family(tmp_path: Path, corpus: Path) -> None:
    with pytest.raises(ConfigError, match="unknown option dims"):
        w2v.train(corpus, dims=3)
    with pytest.raises(CorpusError, match="no such file"):
        w2v.train(tmp_path / "none")
    with pytest.raises(CorpusError, match="no corpus given"):
        w2v.train([])
    assert issubclass(ConfigError, W2VError)


def test_with_replacement_is_the_other_side_of_unique(corpus: Path) -> None:
    with pytest.raises(ConfigError, match="unknown option with_replacement: write unique=False for it"):
        w2v.train(corpus, with_replacement=True)


def test_help_names_every_option() -> None:
    said = w2v.train.__doc__ or ""
    options = said[said.index("**options") : said.index("Returns")]
    headings: dict[str, list[str]] = {}
    for field in dataclasses.fields(w2v.TrainConfig):
        headings.setdefault(field.metadata["heading"], []).append(field.name)
        assert f"\n{field.name} : default {field.default!r}\n    " in (w2v.TrainConfig.__doc__ or "")
    told = re.split(r"(\w+): ", " ".join(re.sub(r"\([^)]*\)", "", options.split("meanings.")[1]).split()))[1:]
    assert {h: re.findall(r"\w+", names) for h, names in zip(told[::2], told[1::2], strict=True)} == headings


def test_an_exception_of_the_listener_ends_the_run(corpus: Path, tmp_path: Path) -> None:
    class Stop(Exception):
        pass

    def listener(event: Event) -> None:
        if isinstance(event, EpochDone):
            raise Stop

    with pytest.raises(Stop):
        w2v.train(corpus, on_event=listener, tmp_dir=str(tmp_path), **OPTIONS)
    assert list(tmp_path.iterdir()) == []


def test_names() -> None:
    assert set(w2v.__all__) == {"Model", "TrainConfig", "Vectors", "__version__", "train"}
    with pytest.raises(AttributeError, match="no attribute 'Vektors'"):
        w2v.Vektors  # noqa: B018


@pytest.mark.parametrize(
    "code",
    [
        "import w2v",
        "import sys; sys.argv = ['w2v', '--help']\nfrom w2v.cli.main import cli\ncli(standalone_mode=False)",
    ],
)
def test_no_heavy_import(code: str) -> None:
    check = "import sys\nprint([m for m in ('numpy', 'numba', 'scipy', 'tqdm', 'smart_open') if m in sys.modules])"
    process = subprocess.run([sys.executable, "-c", f"{code}\n{check}"], capture_output=True, text=True, check=True)
    assert process.stdout.splitlines()[-1] == "[]"


def test_as_in_the_documentation(corpus: Path, tmp_path: Path) -> None:
    """The example of the package's docstring, in a process of its own."""
    assert w2v.__doc__ is not None
    example = w2v.__doc__.split("\n\n", 1)[1]
    os.link(corpus, tmp_path / "corpus.txt")
    example = example.replace("dim=100", "dim=8, threads=1")
    subprocess.run([sys.executable, "-c", example], cwd=tmp_path, check=True, timeout=120)
    assert (tmp_path / "vectors.bin").exists()
