# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers of four bits, two in a byte, and products of block-scaled operands.

Formats: int4 in two's complement; e2m1 (fp4) and the scales e8m0 as in the OCP Microscaling Formats
specification, version 1.0. Of the two numbers in a byte, the one in the low bits comes first.
"""

from __future__ import annotations

from tegula.errors import ArgumentError, ShapeError, TileTypeError
from tegula.lang import _check, _operands, convert, creation, dtypes, elementwise, shape
from tegula.lang._describe import describe, describe_given, made_at, made_at_given
from tegula.lang._operands import TileLike
from tegula.lang.compare import equal, greater, greater_equal
from tegula.lang.dot import dot
from tegula.lang.dtypes import DType
from tegula.lang.tile import Tile

_BYTES = (dtypes.int8, dtypes.uint8)
# Between neighbours of e2m1's magnitudes 0, 0.5, 1, 1.5, 2, 3, 4, 6; halves go to the even code.
_MIDDLES = (0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0)
_FORMATS = {"e4m3": dtypes.float8_e4m3fn, "e5m2": dtypes.float8_e5m2, "e2m1": dtypes.uint8}


def unpack_int4(x: TileLike, axis: int = -1, signed: bool = True) -> Tile:
    """The two 4-bit integers in each byte: int8 from -8 to 7, or with `signed=False` uint8.

    The one in the low bits comes first.

    Args:
        x: tile of int8 or uint8.
        axis: the axis along which the two stand one after the other; its extent doubles.

    Raises:
        TileTypeError: the dtype is another.
        ArgumentError: the axis is out of range.
    """
    codes, place = _bytes("unpack_int4", x, axis)
    low, high = codes & 15, codes >> 4
    if not signed:
        return _alternate(low, high, place)
    # Shifted to the top and back, the sign comes down.
    pair = [convert.bitcast(part << 4, dtypes.int8) >> 4 for part in (low, high)]
    return _alternate(pair[0], pair[1], place)


def pack_int4(x: TileLike, axis: int = -1) -> Tile:
    """The low four bits of each two neighbours along an axis as one uint8; undoes `unpack_int4`.

    The first of the two gets the low bits.

    Raises:
        TileTypeError: the elements are not integers.
        ShapeError: the extent along the axis is odd.
        ArgumentError: the axis is out of range.
    """
    value = _operands.tile("pack_int4", x)
    if not value.dtype.is_int:
        raise TileTypeError(
            f"pack_int4: packs integers, not {describe_given(value, x)}",
            notes=made_at_given(value, x),
            argument="x",
            help="round and convert first: tg.rint(x).astype(tg.int8)",
        )
    return _pack("pack_int4", convert.astype(value, dtypes.uint8), axis)


def unpack_fp4(x: TileLike, axis: int = -1, dtype: DType = dtypes.bfloat16) -> Tile:
    """The two e2m1 numbers in each byte, exactly; the one in the low bits comes first.

    Args:
        x: tile of int8 or uint8.
        axis: the axis along which the two stand one after the other; its extent doubles.
        dtype: a float dtype of the result.

    Raises:
        TileTypeError: the dtype of `x` is another, or `dtype` is no float.
        ArgumentError: the axis is out of range.
    """
    wanted = dtypes.as_dtype(dtype)
    if not wanted.is_float:
        raise TileTypeError(
            f"unpack_fp4: dtype must be a float, not {wanted}",
            argument="dtype",
            help="use tg.bfloat16, tg.float16 or tg.float32; tg.unpack_int4 gives integers",
        )
    codes, place = _bytes("unpack_fp4", x, axis)
    wide = convert.astype(_alternate(codes & 15, codes >> 4, place), dtypes.uint16)
    magnitude = wide & 7
    # Of bfloat16: a code of 2 and more has an exponent of its own; 1 is 0.5, e2m1's subnormal.
    bits = elementwise.where(magnitude < 2, magnitude * 0x3F00, (magnitude + 252) << 6)
    value = convert.bitcast(bits | ((wide & 8) << 12), dtypes.bfloat16)
    return convert.astype(value, wanted)


def pack_fp4(x: TileLike, axis: int = -1) -> Tile:
    """Each two neighbours along an axis as e2m1 in one uint8.

    Rounds to nearest even, saturates to 6 with the sign; NaN, which e2m1 lacks, gives 0.

    Raises:
        TileTypeError: the elements are not floats.
        ShapeError: the extent along the axis is odd.
        ArgumentError: the axis is out of range.
    """
    value = _operands.tile("pack_fp4", x)
    if not value.dtype.is_float:
        raise TileTypeError(
            f"pack_fp4: packs floats, not {describe_given(value, x)}",
            notes=made_at_given(value, x),
            argument="x",
            help="convert first: x.astype(tg.float32)",
        )
    if value.dtype is not dtypes.float64:
        value = _operands.cast(value, dtypes.float32)
    size = elementwise.abs(value)
    code = creation.zeros(value.shape, dtypes.uint8)
    for number, middle in enumerate(_MIDDLES):
        above = greater_equal(size, middle) if number % 2 else greater(size, middle)
        code = code + convert.astype(above, dtypes.uint8)
    wide = dtypes.int64 if value.dtype is dtypes.float64 else dtypes.int32
    sign = elementwise.where(convert.bitcast(value, wide) < 0, dtypes.uint8(8), dtypes.uint8(0))
    code = elementwise.where(elementwise.isnan(value), dtypes.uint8(0), code | sign)
    return _pack("pack_fp4", code, axis)


def decode_e8m0(scale: TileLike) -> Tile:
    """Block scales as float32: the power of two `scale - 127`; 255 is NaN.

    Raises:
        TileTypeError: the dtype is not uint8.
    """
    return _decoded("decode_e8m0", scale, "scale")


def _decoded(op: str, scale: TileLike, argument: str) -> Tile:
    value = _operands.tile(op, scale, argument)
    if value.dtype is not dtypes.uint8:
        raise TileTypeError(
            f"{op}: scales are uint8, not {describe_given(value, scale)}",
            notes=made_at_given(value, scale),
            argument=argument,
            help="pass the exponents with their bias, as bytes: array.view(np.uint8)",
        )
    wide = convert.astype(value, dtypes.uint32)
    # 2**-127 is subnormal in float32.
    bits = elementwise.where(equal(wide, 0), dtypes.uint32(0x00400000), wide << 23)
    bits = elementwise.where(equal(wide, 255), dtypes.uint32(0x7FC00000), bits)
    return convert.bitcast(bits, dtypes.float32)


def dot_scaled(
    a: Tile,
    a_scale: Tile | None,
    a_format: str,
    b: Tile,
    b_scale: Tile | None,
    b_format: str,
    acc: Tile | None = None,
) -> Tile:
    """`acc + (a * a_scale) @ (b * b_scale)`, each scale shared by a block along the inner axis.

    Scaled elements are bfloat16, which holds them exactly unless they are below 2**-126; products
    add up in float32.

    Args:
        a: tile of shape (M, K); for "e2m1" bytes of shape (M, K / 2).
        a_scale: uint8 (e8m0) of shape (M, K / block), or None for 1; mx formats have blocks of 32.
        a_format: "e4m3" or "e5m2" (fp8), or "e2m1" (fp4).
        b: tile of shape (K, N); for "e2m1" bytes of shape (K / 2, N).
        b_scale: uint8 (e8m0) of shape (K / block, N), or None for 1.
        b_format: as `a_format`.
        acc: float32 tile of shape (M, N); None means zeros.

    Raises:
        ArgumentError: an unknown format.
        TileTypeError: a dtype does not fit the format, or a scale is not uint8.
        ShapeError: extents do not fit, or the blocks do not divide K.
    """
    left = _scaled("a", a, a_scale, a_format, 1)
    right = _scaled("b", b, b_scale, b_format, 0)
    return dot(left, right, acc)


def _scaled(name: str, value: Tile, scale: Tile | None, form: str, axis: int) -> Tile:
    """An operand of dot_scaled as bfloat16; `axis` is the inner one."""
    found = _operands.tile("dot_scaled", value, name)
    if not isinstance(form, str) or form not in _FORMATS:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ArgumentError(
            f"dot_scaled: the format {form!r} of {name} is unknown",
            argument=f"{name}_format",
            help='use "e4m3", "e5m2" or "e2m1"',
        )
    allowed = _BYTES if form == "e2m1" else (_FORMATS[form],)
    if found.dtype not in allowed or found.ndim != 2:
        raise TileTypeError(
            f"dot_scaled: {name} must be a tile of rank 2 and {allowed[-1]} for the format "
            f"{form!r}, not {describe_given(found, value)}",
            notes=made_at_given(found, value),
            argument=name,
            help=f"convert it: .astype(tg.{allowed[-1].name}), or name the format that it has",
        )
    wide = unpack_fp4(found, axis) if form == "e2m1" else convert.astype(found, dtypes.bfloat16)
    if scale is None:
        return wide
    factors = _spread(name, wide, _decoded("dot_scaled", scale, f"{name}_scale"), axis)
    return convert.astype(convert.astype(wide, dtypes.float32) * factors, dtypes.bfloat16)


def _spread(name: str, value: Tile, factors: Tile, axis: int) -> Tile:
    """Scales repeated for each element of their blocks."""
    extent, blocks = value.shape[axis], factors.shape[axis] if factors.ndim == 2 else 0
    if not blocks or factors.shape[1 - axis] != value.shape[1 - axis] or extent % blocks:
        raise ShapeError(
            f"dot_scaled: scales of shape {factors.shape} do not fit {name} of shape {value.shape}",
            notes=[made_at(factors), made_at(value)],
            argument=f"{name}_scale",
            help="give one scale for each block along the inner axis, for example "
            + ("(M, K // 32)" if axis else "(K // 32, N)"),
        )
    outer, inner = factors.shape[: axis + 1], factors.shape[axis + 1 :]
    repeated = shape.broadcast_to(
        shape.expand_dims(factors, axis + 1), (*outer, extent // blocks, *inner)
    )
    return shape.reshape(repeated, value.shape)


def _bytes(op: str, x: TileLike, axis: int) -> tuple[Tile, int]:
    """A tile of bytes as uint8, and the axis."""
    value = _operands.tile(op, x)
    if value.dtype not in _BYTES:
        raise TileTypeError(
            f"{op}: takes bytes (uint8 or int8), not {describe_given(value, x)}",
            notes=made_at_given(value, x),
            argument="x",
            help="two numbers of four bits are packed in each byte: convert with .astype(tg.uint8)",
        )
    place = _check.axis(op, axis, value.ndim)
    return (value if value.dtype is dtypes.uint8 else convert.bitcast(value, dtypes.uint8)), place


def _alternate(first: Tile, second: Tile, axis: int) -> Tile:
    """Elements of two tiles in turn along an axis."""
    rank = first.ndim
    pairs = shape.join(first, second)
    order = (*range(axis + 1), rank, *range(axis + 1, rank))
    extents = list(first.shape)
    extents[axis] *= 2
    return shape.reshape(shape.transpose(pairs, order), _check.shape("unpack", extents))


def _pack(op: str, codes: Tile, axis: int) -> Tile:
    """Two neighbours along an axis in one byte."""
    place = _check.axis(op, axis, codes.ndim)
    extent = codes.shape[place]
    if extent % 2:
        raise ShapeError(
            f"{op}: axis {place} of {describe(codes)} has the odd extent {extent}",
            notes=[made_at(codes)],
            help="two neighbours share a byte: make the extent even, as with tg.concatenate",
        )
    outer, inner = codes.shape[:place], codes.shape[place + 1 :]
    rank = codes.ndim
    pairs = shape.reshape(codes, (*outer, extent // 2, 2, *inner))
    order = (*range(place + 1), *range(place + 2, rank + 1), place + 1)
    low, high = shape.split(shape.transpose(pairs, order))
    return (low & 15) | (high << 4)
