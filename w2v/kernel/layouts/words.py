"""Words: the rows are context words, the columns all words of the vocabulary; the label falls on the centre."""

from typing import NamedTuple

from w2v.kernel.layouts.steps import are_neighbours, next_step, rewind


class Words(NamedTuple):
    """One centre at a time; `n_out` is the size of the vocabulary.

    The first `n_labelled` rows get labels: the one row of a mean, or all.
    """

    n_rows: int
    n_out: int
    stride: int
    radius: int
    from_centre: bool
    n_labelled: int

    @staticmethod
    def begin(layout, stretch, length, batch, noise, matrices, group, n_noise, width, state):
        rewind(stretch, group)
        for k in range(batch.output_ids.size):
            batch.output_ids[k] = min(k, layout.n_out - 1)
        return state

    @staticmethod
    def advance(layout, stretch, length, batch, noise, matrices, group, n_noise, width, state):
        first, low, high, _ = next_step(layout, stretch, length, group)
        if first >= length:
            return -1, 0, layout.n_out, 0, 0, state
        n = 0
        for position in range(low, high):
            if are_neighbours(layout, stretch, position, first):
                batch.input_ids[n] = stretch.words[position]
                n += 1
        for row in range(0, min(n, layout.n_labelled) * layout.stride, layout.stride):
            batch.weights[row : row + layout.stride] = 0
            batch.weights[row + stretch.words[first]] = 1
        return n, 0, layout.n_out, n, 0, state
