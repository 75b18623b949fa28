"""A comparison as a page of Markdown: what was done, the tables, the rules that differ between the tools."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from w2v.eval.script import render
from w2v.eval.tools.facts import CorpusFacts
from w2v.eval.tools.rules import RULES
from w2v.eval.tools.runs import STAGES, count_of_epochs
from w2v.eval.tools.significance import Comparison
from w2v.eval.tools.summary import OTHER, HeadStart, Summary, Values

Rows = list[Sequence[str]]


def markdown(summary: Summary, plot: Path | None = None, page: Path | None = None) -> str:
    """Write the page.

    Parameters
    ----------
    summary : Summary
    plot : Path, optional
        Picture of the curve, to be linked.
    page : Path, optional
        Where the page will be; the link is relative to it.
    """
    parts = [
        "# w2v compared with " + " and ".join(one.title for one in summary.plan.opponents),
        *_introduction(summary),
    ]
    parts += [
        "## Time and memory",
        _MEDIANS.format(_runs(summary, "Medians")),
        _table(*speed_table(summary)),
        "## Quality",
        *_quality_text(summary),
    ]
    parts += [_table(*quality_table(summary))]
    if summary.curve:
        parts += ["## Quality against time", _CURVE + _means_text(summary), _table(*curve_table(summary))]
        parts += [f"![Quality against time]({_link(plot, page)})"] if plot else []
        parts += [
            text for one in summary.head_starts for text in (_head_start_text(one), _table(*head_start_table(one)))
        ]
    parts += ["## Rules that differ", *_rules(summary)]
    return "\n\n".join(parts) + "\n"


_MEDIANS = (
    "{}.  Each run is a process of its own, one at a time, the tools in turn.  The "
    "whole command is timed from the start of the process to its end; what w2v compiles on first use was compiled "
    "before.  Words/s are those of the training stage: tokens of the vocabulary gone through, before subsampling.  "
    "Memory is the largest resident size of the process."
)
_CURVE = (
    "Each point is a training of its own with the whole learning-rate schedule for its number of epochs; seconds are "
    "those of the whole command, counting the vocabulary included.  "
)


def _introduction(summary: Summary) -> Iterator[str]:
    machine, corpus = summary.machine, summary.plan.corpus
    versions = ", ".join(f"{tool} {version}" for tool, version in summary.versions.items())
    yield (
        f"{machine['date']}, {machine['processor']}, {machine['cores']} of {machine['cores_of_the_machine']} cores, "
        f"{machine['system']}, Python {machine['python']}; {versions}; seeds {_list(summary.plan.seeds)}."
    )
    yield (
        f"Corpus `{corpus.name}`: {corpus.size:,} bytes, {corpus.lines:,} lines, {corpus.tokens:,} words, sha256 "
        f"{corpus.sha256}.  {_cut_lines(corpus)}"
    )
    yield "Settings, under the names of `w2v train`:"
    yield "\n".join(
        f"- {column.title}: {', '.join(f'{name} {value}' for name, value in column.settings.items())}"
        for column in summary.plan.columns
    )


def _cut_lines(corpus: CorpusFacts) -> str:
    if not corpus.over_10000:
        return f"The longest line has {corpus.longest:,} words, so that neither w2v nor gensim cuts any."
    return f"{corpus.over_10000:,} lines have more than 10,000 words; w2v and gensim cut them into pieces of so many."


def speed_table(summary: Summary) -> tuple[Sequence[str], Rows]:
    """Medians of seconds, words/s and memory, and how much w2v is ahead of each opponent."""
    ours = summary.speed[0]
    rows: Rows = []
    for speed in summary.speed:
        stages = [f"{speed.stages[stage].median:.2f}" for stage in (*STAGES, OTHER)]
        memory = f"{speed.peak_memory_mib.median:.0f}" if speed.peak_memory_mib else "-"
        words = f"{speed.words_per_second.median:,.0f}"
        rows.append((speed.column.title, f"{speed.wall.median:.2f}", *stages, words, memory))
    for speed in summary.speed:
        if speed.column in summary.plan.opponents:
            stages = [_ratio(speed.stages[stage], ours.stages[stage]) for stage in (*STAGES, OTHER)]
            words, memory = _ratio(speed.words_per_second, ours.words_per_second), "-"
            if speed.peak_memory_mib and ours.peak_memory_mib:
                memory = _ratio(speed.peak_memory_mib, ours.peak_memory_mib)
            rows.append((f"{speed.column.title} / w2v", _ratio(speed.wall, ours.wall), *stages, words, memory))
    return ("", "whole command, s", *(f"{one}, s" for one in (*STAGES, OTHER)), "words/s", "memory, MiB"), rows


def _ratio(theirs: Values, ours: Values) -> str:
    return f"{theirs.median / ours.median:.3g}" if ours.median else "-"


def _quality_text(summary: Summary) -> Iterator[str]:
    several = len(summary.plan.seeds) > 1
    yield (
        f"{_means_text(summary)}  Spearman's rank correlation x 100; analogies in percent correct.  "
        "Items with a word out of the vocabulary are skipped: seen/total."
    )
    yield (
        "The difference is w2v less the opponent, `*` where it is larger than the spread of either.  p, seeds: Welch's "
        "t-test over the scores of the seeds: would other seeds show a difference?  95 %: interval of the difference "
        "by paired bootstrap over the items that all scored and over the seeds, both drawn anew, questions that ask "
        "for the same pair together: would other seeds and other items show it?"
        if several
        else "The difference is w2v less the opponent.  95 %: interval of the difference by paired bootstrap over the "
        "items that both scored, questions that ask for the same pair together: would other items show it?  Whether "
        "another seed would, one seed cannot tell."
    )


def _runs(summary: Summary, middle: str) -> str:
    return f"{middle} over {len(summary.plan.seeds)} seeds" if len(summary.plan.seeds) > 1 else "One seed"


def _means_text(summary: Summary) -> str:
    several = len(summary.plan.seeds) > 1
    spread = ", spread (largest less smallest) in brackets." if several else ", which shows no spread."
    return _runs(summary, "Means") + spread


def quality_table(summary: Summary) -> tuple[Sequence[str], Rows]:
    """Every score of every column, and w2v's difference to each opponent."""
    opponents = summary.plan.opponents
    header = ["", "seen/total", *(column.title for column in summary.plan.columns)]
    for column in opponents:
        header += [f"w2v less {column.title}" if len(opponents) > 1 else "difference", "p, seeds", "95 %"]
    rows: Rows = []
    for row in summary.quality:
        compared = [cell for one in row.comparisons.values() for cell in _comparison_cells(one)]
        rows.append((row.name, row.seen_of_total, *map(_cell, row.scores), *compared))
    return header, rows


