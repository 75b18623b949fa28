"""Slow twins of the compiled kernels: plain Python and NumPy, one step at a time, float64 where it matters.

They follow the same random sequence as the kernels, so whole training runs can be compared row by row.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

WORD_MASK = 2**64 - 1
HALF_MASK = 2**32 - 1


class NaiveRandom:
    """xorshift64* on Python integers."""

    def __init__(self, state: int) -> None:
        self.state = int(state)

    def advance(self) -> int:
        """Go to the next state; its 64 random bits."""
        x = self.state
        x ^= x >> 12
        x = (x ^ (x << 25)) & WORD_MASK
        x ^= x >> 27
        self.state = x
        return self.bits

    @property
    def bits(self) -> int:
        """The random bits of the present state."""
        return (self.state * 0x2545F4914F6CDD1D) & WORD_MASK


def naive_below(bits: int, n: int) -> int:
    """A number in 0..n-1 from the upper 32 bits."""
    return (bits >> 32) * n >> 32


def naive_draw(bits: int, slots: Any) -> int:
    """One word from packed alias slots."""
    own = naive_below(bits, len(slots))
    threshold, alias = divmod(int(slots[own]), 2**32)
    return own if bits & HALF_MASK < threshold else alias


def naive_alias_probabilities(slots: Any) -> Any:
    """What a table of alias slots draws, computed from the slots."""
    n = len(slots)
    probabilities = np.zeros(n)
    for own, slot in enumerate(slots):
        threshold, alias = divmod(int(slot), 2**32)
        probabilities[own] += threshold / 2**32 / n
        probabilities[alias] += (1 - threshold / 2**32) / n
    return probabilities


def naive_subsample(sentence: list[int], keep: Any, random: NaiveRandom) -> list[int]:
    """The words of a sentence that stay."""
    return [word for word in sentence if random.advance() >> 32 <= int(keep[word])]


def naive_windows(first: int, group: int, length: int, window: Any, random: NaiveRandom) -> list[list[int]]:
    """Positions of the context words of each centre of a group; none for a centre behind the sentence."""
    windows = []
    for centre in range(first, first + group):
        bits = random.advance()
        radius = 1 + naive_below(bits, window.radius) if window.shrink else window.radius
        positions = []
        if centre < length:
            for position in range(length):
                distance = position - centre
                if (window.left and -radius <= distance < 0) or (window.right and 0 < distance <= radius):
                    positions.append(position)
        windows.append(positions)
    return windows


def naive_pairs(windows: list[list[int]], n_noise: int) -> tuple[list[int], Any]:
    """Positions that are in any window, in order, and the weight of each (position, output)."""
    positions = sorted(set().union(*windows))
    weights = np.zeros((len(positions), len(windows) + n_noise))
    for row, position in enumerate(positions):
        for column, window in enumerate(windows):
            weights[row, column] = position in window
        weights[row, len(windows) :] = weights[row, : len(windows)].sum()
    return positions, weights


def naive_remove_hits(weights: Any, output_ids: list[int], group: int) -> Any:
    """Weights without what noise equal to a centre would do for that centre's pairs."""
    weights = weights.copy()
    for column in range(group, len(output_ids)):
        for centre in range(group):
            if output_ids[column] == output_ids[centre]:
                weights[:, column] -= weights[:, centre]
    return weights


def naive_dots(inputs: Any, input_ids: Any, outputs: Any, output_ids: Any) -> Any:
    """Scores of every input with every output, float64."""
    return inputs[input_ids].astype(np.float64) @ outputs[output_ids].astype(np.float64).T


def naive_update(inputs: Any, input_ids: Any, outputs: Any, output_ids: Any, residual: Any) -> None:
    """Both matrices from the old values of the other; ids that occur twice get both deltas."""
    input_deltas = residual @ outputs[output_ids]
    output_deltas = residual.T @ inputs[input_ids]
    np.add.at(inputs, input_ids, input_deltas)
    np.add.at(outputs, output_ids, output_deltas)


