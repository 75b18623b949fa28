"""Every loss: known values, its residual against its value, and against a twin in float64."""

from typing import Any

import numpy as np
import pytest
from batches import VARIANTS, Made, label_of, made_batch
from corpora import made_trainer, natural_sentences
from naive_losses import naive_residual, naive_value

from w2v.kernel.emit import LOWEST
from w2v.kernel.jit import jit
from w2v.kernel.losses import LOSSES, prepare
from w2v.kernel.target import LANES

LR = 0.37
each_variant = pytest.mark.parametrize("variant", VARIANTS, ids=label_of)
Variant = tuple[str, dict[str, Any]]


@each_variant
@pytest.mark.parametrize("seed", [1, 2])
def test_residual_is_minus_lr_times_the_derivative_of_value(variant: Variant, seed: int) -> None:
    made, step = made_batch(*variant, seed), 1e-5
    slopes = np.zeros_like(made.scores)
    for cell in np.ndindex(*slopes.shape):
        up, down = made.scores.copy(), made.scores.copy()
        up[cell] += step
        down[cell] -= step
        slopes[cell] = (made.value(up) - made.value(down)) / (2 * step)
    if variant[1].get("at_once"):  # the value is summed over the positives, what is learned from is their mean
        slopes /= made.n_positive
    _, residual = made.run(LR)
    np.testing.assert_allclose(residual[:, : slopes.shape[1]], -LR * slopes, rtol=1e-4, atol=1e-5)


@each_variant
@pytest.mark.parametrize("n_out", [7, 21, 32])
def test_value_and_residual_are_the_twins(variant: Variant, n_out: int) -> None:
    for seed in range(25):
        made = made_batch(*variant, seed, n_out, size=(0.5, 6, 30)[seed % 3])
        result, residual = made.run(LR)
        expected = naive_residual(made.name, *made.twin(), LR)
        np.testing.assert_allclose(
            result, naive_value(made.name, *made.twin()), rtol=1e-6, atol=1e-9
        )  # weights are float32
        # float32 scores of 30 are exact to 2e-6, and so are relative errors of their exponentials.
        np.testing.assert_allclose(residual[:, :n_out], expected, rtol=2e-5, atol=1e-6)
        assert not residual[:, n_out:].any()
        if made.is_static:  # where the pairs are one by one
            assert not residual[:, :n_out][made.weights == 0].any()


def saturates(variant: Variant) -> bool:
    return bool(np.isfinite(variant[1].get("limit", np.inf)))


@each_variant
@pytest.mark.parametrize("size", [1e4, -1e4])
def test_extreme_scores_stay_finite_and_learn(variant: Variant, size: float) -> None:
    made = made_batch(*variant, 3)
    for scores in (np.full_like(made.scores, size), np.where(made.labels + np.eye(*made.labels.shape) > 0, size, 0)):
        extreme = made._replace(scores=scores)
        result, residual = extreme.run(LR)
        assert np.isfinite(result)
        assert np.isfinite(residual).all()
        expected = naive_residual(made.name, *extreme.twin(), LR)
        np.testing.assert_allclose(residual[:, : expected.shape[1]], expected, rtol=1e-3, atol=1e-5)
    learnt = np.abs(made._replace(scores=np.full_like(made.scores, size)).run(LR)[1]).max()
    assert learnt == 0 if saturates(variant) else learnt > 0.01


@each_variant
@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_a_score_that_is_no_number_shows_in_the_value(variant: Variant, wrong: float) -> None:
    made = made_batch(*variant, 5)
    cell = tuple(np.argwhere(made.weights > 0)[0])
    if wrong > 0 and made.labels[cell] == 1 and variant[0] in ("sgns", "nce", "hs"):
        return  # the logistic loss of a certain positive is 0
    if saturates(variant) and np.isinf(wrong):
        return  # beyond the limit
    if wrong < 0 and variant[0] == "hs" and made.labels[cell] == 0:
        return
    if wrong > 0 and made.n_positive and made.is_static:
        return  # nor does a positive cost anything that is infinitely better than its noise
    scores = made.scores.copy()
    scores[cell] = wrong
    assert not np.isfinite(made._replace(scores=scores).run(LR)[0])


@pytest.mark.parametrize("name", sorted(LOSSES))
def test_losses_are_named_tuples_with_a_word_on_their_fields(name: str) -> None:
    loss = LOSSES[name]
    assert issubclass(loss, tuple)
    assert all(f"`{field}`" in loss.__doc__ for field in loss._fields if field != "symmetric") or name == "in-batch"


def one_row(name: str, scores: Any, n_positive: int = 1, log_expected: Any = 0.0, **fields: Any) -> Made:
    """One input, positives first; all words differ."""
    table = np.array([scores], float)
    n_out = table.shape[1]
    made = made_batch(name, fields, 1)
    weights = np.ones((1, n_out))
    weights[:, n_positive:] = n_positive
    return made._replace(
        scores=table, weights=weights, labels=(np.arange(n_out) < n_positive)[None].astype(float),
        n_positive=n_positive, output_ids=np.arange(n_out), input_ids=np.zeros(1, int),
        log_expected=np.zeros(n_out) + log_expected,
    )  # fmt: skip


