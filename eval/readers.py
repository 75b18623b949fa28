"""Readers of benchmark files and folders; the content says which kind of set it is."""

import math
import os
import re
import stat
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path

from w2v.errors import BenchmarkError, shown
from w2v.eval.sets import (
    AnalogySet,
    BenchmarkSet,
    CategorySet,
    Pair,
    Question,
    Related,
    Section,
    SimilaritySet,
    question,
)
from w2v.formats.regular import open_regular

Lines = Sequence[tuple[int, str]]
BATS_CATEGORIES = ("inflectional", "derivational", "encyclopedic", "lexicographic")  # folders; Gladkova et al. 2016
MOST_RELATED = 1000  # lines of a relation: the questions are all pairs of them, which are kept in memory
_HEADING_OF_CLASSES = re.compile("class|category|categories|cluster|label|group", re.IGNORECASE)


def read_set(path: Path, name: str) -> BenchmarkSet:
    """Read a file of word pairs, analogy questions or words with classes, or a BATS folder.

    Columns are separated by tabs, by commas (not in questions) or by white space.  Word pairs are lines of
    two words and a number.  Questions are lines of four words; ``: name`` opens a section.  Words
    with classes are lines of two columns.  A first line of headings is skipped, and so are lines that start
    with ``#``.  In columns set apart by tabs or commas there may be more behind the two words of a pair: the
    first column that holds a number is the score, and the others are not read.

    Raises
    ------
    BenchmarkError
        On what cannot be read, is no such text, or has a malformed line, named by its number.
    """
    if is_folder(path):
        return AnalogySet(name, _read_bats(path))
    lines = _content_lines(path)
    if not lines:
        raise BenchmarkError(f"{path}: no word pairs, analogy questions or words with classes in it")
    first = lines[0][1]
    # Headings have no number in them: the line below tells questions from pairs with more columns.
    has_scores = len(_columns(first)) == 3 or any(_score_column(line) for _, line in lines[:2])
    if first.startswith(":") or (len(_words(first)) == 4 and not has_scores):
        return AnalogySet(name, _read_sections(path, lines))
    _refuse_decimal_commas(path, lines)
    if len(_columns(first)) == 2:
        return CategorySet(name, _read_classes(path, lines))
    return SimilaritySet(name, _read_pairs(path, lines))


