# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What NumPy's own functions do when they meet a tile.

`numpy_scalar + tile` asks NumPy first, which hands the operation over: Python's operators are ours.
Other functions are refused with the name to use instead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from tegula.errors import TileTypeError
from tegula.lang import bits, compare, dtypes, elementwise
from tegula.lang.dot import dot
from tegula.lang.tile import Tile

_OPERATORS: dict[str, Callable[..., Tile]] = {
    "add": elementwise.add,
    "subtract": elementwise.subtract,
    "multiply": elementwise.multiply,
    "divide": elementwise.divide,
    "floor_divide": elementwise.floor_divide,
    "remainder": elementwise.remainder,
    "power": elementwise.power,
    "bitwise_and": bits.bitwise_and,
    "bitwise_or": bits.bitwise_or,
    "bitwise_xor": bits.bitwise_xor,
    "left_shift": bits.left_shift,
    "right_shift": bits.right_shift,
    "equal": compare.equal,
    "not_equal": compare.not_equal,
    "less": compare.less,
    "less_equal": compare.less_equal,
    "greater": compare.greater,
    "greater_equal": compare.greater_equal,
    "matmul": dot,
}


def apply(
    ufunc: np.ufunc, method: str, inputs: tuple[object, ...], kwargs: dict[str, object]
) -> Tile:
    """Do an operator's work.

    Raises:
        TileTypeError: the function is not one of Python's operators.
    """
    name = str(cast(Any, ufunc).__name__)
    function = _OPERATORS.get(name)
    # NumPy hands over some scalars as they are, others as arrays of rank 0.
    has_scalar = any(dtypes.is_numpy_scalar(value) for value in inputs)
    if method != "__call__" or kwargs or function is None or not has_scalar:
        arrays = any(isinstance(value, np.ndarray) for value in inputs)
        raise TileTypeError(
            f"np.{name} works on NumPy arrays, not on tiles",
            help="pass the array as a kernel argument and tg.load it"
            if arrays
            else f"use tg.{name}",
        )
    return function(*inputs)
