"""How kernels are compiled and cached, in processes of their own."""

import ast
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

import w2v
from w2v.kernel import jit
from w2v.kernel.registry import LOSSES
from w2v.kernel.target import LANES

PACKAGE = Path(w2v.__file__).parent
TESTS = Path(__file__).parent

TRAIN = """
import json, sys
sys.path.insert(0, {tests!r})
import numpy as np
from corpora import made_trainer, natural_sentences
from w2v.kernel.alias import build_alias
from w2v.kernel.huffman import join, measure, write_paths
from w2v.kernel.jit import cache_directory
from w2v.kernel.recode import recode
from w2v.kernel.target import LANES
inputs, losses, sweeps = [], [], []
for options in {forms!r}:
    trainer = made_trainer(natural_sentences(300, 80), dim=8, epochs=1, threads=1, **options)
    trainer.run()
    inputs.append(trainer.matrices.inputs[:, :8].tolist())
    losses += trainer.losses
    sweeps.append(trainer._sweep)
compiled = {{*sweeps, build_alias, recode, join, measure, write_paths}}
print(json.dumps({{
    "hits": sum(sum(f.stats.cache_hits.values()) for f in compiled),
    "misses": sum(sum(f.stats.cache_misses.values()) for f in compiled),
    "signatures": sum(len(f.signatures) for f in compiled),
    "folder": str(cache_directory()), "lanes": LANES, "losses": losses, "inputs": inputs,
}}))
"""
DEFAULT: list[dict[str, Any]] = [{"negative": 3}]
# Every objective, architecture, layout, similarity, sampler and correction, each at least once.
SPECIALISATIONS: list[dict[str, Any]] = [
    {},
    {"loss": "nce", "unique": True, "bias": True, "share_noise": 2},
    {"loss": "sampled-softmax", "architecture": "cbow", "share_noise": 2},
    {"loss": "infonce", "multi_positive": True, "direction": "context-from-centre", "learn_temperature": True},
    {"loss": "bpr", "share_noise": 2},
    {"loss": "margin", "share_noise": 2},
    {"loss": "in-batch", "frequency_estimate": "streaming", "similarity": "cosine"},
    {"loss": "softmax"},
    {"loss": "hs", "architecture": "cbow"},
]
N_OTHERS = 5  # alias table, recoding, and three of the Huffman tree


def train(forms: list[dict[str, Any]], **environment: str) -> dict[str, Any]:
    """What one run of some forms in a new process reports."""
    command = [sys.executable, "-c", TRAIN.format(tests=str(TESTS), forms=forms)]
    process = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    assert process.stderr == ""
    result: dict[str, Any] = json.loads(process.stdout)
    return result


def test_the_second_process_compiles_nothing(tmp_path: Path) -> None:
    assert {form.get("loss", "sgns") for form in SPECIALISATIONS} == set(LOSSES)
    first = train(SPECIALISATIONS, W2V_CACHE_DIR=str(tmp_path))
    assert first["folder"].startswith(str(tmp_path))
    assert first["misses"] == first["signatures"] == len(SPECIALISATIONS) + N_OTHERS
    files = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nb?")}
    assert len(files) > len(SPECIALISATIONS) + N_OTHERS
    second = train(SPECIALISATIONS, W2V_CACHE_DIR=str(tmp_path))
    assert second["hits"] == second["signatures"] == len(SPECIALISATIONS) + N_OTHERS
    assert second["misses"] == 0
    assert second["inputs"] == first["inputs"]
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nb?")} == files


def test_options_of_one_type_share_their_machine_code(tmp_path: Path) -> None:
    sides = [{"window": w, "window_side": side, "direction": direction, "negative": 3, "accidental_hits": hits}
             for w, side, direction, hits in ((5, "both", "centre-from-context", "keep"),
                                              ("line", "left", "context-from-centre", "remove"))]  # fmt: skip
    assert train(sides, W2V_CACHE_DIR=str(tmp_path))["signatures"] == 1 + 2


def test_a_cache_folder_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    result = train(DEFAULT, W2V_CACHE_DIR=str(tmp_path / "file" / "cache"))
    assert result["folder"] == "None"
    assert result["hits"] == 0
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="haswell is a processor of x86-64")
def test_avx2_gives_the_same_vectors() -> None:
    # Without AVX-512 in the features too, so that nothing of it is emitted.
    features = (
        "+avx,+avx2,+bmi,+bmi2,+cmov,+cx8,+fma,+fxsr,+lzcnt,+mmx,+movbe,+popcnt,+sse,+sse2,+sse3,+ssse3,+sse4.1,+sse4.2"
    )
    plain = train(DEFAULT)
    avx2 = train(DEFAULT, NUMBA_CPU_NAME="haswell", NUMBA_CPU_FEATURES=features)
    assert avx2["lanes"] == 8
    np.testing.assert_allclose(avx2["losses"], plain["losses"], rtol=1e-4)
    np.testing.assert_allclose(avx2["inputs"], plain["inputs"], atol=1e-3)


def test_the_kernel_tests_pass_on_avx2() -> None:
    # Short and long rows of scores, whole vectors and tiles, all that a softmax needs; layouts against their twins.
    chosen = ("test_dots and (7 or 17 or 5) or old_values and 17 or logistic or finite or of_a_softmax or prefetch or "
              "3-15-7 or its_twin and (mixed or sampled-unique)")  # fmt: skip
    run_tests(["kernel"], chosen, 19, NUMBA_CPU_NAME="haswell")


