# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls with arguments that functions of the language do not take, as other languages have them."""

from __future__ import annotations

import numpy as np
import pytest

import tegula as tg
from tegula.errors import TileTypeError
from tests._support.mistakes import Mistakes

MISTAKES = Mistakes("calls")
X = np.zeros((8, 8), np.float32)
V = np.zeros(8, np.float32)


@MISTAKES.expect(
    TileTypeError,
    at="mask=tg.arange(8) < 3",
    says=r"tg\.load\(\) got an unexpected keyword argument 'mask'",
    fix=r"leave it out: past an edge .*tg\.where.*tg\.load\(a, index=None, shape=None, pad=0",
)
def load_with_a_mask():
    @tg.kernel
    def kernel(v: tg.Array):
        tg.store(v, 0, tg.load(v, 0, 8, mask=tg.arange(8) < 3))

    kernel[1](V)


@MISTAKES.expect(TileTypeError, at="dim=1", says="'dim'", fix="write axis; .*keepdims")
def sum_along_a_dim_in_a_helper():
    def total(x):
        return tg.sum(x, dim=1)

    @tg.kernel
    def kernel(x: tg.Array, v: tg.Array):
        tg.store(v, 0, total(tg.load(x, (0, 0), (8, 8))))

    kernel[1](X, V)


@MISTAKES.expect(TileTypeError, at="dim=1", says=r"x\.sum\(\).*'dim'", fix=r"x\.sum\(axis")
def method_with_a_dim():
    @tg.kernel
    def kernel(x: tg.Array, v: tg.Array):
        t = tg.load(x, (0, 0), (8, 8))
        tg.store(v, 0, t.sum(dim=1))

    kernel[1](X, V)


@MISTAKES.expect(TileTypeError, at="allow_tf32=True", says="'allow_tf32'", fix='precision="tf32"')
def dot_that_allows_tf32():
    @tg.kernel
    def kernel(x: tg.Array):
        t = tg.load(x, (0, 0), (8, 8))
        tg.store(x, (0, 0), tg.dot(t, t, allow_tf32=True))

    kernel[1](X)


@MISTAKES.expect(
    TileTypeError, at="tg.zeros((8,))", says="missing .*'dtype'", fix=r"tg\.zeros\(shape, dtype\)"
)
def zeros_of_no_dtype():
    @tg.kernel
    def kernel(v: tg.Array):
        tg.store(v, 0, tg.zeros((8,)))

    kernel[1](V)


@MISTAKES.expect(
    TileTypeError, at="tg.store(v, 0, t, 0)", says="takes from 1 to 3", fix=r"tg\.store\(a, index"
)
def store_of_too_much():
    @tg.kernel
    def kernel(v: tg.Array):
        t = tg.load(v, 0, 8)
        tg.store(v, 0, t, 0)

    kernel[1](V)


@MISTAKES.expect(
    TileTypeError,
    at="tg.store(v, 0, tg.where(tg.load(v, 0, 8) > 0, 0.5, 1.0))",
    says="Python floats alone give float64",
    fix=r"explicitly: \.astype\(v\.dtype\); or give a dtype to one of the numbers",
)
def choice_between_python_numbers():
    @tg.kernel
    def kernel(v: tg.Array):
        tg.store(v, 0, tg.where(tg.load(v, 0, 8) > 0, 0.5, 1.0))

    kernel[1](V)


@MISTAKES.parametrize()
def test_a_call_that_does_not_fit_is_explained(mistake, on, request):
    MISTAKES.check(mistake, on, request.config.option.update_golden)


def load(x):
    """Has the name of one of ours."""
    return x


def test_functions_of_the_users_keep_pythons_error(backend):
    @tg.kernel
    def kernel(v: tg.Array):
        tg.store(v, 0, load(v, width=8))

    with pytest.raises(TypeError, match=r"load\(\) got an unexpected keyword") as caught:
        kernel[1](V)
    if caught.value.__traceback__ is not None and hasattr(kernel.function.__code__, "co_positions"):
        assert type(caught.value) is TypeError
