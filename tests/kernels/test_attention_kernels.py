# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention forward: causal and not, odd lengths, dtypes, layouts, empty arrays."""

from __future__ import annotations

import numpy as np
import pytest

from tests._support.arrays import FLOATS, LAYOUTS
from tests._support.compare import assert_close
from tests.kernels import attention

CAUSAL = pytest.mark.parametrize("causal", [False, True], ids=["full", "causal"])
SHAPES = [  # heads, queries, keys, head size
    (1, 1, 1, 1),
    (1, 17, 17, 3),
    (3, 3, 100, 16),
    (2, 100, 17, 8),
    (1, 65, 257, 32),
]


def check(arrays, shape, dtype, causal, layout="contiguous", tile=(32, 32), scale=None, spread=1.0):
    heads, queries, keys, d = shape
    q = arrays.normal((heads, queries, d), dtype, layout, spread)
    k, v = (arrays.normal((heads, keys, d), dtype, layout, s) for s in (spread, 1.0))
    o = arrays.output((heads, queries, d), dtype, layout if layout in LAYOUTS else "contiguous")
    attention.launch(q, k, v, o, causal, scale, tile)
    # The weights are rounded to the dtype of v too. In fp32, each rescaling rounds, and the scores,
    # whose absolute error is the relative error of their exponentials.
    roundings = 24.0 * max(1.0, (scale or 1.0) * spread**2) if dtype == "float32" else 3.0
    assert_close(o, attention.reference(q, k, v, causal, scale), roundings=roundings)


@CAUSAL
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_attention(backend, arrays, shape, dtype, causal):
    check(arrays, shape, dtype, causal)


@CAUSAL
@pytest.mark.parametrize("tile", [(1, 1), (7, 40), (64, 8), (128, 128)], ids=str)
def test_attention_with_tiles_of_any_size(backend, arrays, tile, causal):
    check(arrays, (2, 45, 45, 12), "float32", causal, tile=tile)


@CAUSAL
@pytest.mark.parametrize("layout", [*LAYOUTS, "broadcast"])
def test_attention_of_strided_arrays(backend, arrays, layout, causal):
    check(arrays, (2, 33, 20, 8), "float32", causal, layout, (16, 16))


@CAUSAL
def test_attention_with_large_scores_does_not_overflow(backend, arrays, causal):
    check(arrays, (1, 20, 20, 8), "float32", causal, tile=(8, 8), scale=10.0, spread=3.0)


@CAUSAL
def test_attention_of_a_longer_sequence(backend, arrays, causal):
    check(arrays, (1, 257, 1000, 64), "float32", causal, "aligned", (64, 64))


@CAUSAL
@pytest.mark.parametrize("shape", [(0, 3, 4, 5), (2, 0, 4, 5), (2, 3, 0, 5), (2, 3, 4, 0)], ids=str)
def test_attention_of_empty_arrays(backend, arrays, shape, causal):
    check(arrays, shape, "float32", causal)


def test_attention_without_keys_is_zero(backend, arrays):
    q, k = arrays.normal((1, 3, 4)), arrays.normal((1, 0, 4))
    o = attention.launch(q, k, k, arrays.output((1, 3, 4)))
    np.testing.assert_array_equal(o, np.zeros((1, 3, 4)))
