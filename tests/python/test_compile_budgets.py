# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles of a quarter million elements: compiled within seconds, or refused with the reason."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tegula as tg
from tegula._compile import driver, targets
from tegula.errors import CompileError

pytestmark = pytest.mark.cpu

SHAPE = (4, 65536)
TARGETS = ("cpu", "sm_90a", "gfx942")
# Generous: the machines that run this are shared.
SECONDS = 60


@tg.kernel
def scaled(a: tg.Array, o: tg.Array):
    tg.store(o, (0, 0), tg.load(a, (0, 0), SHAPE) * 2 + 1)


@tg.kernel
def totals(a: tg.Array, o: tg.Array):
    tg.store(o, (0, 0), tg.sum(tg.load(a, (0, 0), SHAPE), axis=1, keepdims=True))


@tg.kernel
def sorted_rows(a: tg.Array, o: tg.Array):
    tg.store(o, (0, 0), tg.sort(tg.load(a, (0, 0), SHAPE), axis=1))


@tg.kernel
def sines(a: tg.Array, o: tg.Array):
    x = tg.load(a, (0, 0), SHAPE).astype(tg.float64)
    tg.store(o, (0, 0), tg.sin(x).astype(tg.float32))


@tg.kernel
def picked(a: tg.Array, o: tg.Array):
    rows, columns = tg.arange(4)[:, None], tg.arange(65536)[None, :]
    tg.store(o, (0, 0), tg.gather(a, (rows, (columns * 7) % 65536)))


def compile_for(kernel: Any, target: str) -> None:
    a = np.zeros(SHAPE, np.float32)
    module = kernel.specialize(a, a.copy()).trace().module
    driver.compile_module(module, targets.get(target))


@pytest.mark.case("compile time of a tile of a quarter million elements")
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kernel", [scaled, totals], ids=lambda k: k.function.__name__)
@pytest.mark.filterwarnings("ignore::tegula.errors.PerformanceWarning")
def test_a_large_tile_compiles(kernel: Any, target: str) -> None:
    start = time.monotonic()
    compile_for(kernel, target)
    assert time.monotonic() - start < SECONDS


@pytest.mark.case("compile time of a tile of a quarter million elements")
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kernel", [sorted_rows, sines, picked], ids=lambda k: k.function.__name__)
@pytest.mark.filterwarnings("ignore::tegula.errors.PerformanceWarning")
def test_a_large_tile_compiles_or_is_refused(
    kernel: Any, target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEGULA_CACHE_DIR", str(tmp_path))
    start = time.monotonic()
    try:
        compile_for(kernel, target)
    except CompileError as error:
        assert target != "cpu"  # code with loops does not grow with its tiles
        assert "too much code: each thread would run" in error.message
        assert error.help == "use smaller tiles, with more programs or in a loop"
        assert error.location is not None
        assert error.location.file == __file__
        assert not list(tmp_path.glob("reproducer-*"))  # nobody's fault
    assert time.monotonic() - start < SECONDS


@pytest.mark.parametrize("target", ["sm_90a", "gfx942"])
def test_a_product_that_is_too_large_for_one_program_is_refused(target: str) -> None:
    @tg.kernel
    def product(a: tg.Array, b: tg.Array, o: tg.Array):
        x, y = tg.load(a, (0, 0), (256, 1024)), tg.load(b, (0, 0), (1024, 256))
        tg.store(o, (0, 0), tg.dot(x, y))

    a = np.zeros((256, 1024), np.float32)
    b, o = np.zeros((1024, 256), np.float32), np.zeros((256, 256), np.float32)
    module = product.specialize(a, b, o).trace().module
    with pytest.raises(CompileError, match="too much code|shared memory") as caught:
        driver.compile_module(module, targets.get(target))
    assert (caught.value.help or "").startswith("use smaller tiles")
    assert caught.value.location is not None
    assert caught.value.location.file == __file__
