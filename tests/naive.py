"""Slow twins of the compiled kernels: plain Python and NumPy, one step at a time, float64 where it matters.

They follow the same random sequence as the kernels, so whole training runs can be compared row by row.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from naive_losses import naive_residual, naive_value

from w2v.config import TrainConfig
from w2v.kernel.registry import LOSSES
from w2v.noise import keep_probabilities, noise_probabilities, positive_shares

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


def naive_windows(length: int, window: Any, random: NaiveRandom) -> list[list[int]]:
    """Positions of the context words of each word of a sentence."""
    windows = []
    for centre in range(length):
        radius = 1 + naive_below(random.advance(), window.radius) if window.shrink else window.radius
        left = [p for p in range(length) if window.left and -radius <= p - centre < 0]
        right = [p for p in range(length) if window.right and 0 < p - centre <= radius]
        windows.append(left + right)
    return windows


class Text(NamedTuple):
    """Words that batches are made of, and the positions in the window of each."""

    words: list[int]
    windows: list[list[int]]

    def span(self, first: int, group: int) -> range:
        """From the first to the last position in the windows of some centres, the centres included."""
        present = [c for c in range(first, first + group) if c < len(self.words)]
        reached = set(present).union(*(self.windows[c] for c in present))
        return range(min(reached), max(reached) + 1)


def naive_text(sentences: list[list[int]], keep: Any, window: Any, random: NaiveRandom) -> Text:
    """Sentences one after the other, subsampled; windows end where they do."""
    text = Text([], [])
    for sentence in sentences:
        begin, kept = len(text.words), naive_subsample(sentence, keep, random)
        text.words.extend(kept)
        text.windows.extend([begin + p for p in w] for w in naive_windows(len(kept), window, random))
    return text


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


class NaiveBatch(NamedTuple):
    """Words of rows and columns, weights and labels (rows, columns), which column's context each row is in."""

    input_ids: list[int]
    output_ids: list[int]
    weights: Any
    labels: Any
    n_positive: int
    n_pairs: int
    tries: int = 0


class NaiveStreaming:
    """Mean gaps of the slots that words are hashed into; of several hashes the largest."""

    def __init__(self, multipliers: Any, bits: int, rate: float) -> None:
        self.multipliers, self.bits, self.rate = [int(m) for m in multipliers], bits, rate
        self.time = 0
        self.slots: dict[tuple[int, int], tuple[int, int, float]] = {}

    def keys(self, word: int) -> list[tuple[int, int]]:
        return [(h, ((word + 1) * m & WORD_MASK) >> (64 - self.bits)) for h, m in enumerate(self.multipliers)]

    def see(self, word: int) -> None:
        self.time += 1
        for key in self.keys(word):
            last, seen, gap = self.slots.get(key, (0, 0, 0.0))
            weight = max(self.rate, 1 / (seen + 1))
            self.slots[key] = self.time, seen + 1, (1 - weight) * gap + weight * (self.time - last)

    def share(self, word: int) -> float:
        return 1 / max(1.0, *(self.slots.get(key, (0, 0, self.time + 1.0))[2] for key in self.keys(word)))


