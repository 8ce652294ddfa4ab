# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reading and writing arrays: blocks by tile index, single elements by index tiles.

No access is ever out of bounds: reads give `pad`, writes are dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from tegula.errors import ArgumentError, ShapeError
from tegula.lang import _access, _check, _operands
from tegula.lang._describe import describe, made_at
from tegula.lang._operands import TileLike
from tegula.lang.array import Array
from tegula.lang.tile import Tile

Index: TypeAlias = TileLike | Sequence[TileLike]


def load(
    a: Array,
    index: Index | None = None,
    shape: int | Sequence[int] | None = None,
    pad: TileLike = 0,
    *,
    offset: Index | None = None,
) -> Tile:
    """Read the block at a tile index, or the one that begins at an element.

    By `index`, dimension `d` covers elements `index[d] * shape[d]` up to `(index[d] + 1) *
    shape[d]`; by `offset`, elements `offset[d]` up to `offset[d] + shape[d]`, wherever that is:
    windows may overlap, and begin before the array. Elements before or past the array's edges are
    `pad`.

    Args:
        a: array parameter or a part of one.
        index: one integer scalar for each dimension, counted in tiles; a bare one for rank 1.
        shape: static extents of the tile, one for each dimension.
        pad: scalar; a Python number, or a value of the array's dtype.
        offset: in place of `index`, counted in elements.

    Returns:
        A tile of `shape` with the array's dtype (a scalar for an array of rank 0).

    Raises:
        ArgumentError: both or neither of `index` and `offset`, or no shape.
        ShapeError: the number of indices or extents is not the array's rank.
        TracedValueError: an extent is a run-time value.
        TileTypeError: `a` is not an array, an index is not an integer, or `pad` has another dtype.
    """
    view = _access.array("load", a)
    if shape is None:
        raise ArgumentError(
            "load: the shape of the tile is missing",
            help=f"tg.load({view.name or 'a'}, index, shape): give one extent for each dimension",
        )
    extents = _check.shape("load", shape)
    if len(extents) != view.ndim:
        raise ShapeError(
            f"load: {view.name!r} has rank {view.ndim}, but the tile shape {extents} has rank "
            f"{len(extents)}",
            notes=[_access.note(view)],
            argument="shape",
            help="give one extent for each dimension; use 1 for a dimension that the tile does not "
            "span"
            if extents
            else f"a single element, as a scalar, is tg.gather({view.name or 'a'}, index)",
        )
    place, elements = _place("load", view, index, offset, "gather")
    fill = _access.scalar_element("load", view, pad, "pad")
    if view.ndim == 0:
        return Tile(view.owner.gather(view, place, None, fill), view.dtype, ())
    return Tile(view.owner.load(view, place, extents, fill, elements), view.dtype, extents)


def _place(
    op: str, view: Array, index: Index | None, offset: Index | None, other: str
) -> tuple[list[Tile], bool]:
    """The index of a block, and whether it counts elements."""
    if (index is None) == (offset is None):
        name = view.name or "a"
        raise ArgumentError(
            f"{op}: give either a tile index or an offset in elements",
            help=f"tg.{op}({name}, (i, j), ...) counts in tiles, tg.{op}({name}, offset=(i, j), "
            f"...) in elements",
        )
    if index is None:
        return _access.scalar_indices(op, view, offset, "offset", other), True
    return _access.scalar_indices(op, view, index, "index", other), False


