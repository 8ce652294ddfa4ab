# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Atomic read-modify-write of single array elements.

Each returns what was there before, lane by lane.

Lanes with a false mask or an index outside the array do nothing and return `pad`. Lanes of one
program act in row-major order; programs in any order.

An atomic on one element (a scalar, or a tile of one) is visible to the whole device and orders what
programs do (acquire and release): a program whose atomic on that element comes after another
program's sees from then on all that the other did before its own. Locks, flags and tickets are made
of them. Atomics of larger tiles order nothing but their elements.
"""

from __future__ import annotations

from tegula.errors import TileTypeError
from tegula.lang import _access
from tegula.lang._operands import TileLike
from tegula.lang.array import Array
from tegula.lang.memory import Index, lanes
from tegula.lang.tile import Tile


def atomic_add(
    a: Array, indices: Index, value: TileLike, mask: TileLike | None = None, pad: TileLike = 0
) -> Tile:
    """Add to elements; integers wrap.

    Args:
        a: array parameter of integers, float16, bfloat16, float32 or float64.
        indices: one integer tile or scalar for each dimension; all operands broadcast together.
        value: tile or scalar of the array's dtype; Python numbers adapt to it.
        mask: boolean tile or scalar.
        pad: what inactive lanes return.

    Returns:
        The previous values, of the broadcast shape.

    Raises:
        ShapeError: the number of indices is not the rank, or shapes do not broadcast.
        TileTypeError: the array's dtype does not support the operation, or dtypes differ.
        StoreError: the array is read-only (in the interpreter, and when launched).
    """
    return _update("atomic_add", "add", a, indices, value, mask, pad)


def atomic_max(
    a: Array, indices: Index, value: TileLike, mask: TileLike | None = None, pad: TileLike = 0
) -> Tile:
    """Replace elements by the larger value; NaN wins.

    Arguments and errors as :func:`atomic_add`.
    """
    return _update("atomic_max", "max", a, indices, value, mask, pad)


def atomic_min(
    a: Array, indices: Index, value: TileLike, mask: TileLike | None = None, pad: TileLike = 0
) -> Tile:
    """Replace elements by the smaller value; NaN wins.

    Arguments and errors as :func:`atomic_add`.
    """
    return _update("atomic_min", "min", a, indices, value, mask, pad)


def atomic_and(
    a: Array, indices: Index, value: TileLike, mask: TileLike | None = None, pad: TileLike = 0
) -> Tile:
    """Bitwise and of integers or booleans. Arguments and errors as :func:`atomic_add`."""
    return _update("atomic_and", "and", a, indices, value, mask, pad)


def atomic_or(
    a: Array, indices: Index, value: TileLike, mask: TileLike | None = None, pad: TileLike = 0
) -> Tile:
    """Bitwise or of integers or booleans. Arguments and errors as :func:`atomic_add`."""
    return _update("atomic_or", "or", a, indices, value, mask, pad)


def atomic_xor(
    a: Array, indices: Index, value: TileLike, mask: TileLike | None = None, pad: TileLike = 0
) -> Tile:
    """Bitwise exclusive or of integers or booleans. Arguments and errors as :func:`atomic_add`."""
    return _update("atomic_xor", "xor", a, indices, value, mask, pad)


def atomic_xchg(
    a: Array, indices: Index, value: TileLike, mask: TileLike | None = None, pad: TileLike = 0
) -> Tile:
    """Replace elements. Arguments and errors as :func:`atomic_add`; any dtype but fp8."""
    return _update("atomic_xchg", "xchg", a, indices, value, mask, pad)


def atomic_cas(
    a: Array,
    indices: Index,
    compare: TileLike,
    value: TileLike,
    mask: TileLike | None = None,
    pad: TileLike = 0,
) -> Tile:
    """Replace elements whose bits equal those of `compare`.

    Arguments and errors as :func:`atomic_add`; any dtype but fp8.
    """
    op = "atomic_cas"
    view = _access.array(op, a)
    _check_dtype(op, "xchg", view)
    expected = _access.element(op, view, compare, "compare")
    new = _access.element(op, view, value)
    places = _access.indices(op, view, indices)
    fill = _access.scalar_element(op, view, pad, "pad")
    (expected, new, *places), chosen = lanes(op, [expected, new, *places], _access.mask(op, mask))
    handle = view.owner.atomic_cas(view, places, expected, new, chosen, fill)
    return Tile(handle, view.dtype, new.shape)


def _update(
    op: str,
    kind: str,
    a: Array,
    indices: Index,
    value: TileLike,
    mask: TileLike | None,
    pad: TileLike,
) -> Tile:
    view = _access.array(op, a)
    _check_dtype(op, kind, view)
    given = _access.element(op, view, value)
    places = _access.indices(op, view, indices)
    fill = _access.scalar_element(op, view, pad, "pad")
    (given, *places), chosen = lanes(op, [given, *places], _access.mask(op, mask))
    return Tile(
        view.owner.atomic_rmw(kind, view, places, given, chosen, fill), view.dtype, given.shape
    )


def _check_dtype(op: str, kind: str, view: Array) -> None:
    dtype = view.dtype
    allowed = not dtype.is_fp8
    if kind in ("and", "or", "xor"):
        allowed = not dtype.is_float
    elif kind in ("add", "max", "min"):
        allowed = allowed and dtype.kind != "b"
    if not allowed:
        raise TileTypeError(
            f"{op}: arrays of {dtype} are not supported, and {view.name!r} is one",
            notes=[_access.note(view)],
            argument="a",
            help="use an array of integers"
            if dtype.is_float and not dtype.is_fp8
            else "use a wider dtype for the array",
        )
