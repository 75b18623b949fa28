"""The compiled training kernel against its slow twins."""

import itertools
from typing import Any

import numpy as np
import pytest
from naive import (
    NaiveRandom,
    NaiveSweep,
    naive_dots,
    naive_remove_hits,
    naive_sigmoid,
    naive_subsample,
    naive_update,
    naive_windows,
)

from w2v.config import TrainConfig
from w2v.kernel.emit import LOWEST
from w2v.kernel.jit import jit
from w2v.kernel.layouts.windows import LOOKAHEAD, RING
from w2v.kernel.pairs import Pairs, hide_hits, remove_hits
from w2v.kernel.rng import seed_states
from w2v.kernel.rows import exponentiate, largest, logistic_residual, sigmoids
from w2v.kernel.simd import dots, prefetch, update
from w2v.kernel.sweep import Matrices, Tally, make_sweep
from w2v.kernel.target import LANES, UNROLLED, padded, score_stride, tiles
from w2v.kernel.tiled import dots_tiled, update_tiled
from w2v.kernel.windows import Stretch, Window, read_stretch
from w2v.noise import keep_probabilities, keep_thresholds
from w2v.plan import Planner

N_OUTS = (1, 2, 3, 5, 7, 8, 9, 16, 17, 33, 44)


def matrix(random: np.random.Generator, n_rows: int, dim: int) -> Any:
    rows = np.zeros((n_rows, padded(dim)), np.float32)
    rows[:, :dim] = random.normal(size=(n_rows, dim))
    return rows


def compiled(function: Any, width: int, n_out: int) -> Any:
    @jit()
    def call(inputs, input_ids, n_in, outputs, output_ids, scores):  # noqa: PLR0917
        function(inputs, input_ids, n_in, outputs, output_ids, scores, width, n_out)

    return call


@pytest.mark.parametrize("n_out", N_OUTS)
def test_dots(n_out: int) -> None:
    dim = 70
    random = np.random.default_rng(n_out)
    inputs, outputs = matrix(random, 9, dim), matrix(random, 30, dim)
    stride = score_stride(n_out)
    call = compiled(dots, padded(dim), n_out)
    for n_in in (0, 1, 2, 3, 4, 9, 12):
        input_ids = random.integers(0, 9, n_in + 1).astype(np.int32)
        output_ids = random.integers(0, 30, n_out)
        scores = np.full(n_in * stride + LANES + 1, np.float32(7))
        call(inputs, input_ids, n_in, outputs, output_ids, scores)
        expected = naive_dots(inputs, input_ids[:n_in], outputs, output_ids)
        table = scores[: n_in * stride].reshape(n_in, stride)
        np.testing.assert_allclose(table[:, :n_out], expected, atol=1e-4 * dim**0.5)
        assert np.isfinite(table).all()  # a weight of 0 makes 0 of what lies between the rows, were it not NaN
        assert scores[-1] == 7  # LANES elements to spare are enough


@pytest.mark.parametrize("n_out", N_OUTS)
def test_update_takes_old_values_and_adds_up_duplicates(n_out: int) -> None:
    dim = 70
    random = np.random.default_rng(n_out)
    stride = score_stride(n_out)
    call = compiled(update, padded(dim), n_out)
    for n_in in (0, 1, 2, 5, 8):
        inputs, outputs = matrix(random, 4, dim), matrix(random, 5, dim)
        input_ids = random.integers(0, 4, n_in + 1).astype(np.int32)
        output_ids = random.integers(0, 5, n_out)
        residual = random.normal(size=(n_in, stride)).astype(np.float32)
        twins = inputs.astype(np.float64), outputs.astype(np.float64)
        call(inputs, input_ids, n_in, outputs, output_ids, np.append(residual.ravel(), np.zeros(LANES, np.float32)))
        naive_update(twins[0], input_ids[:n_in], twins[1], output_ids, residual[:, :n_out].astype(np.float64))
        np.testing.assert_allclose(inputs, twins[0], atol=2e-5 * (1 + n_out))
        np.testing.assert_allclose(outputs, twins[1], atol=2e-5 * (1 + n_in))
        assert not inputs[:, dim:].any()
        assert not outputs[:, dim:].any()


