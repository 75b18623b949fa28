"""Going through a sentence a group of neighbouring centres at a time, and through their contexts a step at a time."""

import numpy as np

from w2v.kernel.jit import inline

FIRST, AT, HIGH = range(3)  # places in the cursor


@inline()
def rewind(stretch, group):
    """Stand before the first group."""
    stretch.cursor[FIRST] = -group
    stretch.cursor[AT] = stretch.cursor[HIGH] = 0


def begin_at_the_first(layout, stretch, length, batch, noise, matrices, group, n_noise, width, state):
    """A `begin` for layouts that have nothing else to get ready."""
    rewind(stretch, group)
    return state


@inline()
def next_step(layout, stretch, length, group):
    """Go to the next step: at most layout.n_rows positions of the contexts of a group.

    Returns
    -------
    First centre of the group (`length` when there is no group left), first position, position behind the last,
    whether the group is a new one.
    """
    cursor = stretch.cursor
    fresh = cursor[AT] >= cursor[HIGH]
    if fresh:
        cursor[FIRST] += group
        first = cursor[FIRST]
        low, high = length, 0
        if layout.from_centre:  # any word whose own window may reach the group
            low, high = first - layout.radius, first + group + layout.radius
        else:
            for j in range(group):
                low, high = min(low, stretch.lows[first + j]), max(high, stretch.highs[first + j])
        cursor[AT], cursor[HIGH] = max(0, low), min(length, high)
    at = cursor[AT]
    end = min(at + layout.n_rows, cursor[HIGH])
    cursor[AT] = end
    return cursor[FIRST], at, end, fresh


@inline()
def are_neighbours(layout, stretch, position, centre):
    """1 if the word at `position` and the centre that it helps to predict are a pair, else 0.

    They are when the position is in the centre's window, or, with `from_centre`, the centre in the position's.
    """
    if layout.from_centre:
        at = np.uint64(position)
        inside = np.int64(centre >= stretch.lows[at]) & np.int64(centre < stretch.highs[at])
    else:
        at = np.uint64(centre)
        inside = np.int64(position >= stretch.lows[at]) & np.int64(position < stretch.highs[at])
    return inside & np.int64(position != centre)
