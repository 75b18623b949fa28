"""The temporary file of ids: recoding against a slow twin, blocks, and that nothing is left behind."""

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive_text import END, naive_recode

from w2v import stream as stream_module
from w2v.errors import CorpusError, OutputError
from w2v.stream import IdStream


def blocks_of(stream: IdStream) -> list[list[int]]:
    return [stream.block(i)[0].tolist() for i in range(stream.n_blocks)]


def sentences_of(block: list[int]) -> list[list[int]]:
    ends = [i for i, word in enumerate(block) if word == END]
    return [block[begin:end] for begin, end in zip([0, *(i + 1 for i in ends)], ends, strict=False)]


@given(
    st.lists(st.integers(END, 5), max_size=200),
    st.lists(st.integers(-1, 3), min_size=6, max_size=6),
    st.integers(1, 12),
    st.integers(1, 60),
    st.integers(1, 7),
)
def test_recode_against_the_twin(ids: list[int], final: list[int], target: int, chunk: int, pieces: int) -> None:
    ids = [*ids, 0, END]
    with pytest.MonkeyPatch.context() as patch, IdStream() as stream:
        patch.setattr(stream_module, "CHUNK", chunk)
        for part in np.array_split(np.array(ids, np.int32), pieces):
            stream.append(part)
        stream.recode(np.array(final, np.int32), target)
        expected = naive_recode(ids, final, target)
        assert blocks_of(stream) == expected
        assert blocks_of(stream)[::-1] == expected[::-1]
        sentences = [i for block in expected for i in block].count(END)
        assert stream.n_sentences == sentences
        tokens = [sum(i != END for i in block) for block in expected]
        assert [stream.block(i)[1] for i in range(stream.n_blocks)] == tokens
        assert stream.n_tokens == sum(tokens)
        assert stream.longest == max((len(s) for block in expected for s in sentences_of(block)), default=0)


def test_every_token_once_in_blocks_of_about_the_target() -> None:
    random = np.random.default_rng(1)
    ids = random.integers(0, 1000, 2_000_000).astype(np.int32)
    ids[random.integers(0, len(ids), 100_000)] = END
    ids[-1] = END
    with IdStream() as stream:
        stream.append(ids)
        stream.recode(np.arange(1000, dtype=np.int32), 5000)
        blocks = blocks_of(stream)
        tokens = np.concatenate(blocks)
        assert tokens[tokens != END].tolist() == ids[ids != END].tolist()
        sizes = np.array([stream.block(i)[1] for i in range(stream.n_blocks)])
        assert sizes[:-1].min() >= 5000
        assert sizes.max() < 5000 + stream.longest


def test_the_file_has_no_name_and_closes(tmp_path: Path) -> None:
    with IdStream(str(tmp_path)) as stream:
        stream.append(np.zeros(1000, np.int32))
        assert list(tmp_path.iterdir()) == []
    with pytest.raises(RuntimeError), IdStream(str(tmp_path)) as stream:
        raise RuntimeError
    with pytest.raises(ValueError, match="closed"):
        stream.block(0) if stream.n_blocks else stream.append(np.zeros(1, np.int32))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_nothing_is_left_when_the_process_is_killed(tmp_path: Path, number: int) -> None:
    code = (
        "import sys, time, numpy as np\nfrom w2v.stream import IdStream\n"
        "stream = IdStream(sys.argv[1])\nstream.append(np.zeros(10000, np.int32))\nprint('ready', flush=True)\n"
        "time.sleep(60)"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL)  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    os.kill(process.pid, number)
    assert process.wait(timeout=20) != 0
    process.stdout.close()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("folder", ["missing", "file", "file/below"])
def test_a_folder_that_cannot_be_used(tmp_path: Path, folder: str) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputError, match="--tmp-dir") as caught:
        IdStream(str(tmp_path / folder))
    assert str(tmp_path / folder) in str(caught.value)


def test_no_temporary_folder_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> str:
        raise FileNotFoundError(2, "No usable temporary directory found")

    monkeypatch.setattr("tempfile.gettempdir", fail)
    with pytest.raises(OutputError, match=r"No usable temporary directory.*--tmp-dir"):
        IdStream()


def test_a_full_folder(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with IdStream(str(tmp_path)) as stream:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
        try:
            stream.append(np.zeros(10_000, np.int32))
            with pytest.raises(OutputError) as caught:
                stream.append(np.zeros(50_000, np.int32))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert str(caught.value).startswith(f"{tmp_path}: no space left")
    assert "40000 bytes so far" in str(caught.value)
    assert "--tmp-dir" in str(caught.value)


def test_another_error_while_writing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def write(self, _data: object) -> int:
            raise OSError(5, "Input/output error")

        def close(self) -> None:
            pass

    with IdStream(str(tmp_path)) as stream:
        monkeypatch.setattr(stream, "_file", Broken())
        with pytest.raises(OutputError, match=r"cannot be written \(Input/output error\)"):
            stream.append(np.zeros(1, np.int32))


def test_a_file_cut_short_by_somebody(tmp_path: Path) -> None:
    with IdStream(str(tmp_path)) as stream:
        stream.append(np.array([0, 0, END], np.int32))
        stream.recode(np.zeros(1, np.int32), 1)
        stream._file.truncate(4)
        with pytest.raises(CorpusError, match="cut short"):
            stream.block(0)


def test_recode_does_not_slow_down_with_the_number_of_blocks() -> None:
    ids = np.tile(np.array([0, END], np.int32), 500_000)
    with IdStream() as stream:
        stream.append(ids)
        begun = time.perf_counter()
        stream.recode(np.zeros(1, np.int32), 1)
        assert time.perf_counter() - begun < 5
        assert stream.n_blocks == 500_000
