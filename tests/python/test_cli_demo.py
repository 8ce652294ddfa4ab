# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tegula demo`, and the ready-made kernels that it runs."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from click.testing import CliRunner, Result

from tegula import ops
from tegula.cli.app import tegula
from tegula.errors import ShapeError, TegulaError

NAMES = ("gemm_bias_gelu", "softmax", "layer_norm", "attention")


def demo(*arguments: str) -> Result:
    return CliRunner().invoke(tegula, ["demo", *arguments], catch_exceptions=False)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Arrays for every kernel, small and of odd sizes."""
    rng = np.random.default_rng(3)
    shapes = {
        "a": (33, 20), "b": (20, 17), "bias": (17,), "x": (37, 100), "weight": (100,),
        "shift": (100,), "q": (2, 50, 24), "k": (2, 70, 24), "v": (2, 70, 24),
    }  # fmt: skip
    path = tmp_path / "small.npz"
    np.savez(path, **{n: rng.standard_normal(s).astype("f4") for n, s in shapes.items()})
    return path


@pytest.mark.cpu
def test_demo_compiles_runs_checks_and_writes_ir(small: Path, tmp_path: Path) -> None:
    result = demo("--input", str(small), "--dump", str(tmp_path / "ir"))
    assert result.exit_code == 0, result.output
    lines = {line.split()[0]: line.split() for line in result.output.splitlines() if line.strip()}
    for name in NAMES:
        assert lines[name][2:4] == ["float32", "cpu"]
        assert lines[name][-1] == "ok"
        files = sorted(path.name for path in (tmp_path / "ir" / name).iterdir())
        assert files[0] == "0-tile.mlir"
        assert "5-llvm.ll" in files
        assert "7-asm.s" in files
        assert f"{tmp_path / 'ir' / name}: 0-tile.mlir" in result.output
    assert lines["gemm_bias_gelu"][1] == "33x17x20"
    assert "GFLOP/s" in lines["attention"]
    assert "GB/s" in lines["softmax"]


@pytest.mark.cpu
def test_a_failed_check_fails_the_demo(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module("tegula.ops.softmax")
    right = module.reference
    monkeypatch.setattr(module, "reference", lambda x: right(x) + 0.01)
    result = demo("--input", str(small), "--only", "softmax", "--only", "layer_norm")
    assert result.exit_code == 1
    assert "FAILED" in result.output
    assert "softmax: the error" in result.output
    assert "attention" not in result.output


@pytest.mark.cpu
def test_an_error_in_one_kernel_leaves_the_others(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(x: object) -> None:
        raise TegulaError("no luck with [brackets]")

    monkeypatch.setattr(importlib.import_module("tegula.ops.softmax"), "softmax", fail)
    result = demo("--input", str(small), "--only", "softmax", "--only", "layer_norm")
    assert result.exit_code == 1
    assert "softmax: no luck with [brackets]" in result.output
    assert " ok" in result.output


@pytest.mark.cpu
@pytest.mark.parametrize(
    ("arrays", "text"),
    [
        ({"x": np.zeros((3, 4), np.int32)}, "x has dtype int32, but softmax takes float64"),
        ({"x": np.zeros(3, np.float32)}, r"x has shape \(3,\), but softmax takes 2"),
        ({"a": np.zeros((3, 4)), "b": np.zeros((5, 6))}, "a has 4 columns, but b has 5 rows"),
        ({"q": np.zeros((3, 4)), "k": np.zeros((5, 6))}, "which does not go with"),
    ],
)
def test_arrays_that_do_not_fit(tmp_path: Path, arrays: dict[str, np.ndarray], text: str) -> None:
    np.savez(tmp_path / "in.npz", **arrays)
    only = {"x": "softmax", "a": "gemm_bias_gelu", "q": "attention"}[next(iter(arrays))]
    result = demo("--input", str(tmp_path / "in.npz"), "--only", only)
    assert result.exit_code == 1
    assert re.search(text, " ".join(result.output.split())), result.output


def test_wrong_options() -> None:
    result = demo("--only", "sort")
    assert result.exit_code == 1
    assert "no kernel 'sort'; its kernels are: gemm_bias_gelu, softmax" in result.output
    assert demo("--dtype", "int8").exit_code == 2
    assert demo("--threads", "0").exit_code == 2
    result = demo("--device", "tpu")
    assert "there is no target 'tpu'" in result.output


def test_a_device_that_is_not_here_is_refused_first(monkeypatch: pytest.MonkeyPatch) -> None:
    from tegula._compile.cpu import CpuTarget
    from tegula._compile.targets import Availability

    monkeypatch.setattr(CpuTarget, "can_run", lambda self: Availability(False, "no one", "buy one"))
    result = demo("--device", "cpu")
    assert result.exit_code == 1
    assert result.output.strip() == "Error: cannot run on cpu: no one\nto fix it: buy one"


def values(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    return rng.standard_normal(shape).astype(getattr(ml_dtypes, dtype, dtype))


TOLERANCE = {"float64": 1e-12, "float32": 1e-5, "float16": 2e-3, "bfloat16": 1.5e-2}


def check(name: str, dtype: str, *inputs: np.ndarray, module: str = "", **options: bool) -> None:
    got = getattr(ops, name)(*inputs, **options)
    reference = importlib.import_module(f"tegula.ops.{module or name}").reference
    expected = reference(*inputs, **options)
    assert got.dtype == inputs[0].dtype
    scale = np.max(np.abs(expected), initial=1e-30)
    np.testing.assert_allclose(got.astype("f8") / scale, expected / scale, 0, TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_ready_made_kernels(backend: str, dtype: str) -> None:
    rng = np.random.default_rng(5)

    def make(*shape: int) -> np.ndarray:
        return values(rng, shape, dtype)

    check("gemm_bias_gelu", dtype, make(70, 33), make(33, 131), make(131), module="gemm")
    check("softmax", dtype, make(9, 100))
    check("layer_norm", dtype, make(9, 100), make(100), make(100))
    for causal in (False, True):
        check("attention", dtype, make(70, 24), make(70, 24), make(70, 24), causal=causal)


def test_ready_made_kernels_on_odd_shapes(backend: str) -> None:
    rng = np.random.default_rng(6)

    def make(*shape: int) -> np.ndarray:
        return values(rng, shape, "float32")

    for m, n, k in ((1, 1, 1), (3, 0, 5), (5, 3, 0), (129, 2, 257)):
        check("gemm_bias_gelu", "float32", make(m, k), make(k, n), make(n), module="gemm")
    for shape in ((0, 5), (5, 0), (1, 1), (3, 1000)):
        check("softmax", "float32", make(*shape))
    for shape in ((0, 5), (1, 1), (1000, 3)):
        check("layer_norm", "float32", make(*shape), make(shape[1]), make(shape[1]))
    check("softmax", "float32", make(20, 30)[::2, ::3])
    check("attention", "float32", make(3, 1, 8), make(3, 100, 8), make(3, 100, 8))
    check("attention", "float32", make(0, 8), make(4, 8), make(4, 8))


@pytest.mark.cpu
def test_softmax_of_rows_longer_than_a_tile() -> None:
    check("softmax", "float32", values(np.random.default_rng(7), (2, 70001), "float32"))


def test_results_go_where_they_are_asked_to(backend: str) -> None:
    x = values(np.random.default_rng(8), (4, 8), "float32")
    out = np.zeros((4, 16), np.float32)[:, ::2]
    assert ops.softmax(x, out) is out
    np.testing.assert_allclose(out.sum(axis=1), 1, 1e-6)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda f: ops.softmax(f(3)), "x must be a matrix, not 1-D"),
        (lambda f: ops.softmax(f(3, 4), f(4, 3)), "out has shape"),
        (lambda f: ops.layer_norm(f(3, 4), f(4), f(3)), "bias has shape"),
        (lambda f: ops.gemm_bias_gelu(f(3, 4), f(5, 6), f(6)), "a has 4 columns, but b has 5 rows"),
        (lambda f: ops.gemm_bias_gelu(f(3, 4), f(4, 6), f(4)), "bias has shape"),
        (lambda f: ops.attention(f(3), f(3), f(3)), "q must be 2-D or 3-D"),
        (lambda f: ops.attention(f(3, 4), f(3, 4), f(4, 4)), "k has shape"),
        (lambda f: ops.attention(f(3, 4), f(3, 5), f(3, 5)), "which does not go with"),
    ],
)
def test_shapes_that_do_not_fit(call, text: str) -> None:
    with pytest.raises(ShapeError, match=text):
        call(lambda *shape: np.zeros(shape, np.float32))
