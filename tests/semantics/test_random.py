# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Philox-4x32-10: the published vectors, and an independent implementation on Python integers."""

from __future__ import annotations

import numpy as np
import pytest

import tegula as tg
from tegula.errors import ShapeError, TileTypeError

ONES = 0xFFFFFFFF
# Counter, key, result: Random123's kat_vectors, lines "philox4x32 10".
KNOWN = [
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((ONES,) * 4, (ONES,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]


def philox(counter: int, key: int) -> list[int]:
    """The algorithm of the paper on a 128-bit and a 64-bit integer."""
    c = [counter >> 32 * i & ONES for i in range(4)]
    k = [key & ONES, key >> 32 & ONES]
    for _ in range(10):
        left, right = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [right >> 32 ^ c[1] ^ k[0], right & ONES, left >> 32 ^ c[3] ^ k[1], left & ONES]
        k = [(k[0] + 0x9E3779B9) & ONES, (k[1] + 0xBB67AE85) & ONES]
    return c


@pytest.mark.parametrize("counter, key, want", KNOWN)
def test_published_vectors(check, counter, key, want):
    assert philox(sum(w << 32 * i for i, w in enumerate(counter)), key[0] | key[1] << 32) == list(
        want
    )
    check(
        lambda p: tg.philox(counter, key),
        np.zeros(1, np.int8),
        want=[np.uint32(word) for word in want],
    )
    words = np.array([*counter, *key], np.uint32)
    check(
        lambda p: tg.philox(
            tuple(tg.sum(tg.where(tg.arange(6) == i, p, 0)).astype(tg.uint32) for i in range(4)),
            tuple(tg.sum(tg.where(tg.arange(6) == i, p, 0)).astype(tg.uint32) for i in (4, 5)),
        ),
        words,
        want=[np.uint32(word) for word in want],
    )


@pytest.mark.parametrize("dtype", ["u8", "i8", "u4", "i4"])
def test_counters_of_each_width(check, rng, dtype):
    dtype = np.dtype(dtype)
    counters = rng.integers(0, 256, 50 * dtype.itemsize, np.uint8).view(dtype)
    key = 0x0123456789ABCDEF
    # A 32-bit counter extends to 64 bits as a cast does.
    rows = np.array([philox(value % 2**64, key) for value in counters.tolist()], np.uint32)
    check(lambda p: tg.philox(p, key), counters, want=list(rows.T.copy()))


def test_keys_of_64_bits(check):
    key, counters = np.array([2**63 + 5], np.uint64), np.arange(8)
    rows = np.array([philox(i, 2**63 + 5) for i in range(8)], np.uint32)
    check(lambda k, p: tg.philox(p, k), key, counters, want=list(rows.T.copy()))


def test_counters_in_several_parts(check):
    low, high = np.arange(4, dtype=np.uint32), np.arange(4, dtype=np.int64) + 7
    rows = np.array([philox(i | (i + 7) << 32, 3) for i in range(4)], np.uint32)
    check(lambda p, q: tg.philox((p, q), 3), low, high, want=list(rows.T.copy()))
    rows = np.array([philox(i | 9 << 64, 3) for i in range(4)], np.uint32)
    check(lambda p: tg.philox((p, 0, 9), (3,)), low, want=list(rows.T.copy()))


def test_uniform_numbers(check):
    offsets = np.arange(1000)
    words = np.array([philox(i, 42)[0] for i in range(1000)], np.uint64)
    want = ((words >> np.uint64(8)) * 2.0**-24).astype(np.float32)
    check(lambda p: tg.rand(42, p), offsets, want=want)
    assert (want >= 0).all() and (want < 1).all() and abs(want.mean() - 0.5) < 0.05


@pytest.mark.parametrize(
    "function, error, text",
    [
        (lambda p: tg.philox(p * 1.0, 0), TileTypeError, "counter must be integers"),
        (lambda p: tg.philox(p, 1.5), TileTypeError, "key must be integers, not 1.5"),
        (lambda p: tg.philox((p,) * 5, 0), ShapeError, "counter has 1 to 4 parts, not 5"),
        (lambda p: tg.rand((1, 2, 3), p), ShapeError, "key has 1 to 2 parts, not 3"),
    ],
)
def test_counters_that_do_not_fit(run, function, error, text):
    with pytest.raises(error, match=text):
        run(function, [np.arange(4)], [np.arange(4)])