def _comparison_cells(comparison: Comparison | None) -> tuple[str, str, str]:
    if comparison is None:
        return "-", "-", "-"
    p = "-" if comparison.p_seeds is None else f"{comparison.p_seeds:.2g}"
    return f"{comparison.difference:+.1f}{' *' if comparison.beyond_spread else ''}", p, _interval(comparison.interval)


def _interval(interval: tuple[float, float] | None) -> str:
    return f"{interval[0]:+.1f} to {interval[1]:+.1f}" if interval else "-"


def _cell(values: Values | None) -> str:
    if values is None:
        return "-"
    return f"{values.mean:.1f} ({'-' if values.spread is None else f'{values.spread:.1f}'})"


def curve_table(summary: Summary) -> tuple[Sequence[str], Rows]:
    """Seconds and scores of each point, tool by tool."""
    names = [row.name for row in summary.quality]
    tools = list(dict.fromkeys(point.column.title for point in summary.curve))
    points = sorted(summary.curve, key=lambda point: (tools.index(point.column.title), point.epochs))
    rows: Rows = [
        (
            point.column.title,
            str(point.epochs),
            f"{point.wall.mean:.1f}",
            *(_cell(point.scores[name]) for name in names),
        )
        for point in points
    ]
    return ("", "epochs", "seconds", *names), rows


def _head_start_text(one: HeadStart) -> str:
    theirs, ours = one.theirs, one.ours
    return (
        f"In the {theirs.wall.mean:.1f} s in which {theirs.column.title} trains {count_of_epochs(theirs.epochs)}, "
        f"w2v trains {count_of_epochs(ours.epochs)} ({ours.wall.mean:.1f} s):"
    )


def head_start_table(one: HeadStart) -> tuple[Sequence[str], Rows]:
    """Scores of both at that time."""
    rows: Rows = []
    for name, comparison in one.comparisons.items():
        cells = _cell(one.ours.scores[name]), _cell(one.theirs.scores[name])
        rows.append((name, *cells, *_comparison_cells(comparison)))
    trained = [f"{point.column.title}, {count_of_epochs(point.epochs)}" for point in (one.ours, one.theirs)]
    return ("", *trained, "difference", "p, seeds", "95 %"), rows


def _rules(summary: Summary) -> Iterator[str]:
    yield "Settings are equal where the tools let them be.  These rules are not:"
    for column in summary.plan.opponents:
        yield f"{column.title}:"
        yield "\n".join(f"- {rule}" for rule in RULES[column.tool])


def _table(header: Sequence[str], rows: Rows) -> str:
    return render(header, rows, "markdown")


def _link(plot: Path, page: Path | None) -> str:
    return Path(os.path.relpath(plot, page.parent if page else Path.cwd())).as_posix()


def _list(seeds: Sequence[int]) -> str:
    return ", ".join(map(str, seeds))