@pytest.mark.parametrize("dim", [1, 7, 100, 300, UNROLLED, UNROLLED + 1, 5000])
def test_every_width(dim: int) -> None:
    random = np.random.default_rng(dim)
    inputs, outputs = matrix(random, 3, dim), matrix(random, 4, dim)
    twins = inputs.astype(np.float64), outputs.astype(np.float64)
    input_ids, output_ids = np.array([2, 0, 2], np.int32), np.array([3, 1, 3])
    residual = np.zeros(3 * score_stride(3) + LANES, np.float32)
    for i, k in itertools.product(range(3), repeat=2):
        residual[i * score_stride(3) + k] = random.normal()
    table = residual[: 3 * score_stride(3)].reshape(3, -1)[:, :3].astype(np.float64)
    scores = np.zeros_like(residual)
    compiled(dots, padded(dim), 3)(inputs, input_ids, 3, outputs, output_ids, scores)
    expected = naive_dots(inputs, input_ids, outputs, output_ids)
    np.testing.assert_allclose(
        scores[: 3 * score_stride(3)].reshape(3, -1)[:, :3], expected, rtol=1e-5, atol=1e-5 * dim
    )
    compiled(update, padded(dim), 3)(inputs, input_ids, 3, outputs, output_ids, residual)
    naive_update(twins[0], input_ids, twins[1], output_ids, table)
    np.testing.assert_allclose(inputs, twins[0], atol=1e-5)
    np.testing.assert_allclose(outputs, twins[1], atol=1e-5)


@jit()
def call_logistic_residual(scores, weights, labels, n, lr):
    logistic_residual(scores, weights, labels, n, np.float32(lr))


def sigmoid_of(scores: Any) -> Any:
    """The kernel's sigmoid: its residual for label 0, weight 1, lr -1."""
    result = np.append(np.asarray(scores, np.float32), np.zeros(LANES, np.float32))
    call_logistic_residual(result, np.ones_like(result), np.zeros_like(result), len(scores), -1.0)
    return result[: len(scores)]


def test_sigmoid_is_that_of_float32() -> None:
    scores = np.linspace(-80, 80, 200_001, dtype=np.float32)
    exact = naive_sigmoid(scores)
    error = np.abs(sigmoid_of(scores) - exact)
    assert error.max() < 1.5e-7
    # Below 0 the sigmoid is nearly exp, so this is the relative error of the exponential too.
    assert (error / exact)[np.abs(scores) < 10].max() < 1e-6
    assert (error / exact).max() < 1e-5


def test_sigmoid_does_not_saturate_within_reach_and_stays_finite_beyond() -> None:
    scores = np.array([-1e4, -1e3, -88, -30, -6, 0, 6, 15, 30, 88, 1e3, 1e4])
    values = sigmoid_of(scores)
    assert np.isfinite(values).all()
    assert 0 <= values[0] < 1e-30
    assert values[-1] == 1
    assert values[5] == 0.5
    np.testing.assert_allclose(values[3:8], naive_sigmoid(scores[3:8]), rtol=5e-6)


@pytest.mark.parametrize("n", [0, 1, 15, 16, 17, 50])
def test_logistic_residual(n: int) -> None:
    random = np.random.default_rng(n)
    scores = random.uniform(-12, 12, n + LANES).astype(np.float32)
    weights = random.integers(0, 5, n + LANES).astype(np.float32)
    labels = random.integers(0, 2, n + LANES).astype(np.float32)
    expected = 0.3 * weights * (labels - naive_sigmoid(scores))
    call_logistic_residual(scores, weights, labels, n, 0.3)
    np.testing.assert_allclose(scores[:n], expected[:n], atol=1e-6)
    assert not scores[:n][weights[:n] == 0].any()


@pytest.mark.parametrize("width", [16, 2 * UNROLLED])
def test_prefetch_changes_nothing(width: int) -> None:
    @jit()
    def call_prefetch(matrix, row):
        prefetch(matrix, row, width)

    rows = np.arange(4 * width, dtype=np.float32).reshape(4, width)
    for row in (0, 3, -1, 10**9):  # an address nobody owns is no fault
        call_prefetch(rows, row)
    np.testing.assert_array_equal(rows.ravel(), np.arange(4 * width))


def test_score_stride() -> None:
    for n_out in range(1, 200):
        stride = score_stride(n_out)
        assert n_out <= stride < max(2 * n_out, n_out + LANES)
        if stride < LANES:
            assert LANES % stride == 0
        else:
            assert stride % LANES == 0


