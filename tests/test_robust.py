"""What happens around a run: streams that are closed or full, a damaged cache, signals in the middle of a block."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import w2v
import w2v.errors
from w2v.cli.main import Signals, Stopped
from w2v.vectors import Vectors

LINES = "".join(f"w{i % 50} w{(i * 7) % 50} w{(i * 3) % 50} w{i % 11}\n" for i in range(400))
TRAIN = [
    sys.executable,
    "-P",
    "-m",
    "w2v.cli.main",
    "train",
    "corpus.txt",
    "--dim",
    "8",
    "--min-count",
    "1",
    "--epochs",
    "2",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "corpus.txt").write_text(LINES, encoding="utf-8")
    return tmp_path


def shell(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.parametrize("stderr", ["2>&1 | head -1", "2>/dev/full", "2>&-", "--quiet 2>&-"])
def test_training_outlives_its_stderr(stderr: str, folder: Path) -> None:
    command = " ".join([*TRAIN, *stderr.split(" ", 1)]) if stderr.startswith("--") else f"{' '.join(TRAIN)} {stderr}"
    done = shell(f"set -o pipefail; {command}", folder)
    assert done.returncode == 0
    assert len(Vectors.load(folder / "vectors.bin")) == 50


@pytest.mark.parametrize("arguments", ["nn w1", "nn w1 --json", "info vectors.bin"])
@pytest.mark.parametrize("stdout", [">/dev/full", ">&-"])
def test_results_that_cannot_be_written(arguments: str, stdout: str, folder: Path) -> None:
    Vectors(["w1", "w2", "w3"], np.eye(3, dtype=np.float32)).save(folder / "vectors.bin")
    done = shell(f"{sys.executable} -P -m w2v.cli.main {arguments} {stdout}", folder)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "standard output" in done.stderr


def test_closed_stdin(folder: Path) -> None:
    Vectors(["w1", "w2"], np.eye(2, dtype=np.float32)).save(folder / "vectors.bin")
    done = shell(f"{sys.executable} -P -m w2v.cli.main nn <&-", folder)
    assert done.returncode == 2
    assert done.stderr.startswith("Error: no word given")


@pytest.fixture(scope="module")
def filled_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cache")
    (folder / "corpus.txt").write_text(LINES, encoding="utf-8")
    environment = {**os.environ, "W2V_CACHE_DIR": str(folder / "cache")}
    subprocess.run([*TRAIN, "--quiet"], cwd=folder, env=environment, check=True)
    return folder / "cache"


@pytest.mark.parametrize("damage", ["truncate -s 100 {}", "truncate -s 0 {}", "sh -c 'echo garbage > $0' {}"])
def test_damaged_cache_is_replaced(damage: str, folder: Path, filled_cache: Path) -> None:
    environment = {**os.environ, "W2V_CACHE_DIR": str(folder / "cache")}
    shutil.copytree(filled_cache, folder / "cache")
    shell(f"find cache -name '*.nb?' -exec {damage} ';'", folder)
    again = subprocess.run(
        [*TRAIN, "--quiet", "--overwrite"], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert (again.returncode, again.stderr) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists() or shutil.which("bash") is None, reason="needs a Unix shell")
def test_full_cache_is_no_error(folder: Path) -> None:
    # Files of at most 16 kB: machine code takes more, ids and vectors take less.
    done = shell(f"export W2V_CACHE_DIR=cache; ulimit -f 16; {' '.join(TRAIN)} --quiet", folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert (folder / "vectors.bin").exists()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signal_in_the_middle_of_a_long_line(number: signal.Signals, code: int, folder: Path) -> None:
    random = np.random.default_rng(1)
    (folder / "corpus.txt").write_text(
        " ".join(f"w{i}" for i in random.integers(0, 500, 10_000)) + "\n", encoding="utf-8"
    )
    running = subprocess.Popen(
        [*TRAIN, "--window", "line", "--sample", "0", "--epochs", "1000"], cwd=folder, stderr=subprocess.PIPE, text=True
    )
    assert running.stderr is not None
    for line in running.stderr:
        if "epoch 1/" in line:
            break
    sent = time.monotonic()
    running.send_signal(number)
    rest = running.stderr.read()
    assert running.wait(20) == code
    assert time.monotonic() - sent < 10
    assert rest.splitlines()[-1] in ("Interrupted.", "Terminated.")
    assert not (folder / "vectors.bin").exists()


def test_threads_that_do_not_start(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import threading

    start = threading.Thread.start
    started: list[threading.Thread] = []

    def refuse(thread: threading.Thread) -> None:
        if type(thread) is threading.Thread:
            started.append(thread)
            if len(started) == 3:
                raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(w2v.errors.W2VError, match="--threads 8: the system starts no more threads"):
        w2v.train(folder / "corpus.txt", dim=8, min_count=1, threads=8)
    assert not any(thread.is_alive() for thread in started[:2])


def test_signal_while_the_compiler_is_being_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "w2v.kernel.jit", ModuleType("w2v.kernel.jit"))  # as an import begins
    signals = Signals()
    try:
        with pytest.raises(Stopped):
            signals._stop(signal.SIGTERM, None)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


@pytest.mark.parametrize("delay", [0.5, 0.8, 1.3, 2.2])
def test_signal_while_the_compiler_works(delay: float, folder: Path) -> None:
    environment = {**os.environ, "W2V_CACHE_DIR": str(folder / "empty cache")}
    running = subprocess.Popen([*TRAIN, "--quiet"], cwd=folder, env=environment, stderr=subprocess.PIPE, text=True)
    time.sleep(delay)
    running.send_signal(signal.SIGTERM)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 143
    assert said == "Terminated.\n"
    assert not (folder / "vectors.bin").exists()
