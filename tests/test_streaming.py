"""Shares of words estimated on the stream: against a twin, on streams that change, with collisions, end to end."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from corpora import made_trainer

from w2v.cli.main import cli
from w2v.kernel.jit import jit
from w2v.kernel.sampling import expect
from w2v.kernel.streaming import StreamingCounts, make_streaming_counts
from w2v.vectors import Vectors


def estimator(
    n_words: int, bits: int, n_hashes: int, *, rate: float = 0.01, batch: int = 1, seed: int = 5
) -> StreamingCounts:
    """One without noise and with so many slots; its expected counts are `batch` times the shares."""
    shape = (n_hashes, 1 << bits)
    multipliers = np.random.default_rng(seed).integers(0, 2**63, n_hashes, np.uint64) * np.uint64(2) + np.uint64(1)
    return StreamingCounts(np.zeros(shape, np.int64), np.zeros(shape, np.int64), np.zeros(shape), np.zeros(1, np.int64),
                           multipliers, np.uint64(64 - bits), rate, batch, np.zeros(n_words))  # fmt: skip


@jit()
def call_expect(correction, words, n_seen, log_expected):
    for begin in range(0, max(words.size, 1), 32):  # in batches, as the sweep does
        part = words[begin : begin + 32]
        expect(correction, part, part.size, min(n_seen, part.size), 0, log_expected[begin : begin + 32])


def see(correction: StreamingCounts, words: Any) -> Any:
    """Let the words go by; log expected counts as they were given for each batch."""
    result = np.zeros(len(words), np.float32)
    call_expect(correction, np.asarray(words, np.int64), len(words), result)
    return result


def shares(correction: StreamingCounts, n_words: int) -> Any:
    """What is believed of each word, with nothing new seen."""
    result = np.zeros(n_words, np.float32)
    call_expect(correction, np.arange(n_words), 0, result)
    return np.exp(result.astype(float)) / correction.batch


def zipf(n_words: int, power: float = 1.0) -> Any:
    weights = 1 / np.arange(1, n_words + 1) ** power
    return weights / weights.sum()


class Twin:
    """Per slot, the times of all appearances; the mean gap is worked out from them anew."""

    def __init__(self, correction: StreamingCounts) -> None:
        self.multipliers = [int(m) for m in correction.multipliers]
        self.bits, self.rate = 64 - int(correction.shift), correction.rate
        self.times: list[dict[int, list[int]]] = [{} for _ in self.multipliers]
        self.time = 0

    def slots(self, word: int) -> list[int]:
        return [((word + 1) * m % 2**64) // 2 ** (64 - self.bits) for m in self.multipliers]

    def see(self, word: int) -> None:
        self.time += 1
        for table, slot in zip(self.times, self.slots(word), strict=True):
            table.setdefault(slot, []).append(self.time)

    def share(self, word: int) -> float:
        gaps = []
        for table, slot in zip(self.times, self.slots(word), strict=True):
            mean = self.time + 1.0
            for i, gap in enumerate(np.diff([0, *table.get(slot, [])])):
                weight = max(self.rate, 1 / (i + 1))
                mean = (1 - weight) * mean + weight * gap
            gaps.append(max(1.0, mean))
        return 1 / max(gaps)


@pytest.mark.parametrize("rate", [0.01, 0.2])
@pytest.mark.parametrize(("n_hashes", "bits"), [(1, 3), (3, 3), (2, 8)])
def test_the_estimator_is_its_twin(rate: float, n_hashes: int, bits: int) -> None:
    n_words = 20
    correction, random = estimator(n_words, bits, n_hashes, rate=rate, batch=32), np.random.default_rng(3)
    correction.noise_counts[:] = random.random(n_words)
    twin = Twin(correction)
    for _ in range(12):
        words = random.choice(n_words - 1, 32, p=zipf(n_words - 1))
        result = see(correction, words)
        for word in words:  # all of a batch are seen before any of it is judged
            twin.see(int(word))
        expected = [np.log(32 * twin.share(int(word)) + correction.noise_counts[word]) for word in words]
        np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)
    assert correction.time[0] == twin.time == 12 * 32


def test_noise_words_are_judged_and_not_counted() -> None:
    correction = estimator(10, 8, 2)
    words, result = np.array([3, 4, 5, 6]), np.zeros(4, np.float32)
    call_expect(correction, words, 2, result)
    assert correction.time[0] == 2
    # The second word is 2 words in, so is its gap; what was never seen is rarer than what was.
    np.testing.assert_allclose(np.exp(result), [1, 1 / 2, 1 / 3, 1 / 3], rtol=1e-6)


def test_a_word_at_even_distances_by_hand() -> None:
    correction = estimator(50, 12, 3)
    see(correction, [0, 1, 0, 2] * 25)
    # 0 at times 1, 3, 5, ...: a first gap of 1 and 49 of 2; 1 at 2, 6, ...: 2 and 24 of 4.
    np.testing.assert_allclose(shares(correction, 3)[:2], [50 / 99, 25 / 98], rtol=1e-6)


def test_shares_come_out_on_a_steady_stream() -> None:
    n_words = 200
    correction, q = estimator(n_words, 12, 3), zipf(n_words)
    see(correction, np.random.default_rng(1).choice(n_words, 200_000, p=q))
    errors = np.log(shares(correction, n_words) / q)
    assert abs(errors.mean()) < 0.03
    assert errors.std() < 0.12  # of a mean over some 100 gaps, which scatter as much as they are long


def test_estimates_follow_a_stream_that_changes_half_way() -> None:
    n_words, random = 40, np.random.default_rng(2)
    early, late = zipf(n_words), zipf(n_words)[::-1]
    correction = estimator(n_words, 12, 3)
    see(correction, random.choice(n_words, 60_000, p=early))
    before = np.log(shares(correction, n_words))
    see(correction, random.choice(n_words, 60_000, p=late))
    after = np.log(shares(correction, n_words))
    for estimate, truth in ((before, early), (after, late)):
        assert abs((estimate - np.log(truth)).mean()) < 0.05
        assert (estimate - np.log(truth)).std() < 0.12
    # Counts would say the mean of the two, wrong by a factor of up to 20.
    counts = np.log((early + late) / 2)
    assert np.abs(after - np.log(late)).mean() < np.abs(counts - np.log(late)).mean() / 5


def test_collisions_shorten_gaps_and_the_largest_of_several_hashes_helps() -> None:
    """As many slots as words.  How bad it is hangs on the multipliers, so several are tried."""
    n_words, bits, n_seeds = 256, 8, 8
    q = zipf(n_words)
    stream = np.random.default_rng(4).choice(n_words, 100_000, p=q)
    errors = np.zeros((3, n_seeds, n_words))
    for seed in range(n_seeds):
        for i, n_hashes in enumerate((1, 2, 4)):
            correction = estimator(n_words, bits, n_hashes, seed=seed)
            see(correction, stream)
            errors[i, seed] = np.log(shares(correction, n_words) / q)
    # The first hash functions are the same: one more can only lengthen the largest gap.
    assert (errors[0] >= errors[1] - 1e-6).all()
    assert (errors[1] >= errors[2] - 1e-6).all()
    one, two, four = (errors > np.log(2)).mean(axis=(1, 2))  # words that seem twice as frequent as they are
    assert one > 0.1
    assert two < one / 1.5
    assert four < one / 4
    assert errors[2].mean() < errors[0].mean() / 4


@pytest.mark.parametrize("n_words", [2, 3, 5000, 70_000])
def test_the_estimator_has_a_slot_a_word(n_words: int) -> None:
    correction = make_streaming_counts(n_words, 32, np.zeros(n_words), 1)
    n_hashes, n_slots = correction.gap.shape
    assert n_hashes == len(set(correction.multipliers.tolist())) > 1
    assert n_slots >= n_words
    assert n_slots == 1 << (64 - int(correction.shift))
    assert (correction.multipliers % np.uint64(2) == 1).all()
    others = make_streaming_counts(n_words, 32, np.zeros(n_words), 2).multipliers
    assert set(others.tolist()).isdisjoint(correction.multipliers.tolist())


OPTIONS: dict[str, Any] = {
    "loss": "in-batch", "frequency_estimate": "streaming", "dim": 8, "window": 1, "sample": 0.0, "min_count": 1,
    "batch": 16, "epochs": 1, "threads": 1,
}  # fmt: skip


def two_word_lines(shares: Any, n_lines: int, seed: int) -> Any:
    return np.random.default_rng(seed).choice(len(shares), (n_lines, 2), p=shares)


def test_shares_after_training_are_those_of_the_text() -> None:
    q = zipf(30)
    trainer = made_trainer(list(two_word_lines(q, 20_000, 1)), **OPTIONS)
    trainer.run()
    plan, _ = trainer._plans[0]
    assert plan.correction.time[0] == trainer.n_pairs == 40_000
    errors = np.log(shares(plan.correction, 30) / q)
    assert abs(errors.mean()) < 0.05
    assert errors.std() < 0.13


def test_training_on_text_that_changes_half_way() -> None:
    early, late = zipf(30), zipf(30)[::-1]
    lines = np.concatenate([two_word_lines(early, 15_000, 1), two_word_lines(late, 15_000, 2)])
    trainer = made_trainer(list(lines), **OPTIONS)
    trainer.run()
    plan, _ = trainer._plans[0]
    errors = np.log(shares(plan.correction, 30) / late)
    assert abs(errors.mean()) < 0.05
    assert errors.std() < 0.13
    steady = made_trainer(list(lines), **{**OPTIONS, "frequency_estimate": "counts"})
    plan, _ = steady._plans[0]
    assert np.abs(plan.correction.log_counts - np.log(16 * late)).max() > 1  # what counts would say of the second half


def test_each_worker_has_an_estimator_of_its_own() -> None:
    trainer = made_trainer(list(two_word_lines(zipf(30), 2000, 1)), **{**OPTIONS, "threads": 2})
    one, other = (plan.correction for plan, _ in trainer._plans)
    assert not np.shares_memory(one.gap, other.gap)
    assert set(one.multipliers.tolist()).isdisjoint(other.multipliers.tolist())
    trainer.run()
    assert one.time[0] + other.time[0] == trainer.n_pairs


def test_through_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = two_word_lines(zipf(30), 3000, 1)
    Path("corpus.txt").write_text("".join(f"w{a} w{b}\n" for a, b in lines))
    found = {}
    for estimate in ("streaming", "counts"):
        output = f"{estimate}.bin"
        arguments = ["train", "corpus.txt", "-o", output, "--loss", "in-batch", "--frequency-estimate", estimate,
                     "--dim", "8", "--window", "1", "--sample", "0", "--min-count", "1", "--batch", "16",
                     "--epochs", "2", "--threads", "1"]  # fmt: skip
        result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
        assert result.exit_code == 0, result.output
        sidecar = json.loads(Path(output + ".json").read_text())
        assert sidecar["config"]["frequency_estimate"] == estimate
        assert sidecar["config"]["loss"] == "in-batch"
        found[estimate] = Vectors.load(output)
    streaming, counts = found["streaming"], found["counts"]
    assert streaming.words == counts.words
    assert np.isfinite(streaming.matrix).all()
    assert 0 < np.abs(streaming.matrix - counts.matrix).max() < 1
