# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conversions: every pair of dtypes, against exact rational arithmetic, one rounding each."""

from __future__ import annotations

import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

import tegula as tg
from tests.semantics.compare import (
    ALL,
    BFLOAT16,
    E4M3,
    E5M2,
    FLOATS8,
    FORMATS,
    all_values,
    edge_values,
    is_float,
    round_to,
)

NAMES = {dtype: getattr(tg, "bool_" if dtype.kind == "b" else dtype.name) for dtype in ALL}


def convert(value, target: np.dtype):
    """One Python number as the contract converts it."""
    if target == np.dtype("?"):
        return value != 0
    if is_float(target):
        if isinstance(value, float) and not math.isfinite(value):
            if math.isnan(value):
                return value
            return math.copysign(FORMATS[target][3], value)
        if value == 0:
            return float(value)
        return round_to(Fraction(value), target)
    low, high = int(np.iinfo(target).min), int(np.iinfo(target).max)
    if isinstance(value, float):
        if math.isnan(value):
            return 0
        return high if value >= high else low if value <= low else int(value)
    return (value - low) % (1 << 8 * target.itemsize) + low


def reference(x: np.ndarray, target: np.dtype) -> np.ndarray:
    if x.dtype == target:
        return x
    values = x.astype("f8").tolist() if is_float(x.dtype) else x.tolist()
    converted = [convert(v if x.dtype != bool else int(v), target) for v in values]
    if target in (BFLOAT16, *FLOATS8):  # exactly representable, so float32 carries them over
        return np.array(converted, np.float32).astype(target)
    return np.array(converted, target)


@pytest.mark.contract("float to integer")
@pytest.mark.parametrize("first", range(0, len(ALL), 4))
@pytest.mark.parametrize("source", ALL, ids=str)
def test_every_pair_of_dtypes(check, rng, source, first):
    targets = ALL[first : first + 4]
    x = edge_values(source, rng)
    names = tuple(NAMES[target] for target in targets)
    want = [reference(x, target) for target in targets]
    check(lambda a: tuple(a.astype(name) for name in names), x, want=want)


@pytest.mark.contract("float to integer")
@pytest.mark.parametrize("target", [E4M3, E5M2, np.dtype("f2"), BFLOAT16], ids=str)
@pytest.mark.parametrize("source", [E4M3, E5M2, np.dtype("f2"), BFLOAT16], ids=str)
def test_every_value_of_the_narrow_formats(check, source, target):
    x = all_values(source)
    dtype = NAMES[target]
    check(lambda a: a.astype(dtype), x, want=reference(x, target))


