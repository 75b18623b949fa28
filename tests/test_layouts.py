"""Layouts: every pair of the text is presented once, whatever its columns are; a loss that only takes notes sees it."""

from collections import Counter
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from w2v.config import TrainConfig
from w2v.kernel import jit
from w2v.kernel.rng import seed_states
from w2v.kernel.sweep import Matrices, Sizes, Tally, make_sweep
from w2v.kernel.windows import Window
from w2v.plan import Planner

MOST_BATCHES, MOST_CELLS = 4_000, 200_000
# Sentences of these lengths.  Where words do not repeat, the word at a position is the position.
LENGTHS = (1, 2, 33, 1, 3, 8, 12)
N_WORDS = sum(LENGTHS)
FORMS: dict[str, dict[str, Any]] = {
    "windows": {"negative": 3, "share_noise": 2},
    "paths": {"loss": "hs"},
    "words": {"loss": "softmax"},
    "positives": {"loss": "infonce", "negative": 3, "multi_positive": True, "direction": "context-from-centre"},
    "in_batch": {"loss": "in-batch", "negative": 2, "batch": 7},
}
WINDOWS = tuple(product((1, 4, 40), ("both", "left", "right")))
DIRECTIONS = ("centre-from-context", "context-from-centre")
Pair = tuple[int, int]


class Notes(NamedTuple):
    """A loss that writes down what it is given and moves nothing.

    `batches` int64: rows, positives, columns; `cells` int64: batch, row, word of the row, column, word of the column;
    `shares` float32: weight and label of a cell; `used` int64: batches, cells.
    """

    batches: NDArray[np.int64]
    cells: NDArray[np.int64]
    shares: NDArray[np.float32]
    used: NDArray[np.int64]

    @staticmethod
    def prepare(loss, scores, pairs, lanes):  # type: ignore[no-untyped-def]
        pass

    @staticmethod
    def value(loss, scores, pairs):  # type: ignore[no-untyped-def]
        return 0.0

    @staticmethod
    def residual(loss, scores, pairs, lr, lanes):  # type: ignore[no-untyped-def]
        number, at = loss.used
        loss.batches[number, 0] = pairs.n_in
        loss.batches[number, 1] = pairs.n_positive
        loss.batches[number, 2] = pairs.n_out
        for i in range(pairs.n_in):
            for k in range(pairs.stride):
                cell = i * pairs.stride + k
                scores[cell] = 0
                if k < pairs.n_out:
                    loss.cells[at, 0] = number
                    loss.cells[at, 1] = i
                    loss.cells[at, 2] = pairs.input_ids[i]
                    loss.cells[at, 3] = k
                    loss.cells[at, 4] = pairs.output_ids[k]
                    loss.shares[at, 0] = pairs.weights[cell]
                    loss.shares[at, 1] = pairs.labels[cell]
                    at += 1
        loss.used[0] = number + 1
        loss.used[1] = at


class Seen(NamedTuple):
    """The batches of an epoch, and the tree by which paths stand for words."""

    batches: Any
    cells: Any
    shares: Any
    tally: Tally
    layout: Any


