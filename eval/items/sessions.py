"""Item vectors as recommenders: is the item held out among the first k recommended?"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from w2v.eval.items.lines import UNKNOWN, HeldOut, Lines, Rows
from w2v.eval.items.recommend import Recommender, Scores

CUTS = (5, 10, 20)  # the k
_SCORES_AT_ONCE = 1 << 23  # numbers in memory at a time
Progress = Callable[[int, int], None]  # lines done, lines in all


def silent(_done: int, _total: int) -> None:
    """Tell nobody."""


@dataclass(frozen=True)
class Outcome:
    """What one recommender did.

    Attributes
    ----------
    top : int64 (n_lines, max(CUTS))
        Rows recommended for each line, best first; UNKNOWN where there are no more, and for lines not seen.
    positions : int64 (n_lines,)
        Place of the target among them, from 1; 0 when it is not there.
    """

    top: Rows
    positions: Rows

    def hits(self, k: int) -> NDArray[np.float64]:
        """1 for each line whose target is among the first `k`, else 0; float64 (n_lines,)."""
        return ((self.positions > 0) & (self.positions <= k)).astype(np.float64)

    def reciprocal_ranks(self, k: int) -> NDArray[np.float64]:
        """1 / place of the target, 0 where it is not among the first `k`; float64 (n_lines,)."""
        return np.asarray(self.hits(k) / np.maximum(self.positions, 1))

    def gains(self, k: int) -> NDArray[np.float64]:
        """NDCG of each line, which with a single target is 1 / log2(place + 1); float64 (n_lines,)."""
        return np.asarray(self.hits(k) / np.log2(np.maximum(self.positions, 1) + 1))


def recommend(
    recommender: Recommender, held_out: HeldOut, n_given: int, *, only_new: bool, progress: Progress = silent
) -> Outcome:
    """Recommend for each held-out line.

    Parameters
    ----------
    recommender : gives scores of all items
    held_out : the lines; those not `seen` are misses
    n_given : how many of the last known items of a line the recommender is given
    only_new : whether the items a line has before its target are no candidates
    progress : told after each block how many of how many lines are done
    """
    seen = np.flatnonzero(held_out.seen)
    widths = np.minimum(held_out.n_given[seen], n_given)
    top = np.full((len(held_out), max(CUTS)), UNKNOWN)
    begin, step = 0, 1
    while begin < len(seen):
        lines = seen[begin : begin + _n_fitting(widths[begin : begin + step])]
        scores = recommender(held_out.last_given(n_given, lines))
        if only_new:
            _exclude(scores, lines, held_out.given)
        best = best_columns(scores, max(CUTS))
        top[lines, : best.shape[1]] = best
        progress(begin + len(lines), len(seen))
        begin, step = begin + len(lines), max(1, _SCORES_AT_ONCE // scores.shape[1])
    found = (top == held_out.targets[:, None]) & held_out.seen[:, None]
    return Outcome(top, np.where(found.any(axis=1), found.argmax(axis=1) + 1, 0))


def _n_fitting(widths: Rows) -> int:
    """How many of the first lines make a matrix, as wide as the widest, that is not too large; at least one."""
    sizes = np.maximum.accumulate(widths) * np.arange(1, len(widths) + 1)
    return max(1, int(np.searchsorted(sizes, _SCORES_AT_ONCE, side="right")))


def _exclude(scores: Scores, lines: Rows, given: Lines) -> None:
    """Take the items that each of `lines` (rising) was given out of its row of scores."""
    row = np.searchsorted(lines, given.line)
    on_lines = lines[np.minimum(row, len(lines) - 1)] == given.line
    scores[row[on_lines], given.rows[on_lines]] = -np.inf


def best_columns(scores: Scores, k: int) -> Rows:
    """Columns of the `k` highest scores of each row, best first, ties among them in order; UNKNOWN for -inf."""
    k = min(k, scores.shape[1])
    best = np.sort(np.argpartition(-scores, k - 1, axis=1)[:, :k], axis=1)
    found = np.take_along_axis(scores, best, axis=1)
    order = np.argsort(-found, axis=1, kind="stable")
    best = np.where(np.isneginf(found), UNKNOWN, best)
    return np.take_along_axis(best, order, axis=1).astype(np.int64)
