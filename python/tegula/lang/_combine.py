# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What custom reductions and scans share.

Checking the operands and wrapping the user's combine function.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import TypeAlias

from tegula._backend import Combine
from tegula._show import show
from tegula.errors import ShapeError, TileTypeError
from tegula.lang import _check, _operands, _widening
from tegula.lang._describe import describe, made_at
from tegula.lang.dtypes import DType
from tegula.lang.tile import Tile

Combiner: TypeAlias = Callable[..., Tile | tuple[Tile, ...]]


def check_operands(op: str, tiles: object, axis: int) -> tuple[list[Tile], int]:
    """Tiles of one shape, and the axis within their rank.

    Raises:
        ShapeError: the shapes differ.
        ArgumentError: the axis is outside the rank.
        TileTypeError: an operand is not a tile, or there is none.
    """
    values = [_operands.tile(op, item, argument="tiles") for item in _check.sequence(tiles)]
    if not values:
        raise TileTypeError(
            f"{op}: give at least one tile",
            argument="tiles",
            help=f"tg.{op}(x, axis, fn), tg.{op}((x, y), axis, fn)",
        )
    values = [_operands.cast(value, value.dtype) for value in values]
    for value in values[1:]:
        if value.shape != values[0].shape:
            raise ShapeError(
                f"{op}: tiles must have one shape, not {values[0].shape} and {value.shape}",
                notes=[made_at(values[0]), made_at(value)],
                argument="tiles",
                help="stretch them with tg.broadcast_to first",
            )
    return values, _check.axis(op, axis, len(values[0].shape))


def checked_combine(op: str, fn: Callable[..., object], kinds: Sequence[DType]) -> Combine:
    """Wrap a combine function so that backends get a tuple of scalars of the right dtypes.

    Raises (when called):
        TileTypeError, ShapeError: what `fn` returns does not fit.
    """
    if not callable(fn):  # pyright: ignore[reportUnnecessaryComparison]
        raise TileTypeError(
            f"{op}: fn must be a function of two elements, not {show(fn)}",
            argument="fn",
            help="for example lambda a, b: tg.maximum(a, b)",
        )
    expected = ", ".join(kind.name for kind in kinds)

    def combine(*elements: Tile) -> tuple[Tile, ...]:
        if mismatch := _refuses(fn, elements):
            raise TileTypeError(
                f"{op}: fn takes {len(elements)} elements, two for each of the {len(kinds)} tiles, "
                f"but {getattr(fn, '__name__', show(fn))} does not: {mismatch}",
                argument="fn",
                help="for one tile write lambda a, b: ..., for two lambda a0, a1, b0, b1: ...",
            )
        results = _check.sequence(fn(*elements))
        if len(results) != len(kinds):
            raise TileTypeError(
                f"{op}: fn returned {len(results)} values for {len(kinds)} tiles",
                argument="fn",
                help=f"return one scalar for each tile: ({expected})",
            )
        return tuple(_result(op, item, kind) for item, kind in zip(results, kinds, strict=True))

    return combine


def _refuses(fn: Callable[..., object], elements: Sequence[Tile]) -> str:
    """Why a function cannot be called with the elements, or ""."""
    try:
        inspect.signature(fn).bind(*elements)
    except TypeError as error:
        return str(error)
    except ValueError:  # it does not say what it takes
        pass
    return ""


def _result(op: str, item: object, kind: DType) -> Tile:
    value = _operands.operand(op, item, "what fn returned", "fn")
    if not isinstance(value, Tile) or value.weak:
        return _operands.coerce(op, value, kind)
    if value.shape != ():
        raise ShapeError(
            f"{op}: fn must return scalars, not {describe(value)}",
            notes=[made_at(value)],
            argument="fn",
            help="fn combines single elements; do tile-wide work before or after",
        )
    if value.dtype is not kind:
        raise TileTypeError(
            f"{op}: fn returned {describe(value)} for a tile of {kind}",
            notes=_widening.history(value),
            argument="fn",
            help=f"convert inside fn: .astype({kind!r}){_widening.edit(value)}",
        )
    return value
