# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Softmax, layer norm and RMS norm: odd row lengths, padding, dtypes, layouts, empty arrays."""

from __future__ import annotations

import numpy as np
import pytest

from tests._support.arrays import FLOATS, LAYOUTS
from tests._support.compare import assert_close
from tests.kernels import layer_norm, rms_norm, softmax

SHAPES = [(1, 1), (3, 17), (17, 3), (5, 100), (2, 257), (3, 1000), (33, 64)]
EMPTY = [(0, 0), (0, 5), (5, 0)]


def roundings(dtype, n=100):
    """One rounding of the result; in fp32 some for exp, the division and a sum of n values."""
    return 6.0 + n**0.5 if dtype == "float32" else 1.1


@pytest.mark.parametrize("online", [False, True], ids=["whole", "online"])
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_softmax(backend, arrays, shape, dtype, online):
    x, y = arrays.normal(shape, dtype, scale=3.0), arrays.output(shape, dtype)
    softmax.launch(x, y, online=online)
    assert_close(y, softmax.reference(x), roundings=roundings(dtype, shape[1]))


@pytest.mark.parametrize("online", [False, True], ids=["whole", "online"])
@pytest.mark.parametrize("rows, columns", [(1, 128), (4, 101), (7, 112)])
def test_softmax_in_tiles_wider_than_the_rows(backend, arrays, rows, columns, online):
    x, y = arrays.normal((9, 100)), arrays.output((9, 100))
    softmax.launch(x, y, rows, columns, online)
    assert_close(y, softmax.reference(x), roundings=roundings("float32"))


@pytest.mark.parametrize("columns", [1, 7, 32, 100])
def test_softmax_in_tiles_narrower_than_the_rows(backend, arrays, columns):
    x, y = arrays.normal((4, 257)), arrays.output((4, 257))
    softmax.launch(x, y, columns=columns, online=True)
    assert_close(y, softmax.reference(x), roundings=roundings("float32"))


def test_softmax_of_large_values_does_not_overflow(backend, arrays):
    x = arrays.input(np.array([[1e4, -1e4, 1e4], [-3e38, 0, 3e38], [88, 89, 90]], np.float32))
    y = arrays.output(x.shape)
    softmax.launch(x, y)
    assert_close(y, softmax.reference(x), roundings=roundings("float32"))


@pytest.mark.parametrize("online", [False, True], ids=["whole", "online"])
@pytest.mark.parametrize("layout", [*LAYOUTS, "broadcast"])
def test_softmax_of_strided_arrays(backend, arrays, layout, online):
    x = arrays.normal((5, 37), "float32", layout)
    y = arrays.output((5, 37), "float32", layout if layout in LAYOUTS else "contiguous")
    softmax.launch(x, y, columns=40, online=online)
    assert_close(y, softmax.reference(x), roundings=roundings("float32"))


@pytest.mark.parametrize("shape", EMPTY, ids=str)
def test_row_kernels_of_empty_arrays(backend, arrays, shape):
    x, weight = arrays.normal(shape), arrays.normal(shape[1:])
    for launch in (
        lambda y: softmax.launch(x, y),
        lambda y: softmax.launch(x, y, online=True),
        lambda y: layer_norm.launch(x, weight, weight, y),
        lambda y: rms_norm.launch(x, weight, y),
    ):
        launch(arrays.output(shape))


def check_layer_norm(arrays, shape, dtype, layout="contiguous", shift=0.0, **tile):
    x = arrays.input((arrays.rng.standard_normal(shape) + shift).astype(np.float32), layout)
    if dtype != "float32":
        x = arrays.normal(shape, dtype, layout)
    weight, bias = (arrays.normal(shape[1:], dtype, layout) for _ in "wb")
    y = arrays.output(shape, dtype, layout if layout in LAYOUTS else "contiguous")
    layer_norm.launch(x, weight, bias, y, **tile)
    bound = roundings(dtype, shape[1]) * (1 + abs(shift))
    assert_close(y, layer_norm.reference(x, weight, bias), roundings=bound)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_layer_norm(backend, arrays, shape, dtype):
    check_layer_norm(arrays, shape, dtype)


@pytest.mark.parametrize("rows, columns", [(1, 128), (4, 101), (7, 112)])
def test_layer_norm_in_tiles_wider_than_the_rows(backend, arrays, rows, columns):
    check_layer_norm(arrays, (9, 100), "float32", rows=rows, columns=columns)


def test_layer_norm_of_values_far_from_zero(backend, arrays):
    check_layer_norm(arrays, (4, 300), "float32", shift=100.0, columns=320)


@pytest.mark.parametrize("layout", [*LAYOUTS, "broadcast"])
def test_layer_norm_of_strided_arrays(backend, arrays, layout):
    check_layer_norm(arrays, (5, 37), "float32", layout)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_rms_norm(backend, arrays, shape, dtype):
    x, weight, y = (
        arrays.normal(shape, dtype),
        arrays.normal(shape[1:], dtype),
        arrays.output(shape, dtype),
    )
    rms_norm.launch(x, weight, y, columns=64)
    assert_close(y, rms_norm.reference(x, weight), roundings=roundings(dtype, shape[1]))


@pytest.mark.parametrize("columns", [1, 7, 100, 300])
@pytest.mark.parametrize("layout", [*LAYOUTS, "broadcast"])
def test_rms_norm_of_strided_arrays(backend, arrays, layout, columns):
    x, weight = arrays.normal((5, 100), "float32", layout), arrays.normal((100,), "float32", layout)
    y = arrays.output((5, 100), "float32", layout if layout in LAYOUTS else "contiguous")
    rms_norm.launch(x, weight, y, columns=columns)
    assert_close(y, rms_norm.reference(x, weight), roundings=roundings("float32"))
