"""What a comparison was made on: the corpus and the machine."""

import hashlib
import os
import platform
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from w2v.errors import BenchmarkError
from w2v.usage import available_cores

GENSIM_LONGEST = 10_000  # tokens; gensim cuts longer lines, and so does w2v unless told otherwise
FASTTEXT_LONGEST = 1_024


@dataclass(frozen=True)
class CorpusFacts:
    """A corpus as the tools see it: a file of lines.

    Attributes
    ----------
    name, sha256 : str
        Name of the file, digest of its bytes.
    size : int
        Bytes.
    lines, tokens : int
        Lines with a word, words separated by ASCII white space.
    longest : int
        Tokens of the longest line.
    over_10000, over_1024 : int
        Lines that gensim and fastText cut.
    """

    name: str
    sha256: str
    size: int
    lines: int
    tokens: int
    longest: int
    over_10000: int
    over_1024: int


def describe_corpus(path: Path) -> CorpusFacts:
    """Read a corpus once for its digest and its lines' lengths.

    Raises
    ------
    BenchmarkError
        When it is not UTF-8, nor its name.
    """
    try:
        str(path).encode()
    except UnicodeEncodeError as error:
        raise BenchmarkError(
            f"{path}: its name is not UTF-8, and gensim does not come back from such; rename it"
        ) from error
    digest, size, lengths = hashlib.sha256(), 0, []
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            _require_utf8(line, f"{path}: line {number}", size)
            digest.update(line)
            size += len(line)
            lengths.append(len(line.split()))
    return CorpusFacts(
        name=path.name,
        sha256=digest.hexdigest(),
        size=size,
        lines=sum(length > 0 for length in lengths),
        tokens=sum(lengths),
        longest=max(lengths, default=0),
        over_10000=sum(length > GENSIM_LONGEST for length in lengths),
        over_1024=sum(length > FASTTEXT_LONGEST for length in lengths),
    )


def _require_utf8(line: bytes, place: str, start: int) -> None:
    try:
        line.decode()
    except UnicodeDecodeError as error:
        raise BenchmarkError(
            f"{place}, byte {start + error.start} of the file: not UTF-8, and gensim reads no other; "
            "convert the file, as with iconv -f latin1 -t utf-8"
        ) from None


def describe_machine() -> dict[str, Any]:
    """Date, processor, cores this process may use, system, Python."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "processor": _processor(),
        "cores": available_cores(),
        "cores_of_the_machine": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
    }


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")  # platform.processor() is empty on most Linux systems
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()
