"""`Model.score` and `Model.log_probability`: against formulas written out here, after training and after loading."""

import contextlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.numpy import save_file

import w2v
from w2v.cli.main import cli
from w2v.config import TrainConfig
from w2v.errors import ConfigError, UnknownWordError, VectorsError
from w2v.events import Summary
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
        ({"config": {"loss": "sgns", "nonsense": 1}}, "options are of another version"),
        ({"config": {"dim": DIM}}, "do not name the loss"),
        ({"config": {"loss": "infonce", "dim": DIM}}, "it holds no temperature"),
        ({"config": {"loss": "sgns"}}, "do not give the dimension of its vectors, 4"),
        ({"config": {"loss": "sgns", "dim": 5}}, "its options say 5 dimensions, its vectors have 4"),
        ({"config": {"loss": "sgns", "dim": DIM, "bias": True}}, "biases were learned, but it holds none"),
        ({"config": {"loss": "sgns", "dim": DIM, "unique": True}}, "half of the vocabulary of 6 or more"),
        ({"config": {"loss": "sgns", "dim": DIM, "lr": 10**400}}, "must be a finite number"),
        ({"config": {"loss": "sgns", "dim": DIM}, "objective": "nce"}, "objective is 'nce', its options say sgns"),
        ({"config": ["loss"]}, "not names and values"),
    ],
)
def test_models_with_odd_metadata(metadata: dict[str, Any], message: str, tmp_path: Path) -> None:
    save_with(metadata, tmp_path / "m.safetensors")
    with pytest.raises(VectorsError, match=message):
        Model.load(tmp_path / "m.safetensors")


def save_with(metadata: dict[str, Any], path: Path, **tensors: Any) -> None:
    """A native model with metadata as a hostile hand may leave them: JSON of Python, infinities and all."""
    random = np.random.default_rng(4)
    content: dict[str, Any] = {
        "input_vectors": random.normal(size=(len(COUNTS), DIM)).astype(np.float32),
        "output_vectors": random.normal(size=(len(COUNTS), DIM)).astype(np.float32),
        "counts": COUNTS.astype(np.int64),
        "words": np.frombuffer("\n".join(WORDS).encode(), np.uint8),
    } | tensors
    text = json.dumps(metadata).replace('"1e400"', "1e400")
    save_file({name: np.ascontiguousarray(array) for name, array in content.items()}, path, {"w2v": text})


FIXED = {"loss": "infonce", "dim": DIM}
LEARNED = {**FIXED, "learn_temperature": True}
PLAIN = {"loss": "sgns", "dim": DIM}