@pytest.mark.contract("float to fp8")
@pytest.mark.parametrize("target", [E4M3, E5M2, np.dtype("f2"), BFLOAT16], ids=str)
@pytest.mark.parametrize("source", ["f4", "f8"])
def test_rounding_next_to_every_tie(check, rng, source, target):
    """Values halfway between neighbours, and their own neighbours: no double rounding."""
    values = all_values(target).astype("f8")
    values = np.sort(np.unique(values[np.isfinite(values)]))
    ties = ((values[1:] + values[:-1]) / 2)[:: max(1, len(values) // 3000)].astype(source)
    x = np.concatenate([ties, np.nextafter(ties, ties * 2), np.nextafter(ties, ties * 0)])
    dtype = NAMES[target]
    check(lambda a: a.astype(dtype), x, want=reference(x, target))


@pytest.mark.contract("float to fp8")
def test_no_double_rounding_through_float32(check):
    """Just above a tie of bfloat16 by less than float32 can hold."""
    x = np.array(
        [1 + 2.0**-8 + 2.0**-40, 1 + 2.0**-8, 1 + 2.0**-8 - 2.0**-40, -1 - 2.0**-8 - 2.0**-40]
    )
    check(
        lambda a: a.astype(tg.bfloat16),
        x,
        want=np.array([1 + 2.0**-7, 1.0, 1.0, -1 - 2.0**-7], np.float32).astype(BFLOAT16),
    )
    large = np.array([2**60 + 2**52, 2**60 + 2**52 + 1, -(2**60) - 2**52 - 1], np.int64)
    want = np.array([2.0**60, 2.0**60 + 2.0**53, -(2.0**60) - 2.0**53], np.float32)
    check(lambda a: a.astype(tg.bfloat16), large, want=want.astype(BFLOAT16))


def test_reported_cases_of_fp8(check):
    half = np.array([1.125, -1.125, 57344.0, 65504.0, np.inf, -np.inf, np.nan], np.float16)
    want = np.array([1.0, -1.0, 57344, 57344, 57344, -57344, np.nan], np.float32).astype(E5M2)
    check(lambda a: a.astype(tg.float8_e5m2), half, want=want)
    single = np.array([1.0625001, 1.0625, 464.0, 1e9, -np.inf, np.nan], np.float32)
    want = np.array([1.125, 1.0, 448, 448, -448, np.nan], np.float32).astype(E4M3)
    check(lambda a: a.astype(tg.float8_e4m3fn), single, want=want)


@tg.kernel
def narrow(a: tg.Array, o: tg.Array, p: tg.Array, BLOCK: tg.Const):
    x = tg.load(a, tg.program_id(0), BLOCK)
    tg.store(o, tg.program_id(0), x.astype(tg.float8_e4m3fn))
    tg.store(p, tg.program_id(0), x.astype(tg.float8_e5m2))


@pytest.mark.contract("float to fp8")
@pytest.mark.parametrize("source", [np.dtype("f2"), BFLOAT16], ids=str)
def test_fp8_tables_are_those_of_ml_dtypes_with_saturation(backend, source):
    """All 2^16 bit patterns; ml_dtypes itself gives NaN or infinity past the largest number."""
    x = all_values(source)
    outputs = [np.full(x.shape, 0x5A, np.uint8).view(dtype) for dtype in FLOATS8]
    narrow[len(x) // 4096](x, *outputs, BLOCK=4096)
    for got, dtype in zip(outputs, FLOATS8, strict=True):
        most = float(ml_dtypes.finfo(dtype).max)
        want = np.clip(x.astype(np.float32), -most, most).astype(dtype)
        nan = np.isnan(want)
        assert (np.isnan(got) == nan).all()
        assert (got.view(np.uint8) == want.view(np.uint8))[~nan].all()


def test_fp8_special_bytes_decode_to_nan_and_infinity(check):
    e4m3 = np.array([0x7F, 0xFF, 0x7E, 0x80, 0x01], np.uint8).view(E4M3)
    want = np.array([np.nan, np.nan, 448, -0.0, 2.0**-9], np.float16)
    check(lambda a: a.astype(tg.float16), e4m3, want=want)
    e5m2 = np.array([0x7C, 0xFC, 0x7D, 0xFF, 0x7B], np.uint8).view(E5M2)
    want = np.array([np.inf, -np.inf, np.nan, np.nan, 57344], np.float32).astype(BFLOAT16)
    check(lambda a: a.astype(tg.bfloat16), e5m2, want=want)


@pytest.mark.contract("`tg.int8(300)` and other typed scalars")
def test_typed_scalars_wrap_saturate_and_round(check):
    def constants(x):
        return (
            tg.int8(300) + x,
            tg.uint8(-1) + x.astype(tg.uint8),
            tg.int32(1e30) + x.astype(tg.int32),
            tg.float16(1e9) + x.astype(tg.float16),
        )

    want = [np.int8(44), np.uint8(255), np.int32(2**31 - 1), np.float16(np.inf)]
    check(constants, np.array([0], np.int8), want=[np.array([value]) for value in want])


def test_typed_scalars_outside_a_kernel_are_numpy_scalars():
    assert tg.int8(300) == 44 and isinstance(tg.int8(300), np.int8)
    assert isinstance(tg.float8_e4m3fn(1e9), ml_dtypes.float8_e4m3fn)
    assert float(tg.float8_e4m3fn(1e9)) == 448.0
    assert tg.int32(float("nan")) == 0
    assert tg.uint16(np.float32(-5)) == 0


def test_a_dtype_called_on_a_tile_converts_it(check):
    x = np.array([1.9, -1.9, 300.0], np.float32)
    check(lambda a: tg.int8(a), x, want=np.array([1, -1, 127], np.int8))


def test_views_reinterpret_bits(check):
    x = np.array([1.0, -0.0, np.inf], np.float32)
    check(lambda a: (a.view(tg.int32), a.view(tg.uint32)), x, want=[x.view("i4"), x.view("u4")])
    y = np.array([0x3C00, 0x8000, 0x7C00], np.uint16)
    check(
        lambda a: (a.view(tg.float16), a.view(tg.bfloat16)),
        y,
        want=[y.view("f2"), y.view(BFLOAT16)],
    )
    z = np.array([0x38, 0xB8], np.uint8)
    check(
        lambda a: (a.view(tg.float8_e4m3fn), a.view(tg.float8_e5m2)),
        z,
        want=[z.view(E4M3), z.view(E5M2)],
    )
