# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The error bounds that docs/reference/numerics.md promises, over bit patterns of all kinds.

Errors are in units in the last place of the exact result, which float64 stands for. Zeros, signs of
zeros, infinities and NaN have to be right exactly.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import tegula as tg

TILE = 1 << 15
PROGRAMS = 16
DOCUMENT = Path(__file__).parents[2] / "docs" / "reference" / "numerics.md"
ROW = re.compile(r"^\| `(\w+)` \| ([\d.]+) \| ([\d.]+) \|", re.MULTILINE)
PROMISED = {name: float(bound) for name, bound, _ in ROW.findall(DOCUMENT.read_text())}
REFERENCES = {
    "erf": np.vectorize(math.erf, otypes="d"),
    "rsqrt": lambda x: 1 / np.sqrt(x),
}
BINARY = ("arctan2", "power")
# Where a function does not under- or overflow or is periodic: half of the arguments come from here.
INTERESTING = {
    "exp": (-104, 89),
    "exp2": (-150, 128),
    "expm1": (-20, 89),
    "log1p": (-1, 3),
    "sinh": (-90, 90),
    "cosh": (-90, 90),
    "tanh": (-10, 10),
    "arcsin": (-1, 1),
    "arccos": (-1, 1),
    "erf": (-4, 4),
}
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -2.0, 3.0, np.inf, -np.inf, np.nan]
SPECIAL += [1e-45, -1e-45, 2.0**-126, 3.4028235e38, -3.4028235e38, 16777215.0, 2.5, -2.5]
# The float32 closest to a multiple of pi/2, relative to its size.
SPECIAL += [16367173 * 2.0**72]


@tg.kernel
def apply(x: tg.Array, y: tg.Array, o: tg.Array, FUNCTION: tg.Const, BINARY: tg.Const):
    i = tg.program_id(0)
    a = tg.load(x, i, TILE)
    tg.store(o, i, FUNCTION(a, tg.load(y, i, TILE)) if BINARY else FUNCTION(a))


@pytest.fixture(autouse=True)
def quiet_references():
    with np.errstate(all="ignore"):
        yield


def compute(name: str, x: np.ndarray, y: np.ndarray | None = None) -> np.ndarray:
    out = np.empty_like(x)
    grid = -(-len(x) // TILE)
    apply[grid](x, x if y is None else y, out, FUNCTION=getattr(tg, name), BINARY=y is not None)
    return out


def reference(name: str, *arguments: np.ndarray) -> np.ndarray:
    function = REFERENCES.get(name) or getattr(np, name)
    return function(*(x.astype("f8") for x in arguments))


def errors(got: np.ndarray, want: np.ndarray) -> np.ndarray:
    """Per element: distance in ulp of `want`; infinity where a special value is wrong."""
    finfo = ml_dtypes.finfo(got.dtype)
    digits = finfo.nmant
    overflow = 2.0**finfo.maxexp
    value = got.astype("f8")
    _, exponent = np.frexp(np.clip(want, -overflow, overflow))
    unit = np.ldexp(1.0, np.maximum(exponent - 1, finfo.minexp) - digits)
    # Infinity is the next number after the largest finite one.
    near = np.where(np.isinf(value), np.copysign(overflow, value), value)
    distance = np.abs(near - np.clip(want, -overflow, overflow)) / unit
    wrong = np.isnan(value) != np.isnan(want)
    wrong |= np.isinf(want) & (value != want)
    wrong |= (want == 0) & (value != 0)
    wrong |= (value == 0) & (np.signbit(value) != np.signbit(want))
    return np.where(wrong, np.inf, np.where(np.isnan(want), 0, distance))


def assert_within(name: str, bound: float, got: np.ndarray, *arguments: np.ndarray) -> None:
    error = errors(got, reference(name, *arguments))
    worst = int(np.argmax(error))
    where = ", ".join(repr(x[worst]) for x in arguments)
    assert error[worst] <= bound, f"{name}({where}) = {got[worst]!r}: {error[worst]:.3f} ulp"


def sample(name: str, rng: np.random.Generator) -> np.ndarray:
    """Bit patterns spread evenly over all, numbers of the interesting range, special values."""
    special = np.array(SPECIAL, "f4")
    count = (TILE * PROGRAMS - len(special)) // 2
    step = (1 << 32) // count
    patterns = (np.arange(count, dtype="u8") * step + rng.integers(step, size=count)).astype("u4")
    low, high = INTERESTING.get(name, (-200, 200))
    plain = rng.uniform(low, high, TILE * PROGRAMS - count - len(special)).astype("f4")
    return np.concatenate([patterns.view("f4"), plain, special])


@pytest.mark.contract("`exp`, `log`, ...")
@pytest.mark.parametrize("name", [name for name in PROMISED if name not in BINARY])
def test_error_of_float32(backend, rng, name):
    x = sample(name, rng)
    assert_within(name, PROMISED[name], compute(name, x), x)


@pytest.mark.contract("`exp`, `log`, ...")
@pytest.mark.parametrize("name", BINARY)
def test_error_of_float32_with_two_arguments(backend, rng, name):
    special = np.array(SPECIAL, "f4")
    x = np.concatenate([np.repeat(special, len(special)), sample(name, rng)])
    y = np.concatenate([np.tile(special, len(special)), rng.permutation(sample(name, rng))])
    # Powers neither vanish nor overflow near base 1.
    near_one = slice(len(x) // 2, len(x) * 3 // 4)
    x[near_one] = np.exp(rng.normal(0, 0.5, len(x[near_one])))
    assert_within(name, PROMISED[name], compute(name, x, y), x, y)


@pytest.mark.contract("`exp`, `log`, ...")
@pytest.mark.parametrize("dtype", [np.dtype("f2"), np.dtype(ml_dtypes.bfloat16)], ids=str)
@pytest.mark.parametrize("name", [name for name in PROMISED if name not in BINARY])
def test_every_value_of_16_bits(backend, name, dtype):
    x = np.arange(1 << 16).astype("u2").view(dtype)
    assert_within(name, 0.51, compute(name, x), x)


def test_the_document_bounds_every_function():
    unary = {"exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "sinh"}
    unary |= {"cosh", "tanh", "arcsin", "arccos", "arctan", "erf", "cbrt", "rsqrt"}
    assert set(PROMISED) == unary | set(BINARY)
    for name, promised, measured in ROW.findall(DOCUMENT.read_text()):
        assert float(measured) <= float(promised), name
