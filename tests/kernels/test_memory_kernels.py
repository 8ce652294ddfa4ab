# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Vector add, transpose, embedding, histogram and dropout: which element goes where."""

from __future__ import annotations

import numpy as np
import pytest

from tests._support.arrays import FLOATS, LAYOUTS, numpy_dtype
from tests._support.compare import assert_close
from tests.kernels import dropout, embedding, histogram, transpose, vector_add

SIZES = [0, 1, 3, 17, 100, 257, 1000]
DTYPES = [*FLOATS, "float64", "bool", "int8", "uint16", "int32", "uint64", "float8_e4m3fn"]


@pytest.mark.parametrize("dtype", [*FLOATS, "float64", "int8", "uint8", "int32", "uint64"])
@pytest.mark.parametrize("n", SIZES)
def test_vector_add(backend, arrays, n, dtype):
    x, y = (arrays.input(arrays.rng.integers(0, 99, n).astype(numpy_dtype(dtype))) for _ in "xy")
    z = vector_add.launch(x, y, arrays.output((n,), dtype), 64)
    np.testing.assert_array_equal(z, x + y)


@pytest.mark.parametrize("block", [1, 5, 100, 4096])
@pytest.mark.parametrize("x_layout", [*LAYOUTS, "broadcast"])
@pytest.mark.parametrize("z_layout", LAYOUTS)
def test_vector_add_of_strided_arrays(backend, arrays, x_layout, z_layout, block):
    x, y = arrays.normal((100,), "float32", x_layout), arrays.normal((100,), "float16")
    z = vector_add.launch(x, y, arrays.output((100,), "float32", z_layout), block)
    np.testing.assert_array_equal(z, x + y)
    assert_close(z, vector_add.reference(x, y))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1, 1), (3, 17), (100, 257)], ids=str)
def test_transpose(backend, arrays, shape, dtype):
    x = arrays.integers(0, 100, shape, dtype)
    y = transpose.launch(x, arrays.output(shape[::-1], dtype))
    np.testing.assert_array_equal(y, transpose.reference(x))


@pytest.mark.parametrize("tile", [(1, 1), (3, 40), (64, 16)], ids=str)
@pytest.mark.parametrize("x_layout", [*LAYOUTS, "broadcast"])
@pytest.mark.parametrize("y_layout", LAYOUTS)
def test_transpose_of_strided_arrays(backend, arrays, x_layout, y_layout, tile):
    x = arrays.integers(-99, 99, (33, 20), "int32", x_layout)
    y = transpose.launch(x, arrays.output((20, 33), "int32", y_layout), tile)
    np.testing.assert_array_equal(y, transpose.reference(x))


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)], ids=str)
def test_transpose_of_empty_arrays(backend, arrays, shape):
    transpose.launch(arrays.normal(shape), arrays.output(shape[::-1]))


@pytest.mark.parametrize("index", ["int64", "int32", "int16"])
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("n, tokens, d", [(1, 1, 1), (3, 100, 17), (100, 17, 257), (17, 257, 3)])
def test_embedding(backend, arrays, n, tokens, d, dtype, index):
    ids, table = arrays.integers(0, tokens, (n,), index), arrays.normal((tokens, d), dtype)
    out = embedding.launch(ids, table, arrays.output((n, d), dtype))
    np.testing.assert_array_equal(out, embedding.reference(ids, table))


@pytest.mark.parametrize("layout", [*LAYOUTS, "broadcast"])
def test_embedding_of_strided_arrays_with_ids_outside(backend, arrays, layout):
    ids = arrays.integers(-5, 25, (50,), "int64", layout)
    table = arrays.normal((20, 33), "float32", layout)
    out = arrays.output((50, 33), "float32", layout if layout in LAYOUTS else "contiguous")
    embedding.launch(ids, table, out, (7, 10))
    np.testing.assert_array_equal(out, embedding.reference(ids, table))


