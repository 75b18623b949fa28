"""Positives: the row is a centre, the columns all words of its context, which are positives at once, and noise."""

from typing import NamedTuple

from w2v.kernel.dispatch import methods
from w2v.kernel.layouts.steps import begin_at_the_first, next_step
from w2v.kernel.sampling import draw
from w2v.kernel.simd import prefetch
from w2v.kernel.target import padded


@methods(begin=begin_at_the_first)
class Positives(NamedTuple):
    """One centre at a time; a wide window in parts of `n_rows` positions, each with noise of its own."""

    n_rows: int
    n_out: int
    stride: int
    radius: int
    from_centre: bool

    @staticmethod
    def advance(layout, stretch, length, batch, noise, matrices, group, n_noise, width, state):
        first, low, high, _ = next_step(layout, stretch, length, group)
        if first >= length:
            return -1, 0, 1, 0, 0, state
        n = 0
        for position in range(low, high):
            if position != first:
                batch.output_ids[n] = stretch.words[position]
                n += 1
        tries, state = draw(noise, batch.output_ids, n, n_noise, state)
        n_out = n + n_noise
        stride = padded(n_out)
        for k in range(stride):
            if k >= n_out:
                batch.output_ids[k] = batch.output_ids[0]
            elif k >= n:
                prefetch(matrices.outputs, batch.output_ids[k], width)
            batch.weights[k] = 1 / max(n, 1) if k < n else 0
        batch.input_ids[0] = stretch.words[first]
        return min(n, 1), n, n_out, n, tries, state
