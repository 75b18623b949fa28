"""Item vectors and the baselines beside them on one file of held-out lines."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from w2v.errors import BenchmarkError
from w2v.eval.items.lines import UNKNOWN, held_out, n_answers_in, read_lines
from w2v.eval.items.recommend import Recommender, by_co_occurrence, by_popularity
from w2v.eval.items.scores import Ranking, Score, score
from w2v.eval.items.sessions import Progress, silent
from w2v.vectors import Vectors


@dataclass(frozen=True)
class Contestant:
    """Vectors and how they rank items; the first of several is what the others and the baselines compare with."""

    name: str
    vectors: Vectors
    recommender: Recommender


@dataclass(frozen=True)
class SessionReport:
    """Scores on one file of held-out lines.

    Attributes
    ----------
    sessions : str
        The file.
    lines, seen, repeats : int
        Lines with an item to predict; those of them that the first contestant can answer (it knows the item and
        one before it); those whose item is among the ones before it.
    too_short : int
        Lines of one item, which are left out.
    items : int
        Candidates: the vocabulary of the first contestant.
    seen_by, items_of : dict of int
        `seen` and `items` of each contestant, by its name.
    from_last : int
        How many of the last known items before the target made the query, that of the baselines too.
    in_training : int or None
        Those of the lines seen that stand whole, in any order, in the training file, which should lack the items to
        predict; None without one.
    scores : list of Score
    """

    sessions: str
    lines: int
    seen: int
    repeats: int
    too_short: int
    items: int
    from_last: int
    in_training: int | None
    scores: list[Score]
    seen_by: dict[str, int]
    items_of: dict[str, int]

    def to_json(self) -> dict[str, Any]:
        """The outcome as JSON values."""
        return vars(self) | {"scores": [each.to_json() for each in self.scores]}


def score_sessions(
    contestants: Sequence[Contestant],
    sessions: str,
    train: str | None = None,
    from_last: int = 1,
    progress: Progress = silent,
) -> SessionReport:
    """Rank the items of held-out lines by vectors and by baselines.

    Parameters
    ----------
    contestants : at least one
    sessions : file of lines whose last item is to be predicted from those before it
    train : lines trained on, of which co-occurrence and popularity are counted; without them there is no
        co-occurrence, and popularity is that of the counts in the file of vectors, if it has any
    from_last : how many of the last known items before the target make the query
    progress : told how many of how many lines one ranking has done

    Raises
    ------
    BenchmarkError
        When a file has nothing to score or no line a contestant can answer, or its lines come out differently for
        two contestants.
    CorpusError
        When a file cannot be read.
    """
    rankings, baselines, in_training = [], [], None
    for contestant in contestants:
        vectors, n_items = contestant.vectors, len(contestant.vectors)
        whole = read_lines(sessions, vectors)
        lines, counts = held_out(whole), vectors.counts
        training = None if train is None else read_lines(train, vectors)
        if training is not None:
            counts = np.bincount(training.rows[training.rows != UNKNOWN], minlength=n_items)
        rankings.append(Ranking(contestant.name, contestant.recommender, lines, n_items, counts))
        if contestant is contestants[0]:
            in_training = None if training is None else n_answers_in(training, whole, n_items)
            named = {
                "co-occurrence": None if training is None else by_co_occurrence(training, n_items),
                "popularity": None if counts is None else by_popularity(counts),
            }
            baselines = [Ranking(name, by, lines, n_items, counts) for name, by in named.items() if by is not None]
    if len({len(ranking.lines) for ranking in rankings}) > 1:
        raise BenchmarkError(f"{sessions}: its lines come out differently, as the vectors were trained with different "
                             "rules for text; score the files one by one")  # fmt: skip
    seen_by = {ranking.name: int(ranking.lines.seen.sum()) for ranking in rankings}
    for name, seen in seen_by.items():
        if not seen:
            raise BenchmarkError(f"{sessions}: no line can be answered by {name}: none has its last item and one "
                                 "before it in the vectors; were they trained on other items?")  # fmt: skip
    lines = rankings[0].lines
    scores = [
        each
        for only_new in (False, True)
        for each in score(rankings + baselines, from_last, only_new=only_new, progress=progress)
    ]
    items_of = {ranking.name: ranking.n_items for ranking in rankings}
    return SessionReport(sessions, len(lines), int(lines.seen.sum()), int(lines.repeats.sum()), lines.n_short,
                         rankings[0].n_items, from_last, in_training, scores, seen_by, items_of)  # fmt: skip
