"""The compiled training kernel against its slow twins."""

import itertools
from typing import Any

import numpy as np
import pytest
from naive import (
    NaiveRandom,
    NaiveSweep,
    naive_dots,
    naive_pairs,
    naive_remove_hits,
    naive_sigmoid,
    naive_update,
    naive_windows,
)

from w2v.kernel.jit import jit
from w2v.kernel.losses import LOSSES
from w2v.kernel.rng import seed_states
from w2v.kernel.simd import dots, logistic_residual, prefetch, update
from w2v.kernel.sweep import LOOKAHEAD, RING, STEP_ROWS, Matrices, Sampling, Tally, make_sweep
from w2v.kernel.target import LANES, UNROLLED, padded, score_stride, tiles
from w2v.kernel.windows import Pairs, Spans, Window, gather_pairs, lay_windows, remove_hits
from w2v.noise import alias_slots, keep_probabilities, keep_thresholds, unigram_probabilities

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
    for n, largest in itertools.product(range(1, 60), range(1, 9)):
        cuts = tiles(n, largest)
        assert [i for begin, end in cuts for i in range(begin, end)] == list(range(n))
        sizes = [end - begin for begin, end in cuts]
        assert max(sizes) <= largest
        assert max(sizes) - min(sizes) <= 1
        assert len(cuts) == -(-n // largest)


def test_padded() -> None:
    for dim in (1, LANES - 1, LANES, LANES + 1, 300):
        assert padded(dim) % LANES == 0
        assert dim <= padded(dim) < dim + LANES


def test_lookahead_fits_the_ring() -> None:
    assert LOOKAHEAD < RING
    assert RING & (RING - 1) == 0


@jit()
def call_windows(sentence, first, group, n_out, length, window, state, context, weights, output_ids):  # noqa: PLR0917
    stride = n_out
    spans = Spans(np.zeros(group, np.int64), np.zeros(group, np.int64))
    low, high, state = lay_windows(first, group, length, window, spans, state)
    n_in, n_pairs = gather_pairs(sentence, low, high, first, group, n_out, stride, spans, context, weights)
    before = weights.copy()
    remove_hits(Pairs(weights, weights, output_ids, n_in, group, n_out, stride))
    return n_in, n_pairs, state, before


@pytest.mark.parametrize("group", [1, 2, 3, 4])
def test_windows_pairs_and_hits(group: int) -> None:
    random = np.random.default_rng(group)
    n_out, states = group + 3, seed_states(group, 1)[0]
    twin = NaiveRandom(states[0])
    state = states[0]
    for radius, shrink, (left, right) in itertools.product((1, 2, 5, 30), (True, False), ((1, 1), (1, 0), (0, 1))):
        window = Window(radius, shrink, left, right)
        length = int(random.integers(2, 25))
        sentence = random.integers(0, 4, 30).astype(np.int32)
        first = int(random.integers(0, length))
        output_ids = random.integers(0, 4, n_out)
        context, weights = np.zeros(30, np.int32), np.zeros(30 * n_out, np.float32)
        n_in, n_pairs, state, before = call_windows(
            sentence, first, group, n_out, length, window, np.uint64(state), context, weights, output_ids
        )
        windows = naive_windows(first, group, length, window, twin)
        positions, expected = naive_pairs(windows, 3)
        assert int(state) == twin.state
        assert n_pairs == sum(map(len, windows))
        assert list(context[:n_in]) == [sentence[p] for p in positions]
        np.testing.assert_array_equal(before[: n_in * n_out].reshape(n_in, n_out), expected)
        expected = naive_remove_hits(expected, list(output_ids), group)
        np.testing.assert_array_equal(weights[: n_in * n_out].reshape(n_in, n_out), expected)
        assert (expected >= 0).all()


# Group, noise words, dimensions: each value with several of the others, not all with all: each is compiled.
SIZES = [
    (1, 1, 1), (1, 5, 16), (1, 20, 300), (2, 2, 7), (2, 5, 100), (2, 40, 16), (3, 2, 1), (3, 15, 16),
    (4, 5, 300), (4, 15, 100),
]  # fmt: skip
SIDES = ((1, 1), (1, 0), (0, 1))
LONGEST = 40


def block(random: np.random.Generator, n_words: int) -> Any:
    """Sentences of 0, 1, 2 and many words, in which words repeat."""
    pieces = []
    for length in (1, 0, 2, 3, LONGEST, 1, 0, 5, 12, 2):
        pieces.append(np.append(random.integers(0, n_words, length), -1))
    return np.concatenate(pieces).astype(np.int32)


@pytest.mark.parametrize(("group", "n_noise", "dim"), SIZES)
def test_sweep_is_its_twin(group: int, n_noise: int, dim: int) -> None:
    random = np.random.default_rng(group * 1000 + n_noise * 10 + dim)
    sweep = make_sweep(padded(dim), group, n_noise)
    options = list(itertools.product((1, 5, LONGEST), SIDES, (True, False), (0, 0.02)))
    random.shuffle(options)
    for number, (radius, (left, right), shrink, sample) in enumerate(options[:15]):
        n_words = (2, 7, 60)[number % 3]
        counts = np.sort(random.integers(1, 50, n_words))[::-1]
        sampling = Sampling(
            keep_thresholds(keep_probabilities(counts, sample)), alias_slots(unigram_probabilities(counts, 0.75))
        )
        matrices = Matrices(matrix(random, n_words, dim) / dim**0.5, matrix(random, n_words, dim) / dim**0.5)
        window, loss, mask = Window(radius, shrink, left, right), LOSSES["sgns"](number % 2 == 0), (0, 3)[number % 2]
        state = seed_states(number, 1)[0]
        twin = NaiveSweep(matrices.inputs.astype(np.float64), matrices.outputs.astype(np.float64), sampling.keep,
                          sampling.slots, window, group, n_noise, LOOKAHEAD, STEP_ROWS, loss.remove_hits, mask,
                          NaiveRandom(state[0]))  # fmt: skip
        tally = Tally(np.zeros(1), np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros(1, np.int64))
        ids = block(random, n_words)
        # Steps of a window add up; small ones keep two roundings of one sequence together.
        rate = (0.1 / (radius + 3), 0.01 / (radius + 3))
        for _ in range(2):
            sweep(ids, LONGEST, matrices, sampling, window, loss, np.array(rate), np.uint64(mask), state, tally)
            twin.run(ids, rate)
        assert int(state[0]) == twin.random.state
        assert tally.pairs[0] == twin.n_pairs
        assert tally.measured_pairs[0] == twin.measured_pairs
        np.testing.assert_allclose(tally.loss[0], twin.loss, rtol=2e-4)
        np.testing.assert_allclose(matrices.inputs, twin.inputs, rtol=2e-4, atol=2e-4)
        np.testing.assert_allclose(matrices.outputs, twin.outputs, rtol=2e-4, atol=2e-4)
        assert not matrices.inputs[:, dim:].any()
        assert not matrices.outputs[:, dim:].any()


def test_sweep_of_nothing_changes_nothing() -> None:
    sweep = make_sweep(padded(16), 1, 5)
    random = np.random.default_rng(1)
    matrices = Matrices(matrix(random, 3, 16), matrix(random, 3, 16))
    before = matrices.inputs.copy(), matrices.outputs.copy()
    sampling = Sampling(np.full(3, 2**32 - 1, np.uint32), alias_slots(np.full(3, 1 / 3)))
    tally = Tally(np.zeros(1), np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros(1, np.int64))
    for ids in ([], [-1], [-1, -1, 2, -1]):
        sweep(np.array(ids, np.int32), 1, matrices, sampling, Window(5, True, 1, 1), LOSSES["sgns"](),
              np.array([0.1, 0.1]), np.uint64(0), np.ones(1, np.uint64), tally)  # fmt: skip
    np.testing.assert_array_equal(matrices.inputs, before[0])
    np.testing.assert_array_equal(matrices.outputs, before[1])
    assert tally.pairs[0] == tally.measured_pairs[0] == tally.loss[0] == 0
