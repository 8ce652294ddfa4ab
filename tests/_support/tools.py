# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Marks for tests that call programs of others."""

from __future__ import annotations

import sys

import pytest

from tegula._compile import ptxas

# On Linux the `test` extra brings it: there its absence is a failure.
needs_ptxas = pytest.mark.skipif(
    ptxas.find("ptxas") is None and sys.platform != "linux", reason="needs ptxas"
)
