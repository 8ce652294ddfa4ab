# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a kernel relies on, said where it relies on it, and checked."""

from __future__ import annotations

from itertools import combinations

from tegula.errors import LaunchError, StaticAssertionError, TileTypeError
from tegula.lang import _access, _check, _operands
from tegula.lang.array import Array
from tegula.lang.elementwise import as_bool
from tegula.lang.tile import Tile


def assume(condition: object, message: str | None = None) -> None:
    """State a fact that the kernel relies on.

    A fact about the arguments of the launch (sizes, strides, scalars, the grid) is verified by
    every launch, any other one by checked kernels (`@tg.kernel(checked=True)`, `TEGULA_CHECK=1`)
    and in the interpreter. If it is false the launch raises; nothing is ever undefined by it.

    Args:
        condition: boolean scalar, or a Python value, which is checked when the kernel is compiled.
        message: what to say if it is false.

    Raises:
        StaticAssertionError: a Python condition is false.
        KernelAssertionError: a run-time condition is false; raised by the launch.
        ShapeError: the condition is a tile of several elements.
    """
    text = "the assumption does not hold" + (f": {message}" if message else "")
    if not isinstance(condition, Tile):
        if not condition:
            raise StaticAssertionError(text, help="pass other constants, or drop the tg.assume")
        return
    _check.one_truth("assume", condition)
    value = _operands.tile("assume", condition)
    value.owner.assume(as_bool(value), text)


def no_alias(*arrays: Array) -> None:
    """State that arrays do not overlap in memory; verified by every launch.

    Args:
        arrays: two or more array parameters of the kernel, or parts of them, which count as the
            whole arrays.

    Raises:
        LaunchError: two of them overlap.
        TileTypeError: fewer than two, one is not an array, or one is given twice.
    """
    views = [_access.array("no_alias", array) for array in arrays]
    if len(views) < 2:
        raise TileTypeError("no_alias: give two arrays or more", help="tg.no_alias(a, b)")
    for first, second in combinations(views, 2):
        if first.root is second.root:
            raise TileTypeError(
                f"no_alias: {first.name!r} is given twice",
                help="name different array parameters",
            )
        if first.owner.overlap(first.root, second.root):
            raise LaunchError(
                f"the arrays {first.name!r} and {second.name!r} overlap in memory, but the kernel "
                f"says that they do not",
                notes=[_access.note(first), _access.note(second)],
                help="pass a copy of one of them, or drop tg.no_alias",
            )
