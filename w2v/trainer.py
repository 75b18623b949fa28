"""From ids on disk to a model: matrices, threads, learning rate, epochs."""

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from w2v.config import TrainConfig
from w2v.errors import CorpusError, W2VError
from w2v.events import EpochDone, Listener, Training, compilation
from w2v.kernel.rng import seed_states
from w2v.kernel.sweep import Tally, make_sweep
from w2v.kernel.windows import Window
from w2v.matrices import initial_matrices
from w2v.plan import Planner
from w2v.stream import IdStream
from w2v.vocab import Vocabulary

EVENT_SECONDS = 0.2
# The loss is measured on all groups of a small corpus, on a random 1 in 64 of a large one.
MEASURE_ALL_TOKENS = 1_000_000
SPARSE_MEASURE_MASK = 63
LARGEST_BLOCK = 1 << 16
BLOCKS_PER_THREAD = 16


def block_tokens(n_tokens: int, threads: int) -> int:
    """Size of the pieces threads pull: small enough that all threads end an epoch together."""
    return int(min(LARGEST_BLOCK, max(64, n_tokens // (threads * BLOCKS_PER_THREAD))))


def _start(worker: threading.Thread, n_workers: int) -> None:
    try:
        worker.start()
    except RuntimeError as error:
        raise W2VError(f"--threads {n_workers}: the system starts no more threads; lower --threads") from error


@dataclass
class Progress:
    """Where the training stands; shared by the workers under the trainer's lock."""

    epoch: int = 0
    next_block: int = 0
    tokens_dispatched: int = 0
    tokens_done: int = 0
    failure: BaseException | None = None


@dataclass
class Trainer:
    """Trains one model on one stream.

    Parameters
    ----------
    stream : IdStream, after its `recode`
    vocabulary : Vocabulary
    config : TrainConfig
    listener : called with events, from the thread that calls `run`
    """

    stream: IdStream
    vocabulary: Vocabulary
    config: TrainConfig
    listener: Listener
    losses: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        config, counts = self.config, self.vocabulary.counts
        self.matrices = initial_matrices(len(counts), config)
        self.n_tokens = self.stream.n_tokens
        self._total = self.n_tokens * config.epochs
        planner = Planner(config, counts, self.stream.longest, self.stream.longest_block)
        self.parameters = planner.parameters
        self._sizes = planner.sizes
        self._plans = [planner.plan(worker) for worker in range(config.threads)]
        self._window = Window(
            min(config.window_radius, self.stream.longest),
            not (config.fixed_window or config.window == "line"),
            int(config.window_side != "right"),
            int(config.window_side != "left"),
        )
        self._mask = np.uint64(0 if self.n_tokens <= MEASURE_ALL_TOKENS else SPARSE_MEASURE_MASK)
        self._states = seed_states(config.seed, config.threads)
        self._stop = np.zeros(1, np.int64)
        self._tallies = [
            Tally(np.zeros(1), np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros(1, np.int64), self._stop)
            for _ in range(config.threads)
        ]
        self._sweep: Callable[..., None] | None = None
        self._lock = threading.Lock()
        self._progress = Progress()

    @property
    def n_scores(self) -> int:
        """Products of an input and an output computed so far."""
        return sum(int(tally.scores[0]) for tally in self._tallies)

    @property
    def n_pairs(self) -> int:
        """Positive pairs trained so far."""
        return sum(int(tally.pairs[0]) for tally in self._tallies)

    def run(self) -> None:
        """Train all epochs.

        Raises
        ------
        CorpusError
            When there was not one pair of words.
        W2VError
            When the loss or what is learned is no longer a finite number.
        Exception
            Whatever a worker raised.
        """
        if self._sweep is None:
            self.compile()
        begun = time.perf_counter()
        for epoch in range(1, self.config.epochs + 1):
            before, pairs_before, started = self._measured(), self.n_pairs, time.perf_counter()
            self._progress.epoch, self._progress.next_block = epoch, 0
            self._run_epoch(begun, before)
            loss = self._mean_loss(before)
            self.losses.append(loss)
            seconds = time.perf_counter() - started
            self.listener(EpochDone(epoch, self.n_tokens, self.n_pairs - pairs_before, loss, seconds))
        self._check_result()

    def _check_result(self) -> None:
        if not self.n_pairs:
            raise CorpusError(
                "not one pair of words to train on: lines hold one word of the vocabulary, or --sample "
                f"{self.config.sample:g} dropped the others; a line must be a sentence, and --sample 0 keeps all words"
            )
        learned: dict[str, Iterable[NDArray[Any]]] = {
            "a vector": self.matrices,
            "an output bias": [self.parameters.bias],
            "the temperature": [self.parameters.log_scale],
        }
        for name, arrays in learned.items():
            # Sums are not finite when any number is not, and need no array of their own.
            if not all(np.isfinite(array.sum(dtype=np.float64)) for array in arrays):
                raise self._diverged(f"{name} is not finite")

    def _diverged(self, what: str) -> W2VError:
        return W2VError(
            f"{what}: --lr {self.config.initial_lr:g} is too high; try {min(self.config.initial_lr / 10, 0.025):g}"
        )

    def compile(self) -> None:
        """Have the machine code made, or fetched from its cache, before the training is timed."""
        self._sweep = make_sweep(self._sizes)
        with compilation(self.listener):
            self._train_block(np.zeros(0, np.int32), (0.0, 0.0), 0)

    def _train_block(self, ids: NDArray[np.int32], rates: tuple[float, float], worker: int) -> None:
        assert self._sweep is not None, "compile comes first"
        plan, work = self._plans[worker]
        self._sweep(ids, self.matrices, plan, work, self._window, np.array(rates), self._mask, self._states[worker],
                    self._tallies[worker])  # fmt: skip

    def _run_epoch(self, begun: float, before: tuple[float, int]) -> None:
        workers = [threading.Thread(target=self._work, args=(i,), daemon=True) for i in range(self.config.threads)]
        started: list[threading.Thread] = []
        try:
            for worker in workers:
                _start(worker, len(workers))
                started.append(worker)
            for worker in workers:
                while worker.is_alive():
                    worker.join(EVENT_SECONDS)
                    if worker.is_alive():
                        self._report(begun, before)
        except BaseException:
            self._stop[0] = 1
            for worker in started:
                worker.join()
            raise
        if self._progress.failure is not None:
            raise self._progress.failure
        self._report(begun, before)

    def _work(self, worker: int) -> None:
        try:
            while (block := self._next_block()) is not None:
                ids, n_tokens, rates = block
                self._train_block(ids, rates, worker)
                with self._lock:
                    self._progress.tokens_done += n_tokens
        except BaseException as error:  # noqa: BLE001 - handed to the thread that waits, which raises it
            self._progress.failure = error
            self._stop[0] = 1

    def _next_block(self) -> tuple[NDArray[np.int32], int, tuple[float, float]] | None:
        """The next block, its tokens, and the learning rates at its begin and end."""
        with self._lock:
            progress = self._progress
            if self._stop[0] or progress.next_block == self.stream.n_blocks:
                return None
            ids, n_tokens = self.stream.block(progress.next_block)
            progress.next_block += 1
            begin = progress.tokens_dispatched
            progress.tokens_dispatched += n_tokens
        return ids, n_tokens, (self._rate(begin), self._rate(begin + n_tokens))

    def _rate(self, tokens: int) -> float:
        share = tokens / self._total
        first, last = self.config.initial_lr, self.config.min_lr
        return first + (last - first) * share

    def _measured(self) -> tuple[float, int]:
        return (
            sum(float(tally.loss[0]) for tally in self._tallies),
            sum(int(tally.measured_pairs[0]) for tally in self._tallies),
        )

    def _mean_loss(self, before: tuple[float, int]) -> float:
        total, pairs = self._measured()
        loss = (total - before[0]) / (pairs - before[1]) if pairs > before[1] else float("nan")
        if pairs > before[1] and not np.isfinite(loss):
            raise self._diverged(f"the loss became {loss}")
        return loss

    def _report(self, begun: float, before: tuple[float, int]) -> None:
        done, seconds = self._progress.tokens_done, time.perf_counter() - begun
        speed = done / seconds
        eta = (self._total - done) / speed if speed else float("inf")
        loss = self._mean_loss(before)
        self.listener(
            Training(
                self._progress.epoch,
                self.config.epochs,
                done,
                self._total,
                speed,
                self._rate(done),
                loss,
                eta,
            )
        )
