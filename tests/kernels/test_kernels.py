# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules that every kernel file keeps, so that the kernels can be run, compiled and read alike."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path

import pytest

import tegula as tg

FOLDER = Path(__file__).parent
NAMES = sorted(
    path.stem for path in FOLDER.glob("*.py") if not path.stem.startswith(("test_", "_"))
)
KNOBS = re.compile(
    r"warp|stage|vector_width|num_threads|swizzle|unroll|avx|sm_|gfx|cuda|rocm", re.I
)


def test_the_required_kernels_are_here():
    assert set(NAMES) >= {
        "attention",
        "batched_gemm",
        "dropout",
        "embedding",
        "gemm",
        "histogram",
        "layer_norm",
        "prefix_sum",
        "rms_norm",
        "softmax",
        "transpose",
        "vector_add",
    }


@pytest.mark.parametrize("name", NAMES)
def test_a_kernel_file_has_kernels_a_launcher_and_a_reference(name):
    module = importlib.import_module(f"tests.kernels.{name}")
    kernels = [value for value in vars(module).values() if isinstance(value, tg.Kernel)]
    assert kernels, "no @tg.kernel function"
    for public in [*kernels, module.launch, module.reference, module]:
        assert public.__doc__, f"{public} has no docstring"


@pytest.mark.parametrize("name", NAMES)
def test_a_kernel_names_no_hardware(name):
    tree = ast.parse((FOLDER / f"{name}.py").read_text())
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    names |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg | ast.keyword)} - {
        None
    }
    assert not [name for name in names if KNOBS.search(name)]


def test_each_kernel_is_compiled_for_every_target():
    # The tests of the targets' code generators take the files that regenerate.py writes.
    folder = FOLDER.parent / "pipelines" / "kernels"
    compiled = set()
    for path in folder.glob("*.mlir"):
        compiled |= set(re.findall(r"func\.func @(\w+)\(", path.read_text()))
    modules = [importlib.import_module(f"tests.kernels.{name}") for name in NAMES]
    kernels = [value for module in modules for value in vars(module).values()]
    names = {value.function.__name__ for value in kernels if isinstance(value, tg.Kernel)}
    assert names == compiled, "run python -m tests.pipelines.regenerate"


@pytest.mark.parametrize("name", NAMES)
def test_a_kernel_has_a_test(name):
    tests = "".join(path.read_text() for path in FOLDER.glob("test_*_kernels.py"))
    assert f"{name}.launch(" in tests