def check(made: Made, expected_value: float, expected_residual: Any) -> None:
    """Compare with values worked out by hand, the residual for a learning rate of 1."""
    result, residual = made.run(1.0)
    n_out = made.scores.shape[1]
    assert result == pytest.approx(expected_value, rel=1e-6, abs=1e-6)
    np.testing.assert_allclose(residual[:, :n_out], np.atleast_2d(expected_residual), rtol=1e-5, atol=1e-6)


LOG3 = np.log(3.0)
PLAIN = {"remove_hits": False, "limit": np.float32(np.inf)}


def test_sgns_by_hand() -> None:
    # All scores 0: the positive costs log 2, and so does each noise word.
    check(one_row("sgns", [0, 0, 0], **PLAIN), 3 * np.log(2), [0.5, -0.5, -0.5])
    # sigmoid(log 3) = 3/4; two positives that share the noise make it count twice.
    made = one_row("sgns", [LOG3, LOG3, LOG3], 2, **PLAIN)
    check(made, 2 * np.log(4 / 3) + 2 * np.log(4), [0.25, 0.25, -1.5])
    # Noise that equals the second positive serves the first one alone; with the first too, none.
    hit = made._replace(loss=LOSSES["sgns"](True, np.float32(np.inf)), output_ids=np.array([5, 6, 6]))
    check(hit, 2 * np.log(4 / 3) + np.log(4), [0.25, 0.25, -0.75])
    check(hit._replace(output_ids=np.array([6, 6, 6])), 2 * np.log(4 / 3), [0.25, 0.25, 0])


def test_saturated_pairs_teach_nothing_right_or_wrong() -> None:
    made = one_row("sgns", [-6, -7, LOG3], remove_hits=False, limit=np.float32(6))
    check(made, np.log(4), [0, 0, -0.75])
    # Just inside, a wrong score learns nearly all there is.
    made = one_row("sgns", [-5.99, 0, 6], remove_hits=False, limit=np.float32(6))
    check(made, np.log1p(np.exp(5.99)) + np.log(2), [1 / (1 + np.exp(-5.99)), -0.5, 0])


def test_nce_by_hand() -> None:
    # log 6 less the log of 2 expected draws is log 3.
    made = one_row("nce", [np.log(6), np.log(6)], log_expected=np.log(2), remove_hits=False)
    check(made, np.log(4 / 3) + np.log(4), [0.25, -0.75])
    hit = made._replace(output_ids=np.array([4, 4]))
    check(hit, np.log(4 / 3) + np.log(4), [0.25, -0.75])
    check(hit._replace(loss=LOSSES["nce"](True)), np.log(4 / 3), [0.25, 0])


def test_sampled_softmax_by_hand() -> None:
    # Corrected scores log 1, log 2, log 3: shares 1/6, 1/3, 1/2.
    expected = np.array([0.5, 0.2, 0.1])
    scores = np.log([1, 2, 3]) + np.log(expected)
    made = one_row("sampled-softmax", scores, log_expected=np.log(expected), remove_hits=False, at_once=False)
    check(made, np.log(6), [5 / 6, -1 / 3, -1 / 2])
    hit = made._replace(output_ids=np.array([1, 0, 1]))
    check(hit, np.log(6), [5 / 6, -1 / 3, -1 / 2])
    removed = hit._replace(loss=LOSSES["sampled-softmax"](True, False))
    check(removed, LOG3, [2 / 3, -2 / 3, 0])


def test_infonce_by_hand() -> None:
    # Each positive has only the noise against it: 2 / (2 + 3) and 1 / (1 + 3).
    made = one_row("infonce", np.log([2, 1, 3]), 2, remove_hits=False, at_once=False)
    check(made, np.log(5 / 2) + np.log(4), [3 / 5, 3 / 4, -3 / 5 - 3 / 4])


def test_several_positives_at_once_by_hand() -> None:
    # All columns compete, labels 1/2: shares 1/6, 2/6, 3/6.  The value is twice the mean of the two.
    made = one_row("infonce", np.log([1, 2, 3]), 2, remove_hits=False, at_once=True)
    made = made._replace(weights=np.array([[0.5, 0.5, 0]]), is_static=False)
    check(made, np.log(6) + np.log(3), [1 / 2 - 1 / 6, 1 / 2 - 1 / 3, -1 / 2])


def test_bpr_by_hand() -> None:
    # The positive is log 3 better than the first noise word, log 3 worse than the second.
    made = one_row("bpr", [0, -LOG3, LOG3], remove_hits=False)
    check(made, np.log(4 / 3) + np.log(4), [1 / 4 + 3 / 4, -1 / 4, -3 / 4])
    hit = made._replace(output_ids=np.array([1, 2, 1]), loss=LOSSES["bpr"](True))
    check(hit, np.log(4 / 3), [1 / 4, -1 / 4, 0])


