# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix products of tiles."""

from __future__ import annotations

from tegula.errors import ArgumentError, Note, ShapeError, TileTypeError
from tegula.lang import _operands, _widening, dtypes
from tegula.lang._describe import describe, made_at
from tegula.lang.dtypes import DType
from tegula.lang.tile import Tile

_INTEGERS = (dtypes.int8, dtypes.uint8)


def dot(a: Tile, b: Tile, acc: Tile | None = None, precision: str | None = None) -> Tile:
    """`acc + a @ b` with a wide accumulator.

    Args:
        a: tile of shape (M, K), or (B, M, K).
        b: tile of shape (K, N), or (B, K, N), of the dtype of `a`.
        acc: tile of shape (M, N), or (B, M, N), of the accumulator's dtype; None means zeros.
        precision: "tf32" permits float32 operands to be rounded to TF32; None computes in full.

    Returns:
        A tile of the shape of `acc`: float32 for fp8, float16, bfloat16 and float32; float64 for
        float64; int32 for int8 and uint8. The order of the sum is fixed for a target and shape.

    Raises:
        ShapeError: ranks or extents do not fit.
        TileTypeError: dtypes differ, are not supported, or `acc` has another dtype.
        ArgumentError: an unknown precision, or "tf32" for other dtypes than float32.
    """
    left, right = (_matrix(value, role) for value, role in ((a, "a"), (b, "b")))
    result = _result_dtype(left, right)
    shape = _result_shape(left, right, acc)
    if precision not in (None, "tf32"):
        raise ArgumentError(
            f"dot: precision {precision!r} is unknown",
            argument="precision",
            help='use "tf32" or None',
        )
    if precision == "tf32" and left.dtype is not dtypes.float32:
        raise ArgumentError(
            f'dot: precision "tf32" is for float32 operands, not {left.dtype}',
            notes=_operand_notes(left, right),
            argument="precision",
            help="leave precision out",
        )
    total = _accumulator(acc, result, shape, (left, right))
    return Tile(left.owner.dot(left, right, total, precision), result, shape, of=(left, right))


def _matrix(value: object, role: str) -> Tile:
    found = _operands.operand("dot", value, role)
    if not isinstance(found, Tile) or len(found.shape) not in (2, 3):
        shown = (
            f"{describe(found)} of rank {found.ndim}"
            if isinstance(found, Tile)
            else f"the number {found!r}"
        )
        raise ShapeError(
            f"dot: {role} must have rank 2, or 3 with a batch, not {shown}",
            notes=[made_at(found)] if isinstance(found, Tile) else (),
            argument=role,
            help="add an axis with x[None, :] or x[:, None]; for a product with a number or "
            "elementwise use *",
        )
    return found


def _operand_notes(a: Tile, b: Tile) -> list[Note | None]:
    return [_operands.made_here(a, "a"), _operands.made_here(b, "b"), *_widening.first(a, b)]


def _result_dtype(a: Tile, b: Tile) -> DType:
    if a.dtype is not b.dtype:
        raise TileTypeError(
            f"dot: a is {a.dtype} but b is {b.dtype}; both must have one dtype",
            notes=_operand_notes(a, b),
            help=f"convert one of them, for example b.astype({a.dtype!r})" + _widening.edit(a, b),
        )
    if a.dtype in _INTEGERS:
        return dtypes.int32
    if not a.dtype.is_float:
        raise TileTypeError(
            f"dot: {a.dtype} is not supported",
            notes=_operand_notes(a, b),
            help="use int8, uint8 or a float dtype; convert with .astype(tg.float32) or "
            ".astype(tg.float64)",
        )
    return dtypes.float64 if a.dtype is dtypes.float64 else dtypes.float32


def _result_shape(a: Tile, b: Tile, acc: object) -> tuple[int, ...]:
    if len(a.shape) != len(b.shape) or a.shape[:-2] != b.shape[:-2]:
        raise ShapeError(
            f"dot: the batches of a {a.shape} and b {b.shape} differ",
            notes=_operand_notes(a, b),
            help="give both the same leading extent, for example with tg.broadcast_to",
        )
    if a.shape[-1] != b.shape[-2]:
        fits = a.ndim == 2 and a.shape[-1] == b.shape[-1]
        if isinstance(acc, Tile) and acc.shape not in ((), (a.shape[0], b.shape[0])):
            fits = False
        rest = "" if acc is None else ", acc"
        flipped = f"; b fits when transposed: tg.dot(a, b.T{rest})" if fits else ""
        raise ShapeError(
            f"dot: the inner extents differ: a is {a.shape} and b is {b.shape}, so {a.shape[-1]} "
            f"meets {b.shape[-2]}",
            notes=_operand_notes(a, b),
            help=f"a must be (M, K) and b (K, N){flipped}",
        )
    return (*a.shape[:-1], b.shape[-1])


def _accumulator(
    acc: object, dtype: DType, shape: tuple[int, ...], operands: tuple[Tile, Tile]
) -> Tile:
    if acc is None:
        return _operands.stretch(_operands.constant("dot", 0, dtype), shape)
    given = _operands.tile("dot", acc, "acc")
    if given.shape != shape:
        raise ShapeError(
            f"dot: acc has shape {given.shape}, but a @ b has {shape}",
            notes=[made_at(given)],
            argument="acc",
            help=f"start from tg.zeros({shape}, {dtype!r})",
        )
    if given.dtype is not dtype:
        raise TileTypeError(
            f"dot: acc is {given.dtype}, but these operands accumulate in {dtype}",
            notes=[*_widening.history(given), *_widening.first(*operands)],
            argument="acc",
            help=f"start from tg.zeros({shape}, {dtype!r}) and convert the final result with "
            f".astype",
        )
    return given
