# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Branches on run-time values: compiled code does what the interpreter does."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import numpy as np
import pytest

import tegula as tg


def agree(kernel, grid, *arguments, **constants):
    """Run a kernel compiled and interpreted on copies of its arrays; the arrays, if they agree."""
    results = []
    for scope in (False, True):
        copies = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
        if scope:
            with tg.interpret():
                kernel[grid](*copies, **constants)
        else:
            kernel[grid](*copies, **constants)
        results.append([a for a in copies if isinstance(a, np.ndarray)])
    for got, want in zip(*results, strict=True):
        np.testing.assert_array_equal(got, want)
    return results[0]


def test_exactly_one_arm_has_effects():
    @tg.kernel
    def kernel(c: tg.Array):
        i = tg.program_id(0)
        if i % 2 == 0:
            tg.atomic_add(c, 0, 1)
        else:
            tg.atomic_add(c, 1, 10)

    (c,) = agree(kernel, 5, np.zeros(2, np.int64))
    assert c.tolist() == [3, 20]


def test_elif_chains_and_nesting():
    @tg.kernel
    def kernel(x: tg.Array, y: tg.Array):
        i = tg.program_id(0)
        v = tg.load(x, i, 4)
        s = tg.sum(v)
        if s < 0:
            r = -v
        elif s == 0:
            r = v + 1.0
        elif s < 100:
            if i > 1:
                r = v * 2.0
            else:
                r = v
        else:
            r = v * 0.5
        tg.store(y, i, r)

    x = np.arange(-8, 24, dtype=np.float32) ** 3 / 100
    agree(kernel, 8, x, np.zeros(32, np.float32))


def test_python_numbers_become_scalars():
    @tg.kernel
    def kernel(y: tg.Array, z: tg.Array):
        i = tg.program_id(0)
        k, f, flag = 1, 0.5, False
        if i > 1:
            k = 7
            f = 2.5
            flag = True
        if flag:
            k = k + 1
        tg.store(y, i, k)
        tg.store(z, i, f)

    y, z = agree(kernel, 4, np.zeros(4, np.int32), np.zeros(4, np.float32))
    assert y.tolist() == [1, 1, 8, 8]
    assert z.tolist() == [0.5, 0.5, 2.5, 2.5]


def test_weak_numbers_adapt_to_the_other_arm():
    @tg.kernel
    def kernel(x: tg.Array, y: tg.Array):
        i = tg.program_id(0)
        s = tg.sum(tg.load(x, i, 1))
        r = s if s > 2 else 0
        tg.store(y, i, r)
        if s > 1:  # noqa: SIM108
            q = 1
        else:
            q = s
        tg.store(y, i + 4, q)

    x = np.array([0, 1.5, 2, 3], np.float16)
    agree(kernel, 4, x, np.zeros(8, np.float16))


def test_plain_values_that_are_equal_stay_plain():
    @tg.kernel
    def kernel(y: tg.Array):
        i = tg.program_id(0)
        size, mode = 4, "a"
        if i > 0:
            size, mode = 4, "a"
        value = 2.0 if mode == "a" else 1.0
        tg.store(y, i, tg.full(size, value, tg.float32))

    agree(kernel, 2, np.zeros(8, np.float32))


class Pair(NamedTuple):
    a: object
    b: object


@dataclasses.dataclass(frozen=True)
class State:
    total: object
    extra: dict


class Accumulator:
    def __init__(self, value):
        self.value = value
        self.label = "sum"

    def add(self, x):
        if tg.sum(x) > 4:
            self.value = self.value + x
        return self


def test_containers_are_carried():
    @tg.kernel
    def kernel(x: tg.Array, y: tg.Array):
        i = tg.program_id(0)
        v = tg.load(x, i, 4)
        state = State(v, {"scale": 1.0, "list": [v, 2]})
        pair = Pair(v, (v, 3))
        if i > 1:
            state = State(v * 2.0, {"scale": 3.0, "list": [v + 1.0, 2]})
            pair = Pair(-v, (v + v, 3))
        assert isinstance(pair, Pair) and isinstance(state, State)
        r = state.total * state.extra["scale"] + state.extra["list"][0]
        r = r + pair.a + pair.b[0] * pair.b[1]
        tg.store(y, i, r * float(state.extra["list"][1]))

    agree(kernel, 4, np.arange(16, dtype=np.float32), np.zeros(16, np.float32))


def test_items_and_attributes_are_changed_in_place():
    @tg.kernel
    def kernel(x: tg.Array, y: tg.Array):
        i = tg.program_id(0)
        v = tg.load(x, i, 4)
        parts = [v, v, {"k": v}]
        alias = parts
        box = Accumulator(v)
        if i > 1:
            parts[0] = v + 1.0
            parts[2]["k"] = v * 2.0
            box.value = v * 3.0
        else:
            parts[1] = v - 1.0
        box.add(v)
        assert alias is parts and box.label == "sum"
        tg.store(y, i, alias[0] + alias[1] * 10.0 + alias[2]["k"] * 100.0 + box.value * 1000.0)

    agree(kernel, 4, np.arange(16, dtype=np.float32), np.zeros(16, np.float32))


