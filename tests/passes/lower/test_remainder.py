# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`lower-expand-math` writes the remainder of floats out; here it runs against C's."""

from __future__ import annotations

import ctypes
import math

import numpy as np
import pytest
from llvmlite import binding
from tegula.mlir import ir

from tegula._compile import pass_manager

PROGRAM = """
func.func @remainder(%x: {0}, %y: {0}) -> {0} {{
  %r = arith.remf %x, %y : {0}
  return %r : {0}
}}
"""
PHASES = "builtin.module(lower-expand-math,tegula-cpu-llvm-phase)"
TYPES = {
    "f32": (np.float32, np.uint32, ctypes.c_float),
    "f64": (np.float64, np.uint64, ctypes.c_double),
}


def machine_code(name: str) -> object:
    """An execution engine with the function in it."""
    with ir.Context():
        module = ir.Module.parse(PROGRAM.format(name))
        pass_manager.run(module, PHASES)
        assert "frem" not in str(module)
        bitcode = pass_manager.to_bitcode(module)
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    machine = binding.Target.from_default_triple().create_target_machine()
    engine = binding.create_mcjit_compiler(binding.parse_bitcode(bitcode), machine)
    engine.finalize_object()
    return engine


@pytest.mark.parametrize("name", TYPES)
def test_the_remainder_is_exact(name: str, rng: np.random.Generator) -> None:
    real, bits, ctype = TYPES[name]
    engine = machine_code(name)
    address = engine.get_function_address("remainder")  # type: ignore[attr-defined]
    function = ctypes.CFUNCTYPE(ctype, ctype, ctype)(address)
    top = np.iinfo(bits).max
    pairs = rng.integers(0, top, (20000, 2), bits, endpoint=True).view(real)
    info = np.finfo(real)
    edges = [0.0, info.smallest_subnormal, info.tiny, 1.0, 3.0, info.max, np.inf, np.nan]
    special = [(a * s, b) for a in edges for b in edges for s in (1.0, -1.0)]
    near = [(7.5, 2.5), (-7.5, 2.0), (1e30, 3.0), (5.0, -3.0), (1e-40, 3e-45)]
    for x, y in (*pairs.tolist(), *special, *near):
        x, y = float(real(x)), float(real(y))
        expected = math.nan if not y or math.isinf(x) or math.isnan(x) else math.fmod(x, y)
        found = function(x, y)
        same = math.isnan(found) if math.isnan(expected) else found == expected
        assert same and (
            math.isnan(expected) or math.copysign(1, found) == math.copysign(1, expected)
        ), (x, y, found, expected)
