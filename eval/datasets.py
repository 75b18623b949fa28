"""Benchmark sets: where gensim keeps its copies, and readers that tell pairs from analogies by content."""

import importlib.util
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from w2v.errors import BenchmarkError
from w2v.formats.regular import open_regular

# Name on the command line -> (title in tables, file in gensim's test data).
BENCHMARKS = {
    "wordsim353": ("WordSim-353", "wordsim353.tsv"),
    "simlex999": ("SimLex-999", "simlex999.txt"),
    "google": ("Google analogies", "questions-words.txt"),
}
# Small corpora that gensim packages beside its benchmark sets.
CORPORA = ("head500.noblanks.cor", "lee_background.cor")
PACKAGED = (*(file for _, file in BENCHMARKS.values()), *CORPORA)

Pair = tuple[str, str, float]
Question = tuple[str, str, str, str]


@dataclass(frozen=True)
class SimilaritySet:
    """Pairs of words with the similarity people gave them."""

    name: str
    pairs: tuple[Pair, ...]


@dataclass(frozen=True)
class Section:
    """Analogy questions of one kind: a is to b as c is to the fourth word."""

    name: str
    questions: tuple[Question, ...]


@dataclass(frozen=True)
class AnalogySet:
    """Sections of analogy questions; a file without section lines is one section without a name."""

    name: str
    sections: tuple[Section, ...]


def packaged_path(file: str) -> Path:
    """Where the installed gensim keeps `file`, found without importing gensim (which takes seconds).

    Raises
    ------
    BenchmarkError
        When gensim is not installed, or has no such file.
    """
    spec = importlib.util.find_spec("gensim")
    if spec is None or not spec.submodule_search_locations:
        raise BenchmarkError(f"{file} comes with gensim, which is not installed: pip install 'w2v[eval]'")
    path = Path(spec.submodule_search_locations[0]) / "test" / "test_data" / file
    if not path.is_file():
        raise BenchmarkError(f"{path}: not in the installed gensim: pip install --force-reinstall gensim")
    return path


def load(name_or_file: str) -> SimilaritySet | AnalogySet:
    """Read a benchmark set by its name in `BENCHMARKS` or from a file.

    Raises
    ------
    BenchmarkError
        When it is missing or malformed.
    """
    if name_or_file.lower() in BENCHMARKS:
        title, file = BENCHMARKS[name_or_file.lower()]
        return read_set(packaged_path(file), title)
    path = Path(name_or_file)
    if not path.exists():
        raise BenchmarkError(f"{path}: no such file, nor one of the names {', '.join(BENCHMARKS)}")
    return read_set(path, path.stem)


def read_set(path: Path, name: str) -> SimilaritySet | AnalogySet:
    """Read a file of word pairs or of analogy questions; its first line of data says which.

    Pairs are lines of two words and a number, separated by tabs, commas or white space, with an optional line
    of headings.  Questions are lines of four words, separated by tabs or white space, and ``: name`` opens a
    section.  Lines that start with ``#`` are comments.

    Raises
    ------
    BenchmarkError
        On a file that cannot be read, is no such text, or has a malformed line, named by its number.
    """
    lines = list(_content_lines(path))
    if not lines:
        raise BenchmarkError(f"{path}: no word pairs or analogy questions in it")
    first = lines[0][1]
    # Headings such as "Word 1,Word 2,Score" are four words too, but three columns.
    if first.startswith(":") or (len(_question_fields(first)) == 4 and len(_pair_fields(first)) != 3):
        return AnalogySet(name, _read_sections(path, lines))
    return SimilaritySet(name, _read_pairs(path, lines))


def _content_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Numbered lines of the file without blank lines and comments."""
    try:
        with open_regular(path) as file:
            text = file.read().decode("utf-8-sig")
    except OSError as error:
        raise BenchmarkError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BenchmarkError(
            f"{path}: not UTF-8 text (byte {error.start}); a compressed file must be decompressed"
        ) from error
    if re.match(r"\s*<(!doctype|html|head|\?xml)", text, re.IGNORECASE):
        raise BenchmarkError(f"{path}: an HTML page, not a benchmark set; download the raw file")
    if "\0" in text:
        raise BenchmarkError(f"{path}: a binary file, not a benchmark set")
    # Not str.splitlines: words may hold the rarer Unicode line separators.
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        if line.strip() and not line.startswith("#"):
            yield number, line.strip()


def _question_fields(line: str) -> list[str]:
    return [field.strip() for field in line.split("\t")] if "\t" in line else line.split()


def _pair_fields(line: str) -> list[str]:
    if "\t" not in line and "," in line:
        return [field.strip() for field in line.split(",")]
    return _question_fields(line)


def _read_sections(path: Path, lines: Sequence[tuple[int, str]]) -> tuple[Section, ...]:
    sections: list[tuple[str, list[Question]]] = []
    for number, line in lines:
        if line.startswith(":"):
            sections.append((line[1:].strip(), []))
            continue
        fields = _question_fields(line)
        if len(fields) != 4 or not all(fields):
            raise BenchmarkError(f"{path}, line {number}: {len(fields)} words; an analogy question has 4")
        if not sections:
            sections.append(("", []))
        sections[-1][1].append((fields[0], fields[1], fields[2], fields[3]))
    if not any(questions for _, questions in sections):
        raise BenchmarkError(f"{path}: sections without analogy questions")
    return tuple(Section(name, tuple(questions)) for name, questions in sections)


def _read_pairs(path: Path, lines: Sequence[tuple[int, str]]) -> tuple[Pair, ...]:
    pairs: list[Pair] = []
    for position, (number, line) in enumerate(lines):
        fields = _pair_fields(line)
        if len(fields) != 3 or not all(fields):
            raise BenchmarkError(
                f"{path}, line {number}: {len(fields)} columns; a pair is two words and a number "
                "(an analogy question is four words)"
            )
        try:
            score = float(fields[2])
        except ValueError:
            score = math.nan
            # A heading is a word: a number with a slip in it must not pass for one.
            if position == 0 and not re.match(r"[-+.\d]", fields[2]):
                continue
        if not math.isfinite(score):
            raise BenchmarkError(f"{path}, line {number}: {fields[2]!r} is not a number")
        pairs.append((fields[0], fields[1], score))
    if not pairs:
        raise BenchmarkError(f"{path}: a line of headings without word pairs")
    return tuple(pairs)
