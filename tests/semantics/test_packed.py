# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Four-bit numbers in bytes, and products of block-scaled operands."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import tegula as tg
from tegula.errors import ArgumentError, ShapeError, TileTypeError
from tests.semantics.compare import E4M3, E5M2, FLOATS, edge_values

BYTES = np.arange(256, dtype=np.uint8).reshape(8, 32)
E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])


def halves(x: np.ndarray, axis: int) -> np.ndarray:
    """The 4-bit codes in bytes, the low one first."""
    pair = np.stack([x & 15, x >> 4], axis + 1)
    return pair.reshape([n * (2 if d == axis else 1) for d, n in enumerate(x.shape)])


@pytest.mark.parametrize("axis", [0, 1])
def test_int4_of_every_byte(check, axis):
    codes = halves(BYTES, axis)
    signed = (codes.astype("i1") ^ 8) - np.int8(8)
    check(
        lambda p: (
            tg.unpack_int4(p, axis),
            tg.unpack_int4(p.view(tg.int8), axis),
            tg.unpack_int4(p, axis, signed=False),
            tg.pack_int4(tg.unpack_int4(p, axis), axis),
        ),
        BYTES,
        want=[signed, signed, codes, BYTES],
    )


def test_packing_int4_keeps_the_low_bits(check):
    x = np.array([-9, 7, 300, -1, 16, 8], "i4")
    want = (x[::2] & 15 | (x[1::2] & 15) << 4).astype("u1")
    check(lambda p: tg.pack_int4(p), x, want=want)


@pytest.mark.contract("float to fp4 (`pack_fp4`)")
@pytest.mark.parametrize("dtype", [tg.bfloat16, tg.float16, tg.float32, tg.float8_e4m3fn], ids=str)
@pytest.mark.parametrize("axis", [0, -1])
def test_fp4_of_every_byte(check, dtype, axis):
    want = E2M1[halves(BYTES, axis % 2)].astype(dtype.numpy)
    check(lambda p: tg.unpack_fp4(p, axis, dtype), BYTES, want=want)
    check(lambda p: tg.pack_fp4(tg.unpack_fp4(p, axis, dtype), axis), BYTES, want=BYTES)


@pytest.mark.contract("float to fp4 (`pack_fp4`)")
@pytest.mark.parametrize("dtype", [*FLOATS, E4M3, E5M2], ids=str)
def test_packing_fp4_rounds_to_nearest_even_and_saturates(check, rng, dtype):
    middles = np.array([0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5, 7, 6, 100, 0.2, 0.3, 4.9, 5.1])
    x = np.concatenate(
        [edge_values(dtype, rng, 100), middles.astype(dtype), -middles.astype(dtype)]
    )
    wide = x.astype("f8")
    with np.errstate(invalid="ignore"):
        distance = np.abs(np.minimum(np.abs(wide), 6)[:, None] - E2M1[None, :8])
    best = distance.min(1)[:, None] == distance
    code = np.where(best.sum(1) > 1, (best * (np.arange(8) % 2 == 0)).argmax(1), best.argmax(1))
    code = np.where(np.isnan(wide), 0, code | np.where(np.signbit(wide), 8, 0)).astype("u1")
    check(lambda p: tg.pack_fp4(p), x, want=code[::2] | code[1::2] << 4)


def test_scales_are_powers_of_two(check):
    exponents = np.arange(256).astype("u1")
    want = np.ldexp(1.0, np.arange(256) - 127).astype("f4")
    want[255] = np.nan
    check(lambda p: tg.decode_e8m0(p), exponents, want=want)


def operand(rng, form: str, rows: int, columns: int, axis: int) -> tuple[np.ndarray, np.ndarray]:
    """Raw elements, two in a byte along the axis for fp4, and their values."""
    if form == "e2m1":
        shape = [rows, columns]
        shape[axis] //= 2
        raw = rng.integers(0, 256, shape, np.uint8)
        return raw, E2M1[halves(raw, axis)]
    dtype = {"e4m3": E4M3, "e5m2": E5M2}[form]
    raw = rng.standard_normal((rows, columns)).astype(dtype)
    return raw, raw.astype("f8")


