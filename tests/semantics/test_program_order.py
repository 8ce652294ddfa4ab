# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that show each other what they stored, by atomics on one element."""

from __future__ import annotations

import numpy as np
import pytest

import tegula as tg


@tg.kernel
def last_reduces(x: tg.Array, partial: tg.Array, done: tg.Array, o: tg.Array, SHAPE: tg.Const):
    i = tg.program_id(0)
    tg.store(partial, (i, 0), tg.sum(tg.load(x, (i, 0), SHAPE), axis=0)[None, :])
    if tg.atomic_add(done, 0, 1) == tg.num_programs(0) - 1:
        total = tg.zeros((SHAPE[1],), partial.dtype)
        for j in tg.range(tg.num_programs(0)):
            total = total + tg.load(partial, (j, 0), (1, SHAPE[1])).reshape(SHAPE[1])
        tg.store(o, 0, total)


@pytest.mark.contract("what programs see of each other")
@pytest.mark.parametrize("programs", [1, 7, 300])
@pytest.mark.parametrize("width", [1, 100, 1024])
def test_the_last_program_sees_what_all_others_stored(backend, rng, programs, width):
    x = rng.integers(-9, 9, (2 * programs, width))
    partial, done, o = np.full((programs, width), -77), np.zeros(1, np.int32), np.zeros(width, int)
    last_reduces[programs](x, partial, done, o, SHAPE=(2, width))
    np.testing.assert_array_equal(o, x.sum(0))


@tg.kernel
def locked(x: tg.Array, lock: tg.Array, o: tg.Array, p: tg.Array, N: tg.Const):
    i = tg.program_id(0)
    tile = tg.load(x, (i, 0), (1, N)).reshape(N)
    slot = i % o.shape[0]
    while tg.atomic_cas(lock, slot, 0, 1) == 1:
        pass
    tg.store(o[slot], 0, tg.load(o[slot], 0, N) + tile)
    tg.store(p[slot], 0, tg.load(p[slot], 0, N).astype(p.dtype) + 1)
    tg.atomic_xchg(lock, slot, 0)


@pytest.mark.contract("what programs see of each other")
@pytest.mark.parametrize("programs, slots", [(1, 1), (64, 1), (300, 4), (300, 300)])
@pytest.mark.parametrize("width", [3, 512])
def test_a_lock_protects_what_programs_store(backend, rng, programs, slots, width):
    x = rng.integers(-9, 9, (programs, width))
    o, p = np.zeros((slots, width), int), np.zeros((slots, width), np.int32)
    lock = np.zeros(slots, np.int32)
    locked[programs](x, lock, o, p, N=width)
    np.testing.assert_array_equal(o, [x[slot::slots].sum(0) for slot in range(slots)])
    np.testing.assert_array_equal(p[:, 0], [len(x[slot::slots]) for slot in range(slots)])
    assert (p == p[:, :1]).all()
    assert not lock.any()


@tg.kernel
def chained_scan(x: tg.Array, ticket: tg.Array, ready: tg.Array, before: tg.Array, N: tg.Const):
    # In the order in which programs begin: whom a program waits for runs already.
    i = tg.atomic_add(ticket, 0, 1)
    tile = tg.load(x, i, N)
    if i > 0:
        while tg.atomic_or(ready, i - 1, 0) == 0:
            pass
    start = tg.gather(before, i)
    tg.scatter(before, i + 1, start + tg.sum(tile))
    tg.atomic_xchg(ready, i, 1)
    tg.store(x, i, start + tg.cumsum(tile))


@pytest.mark.contract("what programs see of each other")
@pytest.mark.parametrize("programs", [1, 2, 200])
@pytest.mark.parametrize("dtype", ["int32", "bool"])
def test_a_program_waits_for_the_one_before(backend, rng, programs, dtype):
    x = rng.integers(-9, 9, programs * 128)
    want = np.cumsum(x)
    ticket, ready = np.zeros(1, np.int32), np.zeros(programs, dtype)
    before = np.zeros(programs + 1, int)
    chained_scan[programs](x, ticket, ready, before, N=128)
    np.testing.assert_array_equal(x, want)
    assert before[-1] == want[-1]


@tg.kernel
def one_element_tile(partial: tg.Array, done: tg.Array, o: tg.Array, N: tg.Const):
    i = tg.program_id(0)
    tg.store(partial, (i, 0), tg.full((1, N), i + 1, tg.int32))
    before = tg.atomic_add(done, tg.zeros((1,), tg.int64), tg.full((1,), 1, tg.int16))
    if tg.sum(before) == tg.num_programs(0) - 1:
        least = tg.full((N,), 2**31 - 1, tg.int32)
        for j in tg.range(tg.num_programs(0)):
            least = tg.minimum(least, tg.load(partial, (j, 0), (1, N)).reshape(N))
        tg.store(o, 0, least)


@pytest.mark.contract("what programs see of each other")
def test_a_tile_of_one_element_orders_as_a_scalar_does(backend):
    # 16 bits: swapped within a word.
    partial, done, o = np.zeros((200, 300), np.int32), np.zeros(1, np.int16), np.zeros(300, "i4")
    one_element_tile[200](partial, done, o, N=300)
    assert (o == 1).all()