def test_tiles_cover_the_range_evenly() -> None:
    for n, most in itertools.product(range(1, 60), range(1, 9)):
        cuts = tiles(n, most)
        assert [i for begin, end in cuts for i in range(begin, end)] == list(range(n))
        sizes = [end - begin for begin, end in cuts]
        assert max(sizes) <= most
        assert max(sizes) - min(sizes) <= 1
        assert len(cuts) == -(-n // most)


def test_padded() -> None:
    for dim in (1, LANES - 1, LANES, LANES + 1, 300):
        assert padded(dim) % LANES == 0
        assert dim <= padded(dim) < dim + LANES


def test_lookahead_fits_the_ring() -> None:
    assert LOOKAHEAD < RING
    assert RING & (RING - 1) == 0


@jit()
def call_tiled(inputs, input_ids, n_in, outputs, output_ids, n_out, scores, deltas):  # noqa: PLR0917
    dots_tiled(inputs, input_ids, n_in, outputs, output_ids, n_out, scores, 80)


@jit()
def call_update_tiled(inputs, input_ids, n_in, outputs, output_ids, n_out, residual, deltas):  # noqa: PLR0917
    update_tiled(inputs, input_ids, n_in, outputs, output_ids, n_out, residual, deltas, 80)


def padded_ids(random: np.random.Generator, n_rows: int, n_out: int) -> Any:
    """Random ids; the padding names rows that exist."""
    return random.integers(0, n_rows, padded(n_out))


@pytest.mark.parametrize("n_in", [0, 1, 2, 5, 9])
def test_dots_and_update_of_any_number_of_outputs(n_in: int) -> None:
    dim = 77
    random = np.random.default_rng(n_in)
    for n_out in (1, 2, 7, 8, 9, 16, 17, 33, 90):
        inputs, outputs = matrix(random, 6, dim), matrix(random, 5 if n_out % 2 else 60, dim)
        stride = padded(n_out)
        input_ids = random.integers(0, 6, n_in + 1).astype(np.int32)
        output_ids = padded_ids(random, len(outputs), n_out)
        scores = np.full(n_in * stride + 1, np.float32(7))
        deltas = np.full(stride * padded(dim) + 1, np.float32(7))
        args = inputs, input_ids, n_in, outputs, output_ids, n_out
        call_tiled(*args, scores, deltas)
        expected = naive_dots(inputs, input_ids[:n_in], outputs, output_ids)
        np.testing.assert_allclose(scores[:-1].reshape(n_in, stride), expected, atol=1e-3)
        residual = np.zeros((n_in, stride), np.float32)
        residual[:, :n_out] = random.normal(size=(n_in, n_out))
        twins = inputs.astype(np.float64), outputs.astype(np.float64)
        call_update_tiled(*args, residual.ravel(), deltas)
        naive_update(twins[0], input_ids[:n_in], twins[1], output_ids[:n_out], residual[:, :n_out].astype(np.float64))
        np.testing.assert_allclose(inputs, twins[0], atol=2e-5 * (1 + n_out))
        np.testing.assert_allclose(outputs, twins[1], atol=2e-5 * (1 + n_in))
        assert scores[-1] == deltas[-1] == 7
        assert not inputs[:, dim:].any()
        assert not outputs[:, dim:].any()


def row_functions(lanes: int) -> Any:
    @jit()
    def call(array, begin, first, last, shift, probabilities):  # noqa: PLR0917
        top = largest(array, begin, first, last, lanes)
        chance = sigmoids(array, begin, first, last, np.float32(shift), probabilities, lanes)
        return top, chance, exponentiate(array, begin, first, last, np.float32(shift), lanes)

    return call


@pytest.mark.parametrize("lanes", [2, 4, 8, 16])
def test_rows_of_a_softmax(lanes: int) -> None:
    call = row_functions(lanes)
    random = np.random.default_rng(lanes)
    for begin, (first, last) in itertools.product((0, 1, 5), ((0, 1), (0, 2), (1, 2), (1, 7), (3, 16), (15, 61))):
        end = begin + -(-last // lanes) * lanes
        array = random.uniform(-9, 9, end + 3).astype(np.float32)
        array[begin + last : end] = 30  # what lies behind the row does not count
        if first:
            array[begin] = 20
        old, probabilities = array.astype(np.float64), np.full(end - begin + 1, np.float32(7))
        top, chance, total = call(array, begin, first, last, 8.5, probabilities)
        row = old[begin + first : begin + last]
        assert top == row.max()
        np.testing.assert_allclose(total, np.exp(row - 8.5).sum(), rtol=1e-5)
        np.testing.assert_allclose(chance, naive_sigmoid(row - 8.5).sum(), rtol=1e-5)
        np.testing.assert_allclose(array[begin : begin + last], np.exp(old[begin : begin + last] - 8.5), rtol=2e-6)
        np.testing.assert_allclose(probabilities[:last], naive_sigmoid(old[begin : begin + last] - 8.5), rtol=2e-6)
        np.testing.assert_array_equal(array[:begin], old[:begin])
        np.testing.assert_array_equal(array[end:], old[end:])
        assert probabilities[-1] == 7


@pytest.mark.parametrize("lanes", [4, 16])
def test_rows_of_large_scores_stay_finite(lanes: int) -> None:
    array = np.zeros(lanes, np.float32)
    array[:4] = 1e4, -1e4, LOWEST, 3
    probabilities = np.zeros(lanes, np.float32)
    top, chance, total = row_functions(lanes)(array, 0, 0, 4, 1e4, probabilities)
    assert top == np.float32(1e4)
    np.testing.assert_allclose([total, chance], [1, 0.5], rtol=1e-6)
    assert np.isfinite(array).all()
    assert array[1] < 1e-30


@jit()
def call_stretch(ids, at, whole_block, group, keep, window, stretch, state):  # noqa: PLR0917
    return read_stretch(ids, at, whole_block, group, keep, window, stretch, state)


@pytest.mark.parametrize("whole_block", [0, 1])
def test_windows_and_subsampling(whole_block: int) -> None:
    random = np.random.default_rng(7)
    state = np.uint64(seed_states(1, 1)[0, 0])
    twin, group = NaiveRandom(int(state)), 3
    for radius, shrink, (left, right), sample in itertools.product((1, 2, 5, 30), (True, False), SIDES, (0, 0.02)):
        window, keep = Window(radius, shrink, left, right), keep_of(np.array([50, 9, 4, 1]), sample)
        ids = block(random, 4)
        stretch = Stretch(*(np.full(ids.size + group, 9, np.int32) for _ in range(3)), np.zeros(3, np.int64))
        at, ends = 0, list(np.flatnonzero(ids < 0))
        while at < ids.size:
            begin = at
            at, length, state = call_stretch(ids, at, whole_block, group, keep, window, stretch, np.uint64(state))
            assert at == (ids.size if whole_block else next(end for end in ends if end >= begin) + 1)
            words, spans = [], []
            for sentence in np.split(ids[begin:at], np.flatnonzero(ids[begin:at] < 0) + 1)[:-1]:
                kept, offset = naive_subsample([int(word) for word in sentence[:-1]], keep, twin), len(words)
                words += kept
                for i, positions in enumerate(naive_windows(len(kept), window, twin)):
                    reached = [*positions, i]
                    spans.append((offset + min(reached), offset + max(reached) + 1))
            assert int(state) == twin.state
            assert list(stretch.words[:length]) == words
            assert list(zip(stretch.lows[:length], stretch.highs[:length], strict=True)) == spans
            assert not stretch.highs[length : length + group].any()


@jit()
def call_hits(scores, pairs):
    remove_hits(pairs)
    hide_hits(scores, pairs)


@pytest.mark.parametrize("group", [1, 2, 3, 4])
def test_hits(group: int) -> None:
    random = np.random.default_rng(group)
    for n_in in (0, 1, 5):
        n_out, stride = group + 5, 16
        output_ids = random.integers(0, 5, n_out)
        weights = np.zeros((n_in + 1, stride), np.float32)
        weights[:n_in, :group] = random.integers(0, 2, (n_in, group))
        weights[:n_in, group:n_out] = weights[:, :group].sum(1, keepdims=True)[:n_in]
        expected = naive_remove_hits(weights[:n_in, :n_out], list(output_ids), group)
        scores = np.ones((n_in + 1, stride), np.float32)
        call_hits(scores.ravel(), Pairs(weights.ravel(), weights.ravel(), np.zeros(5, np.int32), output_ids,
                                        weights.ravel(), weights.ravel(), n_in, group, n_out, stride))  # fmt: skip
        np.testing.assert_array_equal(weights[:n_in, :n_out], expected)
        assert (expected >= 0).all()
        hit = np.isin(output_ids, output_ids[:group]) & (np.arange(n_out) >= group)
        np.testing.assert_array_equal(scores[:n_in, :n_out] < 0, np.tile(hit, (n_in, 1)))
        assert (scores[n_in:] == 1).all()
        assert not weights[n_in:].any()


SIDES = ((1, 1), (1, 0), (0, 1))
LONGEST = 40


def block(random: np.random.Generator, n_words: int) -> Any:
    """Sentences of 0, 1, 2 and many words, in which words repeat."""
    pieces = []
    for length in (1, 0, 2, 3, LONGEST, 1, 0, 5, 12, 2):
        pieces.append(np.append(random.integers(0, n_words, length), -1))
    return np.concatenate(pieces).astype(np.int32)


def keep_of(counts: Any, sample: float) -> Any:
    return keep_thresholds(keep_probabilities(counts, sample))


def new_tally() -> Tally:
    return Tally(np.zeros(1), *(np.zeros(1, np.int64) for _ in range(4)))


def check_against_twin(config: TrainConfig, random: np.random.Generator, n_words: int, mask: int) -> None:
    """Train the kernel and its twin on a block, twice; everything they leave behind agrees."""
    dim, ids = config.dim, block(random, n_words)
    counts = np.sort(random.integers(1, 50, n_words))[::-1].copy()
    planner = Planner(config, counts, LONGEST, ids.size)
    plan, work = planner.plan(0)
    parameters = planner.parameters
    parameters.bias[:] = random.normal(size=parameters.bias.size)
    matrices = Matrices(matrix(random, n_words, dim) / dim**0.5, matrix(random, n_words, dim) / dim**0.5)
    if config.similarity == "cosine":
        matrices = Matrices(*(rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in matrices))  # as they begin
    side = config.window_side
    radius = min(config.window_radius, LONGEST)
    window = Window(radius, not config.fixed_window, int(side != "right"), int(side != "left"))
    state = seed_states(int(random.integers(1000)), 1)[0]
    twin = NaiveSweep(config, counts, plan, window, LOOKAHEAD, matrices.inputs.astype(np.float64),
                      matrices.outputs.astype(np.float64), mask, NaiveRandom(state[0]),
                      parameters.bias.astype(np.float64), float(parameters.log_scale[0]))  # fmt: skip
    tally, sweep = new_tally(), make_sweep(planner.sizes)
    # Steps of a window add up; small ones keep two roundings of one sequence together.
    rate = (0.1 / (radius + 3), 0.01 / (radius + 3))
    for _ in range(2):
        sweep(ids, matrices, plan, work, window, np.array(rate), np.uint64(mask), state, tally)
        twin.run(ids, rate)
    assert int(state[0]) == twin.random.state
    assert tally.pairs[0] == twin.n_pairs
    assert tally.scores[0] == twin.n_scores
    assert tally.measured_pairs[0] == twin.measured_pairs
    np.testing.assert_allclose(tally.loss[0], twin.loss, rtol=2e-4)
    np.testing.assert_allclose(matrices.inputs, twin.inputs, rtol=2e-4, atol=2e-4)
    np.testing.assert_allclose(matrices.outputs, twin.outputs, rtol=2e-4, atol=2e-4)
    np.testing.assert_allclose(parameters.bias, twin.bias, rtol=2e-4, atol=2e-4)
    np.testing.assert_allclose(parameters.log_scale[0], twin.log_scale, rtol=2e-4, atol=2e-5)
    assert not matrices.inputs[:, dim:].any()
    assert not matrices.outputs[:, dim:].any()


def window_options(n: int, random: np.random.Generator) -> list[dict[str, Any]]:
    """Some of all windows, sides, radii and thresholds."""
    options = [
        {"window": radius, "window_side": side, "fixed_window": fixed, "sample": sample}
        for radius, side, fixed, sample in itertools.product(
            (1, 5, LONGEST), ("both", "left", "right"), (False, True), (0.0, 0.02)
        )
    ]
    random.shuffle(options)  # type: ignore[arg-type]
    return options[:n]


# Centres that share noise, noise words, dimensions: each value with several of the others, as each is compiled.
SIZES = [(1, 1, 1), (2, 5, 100), (3, 15, 7), (4, 2, 300)]


@pytest.mark.parametrize(("group", "n_noise", "dim"), SIZES)
def test_sweep_is_its_twin(group: int, n_noise: int, dim: int) -> None:
    random = np.random.default_rng(group * 1000 + n_noise * 10 + dim)
    for number, options in enumerate(window_options(8, random)):
        config = TrainConfig(dim=dim, share_noise=group, negative=n_noise, threads=1,
                             accidental_hits=("keep", "remove")[number % 2], **options)  # fmt: skip
        check_against_twin(config, random, (2, 7, 60)[number % 3], (0, 3)[number % 2])


BOTH = ["context-from-centre", "centre-from-context"]
HITS = ["keep", "remove"]
# Every objective, layout, architecture, similarity, sampler and correction.  The values of a list take turns, which
# costs nothing when they are of one type.
FORMS: dict[str, dict[str, Any]] = {
    "sgns-saturated": {"saturate": [0.4, 1.0], "share_noise": [1, 2]},
    "sgns-backward": {"dim": 100, "share_noise": 2, "direction": BOTH},
    "sgns-cbow": {"architecture": "cbow", "share_noise": 3, "cbow_normalize": [False, True]},
    "nce": {"loss": "nce", "bias": True, "share_noise": 2, "accidental_hits": HITS},
    "sampled": {"loss": "sampled-softmax", "share_noise": 2, "noise_power": [1.0, -0.5]},
    "sampled-unique": {"loss": "sampled-softmax", "unique": True, "bias": True, "noise": ["uniform", "log-uniform"]},
    "sampled-at-once": {"loss": "sampled-softmax", "multi_positive": True, "direction": BOTH[0]},
    "infonce": {"loss": "infonce", "bias": [False, True], "temperature": 0.7, "share_noise": 1, "negative": 20,
                "accidental_hits": HITS},
    "infonce-cosine-at-once": {"loss": "infonce", "multi_positive": True, "unique": True, "direction": BOTH[0],
                               "similarity": "cosine", "learn_temperature": [True, False]},
    "bpr": {"loss": "bpr", "share_noise": 2, "direction": BOTH},
    "margin": {"loss": "margin", "scale": 3.0, "margin": [0.0, 0.2], "architecture": "cbow", "share_noise": 1,
               "cbow_normalize": [True, False], "accidental_hits": HITS},
    "in-batch": {"loss": "in-batch", "negative": 0, "batch": [2, 7, 32], "accidental_hits": HITS, "direction": BOTH},
    "in-batch-mixed": {"loss": "in-batch", "negative": 5, "batch": 8, "symmetric": True, "bias": [True, False],
                       "similarity": "cosine", "learn_temperature": True, "temperature": 0.5, "accidental_hits": HITS},
    "in-batch-streaming": {"loss": "in-batch", "negative": 5, "batch": [4, 16], "frequency_estimate": "streaming"},
    "softmax": {"loss": "softmax", "negative": None, "bias": True, "direction": BOTH},
    "hs": {"loss": "hs", "negative": None, "direction": BOTH},
    "hs-cbow": {"loss": "hs", "negative": None, "architecture": "cbow", "bias": True, "cbow_normalize": [False, True]},
}  # fmt: skip


def turn(values: Any, number: int) -> Any:
    return values[number % len(values)] if isinstance(values, list) else values


@pytest.mark.parametrize("form", FORMS)
def test_sweep_of_every_form_is_its_twin(form: str) -> None:
    random = np.random.default_rng(list(FORMS).index(form))
    for number, windows in enumerate(window_options(6, random)):
        options = {"dim": 16, "negative": 5, "threads": 1, **windows, **FORMS[form]}
        config = TrainConfig(**{name: turn(values, number) for name, values in options.items()})
        check_against_twin(config, random, (60, 45)[number % 2], (0, 3)[number % 2])


def test_sweep_of_nothing_changes_nothing() -> None:
    config = TrainConfig(dim=16, negative=5, share_noise=1, threads=1)
    random = np.random.default_rng(1)
    planner = Planner(config, np.array([3, 2, 1]), 3, 4)
    plan, work = planner.plan(0)
    sweep = make_sweep(planner.sizes)
    matrices = Matrices(matrix(random, 3, 16), matrix(random, 3, 16))
    before = matrices.inputs.copy(), matrices.outputs.copy()
    tally = new_tally()
    for ids in ([], [-1], [-1, -1, 2, -1]):
        sweep(np.array(ids, np.int32), matrices, plan, work, Window(5, True, 1, 1), np.array([0.1, 0.1]), np.uint64(0),
              np.ones(1, np.uint64), tally)  # fmt: skip
    tally.stop[0] = 1
    sweep(np.array([0, 1, 2, -1], np.int32), matrices, plan, work, Window(5, True, 1, 1), np.array([0.1, 0.1]),
          np.uint64(0), np.ones(1, np.uint64), tally)  # fmt: skip
    np.testing.assert_array_equal(matrices.inputs, before[0])
    np.testing.assert_array_equal(matrices.outputs, before[1])
    assert tally.pairs[0] == tally.measured_pairs[0] == tally.loss[0] == tally.scores[0] == 0
