"""The JSON file beside vectors that keeps what their format cannot: options, objective, total count."""

import json
from pathlib import Path
from typing import IO

from w2v.vectors import Vectors

_SHAPE = "shape"


def path_of(path: Path) -> Path:
    """`vectors.bin.json` for `vectors.bin`."""
    return path.with_name(f"{path.name}.json")


def write(vectors: Vectors, stream: IO[bytes]) -> None:
    """Write the metadata and the shape, by which a reader knows that the sidecar belongs to the vectors."""
    content = {**vectors.metadata, _SHAPE: list(vectors.matrix.shape)}
    stream.write(json.dumps(content, ensure_ascii=False, indent=2).encode("utf-8", "backslashreplace") + b"\n")


def read_into(vectors: Vectors, path: Path) -> None:
    """Take the metadata of the sidecar of `path` when there is one that belongs to the vectors; else warn."""
    sidecar = path_of(path)
    # Duplicates are dropped from the vectors, not from the shape that was written.
    shape = [len(vectors) + len(vectors.duplicate_words), vectors.dim]
    try:
        content = json.loads(sidecar.read_bytes())
    except FileNotFoundError:
        return
    except (OSError, ValueError, RecursionError) as error:
        vectors.warnings.append(f"{sidecar}: ignored, it cannot be read ({error})")
        return
    if not isinstance(content, dict) or content.pop(_SHAPE, None) != shape:
        vectors.warnings.append(
            f"{sidecar}: ignored, it belongs to other vectors (its shape is not {shape[0]} x {shape[1]})"
        )
        return
    vectors.metadata = content
