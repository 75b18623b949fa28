"""The objectives in float64, slow and plain, from their formulas: what the kernel is compared with.

Tables are (rows, columns).  Every objective is a sum of a few kinds of terms, for which value and derivative are known:

    Softmax    factor * sum_c w_c (log sum_d e^{z_d} - z_c)
    Logistic   weight * -log sigmoid(z), or of -z when the label is 0
    Ranking    weight * -log sigmoid(s_j - s_k)
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Table = NDArray[np.float64]
Cell = tuple[int, int]


class Batch(NamedTuple):
    """A batch as the layouts hand it over, before `prepare`: noise weights are not yet reduced by hits."""

    scores: Any
    weights: Any
    labels: Any
    n_positive: int
    output_ids: Any
    input_ids: Any
    log_expected: Any
    options: dict[str, Any]

    @property
    def n_out(self) -> int:
        return int(self.scores.shape[1])

    @property
    def corrected(self) -> Table:
        table: Table = self.scores - np.asarray(self.log_expected, float)[None, :]
        return table


class Softmax(NamedTuple):
    cells: list[Cell]
    z: Any
    w: Any
    factor: float = 1.0

    def value(self) -> float:
        top = self.z.max()
        return float(self.factor * (self.w * (top + np.log(np.exp(self.z - top).sum()) - self.z)).sum())

    def derivative(self, table: Table) -> None:
        powers = np.exp(self.z - self.z.max())
        for cell, share, w in zip(self.cells, powers / powers.sum(), self.w, strict=True):
            table[cell] += self.factor * (self.w.sum() * share - w)


class Logistic(NamedTuple):
    cell: Cell
    z: float
    label: float
    weight: float = 1.0

    def value(self) -> float:
        return float(self.weight * np.logaddexp(0, -self.z if self.label else self.z))

    def derivative(self, table: Table) -> None:
        table[self.cell] += self.weight * (sigmoid(self.z) - self.label)


class Ranking(NamedTuple):
    better: Cell
    worse: Cell
    difference: float

    def value(self) -> float:
        return float(np.logaddexp(0, -self.difference))

    def derivative(self, table: Table) -> None:
        table[self.better] -= sigmoid(-self.difference)
        table[self.worse] += sigmoid(-self.difference)


def sigmoid(x: float) -> float:
    return float(np.exp(-np.logaddexp(0, -x)))


def _pairs(batch: Batch) -> list[tuple[int, int, list[int]]]:
    """Row, positive column, and the noise columns that serve this pair."""
    found = []
    for i, j in np.ndindex(len(batch.scores), batch.n_positive):
        if batch.weights[i, j] > 0:
            hits = batch.options.get("remove_hits", False)
            noise = [k for k in range(batch.n_positive, batch.n_out)
                     if not (hits and batch.output_ids[k] == batch.output_ids[j])]  # fmt: skip
            found.append((i, j, noise))
    return found


def _logistic(batch: Batch, z: Table) -> list[Any]:
    terms: list[Any] = []
    for i, j, noise in _pairs(batch):
        terms.append(Logistic((i, j), z[i, j], 1))
        terms += [Logistic((i, k), z[i, k], 0) for k in noise]
    return terms


def _against_noise(batch: Batch, z: Table) -> list[Any]:
    """Each positive against the noise."""
    terms: list[Any] = []
    for i, j, noise in _pairs(batch):
        columns = [j, *noise]
        terms.append(Softmax([(i, k) for k in columns], z[i, columns], np.eye(len(columns))[0]))
    return terms


def _at_once(batch: Batch, z: Table) -> list[Any]:
    """All positives of a row at once, the label spread over them; noise that equals any is dropped on request."""
    positives = set(batch.output_ids[: batch.n_positive])
    columns = [k for k in range(batch.n_out) if k < batch.n_positive or not batch.options["remove_hits"]
               or batch.output_ids[k] not in positives]  # fmt: skip
    label = np.array([1 / batch.n_positive if k < batch.n_positive else 0 for k in columns])
    return [Softmax([(i, k) for k in columns], z[i, columns], label) for i in range(len(z))]


def _sampled(batch: Batch, z: Table) -> list[Any]:
    return _at_once(batch, z) if batch.options["at_once"] else _against_noise(batch, z)


def _margin(batch: Batch) -> list[Any]:
    z = batch.scores.copy()
    z[:, : batch.n_positive] -= float(batch.options["shift"])
    return _against_noise(batch, z)


def _ranking(batch: Batch) -> list[Any]:
    s = batch.scores
    return [Ranking((i, j), (i, k), s[i, j] - s[i, k]) for i, j, noise in _pairs(batch) for k in noise]


def _in_batch(batch: Batch) -> list[Any]:
    n, hits, both = batch.n_positive, batch.options["remove_hits"], batch.options["symmetric"]
    factor = 0.5 if both else 1.0
    terms: list[Any] = []
    for i in range(n):
        columns = [i, *(k for k in range(batch.n_out) if k != i)]
        if hits:
            columns = [i, *(k for k in columns[1:] if batch.output_ids[k] != batch.output_ids[i])]
        z = batch.corrected[i, columns]
        z[0] = batch.scores[i, i] if hits else z[0]
        terms.append(Softmax([(i, k) for k in columns], z, np.eye(len(columns))[0], factor))
    for j in range(n if both else 0):
        rows = [j, *(i for i in range(n) if i != j)]
        if hits:
            rows = [j, *(i for i in rows[1:] if batch.input_ids[i] != batch.input_ids[j])]
        z = batch.scores[rows, j] - np.asarray(batch.options["log_expected_inputs"], float)[batch.input_ids[rows]]
        z[0] = batch.scores[j, j] if hits else z[0]
        terms.append(Softmax([(i, j) for i in rows], z, np.eye(len(rows))[0], factor))
    return terms


def _exact(batch: Batch) -> list[Any]:
    columns = range(batch.n_out)
    return [Softmax([(i, k) for k in columns], batch.scores[i], np.asarray(batch.weights[i], float))
            for i in range(len(batch.scores))]  # fmt: skip


def _tree(batch: Batch) -> list[Any]:
    return [Logistic((i, k), batch.scores[i, k], batch.labels[i, k], batch.weights[i, k])
            for i, k in np.ndindex(batch.scores.shape)]  # fmt: skip


TERMS = {
    "sgns": lambda batch: [term for term in _logistic(batch, batch.scores) if abs(term.z) < batch.options["limit"]],
    "nce": lambda batch: _logistic(batch, batch.corrected),
    "sampled-softmax": lambda batch: _sampled(batch, batch.corrected),
    "infonce": lambda batch: _sampled(batch, batch.scores),
    "bpr": _ranking,
    "margin": _margin,
    "in-batch": _in_batch,
    "softmax": _exact,
    "hs": _tree,
}


def _terms(name: str, scores: Any, *others: Any) -> list[Any]:
    return TERMS[name](Batch(np.array(scores, float), *others))


def naive_value(  # noqa: PLR0917
    name: str, scores: Any, weights: Any, labels: Any, n_positive: int, output_ids: Any, input_ids: Any,
    log_expected: Any, options: dict[str, Any],
) -> float:  # fmt: skip
    """The loss summed over positive pairs; a row of several positives at once counts once for each of them."""
    terms = _terms(name, scores, weights, labels, n_positive, output_ids, input_ids, log_expected, options)
    times = n_positive if options.get("at_once") else 1
    return float(times * sum(term.value() for term in terms))


def naive_residual(  # noqa: PLR0917
    name: str, scores: Any, weights: Any, labels: Any, n_positive: int, output_ids: Any, input_ids: Any,
    log_expected: Any, options: dict[str, Any], lr: float,
) -> Table:  # fmt: skip
    """-lr * d loss / d score; of several positives at once the loss is their mean, not their sum."""
    table = np.zeros(np.shape(scores))
    for term in _terms(name, scores, weights, labels, n_positive, output_ids, input_ids, log_expected, options):
        term.derivative(table)
    return -lr * table
