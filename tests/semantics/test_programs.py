# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules about a grid as a whole: what several programs do together, and what repeats."""

from __future__ import annotations

import numpy as np
import pytest

import tegula as tg
from tegula.errors import KernelAssertionError


@tg.kernel
def sums(x: tg.Array, o: tg.Array, p: tg.Array, SHAPE: tg.Const):
    i = tg.program_id(0)
    tile = tg.load(x, (i, 0), SHAPE)
    tg.store(o, i, tg.sum(tile, axis=1))
    tg.store(p, i, tg.cumsum(tg.sum(tile, axis=0), axis=0)[SHAPE[1] - 1 :])


@pytest.mark.contract("order of a sum")
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("shape", [(4, 256), (3, 100), (16, 7)], ids=str)
def test_a_run_repeats_bit_by_bit(backend, rng, shape, dtype):
    rows, columns = shape
    x = (rng.standard_normal((5 * rows, columns)) * 10.0 ** rng.integers(-3, 4, columns)).astype(
        dtype
    )
    runs = set()
    for _ in range(3):
        o, p = np.zeros(5 * rows, dtype), np.zeros(5, dtype)
        sums[5](x, o, p, SHAPE=shape)
        runs.add(o.tobytes() + p.tobytes())
    assert len(runs) == 1
    exact = x.astype("f8")
    bound = 0.02 * np.abs(exact).sum(1).max()
    np.testing.assert_allclose(o.astype("f8"), exact.sum(1), rtol=0, atol=bound)


@tg.kernel
def same_place(o: tg.Array, WIDTH: tg.Const):
    i = tg.program_id(0)
    tg.store(o, 0, tg.full((WIDTH,), i, tg.int64))


@pytest.mark.contract(
    "two programs that touch the same element, one of them writing without an atomic"
)
@pytest.mark.parametrize("width", [1, 5, 64])
@pytest.mark.parametrize("programs", [1, 2, 17])
def test_one_of_the_programs_that_write_an_element_comes_last(backend, programs, width):
    o = np.full(width + 2, -1)
    same_place[programs](o[1:-1], WIDTH=width)
    assert set(o[1:-1].tolist()) <= set(range(programs))
    assert o[0] == o[-1] == -1


@tg.kernel
def asserting(x: tg.Array, o: tg.Array, LOOP: tg.Const):
    i = tg.program_id(0)
    value = tg.gather(x, i)
    tg.store(o, (i, 0), value.reshape(1, 1))
    if LOOP:
        for _ in tg.range(3):
            assert value >= 0, "negative"
    else:
        assert value >= 0, "negative"
    tg.store(o, (i, 1), value.reshape(1, 1) * 10)


@pytest.mark.contract("`assert` that fails")
@pytest.mark.parametrize("loop", [False, True])
@pytest.mark.parametrize("values", [[-1, 2, 3], [1, -2, -3], [1, 2, -3], [-1]], ids=str)
def test_all_else_still_runs_when_an_assertion_fails(backend, values, loop):
    x, o = np.array(values), np.zeros((len(values), 2), np.int64)
    with pytest.raises(KernelAssertionError, match="negative") as caught:
        asserting[len(values)](x, o, LOOP=loop)
    assert values[caught.value.program[0]] < 0
    later = np.where(x < 0, 0, 10 * x) if backend == "interpreter" else 10 * x
    np.testing.assert_array_equal(o, np.stack([x, later], axis=1))


@tg.kernel
def contracted(x: tg.Array, y: tg.Array, o: tg.Array, N: tg.Const):
    tg.store(o, 0, tg.load(x, 0, N) * tg.load(y, 0, N) - tg.load(o, 0, N))


@pytest.mark.contract("multiplication and addition")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_fast_math_may_contract_and_nothing_else_does(backend, rng, dtype):
    x, y = rng.standard_normal((2, 64)).astype(dtype)
    product = x * y
    exact = product.copy()
    contracted[1](x, y, exact, N=64)
    assert not exact.any()  # the product was rounded, as what is subtracted was
    fast = product.copy()
    tg.kernel(fast_math=True)(contracted.function)[1](x, y, fast, N=64)
    assert (np.abs(fast) <= np.spacing(np.abs(product))).all()
