"""The trainer: every token once an epoch, the learning rate, repeatability, the loss, failures."""

import itertools
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from corpora import made_stream, made_trainer, natural_sentences

from w2v.config import TrainConfig
from w2v.errors import CorpusError, W2VError
from w2v.events import EpochDone, Event, Training
from w2v.kernel.registry import LOSSES
from w2v.matrices import allocate, initial_matrices
from w2v.trainer import Trainer, block_tokens

SENTENCES = natural_sentences(300, 80)
SMALL = {"dim": 16, "epochs": 1, "sample": 0.0, "threads": 1}


def n_pairs(lengths: list[int], radius: int, sides: int = 2) -> int:
    """Positive pairs of a fixed window, both or one of the sides."""
    return sum(sides * (length - distance) for length in lengths for distance in range(1, min(radius, length - 1) + 1))


LENGTHS = [len(sentence) for sentence in SENTENCES]


BACKWARD = {"direction": "context-from-centre"}
FORMS: dict[str, dict[str, Any]] = {loss: {"loss": loss} for loss in LOSSES} | {
    "cbow": {"architecture": "cbow"},
    "backward": BACKWARD,
    "multi-positive": {"loss": "infonce", "multi_positive": True, **BACKWARD},
}
every_form = pytest.mark.parametrize("form", FORMS)


