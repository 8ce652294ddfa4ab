# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays with other sizes, as views.

Sizes and strides are known when the kernel runs, so what NumPy refuses to do without a copy is
refused by an assertion: about the launch's arguments it holds or fails in every program.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tegula.errors import ShapeError, TileTypeError
from tegula.lang import _check, _operands, dtypes, elementwise
from tegula.lang._describe import describe, made_at
from tegula.lang.array import Array
from tegula.lang.tile import Tile


def reshape(a: Array, shape: int | Tile | Sequence[int | Tile]) -> Array:
    """The same elements in row-major order with other sizes, one of which may be -1.

    Raises:
        ShapeError: two sizes are -1, one is another negative number, or there are none.
        TileTypeError: a size is no integer scalar.
        KernelAssertionError: the sizes have another product than the array's, or its strides do not
            allow them without a copy; raised by the launch.
    """
    given = [_size(a, item) for item in _check.sequence(shape)]
    free = [i for i, item in enumerate(given) if isinstance(item, int) and item == -1]
    if len(free) > 1:
        raise ShapeError(
            f"reshape: only one size of the array {a.name!r} may be -1, not {len(free)} of them",
            help="give all sizes but one; -1 stands for what is left",
        )
    if not given or a.ndim == 0:
        raise ShapeError(
            f"reshape: the array {a.name!r} of rank {a.ndim} cannot get {len(given)} axes",
            help="views keep one axis at least; tg.gather reads the element of an array of rank 0",
        )
    source = _Source(a)
    one = _constant(1)
    sizes = [one if i in free else _tile(item) for i, item in enumerate(given)]
    if free:
        rest = _product(sizes)
        sizes[free[0]] = source.total // elementwise.maximum(rest, 1)
    fits = source.has(sizes)
    a.owner.assert_(
        fits,
        f"reshape: the sizes have another product than the array {a.name!r} has elements",
    )
    weights = _weights(sizes)
    allowed = source.allows(sizes, weights)
    if allowed is not None:
        a.owner.assert_(
            allowed | ~fits,
            f"reshape: the strides of the array {a.name!r} do not allow these sizes without a "
            f"copy; pass a contiguous array, or reshape it before the launch",
        )
        fits = fits & allowed
    strides = [source.stride(weight) for weight in weights]
    # Without effect if the assertions hold: the program that failed one goes on.
    sizes = [elementwise.where(fits, size, 0) for size in sizes]
    handle = a.owner.reshape_view(a, sizes, strides)
    return Array(handle, a.dtype, len(sizes), name=a.name, origin=a.origin, base=a)


class _Source:
    """What of an array decides how it can be reshaped.

    Attributes:
        total: number of elements.
    """

    def __init__(self, a: Array) -> None:
        self._sizes = a.shape
        self._strides = list(a.strides)
        self._weights = _weights(self._sizes)
        self.total = _product(self._sizes)
        # Along an axis of one element any stride will do: the one that continues the next axis.
        for axis in reversed(range(a.ndim - 1)):
            following = self._strides[axis + 1] * self._sizes[axis + 1]
            single = self._sizes[axis] == 1
            self._strides[axis] = elementwise.where(single, following, self._strides[axis])

    def has(self, sizes: Sequence[Tile]) -> Tile:
        """Whether as many elements have these sizes; products that wrap do not count."""
        left = self.total
        is_filled = self.total > 0
        is_empty = self.total == 0
        none = _constant(1) == 0
        for size in sizes:
            at_least = elementwise.maximum(size, 1)
            is_filled = is_filled & (size > 0) & (left % at_least == 0)
            left = left // at_least
            is_empty = is_empty & (size >= 0)
            none = none | (size == 0)
        return (is_filled & (left == 1)) | (is_empty & none)

    def allows(self, sizes: Sequence[Tile], weights: Sequence[Tile]) -> Tile | None:
        """Whether each new axis steps evenly through memory; None: always.

        An axis of weight `w` and size `n` passes the row-major positions from `w` to `w * n`. Where
        one of the array's axes begins strictly between, it must continue the next one.
        """
        allowed: Tile | None = None
        for axis in range(len(self._sizes) - 1):
            weight = self._weights[axis]
            continues = self._strides[axis] == self._strides[axis + 1] * self._sizes[axis + 1]
            for size, start in zip(sizes, weights, strict=True):
                passed = (start < weight) & (weight < start * size)
                fine = continues | ~passed
                allowed = fine if allowed is None else allowed & fine
        return None if allowed is None else allowed | (self.total == 0)

    def stride(self, weight: Tile) -> Tile:
        """How far apart in memory row-major positions are that are `weight` apart."""
        result = self._strides[-1] * weight
        for axis in reversed(range(len(self._sizes) - 1)):
            unit = elementwise.maximum(self._weights[axis], 1)
            covers = (unit <= weight) & (weight % unit == 0)
            result = elementwise.where(covers, self._strides[axis] * (weight // unit), result)
        return result


def _weights(sizes: Sequence[Tile]) -> list[Tile]:
    """For each axis, how many row-major positions one step along it is."""
    weights = [_constant(1)]
    for size in reversed(sizes[1:]):
        weights.insert(0, weights[0] * size)
    return weights


def _product(sizes: Sequence[Tile]) -> Tile:
    result = sizes[0]
    for size in sizes[1:]:
        result = result * size
    return result


def _constant(value: int) -> Tile:
    return _operands.constant("reshape", value, dtypes.int64)


def _tile(size: int | Tile) -> Tile:
    return _constant(size) if isinstance(size, int) else size


def _size(a: Array, value: object) -> int | Tile:
    """One size: an integer, or an int64 scalar.

    Raises:
        ShapeError: it is negative, but not -1.
        TileTypeError: it is anything else.
    """
    if isinstance(value, Tile):
        if value.shape != () or not value.dtype.is_int:
            raise TileTypeError(
                f"reshape: the sizes of the array {a.name!r} are integers, not {describe(value)}",
                notes=[made_at(value)],
                help="use // for a whole quotient, or convert with .astype(tg.int64)",
            )
        return _as_int64(value)
    size = _check.static_int("reshape", value, f"a size of the array {a.name!r}")
    if size < -1:
        raise ShapeError(
            f"reshape: a size of the array {a.name!r} is {size}",
            help="sizes are 0 or more; one of them may be -1, which stands for what is left",
        )
    return size


def _as_int64(value: Any) -> Tile:
    return _operands.coerce("reshape", value, dtypes.int64)
