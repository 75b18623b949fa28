"""The comparison of w2v with other tools: which runs it takes, in which order, and what came out of each."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from w2v.errors import BenchmarkError
from w2v.eval.report import Report, score_sets
from w2v.eval.sets import BenchmarkSet
from w2v.eval.tools import runs
from w2v.eval.tools.facts import CorpusFacts
from w2v.eval.tools.kept import Job, Store
from w2v.eval.tools.runs import OPPONENTS, REMEDY, TOOLS, Options, Run, Settings, settings_of
from w2v.vectors import Vectors

OWN_DEFAULTS = ("dim", "min_count", "threads")  # what w2v at its own defaults is told: size, vocabulary, machine


@dataclass(frozen=True)
class Column:
    """A tool with settings: a column of the tables, or a point of the curve."""

    title: str
    tool: str
    settings: Settings

    def with_epochs(self, epochs: int) -> "Column":
        """The same with another number of epochs."""
        return Column(self.title, self.tool, self.settings | {"epochs": epochs})


@dataclass(frozen=True)
class Plan:
    """What is to be compared.

    Attributes
    ----------
    corpus : CorpusFacts
    columns : sequence of Column
        w2v first, then w2v at its own defaults if asked for, then the opponents.
    points : sequence of Column
        Points of the curve of quality against time.
    seeds : sequence of int
    """

    corpus: CorpusFacts
    columns: Sequence[Column]
    points: Sequence[Column]
    seeds: Sequence[int]

    def job(self, column: Column, seed: int) -> Job:
        """The run of a column with a seed."""
        return Job.of(column.tool, self.corpus.sha256, column.settings, seed)

    def jobs(self) -> list[Job]:
        """All runs, the tools in turn, those of the tables first; each once."""
        return list(
            dict.fromkeys(
                self.job(column, seed)
                for columns in (self.columns, self.points)
                for seed in self.seeds
                for column in columns
            )
        )

    @property
    def opponents(self) -> list[Column]:
        """The columns that are not w2v's."""
        return [column for column in self.columns if column.tool != "w2v"]


@dataclass(frozen=True)
class Outcome:
    """A run and its vectors' scores."""

    run: Run
    reports: list[Report]


Outcomes = dict[Job, Outcome]


def columns_for(options: Options, opponents: Sequence[str], own_defaults: bool) -> list[Column]:
    """The columns of the tables."""
    ours = settings_of("w2v", options)
    own = {name: ours[name] for name in OWN_DEFAULTS}
    return [
        Column("w2v", "w2v", ours),
        *([Column("w2v, own defaults", "w2v", own)] if own_defaults else []),
        *(Column(TOOLS[name].title, name, settings_of(name, options)) for name in opponents),
    ]


def points_for(columns: Sequence[Column], epochs_of: dict[str, list[int]]) -> list[Column]:
    """The points of the curve, the tools in turn; w2v at its own defaults has none."""
    curves = [
        [column.with_epochs(epochs) for epochs in epochs_of[column.tool]]
        for column in columns
        if column.tool in epochs_of and "epochs" in column.settings
    ]
    longest = max(map(len, curves), default=0)
    return [curve[place] for place in range(longest) for curve in curves if place < len(curve)]


def opponents_named(names: str | None) -> list[str]:
    """The tools of a list such as ``gensim,fasttext``; all that are installed when None.

    Raises
    ------
    BenchmarkError
        When a name is unknown or its tool is not installed, or when there is none to compare with.
    """
    chosen = [name for name in OPPONENTS if runs.is_installed(name)] if names is None else re.split("[, ]+", names)
    for name in chosen:
        if name not in OPPONENTS:
            raise BenchmarkError(f"--with {names}: {name!r} is not one of {', '.join(OPPONENTS)}")
        if not runs.is_installed(name):
            raise BenchmarkError(f"{TOOLS[name].title} is not installed: {REMEDY[name]}")
    if not chosen:
        raise BenchmarkError(f"nothing to compare with is installed: {REMEDY['gensim']}")
    return list(dict.fromkeys(chosen))


def parse_curve(texts: Sequence[str], tools: Sequence[str]) -> dict[str, list[int]]:
    """Numbers of epochs for each tool, from ``1,2,5`` (all tools) and ``w2v=1,2,4,8`` (one of them).

    Raises
    ------
    BenchmarkError
        When one is neither, or names a tool that is not compared.
    """
    epochs_of: dict[str, list[int]] = {}
    for text in sorted(texts, key=lambda text: "=" in text):
        match = re.fullmatch(r"(?:(\w+)=)?([1-9]\d{0,5}(?:,[1-9]\d{0,5})*)", text)
        if match is None:
            raise BenchmarkError(f"--curve {text}: give numbers of epochs, as 1,2,5 or w2v=1,2,4,8")
        if match[1] and match[1] not in tools:
            raise BenchmarkError(f"--curve {text}: {match[1]} is not compared; compared are {', '.join(tools)}")
        for tool in [match[1]] if match[1] else tools:
            epochs_of[tool] = sorted({int(epochs) for epochs in match[2].split(",")})
    return epochs_of


def carry_out(plan: Plan, store: Store, sets: Sequence[BenchmarkSet], say: Callable[[str], None]) -> Outcomes:
    """Make the runs that are not kept already, each a process of its own, and score the vectors of all.

    Raises
    ------
    BenchmarkError
        When a training fails.
    """
    jobs = plan.jobs()
    _compile([job for job in jobs if store.find(job) is None], say)
    outcomes: Outcomes = {}
    for number, job in enumerate(jobs, 1):
        kept = store.find(job)
        place = f"{number}/{len(jobs)} {job}"
        if kept is None:
            for reason in store.near_misses(job):
                say(reason)
            kept = store.make(job)
            say(f"{place}: {kept.run.wall:.2f} s, {kept.run.words_per_second:,.0f} words/s")
        else:
            say(f"{place}: {kept.vectors.name}, made before")
        outcomes[job] = Outcome(kept.run, score_sets(Vectors.load(kept.vectors), sets))
    return outcomes


def _compile(jobs: Sequence[Job], say: Callable[[str], None]) -> None:
    """Have w2v compile what these jobs need, before any clock runs; epochs make no difference."""
    ours = [dict(job.settings) | {"epochs": 1} for job in jobs if job.tool == "w2v"]
    forms = [settings for place, settings in enumerate(ours) if settings not in ours[:place]]
    if forms:
        say("compiling what is not compiled yet")
    for settings in forms:
        runs.warm_up(settings)
