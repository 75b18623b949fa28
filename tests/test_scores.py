"""`Model.score` and `Model.log_probability`: against formulas written out here, after training and after loading."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import w2v
from w2v.cli.main import cli
from w2v.config import TrainConfig
from w2v.errors import ConfigError, UnknownWordError, VectorsError
from w2v.kernel.huffman import huffman_tree
from w2v.model import Model
from w2v.noise import expected_unique
from w2v.scores import expected_noise
from w2v.vectors import Vectors
from w2v.vocab import Vocabulary

COUNTS = np.array([900, 500, 300, 200, 80, 20])
WORDS = [f"w{i}" for i in range(len(COUNTS))]
DIM = 4


def made(bias: bool = False, temperature: float | None = None, **options: Any) -> Model:
    """A model of random numbers."""
    config = TrainConfig(dim=DIM, bias=bias, threads=1, sample=0.0, **options)
    random = np.random.default_rng(3)
    inputs, outputs = random.normal(size=(2, len(COUNTS), DIM)).astype(np.float32)
    biases = random.normal(size=len(COUNTS)).astype(np.float32) if bias else None
    temperature = config.temperature if temperature is None else temperature
    metadata = {"objective": config.loss, "config": config.to_dict(), "temperature": temperature}
    return Model(Vocabulary(WORDS, COUNTS), inputs, outputs, config, None, [], biases, temperature, metadata)


def normalized(logits: np.ndarray) -> np.ndarray:
    return np.log(np.exp(logits) / np.exp(logits).sum())


def products(model: Model, row: int) -> np.ndarray:
    return model.output_vectors.astype(float) @ model.input_vectors[row].astype(float)


def test_score_is_the_product() -> None:
    model = made()
    expected = products(model, 2)
    assert model.scores("w2") == pytest.approx(expected, abs=1e-12)
    assert model.scores("w2").dtype == np.float64
    assert [model.score("w2", word) for word in WORDS] == pytest.approx(expected.tolist(), abs=1e-12)


def test_score_with_bias_cosine_and_learned_temperature() -> None:
    model = made(loss="infonce", bias=True, similarity="cosine", learn_temperature=True, temperature=0.25)
    x, outputs = model.input_vectors[1].astype(float), model.output_vectors.astype(float)
    cosines = outputs @ x / (np.linalg.norm(outputs, axis=1) * np.linalg.norm(x))
    assert model.output_bias is not None
    assert model.scores("w1") == pytest.approx((cosines + model.output_bias) / 0.25, abs=1e-12)


def test_score_of_margin_is_scaled_cosine_without_the_margin() -> None:
    model = made(loss="margin", scale=8.0, margin=0.3)
    x, o = model.input_vectors[0].astype(float), model.output_vectors[5].astype(float)
    assert model.score("w0", "w5") == pytest.approx(8 * (x @ o) / np.linalg.norm(x) / np.linalg.norm(o), abs=1e-12)


def test_score_with_a_zero_vector_is_finite() -> None:
    model = made(loss="margin")
    model.input_vectors[0] = 0
    assert model.scores("w0").tolist() == [0] * len(WORDS)


SHARES = COUNTS / COUNTS.sum()
POWER = COUNTS**0.75 / (COUNTS**0.75).sum()
SHIFTS = [
    ({"loss": "sgns", "accidental_hits": "keep"}, np.log(POWER)),
    ({"loss": "sgns", "accidental_hits": "keep", "noise_power": 1.0}, np.log(SHARES)),
    ({"loss": "sgns", "accidental_hits": "keep", "noise": "uniform"}, np.zeros(6)),
    ({"loss": "infonce"}, np.log(POWER)),
    ({"loss": "infonce", "similarity": "cosine"}, np.log(POWER)),
    ({"loss": "sampled-softmax"}, np.zeros(6)),
    ({"loss": "sampled-softmax", "no_logq": True}, np.log(POWER)),
    ({"loss": "nce"}, np.zeros(6)),
    ({"loss": "softmax"}, np.zeros(6)),
    ({"loss": "in-batch"}, np.zeros(6)),
    ({"loss": "in-batch", "no_logq": True}, np.log(SHARES)),
    ({"loss": "in-batch", "no_logq": True, "negative": 8, "batch": 4}, np.log(4 * SHARES + 8 * POWER)),
]


@pytest.mark.parametrize(("options", "shift"), SHIFTS, ids=str)
def test_log_probabilities(options: dict[str, Any], shift: np.ndarray) -> None:
    model = made(**options)
    expected = normalized(model.scores("w3") + shift)
    assert model.log_probabilities("w3") == pytest.approx(expected, abs=1e-12)
    assert model.log_probability("w3", "w4") == pytest.approx(expected[4], abs=1e-12)


@pytest.mark.parametrize(("loss", "factor"), [("sgns", 5 * POWER), ("nce", np.ones(6))])
def test_where_hits_are_removed_scores_are_log_odds(loss: str, factor: np.ndarray) -> None:
    model = made(loss=loss, accidental_hits="remove")
    odds = np.exp(model.scores("w3")) * factor
    probabilities = odds / (1 + odds)
    assert np.exp(model.log_probabilities("w3")) == pytest.approx(probabilities / probabilities.sum(), abs=1e-12)


def test_very_large_scores_have_probabilities() -> None:
    model = made(loss="softmax")
    model.input_vectors[0] *= 1e6
    logs = model.log_probabilities("w0")
    assert np.isfinite(logs).all()
    assert logs.max() == 0


def test_hierarchical_softmax_multiplies_turns() -> None:
    model = made(loss="hs", bias=True)
    tree = huffman_tree(COUNTS)
    assert model.output_bias is not None
    nodes = products(model, 1) + model.output_bias
    expected = []
    for word in range(len(COUNTS)):
        chance = 1.0
        for at in range(tree.starts[word], tree.starts[word + 1]):
            left = 1 / (1 + np.exp(-nodes[tree.nodes[at]]))
            chance *= left if tree.lefts[at] else 1 - left
        expected.append(chance)
    assert sum(expected) == pytest.approx(1)
    assert np.exp(model.log_probabilities("w1")) == pytest.approx(np.array(expected), rel=1e-9)
    assert model.scores("w1") == pytest.approx(np.log(expected), rel=1e-9)
    for word, chance in zip(WORDS, expected, strict=True):
        assert model.score("w1", word) == model.log_probability("w1", word) == pytest.approx(np.log(chance), rel=1e-9)


@pytest.mark.parametrize("loss", ["bpr", "margin"])
def test_objectives_without_probabilities_say_so(loss: str) -> None:
    model = made(loss=loss)
    assert np.isfinite(model.score("w0", "w1"))
    with pytest.raises(ConfigError, match=f"--loss {loss} defines no probabilities"):
        model.log_probability("w0", "w1")
    with pytest.raises(ConfigError, match="defines no probabilities"):
        model.log_probabilities("w0")


@pytest.mark.parametrize("method", ["score", "log_probability"])
@pytest.mark.parametrize("pair", [("w0", "nobody"), ("nobody", "w0")])
def test_unknown_words(method: str, pair: tuple[str, str]) -> None:
    with pytest.raises(UnknownWordError, match="'nobody' is not one of the 6 words"):
        getattr(made(), method)(*pair)


def test_expected_noise() -> None:
    config = TrainConfig(negative=3, noise_power=1.0)
    assert expected_noise(config, COUNTS) == pytest.approx(3 * SHARES)
    counts = np.arange(50, 0, -1) ** 3
    unique = expected_noise(TrainConfig(negative=20, noise_power=1.0, unique=True), counts)
    assert unique.sum() == pytest.approx(20)
    assert (unique < 1).all()
    random, seen = np.random.default_rng(1), np.zeros(50)
    for _ in range(4000):  # 20 unique draws = the first 20 of the words in the order of exponential clocks
        seen[np.argsort(random.exponential(1, 50) / counts)[:20]] += 1
    assert unique == pytest.approx(seen / 4000, abs=0.03)
    assert expected_unique(np.array([0.5]), 2.0) == pytest.approx([0.75])


# --- files -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("scores") / "corpus.txt"
    path.write_text("the king rules the land\nthe queen rules the sea\n" * 40)
    return path


TRAINED = [
    {"loss": "in-batch", "bias": True, "similarity": "cosine", "learn_temperature": True, "batch": 4, "lr": 0.2},
    {"loss": "hs", "bias": True},
    {"loss": "sgns"},
]


@pytest.mark.parametrize("options", TRAINED, ids=str)
def test_a_model_read_again_scores_alike(corpus: Path, tmp_path: Path, options: dict[str, Any]) -> None:
    model = w2v.train(corpus, dim=8, min_count=1, sample=0.0, epochs=3, threads=1, **options)
    path = tmp_path / "model.safetensors"
    model.save(path)
    again = w2v.Model.load(path)
    assert again.config == model.config
    assert again.losses == model.losses
    assert (again.output_bias is None) == (model.output_bias is None)
    if options.get("bias"):
        assert model.output_bias is not None
        assert model.output_bias.dtype == np.float32
        assert np.any(model.output_bias)
        assert np.array_equal(again.output_bias, model.output_bias)
    assert again.temperature == model.temperature
    if options.get("learn_temperature"):
        assert model.temperature not in (None, model.config.temperature)
    for word in model.vocabulary.words:
        assert np.array_equal(again.scores(word), model.scores(word))
        assert np.array_equal(again.log_probabilities(word), model.log_probabilities(word))
        assert np.exp(model.log_probabilities(word)).sum() == pytest.approx(1)
    again.save(tmp_path / "copy.safetensors")
    assert (tmp_path / "copy.safetensors").read_bytes() == path.read_bytes()
    # A look-up is plain similarity, without biases or corrections.
    [(nearest, similarity)] = again.vectors.nearest("king", 1)
    assert similarity == pytest.approx(again.vectors.similarity("king", nearest), abs=1e-6)


def test_info_shows_bias_and_temperature(corpus: Path, tmp_path: Path) -> None:
    model = w2v.train(corpus, dim=8, min_count=1, sample=0.0, epochs=3, threads=1, **TRAINED[0])
    assert model.output_bias is not None
    for name in ("model.safetensors", "vectors.bin", "vectors.txt"):
        model.save(tmp_path / name)
        result = CliRunner().invoke(cli, ["info", str(tmp_path / name), "--json"])
        facts = json.loads(result.stdout)
        assert facts["output_bias"]["min"] == pytest.approx(float(model.output_bias.min()))
        assert facts["output_bias"]["median"] == pytest.approx(float(np.median(model.output_bias)))
        assert facts["output_bias"]["max"] == pytest.approx(float(model.output_bias.max()))
        assert facts["metadata"]["temperature"] == model.temperature
        assert facts["metadata"]["config"]["temperature"] == model.config.temperature
        rows = CliRunner().invoke(cli, ["info", str(tmp_path / name)]).stdout.splitlines()
        shown = dict(row.split("\t") for row in rows)
        assert float(shown["temperature"]) == pytest.approx(model.temperature, rel=1e-3)
        assert {"output bias min", "output bias median", "output bias max"} <= set(shown)


def test_models_that_are_not_whole(tmp_path: Path) -> None:
    model = made()
    model.save(tmp_path / "v.bin")
    Vectors(WORDS, model.input_vectors).save(tmp_path / "half.safetensors")
    for name in ("v.bin", "half.safetensors"):
        with pytest.raises(VectorsError, match="not a whole model"):
            Model.load(tmp_path / name)


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ({"config": {"nonsense": 1}}, "options are of another version"),
        ({"config": {"loss": "infonce"}}, "its temperature is None"),
        ({"config": {"loss": "infonce"}, "temperature": 0}, "its temperature is 0"),
        ({"config": {"loss": "infonce"}, "temperature": "hot"}, "its temperature is 'hot'"),
    ],
)
def test_models_with_odd_metadata(metadata: dict[str, Any], message: str, tmp_path: Path) -> None:
    model = made()
    Vectors(WORDS, model.input_vectors, output_matrix=model.output_vectors, counts=COUNTS, metadata=metadata).save(
        tmp_path / "m.safetensors"
    )
    with pytest.raises(VectorsError, match=message):
        Model.load(tmp_path / "m.safetensors")


def test_models_of_before_there_were_objectives_are_read(tmp_path: Path) -> None:
    model = made()
    metadata = {"objective": "sgns", "config": {"dim": DIM, "negative": 5, "noise_power": 0.75, "loss": "sgns"}}
    Vectors(WORDS, model.input_vectors, output_matrix=model.output_vectors, counts=COUNTS, metadata=metadata).save(
        tmp_path / "m.safetensors"
    )
    again = Model.load(tmp_path / "m.safetensors")
    assert again.output_bias is again.temperature is None
    assert np.array_equal(again.log_probabilities("w1"), model.log_probabilities("w1"))


def test_hierarchical_softmax_has_no_output_vectors_of_words(corpus: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="inner nodes"):
        made(loss="hs").output  # noqa: B018
    arguments = ["train", str(corpus), "-o", str(tmp_path / "v.bin"), "--loss", "hs", "--min-count", "1",
                 "--save-output-vectors", str(tmp_path / "o.bin")]  # fmt: skip
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: --loss hs: there are no output vectors of words to save")
    assert list(tmp_path.iterdir()) == []
    made(loss="hs").save(tmp_path / "m.safetensors")
    arguments = ["convert", str(tmp_path / "m.safetensors"), str(tmp_path / "o.bin"), "--output-vectors"]
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 2
    assert "inner nodes of a tree" in result.stderr