def pick(x, low, high):
    if x < low:
        return low
    if x > high:
        return high
    return x


def classify(v, i):
    """Every path returns, some of them from nested branches."""
    if i == 0:
        return v, 0
    if i < 3:
        if tg.sum(v) > 10:
            return v * 2.0, 1
        v = v + 1.0
    else:
        v = v - 1.0
        if i == 4:
            return v, 2
    return v * 10.0, 3


def test_early_returns_of_helpers():
    @tg.kernel
    def kernel(x: tg.Array, y: tg.Array, z: tg.Array):
        i = tg.program_id(0)
        v, kind = classify(tg.load(x, i, 4), i)
        tg.store(y, i, v)
        tg.store(z, i, kind + pick(i, 1, 3) * 10)

    x = np.arange(24, dtype=np.float32)
    _, _, z = agree(kernel, 6, x, np.zeros(24, np.float32), np.zeros(6, np.int64))
    assert z.tolist() == [10, 11, 21, 33, 32, 33]


def test_early_return_of_the_kernel():
    @tg.kernel
    def kernel(y: tg.Array, n):
        i = tg.program_id(0)
        if i >= n:
            return
        tg.store(y, i, 1.0)
        if i == 1:
            return
        tg.store(y, i + 4, 2.0)

    (y,) = agree(kernel, 4, np.zeros(8, np.float32), 3)
    assert y.tolist() == [1, 1, 1, 0, 2, 0, 2, 0]


def test_boolean_operators_and_comparisons():
    @tg.kernel
    def kernel(y: tg.Array, n):
        i = tg.program_id(0)
        results = [
            i > 1 and i < 4,
            i < 1 or i > 4 or n == 3,
            not (i > 1 and n > 2),
            1 < i <= n,
            0 <= i < n > 2,
            i and n,
            (i or n) + 0,
            n > 2 and i == 5,
            i > 2 or False,
            True and i == 1,
            i == 1 and True,
        ]
        for j, value in enumerate(results):
            tg.store(y, i * len(results) + j, tg.int64(value))

    agree(kernel, 6, np.zeros(66, np.int64), 4)
    agree(kernel, 6, np.zeros(66, np.int64), 2)


def test_second_operand_is_evaluated_only_if_needed():
    def bump(c, k):
        return tg.atomic_add(c, k, 1) >= 0

    @tg.kernel
    def kernel(c: tg.Array, n):
        i = tg.program_id(0)
        if i < 2 and bump(c, 0):
            tg.atomic_add(c, 1, 1)
        if i < 2 or bump(c, 2):
            tg.atomic_add(c, 3, 1)
        if bump(c, 4) if i == n else bump(c, 5):
            tg.atomic_add(c, 6, 1)

    (c,) = agree(kernel, 5, np.zeros(7, np.int64), 3)
    assert c.tolist() == [2, 2, 3, 5, 1, 4, 5]


def test_conditional_expressions():
    @tg.kernel
    def kernel(x: tg.Array, y: tg.Array):
        i = tg.program_id(0)
        v = tg.load(x, i, 4)
        w = v if i == 0 else v * 2.0 if i == 1 else tg.load(x, 0, 4)
        f = (lambda t: t + 1.0 if tg.sum(t) > 20 else t - 1.0)(w)
        tg.store(y, i, f * (2.0 if i > 1 else 3))

    agree(kernel, 4, np.arange(16, dtype=np.float32), np.zeros(16, np.float32))


def test_conditions_of_other_dtypes():
    @tg.kernel
    def kernel(x: tg.Array, y: tg.Array, n, f):
        i = tg.program_id(0)
        s = tg.sum(tg.load(x, i, 1))
        r = 0
        if s:
            r += 1
        if not n - i:
            r += 10
        if f:
            r += 100
        if i & 1:
            r += 1000
        tg.store(y, i, r)

    x = np.array([0.0, np.nan, -0.0, 2.0], np.float32)
    _, y = agree(kernel, 4, x, np.zeros(4, np.int64), 2, 0.5)
    assert y.tolist() == [100, 1101, 110, 1101]


def test_mask_made_once_is_used_in_and_after_a_branch():
    @tg.kernel
    def kernel(x: tg.Array, y: tg.Array):
        i = tg.program_id(0)
        at = i * 4 + tg.arange(4)
        mask = at % 3 != 0
        v = tg.gather(x, at, mask, pad=-1.0)
        if i > 0:
            tg.scatter(y, at, v, mask)
        tg.scatter(y, at + 8, v * 2.0, mask)

    agree(kernel, 2, np.arange(8, dtype=np.float32), np.zeros(16, np.float32))


@pytest.mark.parametrize("n", [0, 1, 5])
def test_run_time_asserts_in_branches(n):
    @tg.kernel
    def kernel(y: tg.Array, n):
        i = tg.program_id(0)
        if i > 2:
            assert i < n, "too large"
        tg.store(y, i, 1.0)

    def run():
        kernel[4](np.zeros(4, np.float32), n)

    if n > 3:
        run()
    else:
        with pytest.raises(AssertionError, match="too large") as caught:
            run()
        assert caught.value.program == (3, 0, 0)
