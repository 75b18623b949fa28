"""What a process says of its memory."""

import subprocess
import sys

import numpy as np
import pytest

from w2v.usage import peak_memory_mib


def test_a_large_array_shows() -> None:
    before = peak_memory_mib()
    assert before is not None
    assert 10 < before < 100_000
    array = np.ones(max(1, int(before)) * 2**17 + 2**24)  # more than all there was
    after = peak_memory_mib()
    assert after is not None
    assert after > before + 100
    assert array.size


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the counter begins with the parent's size")
def test_the_size_of_the_parent_does_not_count() -> None:
    ballast = np.ones(2**26)  # 512 MiB
    program = "from w2v.usage import peak_memory_mib; print(peak_memory_mib())"
    own = float(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout)
    assert own < 200
    assert ballast.size
