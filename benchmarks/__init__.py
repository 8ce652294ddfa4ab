# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Benchmarks: ``python -m benchmarks`` in the repository's root prints one table of all suites."""
