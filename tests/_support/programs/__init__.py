# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels: a strategy that writes Python source, and a runner that compares backends."""

from tests._support.programs.builder import Builder, Program, programs
from tests._support.programs.run import run_program

__all__ = ["Builder", "Program", "programs", "run_program"]
