# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels: a builder that writes Python source, and a runner that compares backends."""

from tests._support.programs.builder import Builder, Program
from tests._support.programs.run import run_program

__all__ = ["Builder", "Program", "run_program"]
