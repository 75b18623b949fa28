"""The sampled objectives' gradients, averaged over draws, against that of the exact softmax.

All goes through the kernel's own functions: draw, expect, prepare, residual.  Errors are relative, |mean - exact| /
|exact| over the gradients of all inputs and outputs: a cosine would not see a gradient that is too long.
"""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from corpora import made_trainer

from w2v.kernel.jit import jit
from w2v.kernel.losses import LOSSES, prepare, residual
from w2v.kernel.pairs import Pairs
from w2v.kernel.rng import seed_states
from w2v.kernel.sampling import ExpectedCounts, ExpectedUnique, Replacement, Uncorrected, Unique, draw, expect
from w2v.kernel.target import LANES, padded
from w2v.noise import alias_slots

N_WORDS, N_INPUTS, DIM = 50, 6, 10
N_PAIRS = 240_000
KS = (2, 8, 24)
BATCHES = (4, 16, 64, 256)

RANDOM = np.random.default_rng(11)
Q = 1 / np.arange(1, N_WORDS + 1)
Q /= Q.sum()
# Random rows, but for what they know of the words' shares: noise that is quite unlike what the softmax holds for
# probable would only show the variance of sampling, not which pairings of corrections and hits are right.
X = RANDOM.normal(0, 1, (N_INPUTS, DIM))
ROWS = RANDOM.normal(0, 0.15, (N_WORDS, DIM))
X[:, 0], ROWS[:, 0] = 1, np.log(Q) + 3
SCORES = (X @ ROWS.T).astype(np.float32)
P = np.exp(SCORES + RANDOM.normal(0, 0.4, SCORES.shape))  # what the text says, and the scores do not yet know
P /= P.sum(1, keepdims=True)
INPUTS = RANDOM.choice(N_INPUTS, N_PAIRS, p=RANDOM.dirichlet(np.full(N_INPUTS, 5.0)))
POSITIVES = (RANDOM.random((N_PAIRS, 1)) > P.cumsum(1)[INPUTS]).sum(1).clip(0, N_WORDS - 1)
INPUT_SHARES, OUTPUT_SHARES = np.bincount(INPUTS) / N_PAIRS, np.bincount(POSITIVES, minlength=N_WORDS) / N_PAIRS


def softmax(scores: Any) -> Any:
    powers = np.exp(scores.astype(float))
    return powers / powers.sum(1, keepdims=True)


def exact(both_sides: bool = False) -> Any:
    """Derivative of the summed loss in each score, (inputs, words), for the very pairs that were drawn."""
    counts = np.zeros((N_INPUTS, N_WORDS))
    np.add.at(counts, (INPUTS, POSITIVES), 1)
    rows = softmax(SCORES) * counts.sum(1, keepdims=True) - counts
    columns = softmax(SCORES.T).T * counts.sum(0) - counts
    return (rows + columns) / 2 if both_sides else rows


def relative_error(slopes: Any, reference: Any) -> float:
    """Of the gradients of the vectors, which the chain rule makes of those of the scores."""

    def gradients(table: Any) -> Any:
        return np.concatenate([(table @ ROWS).ravel(), (table.T @ X).ravel()])

    difference = gradients(slopes) - gradients(reference)
    return float(np.linalg.norm(difference) / np.linalg.norm(gradients(reference)))


@jit()
def accumulate(noise, correction, loss, table, inputs, positives, pairs, scores, n_noise, slopes, state):  # noqa: PLR0917
    """Batch after batch of pairs.n_in positive pairs; what the loss makes of their scores goes into slopes."""
    n, stride = pairs.n_in, pairs.stride
    for begin in range(0, inputs.size - n + 1, n):
        for i in range(n):
            pairs.input_ids[i] = inputs[begin + i]
            pairs.output_ids[i] = positives[begin + i]
        tries, state = draw(noise, pairs.output_ids, n, n_noise, state)
        expect(correction, pairs.output_ids, n + n_noise, n, tries, pairs.log_expected)
        for i in range(n):
            for k in range(n + n_noise):
                scores[i * stride + k] = table[pairs.input_ids[i], pairs.output_ids[k]]
        prepare(loss, scores, pairs, LANES)
        residual(loss, scores, pairs, np.float32(1), LANES)
        for i in range(n):
            for k in range(n + n_noise):
                slopes[pairs.input_ids[i], pairs.output_ids[k]] -= scores[i * stride + k]