@pytest.mark.parametrize(
    ("form", "threads"),
    [*[("sgns", threads) for threads in (1, 2, 32)], *[(form, 8) for form in FORMS]],
)
def test_every_token_once_an_epoch(form: str, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    options = {**SMALL, "threads": threads, "epochs": 2, "fixed_window": True, **FORMS[form]}
    trainer = made_trainer(SENTENCES, **options)
    handed: list[Any] = []
    train_block = Trainer._train_block

    def record(self: Trainer, ids: Any, rates: tuple[float, float], worker: int) -> None:
        handed.append(ids.copy())
        train_block(self, ids, rates, worker)

    monkeypatch.setattr(Trainer, "_train_block", record)
    trainer.run()
    words = np.concatenate(handed)
    expected = np.bincount(np.concatenate(SENTENCES))
    np.testing.assert_array_equal(np.bincount(words[words >= 0]), 2 * expected)
    assert (words < 0).sum() == 2 * len(SENTENCES)
    # With cbow a pair is a word and the mean of its context, which it has in a line of two words or more.
    pairs = sum(n for n in LENGTHS if n > 1) if form == "cbow" else n_pairs(LENGTHS, 5)
    assert trainer.n_pairs == 2 * pairs


def run_form(sentences: list[Any], form: str, **options: Any) -> Trainer:
    """Train; all that comes out is finite."""
    trainer = made_trainer(sentences, **{**SMALL, **FORMS[form], **options})
    trainer.run()
    assert np.isfinite(trainer.losses).all()
    assert all(np.isfinite(matrix).all() for matrix in trainer.matrices)
    return trainer


@every_form
def test_tiny_corpora(form: str) -> None:
    for sentence in ([0, 1], [0, 0, 1], [1, 0, 2] * 10, [0] * 50 + [1]):  # fewer words than noise, or than a batch
        trainer = run_form([np.array(sentence)], form, epochs=3, fixed_window=True)
        expected = len(sentence) if form == "cbow" else n_pairs([len(sentence)], 5)
        assert trainer.n_pairs == 3 * expected
    lines = [np.array([i % 2, 1 - i % 2]) for i in range(200)]
    trainer = run_form(lines, form, epochs=3)  # a vocabulary of two
    assert trainer.n_pairs == 3 * 400


LINE = np.random.default_rng(1).integers(0, 500, 10_000)


@every_form
def test_a_line_of_ten_thousand_words_is_one_window(form: str) -> None:
    # Subsampling leaves some 700 of them; what holds a line must hold all of them.
    trainer = run_form([LINE], form, window="line", sample=1e-5)
    share = np.bincount(LINE) / 10_000
    kept = 10_000 * (share * (np.sqrt(1e-5 / share) + 1e-5 / share)).sum()
    expected = kept if form == "cbow" else kept * (kept - 1)
    assert trainer.n_pairs == pytest.approx(expected, rel=0.15)


@pytest.mark.parametrize("form", ["sgns", "in-batch"])
def test_a_line_of_ten_thousand_words_that_are_all_kept(form: str) -> None:
    trainer = run_form([LINE], form, window=60, fixed_window=True)
    assert trainer.n_pairs == n_pairs([10_000], 60)


@pytest.mark.parametrize("form", ["sgns", "in-batch", "hs", "margin"])
@pytest.mark.parametrize("dim", [1, 300])
def test_any_dimension(form: str, dim: int) -> None:
    trainer = run_form(SENTENCES, form, dim=dim, epochs=3)
    assert trainer.matrices.inputs.shape[1] >= dim
    assert not trainer.matrices.inputs[:, dim:].any()
    if dim > 1:
        assert trainer.losses[-1] < trainer.losses[0]


@pytest.mark.parametrize(
    ("options", "pairs"),
    [
        ({"window": "line"}, sum(n * (n - 1) for n in LENGTHS)),
        ({"window": "line", "window_side": "left"}, sum(n * (n - 1) // 2 for n in LENGTHS)),
        ({"window": 3, "window_side": "right", "fixed_window": True}, n_pairs(LENGTHS, 3, sides=1)),
        ({"window": 10**6, "fixed_window": True}, sum(n * (n - 1) for n in LENGTHS)),
        ({"window": 1}, n_pairs(LENGTHS, 1)),  # a radius of 1..1
    ],
)
@pytest.mark.parametrize("share_noise", [1, 4])
def test_pairs_of_each_kind_of_window(options: dict[str, Any], pairs: int, share_noise: int) -> None:
    trainer = made_trainer(SENTENCES, **SMALL, **options, share_noise=share_noise)
    trainer.run()
    assert trainer.n_pairs == pairs
    assert np.isfinite(trainer.losses).all()


def test_shrinking_windows_have_the_expected_number_of_pairs() -> None:
    trainer = made_trainer(SENTENCES, **{**SMALL, "epochs": 4})
    trainer.run()
    expected = 4 * np.mean([n_pairs(LENGTHS, radius) for radius in range(1, 6)])
    assert trainer.n_pairs == pytest.approx(expected, rel=0.02)


def test_subsampling_keeps_the_expected_number_of_words() -> None:
    # Lines of two words: a pair stays when both words stay, and counts twice.
    random = np.random.default_rng(1)
    lines = list(random.choice(4, (20_000, 2), p=[0.7, 0.2, 0.07, 0.03]))
    trainer = made_trainer(lines, **{**SMALL, "sample": 0.01, "window": 1})
    trainer.run()
    share = np.bincount(np.concatenate(lines)) / 40_000
    keep = np.minimum(1, np.sqrt(0.01 / share) + 0.01 / share)
    assert trainer.n_pairs == pytest.approx(2 * sum(keep[a] * keep[b] for a, b in lines), rel=0.05)


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_learning_rate_falls_linearly_to_its_end(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = made_trainer(SENTENCES, **{**SMALL, "threads": threads, "epochs": 3, "lr": 0.05, "min_lr": 0.001})
    seen: list[tuple[float, float, int]] = []
    lock = threading.Lock()
    next_block = Trainer._next_block

    def record(self: Trainer) -> Any:
        with lock:
            block = next_block(self)
            if block is not None:
                seen.append((*block[2], block[1]))
            return block

    monkeypatch.setattr(Trainer, "_next_block", record)
    trainer.run()
    ends = np.cumsum([n_tokens for _, _, n_tokens in seen])
    total = 3 * sum(LENGTHS)
    assert ends[-1] == total
    np.testing.assert_allclose([end for _, end, _ in seen], 0.05 - 0.049 * ends / total)
    np.testing.assert_allclose([begin for begin, _, _ in seen[1:]], [end for _, end, _ in seen[:-1]])
    assert seen[0][0] == 0.05
    assert seen[-1][1] == pytest.approx(0.001)


PROGRAM = """
import sys
sys.path.insert(0, {tests!r})
from corpora import made_trainer, natural_sentences
trainer = made_trainer(natural_sentences(300, 80), dim=16, epochs=2, threads=1, seed={seed})
trainer.run()
import hashlib
print(hashlib.sha256(trainer.matrices.inputs.tobytes() + trainer.matrices.outputs.tobytes()).hexdigest())
"""


def digest_of_run(seed: int, hash_seed: str) -> str:
    program = PROGRAM.format(tests=str(Path(__file__).parent), seed=seed)
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    return subprocess.run(
        [sys.executable, "-c", program], env=environment, check=True, capture_output=True, text=True
    ).stdout


def test_one_thread_and_a_seed_repeat_to_the_byte() -> None:
    first = digest_of_run(7, "1")
    assert first == digest_of_run(7, "2")
    assert first != digest_of_run(8, "1")


def test_initial_vectors() -> None:
    matrices = initial_matrices(50_000, TrainConfig(dim=20, seed=3))
    assert np.abs(matrices.inputs).max() <= 1 / 20
    assert matrices.inputs[:, :20].std() == pytest.approx(2 / 20 / 12**0.5, rel=0.01)
    assert abs(matrices.inputs[:, :20].mean()) < 1e-4
    assert not matrices.inputs[:, 20:].any()
    assert not matrices.outputs.any()
    assert len(np.unique(matrices.inputs[:, 0])) > 45_000  # no block of rows repeats another
    assert (initial_matrices(50, TrainConfig(dim=20, seed=4)).inputs != matrices.inputs[:50]).any()
    assert allocate(3, 16).ctypes.data % 64 == 0


@pytest.fixture(scope="module")
def lee() -> list[Any]:
    """gensim's 300 news articles, as ids."""
    datapath = pytest.importorskip("gensim.test.utils").datapath
    lines = Path(datapath("lee_background.cor")).read_text(encoding="utf-8").lower().splitlines()
    words = [line.split() for line in lines]
    spelled, counts = np.unique(np.concatenate(words), return_counts=True)
    ids = {word: i for i, word in enumerate(spelled[counts >= 5])}
    return [np.array([ids[word] for word in line if word in ids]) for line in words]


SLOW: dict[str, Any] = {"dim": 32, "epochs": 5, "lr": 0.025, "sample": 1e-3}


def losses_of(sentences: list[Any], **options: Any) -> list[float]:
    trainer = made_trainer(sentences, **{**SLOW, **options})
    trainer.run()
    return trainer.losses


def test_loss_falls_and_compares_over_thread_counts(lee: list[Any]) -> None:
    losses = {threads: losses_of(lee, threads=threads) for threads in (1, 2, 8)}
    for of_epochs in losses.values():
        assert len(of_epochs) == 5
        assert all(after < before for before, after in itertools.pairwise(of_epochs))
        np.testing.assert_allclose(of_epochs, losses[1], rtol=0.03)
    # Before anything is learnt all scores are 0: one positive and 5 noise words cost log 2 each.
    assert 0.5 * 6 * np.log(2) < losses[1][0] < 6 * np.log(2)


def test_loss_measured_on_a_sample_is_that_of_all(lee: list[Any]) -> None:
    losses = {}
    for mask in (0, 7):
        trainer = made_trainer(lee, **SLOW, threads=1)
        trainer._mask = np.uint64(mask)
        trainer.run()
        losses[mask] = trainer.losses
        measured = sum(int(tally.measured_pairs[0]) for tally in trainer._tallies)
        assert measured / trainer.n_pairs == pytest.approx(1 / (mask + 1), rel=0.02)
    np.testing.assert_allclose(losses[7], losses[0], rtol=0.01)  # about 3 standard errors


def test_a_large_corpus_is_measured_on_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("w2v.trainer.MEASURE_ALL_TOKENS", 10)
    trainer = made_trainer(SENTENCES, **SMALL)
    trainer.run()
    assert 0 < sum(int(tally.measured_pairs[0]) for tally in trainer._tallies) < trainer.n_pairs / 20


def test_share_noise_leaves_the_loss_alone(lee: list[Any]) -> None:
    losses = [losses_of(lee, threads=1, epochs=2, share_noise=group)[-1] for group in (1, 4)]
    np.testing.assert_allclose(losses, losses[0], rtol=0.03)


@pytest.mark.parametrize("group", [1, 2, 4])
def test_long_lines_taken_whole_do_not_diverge(group: int) -> None:
    sentences = natural_sentences(60, 300, longest=400)
    lr = 0.05 if group == 1 else 0.025  # the default, which does not share noise in whole lines
    losses = losses_of(sentences, window="line", sample=0.0, threads=1, epochs=2, share_noise=group, lr=lr)
    assert max(losses) < 6 * np.log(2)


@pytest.mark.parametrize("threads", [1, 4])
def test_a_failure_in_a_worker_ends_the_run(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    n_threads = threading.active_count()
    trainer = made_trainer(SENTENCES, **{**SMALL, "threads": threads, "epochs": 50})
    reads = iter(range(10**9))
    block = type(trainer.stream).block

    def fail(self: Any, number: int) -> Any:
        if next(reads) == 20:
            raise CorpusError("the disk is gone")
        return block(self, number)

    monkeypatch.setattr(type(trainer.stream), "block", fail)
    with pytest.raises(CorpusError, match="the disk is gone"):
        trainer.run()
    assert threading.active_count() <= n_threads
    assert next(reads) < 30


@pytest.mark.parametrize("threads", [1, 4])
def test_a_failing_listener_stops_the_workers(threads: int) -> None:
    def stop(event: Event) -> None:
        if isinstance(event, Training):
            raise KeyboardInterrupt

    trainer = made_trainer(SENTENCES, stop, **{**SMALL, "threads": threads, "epochs": 5})
    with pytest.raises(KeyboardInterrupt):
        trainer.run()
    assert threading.active_count() == 1


@pytest.mark.parametrize("threads", [1, 2])
def test_divergence_is_an_error_with_a_remedy(threads: int) -> None:
    with pytest.raises(W2VError, match=r"--lr 50 is too high; try 0.025"):
        losses_of(SENTENCES, lr=50.0, threads=threads, epochs=20)


def test_divergence_that_no_measured_window_saw(monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = made_trainer(SENTENCES, **SMALL)
    trainer.matrices.outputs[5, 3] = np.inf
    trainer._mask = np.uint64(2**64 - 1)
    with pytest.raises(W2VError, match="too high"):
        trainer.run()


@pytest.mark.parametrize(("name", "what"), [("bias", "an output bias"), ("log_scale", "the temperature")])
def test_learned_parameters_that_are_not_finite_are_an_error(
    name: str, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer = made_trainer(SENTENCES, **SMALL, loss="infonce", bias=True, learn_temperature=True)
    monkeypatch.setattr(trainer, "_run_epoch", lambda *_: trainer._tallies[0].pairs.fill(1))
    getattr(trainer.parameters, name)[-1] = np.nan
    with pytest.raises(W2VError, match=f"{what} is not finite: --lr .* is too high"):
        trainer.run()


def test_lines_of_one_word_are_nothing_to_train_on() -> None:
    trainer = made_trainer([np.array([i % 5]) for i in range(100)], **SMALL)
    with pytest.raises(CorpusError, match="not one pair of words"):
        trainer.run()


def test_lines_of_one_word_among_others_do_no_harm() -> None:
    sentences = [np.array([0]), *SENTENCES, np.array([1]), np.array([2])]
    trainer = made_trainer(sentences, **SMALL, fixed_window=True)
    trainer.run()
    assert trainer.n_pairs == n_pairs(LENGTHS, 5)


def test_a_word_of_the_vocabulary_that_does_not_occur() -> None:
    trainer = made_trainer([*SENTENCES, np.array([95])], **SMALL)  # words 80..94 have no count
    trainer.run()
    assert np.isfinite(trainer.losses).all()


def test_events() -> None:
    events: list[Event] = []
    trainer = made_trainer(SENTENCES, events.append, **{**SMALL, "epochs": 3})
    trainer.run()
    epochs = [event for event in events if isinstance(event, EpochDone)]
    assert [event.epoch for event in epochs] == [1, 2, 3]
    assert [event.loss for event in epochs] == trainer.losses
    assert sum(event.pairs for event in epochs) == trainer.n_pairs
    assert {event.tokens for event in epochs} == {sum(LENGTHS)}
    progress = [event for event in events if isinstance(event, Training)]
    assert {event.epoch for event in progress} == {1, 2, 3}
    assert progress[-1].tokens_done == progress[-1].tokens_total == 3 * sum(LENGTHS)
    assert progress[-1].lr == pytest.approx(0.0001)
    assert progress[-1].eta_seconds == 0


def test_blocks_are_small_enough_for_all_threads() -> None:
    assert block_tokens(10, 1) == 64
    assert block_tokens(10**9, 2) == 1 << 16
    for threads in (1, 2, 32):
        n_tokens = 10**5
        blocks = n_tokens / block_tokens(n_tokens, threads)
        assert blocks >= 16 * threads
    stream = made_stream(SENTENCES, 80, 64)
    assert stream.n_blocks > 20


@pytest.mark.parametrize("similarity", ["dot", "cosine"])
def test_a_bias_leaves_the_learned_temperature_alone(similarity: str) -> None:
    """The noise of the biases' steps once pushed the temperature to its limit, where scores say nothing."""
    losses, temperatures = [], []
    for bias in (False, True):
        trainer = made_trainer(SENTENCES, dim=16, epochs=20, threads=1, loss="infonce", similarity=similarity,
                               learn_temperature=True, bias=bias, sample=0.0)  # fmt: skip
        trainer.run()
        losses.append(trainer.losses[-1])
        temperatures.append(trainer.parameters.temperature)
    assert losses[1] < losses[0] + 0.02 < np.log(6) - 0.1
    assert max(temperatures) < 10  # the limit is 100