def test_margin_by_hand() -> None:
    # 2 / (2 + 3) once the shift is taken off.
    made = one_row("margin", [np.log(2) + 1.5, LOG3], remove_hits=False, shift=np.float32(1.5))
    check(made, np.log(5 / 2), [3 / 5, -3 / 5])


def test_softmax_by_hand() -> None:
    made = one_row("softmax", np.log([1, 2, 3]))._replace(weights=np.array([[0, 1.0, 0]]))
    check(made, LOG3, [-1 / 6, 2 / 3, -1 / 2])


def test_hierarchical_softmax_by_hand() -> None:
    # Left with probability 3/4, then right with probability 1/4.
    made = one_row("hs", [LOG3, LOG3])._replace(weights=np.ones((1, 2)), n_positive=0)
    check(made, np.log(4 / 3) + np.log(4), [1 / 4, -3 / 4])


def in_batch(scores: Any, shares: Any, **fields: Any) -> Made:
    fields = {"remove_hits": False, "symmetric": False, "log_expected_inputs": np.zeros(9, np.float32), **fields}
    table = np.array(scores, float)
    n, n_out = table.shape
    return made_batch("in-batch", fields, 1)._replace(
        scores=table, weights=np.eye(n, n_out), labels=np.eye(n, n_out), n_positive=n, output_ids=np.arange(n_out),
        input_ids=np.arange(n), log_expected=np.log(shares),
    )  # fmt: skip


@jit()
def call_prepare(loss, scores, pairs):
    prepare(loss, scores, pairs, LANES)


def test_in_batch_correction_by_hand() -> None:
    made = in_batch(np.full((3, 3), 2.0), [0.7, 0.2, 0.1])
    scores, pairs = made.flat(made.scores), made.pairs()
    call_prepare(made.loss, scores, pairs)
    np.testing.assert_allclose(made.unflat(scores)[:, :3], [[2.357, 3.609, 4.303]] * 3, atol=5e-4)
    # The duplicate of the positive goes, and the positive stays uncorrected.
    scores = made.flat(made.scores)
    call_prepare(made.loss._replace(remove_hits=True), scores, pairs._replace(output_ids=np.array([5, 6, 5])))
    expected = [[2, 3.609, LOWEST], [2.357, 2, 4.303], [LOWEST, 3.609, 2]]
    np.testing.assert_allclose(made.unflat(scores)[:, :3], expected, rtol=3e-4)


def test_in_batch_by_hand() -> None:
    # Rows (1, 3) and (2, 2) of exponentials: the positives have shares 1/4 and 1/2.
    made = in_batch(np.log([[1, 3], [2, 2]]), [1, 1])
    check(made, np.log(4) + np.log(2), [[3 / 4, -3 / 4], [-1 / 2, 1 / 2]])
    # Columns (1, 2) and (3, 2): shares 1/3 and 2/5; both sides averaged.
    both = made._replace(loss=made.loss._replace(symmetric=True))
    expected = [[(3 / 4 + 2 / 3) / 2, (-3 / 4 - 3 / 5) / 2], [(-1 / 2 - 2 / 3) / 2, (1 / 2 + 3 / 5) / 2]]
    check(both, (np.log(8) + LOG3 + np.log(5 / 2)) / 2, expected)
    # A noise column joins the rows, not the columns.
    mixed = in_batch(np.log([[1, 3, 4], [2, 2, 4]]), [1, 1, 1])
    check(mixed, np.log(8) + np.log(4), [[7 / 8, -3 / 8, -4 / 8], [-1 / 4, 3 / 4, -1 / 2]])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("remove", [False, True])
def test_margin_of_zero_is_infonce_to_the_bit(seed: int, remove: bool) -> None:
    margin = made_batch("margin", {"remove_hits": remove, "shift": np.float32(0)}, seed)
    infonce = margin._replace(name="infonce", loss=LOSSES["infonce"](remove, False))
    assert naive_value("margin", *margin.twin()) == naive_value("infonce", *infonce.twin())
    np.testing.assert_array_equal(
        naive_residual("margin", *margin.twin(), LR), naive_residual("infonce", *infonce.twin(), LR)
    )
    (value_a, residual_a), (value_b, residual_b) = margin.run(LR), infonce.run(LR)
    assert value_a == value_b
    np.testing.assert_array_equal(residual_a, residual_b)


def test_training_with_margin_zero_is_infonce_with_cosines() -> None:
    common: dict[str, Any] = {"dim": 8, "epochs": 1, "threads": 1, "share_noise": 1}
    margin = made_trainer(natural_sentences(30, 20), loss="margin", margin=0.0, scale=4.0, **common)
    infonce = made_trainer(natural_sentences(30, 20), loss="infonce", similarity="cosine", temperature=0.25, **common)
    for trainer in (margin, infonce):
        trainer.run()
    assert margin.losses == infonce.losses
    np.testing.assert_array_equal(margin.matrices.inputs, infonce.matrices.inputs)
    np.testing.assert_array_equal(margin.matrices.outputs, infonce.matrices.outputs)