@cache
def uncached_sweep(sizes: Sizes) -> Any:
    """A sweep that leaves nothing on disk: other processes do not know the class `Notes`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jit, "cache_directory", lambda: None)
        return make_sweep.__wrapped__(sizes)


def sentences_of(repeated: bool) -> list[list[int]]:
    random = np.random.default_rng(5)
    words = random.integers(0, 6, N_WORDS) if repeated else np.arange(N_WORDS)
    return [[int(word) for word in part] for part in np.split(words, np.cumsum(LENGTHS)[:-1])]


def present(form: str, radius: int, side: str, sentences: list[list[int]], **options: Any) -> Seen:
    """One epoch over the sentences, without subsampling."""
    config = TrainConfig(**{**FORMS[form], "dim": 8, "sample": 0.0, "window": radius, "window_side": side,
                            "fixed_window": True, "threads": 1, **options})  # fmt: skip
    ids = np.concatenate([[*sentence, -1] for sentence in sentences]).astype(np.int32)
    planner = Planner(config, np.arange(N_WORDS, 0, -1), max(LENGTHS), ids.size)
    plan, work = planner.plan(0)
    notes = Notes(np.zeros((MOST_BATCHES, 3), np.int64), np.zeros((MOST_CELLS, 5), np.int64),
                  np.zeros((MOST_CELLS, 2), np.float32), np.zeros(2, np.int64))  # fmt: skip
    rows = np.ones((N_WORDS, planner.sizes.width), np.float32)
    matrices = Matrices(rows, rows.copy())
    window = Window(min(radius, max(LENGTHS)), False, int(side != "right"), int(side != "left"))
    tally = Tally(np.zeros(1), *(np.zeros(1, np.int64) for _ in range(4)))
    uncached_sweep(planner.sizes)(ids, matrices, plan._replace(loss=notes), work, window, np.array([0.1, 0.1]),
                                  np.uint64(0), seed_states(1, 1)[0], tally)  # fmt: skip
    assert (matrices.inputs == 1).all()
    assert (matrices.outputs == 1).all()
    n_batches, n_cells = notes.used
    return Seen(notes.batches[:n_batches], notes.cells[:n_cells], notes.shares[:n_cells], tally, plan.layout)


def positive_pairs(seen: Seen, form: str) -> Counter[Pair]:
    """(word of the row, word predicted) of all positive pairs."""
    if form == "paths":
        return Counter(path_pairs(seen))
    number, row, source, column, target = seen.cells.T
    chosen = seen.shares[:, 0] > 0
    if form == "in_batch":
        chosen &= row == column
    elif form != "words":
        chosen &= column < seen.batches[number, 1]
    return Counter(zip(source[chosen].tolist(), target[chosen].tolist(), strict=True))


def path_pairs(seen: Seen) -> list[Pair]:
    tree, words = seen.layout, {}
    for word in range(N_WORDS):
        turns = slice(tree.starts[word], tree.starts[word + 1])
        words[tuple(tree.nodes[turns]), tuple(tree.lefts[turns])] = word
    assert (seen.shares[:, 0] == 1).all()
    pairs = []
    new_rows = np.flatnonzero(seen.cells[:, 3] == 0)
    for begin, end in zip(new_rows, [*new_rows[1:], len(seen.cells)], strict=True):
        path = tuple(seen.cells[begin:end, 4]), tuple(seen.shares[begin:end, 1])
        pairs.append((int(seen.cells[begin, 2]), words[path]))
    return pairs


def expected_pairs(sentences: list[list[int]], radius: int, side: str, backward: bool) -> Counter[Pair]:
    """Brute force: (context word, centre), or the other way round."""
    pairs: Counter[Pair] = Counter()
    for sentence in sentences:
        for c, p in product(range(len(sentence)), repeat=2):
            distance = p - c
            on_side = distance < 0 if side == "left" else distance > 0 if side == "right" else True
            if distance and on_side and abs(distance) <= radius:
                pair = (sentence[p], sentence[c])
                pairs[pair[::-1] if backward else pair] += 1
    return pairs


def cases() -> list[tuple[str, str]]:
    return [(form, direction) for form in FORMS for direction in DIRECTIONS
            if FORMS[form].get("direction", direction) == direction]  # fmt: skip


@pytest.mark.parametrize(("form", "direction"), cases())
@pytest.mark.parametrize("repeated", [False, True])
def test_every_pair_is_presented_once(form: str, direction: str, repeated: bool) -> None:
    sentences = sentences_of(repeated)
    for radius, side in WINDOWS:
        seen = present(form, radius, side, sentences, direction=direction)
        expected = expected_pairs(sentences, radius, side, direction == "context-from-centre")
        assert positive_pairs(seen, form) == expected
        assert seen.tally.pairs[0] == seen.tally.measured_pairs[0] == expected.total()
        assert seen.tally.scores[0] == len(seen.cells) == (seen.batches[:, 0] * seen.batches[:, 2]).sum()


@pytest.mark.parametrize("form", [form for form in FORMS if form != "positives"])
def test_the_other_direction_is_the_mirror(form: str) -> None:
    sentences = sentences_of(True)
    forth, back = (positive_pairs(present(form, 4, "left", sentences, direction=d), form) for d in DIRECTIONS)
    assert back == Counter({pair[::-1]: count for pair, count in forth.items()})
    assert back != forth


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_noise_of_windows_weighs_what_its_pairs_do(direction: str) -> None:
    for radius, side in WINDOWS:
        seen = present("windows", radius, side, sentences_of(True), direction=direction)
        weights = seen.shares[:, 0].reshape(-1, 2 + 3)
        labels = seen.shares[:, 1].reshape(-1, 2 + 3)
        assert np.isin(weights[:, :2], (0, 1)).all()
        assert (weights[:, :2].sum(1) > 0).all()
        assert (weights[:, 2:] == weights[:, :2].sum(1, keepdims=True)).all()
        assert (labels == [1, 1, 0, 0, 0]).all()
        assert (seen.batches[:, 1:] == [2, 5]).all()


def test_a_row_of_all_words_has_one_label() -> None:
    seen = present("words", 4, "both", sentences_of(False))
    table = seen.shares[:, 0].reshape(-1, N_WORDS)
    assert (np.sort(table, axis=1) == np.eye(N_WORDS)[-1]).all()
    assert (seen.cells[:, 4].reshape(-1, N_WORDS) == np.arange(N_WORDS)).all()


def test_positives_share_the_label_and_a_wide_window_comes_in_parts() -> None:
    for radius, side in WINDOWS:
        seen = present("positives", radius, side, sentences_of(False))
        assert seen.batches[:, 1].max() <= seen.layout.n_rows
        for number, (n_in, n_positive, n_out) in enumerate(seen.batches):
            assert n_in == min(n_positive, 1)
            assert n_out == n_positive + 3
            weights = seen.shares[seen.cells[:, 0] == number, 0]
            if n_in:
                np.testing.assert_allclose(weights[:n_positive], 1 / n_positive, rtol=1e-6)
                assert not weights[n_positive:].any()
    assert seen.layout.n_rows < max(LENGTHS)  # the last window is wider


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_a_centre_gives_a_batch_one_pair(direction: str) -> None:
    side_of_centre = 4 if direction == DIRECTIONS[0] else 2
    for (radius, side), batch in product(WINDOWS, (2, 7, 32, 256)):
        seen = present("in_batch", radius, side, sentences_of(False), direction=direction, batch=batch)
        row, column = seen.cells[:, 1], seen.cells[:, 3]
        for number, (n_in, n_positive, n_out) in enumerate(seen.batches):
            assert 0 < n_in == n_positive <= batch
            assert n_out == n_positive + 2
            own = (seen.cells[:, 0] == number) & (row == column)
            centres = seen.cells[own, side_of_centre]
            assert len(set(centres)) == n_in
            weights = seen.shares[seen.cells[:, 0] == number, 0].reshape(n_in, n_out)
            assert (weights == np.eye(n_in, n_out)).all()
