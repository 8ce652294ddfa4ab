# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tegula run` and `compile` of kernels whose arguments hold several values."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from tegula.cli.app import tegula

pytestmark = pytest.mark.cpu

KERNELS = """
from dataclasses import dataclass
from typing import Any, NamedTuple

import tegula as tg

class Pair(NamedTuple):
    x: Any
    y: Any

@dataclass
class Layer:
    weight: Any
    scale: float
    inner: "Pair | None" = None

@tg.kernel
def add(p: Pair, o: tg.Array, BLOCK: tg.Const = 16):
    i = tg.program_id(0)
    tg.store(o, i, tg.load(p.x, i, BLOCK) + tg.load(p.y, i, BLOCK))

@tg.kernel
def apply(layer: Layer, o: tg.Array):
    x = tg.load(layer.weight, 0, 8) * layer.scale
    if layer.inner is not None:
        x = x + tg.load(layer.inner.y, 0, 8)
    tg.store(o, 0, x)

@tg.kernel
def total(arrays: tuple, o: tg.Array):
    sum = tg.zeros(4, tg.float32)
    for array in arrays:
        sum = sum + tg.load(array, 0, 4)
    tg.store(o, 0, sum)
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "structured.py"
    path.write_text(KERNELS)
    return str(path)


@pytest.fixture(autouse=True)
def clean_imports() -> Iterator[None]:
    path = list(sys.path)
    yield
    sys.path[:] = path
    sys.modules.pop("structured", None)


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(tegula, arguments, catch_exceptions=False)


@pytest.mark.parametrize("how", [[], ["--interpret"]])
def test_a_named_tuple(file: str, tmp_path: Path, how: list[str]) -> None:
    out = tmp_path / "out.npz"
    result = invoke(
        *("run", f"{file}::add", "--grid", "cdiv(p.x.shape[0],BLOCK)", "--output", str(out), *how),
        *("p.x=arange(100):float32", "p.y=ones(100)", "o=zeros(100)"),
    )
    assert result.exit_code == 0, result.output
    assert "add[7]" in result.output
    with np.load(out) as data:
        np.testing.assert_array_equal(data["o"], np.arange(100, dtype="f4") + 1)
        np.testing.assert_array_equal(data["p.y"], np.ones(100, "f4"))
    # What a run has written is what the next one can read.
    result = invoke(
        *("run", f"{file}::add", "--grid", "7", "--input", str(out), "--output", str(out), *how),
    )
    assert result.exit_code == 0, result.output


def test_a_dataclass_with_one_inside(file: str, tmp_path: Path) -> None:
    out = tmp_path / "out.npz"
    parts = ("layer.weight=ones(8)", "layer.scale=2.5", "layer.inner.x=0", "layer.inner.y=ones(8)")
    result = invoke(
        *("run", f"{file}::apply", "--grid", "1", "--output", str(out), *parts, "o=zeros(8)"),
    )
    assert result.exit_code == 0, result.output
    with np.load(out) as data:
        np.testing.assert_array_equal(data["o"], np.full(8, 3.5, "f4"))


def test_a_tuple(file: str) -> None:
    result = invoke(
        *("run", f"{file}::total", "--grid", "1"),
        *("arrays[1]=ones(4)", "arrays[0]=ones(4)", "o=zeros(4)"),
    )
    assert result.exit_code == 0, result.output
    assert "4 of 4" in result.output and "arrays[1]" in result.output


@pytest.mark.parametrize("target", ["cpu", "sm_90a", "gfx942"])
def test_compile_shows_them(file: str, target: str) -> None:
    result = invoke(
        *("compile", f"{file}::add", "--target", target),
        *("p.x=float32[64]", "p.y=float32[64]", "o=float32[64]"),
    )
    assert result.exit_code == 0, result.output
    assert result.stdout.count("!tile.view<?xf32") >= 3


@pytest.mark.parametrize(
    ("kernel", "arguments", "text"),
    [
        ("add", ["p.x=ones(4)"], "p is no Pair with these parts"),
        ("add", ["p.x=ones(4)", "p.z=ones(4)"], "parts: p.x, p.y"),
        ("add", ["p=1", "p.x=ones(4)"], "p.x is part of what is given as a whole, too"),
        ("add", ["p.x=ones(4)", "p=1"], "p is given as a whole and in parts"),
        ("add", ["o.x=ones(4)"], "add has no parameter 'o.x'"),
        ("add", ["p..x=ones(4)"], "expected NAME=SPEC"),
        ("total", ["arrays[1]=ones(4)"], "arrays[0] is missing; parts are numbered from 0"),
        ("total", ["arrays.x=ones(4)"], "declared neither as a named tuple nor as a dataclass"),
    ],
)
def test_mistakes(file: str, kernel: str, arguments: list[str], text: str) -> None:
    result = invoke("run", f"{file}::{kernel}", "--grid", "1", *arguments)
    assert result.exit_code == 1
    assert text in result.stderr
    assert "Traceback" not in result.output