@pytest.mark.parametrize("block", [32, 16])
@pytest.mark.parametrize(
    "formats", [("e4m3", "e4m3"), ("e5m2", "e4m3"), ("e2m1", "e2m1"), ("e2m1", "e5m2")], ids=str
)
def test_dot_of_block_scaled_operands(run, rng, formats, block):
    (m, k, n), (fa, fb) = (16, 64, 24), formats
    a, va = operand(rng, fa, m, k, 1)
    b, vb = operand(rng, fb, k, n, 0)
    sa = rng.integers(120, 135, (m, k // block)).astype("u1")
    sb = rng.integers(120, 135, (k // block, n)).astype("u1")
    va = va * np.ldexp(1.0, sa.astype(int) - 127).repeat(block, 1)
    vb = vb * np.ldexp(1.0, sb.astype(int) - 127).repeat(block, 0)
    scales = np.concatenate([sa.ravel(), sb.ravel()])
    cut = sa.size

    def scaled(p, q, s):
        left = tg.reshape(s[:cut], sa.shape)
        right = tg.reshape(s[cut:], sb.shape)
        first = tg.dot_scaled(p, left, fa, q, right, fb)
        return first, tg.dot_scaled(p, left, fa, q, right, fb, first)

    want = va @ vb
    got = run(scaled, [a, b, scales], [want.astype("f4")] * 2)
    bound = np.abs(va) @ np.abs(vb) * 2.0**-20
    assert (np.abs(got[0] - want) <= bound).all()
    assert (np.abs(got[1] - 2 * want) <= 2 * bound).all()


def test_a_scale_may_be_left_out_and_nan_spreads(run):
    a = np.ones((2, 32), E4M3)
    b = np.full((32, 3), 2, E4M3)
    s = np.array([[127], [255]], np.uint8)
    like = [np.zeros((2, 3), "f4")] * 2
    got = run(
        lambda p, q, s: (
            tg.dot_scaled(p, None, "e4m3", q, None, "e4m3"),
            tg.dot_scaled(p, s, "e4m3", q, None, "e4m3"),
        ),
        [a, b, s],
        like,
    )
    np.testing.assert_array_equal(got[0], np.full((2, 3), 64))
    np.testing.assert_array_equal(got[1], [[64] * 3, [np.nan] * 3])


F8 = np.ones((4, 32), ml_dtypes.float8_e4m3fn)


@pytest.mark.parametrize(
    ("function", "error", "text"),
    [
        (lambda p: tg.unpack_int4(p), TileTypeError, "takes bytes"),
        (lambda p: tg.pack_int4(p), TileTypeError, "packs integers"),
        (lambda p: tg.pack_fp4(p[:, :3]), ShapeError, "the odd extent 3"),
        (lambda p: tg.pack_fp4(tg.arange(4)), TileTypeError, "packs floats"),
        (lambda p: tg.decode_e8m0(p), TileTypeError, "scales are uint8"),
        (lambda p: tg.dot_scaled(p, None, "fp8", p, None, "e4m3"), ArgumentError, "'fp8' of a is"),
        (
            lambda p: tg.dot_scaled(p, None, "e4m3", p.T, None, "e5m2"),
            TileTypeError,
            "b must be a tile of rank 2 and float8_e5m2 for the format 'e5m2'",
        ),
        (
            lambda p: tg.dot_scaled(p, tg.zeros((4, 3), tg.uint8), "e4m3", p.T, None, "e4m3"),
            ShapeError,
            r"scales of shape \(4, 3\) do not fit a of shape \(4, 32\)",
        ),
    ],
)
def test_mistakes(check, function, error, text):
    with pytest.raises(error, match=text):
        check(function, F8, want=F8)
