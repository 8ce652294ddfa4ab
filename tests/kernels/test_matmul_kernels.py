# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GEMM, GEMM with an epilogue and batched GEMM: odd shapes, dtypes, layouts, empty arrays."""

from __future__ import annotations

import numpy as np
import pytest

from tests._support.arrays import FLOATS, LAYOUTS
from tests._support.compare import assert_close
from tests.kernels import batched_gemm, gemm

SHAPES = [
    (1, 1, 1),
    (3, 17, 1),
    (17, 1, 100),
    (1, 257, 17),
    (100, 3, 257),
    (64, 64, 64),
    (257, 100, 17),
    (128, 192, 64),
]
EMPTY = [(0, 5, 3), (5, 0, 3), (5, 3, 0), (0, 0, 0)]


def roundings(dtype, k):
    """One rounding of a 16-bit result; wider sums of k products round about sqrt(k) times more."""
    return 2.0 + k**0.5 if dtype in ("float32", "float64") else 1.0


def check_gemm(arrays, shape, dtype, tile, layouts=("contiguous",) * 3, with_bias=False):
    m, n, k = shape
    a = arrays.normal((m, k), dtype, layouts[0])
    b = arrays.normal((k, n), dtype, layouts[1])
    bias = arrays.normal((n,), dtype) if with_bias else None
    c = arrays.output((m, n), dtype, layouts[2])
    gemm.launch(a, b, c, bias, tile)
    # The error of gelu(x) is relative to x: far below 0, 1 + erf cancels.
    before = None if bias is None else gemm.reference(a, b) + bias.astype(np.float64)
    want = gemm.reference(a, b, bias)
    assert_close(c, want, roundings=roundings(dtype, k), magnitude=before)


@pytest.mark.parametrize("dtype", [*FLOATS, "float64"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_gemm(backend, arrays, shape, dtype):
    check_gemm(arrays, shape, dtype, (32, 32, 32))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(1, 1, 1), (3, 17, 100), (100, 257, 17)], ids=str)
def test_gemm_with_bias_and_gelu(backend, arrays, shape, dtype):
    check_gemm(arrays, shape, dtype, (32, 48, 32), with_bias=True)


@pytest.mark.parametrize(
    "tile", [(1, 1, 1), (3, 5, 7), (17, 24, 40), (16, 16, 56), (128, 64, 1)], ids=str
)
def test_gemm_with_tiles_of_any_size(backend, arrays, tile):
    check_gemm(arrays, (19, 23, 61), "float32", tile)


@pytest.mark.parametrize("shape", EMPTY, ids=str)
def test_gemm_of_empty_arrays(backend, arrays, shape):
    check_gemm(arrays, shape, "float32", (16, 16, 16))


@pytest.mark.parametrize("c", LAYOUTS)
@pytest.mark.parametrize("b", LAYOUTS)
@pytest.mark.parametrize("a", [*LAYOUTS, "broadcast"])
def test_gemm_of_strided_arrays(backend, arrays, a, b, c):
    check_gemm(arrays, (37, 26, 45), "float32", (16, 16, 16), (a, b, c))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_gemm_of_strided_16_bit_arrays(backend, arrays, dtype, layout):
    check_gemm(arrays, (37, 26, 45), dtype, (16, 16, 16), (layout,) * 3)


@pytest.mark.parametrize("shape", [(1000, 257, 100)], ids=str)
def test_gemm_of_a_larger_shape(backend, arrays, shape):
    check_gemm(arrays, shape, "float32", (64, 64, 64), ("aligned",) * 3)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("shape", [(1, 1, 1), (17, 3, 100), (65, 33, 40)], ids=str)
def test_batched_gemm(backend, arrays, shape, batch, dtype):
    m, n, k = shape
    a, b = arrays.normal((batch, m, k), dtype), arrays.normal((batch, k, n), dtype)
    c = arrays.output((batch, m, n), dtype)
    batched_gemm.launch(a, b, c)
    assert_close(c, batched_gemm.reference(a, b), roundings=roundings(dtype, k))


@pytest.mark.parametrize("layout", [*LAYOUTS, "broadcast"])
def test_batched_gemm_of_strided_arrays(backend, arrays, layout):
    a = arrays.normal((3, 17, 20), "float32", layout)
    b = arrays.normal((3, 20, 9), "float32", layout)
    c = arrays.output((3, 17, 9), "float32", layout if layout in LAYOUTS else "transposed")
    batched_gemm.launch(a, b, c, (16, 8, 8))
    assert_close(c, batched_gemm.reference(a, b), roundings=roundings("float32", 20))


@pytest.mark.parametrize("shape", [(0, 2, 3, 4), (2, 0, 3, 4), (2, 3, 4, 0)], ids=str)
def test_batched_gemm_of_empty_arrays(backend, arrays, shape):
    batch, m, n, k = shape
    a, b = arrays.normal((batch, m, k)), arrays.normal((batch, k, n))
    c = arrays.output((batch, m, n))
    batched_gemm.launch(a, b, c)
    np.testing.assert_array_equal(c, batched_gemm.reference(a, b))
