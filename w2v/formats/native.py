"""The native model file: safetensors with both matrices, biases, counts, words and metadata."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from w2v.errors import VectorsError
from w2v.formats.base import CHUNK_BYTES, Head
from w2v.formats.words import assemble
from w2v.strict_json import dumps
from w2v.vectors import Vectors

_METADATA = "w2v"
_DTYPES: dict[str, np.dtype[Any]] = {"F32": np.dtype("<f4"), "I64": np.dtype("<i8"), "U8": np.dtype("u1")}


def sniff(head: Head) -> bool:
    """Whether a file begins with a length below 2^40 and the opening brace of JSON."""
    return head.data[5:8] == b"\x00\x00\x00" and head.data[8:9] == b"{"


def read(head: Head) -> Vectors:
    """Map a file into memory; pages are read when they are used, and changes stay in memory.

    Raises
    ------
    VectorsError
        When the header is broken, tensors are missing or do not fit each other, or a bias is not finite.
    """
    path = head.path
    header, data_start = _header(head)
    tensors = {name: _tensor(path, name, entry, data_start) for name, entry in header.items() if name in _SHAPES}
    for name in ("input_vectors", "words"):
        if name not in tensors:
            others = ", ".join(sorted(header.keys() - {"__metadata__"})[:5]) or "none"
            raise VectorsError(f"{path}: no tensor `{name}` (found: {others}); w2v did not write this safetensors file")
    matrix, output_matrix = tensors["input_vectors"], tensors.get("output_vectors")
    counts, bias = tensors.get("counts"), tensors.get("output_bias")
    words = tensors["words"].tobytes()
    n_words = words.count(b"\n") + 1
    if n_words != len(matrix):
        raise VectorsError(f"{path}: {n_words} words for {len(matrix)} vectors; write the file again")
    if output_matrix is not None and output_matrix.shape != matrix.shape:
        raise VectorsError(f"{path}: output_vectors {output_matrix.shape} differ in shape from {matrix.shape}")
    for name, numbers in (("counts", counts), ("biases", bias)):
        if numbers is not None and len(numbers) != len(matrix):
            raise VectorsError(f"{path}: {len(numbers)} {name} for {len(matrix)} vectors; write the file again")
    if counts is not None and counts.min() < 0:
        row = int(counts.argmin())
        raise VectorsError(f"{path}: the count of word {row + 1} is {counts[row]}; counts must not be negative")
    if bias is not None and not np.isfinite(bias).all():
        row = int(np.isfinite(bias).argmin())
        raise VectorsError(f"{path}: output_bias of word {row + 1} is {bias[row]}; biases must be finite")
    vectors = assemble(path, words, b"\n", matrix)
    if len(vectors) < len(matrix):
        raise VectorsError(f"{path}: duplicate words, the first {vectors.duplicate_words[0]!r}")
    vectors.output_matrix, vectors.counts, vectors.output_bias = output_matrix, counts, bias
    vectors.metadata = _metadata(header, path)
    return vectors


def _header(head: Head) -> tuple[dict[str, Any], int]:
    from safetensors import SafetensorError, safe_open

    # The library checks what a hostile header could claim: lengths, offsets, overlaps, nesting.
    try:
        with safe_open(str(head.path), framework="numpy"):
            pass
    except (SafetensorError, OSError) as error:
        raise VectorsError(
            f"{head.path}: not a readable safetensors file ({error}); it is truncated or damaged"
        ) from None
    with head.path.open("rb") as stream:
        length = int.from_bytes(stream.read(8), "little")
        header: dict[str, Any] = json.loads(stream.read(length))
    return header, 8 + length


_SHAPES = {
    "input_vectors": ("F32", 2),
    "output_vectors": ("F32", 2),
    "output_bias": ("F32", 1),
    "counts": ("I64", 1),
    "words": ("U8", 1),
}


def _tensor(path: Path, name: str, entry: dict[str, Any], data_start: int) -> npt.NDArray[Any]:
    dtype, n_axes = _SHAPES[name]
    shape = tuple(entry["shape"])
    if entry["dtype"] != dtype or len(shape) != n_axes or 0 in shape:
        raise VectorsError(
            f"{path}: tensor `{name}` is {entry['dtype']} of shape {shape}; expected {dtype} with {n_axes} "
            f"axes, none of them empty"
        )
    offset = data_start + entry["data_offsets"][0]
    return np.asarray(np.memmap(path, _DTYPES[dtype], mode="c", offset=offset, shape=shape))


def _metadata(header: dict[str, Any], path: Path) -> dict[str, Any]:
    # The library lets a null through, which is as good as none.
    text = (header.get("__metadata__") or {}).get(_METADATA, "{}")
    try:
        metadata = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise VectorsError(f"{path}: its metadata is no JSON ({error})") from None
    if not isinstance(metadata, dict):
        raise VectorsError(f"{path}: its metadata is no JSON object")
    return metadata


def write(vectors: Vectors, streams: Sequence[IO[bytes]]) -> None:
    """Write the tensors one after the other, without a copy of them in memory."""
    (stream,) = streams
    # The widest numbers first, so that every tensor is aligned.
    tensors: list[tuple[str, npt.NDArray[Any] | None]] = [
        ("counts", vectors.counts),
        ("input_vectors", vectors.matrix),
        ("output_vectors", vectors.output_matrix),
        ("output_bias", vectors.output_bias),
        ("words", np.frombuffer("\n".join(vectors.words).encode(), np.uint8)),
    ]
    header: dict[str, Any] = {"__metadata__": {_METADATA: dumps(vectors.metadata)}}
    end = 0
    for name, array in tensors:
        if array is not None:
            header[name] = {
                "dtype": _SHAPES[name][0],
                "shape": array.shape,
                "data_offsets": (end, end + array.nbytes),
            }
            end += array.nbytes
    encoded = dumps(header).encode()
    encoded += b" " * (-len(encoded) % 8)
    stream.write(len(encoded).to_bytes(8, "little") + encoded)
    for name, array in tensors:
        if array is not None:
            write_array(stream, array, _DTYPES[_SHAPES[name][0]])


def write_array(stream: IO[bytes], array: npt.NDArray[Any], dtype: np.dtype[Any]) -> None:
    """Write the numbers of an array in C order, a chunk at a time."""
    step = max(1, CHUNK_BYTES // max(1, array[:1].nbytes))
    for start in range(0, len(array), step):
        stream.write(array[start : start + step].astype(dtype).tobytes())
