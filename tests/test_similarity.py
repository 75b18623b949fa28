"""One whole step on rows, biases and temperature: against finite differences of a twin in float64."""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest
from batches import FIELDS, Made, made_batch, make_step
from naive_losses import naive_residual, naive_value

from w2v.kernel.jit import jit
from w2v.kernel.losses import prepare, residual
from w2v.kernel.simd import dots, update
from w2v.kernel.similarity import LARGEST_SCALE, Adjusted, Dot, after, before, finish
from w2v.kernel.target import LANES, padded

DIM = 12
N_OUT, N_WORDS = 7, 9
LOSS = "infonce"  # whose derivative in a score depends on all others of the row


class Parameters(NamedTuple):
    """What a step changes, float64: rows (9, 12), biases (9,) and log scale (1,)."""

    inputs: Any
    outputs: Any
    bias: Any
    log_scale: Any


def made_parameters(seed: int = 1) -> Parameters:
    random = np.random.default_rng(seed)
    inputs, outputs = random.normal(0, 0.6, (2, N_WORDS, DIM)).astype(np.float32).astype(float)
    return Parameters(inputs, outputs, random.normal(0, 0.5, N_WORDS).astype(np.float32).astype(float), np.full(1, 0.3))


def scores_of(p: Parameters, made: Made, cosine: bool) -> Any:
    x, o = p.inputs[made.input_ids], p.outputs[made.output_ids]
    similarity = x @ o.T
    if cosine:
        similarity = similarity / np.linalg.norm(x, axis=1)[:, None] / np.linalg.norm(o, axis=1)[None, :]
    return similarity * np.exp(p.log_scale[0]) + p.bias[made.output_ids]


def naive_loss(p: Parameters, made: Made, cosine: bool) -> float:
    scores = scores_of(p, made, cosine)
    return naive_value(made.name, *made._replace(scores=scores).twin())


def slopes(p: Parameters, made: Made, cosine: bool) -> Parameters:
    """Central differences of the loss in every number."""
    step = 1e-6
    found = [np.zeros_like(part) for part in p]
    for part, table in zip(p, found, strict=True):
        for cell in np.ndindex(*part.shape):
            old = part[cell]
            part[cell] = old + step
            up = naive_loss(p, made, cosine)
            part[cell] = old - step
            table[cell] = (up - naive_loss(p, made, cosine)) / (2 * step)
            part[cell] = old
    return Parameters(*found)


@cache
def make_whole_step(width: int, n_out: int, lanes: int) -> Any:
    @jit()
    def step(inputs, outputs, similarity, loss, pairs, scores, lr):  # noqa: PLR0917
        dots(inputs, pairs.input_ids, pairs.n_in, outputs, pairs.output_ids, scores, width, n_out)
        before(similarity, inputs, pairs.input_ids, outputs, pairs, scores, width)
        prepare(loss, scores, pairs, lanes)
        residual(loss, scores, pairs, lr, lanes)
        after(similarity, pairs, scores)
        update(inputs, pairs.input_ids, pairs.n_in, outputs, pairs.output_ids, scores, width, n_out)
        finish(similarity, inputs, pairs.input_ids, outputs, pairs, width)

    return step


def stepped(p: Parameters, made: Made, lr: float, similarity: Any = None, **options: Any) -> Parameters:
    """The parameters after a step of the kernel.  `similarity`: Dot, or Adjusted with the options."""
    width = padded(DIM)
    inputs, outputs = np.zeros((2, N_WORDS, width), np.float32)
    inputs[:, :DIM], outputs[:, :DIM] = p.inputs, p.outputs
    bias, log_scale = p.bias.astype(np.float32), p.log_scale.copy()
    n_in = len(made.scores)
    scores = made.flat(np.zeros_like(made.scores))
    if similarity is None:
        similarity = Adjusted(
            bias if options.get("has_bias", True) else bias[:0], log_scale, options.get("cosine", False),
            options.get("learn_scale", True), False, np.zeros_like(scores), np.zeros(n_in + LANES, np.float32),
            np.zeros(made.stride, np.float32),
        )  # fmt: skip
    make_whole_step(width, N_OUT, made.lanes)(
        inputs, outputs, similarity, made.loss, made.pairs(), scores, np.float32(lr)
    )
    assert not inputs[:, DIM:].any()
    assert not outputs[:, DIM:].any()
    return Parameters(inputs[:, :DIM].astype(float), outputs[:, :DIM].astype(float), bias.astype(float), log_scale)


def batch(seed: int) -> Made:
    """Several rows and positives; words come several times among rows and columns."""
    for candidate in range(seed, 1000):
        made = made_batch(LOSS, FIELDS[LOSS][0], candidate)
        repeats = len(set(made.input_ids)) < len(made.input_ids) and len(set(made.output_ids)) < N_OUT
        if repeats and made.weights[:, : made.n_positive].sum() > 3:
            return made
    raise AssertionError("no such batch")


def compare(old: Parameters, new: Parameters, expected: Parameters, lr: float, n_pairs: float) -> None:
    for name in ("inputs", "outputs", "bias"):
        speed = (getattr(new, name) - getattr(old, name)) / lr
        slope = getattr(expected, name)
        assert np.abs(slope).max() > 0.1, name
        np.testing.assert_allclose(speed, -slope, rtol=2e-3, atol=2e-3, err_msg=name)
    # The temperature follows the mean over positive pairs: of a sum it would move too fast.
    speed = (new.log_scale - old.log_scale) / lr
    np.testing.assert_allclose(speed, -expected.log_scale / n_pairs, rtol=2e-3, atol=2e-4)


