# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Grids that are functions of the launch's arguments: `kernel[lambda a: tg.cdiv(a["n"], 128)]`.

Code that comes from other tile languages has such grids, and they keep what a grid is made of in
one place: next to the constants that the call gives.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from tegula._boundary import boundary
from tegula._show import show
from tegula.errors import LaunchError

if TYPE_CHECKING:
    from tegula.kernel import Grid, Kernel

GridFunction: TypeAlias = "Callable[[dict[str, Any]], Grid]"


class _Arguments(dict[str, Any]):
    """What a grid function gets: the arguments by name, defaults included."""

    def __missing__(self, name: str) -> NoReturn:
        raise LaunchError(
            f"the grid asks for the argument {show(name)}, which the kernel does not have",
            help=f"its parameters are: {', '.join(self)}",
        )


class GridFunctionLaunch:
    """`kernel[grid]` where the grid is a function."""

    def __init__(self, kernel: Kernel, function: GridFunction) -> None:
        self._kernel = kernel
        self._function = function

    @boundary
    def __call__(self, *args: Any, **keywords: Any) -> None:
        """Launch over the grid that the function gives for these arguments.

        Raises:
            LaunchError: the arguments do not fit the kernel, or the function gives no grid.
        """
        self._kernel[self._grid(args, keywords)](*args, **keywords)

    def _grid(self, args: tuple[Any, ...], keywords: dict[str, Any]) -> Grid:
        signature = inspect.signature(self._kernel.function)
        try:
            bound = signature.bind(*args, **keywords)
        except TypeError as error:
            self._kernel.specialize(*args, **keywords)  # which says it better
            raise LaunchError(str(error), help=f"the parameters are: {signature}") from None
        bound.apply_defaults()
        grid = self._function(_Arguments(bound.arguments))
        if callable(grid):
            raise LaunchError(
                f"the grid function gives the function {show(grid)}, not a grid",
                help="return one to three integers >= 0, for example (tg.cdiv(n, BLOCK),)",
            )
        return grid
