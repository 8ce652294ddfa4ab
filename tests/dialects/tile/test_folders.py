# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constant folding of elementwise operations against the interpreter, bit for bit.

fold.mlir pins the form of each fold. Here the values: every operation and pair of types on random
bits and on those that matter (zero, one, extremes, NaN, infinity, the width).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest

from tegula._interpret import arithmetic, casts
from tegula.lang import dtypes
from tegula.lang.dtypes import DType
from tests._support.opt import optimize

pytestmark = pytest.mark.interpreter

COUNT = 256
SIGNED = (dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64)
UNSIGNED = (dtypes.uint8, dtypes.uint16, dtypes.uint32, dtypes.uint64)
FLOATS = (
    *(dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64),
    *(dtypes.float8_e4m3fn, dtypes.float8_e5m2),
)
FLOAT_NAMES = dict(zip(FLOATS, ("f16", "bf16", "f32", "f64", "f8E4M3FN", "f8E5M2"), strict=True))
ALL = (dtypes.bool_, *SIGNED, *UNSIGNED, *FLOATS)
OPERATIONS = {
    "floordiv": "floordiv",
    "floormod": "mod",
    "shl": "shl",
    "shr": "shr",
    "ipow": "pow",
}


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """Signalling NaN and overflow are inputs here, not accidents."""
    with np.errstate(all="ignore"):
        yield


def element(dtype: DType) -> str:
    """The MLIR type."""
    if dtype.is_float:
        return FLOAT_NAMES[dtype]
    return "i1" if dtype is dtypes.bool_ else f"i{8 * dtype.itemsize}"


def values(dtype: DType, rng: np.random.Generator) -> np.ndarray:
    """Random bits, a third of them replaced by special ones."""
    if dtype is dtypes.bool_:
        return rng.integers(0, 2, COUNT).astype(bool)
    width = 8 * dtype.itemsize
    top = 1 << (width - 1)
    unsigned = np.dtype(f"u{dtype.itemsize}")
    special = [0, 1, 2, 3, width - 1, width, width + 1, top - 1, top, top + 1, 2 * top - 1]
    if dtype.is_float:
        limits = np.array([dtype.max, dtype.min, 1, -1, np.inf, -np.inf, np.nan], dtype.numpy)
        special += [int(bits) for bits in limits.view(unsigned)]
    bits = np.frombuffer(rng.bytes(COUNT * dtype.itemsize), unsigned).copy()
    chosen = rng.random(COUNT) < 0.3
    bits[chosen] = rng.choice(np.array(special, unsigned), int(chosen.sum()))
    return bits.view(dtype.numpy)


def literal(array: np.ndarray, dtype: DType) -> str:
    """The constant as MLIR text."""
    if dtype is dtypes.bool_:
        text = "[" + ", ".join(str(bool(x)).lower() for x in array) + "]"
    else:
        text = '"0x' + array.tobytes().hex().upper() + '"'
    return f"dense<{text}> : tensor<{COUNT}x{element(dtype)}>"


def read(text: str, dtype: DType) -> np.ndarray:
    """The one constant that `text` has left."""
    assert len(re.findall(r"arith\.|tile\.", text)) == 1, f"not folded:\n{text}"
    found = re.search(r"dense<(.*?)> :", text)
    assert found, text
    body = found[1]
    if body in ("true", "false"):
        return np.full(COUNT, body == "true")
    raw = np.frombuffer(bytes.fromhex(body.removeprefix('"0x').removesuffix('"')), np.uint8)
    if dtype is dtypes.bool_:
        return np.unpackbits(raw, count=COUNT, bitorder="little").astype(bool)
    return raw.view(dtype.numpy)


def fold(operation: str, operands: list[tuple[np.ndarray, DType]], result: DType) -> np.ndarray:
    """`operation` on constants; `{0}` and `{1}` stand for the operands."""
    lines = [
        f"  %{number} = arith.constant {literal(array, dtype)}"
        for number, (array, dtype) in enumerate(operands)
    ]
    kind = f"tensor<{COUNT}x{element(result)}>"
    body = "\n".join([*lines, f"  %r = {operation} {kind}", f"  return %r : {kind}"])
    text = f"func.func @f() -> {kind} {{\n{body}\n}}"
    flags = ("--canonicalize", "--mlir-print-elementsattrs-with-hex-if-larger=1")
    return read(optimize(text, *flags), result)


def assert_same(got: np.ndarray, want: np.ndarray, dtype: DType, *operands: np.ndarray) -> None:
    """Equal bits; one NaN is as good as another."""
    unsigned = np.dtype(f"u{dtype.itemsize}")
    same = got.view(unsigned) == np.ascontiguousarray(want).view(unsigned)
    if dtype.is_float:
        same |= np.isnan(got.astype(np.float64)) & np.isnan(want.astype(np.float64))
    wrong = np.flatnonzero(~same)
    assert not wrong.size, [
        (*(operand[i] for operand in operands), "->", got[i], "not", want[i]) for i in wrong[:5]
    ]


@pytest.mark.parametrize("dtype", [*SIGNED, *UNSIGNED], ids=str)
@pytest.mark.parametrize("name", OPERATIONS)
def test_integer_arithmetic(name: str, dtype: DType) -> None:
    rng = np.random.default_rng(7)
    x, y = values(dtype, rng), values(dtype, rng)
    unsigned = "unsigned " if dtype.kind == "u" else ""
    got = fold(f"tile.{name} {unsigned}%0, %1 :", [(x, dtype), (y, dtype)], dtype)
    want = arithmetic.binary(OPERATIONS[name], x, y, dtype)
    assert_same(got, want.astype(dtype.numpy), dtype, x, y)


@pytest.mark.parametrize("target", ALL, ids=str)
@pytest.mark.parametrize("source", ALL, ids=str)
def test_cast(source: DType, target: DType) -> None:
    x = values(source, np.random.default_rng(11))
    flags = " from_unsigned" * (source.kind in "bu") + " to_unsigned" * (target.kind == "u")
    operand = f"tensor<{COUNT}x{element(source)}>"
    got = fold(f"tile.cast %0{flags} : {operand} ->", [(x, source)], target)
    assert_same(got, casts.cast(x, source, target), target, x)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("kind", ["nan", "inf", "finite"])
def test_float_classes(kind: str, dtype: DType) -> None:
    x = values(dtype, np.random.default_rng(13))
    operand = f"tensor<{COUNT}x{element(dtype)}>"
    got = fold(f"tile.fpclass <{kind}> %0 : {operand} ->", [(x, dtype)], dtypes.bool_)
    test = {"nan": np.isnan, "inf": np.isinf, "finite": np.isfinite}[kind]
    assert_same(got, test(x.astype(np.float64)), dtypes.bool_, x)


@pytest.mark.parametrize("target", ALL[1:], ids=str)
@pytest.mark.parametrize("source", ALL[1:], ids=str)
def test_bitcast(source: DType, target: DType) -> None:
    if source.itemsize != target.itemsize:
        return
    x = values(source, np.random.default_rng(17))
    operand = f"tensor<{COUNT}x{element(source)}>"
    got = fold(f"tile.bitcast %0 : {operand} ->", [(x, source)], target)
    assert got.tobytes() == x.tobytes()
