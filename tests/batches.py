"""Random batches for the losses: as tables for the twin, and as the kernel lays them out."""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from w2v.kernel.jit import jit
from w2v.kernel.losses import LOSSES, prepare, residual, value
from w2v.kernel.pairs import Pairs
from w2v.kernel.registry import LOSSES as ENTRIES
from w2v.kernel.target import LANES, padded, score_stride

N_WORDS = 9
LOG_EXPECTED_INPUTS = np.log(np.random.default_rng(8).dirichlet(np.ones(N_WORDS))).astype(np.float32)
SHIFT = np.float32(1.5)
HITS = ({"remove_hits": False}, {"remove_hits": True})
FIELDS: dict[str, list[dict[str, Any]]] = {
    "sgns": [{**hits, "limit": limit} for hits in HITS for limit in (np.float32(np.inf), np.float32(1.1))],
    "nce": [*HITS],
    "sampled-softmax": [{**hits, "at_once": at_once} for hits in HITS for at_once in (False, True)],
    "infonce": [{**hits, "at_once": at_once} for hits in HITS for at_once in (False, True)],
    "bpr": [*HITS],
    "margin": [{**hits, "shift": SHIFT} for hits in HITS],
    "in-batch": [{**hits, "symmetric": both, "log_expected_inputs": LOG_EXPECTED_INPUTS}
                 for hits in HITS for both in (False, True)],
    "softmax": [{}],
    "hs": [{}],
}  # fmt: skip
VARIANTS = [(name, fields) for name, variants in FIELDS.items() for fields in variants]


def label_of(variant: tuple[str, dict[str, Any]]) -> str:
    """A name for the test's output."""
    name, fields = variant
    shown = [key for key, value in fields.items() if value is True or (key == "limit" and np.isfinite(value))]
    return "-".join([name, *shown])


class Made(NamedTuple):
    """A batch before `prepare`; tables are float64 (rows, columns)."""

    name: str
    loss: Any
    scores: Any
    weights: Any
    labels: Any
    n_positive: int
    output_ids: Any
    input_ids: Any
    log_expected: Any
    is_static: bool

    @property
    def stride(self) -> int:
        n_out = self.scores.shape[1]
        return score_stride(n_out) if self.is_static else padded(n_out)

    @property
    def lanes(self) -> int:
        return min(LANES, self.stride)

    def flat(self, table: Any, dtype: Any = np.float32, filler: float = 0.0) -> Any:
        """A table as the kernel lays it out; `filler` lies between the last column and the next row."""
        n_in, n_out = table.shape
        rows = np.zeros((n_in + 2, self.stride), dtype)
        rows[:n_in] = filler
        rows[:n_in, :n_out] = table
        return np.append(rows.ravel(), np.zeros(LANES, dtype))

    def unflat(self, scores: Any) -> Any:
        """The rows with what lies behind their last columns."""
        n_in = len(self.scores)
        return scores[: n_in * self.stride].reshape(n_in, self.stride)

    def pairs(self, dtype: Any = np.float32) -> Pairs:
        """What the kernel is given; `prepare` may change its weights."""
        n_in, n_out = self.scores.shape
        scratch = np.zeros((n_in + 2) * self.stride + LANES, dtype)
        log_expected = np.zeros(self.stride, np.float32)
        log_expected[:n_out] = self.log_expected
        return Pairs(
            self.flat(self.weights), self.flat(self.labels), self.input_ids.astype(np.int32),
            self.output_ids.astype(np.int64), log_expected, scratch, n_in, self.n_positive,
            n_out, self.stride,
        )  # fmt: skip

    def twin(self) -> tuple[Any, ...]:
        """The arguments of the twin behind the name of the loss."""
        return (self.scores, self.weights, self.labels, self.n_positive, self.output_ids, self.input_ids,
                self.log_expected.astype(np.float32), self.loss._asdict())  # fmt: skip

    def run(self, lr: float) -> tuple[float, Any]:
        """Value of float64 scores, and residual of float32 ones, as the kernel computes them."""
        scores = self.flat(self.scores, filler=3.0)
        make_step(self.lanes)(self.loss, scores, self.pairs(), np.float32(lr))
        return self.value(self.scores), self.unflat(scores)

    def value(self, scores: Any) -> float:
        """The kernel's value of a table of other scores."""
        return float(measure(self.loss, self.flat(scores, np.float64), self.pairs(np.float64)))


@jit()
def measure(loss, scores, pairs):
    prepare(loss, scores, pairs, LANES)
    return value(loss, scores, pairs)


@cache
def make_step(lanes: int) -> Any:
    """From scores to residual, for a number of lanes."""

    @jit()
    def step(loss, scores, pairs, lr):
        prepare(loss, scores, pairs, lanes)
        residual(loss, scores, pairs, lr, lanes)

    return step


def made_batch(name: str, fields: dict[str, Any], seed: int, n_out: int = 7, size: float = 6.0) -> Made:
    """A random batch of the layout that belongs to a loss; scores in -size..size."""
    random = np.random.default_rng(seed)
    layout = ENTRIES[name].layout
    loss, at_once = LOSSES[name](**fields), fields.get("at_once", False)
    n_in, n_positive = int(random.integers(1, 7)), 0
    if layout == "in_batch":
        n_in = n_positive = int(random.integers(2, n_out + 1))
        weights = np.eye(n_in, n_out)
    elif layout == "words":
        weights = np.eye(n_out)[random.integers(n_out, size=n_in)]
    elif layout == "paths":
        weights = np.ones((n_in, n_out))
    elif at_once:
        n_in, n_positive = 1, int(random.integers(1, n_out))
        weights = np.zeros((1, n_out))
        weights[:, :n_positive] = 1 / n_positive
    else:
        alone = fields["remove_hits"] and not ENTRIES[name].weighs_hits
        n_positive = 1 if alone else int(random.integers(1, 5))
        weights = np.zeros((n_in, n_out))
        weights[:, :n_positive] = random.random((n_in, n_positive)) < 0.7
        weights[:, n_positive:] = weights.sum(1, keepdims=True)
    labels = random.integers(2, size=(n_in, n_out)) if layout == "paths" else np.eye(1, n_out)[[0] * n_in]
    if layout == "windows":
        labels = np.tile(np.arange(n_out) < n_positive, (n_in, 1))
    output_ids = np.arange(n_out) if layout == "words" else random.integers(N_WORDS, size=n_out)
    log_counts = random.uniform(-3, 1, max(N_WORDS, n_out))
    return Made(
        name, loss, random.uniform(-size, size, (n_in, n_out)), weights, labels.astype(float), n_positive, output_ids,
        random.integers(N_WORDS, size=n_in), log_counts[output_ids], layout == "windows" and not at_once,
    )  # fmt: skip
