# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Order and frequency: sort, argsort, topk, histogram.

Elements become integer keys of the same order, so that NaN, infinities and signed zeros need no
care, and go through a bitonic network (K. E. Batcher, "Sorting networks and their applications",
AFIPS 1968): log2(n) (log2(n) + 1) / 2 stages in which each element meets the one whose position
differs in one bit. An extent that is not a power of two is filled up with keys that sort last.
"""

from __future__ import annotations

from collections.abc import Sequence

from tegula.errors import ShapeError, TileTypeError
from tegula.lang import (
    _check,
    _operands,
    compare,
    convert,
    creation,
    dtypes,
    elementwise,
    reduction,
    shape,
    slicing,
)
from tegula.lang._describe import describe, describe_given, made_at, made_at_given
from tegula.lang._operands import TileLike
from tegula.lang.dtypes import DType
from tegula.lang.picking import take_along_axis
from tegula.lang.tile import Tile

_SIGNED = {1: dtypes.int8, 2: dtypes.int16, 4: dtypes.int32, 8: dtypes.int64}
# Up to so many, the largest elements are found one after another.
_FEW = 8


def sort(x: TileLike, axis: int = -1, descending: bool = False) -> Tile:
    """Elements in order along an axis.

    NaN counts as larger than every number, as in NumPy: it is last, or first when descending. -0.0
    comes before 0.0. Every NaN becomes the same one.

    What a load padded is sorted too: `tg.load(..., pad=float("nan"))` puts it last, and
    `pad=float("-inf")` last when descending.

    Raises:
        ArgumentError: the axis is out of range.
    """
    value, place = _operand("sort", x, axis)
    keys = _keys(value)
    keys = elementwise_not(keys) if descending else keys
    ordered = _network([_padded(keys, place)], place)[0]
    ordered = slicing.take_range(ordered, place, range(value.shape[place]))
    ordered = elementwise_not(ordered) if descending else ordered
    return _values(ordered, value.dtype)


def argsort(x: TileLike, axis: int = -1, descending: bool = False) -> Tile:
    """int64 positions of the elements in order along an axis; equal ones by ascending position.

    NaN counts as larger than every number, and -0.0 equals 0.0.

    Raises:
        ArgumentError: the axis is out of range.
    """
    value, place = _operand("argsort", x, axis)
    keys = _keys(_one_zero(value))
    keys = elementwise_not(keys) if descending else keys
    extent = value.shape[place]
    if keys.dtype.itemsize == 8:
        filled = _padded(keys, place)
        ordered = _network([filled, _positions(filled, place)], place)[1]
    else:
        ordered = _network([_padded(_packed(keys, place), place)], place)[0] & 0xFFFFFFFF
    return slicing.take_range(ordered, place, range(extent))


def topk(x: TileLike, k: int, axis: int = -1, largest: bool = True) -> tuple[Tile, Tile]:
    """The `k` largest (or smallest) elements along an axis in order, and their int64 positions.

    Equal ones by ascending position. NaN counts as larger than every number, as in `max`. What a
    load padded takes part: pad with `float("-inf")` or `x.dtype.min`, for the smallest with
    `float("nan")` or `x.dtype.max`.

    Raises:
        ShapeError: `k` is below 1 or above the extent.
        ArgumentError: the axis is out of range.
    """
    value, place = _operand("topk", x, axis)
    count = _check.extent("topk", k, "k")
    if count > value.shape[place]:
        raise ShapeError(
            f"topk: k is {count}, but axis {place} of {describe(value)} has extent "
            f"{value.shape[place]}",
            notes=[made_at(value)],
            argument="k",
            help="ask for at most as many elements as there are",
        )
    if count <= _FEW and value.dtype.itemsize < 8:
        positions = _first(value, count, place, largest)
    else:
        order = argsort(value, place, descending=largest)
        positions = slicing.take_range(order, place, range(count))
    return take_along_axis(value, positions, place), positions


def histogram(x: TileLike, bins: int) -> Tile:
    """How many elements equal 0, 1, ..., `bins` - 1, as an int32 tile of shape (bins,).

    Elements outside that range are not counted.

    Raises:
        TileTypeError: the elements are not integers.
        ShapeError: `bins` is below 1, or too large for a tile.
    """
    value = _operands.tile("histogram", x)
    if not value.dtype.is_int:
        raise TileTypeError(
            f"histogram: counts integers, not {describe_given(value, x)}",
            notes=made_at_given(value, x),
            argument="x",
            help="number the bins first, for example ((x - low) * (bins / (high - low)))"
            ".astype(tg.int32)",
        )
    (count,) = _check.shape(
        "histogram", _check.extent("histogram", bins, "the number of bins", "bins"), "bins"
    )
    flat = shape.reshape(value, (-1, 1))
    total = None
    chunk = max(1, min(flat.shape[0], _check.MAX_ELEMENTS // count))
    for start in range(0, flat.shape[0], chunk):
        stop = min(start + chunk, flat.shape[0])
        part = slicing.take_range(flat, 0, range(start, stop))
        hits = compare.equal(part, creation.arange(count)[None, :])
        found = reduction.sum(convert.astype(hits, dtypes.int32), 0, dtypes.int32)
        total = found if total is None else total + found
    assert total is not None
    return total


def _operand(op: str, x: TileLike, axis: int) -> tuple[Tile, int]:
    value = _operands.tile(op, x)
    return value, _check.axis(op, axis, value.ndim)


def elementwise_not(x: Tile) -> Tile:
    """All bits inverted, which reverses the order of integers."""
    return Tile(x.owner.unary("not", x), x.dtype, x.shape)


# Keys
def _keys(value: Tile) -> Tile:
    """Integers that compare as the elements do; signed for floats."""
    if value.dtype is dtypes.bool_:
        return convert.astype(value, dtypes.uint8)
    if not value.dtype.is_float:
        return value
    keys = _fold(convert.bitcast(value, _SIGNED[value.dtype.itemsize]))
    return elementwise.where(elementwise.isnan(value), keys.dtype.max, keys)


def _fold(bits: Tile) -> Tile:
    """Signed integers in the order of the floats with these bits; its own inverse."""
    width = 8 * bits.dtype.itemsize
    return bits ^ ((bits >> (width - 1)) & bits.dtype.max)


def _values(keys: Tile, dtype: DType) -> Tile:
    """What `_keys` made keys of."""
    if dtype is dtypes.bool_:
        return compare.not_equal(keys, 0)
    return convert.bitcast(_fold(keys), dtype) if dtype.is_float else keys


def _one_zero(value: Tile) -> Tile:
    """Zeros of either sign as the positive one."""
    if not value.dtype.is_float:
        return value
    zero = creation.full(value.shape, 0.0, value.dtype)
    return elementwise.where(compare.equal(value, zero), zero, value)


def _packed(keys: Tile, axis: int) -> Tile:
    """Keys of up to 32 bits above their positions, as int64: of equal keys the first is less."""
    wide = convert.astype(keys, dtypes.int64)
    if keys.dtype is dtypes.uint32:
        wide = wide - (1 << 31)
    return (wide << 32) | _positions(keys, axis)


def _positions(like: Tile, axis: int) -> Tile:
    """The position along an axis of each element, as int64."""
    extents = [1] * like.ndim
    extents[axis] = like.shape[axis]
    return _operands.stretch(shape.reshape(creation.arange(like.shape[axis]), extents), like.shape)


def _padded(keys: Tile, axis: int) -> Tile:
    """Filled up to a power of two with the largest key."""
    extent = keys.shape[axis]
    missing = (1 << (extent - 1).bit_length()) - extent
    if not missing:
        return keys
    rest = _replaced(keys.shape, axis, missing)
    return shape.concatenate([keys, creation.full(rest, keys.dtype.max, keys.dtype)], axis)


def _replaced(extents: Sequence[int], axis: int, extent: int) -> tuple[int, ...]:
    return (*extents[:axis], extent, *extents[axis + 1 :])


# Networks
def _network(tiles: list[Tile], axis: int) -> list[Tile]:
    """Keys in ascending order; a second tile breaks ties and travels with the first."""
    extent = tiles[0].shape[axis]
    extents = _replaced([1] * tiles[0].ndim, axis, extent)
    lanes = shape.reshape(creation.arange(extent, dtype=dtypes.int32), extents)
    width = 2
    while width <= extent:
        distance = width // 2
        while distance:
            partner = _operands.stretch(lanes ^ distance, tiles[0].shape)
            lower = compare.equal(lanes & distance, 0)
            ascending = compare.equal(lanes & width, 0)
            keeps_less = _operands.stretch(compare.equal(lower, ascending), tiles[0].shape)
            tiles = _exchange(tiles, partner, keeps_less, axis)
            distance //= 2
        width *= 2
    return tiles


def _exchange(tiles: list[Tile], partner: Tile, keeps_less: Tile, axis: int) -> list[Tile]:
    """One stage: each lane keeps the lesser or the greater of its element and its partner's."""
    others = [Tile(x.owner.take(x, partner, axis), x.dtype, x.shape) for x in tiles]
    if len(tiles) == 1:
        x, y = tiles[0], others[0]
        return [elementwise.where(keeps_less, elementwise.minimum(x, y), elementwise.maximum(x, y))]
    (x, i), (y, j) = tiles, others
    less = (x < y) | (compare.equal(x, y) & (i < j))
    stays = compare.equal(less, keeps_less)
    return [
        elementwise.where(stays, mine, other) for mine, other in zip(tiles, others, strict=True)
    ]


def _first(value: Tile, count: int, axis: int, largest: bool) -> Tile:
    """Positions of the few largest or smallest: each round takes the least key above the last."""
    keys = _keys(_one_zero(value))
    packed = _packed(elementwise_not(keys) if largest else keys, axis)
    found: list[Tile] = []
    rest = packed
    for _ in range(count):
        least = reduction.min(rest, axis, keepdims=True)
        found.append(least)
        rest = elementwise.where(packed > least, packed, dtypes.int64.max)
    return shape.concatenate(found, axis) & 0xFFFFFFFF