def slopes_of(loss: Any, noise: Any, correction: Any, n_noise: int, n: int = 1) -> Any:
    """Sum over all pairs, in batches of n."""
    n_out = n + n_noise
    stride = padded(n_out)
    weights = np.zeros((n, stride), np.float32)
    weights[:, :n] = np.eye(n)
    if n == 1:
        weights[:, n:n_out] = 1
    flat = np.append(weights.ravel(), np.zeros(2 * stride + LANES, np.float32))
    pairs = Pairs(flat, flat.copy(), np.zeros(n, np.int32), np.zeros(stride, np.int64), np.zeros(stride, np.float32),
                  np.zeros_like(flat), n, n, n_out, stride)  # fmt: skip
    slopes = np.zeros((N_INPUTS, N_WORDS))
    accumulate(noise, correction, loss, SCORES, INPUTS, POSITIVES, pairs, np.zeros_like(flat), n_noise, slopes,
               seed_states(7, 1)[0, 0])  # fmt: skip
    return slopes


def sampled(n_noise: int, *, unique: bool, remove: bool, logq: bool = True) -> float:
    correction: Any = Uncorrected()
    if logq and unique:
        correction = ExpectedUnique(np.log1p(-Q))
    elif logq:
        correction = ExpectedCounts(np.log(n_noise * Q).astype(np.float32))
    sampler = Unique if unique else Replacement
    loss = LOSSES["sampled-softmax"](remove, False)
    return relative_error(slopes_of(loss, sampler(alias_slots(Q)), correction, n_noise), exact())


def in_batch(
    batch: int, n_noise: int = 0, *, logq: bool = True, remove: bool = False, symmetric: bool = False
) -> float:
    correction: Any = Uncorrected()
    if logq:
        correction = ExpectedCounts(np.log(batch * OUTPUT_SHARES + n_noise * Q).astype(np.float32))
    log_inputs = np.log(batch * INPUT_SHARES).astype(np.float32) if logq else np.zeros(N_INPUTS, np.float32)
    loss = LOSSES["in-batch"](remove, symmetric, log_inputs)
    slopes = slopes_of(loss, Replacement(alias_slots(Q)), correction, n_noise, batch)
    return relative_error(slopes, exact(symmetric))


def test_replacement_with_hits_kept_is_right_for_many_draws() -> None:
    errors = [sampled(k, unique=False, remove=False) for k in (*KS, 96)]
    assert falls(errors, 2)  # about as 1 / K
    assert errors[-1] < 0.03


def test_unique_with_hits_removed_is_right_for_many_draws() -> None:
    errors = [sampled(k, unique=True, remove=True) for k in KS]
    assert falls(errors, 1.05)
    assert errors[-1] < 0.2


def test_the_other_two_pairings_stay_wrong() -> None:
    crossed = [sampled(k, unique=False, remove=True) for k in (*KS, 96)]
    assert min(crossed[1:]) > crossed[0]
    assert crossed[-1] > 0.8
    crossed = [sampled(k, unique=True, remove=False) for k in KS]
    assert crossed[-1] > max(0.4, crossed[0])


@pytest.mark.parametrize("unique", [False, True])
def test_without_the_correction_more_draws_do_not_help(unique: bool) -> None:
    errors = [sampled(k, unique=unique, remove=unique, logq=False) for k in KS]
    assert min(errors) > 1


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("remove", [False, True])
def test_in_batch_is_right_for_large_batches(symmetric: bool, remove: bool) -> None:
    errors = [in_batch(n, remove=remove, symmetric=symmetric) for n in BATCHES]
    assert falls(errors, 3)  # about as 1 / B
    assert errors[-1] < 0.01


def test_expected_counts_of_inputs_are_those_of_a_batch() -> None:
    """A share alone, where the positive is left uncorrected, is wrong by the size of the batch."""
    sentences = [np.array([0, 1, 0, 2])] * 5
    options: dict[str, Any] = {"loss": "in-batch", "batch": 8, "sample": 0.0, "threads": 1, "dim": 4}
    plan, _ = made_trainer(sentences, symmetric=True, **options)._plans[0]
    np.testing.assert_allclose(np.exp(plan.loss.log_expected_inputs), [4, 2, 2], rtol=1e-6)
    np.testing.assert_allclose(np.exp(plan.correction.log_counts), [4, 2, 2], rtol=1e-6)
    plan, _ = made_trainer(sentences, symmetric=True, no_logq=True, **options)._plans[0]
    assert not plan.loss.log_expected_inputs.any()


@pytest.mark.parametrize("symmetric", [False, True])
def test_in_batch_without_the_correction_stays_wrong(symmetric: bool) -> None:
    errors = [in_batch(n, logq=False, symmetric=symmetric) for n in BATCHES]
    assert min(errors) > 1


def test_noise_makes_a_small_batch_better() -> None:
    errors = [in_batch(4, k) for k in (0, *KS, 96)]
    assert falls(errors[1:], 1.2)
    assert errors[-1] < errors[0] / 5
    assert min(in_batch(4, k, logq=False) for k in KS) > 1


def falls(errors: list[float], factor: float) -> bool:
    """Whether each is smaller than the one before by a factor at least."""
    return all(later * factor < earlier for earlier, later in pairwise(errors))