@pytest.mark.parametrize("value", [np.inf, "1e400", np.nan, 1e-320, True, 0, -1, None, "hot", [1], 10**400, 0.5])
@pytest.mark.parametrize("options", [FIXED, LEARNED, PLAIN])
def test_temperatures_that_cannot_be(value: Any, options: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "m.safetensors"
    save_with({"config": options, "temperature": value}, path)
    if (options, value) in [(LEARNED, 0.5), (PLAIN, None)]:  # what it can be
        assert Model.load(path).temperature == value
        return
    with pytest.raises(VectorsError, match=r"m.safetensors: its temperature is .*; no model to ask for scores"):
        Model.load(path)
    vectors = Vectors.load(path)
    assert len(vectors.warnings) == 1
    assert "its temperature is " in vectors.warnings[0]


@pytest.mark.parametrize("losses", [3, "none", {}, ["low"], [True], [[1.0]], [10**400]])
def test_losses_that_cannot_be(losses: Any, tmp_path: Path) -> None:
    save_with({"config": PLAIN, "losses": losses}, tmp_path / "m.safetensors")
    with pytest.raises(VectorsError, match="not a list of numbers and null"):
        Model.load(tmp_path / "m.safetensors")


def test_an_epoch_without_pairs_is_null_in_the_file_and_nan_in_memory(tmp_path: Path) -> None:
    summary = Summary(9, len(WORDS), 9, float("nan"), {}, 1.0, None, None)
    model = replace(made(), summary=summary, losses=[2.5, float("nan")])
    path = tmp_path / "m.safetensors"
    model.save(path)
    assert b"NaN" not in path.read_bytes()
    assert Vectors.load(path).metadata["losses"] == [2.5, None]
    again = Model.load(path)
    assert again.losses[0] == 2.5
    assert np.isnan(again.losses[1])
    again.save(tmp_path / "again.safetensors")
    assert (tmp_path / "again.safetensors").read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("counts", {"counts": np.array([9, 8, 7, 6, 5, 0])}, "count of 'w5' is 0"),
        ("counts", {"counts": np.array([9, 8, 7, 6, 5, -1])}, "the count of word 6 is -1"),
        ("bias", {"output_bias": np.zeros(6, np.float32)}, "holds output biases, but its options do not say"),
        *[("bias", {"output_bias": np.array([0, 0, bad, 0, 0, 0], np.float32)}, "output_bias of word 3 is")
          for bad in (np.nan, np.inf, -np.inf)],
        ("input", {"input_vectors": np.full((6, DIM), np.nan, np.float32)}, "the vector of 'w0' is not finite"),
        ("output", {"output_vectors": np.full((6, DIM), np.inf, np.float32)}, "output vector of 'w0' is not finite"),
    ],
)  # fmt: skip
def test_models_with_odd_numbers(name: str, change: dict[str, Any], message: str, tmp_path: Path) -> None:
    save_with({"config": PLAIN}, tmp_path / "m.safetensors")
    assert isinstance(Model.load(tmp_path / "m.safetensors"), Model)
    save_with({"config": PLAIN}, tmp_path / f"{name}.safetensors", **change)
    with pytest.raises(VectorsError, match=rf"{name}\.safetensors: .*{message}"):
        Model.load(tmp_path / f"{name}.safetensors")


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_is_not_written(bad: float, tmp_path: Path) -> None:
    model = made(bias=True)
    assert model.output_bias is not None
    model.output_bias[4] = bad
    for name in ("m.safetensors", "v.bin", "v.txt"):
        with pytest.raises(VectorsError, match=f"{name}: not written, the output_bias of 'w4' is not finite"):
            model.save(tmp_path / name)
    with pytest.raises(VectorsError, match="not written, its temperature is"):
        made(loss="infonce", learn_temperature=True, temperature=bad).save(tmp_path / "m.safetensors")
    assert list(tmp_path.iterdir()) == []


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5) | st.just(10**400),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
OPTION_NAMES = sorted({*TrainConfig.names(), "nonsense"})


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    options=st.dictionaries(st.sampled_from(OPTION_NAMES), json_values, max_size=2),
    others=st.dictionaries(st.sampled_from(["config", "objective", "temperature", "losses", "total_count", "x"]),
                           json_values, max_size=2),
)  # fmt: skip
def test_any_metadata_are_used_or_refused(options: dict[str, Any], others: dict[str, Any], tmp_path: Path) -> None:
    path, out = tmp_path / "m.safetensors", tmp_path / "out.bin"
    save_with({"config": {**PLAIN, **options}, "objective": "sgns", **others}, path)
    with contextlib.suppress(VectorsError):
        assert np.isfinite(Model.load(path).scores("w1")).all()
    for arguments in (["info", str(path), "--json"], ["info", str(path)], ["nn", "w1", "--vectors", str(path)],
                      ["convert", str(path), str(out), "--overwrite"]):  # fmt: skip
        result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
        assert result.exit_code == 0, result.stderr
        assert result.stderr.count("Warning: ") <= 1
    json.loads(Path(f"{out}.json").read_text(encoding="utf-8"), parse_constant=pytest.fail)


