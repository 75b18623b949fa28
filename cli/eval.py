"""`w2v eval`: scores of vectors on benchmark sets."""

from pathlib import Path
from typing import Any

import click

from w2v.cli.lookup import load_vectors
from w2v.cli.output import print_json, print_rows
from w2v.cli.sessions import check_options, evaluate_sessions, session_options
from w2v.eval.report import load_sets, score_sets


@click.command()
@click.argument("vectors", envvar="W2V_VECTORS", default="vectors.bin", type=click.Path(path_type=Path))
@click.argument("files", nargs=-1)
@click.option("--sets", multiple=True, metavar="NAME|FILE",
              help="Score only this set, wordsim353, simlex999, google or a file; "
              "may be repeated.")  # fmt: skip
@click.option("--sections", is_flag=True, help="Show every section of an analogy set too.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with all sections and counts.")
@session_options
def command(
    *,
    vectors: Path,
    files: tuple[str, ...],
    sets: tuple[str, ...],
    sections: bool,
    as_json: bool,
    sessions: str | None,
    **session_settings: Any,
) -> None:
    """Score VECTORS (default: $W2V_VECTORS, else vectors.bin) on word similarity and analogies.

    The sets are WordSim-353, SimLex-999 and the Google analogies, which come with gensim (pip install
    'w2v[eval]'), and then FILES of your own: lines of two words and a number, or of four words with `: name`
    lines that open a section.  The content decides which.

    \b
      w2v eval vectors.bin                    the three standard sets
      w2v eval vectors.bin pairs.tsv          ... and one of your own
      w2v eval vectors.bin --sets pairs.tsv   only your own

    Similarity is Spearman's rank correlation x 100 between the given numbers and the cosines of the pairs.
    Analogies (a is to b as c is to d) are the percentage where d is the word nearest to b - a + c (3CosAdd);
    all words of the vocabulary are candidates but a, b and c.  Sections whose name starts with `gram` are
    syntactic, the others semantic.

    Pairs and questions with a word out of the vocabulary are skipped, not counted as wrong: the columns seen
    and total say how many were scored, of how many.  Words are treated as the training text was (--lowercase,
    --normalize); where the vocabulary has no capital A-Z, a word not found as it stands is looked for
    in lower case.

    With --sessions FILE it is items, not words: is the last item of each line among the k that VECTORS rank first
    behind the items before it?  Hit rate, MRR and NDCG at k = 5, 10 and 20 over all lines (a line that cannot be
    answered is a miss), with 95 % intervals; coverage, the share of items ever recommended; popularity, the mean
    percentile by count of the items recommended less that of the items to predict (above 0: popular items are
    over-recommended); ahead, by how much the first ranking's hit rate is above this one's.  Candidates are all
    items, and then only those new to the line, over lines that end in a new one.
    """
    check_options(sessions, session_settings, {"sets": sets or files, "sections": sections})
    if sessions is not None:
        evaluate_sessions([vectors], sessions, as_json=as_json, **session_settings)
        return
    benchmarks = load_sets(sets, files)
    loaded = load_vectors(vectors)
    reports = score_sets(loaded, benchmarks)
    if as_json:
        outcome = {"vectors": str(vectors), "words": len(loaded), "dim": loaded.dim}
        print_json(outcome | {"sets": [report.to_json() for report in reports]})
        return
    scores = [score for report in reports for score in report.scores(with_sections=sections)]
    rows = [(score.name, score.measure, score.value, score.seen, score.total) for score in scores]
    print_rows(("set", "measure", "score", "seen", "total"), rows, tsv_header=True)
