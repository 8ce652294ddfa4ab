# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The entry points of MLIR's drivers."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests._support.opt import run_opt

pytestmark = pytest.mark.cpu


def test_the_drivers_load_nothing_that_they_do_not_need() -> None:
    code = "import sys, tegula_tools; print({'numpy', 'tegula'} & set(sys.modules))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout == "set()\n", result.stderr


def test_the_status_and_the_arguments_are_those_of_the_driver() -> None:
    assert run_opt("module {}").stdout == "module {\n}\n\n"
    assert "cse" in run_opt("", "--help").stdout
    failed = run_opt("func.func @f(", "--cse")
    assert failed.returncode == 1 and "error: " in failed.stderr
    unknown = run_opt("module {}", "--no-such-pass")
    assert unknown.returncode == 1 and "--no-such-pass" in unknown.stderr
