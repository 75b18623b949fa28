"""The JSON file beside vectors that keeps what their format cannot: options, objective, total count, biases.

Output biases are the value `output_bias`: float32, little-endian, in the order of the words, as base64.  A list of
decimals would be three times as long, a line a number.
"""

import base64
import json
from pathlib import Path
from typing import IO, Any

import numpy as np

from w2v.errors import shown
from w2v.strict_json import dumps
from w2v.vectors import Vectors

_SHAPE = "shape"
_BIAS = "output_bias"
_NUMBER = np.dtype("<f4")


def path_of(path: Path) -> Path:
    """`vectors.bin.json` for `vectors.bin`."""
    return path.with_name(f"{path.name}.json")


def write(vectors: Vectors, stream: IO[bytes]) -> None:
    """Write the metadata and the shape, by which a reader knows that the sidecar belongs to the vectors."""
    content = {**vectors.metadata, _SHAPE: list(vectors.matrix.shape)}
    if vectors.output_bias is not None:
        content[_BIAS] = base64.b64encode(vectors.output_bias.astype(_NUMBER).tobytes()).decode()
    stream.write(dumps(content, ensure_ascii=False, indent=2).encode("utf-8", "backslashreplace") + b"\n")


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
    if _BIAS in content:
        _take_bias(vectors, content.pop(_BIAS), sidecar)
    vectors.metadata = content


def _take_bias(vectors: Vectors, text: Any, sidecar: Path) -> None:
    try:
        numbers = base64.b64decode(text, validate=True)
    except (TypeError, ValueError):
        numbers = b""
    if len(numbers) != len(vectors) * _NUMBER.itemsize:
        vectors.warnings.append(f"{sidecar}: its {_BIAS} ignored, it is not the base64 of {len(vectors)} float32")
        return
    bias = np.frombuffer(numbers, _NUMBER).astype(np.float32)
    if not np.isfinite(bias).all():
        word = vectors.words[int(np.isfinite(bias).argmin())]
        vectors.warnings.append(f"{sidecar}: its {_BIAS} ignored, that of {shown(word)} is not finite")
        return
    vectors.output_bias = bias
