# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that several ready-made kernels share."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from tegula.errors import ShapeError, TileTypeError

Array: TypeAlias = np.ndarray[tuple[int, ...], np.dtype[Any]]


def require_arrays(**arrays: object) -> None:
    """Raise a TileTypeError unless all are arrays."""
    for name, array in arrays.items():
        if not all(hasattr(array, part) for part in ("shape", "dtype", "ndim")):
            raise TileTypeError(
                f"{name} must be an array, not {type(array).__name__}",
                help=f"make one of it: np.asarray({name}, dtype=np.float32)",
            )


def require(condition: bool, message: str) -> None:
    """Raise a ShapeError with a message unless a condition holds."""
    if not condition:
        raise ShapeError(message)


def matrices(a: Array, b: Array) -> tuple[int, int, int]:
    """Rows of a, columns of b and the common size of a product ``a @ b``.

    Raises:
        ShapeError: they are no matrices that can be multiplied.
    """
    require(a.ndim == 2 and b.ndim == 2, f"a and b must be matrices, not {a.ndim}-D and {b.ndim}-D")
    require(
        a.shape[1] == b.shape[0],
        f"a has {a.shape[1]} columns, but b has {b.shape[0]} rows",
    )
    return a.shape[0], b.shape[1], a.shape[1]


def rows_per_program(columns: int, elements: int) -> int:
    """How many rows of so many columns make a tile of about so many elements; at least 1."""
    return max(1, elements // max(columns, 1))
