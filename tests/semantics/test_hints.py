# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hints, prints and assertions change no result."""

from __future__ import annotations

import numpy as np
import pytest

import tegula as tg
from tegula.errors import LaunchError
from tests._support.arrays import FLOATS
from tests._support.compare import assert_close
from tests.kernels import gemm, softmax

WARPS = (1, 2, 4, 8)
STAGES = (1, 2, 3, 4)


@tg.kernel
def watched_product(
    a: tg.Array, b: tg.Array, c: tg.Array, LOUD: tg.Const, BM: tg.Const, BN: tg.Const, BK: tg.Const
):
    """gemm, which says what it does and checks it."""
    m, n = tg.program_id(0), tg.program_id(1)
    acc = gemm.multiply(a, b, m, n, BM, BN, BK)
    if LOUD:
        tg.print("program", m, n, "holds", tg.max(acc))
        assert tg.max(acc) < 1e30, "the product has exploded"
    tg.store(c, (m, n), acc.astype(c.dtype))


@tg.kernel
def four_loads(a: tg.Array, b: tg.Array, c: tg.Array, d: tg.Array, o: tg.Array, N: tg.Const):
    """Two products a trip, of tiles from four arrays."""
    acc = tg.zeros((N, N), tg.float32)
    for k in tg.range(tg.cdiv(a.shape[1], N)):
        acc = tg.dot(tg.load(a, (0, k), (N, N)), tg.load(b, (k, 0), (N, N)), acc)
        acc = tg.dot(tg.load(c, (0, k), (N, N)), tg.load(d, (k, 0), (N, N)), acc)
    tg.store(o, (0, 0), acc)


@tg.kernel
def walk(x: tg.Array, o: tg.Array, steps: tg.int64, N: tg.Const):
    """Carries a scalar and a tile through nested loops of run-time length, with stores."""
    total, tile = tg.int32(0), tg.zeros((N,), tg.int32)
    for i in tg.range(steps):
        for j in tg.range(i + 1):
            tile = tile * 3 + tg.load(x, j, N)
            total += tg.sum(tile.astype(tg.int32), dtype=tg.int32)
        tg.store(o, i, tile + total)


@pytest.mark.parametrize("dtype", FLOATS)
def test_stages_change_no_bit(backend, arrays, dtype):
    a, b = arrays.normal((70, 200), dtype), arrays.normal((200, 90), dtype)
    results = []
    for stages in (None, *STAGES):
        c = arrays.output((70, 90), dtype)
        kernel = gemm.gemm.with_hints(num_stages=stages)
        kernel[2, 2](a, b, c, BM=64, BN=64, BK=32)
        results.append(c)
    for other in results[1:]:
        np.testing.assert_array_equal(other, results[0])
    assert_close(results[0], gemm.reference(a, b), roundings=1 + 200**0.5)


@pytest.mark.parametrize("stages", STAGES)
def test_four_loads_in_a_loop(backend, arrays, stages):
    a, b, c, d = (arrays.normal((32, 160), "float16") for _ in "abcd")
    want, got = arrays.output((32, 32), "float32"), arrays.output((32, 32), "float32")
    four_loads[1](a, b.T, c, d.T, want, N=32)
    four_loads.with_hints(num_stages=stages)[1](a, b.T, c, d.T, got, N=32)
    np.testing.assert_array_equal(got, want)
    a, b, c, d = (x.astype(np.float64) for x in (a, b, c, d))
    assert_close(got, a @ b.T + c @ d.T, roundings=320**0.5)


@pytest.mark.parametrize("warps", WARPS)
def test_warps_change_no_integer(backend, arrays, warps):
    x = np.random.default_rng(7).integers(-9, 9, 60).astype(np.int32)
    want, got = arrays.output((96,), "int32"), arrays.output((96,), "int32")
    walk[1](x, want, 6, N=16)
    walk.with_hints(num_warps=warps)[1](x, got, 6, N=16)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("warps", WARPS)
def test_warps_change_no_value(backend, arrays, warps):
    x, y = arrays.normal((5, 300), "float32"), arrays.output((5, 300), "float32")
    softmax.softmax.with_hints(num_warps=warps)[5](x, y, ROWS=1, COLUMNS=300)
    assert_close(y, softmax.reference(x), roundings=8)
    a, b = arrays.normal((70, 100), "bfloat16"), arrays.normal((100, 90), "bfloat16")
    c = arrays.output((70, 90), "bfloat16")
    gemm.gemm.with_hints(num_warps=warps)[2, 2](a, b, c, BM=64, BN=64, BK=32)
    assert_close(c, gemm.reference(a, b))


def test_prints_and_assertions_change_no_bit(backend, arrays, capsys):
    a, b = arrays.normal((70, 200), "bfloat16"), arrays.normal((200, 90), "bfloat16")
    results = []
    for loud in (False, True, True):
        c = arrays.output((70, 90), "float32")
        watched_product[2, 2](a, b, c, LOUD=loud, BM=64, BN=64, BK=32)
        results.append(c)
    assert capsys.readouterr().out.count("holds") == 8
    for other in results[1:]:
        np.testing.assert_array_equal(other, results[0])


def test_a_kernel_may_be_made_with_hints(backend):
    @tg.kernel(num_warps=2, num_stages=3)
    def kernel(a: tg.Array):
        tg.store(a, 0, tg.arange(8).astype(a.dtype))

    a = np.zeros(8, np.float32)
    kernel[1](a)
    assert a.tolist() == list(range(8))
    assert kernel.hints == (2, 3) and kernel.with_hints(num_warps=4).hints == (4, None)
    text = kernel.specialize(a).ir()
    assert "tile.num_stages = 3 : i32" in text and "tile.num_warps = 2 : i32" in text


@pytest.mark.parametrize("value", [0, -1, 65, 2.0, "4", True, 10**30])
@pytest.mark.parametrize("name", ["num_warps", "num_stages"])
def test_hints_are_small_positive_integers(name, value):
    with pytest.raises(LaunchError) as caught:
        tg.kernel(**{name: value})(lambda: None)
    text = str(caught.value)
    assert f"the hint {name} is {value!r}, but it must be an integer of 1 to 64" in text
    assert f"leave it out, or say {name}=4" in text


def test_warps_are_a_power_of_two():
    with pytest.raises(LaunchError, match="num_warps is 6, which is no power of two") as caught:
        gemm.gemm.with_hints(num_warps=6)
    assert "num_warps=4 or num_warps=8" in str(caught.value)
