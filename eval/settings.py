"""What can be chosen about an evaluation; scores made under different settings must not be compared."""

from dataclasses import dataclass


@dataclass(frozen=True)
class EvalSettings:
    """Settings of `w2v.eval.report.score_sets`.

    Attributes
    ----------
    case : str
        How letter case is treated: auto, none, lower or fold; see `w2v.eval.lookup`.
    restrict_vocab : int or None
        Only so many words, the first of the vocabulary, are known and are candidates; None for all.
    method : str
        How analogies are solved: add, mul, avg or pair-direction; see `w2v.eval.analogy`.
    clusters : str
        How words are clustered for categorisation: kmeans or agglomerative; see `w2v.eval.categories`.
    seed : int
        Of k-means and of the bootstrap.
    """

    case: str = "auto"
    restrict_vocab: int | None = None
    method: str = "add"
    clusters: str = "kmeans"
    seed: int = 0
