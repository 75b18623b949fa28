"""What a benchmark set holds, whatever file it comes from."""

from dataclasses import dataclass
from functools import cached_property

# Two words and their similarity.
Pair = tuple[str, str, float]
# A word and its counterpart in a relation; any of several counterparts is right.
Related = tuple[str, tuple[str, ...]]
# The first pair is as the second, whose counterpart is asked for.
Question = tuple[Related, Related]


@dataclass(frozen=True)
class SimilaritySet:
    """Pairs of words with the similarity people gave them."""

    name: str
    pairs: tuple[Pair, ...]


@dataclass(frozen=True)
class Section:
    """Analogy questions about one relation.

    Attributes
    ----------
    name : str
        Of the relation; empty for questions that no line and no file puts into a section.
    questions : tuple of Question
        In the order of the file.
    category : str
        Kind of relation: semantic or syntactic; in a BATS folder inflectional, derivational, encyclopedic or
        lexicographic; empty where nothing says it.
    """

    name: str
    questions: tuple[Question, ...]
    category: str = ""

    @cached_property
    def pairs(self) -> tuple[Related, ...]:
        """The different pairs the questions are made of, in the order they first come."""
        return tuple(dict.fromkeys(pair for question in self.questions for pair in question))


@dataclass(frozen=True)
class AnalogySet:
    """Sections of analogy questions."""

    name: str
    sections: tuple[Section, ...]


@dataclass(frozen=True)
class CategorySet:
    """Words with the class people put each into."""

    name: str
    items: tuple[tuple[str, str], ...]


BenchmarkSet = SimilaritySet | AnalogySet | CategorySet


def question(a: str, b: str, c: str, d: str) -> Question:
    """The question "a is to b as c is to" with one right answer, d."""
    return (a, (b,)), (c, (d,))
