# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`kernel[grid]` inside `tg.interpret()`.

The launcher checks the arguments as for any target; then NumPy runs the kernel's function.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tegula import _env, _interpret
from tegula._bound import bind, stop
from tegula.errors import strip_traceback

if TYPE_CHECKING:
    from tegula.kernel import Grid, Kernel


class InterpretedLaunch:
    """What launches a kernel over a grid in the interpreter."""

    def __init__(self, kernel: Kernel, grid: Grid) -> None:
        self._kernel = kernel
        self._launch = kernel.make_dispatcher(stop)[grid]
        self.grid = self._launch.grid

    def __call__(self, *args: Any, **keywords: Any) -> None:
        """Run the kernel for each program, one after the other."""
        kernel = self._kernel
        try:
            bound = bind(self._launch, args, keywords)
            values = bound.values(kernel.parameters)
            _interpret.run(
                *(kernel.function, self.grid, values),
                checked=kernel.checked,
                regroup=kernel.regroup,
            )
        except Exception as error:
            strip_traceback(error, full=_env.full_traceback())
            raise