@pytest.mark.parametrize("cosine", [False, True])
@pytest.mark.parametrize("seed", [1, 30, 60])
def test_a_step_goes_down_the_gradient(cosine: bool, seed: int) -> None:
    made, p, lr = batch(seed), made_parameters(seed), 2e-4
    new = stepped(p, made, lr, cosine=cosine)
    n_pairs = (made.weights[:, : made.n_positive] > 0).sum()
    compare(p, new, slopes(p, made, cosine), lr, n_pairs)


def test_the_plain_product() -> None:
    made, p, lr = batch(1), made_parameters(), 2e-4
    plain = p._replace(bias=np.zeros(N_WORDS), log_scale=np.zeros(1))
    new = stepped(plain, made, lr, Dot())
    expected = slopes(plain, made, False)
    np.testing.assert_allclose((new.inputs - p.inputs) / lr, -expected.inputs, rtol=2e-3, atol=2e-3)
    np.testing.assert_allclose((new.outputs - p.outputs) / lr, -expected.outputs, rtol=2e-3, atol=2e-3)
    # Without biases, at a scale of 1 that is not learned, the adjusted one does the same.
    same = stepped(plain, made, lr, has_bias=False, learn_scale=False)
    np.testing.assert_allclose(same.inputs, new.inputs, atol=1e-7)
    np.testing.assert_allclose(same.outputs, new.outputs, atol=1e-7)
    assert same.log_scale[0] == 0


@pytest.mark.parametrize("cosine", [False, True])
def test_a_row_drawn_twice_gets_both_deltas(cosine: bool) -> None:
    """A large step, so that what is wrong does not drown: the exact deltas, not their direction."""
    made, p, lr = batch(5), made_parameters(5), 0.3
    new = stepped(p, made, lr, cosine=cosine, learn_scale=False)
    scores = scores_of(p, made, cosine)
    steps = naive_residual(made.name, *made._replace(scores=scores).twin(), lr)
    bias = p.bias.copy()
    np.add.at(bias, made.output_ids, steps.sum(0))
    steps *= np.exp(p.log_scale[0])
    np.testing.assert_allclose(new.bias, bias, atol=1e-6)
    x, o = p.inputs[made.input_ids], p.outputs[made.output_ids]
    if cosine:
        steps = steps / np.linalg.norm(x, axis=1)[:, None] / np.linalg.norm(o, axis=1)[None, :]
    for matrix, ids, deltas, result in (
        (p.inputs, made.input_ids, steps @ o, new.inputs), (p.outputs, made.output_ids, steps.T @ x, new.outputs)
    ):  # fmt: skip
        expected = matrix.copy()
        np.add.at(expected, ids, deltas)
        if cosine:  # rows turn, and keep their length
            expected *= (np.linalg.norm(matrix, axis=1) / np.linalg.norm(expected, axis=1))[:, None]
        np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)
        assert np.abs(result - matrix)[ids].max() > 0.05


@pytest.mark.parametrize("cosine", [False, True])
def test_rows_of_zeros_stay_finite(cosine: bool) -> None:
    made, p = batch(1), made_parameters()
    p.inputs[made.input_ids[0]] = 0
    p.outputs[made.output_ids[0]] = 0
    for _ in range(3):
        p = stepped(p, made, 0.5, cosine=cosine)
        for part in p:
            assert np.isfinite(part).all()
            assert np.abs(part).max() < 10


def test_large_steps_do_not_let_cosine_rows_grow() -> None:
    made, p = batch(1), made_parameters()
    norms = np.linalg.norm(p.inputs, axis=1), np.linalg.norm(p.outputs, axis=1)
    for _ in range(200):
        p = stepped(p, made, 20.0, cosine=True, learn_scale=False)
    np.testing.assert_allclose(np.linalg.norm(p.inputs, axis=1), norms[0], rtol=1e-4)
    np.testing.assert_allclose(np.linalg.norm(p.outputs, axis=1), norms[1], rtol=1e-4)


@pytest.mark.parametrize("sign", [1, -1])
def test_the_temperature_stays_within_bounds(sign: int) -> None:
    made, p = batch(1), made_parameters()
    p = p._replace(log_scale=np.full(1, sign * np.log(LARGEST_SCALE) * 0.999), inputs=p.inputs * 1e-3)
    for lr in (1e6, 1e8):
        new = stepped(p, made, lr)
        assert abs(new.log_scale[0]) <= np.log(LARGEST_SCALE)


def test_a_batch_without_a_pair_moves_nothing() -> None:
    made, p = batch(1), made_parameters()
    new = stepped(p, made._replace(weights=np.zeros_like(made.weights)), 0.5, cosine=True)
    np.testing.assert_allclose(new.inputs, p.inputs, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(new.outputs, p.outputs, rtol=1e-6, atol=1e-7)
    np.testing.assert_array_equal(new.bias, p.bias)
    assert new.log_scale == p.log_scale


def test_the_loss_alone_is_what_the_whole_step_uses() -> None:
    """The scores that `before` makes are those of the twin."""
    made, p = batch(1), made_parameters()
    exact = made._replace(scores=scores_of(p, made, True))
    scores = exact.flat(exact.scores)
    make_step(made.lanes)(made.loss, scores, exact.pairs(), np.float32(1e-3))
    total = made.unflat(scores)[:, :N_OUT].sum(0)
    gained = np.zeros(N_WORDS)
    np.add.at(gained, made.output_ids, total)
    new = stepped(p, made, 1e-3, cosine=True)
    np.testing.assert_allclose(new.bias - p.bias, gained, atol=2e-7)
