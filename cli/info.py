"""`w2v info`: what is in a file of vectors."""

from pathlib import Path
from typing import Any

import click
import numpy as np
import numpy.typing as npt

from w2v.cli.lookup import load_vectors
from w2v.cli.output import print_json, print_rows
from w2v.errors import ConfigError
from w2v.formats import recognise
from w2v.metadata import read_config
from w2v.objective import applies
from w2v.options import is_finite_number
from w2v.strict_json import dumps
from w2v.vectors import Vectors

_FIRST_WORDS = 10


@click.command()
@click.argument("path", metavar="[FILE]", envvar="W2V_VECTORS", default="vectors.bin",
                type=click.Path(path_type=Path))  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(*, path: Path, as_json: bool) -> None:
    """Describe FILE (default: $W2V_VECTORS, else vectors.bin).

    \b
      w2v info vectors.bin
      w2v info vectors.bin --json

    Shows format, number of words, dimension, first words, the smallest, median and largest norm, rows that
    are zero or hold NaN or infinity, duplicate words, output biases (smallest, median, largest), and what is
    kept about the training: total count, objective, temperature, options, program.  Whatever is odd about the file
    is said on stderr.
    """
    vectors = load_vectors(path)
    facts = describe(vectors, path)
    if as_json:
        print_json(facts)
        return
    norms, bias = facts.pop("norms"), facts.pop("output_bias")
    metadata = facts.pop("metadata")
    facts["first_words"] = " ".join(facts["first_words"])
    facts |= {f"norm_{name}": value for name, value in norms.items()}
    facts |= {f"output_bias_{name}": value for name, value in (bias or {}).items()}
    facts |= {key: value for key, value in metadata.items() if key not in ("config", "total_count")}
    facts |= {key: value for key, value in _options(metadata).items() if key not in facts}
    rows = [(name.replace("_", " "), _plain(value)) for name, value in facts.items() if value is not None]
    print_rows(("", ""), rows)


def describe(vectors: Vectors, path: Path) -> dict[str, Any]:
    """Facts about vectors and the file they come from, as plain JSON values."""
    norms, bias = vectors.norms, vectors.output_bias
    total = vectors.metadata.get("total_count") if vectors.counts is None else int(vectors.counts.sum())
    return {
        "file": str(path),
        "format": recognise(path)[0].name,
        "bytes": path.stat().st_size,
        "words": len(vectors),
        "dimensions": vectors.dim,
        "first_words": vectors.words[:_FIRST_WORDS],
        "norms": _spread(norms),
        "zero_rows": int((norms == 0).sum()),
        "non_finite_rows": int((~np.isfinite(norms)).sum()),
        "duplicate_words": len(vectors.duplicate_words),
        "total_count": total,
        "counts": vectors.counts is not None,
        "output_vectors": vectors.output_matrix is not None,
        "output_bias": None if bias is None else _spread(bias),
        "metadata": vectors.metadata,
    }


def _options(metadata: dict[str, Any]) -> dict[str, Any]:
    """The options of the training that mean something beside the others; all when they make no sense together."""
    options = metadata.get("config")
    try:
        config = read_config(metadata)
    except ConfigError:
        config = None
    if not isinstance(options, dict) or config is None:
        return options if isinstance(options, dict) else {}
    return {name: value for name, value in options.items() if applies(config, name)}


def _spread(numbers: npt.NDArray[Any]) -> dict[str, float | None]:
    """Smallest, median and largest of the finite numbers."""
    finite = numbers[np.isfinite(numbers)]
    return {
        "min": float(finite.min()) if finite.size else None,
        "median": float(np.median(finite)) if finite.size else None,
        "max": float(finite.max()) if finite.size else None,
    }


def _plain(value: Any) -> Any:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list) and all(number is None or is_finite_number(number) for number in value):
        return " ".join("?" if number is None else f"{number:.4f}" for number in value)
    return dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value
