# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prefix sums of rows and of long vectors, and a scan whose combine does not commute."""

from __future__ import annotations

import numpy as np
import pytest

from tests._support.arrays import LAYOUTS
from tests._support.compare import assert_close
from tests.kernels import prefix_sum

REVERSE = pytest.mark.parametrize("reverse", [False, True], ids=["forward", "reverse"])


@REVERSE
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "uint8"])
@pytest.mark.parametrize(
    "shape", [(1, 1), (3, 17), (17, 3), (2, 100), (1, 257), (2, 1000)], ids=str
)
def test_prefix_sum_of_rows(backend, arrays, shape, dtype, reverse):
    if dtype.startswith("float"):
        x, y = arrays.normal(shape, dtype), arrays.output(shape, dtype)
    else:
        x, y = arrays.integers(0, 100, shape, dtype), arrays.output(shape, "int64")
    prefix_sum.launch(x, y, reverse=reverse)
    check(y, prefix_sum.reference(x, reverse))


def check(y, want):
    if want.dtype == np.int64:
        np.testing.assert_array_equal(y, want)
    else:
        assert_close(y, want, roundings=4.0 + y.shape[-1] ** 0.5)


@REVERSE
def test_prefix_sum_in_tiles_wider_than_the_rows(backend, arrays, reverse):
    x, y = arrays.normal((3, 100)), arrays.output((3, 100))
    prefix_sum.launch(x, y, 128, reverse)
    check(y, prefix_sum.reference(x, reverse))


@pytest.mark.parametrize("block", [1, 7, 64, 300])
@pytest.mark.parametrize("n", [1, 3, 17, 100, 257, 1000])
@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_prefix_sum_of_many_blocks(backend, arrays, n, block, dtype):
    if n // block > 300:
        block = 11
    if dtype == "int32":
        x, y = arrays.integers(-100, 100, (n,), dtype), arrays.output((n,), "int64")
    else:
        x, y = arrays.normal((n,), dtype), arrays.output((n,), dtype)
    prefix_sum.launch(x, y, block)
    check(y, prefix_sum.reference(x))


@pytest.mark.parametrize("layout", [*LAYOUTS, "broadcast"])
@pytest.mark.parametrize("shape", [(300,), (5, 60)], ids=str)
def test_prefix_sum_of_strided_arrays(backend, arrays, shape, layout):
    x = arrays.integers(-9, 9, shape, "int32", layout)
    y = arrays.output(shape, "int64", layout if layout in LAYOUTS else "contiguous")
    check(prefix_sum.launch(x, y, 64), prefix_sum.reference(x))


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0)], ids=str)
def test_prefix_sum_of_empty_arrays(backend, arrays, shape):
    prefix_sum.launch(arrays.normal(shape), arrays.output(shape))


@pytest.mark.parametrize("shape", [(1, 1), (3, 17), (2, 100), (1, 257), (0, 3), (3, 0)], ids=str)
def test_linear_recurrence(backend, arrays, shape):
    a = arrays.input(arrays.rng.uniform(-1, 1, shape).astype(np.float32))
    b, h = arrays.normal(shape), arrays.output(shape)
    prefix_sum.launch_recurrence(a, b, h)
    assert_close(h, prefix_sum.reference_recurrence(a, b), roundings=16.0)