def is_folder(path: Path) -> bool:
    """Whether a path is that of a folder.

    Raises
    ------
    BenchmarkError
        When the system will not say, as for too long a name or within a folder one may not enter.
    """
    try:
        return stat.S_ISDIR(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise BenchmarkError(f"{shown(str(path))}: cannot be read: {error.strerror}") from error


def _content_lines(path: Path) -> list[tuple[int, str]]:
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
    numbered = enumerate(re.split(r"\r\n|\r|\n", text), 1)
    return [(number, line.strip()) for number, line in numbered if line.strip() and not line.startswith("#")]


def _refuse_decimal_commas(path: Path, lines: Lines) -> None:
    for number, line in lines:
        fields = line.split()
        if len(fields) == 3 and line.count(",") == 1 and re.fullmatch(r"[-+]?\d+,\d+", fields[2]):
            raise BenchmarkError(
                f"{path}, line {number}: {shown(fields[2])} is not a number; write a point in place of the comma"
            )


def _words(line: str) -> list[str]:
    return [field.strip() for field in line.split("\t")] if "\t" in line else line.split()


def _columns(line: str) -> list[str]:
    if "\t" not in line and "," in line:
        return [field.strip() for field in line.split(",")]
    return _words(line)


def _looks_like(line: str) -> str:
    """What to add to a message about a line: a corpus may have been named by mistake."""
    is_text = "\t" not in line and len(line.split()) > 6
    return "; this looks like a text, not a benchmark set" if is_text else ""


def _number(field: str) -> float | None:
    try:
        return float(field)
    except ValueError:
        return None


def _score_column(line: str) -> int | None:
    """Index of the first column behind two words that holds a number."""
    fields = _columns(line)
    if len(fields) != 3 and not re.search("[\t,]", line):
        return None
    return next((column for column in range(2, len(fields)) if _number(fields[column]) is not None), None)


def _read_sections(path: Path, lines: Lines) -> tuple[Section, ...]:
    sections: list[tuple[str, list[Question]]] = []
    for number, line in lines:
        if line.startswith(":"):
            sections.append((line[1:].strip(), []))
            continue
        fields = _words(line)
        if len(fields) != 4 or not all(fields):
            raise BenchmarkError(
                f"{path}, line {number}: {len(fields)} words; an analogy question has 4{_looks_like(line)}"
            )
        if not sections:
            sections.append(("", []))
        sections[-1][1].append(question(*fields))
    if not any(questions for _, questions in sections):
        raise BenchmarkError(f"{path}: sections without analogy questions")
    return tuple(Section(name, tuple(questions), _google_category(name)) for name, questions in sections)


def _google_category(section: str) -> str:
    # Google's set names its syntactic sections gram1-adjective-to-adverb and so on.
    return ("syntactic" if section.startswith("gram") else "semantic") if section else ""


def _read_bats(folder: Path) -> tuple[Section, ...]:
    """Read a folder of relations, each a file of lines of a word and its counterparts, as ``cat<TAB>feline/animal``.

    The questions are all ordered pairs of two different lines of a file.
    """
    files = _files_below(folder)
    sections = [Section(path.stem, tuple(permutations(_read_related(path), 2)), _bats_category(path)) for path in files]
    if not any(section.questions for section in sections):
        raise BenchmarkError(
            f"{folder}: a folder without analogy questions; one of relations (BATS) holds .txt files of two lines "
            "or more, each a word, a tab, and its counterparts separated by /"
        )
    return tuple(sections)


def _files_below(folder: Path) -> list[Path]:
    def fail(error: OSError) -> None:
        raise BenchmarkError(f"{error.filename}: the folder cannot be listed: {error.strerror}") from error

    below = (Path(parent, name) for parent, _, names in os.walk(folder, onerror=fail) for name in names)
    return sorted(path for path in below if path.suffix == ".txt")


def _bats_category(path: Path) -> str:
    return next((category for category in BATS_CATEGORIES if category in path.parent.name.lower()), "")


def _read_related(path: Path) -> list[Related]:
    pairs: list[Related] = []
    for number, line in _content_lines(path):
        fields = _words(line)
        counterparts = fields[-1].split("/")
        if len(fields) != 2 or not all((fields[0], *counterparts)):
            raise BenchmarkError(
                f"{path}, line {number}: {shown(line)} is not a word, a tab, and its counterparts separated by /"
                f"{_looks_like(line)}"
            )
        pairs.append((fields[0], tuple(counterparts)))
    if len(pairs) > MOST_RELATED:
        raise BenchmarkError(
            f"{path}: {len(pairs):,} lines in one relation; at most {MOST_RELATED:,}, as every pair of them is a "
            "question: split it into several files"
        )
    return pairs


def _read_classes(path: Path, lines: Lines) -> tuple[tuple[str, str], ...]:
    items: list[tuple[str, str]] = []
    for position, (number, line) in enumerate(lines):
        fields = _columns(line)
        if len(fields) != 2 or not all(fields):
            raise BenchmarkError(
                f"{path}, line {number}: {len(fields)} columns; the first line has two, a word and its class"
                f"{_looks_like(line)}"
            )
        if position or not _HEADING_OF_CLASSES.fullmatch(fields[1]):
            items.append((fields[0], fields[1]))
    n_classes = len({name for _, name in items})
    if not 1 < n_classes < len(items):
        raise BenchmarkError(
            f"{path}: two columns, as of words and their classes, but {n_classes} classes of {len(items)} words "
            "(a pair is two words and a number, an analogy question four words; a BATS relation is read by its folder)"
            f"{_looks_like(lines[0][1])}"
        )
    return tuple(items)


def _read_pairs(path: Path, lines: Lines) -> tuple[Pair, ...]:
    # A heading is a word: a number with a slip in it must not pass for one.
    headings = not any(_number(field) is not None or re.match(r"[-+.\d]", field) for field in _columns(lines[0][1])[2:])
    body = lines[1:] if headings and len(_columns(lines[0][1])) > 2 else lines
    if not body:
        raise BenchmarkError(f"{path}: a line of headings without word pairs")
    width, column = len(_columns(body[0][1])), _score_column(body[0][1]) or 2
    return tuple(_read_pair(f"{path}, line {number}", line, width, column) for number, line in body)


def _read_pair(where: str, line: str, width: int, column: int) -> Pair:
    fields = _columns(line)
    if len(fields) != width or width < 3:
        raise BenchmarkError(
            f"{where}: {len(fields)} columns; a pair is two words and a number (an analogy question is four words)"
            f"{_looks_like(line)}"
        )
    if not all(fields[:2]):
        raise BenchmarkError(f"{where}: one of the two words is missing")
    score = _number(fields[column])
    if score is None or not math.isfinite(score):
        raise BenchmarkError(f"{where}: {shown(fields[column])} is not a number{_looks_like(line)}")
    return fields[0], fields[1], score
