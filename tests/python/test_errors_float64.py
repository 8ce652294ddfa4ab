# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""float64 that nobody asked for: the error shows the line where it first appeared."""

from __future__ import annotations

import numpy as np

import tegula as tg
from tegula.errors import ControlFlowError, TileTypeError
from tests._support.mistakes import Mistakes

MISTAKES = Mistakes("float64")
X = np.ones((4, 8), np.float32)
Y = np.zeros((4, 8), np.float32)
V = np.zeros(8, np.float32)
BY_INTEGERS = r"float64 first appears here: float32 with int64 gives float64\n.*\n.*\n"


@MISTAKES.expect(
    TileTypeError,
    at="tg.store(y, (0, 0), centred * centred)",
    says=("has dtype float64", BY_INTEGERS + r".*mu = tg.sum\(t"),
    fix=r"\.astype\(y\.dtype\); or convert integers .* \.astype\(tg\.float32\)",
)
def store_of_what_was_divided_by_a_size():
    @tg.kernel
    def kernel(x: tg.Array, y: tg.Array):
        t = tg.load(x, (0, 0), (4, 8))
        mu = tg.sum(t, axis=1, keepdims=True) / x.shape[1]
        centred = (t - mu).reshape(4, 8)
        tg.store(y, (0, 0), centred * centred)

    kernel[1](X, Y)


@MISTAKES.expect(
    TileTypeError,
    at="tg.store(y, (0, 0), t * tg.program_id(0))",
    says="was made here: float32 with int64 gives float64",
    fix=r"\.astype\(y\.dtype\); or convert integers",
)
def store_of_a_product_with_a_program_id():
    @tg.kernel
    def kernel(x: tg.Array, y: tg.Array):
        t = tg.load(x, (0, 0), (4, 8))
        tg.store(y, (0, 0), t * tg.program_id(0))

    kernel[1](X, Y)


@MISTAKES.expect(
    TileTypeError,
    at="tg.store(v, 0, scale(w))",
    says=r"here: int64 with a Python float gives float64\n.*\n.*\n.*tg\.arange\(8\) \* 0\.5",
    fix="convert integers where float64 first appears",
)
def store_of_positions_that_a_helper_scaled():
    def scale(t):
        return tg.where(t > 1, tg.exp(t), 1.0)

    @tg.kernel
    def kernel(v: tg.Array):
        w = tg.arange(8) * 0.5
        tg.store(v, 0, scale(w))

    kernel[1](V)


@MISTAKES.expect(
    TileTypeError,
    at="tg.store(v, 0, tg.sqrt(t))",
    says=r"int64 / int64 gives float64\n.*\n.*\n.*ratio = v.shape\[0\]",
    fix="convert integers",
)
def store_of_what_a_ratio_of_sizes_scaled():
    @tg.kernel
    def kernel(v: tg.Array):
        ratio = v.shape[0] / v.shape[0]
        t = tg.load(v, 0, 8) * ratio
        tg.store(v, 0, tg.sqrt(t))

    kernel[1](V)


@MISTAKES.expect(
    TileTypeError,
    at="tg.store(v, 0, tg.exp(t))",
    says=r"a NumPy scalar of float64 is in it\n.*\n.*\n.*tg\.load\(v, 0, 8\) \* root",
    fix=r"float\(\.\.\.\) or np\.float32\(\.\.\.\)",
)
def store_of_a_product_with_a_numpy_scalar():
    root = np.sqrt(2.0)

    @tg.kernel
    def kernel(v: tg.Array):
        t = tg.load(v, 0, 8) * root
        tg.store(v, 0, tg.exp(t))

    kernel[1](V)


@MISTAKES.expect(
    TileTypeError,
    at="tg.store(y, (0, 0), z + 1)",
    says=r"float64 first appears here\n.*\n.*\n.*z = tg\.load\(x",
    fix=r"explicitly: \.astype\(y\.dtype\)$",
)
def store_of_elements_of_a_float64_array():
    @tg.kernel
    def kernel(x: tg.Array, y: tg.Array):
        z = tg.load(x, (0, 0), (4, 8))
        tg.store(y, (0, 0), z + 1)

    kernel[1](X.astype(np.float64), Y)


@MISTAKES.expect(
    TileTypeError,
    at="tg.dot(t, weights)",
    says=("a is float32 but b is float64", BY_INTEGERS + r".*mean = t /"),
    fix=r"b\.astype\(tg\.float32\); or convert integers",
)
def dot_with_what_was_divided_by_a_size():
    @tg.kernel
    def kernel(x: tg.Array, y: tg.Array):
        t = tg.load(x, (0, 0), (4, 8))
        mean = t / x.shape[0]
        weights = tg.concatenate([mean.T, mean.T], axis=1)
        tg.store(y, (0, 0), tg.dot(t, weights))

    kernel[1](X, Y)


@MISTAKES.expect(
    ControlFlowError,
    at="total += d * d",
    says=("float32 tile.*float64 tile", BY_INTEGERS + r".*mu = tg\.sum\(t"),
    fix="or convert integers where float64 first appears",
    backends=("cpu",),
)
def loop_that_adds_up_squares():
    @tg.kernel
    def kernel(x: tg.Array, y: tg.Array):
        total = tg.zeros((4, 8), tg.float32)
        t = tg.load(x, (0, 0), (4, 8))
        mu = tg.sum(t) / x.shape[1]
        for i in tg.range(x.shape[0]):
            d = t - mu - i.astype(tg.float32)
            total += d * d
        tg.store(y, (0, 0), total)

    kernel[1](X, Y)


@MISTAKES.expect(
    ControlFlowError,
    at="s = t / x.shape[0]",
    says=("float64 tile", "float64 first appears here: float32 with int64"),
    fix="convert one of them.*; or convert integers",
    backends=("cpu",),
)
def branch_that_divides_by_a_size():
    @tg.kernel
    def kernel(x: tg.Array, y: tg.Array):
        t = tg.load(x, (0, 0), (4, 8))
        if tg.program_id(0) > 3:
            s = t * 2
        else:
            s = t / x.shape[0]
        tg.store(y, (0, 0), s)

    kernel[1](X, Y)


@MISTAKES.expect(
    TileTypeError,
    at="tg.store(y, (0, 0), total)",
    says=BY_INTEGERS + r".*step = tg\.load",
    fix="or convert integers",
)
def store_of_what_a_loop_carried():
    @tg.kernel
    def kernel(x: tg.Array, y: tg.Array):
        step = tg.load(x, (0, 0), (4, 8)) / x.shape[1]
        total = tg.zeros((4, 8), tg.float64)
        for _ in tg.range(x.shape[0]):
            total = total + step
        tg.store(y, (0, 0), total)

    kernel[1](X, Y)


@MISTAKES.parametrize()
def test_where_float64_came_from_is_shown(mistake, on, request):
    MISTAKES.check(mistake, on, request.config.option.update_golden)