def test_embedding_with_extreme_ids(backend, arrays):
    info = np.iinfo(np.int64)
    ids = arrays.input(np.array([info.min, -1, 0, 4, 5, 2**32, 2**62, info.max]))
    table = arrays.normal((5, 3))
    out = embedding.launch(ids, table, arrays.output((8, 3)))
    np.testing.assert_array_equal(out, embedding.reference(ids, table))


@pytest.mark.parametrize("shape", [(0, 3, 4), (2, 0, 4), (2, 3, 0)], ids=str)
def test_embedding_of_empty_arrays(backend, arrays, shape):
    n, tokens, d = shape
    ids, table = arrays.integers(0, 3, (n,)), arrays.normal((tokens, d))
    out = embedding.launch(ids, table, arrays.output((n, d)))
    np.testing.assert_array_equal(out, embedding.reference(ids, table))


@pytest.mark.parametrize("counts", ["int32", "int64", "uint32", "float32"])
@pytest.mark.parametrize("dtype", ["uint8", "int8", "int32"])
@pytest.mark.parametrize("n", SIZES)
def test_histogram(backend, arrays, n, dtype, counts):
    bins = 17
    x = arrays.integers(-3 if dtype.startswith("i") else 0, 20, (n,), dtype)
    got = histogram.launch(x, arrays.output((bins,), counts, fill=0))
    np.testing.assert_array_equal(got, histogram.reference(x, bins))


def test_histogram_of_one_value_from_many_programs(backend, arrays):
    x = arrays.input(np.full(1000, 5, np.int8))
    got = histogram.launch(x, arrays.output((6,), "int32", fill=0), 16)
    np.testing.assert_array_equal(got, [0, 0, 0, 0, 0, 1000])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_histogram_of_strided_arrays(backend, arrays, layout):
    x = arrays.integers(-3, 20, (300,), "int32", layout)
    got = histogram.launch(x, arrays.output((9,), "int32", layout, fill=0), 50)
    np.testing.assert_array_equal(got, histogram.reference(x, 9))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("n", SIZES)
def test_dropout(backend, arrays, n, dtype):
    seed = int(arrays.rng.integers(2**63))
    x, y = arrays.normal((n,), dtype), arrays.output((n,), dtype)
    dropout.launch(x, y, 0.3, seed)
    assert_close(y, dropout.reference(x, 0.3, seed), roundings=2.0)


def test_dropout_does_not_depend_on_the_tile(backend, arrays):
    x = arrays.normal((1000,))
    results = [dropout.launch(x, arrays.output((1000,)), 0.5, 42, block) for block in (1000, 64, 7)]
    for result in results[1:]:
        np.testing.assert_array_equal(result, results[0])
    assert 400 < np.count_nonzero(results[0]) < 600


@pytest.mark.parametrize("layout", [*LAYOUTS, "broadcast"])
def test_dropout_of_strided_arrays(backend, arrays, layout):
    x = arrays.normal((100,), "float32", layout)
    y = arrays.output((100,), "float32", layout if layout in LAYOUTS else "contiguous")
    assert_close(dropout.launch(x, y, 0.25, 7, 48), dropout.reference(x, 0.25, 7), roundings=2.0)


def test_philox_words_are_those_of_the_paper(backend, arrays):
    key = int(arrays.rng.integers(2**63))
    words = arrays.output((100, 4), "uint32")
    dropout.random_words[tg_cdiv(100, 32)](words, key, BLOCK=32)
    np.testing.assert_array_equal(words, dropout.philox(np.arange(100), key))


def test_the_reference_generator_gives_the_published_words():
    # Known answers for counter 0 and key 0 of the authors' Random123 library (kat_vectors).
    words = dropout.philox(np.zeros(1), 0)[0]
    assert [hex(word) for word in words] == ["0x6627e8d5", "0xe169c58d", "0xbc57ac4c", "0x9b00dbd8"]


def tg_cdiv(a, b):
    return -(-a // b)