def naive_sigmoid(x: Any) -> Any:
    """1 / (1 + exp(-x)) without overflow."""
    x = np.asarray(x, np.float64)
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1, small) / (1 + small)


def naive_labels(n_in: int, group: int, n_noise: int) -> Any:
    """1 for centres, 0 for noise."""
    return np.tile(np.repeat([1.0, 0.0], [group, n_noise]), (n_in, 1))


def naive_residual(scores: Any, weights: Any, labels: Any, lr: float) -> Any:
    """-lr times the derivative of SGNS by each score."""
    return lr * weights * (labels - naive_sigmoid(scores))


def naive_loss(scores: Any, weights: Any, labels: Any) -> float:
    """SGNS loss: -log sigmoid(s) of positives, -log sigmoid(-s) of noise, weighted."""
    signs = 2 * labels - 1
    return float((weights * np.logaddexp(0, -signs * scores)).sum())


@dataclass
class NaiveSweep:
    """One worker's training, window by window, on float64 copies of the matrices."""

    inputs: Any
    outputs: Any
    keep: Any
    slots: Any
    window: Any
    group: int
    n_noise: int
    lookahead: int
    step_rows: int
    remove_hits: bool
    measure_mask: int
    random: NaiveRandom
    n_pairs: int = 0
    measured_pairs: int = 0
    loss: float = 0.0
    drawn: dict[int, list[int]] = field(default_factory=dict)

    def run(self, ids: Any, rate: tuple[float, float]) -> None:
        """Train on one block; `rate` is the learning rate at its begin and its end."""
        begin = 0
        for end in np.flatnonzero(ids < 0):
            lr = rate[0] + (rate[1] - rate[0]) * begin / len(ids)
            self.sentence(naive_subsample([int(word) for word in ids[begin:end]], self.keep, self.random), lr)
            begin = int(end) + 1

    def sentence(self, words: list[int], lr: float) -> None:
        """Noise is drawn `lookahead` groups before its use, so that the kernel can prefetch."""
        if len(words) < 2:
            return
        starts = range(0, len(words), self.group)
        for first in starts[: self.lookahead]:
            self.draw(first)
        for first in starts:
            ahead = first + self.lookahead * self.group
            if ahead < len(words):
                self.draw(ahead)
            self.train(words, first, lr)

    def draw(self, first: int) -> None:
        self.drawn[first] = [naive_draw(self.random.advance(), self.slots) for _ in range(self.n_noise)]

    def train(self, words: list[int], first: int, lr: float) -> None:
        # A centre behind the sentence stands for its last word and has no pairs.
        centres = [words[min(first + j, len(words) - 1)] for j in range(self.group)]
        output_ids = centres + self.drawn[first]
        windows = naive_windows(first, self.group, len(words), self.window, self.random)
        present = [first + j for j in range(self.group) if first + j < len(words)]
        reached = sorted(set().union(present, *windows))
        for begin in range(reached[0], reached[-1] + 1, self.step_rows):
            step = range(begin, begin + self.step_rows)
            if begin > reached[0]:
                output_ids = centres + [naive_draw(self.random.advance(), self.slots) for _ in range(self.n_noise)]
            self.step(words, [[p for p in window if p in step] for window in windows], output_ids, lr)

    def step(self, words: list[int], windows: list[list[int]], output_ids: list[int], lr: float) -> None:
        """One matrix product: some of the context words, all of the outputs."""
        positions, weights = naive_pairs(windows, self.n_noise)
        n_pairs = sum(map(len, windows))
        self.n_pairs += n_pairs
        if self.remove_hits:
            weights = naive_remove_hits(weights, output_ids, self.group)
        context = [words[position] for position in positions]
        scores = naive_dots(self.inputs, context, self.outputs, output_ids)
        labels = naive_labels(len(context), self.group, self.n_noise)
        if self.random.bits & self.measure_mask == 0:
            self.loss += naive_loss(scores, weights, labels)
            self.measured_pairs += n_pairs
        naive_update(self.inputs, context, self.outputs, output_ids, naive_residual(scores, weights, labels, lr))
