"""Every loss: known values, its residual against its value, and the optimum it trains to."""

from typing import Any, NamedTuple

import numpy as np
import pytest
from corpora import made_trainer

from w2v.kernel.jit import jit
from w2v.kernel.losses import LOSSES, residual, value
from w2v.kernel.target import LANES, score_stride
from w2v.kernel.windows import Pairs

N_IN, GROUP, N_OUT = 3, 2, 7
STRIDE = score_stride(N_OUT)


@jit()
def call_residual(loss, scores, pairs, lr):
    residual(loss, scores, pairs, np.float32(lr))


@jit()
def call_value(loss, scores, pairs):
    return value(loss, scores, pairs)


def flat(table: Any, dtype: Any = np.float32) -> Any:
    """A table of scores as the kernel lays it out."""
    rows = np.zeros((N_IN, STRIDE), dtype)
    rows[:, :N_OUT] = table
    return np.append(rows.ravel(), np.zeros(LANES, dtype))


def table_of(scores: Any) -> Any:
    return scores[: N_IN * STRIDE].reshape(N_IN, STRIDE)


def made_pairs(seed: int = 1) -> Pairs:
    """A group of 2 centres, 3 context words (one in a single window), 5 noise words, one of them a hit."""
    weights = np.zeros((N_IN, N_OUT))
    weights[:, :GROUP] = [[1, 1], [1, 0], [1, 1]]
    weights[:, GROUP:] = [[2], [1], [2]]
    weights[:, 4] -= weights[:, 1]
    labels = np.tile([1.0] * GROUP + [0.0] * (N_OUT - GROUP), (N_IN, 1))
    output_ids = np.array([7, 3, 9, 1, 3, 4, 5])
    return Pairs(flat(weights), flat(labels), output_ids, N_IN, GROUP, N_OUT, STRIDE)


each_loss = pytest.mark.parametrize("name", sorted(LOSSES))


@each_loss
def test_residual_is_minus_lr_times_the_derivative_of_value(name: str) -> None:
    loss, pairs = LOSSES[name](), made_pairs()
    random = np.random.default_rng(3)
    scores = random.uniform(-6, 6, (N_IN, N_OUT))
    lr, step = 0.37, 1e-5
    slopes = np.zeros((N_IN, N_OUT))
    for i, k in np.ndindex(N_IN, N_OUT):
        up, down = scores.copy(), scores.copy()
        up[i, k] += step
        down[i, k] -= step
        rise = call_value(loss, flat(up, np.float64), pairs) - call_value(loss, flat(down, np.float64), pairs)
        slopes[i, k] = rise / (2 * step)
    changed = flat(scores)
    call_residual(loss, changed, pairs, lr)
    np.testing.assert_allclose(table_of(changed)[:, :N_OUT], -lr * slopes, atol=1e-6)


@each_loss
def test_no_pair_no_residual(name: str) -> None:
    pairs = made_pairs()
    scores = flat(np.random.default_rng(4).uniform(-6, 6, (N_IN, N_OUT)))
    call_residual(LOSSES[name](), scores, pairs, 0.1)
    assert not table_of(scores)[table_of(pairs.weights) == 0].any()


@each_loss
@pytest.mark.parametrize("size", [1e4, -1e4])
def test_extreme_scores_stay_finite(name: str, size: float) -> None:
    loss, pairs = LOSSES[name](), made_pairs()
    scores = flat(np.full((N_IN, N_OUT), size))
    assert np.isfinite(call_value(loss, scores, pairs))
    call_residual(loss, scores, pairs, 0.1)
    assert np.isfinite(scores).all()
    assert np.abs(scores).max() > 0  # a confidently wrong score still learns


@each_loss
def test_a_score_that_is_no_number_shows_in_the_value(name: str) -> None:
    scores = np.zeros((N_IN, N_OUT))
    scores[0, 0] = np.nan
    assert np.isnan(call_value(LOSSES[name](), flat(scores), made_pairs()))
    scores[0, 0] = -np.inf
    assert np.isinf(call_value(LOSSES[name](), flat(scores), made_pairs()))


@each_loss
def test_losses_are_named_tuples_of_their_parameters(name: str) -> None:
    loss = LOSSES[name]()
    assert isinstance(loss, tuple)
    assert "remove_hits" in loss._fields
    assert type(loss).__doc__


def test_sgns_by_hand() -> None:
    loss, pairs = LOSSES["sgns"](), made_pairs()
    # All scores 0: each positive pair costs log 2, and so does each noise word each time it counts.
    n_positive, n_noise = 5, 5 * (2 + 1 + 2) - 2
    assert call_value(loss, flat(np.zeros((N_IN, N_OUT))), pairs) == pytest.approx((n_positive + n_noise) * np.log(2))
    scores = flat(np.zeros((N_IN, N_OUT)))
    call_residual(loss, scores, pairs, 0.2)
    np.testing.assert_allclose(table_of(scores)[0, :N_OUT], [0.1, 0.1, -0.2, -0.2, -0.1, -0.2, -0.2], rtol=1e-6)
    # sigmoid(log 3) = 3/4: the positive's residual is lr / 4, noise's -3 lr / 4, times the weight.
    scores = flat(np.full((N_IN, N_OUT), np.log(3)))
    call_residual(loss, scores, pairs, 0.2)
    np.testing.assert_allclose(table_of(scores)[1, :N_OUT], [0.05, 0, -0.15, -0.15, -0.15, -0.15, -0.15], rtol=1e-5)


class Joint(NamedTuple):
    """A corpus of lines of two words, and how often each (input, output) pair was seen, both orders."""

    sentences: list[Any]
    cells: Any


def two_word_lines(n_words: int, n_lines: int) -> Joint:
    random = np.random.default_rng(5)
    joint = np.exp(random.normal(0, 0.7, (n_words, n_words)))
    joint /= joint.sum()
    drawn = random.choice(n_words**2, n_lines, p=joint.ravel())
    lines = np.stack([drawn // n_words, drawn % n_words], 1)
    cells = np.zeros((n_words, n_words))
    np.add.at(cells, (lines[:, 0], lines[:, 1]), 1)
    return Joint(list(lines), cells + cells.T)


JOINT = two_word_lines(32, 80_000)


@pytest.mark.parametrize("share_noise", [1, 2, 4])
def test_sgns_trains_to_shifted_pointwise_mutual_information(share_noise: int) -> None:
    n_noise, n_words = 3, len(JOINT.cells)
    trainer = made_trainer(
        JOINT.sentences, window=1, sample=0.0, min_count=1, noise_power=1.0, dim=n_words, negative=n_noise,
        share_noise=share_noise, lr=0.15, min_lr=0.0005, epochs=20, threads=1,
    )  # fmt: skip
    trainer._loss = LOSSES["sgns"](remove_hits=False)
    trainer.run()
    scores = trainer.matrices.inputs @ trainer.matrices.outputs.T
    share = JOINT.cells.sum(0) / JOINT.cells.sum()
    often = JOINT.cells >= 30
    conditional = JOINT.cells / JOINT.cells.sum(1, keepdims=True)
    optimum = np.log(conditional[often] / (n_noise * np.broadcast_to(share, often.shape)[often]))
    slope, _ = np.polyfit(optimum, scores[often], 1)
    assert np.corrcoef(optimum, scores[often])[0, 1] > 0.98
    assert 0.95 < slope < 1.05
    assert abs((scores[often] - optimum).mean()) < 0.1
