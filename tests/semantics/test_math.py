# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of real numbers: accuracy in units in the last place, special values, dtypes."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tegula as tg
from tests.semantics.compare import BFLOAT16, FLOATS, INTEGERS, edge_values

# Function, reference in float64, range of arguments, bound in units in the last place of float32.
FUNCTIONS = {
    "exp": (np.exp, (-90, 90), 2),
    "exp2": (np.exp2, (-130, 130), 2),
    "expm1": (np.expm1, (-20, 80), 3),
    "log": (np.log, (0, 1e3), 2),
    "log2": (np.log2, (0, 1e3), 2),
    "log10": (np.log10, (0, 1e3), 2),
    "log1p": (np.log1p, (-1, 10), 3),
    "rsqrt": (lambda x: 1 / np.sqrt(x), (0, 1e3), 2),
    "cbrt": (np.cbrt, (-1e3, 1e3), 2),
    "sin": (np.sin, (-100, 100), 2),
    "cos": (np.cos, (-100, 100), 2),
    "tan": (np.tan, (-10, 10), 4),
    "sinh": (np.sinh, (-20, 20), 3),
    "cosh": (np.cosh, (-20, 20), 3),
    "tanh": (np.tanh, (-10, 10), 3),
    "arcsin": (np.arcsin, (-1, 1), 3),
    "arccos": (np.arccos, (-1, 1), 3),
    "arctan": (np.arctan, (-20, 20), 3),
    "erf": (np.vectorize(math.erf, otypes="d"), (-4, 4), 4),
    "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), (-20, 20), 5),
}
by_function = pytest.mark.parametrize("name", FUNCTIONS)


@pytest.mark.contract("`exp`, `log`, ...")
@by_function
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_accuracy(check, rng, name, dtype):
    reference, (low, high), bound = FUNCTIONS[name]
    x = rng.uniform(low, high, 500).astype(dtype)
    want = reference(x.astype("f8")).astype(dtype)
    function = getattr(tg, name)
    check(
        lambda p: function(p),
        x,
        want=want,
        ulp={"float64": 4 * bound, "float32": bound}.get(dtype.name, 1),
    )


@pytest.mark.contract("`exp`, `log`, ...")
@by_function
def test_special_values(check, name):
    reference = FUNCTIONS[name][0]
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 2.0, -2.0], np.float32)
    want = reference(x.astype("f8")).astype("f4")
    function = getattr(tg, name)
    check(lambda p: function(p), x, want=want, ulp=5)


@pytest.mark.parametrize("dtype", [np.dtype("?"), *INTEGERS], ids=str)
def test_integers_become_floats_as_in_numpy(check, dtype):
    x = np.array([0, 1, 1], dtype)
    want = [np.sqrt(x), np.exp(x), np.arctan2(x, x)]
    check(lambda p: (tg.sqrt(p), tg.exp(p), tg.arctan2(p, p)), x, want=want, ulp=1)


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_rounding_keeps_integers(check, dtype):
    x = np.array([0, 1, 100], dtype)
    check(lambda p: (tg.floor(p), tg.ceil(p), tg.trunc(p), tg.round(p)), x, want=[x] * 4)
    check(lambda p: tg.rint(p), x, want=np.rint(x))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_powers_of_floats(check, rng, dtype):
    x, y = rng.uniform(0, 4, 200).astype(dtype), rng.uniform(-4, 4, 200).astype(dtype)
    want = np.power(x.astype("f8"), y.astype("f8")).astype(dtype)
    check(lambda p, q: p**q, x, y, want=want, ulp={"float64": 4, "float32": 3}.get(dtype.name, 1))


def test_special_powers(check):
    x = np.array([0.0, -0.0, -8.0, 1.0, np.nan, np.inf, 2.0, -2.0, 0.0])
    y = np.array([0.0, -1.0, 1 / 3, np.nan, 0.0, -1.0, np.inf, 3.0, -2.0])
    check(lambda p, q: p**q, x, y, want=np.power(x, y), ulp=1)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_the_angle_of_a_point(check, rng, dtype):
    values = edge_values(dtype, rng, 60)
    y, x = np.repeat(values, len(values)), np.tile(values, len(values))
    want = np.arctan2(y.astype("f8"), x.astype("f8")).astype(dtype)
    check(lambda p, q: tg.arctan2(p, q), y, x, want=want, ulp=4 if dtype.itemsize > 2 else 1)


@pytest.mark.contract("fp16 and bf16 arithmetic")
def test_narrow_floats_compute_in_float32(check):
    x = np.array([10.0, 11.0, -10.0], np.float32).astype(BFLOAT16)
    want = (1 / (1 + np.exp(-x.astype("f4")))).astype(BFLOAT16)
    check(lambda p: tg.sigmoid(p), x, want=want)


def test_approximations_may_be_asked_for(check):
    x = np.linspace(-2, 2, 50, dtype=np.float32)
    check(lambda p: tg.exp(p, approx=True), x, want=np.exp(x.astype("f8")).astype("f4"), ulp=64)
