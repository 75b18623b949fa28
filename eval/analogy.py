"""Word analogies: does the word found complete "a is to b as c is to"?"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from w2v.errors import BenchmarkError, ConfigError
from w2v.eval.bootstrap import Sample
from w2v.eval.lookup import Lookup
from w2v.eval.offsets import add, best_words, mul, pair_direction
from w2v.eval.questions import Asked, by_pairs, by_relation
from w2v.eval.sets import Related, Section

# Name on the command line -> name in the literature.
METHODS = {"add": "3CosAdd", "mul": "3CosMul", "avg": "3CosAvg", "pair-direction": "PairDirection"}
_SOLVERS = {"add": add, "mul": mul, "avg": add, "pair-direction": pair_direction}


@dataclass(frozen=True)
class Tally:
    """Counts of questions: answered correctly, with all their words in the vocabulary, and all."""

    correct: int
    seen: int
    total: int

    @property
    def accuracy(self) -> float | None:
        """Share of the questions seen that were answered correctly, 0 to 1; None when none was seen."""
        return self.correct / self.seen if self.seen else None

    @property
    def accuracy_of_all(self) -> float | None:
        """Share of all questions, those not seen counted as wrong, 0 to 1; None when there is none."""
        return self.correct / self.total if self.total else None


@dataclass(frozen=True, eq=False)
class Outcome:
    """What came of some of the questions.

    Attributes
    ----------
    name : str
        Of the section, of the category, or ``total``.
    category : str
        As that of the `Section`.
    values : float64 array, shape (questions,)
        1 for a right answer, 0 for a wrong one, NaN for a question with a word out of the vocabulary.
    groups : int64 array, shape (questions,)
        Number of the pair that is asked for: whether it is found depends little on the pair it is asked with.
    """

    name: str
    category: str
    values: npt.NDArray[np.float64]
    groups: npt.NDArray[np.int64]

    @property
    def sample(self) -> Sample:
        """The outcome of each question, for intervals and differences."""
        return Sample("mean", self.values, groups=self.groups)

    @property
    def tally(self) -> Tally:
        """The outcomes counted."""
        return Tally(int(np.nansum(self.values)), int((~np.isnan(self.values)).sum()), len(self.values))


@dataclass(frozen=True, eq=False)
class AnalogyResult:
    """Outcome of a set.

    Attributes
    ----------
    method : str
        How the questions were answered, as the literature calls it.
    sections : tuple of Outcome
        In the order of the file.
    repeats : int
        Questions that are the same as an earlier one of the set; they are scored as often as they come.
    """

    method: str
    sections: tuple[Outcome, ...]
    repeats: int

    @property
    def total(self) -> Outcome:
        """All questions together."""
        return _together("total", "", self.sections)

    @property
    def categories(self) -> tuple[Outcome, ...]:
        """Sections of one category together, in the order the categories first come."""
        names = dict.fromkeys(section.category for section in self.sections if section.category)
        return tuple(_together(name, name, (s for s in self.sections if s.category == name)) for name in names)


def _together(name: str, category: str, sections: Iterable[Outcome]) -> Outcome:
    values, groups = [np.empty(0)], [np.empty(0, np.int64)]
    for section in sections:
        values.append(section.values)
        groups.append(section.groups)
    return Outcome(name, category, np.concatenate(values), np.concatenate(groups))


def evaluate(lookup: Lookup, sections: Sequence[Section], method: str = "add", name: str = "the set") -> AnalogyResult:
    """Answer every question and count the right answers.

    All words `lookup` knows are candidates but for those of the question, told by their rows.  Questions with
    a word out of the vocabulary are not scored.  Where b may be one of several words, the first that is known
    is taken; any d that is known is right.

    For ``avg`` (3CosAvg; Drozd et al. 2016) the pairs of a section are its questions: d is asked for with c and
    the mean offset of all other pairs, and c alone is no candidate.

    Parameters
    ----------
    lookup : Lookup
        The vectors, and how words are found in them.
    sections : sequence of Section
        The set.
    method : str
        One of `METHODS`.
    name : str
        What errors call the set.

    Raises
    ------
    ConfigError
        On an unknown method.
    BenchmarkError
        When the method takes relations and the questions name none.
    """
    if method not in METHODS:
        raise ConfigError(f"analogy method {method!r}: must be one of {', '.join(METHODS)}")
    if method == "avg":
        if not any(section.name for section in sections):
            raise BenchmarkError(
                f"{name}: 3CosAvg needs relations, and these questions have no `: name` lines; choose another method"
            )
        targets = [list(section.pairs) for section in sections]
        asked, repeats = by_relation(lookup, targets), 0
    else:
        questions = [question for section in sections for question in section.questions]
        targets = [[second for _, second in section.questions] for section in sections]
        asked, repeats = by_pairs(lookup, questions), len(questions) - len(set(questions))
    values = np.full(sum(map(len, targets)), np.nan)
    values[asked.positions] = _is_right(lookup, asked, method)
    return AnalogyResult(METHODS[method], tuple(_outcomes(sections, targets, values)), repeats)


def _outcomes(
    sections: Sequence[Section], targets: Sequence[Sequence[Related]], values: npt.NDArray[np.float64]
) -> Iterator[Outcome]:
    """Cut the outcomes of all questions into sections; `targets` are the pairs asked for in each."""
    numbers: dict[Related, int] = {}
    start = 0
    for section, pairs in zip(sections, targets, strict=True):
        groups = [numbers.setdefault(pair, len(numbers)) for pair in pairs]
        part = values[start : start + len(pairs)]
        yield Outcome(section.name, section.category, part, np.array(groups, dtype=np.int64))
        start += len(pairs)


def _is_right(lookup: Lookup, asked: Asked, method: str) -> npt.NDArray[np.bool_]:
    answers = best_words(lookup.units, asked.operands, asked.terms, asked.excluded, _SOLVERS[method])[:, None]
    return np.asarray(((asked.accepted == answers) & (answers >= 0)).any(axis=1))
