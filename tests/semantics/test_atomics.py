# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Atomics: previous values lane by lane, masked lanes untouched, every supported dtype."""

from __future__ import annotations

import numpy as np
import pytest

import tegula as tg
from tegula.errors import TileTypeError
from tests.semantics.compare import FLOATS, INTEGERS, assert_same

N = 32
OPERATIONS = {
    "atomic_add": lambda old, new: old + new,
    "atomic_max": np.maximum,
    "atomic_min": np.minimum,
    "atomic_and": lambda old, new: old & new,
    "atomic_or": lambda old, new: old | new,
    "atomic_xor": lambda old, new: old ^ new,
    "atomic_xchg": lambda old, new: new,
}
BITWISE = ("atomic_and", "atomic_or", "atomic_xor")


@tg.kernel
def update(
    a: tg.Array, index: tg.Array, value: tg.Array, mask: tg.Array, old: tg.Array, OP: tg.Const
):
    operation = getattr(tg, OP)
    i, v, m = (tg.load(x, 0, N) for x in (index, value, mask))
    tg.store(old, 0, operation(a, (i,), v, mask=m, pad=1))


def sequential(op, a, index, value, mask):
    """Lane after lane."""
    a, old = a.copy(), np.ones(N, np.float32).astype(a.dtype)
    for lane in range(N):
        i = index[lane]
        if mask[lane] and 0 <= i < len(a):
            old[lane] = a[i]
            a[i] = np.asarray(OPERATIONS[op](a[i], value[lane])).astype(a.dtype)
    return a, old


def dtypes_of(op):
    kinds = INTEGERS if op in BITWISE else (*INTEGERS, *FLOATS)
    return [pytest.param(op, dtype, id=f"{op}-{dtype}") for dtype in kinds]


@pytest.mark.contract("lanes of one scatter or atomic in one program")
@pytest.mark.parametrize("op, dtype", [case for op in OPERATIONS for case in dtypes_of(op)])
def test_lanes_act_in_order_and_return_what_was_there(backend, rng, op, dtype):
    # Indices that are all different, then some that several lanes share.
    for index in (rng.permutation(N) - 4, rng.integers(-2, 18, N)):
        a = rng.integers(0, 100, 16).astype(dtype)
        value = rng.integers(0, 100, N).astype(dtype)
        mask = rng.integers(0, 4, N) > 0
        want, want_old = sequential(op, a, index, value, mask)
        old = np.zeros(N, dtype)
        update[1](a, index, value, mask, old, OP=op)
        assert_same(a, want)
        assert_same(old, want_old)


@pytest.mark.parametrize("op", [*BITWISE, "atomic_xchg"])
def test_booleans(backend, op):
    a, index = np.array([False, True]), np.arange(N) % 2
    value, mask = np.arange(N) % 3 == 0, np.arange(N) < 20
    want, want_old = sequential(op, a, index, value, mask)
    old = np.zeros(N, bool)
    update[1](a, index, value, mask, old, OP=op)
    assert_same(a, want)
    assert_same(old, want_old)


@pytest.mark.contract("`max`, `min`, `argmax`, `argmin`, `maximum`, `minimum`")
@pytest.mark.parametrize("op", ["atomic_max", "atomic_min"])
def test_nan_wins(backend, op):
    a, index = np.array([1.0, np.nan], np.float32), np.arange(N) % 2
    value = np.full(N, 0.5, np.float32)
    value[10] = np.nan
    update[1](a, index, value, index >= 0, np.zeros(N, np.float32), OP=op)
    assert np.isnan(a).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("most", [-140, -102, -99, -90, 100, 128])
def test_a_sum_is_rounded_once_and_keeps_subnormals(backend, rng, dtype, most):
    # Memory of some devices adds by itself, but takes subnormal numbers for 0.
    def numbers(n):
        exponents = rng.integers(-151, most, n)
        signs = rng.choice([-1, 1], n)
        return (signs * rng.uniform(1, 2, n) * 2.0**exponents).astype(dtype)

    for _ in range(4):
        a, value, index = numbers(16), numbers(N), rng.integers(0, 16, N)
        a[3], value[5], value[6], value[7] = 0, -a[index[5]], 0, -0.0
        if most == 128:
            value[8], value[9] = np.inf, np.nan
        mask = np.ones(N, bool)
        with np.errstate(over="ignore", invalid="ignore"):
            want, want_old = sequential("atomic_add", a, index, value, mask)
        old = np.zeros(N, dtype)
        update[1](a, index, value, mask, old, OP="atomic_add")
        assert_same(a, want)
        assert_same(old, want_old)


