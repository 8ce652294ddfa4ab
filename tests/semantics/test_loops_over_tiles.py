# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops over the tiles of arrays whose ends they meet, pass or do not reach.

Some targets give iterations that meet no end a loop of their own; what is computed is the same.
"""

from __future__ import annotations

import numpy as np
import pytest

import tegula as tg

FAR = 2**63 - 1


@tg.kernel
def rows(a: tg.Array, o: tg.Array, count: tg.int64, FIRST: tg.Const, AHEAD: tg.Const, N: tg.Const):
    m = tg.program_id(0)
    total = tg.zeros((4, N), tg.int32)
    for k in tg.range(FIRST, count):
        total = total * 3 + tg.load(a, (m, k + AHEAD), (4, N), pad=7)
    tg.store(o, (m, 0), total)


@pytest.mark.parametrize("ahead", [-1, 0, 2])
@pytest.mark.parametrize("first, count", [(0, 0), (0, 5), (3, 9), (0, 1)])
@pytest.mark.parametrize("width", [0, 1, 15, 16, 17, 64])
def test_tiles_before_at_and_past_the_end(backend, rng, width, first, count, ahead):
    a = rng.integers(-9, 9, (6, width), dtype=np.int32)
    o = np.full((8, 16), -77, np.int32)
    rows[2](a, o, count, FIRST=first, AHEAD=ahead, N=16)
    padded = np.full((8, 16 * (abs(ahead) + count + 4)), 7, np.int32)
    padded[:6, 16 : 16 + width] = a[:, : padded.shape[1] - 16]
    expected = np.zeros((8, 16), np.int32)
    for k in range(first, count):
        start = 16 * (k + ahead + 1)
        expected = expected * 3 + padded[:, start : start + 16]
    np.testing.assert_array_equal(o, expected)


@tg.kernel
def in_place(a: tg.Array, count: tg.int64, N: tg.Const):
    for k in tg.range(count):
        tg.store(a, k, tg.load(a, k, N) * 2 + 1)


@pytest.mark.parametrize("size", [0, 1, 31, 32, 100])
def test_tiles_are_changed_in_place(backend, rng, size):
    a = rng.integers(-9, 9, size, dtype=np.int32)
    expected = a * 2 + 1
    in_place[1](a, 9, N=16)
    touched = min(size, 9 * 16)
    np.testing.assert_array_equal(a[:touched], expected[:touched])


@tg.kernel
def late(a: tg.Array, o: tg.Array, p: tg.int64, q: tg.int64, r: tg.int64, s: tg.int64, N: tg.Const):
    total = tg.zeros((N,), tg.int32)
    for k in tg.range(tg.cdiv(a.shape[0], N)):
        x = tg.load(a, k, N)
        if k >= p:
            x = x + 100
        if k > q:
            x = x * 5
        if k < r:
            total = total + 1
        else:
            x = x - 30
        if k + 1 <= s:
            total = total * 3
        else:
            x = x ^ 6
        total = total * 7 + x
    tg.store(o, 0, total)


@pytest.mark.parametrize(
    "bounds",
    [
        (2, 2, 2, 2),
        (0, 1, 3, 4),
        (9, 9, 9, 9),
        (-5, -1, -9, -2),
        (FAR, FAR, FAR, FAR),
        (-FAR - 1,) * 4,
        (FAR, -FAR - 1, 1, 3),
    ],
)
@pytest.mark.parametrize("size", [1, 64, 70])
def test_branches_of_the_last_iterations(backend, rng, size, bounds):
    a = rng.integers(-9, 9, size, dtype=np.int32)
    o = np.full(16, -77, np.int32)
    late[1](a, o, *bounds, N=16)
    p, q, r, s = bounds
    padded = np.zeros(-(-size // 16) * 16, np.int32)
    padded[:size] = a
    expected = np.zeros(16, np.int32)
    with np.errstate(over="ignore"):
        for k, x in enumerate(padded.reshape(-1, 16)):
            x = x + 100 if k >= p else x
            x = x * 5 if k > q else x
            expected, x = (expected + 1, x) if k < r else (expected, x - 30)
            expected, x = (expected * 3, x) if k + 1 <= s else (expected, x ^ 6)
            expected = expected * 7 + x.astype(np.int32)
    np.testing.assert_array_equal(o, expected)
