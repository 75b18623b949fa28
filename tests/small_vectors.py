"""Vectors of a few words whose cosines are known, and files of a few lines."""

from pathlib import Path

import numpy as np

from w2v.vectors import Vectors


def at_angles(**degrees: float) -> Vectors:
    """Words in the plane, each at an angle; the lengths differ, since they must not matter."""
    angles = np.radians(list(degrees.values()))
    lengths = np.arange(1, len(angles) + 1)
    matrix = np.stack([np.cos(angles), np.sin(angles)], axis=1) * lengths[:, None]
    return Vectors(list(degrees), matrix.astype(np.float32))


def family() -> Vectors:
    """Gender is the first axis, royalty the second, age the third; `king` stands nearest to most sums."""
    words = {
        "man": (1, 0, 1), "woman": (-1, 0, 1), "king": (1, 2, 1), "queen": (-1, 2, 1),
        "boy": (1, 0, -1), "girl": (-1, 0, -1), "prince": (1, 2, -1), "princess": (-1, 2, -1),
    }  # fmt: skip
    return Vectors(list(words), np.array(list(words.values()), dtype=np.float32))


def of_words(*words: str, **metadata: object) -> Vectors:
    """Words whose vectors do not matter."""
    return Vectors(list(words), np.eye(len(words), dtype=np.float32), metadata=metadata)


def write(path: Path, text: str | bytes) -> Path:
    """Write a file, with its folders, and return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path
