"""Word analogies: is the word nearest to b - a + c the one that completes "a is to b as c is to"?"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from w2v.eval.datasets import Section
from w2v.eval.lookup import rows_of
from w2v.vectors import Vectors

# Bound of the block of scores (questions x vocabulary, float32) that is in memory at a time.
BLOCK_BYTES = 64 * 2**20


@dataclass(frozen=True)
class Tally:
    """Counts of questions: answered correctly, with all four words in the vocabulary, and all."""

    correct: int
    seen: int
    total: int

    @property
    def accuracy(self) -> float | None:
        """Share of the questions seen that were answered correctly, 0 to 1; None when none was seen."""
        return self.correct / self.seen if self.seen else None


@dataclass(frozen=True)
class AnalogyResult:
    """Outcome by section, as (name, tally) in the order of the file."""

    sections: tuple[tuple[str, Tally], ...]

    @property
    def total(self) -> Tally:
        """All questions together."""
        return _sum(tally for _, tally in self.sections)

    @property
    def syntactic(self) -> Tally:
        """Sections whose name starts with ``gram``, as in Google's set."""
        return _sum(tally for name, tally in self.sections if name.startswith("gram"))

    @property
    def semantic(self) -> Tally:
        """All other sections."""
        return _sum(tally for name, tally in self.sections if not name.startswith("gram"))


def _sum(tallies: Iterable[Tally]) -> Tally:
    parts = list(tallies)
    return Tally(sum(t.correct for t in parts), sum(t.seen for t in parts), sum(t.total for t in parts))


def evaluate(vectors: Vectors, sections: Sequence[Section]) -> AnalogyResult:
    """Answer every question by 3CosAdd and count the right answers.

    All words of the vocabulary are candidates but for the three of the question.  Questions with a word out
    of the vocabulary are skipped, not counted as wrong.  Words are found by `w2v.eval.lookup.word_finder`.
    """
    questions = [question for section in sections for question in section.questions]
    rows, seen = rows_of(vectors, questions)
    correct = np.zeros(len(questions), dtype=np.bool_)
    if len(rows):
        correct[seen] = predict(vectors.normalized(), rows[:, :3]) == rows[:, 3]
    tallies: list[tuple[str, Tally]] = []
    start = 0
    for section in sections:
        part = slice(start, start + len(section.questions))
        tally = Tally(int(correct[part].sum()), int(seen[part].sum()), len(section.questions))
        tallies.append((section.name, tally))
        start = part.stop
    return AnalogyResult(tuple(tallies))


def predict(units: npt.NDArray[np.float32], questions: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Row of the best answer to each question, by the cosine with b - a + c (3CosAdd; Mikolov et al. 2013).

    Parameters
    ----------
    units : float32 array, shape (words, dim)
        Vectors of length 1; a row of zeros is never an answer.
    questions : int64 array, shape (questions, 3)
        Rows of a, b and c.

    Returns
    -------
    int64 array, shape (questions,)
        Row of the answer; -1 where no word is left to answer with.
    """
    # The length of b - a + c is the same for all candidates of a question: it does not change which is best.
    targets = units[questions[:, 1]] - units[questions[:, 0]] + units[questions[:, 2]]
    empty = np.flatnonzero(~units.any(axis=1))
    answers = np.empty(len(questions), dtype=np.int64)
    block = max(1, min(len(questions), BLOCK_BYTES // (4 * len(units))))
    scores = np.empty((block, len(units)), dtype=np.float32)
    for start in range(0, len(questions), block):
        asked = questions[start : start + block]
        part = np.matmul(targets[start : start + block], units.T, out=scores[: len(asked)])
        part[:, empty] = -np.inf
        np.put_along_axis(part, asked, -np.inf, axis=1)
        best = part.argmax(axis=1)
        is_word = part[np.arange(len(asked)), best] > -np.inf
        answers[start : start + block] = np.where(is_word, best, -1)
    return answers
