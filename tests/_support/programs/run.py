# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a random program on two backends and compares every output."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np

import tegula as tg
from tests._support.arrays import LAYOUTS, Arrays, is_float, numpy_dtype
from tests._support.programs import control, elementwise, memory, parts, shapes
from tests._support.programs.builder import Argument, Program

assert (
    control and elementwise and memory and parts and shapes
)  # importing them registers their statements


def load(program: Program, folder: Path) -> ModuleType:
    """Import the program from a file of its own, so that its source can be inspected."""
    name = "program_" + hashlib.sha256(program.source.encode()).hexdigest()[:16]
    path = folder / f"{name}.py"
    path.write_text(program.source)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules[name]
    return module


def values(rng: np.random.Generator, argument: Argument) -> np.ndarray:
    """Random contents, rich in special values."""
    dtype, shape = numpy_dtype(argument.dtype), argument.shape
    small = rng.integers(-9, 10, shape)
    if dtype == np.bool_:
        return small > 0
    if is_float(dtype):
        special = [0.0, -0.0, 0.5, 1.0, -1.5, 1e-3, 300.0, -1e5, np.nan, np.inf, -np.inf, 1e-39]
        wide = rng.standard_normal(shape) * 10.0 ** rng.integers(-3, 4, shape)
    else:
        info = np.iinfo(dtype)
        special = [0, 1, info.min, info.max, info.max // 2 + 1, info.max - 1, info.bits, 7]
        wide = rng.integers(info.min, info.max, shape, dtype, endpoint=True)
    kind = rng.integers(0, 4, shape)
    with np.errstate(all="ignore"):
        picked = np.array(special)[rng.integers(0, len(special), shape)].astype(dtype)
        return np.choose(
            kind, [small.astype(dtype), small.astype(dtype), wide.astype(dtype), picked]
        ).astype(dtype)


def execute(program: Program, module: ModuleType) -> list[np.ndarray]:
    """The outputs of one run, on the backend of the caller's context."""
    rng = np.random.default_rng(program.seed)
    arrays = Arrays(rng)
    layouts = ("aligned", "aligned", "contiguous", *LAYOUTS)
    inputs = [arrays.input(values(rng, a), rng.choice(layouts)) for a in program.inputs]
    outputs = [arrays.output(a.shape, a.dtype, rng.choice(layouts), 0) for a in program.outputs]
    module.kernel[program.grid](*inputs, *outputs)
    arrays.verify()
    return [output.copy() for output in outputs]


def same(got: np.ndarray, want: np.ndarray, bound: tuple[float, float]) -> np.ndarray:
    """Where two outputs agree: bit by bit, or within a bound. NaNs are all alike."""
    if bound == (0.0, 0.0):
        raw = np.dtype(f"u{got.itemsize}")
        equal = got.view(raw) == want.view(raw)
        return equal | (np.isnan(got) & np.isnan(want)) if is_float(got.dtype) else equal
    got, want = got.astype(np.float64), want.astype(np.float64)
    with np.errstate(all="ignore"):
        near = np.abs(got - want) <= bound[0] + bound[1] * np.abs(want)
    return near | (got == want) | (np.isnan(got) & np.isnan(want))


def run_program(program: Program, folder: Path) -> None:
    """Interpret and compile the program; fail where the outputs differ."""
    module = load(program, folder)
    with tg.interpret():
        want = execute(program, module)
    got = execute(program, module)
    for argument, g, w in zip(program.outputs, got, want, strict=True):
        bad = np.argwhere(~same(g, w, argument.bound))
        if len(bad):
            at = tuple(int(i) for i in bad[0])
            raise AssertionError(
                f"{argument.name}[{', '.join(map(str, at))}] is {g[at]!r} compiled, {w[at]!r} "
                f"interpreted ({len(bad)} of {g.size} elements differ)"
            )
