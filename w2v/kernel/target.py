"""What the processor offers: vector width and the tile sizes that fit its registers."""

from itertools import pairwise

import llvmlite.binding
import numba
from numba.extending import register_jitable


def _has_avx512() -> bool:
    if numba.config.CPU_FEATURES is not None:
        return "+avx512f" in numba.config.CPU_FEATURES.split(",")
    if numba.config.CPU_NAME is not None:  # a processor that was named gets what every processor has
        return False
    return bool(llvmlite.binding.get_host_cpu_features().get("avx512f", False))


AVX512 = _has_avx512()
LANES = 16 if AVX512 else 8
# Each pass of the update holds UPDATE_TILE x UPDATE_VECTORS parts of output rows in registers: AVX-512 has 32
# of them, AVX2 has 16.
UPDATE_TILE = 8 if AVX512 else 4
UPDATE_VECTORS = 2

UNROLLED = 1024  # width up to which a row is written out vector by vector; beyond, compilation would take minutes


def padded(dim: int) -> int:
    """Width of a matrix row in float32: `dim` rounded up to whole vectors."""
    return -(-dim // LANES) * LANES


register_jitable(padded)  # compiled code calls it too


def tiles(n: int, largest: int) -> list[tuple[int, int]]:
    """0..n cut into the fewest ranges of at most `largest`, as equal as can be."""
    count = -(-n // largest)
    cuts = [n * i // count for i in range(count + 1)]
    return list(pairwise(cuts))


def score_stride(n_out: int) -> int:
    """Elements between two rows of scores: a power of two up to LANES, then whole vectors.

    Rows then never straddle two vector stores, so that what one step stores the next can load at once.
    """
    if n_out <= LANES:
        return 1 << (n_out - 1).bit_length()
    return padded(n_out)