@dataclass
class NaiveSweep:
    """One worker's training, batch by batch, on float64 copies of the matrices.

    Of the kernel's `plan` it takes tables that have tests of their own: alias slots, thresholds, the tree, the hash
    functions.
    """

    config: TrainConfig
    counts: Any
    plan: Any
    window: Any
    lookahead: int
    inputs: Any
    outputs: Any
    measure_mask: int
    random: NaiveRandom
    bias: Any
    log_scale: float
    n_pairs: int = 0
    n_scores: int = 0
    measured_pairs: int = 0
    loss: float = 0.0

    def __post_init__(self) -> None:
        config = self.config
        self.layout = "positives" if config.multi_positive else LOSSES[config.loss].layout
        self.group, self.n_noise = config.share_noise, config.negative or 0
        self.backward = config.direction == "context-from-centre"
        self.step_rows = self.plan.layout.n_rows
        self.noise = noise_probabilities(self.counts, config.noise, config.noise_power)
        self.shares = positive_shares(self.counts, keep_probabilities(self.counts, config.sample))
        correction = self.plan.correction
        if config.frequency_estimate == "streaming":
            self.streaming = NaiveStreaming(correction.multipliers, 64 - int(correction.shift), correction.rate)

    def run(self, ids: Any, rate: tuple[float, float]) -> None:
        """Train on one block; `rate` is the learning rate at its begin and its end."""
        begin, ends = 0, [int(end) for end in np.flatnonzero(ids < 0)]
        sentences = [[int(word) for word in ids[b:e]] for b, e in zip([0, *(e + 1 for e in ends)], ends, strict=False)]
        if self.layout == "in_batch":
            self.stretch(sentences, rate[0])
        else:
            for sentence in sentences:
                self.stretch([sentence], rate[0] + (rate[1] - rate[0]) * begin / len(ids))
                begin += len(sentence) + 1

    def stretch(self, sentences: list[list[int]], lr: float) -> None:
        text = naive_text(sentences, self.plan.keep, self.window, self.random)
        if len(text.words) > 1:
            for batch in getattr(self, f"of_{self.layout}")(text):
                self.train(batch, lr)

    def draw(self) -> tuple[list[int], int]:
        """Noise of a batch and the tries it took."""
        words: list[int] = []
        tries = 0
        while len(words) < self.n_noise:
            word = naive_draw(self.random.advance(), self.plan.noise.slots)
            tries += 1
            if not (self.config.unique and word in words):
                words.append(word)
        return words, tries

    def chunks(self, span: range) -> Iterator[range]:
        return (span[begin : begin + self.step_rows] for begin in range(0, len(span), self.step_rows))

    def contexts(self, text: Text, first: int, group: int) -> Iterator[list[tuple[int, list[bool]]]]:
        """Step by step, the positions that help to predict a group of centres, and which of them each predicts."""
        span = text.span(first, group)
        if self.backward:
            low, high = first - self.window.radius, first + group + self.window.radius
            span = range(max(0, low), min(len(text.words), high))
        for chunk in self.chunks(span):
            step = []
            for position in chunk:
                present = [c for c in range(first, first + group) if c < len(text.words)]
                pairs = [c in text.windows[position] if self.backward else position in text.windows[c] for c in present]
                if any(pairs):
                    step.append((position, pairs + [False] * (group - len(present))))
            yield step

    def of_windows(self, text: Text) -> Iterator[NaiveBatch]:
        """Groups of centres; their first noise is drawn some groups before its use."""
        group, length = self.group, len(text.words)
        starts = range(0, length, group)
        drawn = [self.draw() for _ in starts[: self.lookahead]]
        for number, first in enumerate(starts):
            # A centre behind the sentence stands for its last word and has no pairs.
            centres = [text.words[min(first + j, length - 1)] for j in range(group)]
            if number + self.lookahead < len(starts):
                drawn.append(self.draw())
            for step, rows in enumerate(self.contexts(text, first, group)):
                noise, tries = self.draw() if step else drawn[number]
                table = np.array([pairs for _, pairs in rows], float).reshape(len(rows), group)
                weights = np.hstack([table] + [table.sum(1, keepdims=True)] * self.n_noise)
                labels = np.tile(np.repeat([1.0, 0.0], [group, self.n_noise]), (len(rows), 1))
                words = [text.words[position] for position, _ in rows]
                yield NaiveBatch(words, centres + noise, weights, labels, group, int(table.sum()), tries)

    def of_paths(self, text: Text) -> Iterator[NaiveBatch]:
        starts, nodes, lefts = self.plan.layout.starts, self.plan.layout.nodes, self.plan.layout.lefts
        for first, word in enumerate(text.words):
            path = slice(starts[word], starts[word + 1])
            for rows in self.contexts(text, first, 1):
                words = [text.words[position] for position, _ in rows]
                labels = np.tile(lefts[path].astype(float), (len(rows), 1))
                yield NaiveBatch(words, list(nodes[path]), np.ones_like(labels), labels, 0, len(rows))

    def of_words(self, text: Text) -> Iterator[NaiveBatch]:
        for first, word in enumerate(text.words):
            for rows in self.contexts(text, first, 1):
                words = [text.words[position] for position, _ in rows]
                weights = np.tile(np.eye(len(self.counts))[word], (len(rows), 1))
                yield NaiveBatch(words, list(range(len(self.counts))), weights, weights, 0, len(rows))

    def of_positives(self, text: Text) -> Iterator[NaiveBatch]:
        for first, word in enumerate(text.words):
            for chunk in self.chunks(text.span(first, 1)):
                positives = [text.words[position] for position in chunk if position != first]
                noise, tries = self.draw()
                n, row = len(positives), [word] if positives else []
                weights = np.array([[1 / max(n, 1)] * n + [0] * self.n_noise] * len(row))
                weights = weights.reshape(len(row), n + self.n_noise)
                yield NaiveBatch(row, positives + noise, weights, np.zeros_like(weights), n, n, tries)

    def of_in_batch(self, text: Text) -> Iterator[NaiveBatch]:
        """Each round takes the next pair of each reader that has one."""
        n_readers, length = self.config.batch or 0, len(text.words)
        queues = [
            [(p, c) for c in range(length * i // n_readers, length * (i + 1) // n_readers) for p in text.windows[c]]
            for i in range(n_readers)
        ]
        for number in range(max(map(len, queues))):
            pairs = [queue[number] for queue in queues if number < len(queue)]
            if self.backward:
                pairs = [(c, p) for p, c in pairs]
            inputs, outputs = [text.words[i] for i, _ in pairs], [text.words[o] for _, o in pairs]
            noise, tries = self.draw()
            n = len(pairs)
            weights = np.eye(n, n + self.n_noise)
            yield NaiveBatch(inputs, outputs + noise, weights, weights, n, n, tries)

    def log_expected(self, batch: NaiveBatch) -> Any:
        """log of the expected count of each column's word among what is drawn for a batch."""
        config, ids, zeros = self.config, batch.output_ids, np.zeros(len(batch.output_ids))
        if not LOSSES[config.loss].corrected or config.no_logq:
            return zeros
        if self.layout != "in_batch":
            if config.unique:
                return np.log(1 - (1 - self.noise[ids]) ** batch.tries)
            return np.log(self.n_noise * self.noise[ids])
        shares = self.shares[ids]
        if config.frequency_estimate == "streaming":
            for word in ids[: batch.n_positive]:
                self.streaming.see(int(word))
            shares = np.array([self.streaming.share(int(word)) for word in ids])
        return np.log((config.batch or 0) * shares + self.n_noise * self.noise[ids])

    def train(self, batch: NaiveBatch, lr: float) -> None:
        """Skip-gram: each context word is a row.  CBOW: the mean of each centre's context is."""
        if self.config.architecture == "skipgram":
            self.step(self.inputs, batch, lr)
            return
        n_columns = self.group if self.layout == "windows" else 1
        members = batch.weights[:, :n_columns] if self.layout == "windows" else np.ones((len(batch.input_ids), 1))
        sizes = members.sum(0)
        means = members.T @ self.inputs[batch.input_ids] / np.maximum(sizes, 1)[:, None]
        rows = n_columns if sizes.any() else 0
        weights = batch.weights[:rows]
        if self.layout == "windows":
            weights = np.hstack([np.diag(sizes > 0), np.tile((sizes > 0)[:, None], self.n_noise)])[:rows].astype(float)
        labels = np.repeat(batch.labels[:1], rows, axis=0)
        of_means = batch._replace(input_ids=list(range(rows)), weights=weights, labels=labels,
                                  n_pairs=int((sizes > 0).sum()))  # fmt: skip
        new = means.copy()
        self.step(new, of_means, lr)
        share = 1 / np.maximum(sizes, 1) if self.config.cbow_normalize else np.ones_like(sizes)
        np.add.at(self.inputs, batch.input_ids, members @ ((new - means) * share[:, None]))

    def step(self, rows: Any, batch: NaiveBatch, lr: float) -> None:
        """Similarity, loss, and what follows from both for the rows and the parameters."""
        x, o = rows[batch.input_ids], self.outputs[batch.output_ids]
        scale, bias = np.exp(self.log_scale), self.bias[batch.output_ids] if len(self.bias) else 0
        x_norms, o_norms = np.ones((len(x), 1)), np.ones((len(o), 1))
        if self.config.similarity == "cosine":
            x_norms, o_norms = (np.maximum(np.linalg.norm(m, axis=1, keepdims=True), 1e-12) for m in (x, o))
        similarities = (x / x_norms) @ (o / o_norms).T
        scores = similarities * scale + bias
        terms = (self.config.loss, scores, batch.weights, batch.labels, batch.n_positive, np.array(batch.output_ids),
                 np.array(batch.input_ids), self.log_expected(batch), self.plan.loss._asdict())  # fmt: skip
        self.n_pairs += batch.n_pairs
        self.n_scores += scores.size
        if self.random.advance() & self.measure_mask == 0:
            self.loss += naive_value(*terms)
            self.measured_pairs += batch.n_pairs
        residual = naive_residual(*terms, lr)
        if len(self.bias):
            np.add.at(self.bias, batch.output_ids, residual.sum(0))
        residual *= scale
        if self.config.learn_temperature:
            n_labels = batch.weights[:, : batch.n_positive].sum()
            self.log_scale += (residual * similarities).sum() / max(1.0, n_labels)
        naive_update(rows, batch.input_ids, self.outputs, batch.output_ids, residual / x_norms / o_norms.T)
        if self.config.similarity == "cosine":
            # The gradient is at right angles to the row: what the step added to its length goes.
            for matrix, ids, norms in ((rows, batch.input_ids, x_norms), (self.outputs, batch.output_ids, o_norms)):
                new = np.maximum(np.linalg.norm(matrix[ids], axis=1, keepdims=True), 1e-12)
                matrix[ids] *= norms / new
