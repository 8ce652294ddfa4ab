# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a Python function to `tile` IR.

A kernel's function, and every function of the user that it calls, is rewritten
(:mod:`~tegula._trace.rewrite`) so that its control flow asks the runtime, then run with symbolic
tiles on a backend that writes IR (:mod:`~tegula._trace.tracer`). What the operations mean is in
:mod:`tegula.lang`; nothing here knows about targets.
"""

from __future__ import annotations

from tegula._trace.tracer import Signature, Trace, trace

__all__ = ["Signature", "Trace", "trace"]