def test_the_kernel_runs_without_the_compiler() -> None:
    # Reading or writing behind the end of an array is an error here.
    chosen = "not noise_of and not mirror"
    run_tests(["kernel", "layouts", "similarity"], chosen, 100, NUMBA_DISABLE_JIT="1")


def run_tests(names: list[str], chosen: str, at_least: int, **environment: str) -> None:
    """Tests of the kernel under another setting of Numba, warnings being errors."""
    process = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", chosen,
         *(str(TESTS / f"test_{name}.py") for name in names)],
        env={**os.environ, **environment}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert process.returncode == 0, process.stdout[-3000:]
    passed = re.search(r"(\d+) passed", process.stdout)
    assert passed
    assert int(passed[1]) >= at_least
    assert "skipped" not in process.stdout


def test_training_from_text_runs_without_the_compiler(tmp_path: Path) -> None:
    (tmp_path / "corpus.txt").write_text("a b a c\nb c a b\nc a\n" * 30)
    program = """
import sys, json, w2v
model = w2v.train(sys.argv[1], dim=8, epochs=2, threads=1, sample=0.0, negative=2)
print(json.dumps([model.vocabulary.words, model.losses, model.input_vectors.tolist()]))
"""
    results = []
    for disable in ("0", "1"):
        process = subprocess.run(
            [sys.executable, "-W", "error::RuntimeWarning", "-c", program, str(tmp_path / "corpus.txt")],
            env={**os.environ, "NUMBA_DISABLE_JIT": disable}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert process.returncode == 0, process.stderr
        results.append(json.loads(process.stdout))
    compiled, interpreted = results
    assert interpreted[0] == compiled[0] == ["a", "b", "c"]
    np.testing.assert_allclose(interpreted[1], compiled[1], rtol=1e-5)
    np.testing.assert_allclose(interpreted[2], compiled[2], atol=1e-5)


def digest_of(root: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(jit, "SOURCE_ROOT", root)
    jit.source_digest.cache_clear()
    try:
        return jit.source_digest()
    finally:
        jit.source_digest.cache_clear()


def test_any_change_of_a_kernel_changes_the_digest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = tmp_path / "kernel"
    shutil.copytree(PACKAGE / "kernel", copy, ignore=shutil.ignore_patterns("__pycache__"))
    before = digest_of(tmp_path, monkeypatch)
    assert before == digest_of(PACKAGE, monkeypatch)
    seen = {before}
    sources = sorted(copy.rglob("*.py"))
    for path in sources:
        path.write_bytes(path.read_bytes() + b"# changed\n")
        seen.add(digest_of(tmp_path, monkeypatch))
    assert len(seen) == len(sources) + 1
    monkeypatch.setattr(numba, "__version__", "another")
    assert digest_of(tmp_path, monkeypatch) not in seen


def decorated(path: Path) -> list[tuple[str, list[str]]]:
    """Functions of a file with the names of their decorators."""
    functions = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef):
            names = [ast.unparse(d.func if isinstance(d, ast.Call) else d) for d in node.decorator_list]
            functions.append((node.name, names))
    return functions


def test_compiled_functions_live_in_the_kernel_and_go_through_its_jit() -> None:
    for path in PACKAGE.rglob("*.py"):
        in_kernel = path.is_relative_to(PACKAGE / "kernel")
        for name, decorators in decorated(path):
            compiles = {"jit", "inline", "intrinsic", "overload"} & set(decorators)
            assert in_kernel or not compiles, f"{path}: {name} is outside what the digest covers"
        if path.name != "jit.py":
            code = ast.unparse(ast.parse(path.read_text()))
            assert "njit" not in code
            assert "numba.jit" not in code
            assert "vectorize" not in code


def test_kernels_never_take_constants_from_outside_the_digest() -> None:
    for path in (PACKAGE / "kernel").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("w2v"):
                assert node.module.startswith("w2v.kernel"), f"{path} imports {node.module}"


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="looks at what the compiler made")
def test_the_vector_code_is_float32() -> None:
    from w2v.kernel.rows import logistic_residual
    from w2v.kernel.simd import dots, update

    @numba.njit
    def call(inputs, input_ids, outputs, output_ids, scores, weights, lr):  # noqa: PLR0917
        dots(inputs, input_ids, 3, outputs, output_ids, scores, 64, 5)
        logistic_residual(scores, weights, weights, 24, lr)
        update(inputs, input_ids, 3, outputs, output_ids, scores, 64, 5)

    matrix, ids, scores = np.ones((4, 64), np.float32), np.zeros(5, np.int64), np.ones(64, np.float32)
    call(matrix, ids, matrix.copy(), ids, scores, scores.copy(), np.float32(0.1))
    (code,) = call.inspect_llvm().values()
    assert f"<{LANES} x float>" in code
    assert not re.search(r"<\d+ x double>|fmuladd\.f64|f(mul|add|sub|div) (\w+ )*double|fpext", code)


def test_the_processor_decides_on_the_lanes() -> None:
    program = "from w2v.kernel.target import LANES; print(LANES)"
    for environment, lanes in (
        ({"NUMBA_CPU_NAME": "haswell"}, 8),
        ({"NUMBA_CPU_NAME": "generic"}, 8),
        ({"NUMBA_CPU_FEATURES": "+avx2,+avx512fp16"}, 8),
        ({"NUMBA_CPU_NAME": "skylake-avx512", "NUMBA_CPU_FEATURES": "+avx2,+avx512f"}, 16),
    ):
        output = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        assert int(output) == lanes