def test_predictions_are_the_highest_probabilities(tmp_path: Path) -> None:
    model = made(loss="nce", lowercase=True)
    model.save(tmp_path / "m.safetensors")
    probabilities = np.exp(model.log_probabilities("w3"))
    expected = [(WORDS[row], pytest.approx(probabilities[row])) for row in np.argsort(-probabilities)]
    assert model.predict("W3", 2) == expected[:2]
    assert model.predict("w3", 100) == expected
    with pytest.raises(ConfigError, match="0 answers asked for"):
        model.predict("w3", 0)
    arguments = ["nn", "W3", "--predict", "-k", "3", "--vectors", str(tmp_path / "m.safetensors")]
    lines = CliRunner().invoke(cli, arguments).stdout.splitlines()
    assert lines == [f"{word}\t{probabilities[WORDS.index(word)]:.4f}" for word, _ in expected[:3]]
    answer = json.loads(CliRunner().invoke(cli, [*arguments, "--json"]).stdout)
    assert answer == {"query": ["W3"], "neighbours": [{"word": w, "probability": p} for w, p in expected[:3]]}
    result = CliRunner().invoke(cli, ["nn", *arguments[2:]], input="w3\nnobody\n")
    assert result.stdout.splitlines() == [f"w3\t{line}" for line in lines]
    assert (result.exit_code, result.stderr.count("Error: 'nobody' is not one of")) == (1, 1)


@pytest.mark.parametrize("similarity", ["dot", "cosine"])
def test_several_words_predict_by_the_mean_of_their_vectors(similarity: str, tmp_path: Path) -> None:
    model = made(True, 0.5, loss="in-batch", similarity=similarity, learn_temperature=True)
    mean = (model.input_vectors[1] + model.input_vectors[4]).astype(float) / 2
    outputs = model.output_vectors.astype(float)
    if similarity == "cosine":
        mean, outputs = mean / np.linalg.norm(mean), outputs / np.linalg.norm(outputs, axis=1, keepdims=True)
    assert model.output_bias is not None
    logits = (outputs @ mean + model.output_bias) / 0.5
    probabilities = np.exp(logits) / np.exp(logits).sum()
    answers = model.predict([WORDS[1], WORDS[4]], 6)
    assert [word for word, _ in answers] == [WORDS[row] for row in np.argsort(-probabilities)]
    assert [p for _, p in answers] == pytest.approx(sorted(probabilities, reverse=True), rel=1e-5)
    with pytest.raises(ConfigError, match="no word to predict from"):
        model.predict([])
    model.save(tmp_path / "m.safetensors")
    shown = CliRunner().invoke(
        cli, ["nn", WORDS[1], WORDS[4], "--predict", "-k", "1", "--vectors", str(tmp_path / "m.safetensors")]
    )
    assert shown.stdout == f"{answers[0][0]}\t{answers[0][1]:.4f}\n"


@pytest.mark.parametrize(
    ("options", "arguments", "message"),
    [
        ({"loss": "margin"}, ["w1"], "--loss margin defines no probabilities"),
        ({"loss": "nce"}, ["w1", "--min-similarity", "0.5"], "--min-similarity: --predict shows probabilities"),
        (None, ["w1"], "not a whole model"),
    ],
)
def test_predictions_that_cannot_be(
    options: dict[str, Any] | None, arguments: list[str], message: str, tmp_path: Path
) -> None:
    path = tmp_path / ("v.bin" if options is None else "m.safetensors")
    made(**(options or {})).save(path)
    result = CliRunner().invoke(cli, ["nn", *arguments, "--predict", "--vectors", str(path)])
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Error: ")
    assert message in result.stderr


def test_reprs_are_one_line() -> None:
    model = made()
    assert repr(model) == "Model(6 words, 4 dimensions, sgns)"
    assert (
        repr(replace(model, losses=[3.0, 2.34567])) == "Model(6 words, 4 dimensions, sgns, loss 2.3457 after 10 epochs)"
    )
    assert repr(model.vocabulary) == "Vocabulary(6 words, total count 2000)"
    assert repr(model.vectors) == "Vectors(6 words, 4 dimensions)"


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
