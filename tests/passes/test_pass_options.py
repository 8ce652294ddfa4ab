# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options of passes: any number is taken or refused, and passes run after a refusal.

MLIR counts a context as one that runs passes for ever after a pass failed to initialize, and ends
the process at the next pass that needs a dialect.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tegula.mlir import ir

from tegula._compile import pass_manager

ROOT = Path(__file__).parents[2]
PRODUCT = """
func.func @product(%a: memref<8x12xf32>, %b: memref<12x20xf32>, %c: memref<8x20xf32>) {
  linalg.matmul ins(%a, %b : memref<8x12xf32>, memref<12x20xf32>) outs(%c : memref<8x20xf32>)
  return
}
"""
REFUSED = {  # numbers of these options that no pass can work with
    ("cpu-lower-contractions", "vector-bits"),
    ("cpu-lower-contractions", "num-vector-registers"),
    ("lower-limit-code", "max-operations"),
}


def number_options() -> list[tuple[str, str]]:
    """Flags of passes and their options that are numbers."""
    found = []
    for path in sorted((ROOT / "passes").rglob("*Passes.td")):
        for definition in re.split(r"^def ", path.read_text(), flags=re.M)[1:]:
            flag = re.search(r'Pass<"([\w-]+)"', definition)
            for option in re.findall(r'Option<"\w+", "([\w-]+)", "int64_t"', definition):
                assert flag is not None
                found.append((flag[1], option))
    return found


def test_options_are_found() -> None:
    assert set(number_options()) > REFUSED


@pytest.mark.parametrize(("flag", "option"), number_options())
def test_any_number(flag: str, option: str) -> None:
    refused = []
    with ir.Context():
        for value in (-(2**63), -1, 0, 1, 96, 2**63 - 1):
            module = ir.Module.parse(PRODUCT)
            try:
                pass_manager.run(module, f"builtin.module({flag}{{{option}={value}}})")
            except pass_manager.PassError as error:
                assert not error.crash, (value, error.crash)
                assert str(value) in str(error)
                refused.append(value)
            # Needs dialects that nothing has loaded before it ran the first time.
            pass_manager.run(ir.Module.parse(PRODUCT), "builtin.module(rocm-order-memory)")
            pass_manager.run(ir.Module.parse(PRODUCT), "builtin.module(cuda-lower-exp)")
    assert bool(refused) == ((flag, option) in REFUSED)