def store(
    a: Array,
    index: Index | None = None,
    tile: TileLike | None = None,
    *,
    offset: Index | None = None,
) -> None:
    """Write a block at a tile index, or beginning at an element.

    Elements past the array's edges are dropped. A scalar writes one element: it counts as a tile
    whose extents are all 1.

    Args:
        a: array parameter or a part of one.
        index: one integer scalar for each dimension, counted in tiles of the tile's shape.
        tile: a tile of the array's rank and dtype; Python numbers adapt to the dtype.
        offset: in place of `index`, counted in elements; see :func:`load`.

    Raises:
        ArgumentError: both or neither of `index` and `offset`, or no tile.
        ShapeError: the rank of the tile or the number of indices is not the array's rank.
        TileTypeError: the dtype differs; write `.astype(a.dtype)`.
        StoreError: the array is read-only (in the interpreter, and when launched).
    """
    view = _access.array("store", a)
    place, elements = _place("store", view, index, offset, "scatter")
    if tile is None:
        raise ArgumentError(
            "store: the tile is missing",
            help="tg.store(a, index, tile), or tg.store(a, offset=..., tile=...)",
        )
    value = _access.element("store", view, tile, argument="tile")
    if value.shape == () and view.ndim:
        value = _operands.stretch(value, (1,) * view.ndim)
    if len(value.shape) != view.ndim:
        raise ShapeError(
            f"store: {view.name!r} has rank {view.ndim}, but {describe(value)} has rank "
            f"{len(value.shape)}",
            notes=[made_at(value), _access.note(view)],
            argument="tile",
            help="add axes with x[:, None] or x[None, :], or drop them with tg.squeeze or "
            "tg.reshape",
        )
    if view.ndim == 0:
        view.owner.scatter(view, place, value, None)
    else:
        view.owner.store(view, place, value, elements)


def gather(a: Array, indices: Index, mask: TileLike | None = None, pad: TileLike = 0) -> Tile:
    """Read single elements: element `e` of the result is `a[indices[0][e], indices[1][e], ...]`.

    Lanes with a false mask or an index outside the array (negative ones included) read as `pad`.

    Args:
        a: array parameter.
        indices: one integer tile or scalar for each dimension; they broadcast together with the
            mask.
        mask: boolean tile or scalar.
        pad: scalar; a Python number, or a value of the array's dtype.

    Returns:
        A tile of the broadcast shape with the array's dtype.

    Raises:
        ShapeError: the number of indices is not the rank, or shapes do not broadcast.
        TileTypeError: an index is not an integer, the mask not boolean, or `pad` has another dtype.
    """
    view = _access.array("gather", a)
    places, chosen = lanes(
        "gather", _access.indices("gather", view, indices), _access.mask("gather", mask)
    )
    fill = _access.scalar_element("gather", view, pad, "pad")
    shape = places[0].shape if places else ()
    if not places and chosen is not None:
        shape = chosen.shape
    return Tile(view.owner.gather(view, places, chosen, fill), view.dtype, shape)


def scatter(a: Array, indices: Index, value: TileLike, mask: TileLike | None = None) -> None:
    """Write single elements: `a[indices[0][e], indices[1][e], ...] = value[e]`.

    Lanes with a false mask or an index outside the array are dropped. Where several lanes of one
    program name one element, the last one in row-major order wins.

    Args:
        a: array parameter.
        indices: one integer tile or scalar for each dimension; they broadcast together with value
            and mask.
        value: tile or scalar of the array's dtype; Python numbers adapt to it.
        mask: boolean tile or scalar.

    Raises:
        ShapeError: the number of indices is not the rank, or shapes do not broadcast.
        TileTypeError: an index is not an integer, the mask not boolean, or the dtype of `value`
            differs.
        StoreError: the array is read-only (in the interpreter, and when launched).
    """
    view = _access.array("scatter", a)
    places = _access.indices("scatter", view, indices)
    given = _access.element("scatter", view, value)
    (given, *places), chosen = lanes("scatter", [given, *places], _access.mask("scatter", mask))
    view.owner.scatter(view, places, given, chosen)


def lanes(op: str, tiles: list[Tile], mask: Tile | None) -> tuple[list[Tile], Tile | None]:
    """Broadcast tiles and an optional mask to one shape."""
    if mask is None:
        return (_operands.broadcast(op, tiles) if tiles else tiles), None
    *stretched, chosen = _operands.broadcast(op, [*tiles, mask])
    return stretched, chosen
