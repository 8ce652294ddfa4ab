# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The backend that writes IR: one `tile`, `arith`, `math` or `scf` operation for each primitive."""

from __future__ import annotations

from tegula._trace.compute_ops import ComputeOps
from tegula._trace.control_ops import ControlOps
from tegula._trace.elementwise_ops import ElementwiseOps
from tegula._trace.memory_ops import MemoryOps


class MlirBackend(ComputeOps, ElementwiseOps, MemoryOps, ControlOps):
    """Builds the module of one kernel. Satisfies :class:`tegula._backend.Backend`."""