@pytest.mark.contract("integer overflow")
def test_integers_wrap(backend):
    a, index, value = np.array([120], np.int8), np.zeros(N, np.int64), np.ones(N, np.int8)
    update[1](a, index, value, index == 0, np.zeros(N, np.int8), OP="atomic_add")
    assert a.tolist() == [120 + N - 256]


@tg.kernel
def swap(
    a: tg.Array, index: tg.Array, compare: tg.Array, value: tg.Array, mask: tg.Array, old: tg.Array
):
    i, c, v, m = (tg.load(x, 0, N) for x in (index, compare, value, mask))
    tg.store(old, 0, tg.atomic_cas(a, i, c, v, mask=m, pad=1))


@pytest.mark.parametrize("dtype", [np.dtype("?"), *INTEGERS, *FLOATS], ids=str)
def test_compare_and_swap(backend, rng, dtype):
    a = rng.integers(0, 2, 8).astype(dtype)
    index, mask = rng.integers(-2, 10, N), rng.integers(0, 4, N) > 0
    compare, value = rng.integers(0, 2, N).astype(dtype), rng.integers(0, 2, N).astype(dtype)
    want, want_old = a.copy(), np.ones(N, np.float32).astype(dtype)
    for lane in range(N):
        i = index[lane]
        if mask[lane] and 0 <= i < 8:
            want_old[lane] = want[i]
            want[i] = value[lane] if want[i] == compare[lane] else want[i]
    old = np.zeros(N, dtype)
    swap[1](a, index, compare, value, mask, old)
    assert_same(a, want)
    assert_same(old, want_old)


def test_compare_and_swap_compares_bits(backend):
    a = np.array([0.0, np.nan], np.float32)
    compare = np.zeros(N, np.float32)
    compare[0], compare[1] = -0.0, a[1]
    lanes = np.arange(N)
    swap[1](a, lanes, compare, np.full(N, 7, np.float32), lanes < 2, np.zeros(N, np.float32))
    assert a.tolist() == [0.0, 7.0]


def test_many_programs_add_up(backend):
    @tg.kernel
    def count(a: tg.Array, o: tg.Array):
        tg.atomic_add(a, tg.program_id(0) % 3, 1)
        ticket = tg.atomic_add(o, 0, 2)
        tg.atomic_max(o, 1, ticket)

    a, out = np.zeros(3, np.int32), np.zeros(2, np.int64)
    count[100](a, out)
    assert a.tolist() == [34, 33, 33]
    assert out.tolist() == [200, 198]


def test_indices_broadcast_with_values(backend):
    @tg.kernel
    def kernel(a: tg.Array):
        tg.atomic_add(a, (tg.arange(2)[:, None], 0), tg.arange(4, dtype=tg.int32)[None, :])

    a = np.zeros((2, 2), np.int32)
    kernel[1](a)
    assert a.tolist() == [[6, 0], [6, 0]]


@pytest.mark.contract("gather, scatter: index out of range (negative ones too), masked lane")
def test_an_atomic_on_an_empty_array_does_nothing(backend):
    index, old = np.arange(N), np.zeros(N, np.int32)
    update[1](np.zeros(0, np.int32), index, old, index >= 0, old, OP="atomic_add")
    assert (old == 1).all()


@pytest.mark.parametrize(
    "op, dtype", [("atomic_and", "f4"), ("atomic_add", "?"), ("atomic_max", "?")]
)
def test_dtypes_that_are_not_supported(backend, op, dtype):
    x, index = np.zeros(N, dtype), np.arange(N)
    with pytest.raises(TileTypeError, match=f"{op}: arrays of {np.dtype(dtype)}"):
        update[1](x, index, x, index >= 0, x, OP=op)
