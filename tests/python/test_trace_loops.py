# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops with run-time bounds and conditions: compiled code does what the interpreter does."""

from __future__ import annotations

import numpy as np
import pytest

import tegula as tg
from tests.python.test_trace_branches import agree


@pytest.mark.parametrize("bound", [0, 3, 5, 6, 9])
def test_inner_loops_that_run_zero_times(bound):
    @tg.kernel
    def kernel(y: tg.Array, n, bound):
        acc = 0
        for _ in tg.range(n):
            for j in tg.range(5, bound):
                acc += j
        tg.store(y, 0, acc)

    (y,) = agree(kernel, 1, np.full(1, -1, np.int64), 4, bound)
    assert y[0] == 4 * sum(range(5, bound))


@pytest.mark.parametrize(
    "start, stop, step",
    [(0, 5, 1), (5, 0, -2), (5, 5, 1), (3, 9, 4), (0, 4, 0), (-3, 8, 5), (2, -2, -1), (0, 3, -1)],
)
def test_bounds_and_steps_known_at_run_time(start, stop, step):
    @tg.kernel
    def kernel(y: tg.Array, start, stop, step):
        at, acc = 0, 0
        for i in tg.range(start, stop, step):
            tg.store(y, at, i)
            at += 1
            acc = acc * 3 + i
        tg.store(y, 8, at)
        tg.store(y, 9, acc)

    (y,) = agree(kernel, 1, np.full(10, 77, np.int64), start, stop, step)
    if step:
        expected = list(range(start, stop, step))
        assert y[: len(expected)].tolist() == expected and y[8] == len(expected)
    else:
        assert y[8] == 0


def test_carried_scalars_equal_those_of_the_unrolled_loop():
    def body(x, i, acc, count, top):
        v = tg.load(x, i, 4)
        acc = acc * 0.5 + v
        count = count + tg.sum(tg.where(v > 2, 1, 0))
        top = tg.maximum(top, tg.max(v))
        return acc, count, top

    def finish(y, z, acc, count, top):
        tg.store(y, 0, acc + top)
        tg.store(z, 0, count)

    @tg.kernel
    def rolled(x: tg.Array, y: tg.Array, z: tg.Array, n):
        acc, count, top = tg.zeros(4, tg.float32), 0, -1.0
        for i in tg.range(n):
            acc, count, top = body(x, i, acc, count, top)
        finish(y, z, acc, count, top)

    @tg.kernel
    def unrolled(x: tg.Array, y: tg.Array, z: tg.Array, N: tg.Const):
        acc, count, top = tg.zeros(4, tg.float32), 0, -1.0
        for i in tg.static_range(N):
            acc, count, top = body(x, i, acc, count, top)
        finish(y, z, acc, count, top)

    x = np.arange(20, dtype=np.float32)
    outputs = np.zeros(4, np.float32), np.zeros(1, np.int64)
    first = agree(rolled, 1, x, *outputs, 5)
    second = agree(unrolled, 1, x, *outputs, N=5)
    for got, want in zip(first, second, strict=True):
        np.testing.assert_array_equal(got, want)


def test_numbers_take_the_dtype_that_an_iteration_gives_them():
    @tg.kernel
    def kernel(x: tg.Array, y: tg.Array, n):
        a, b, c = 0, 0.0, n
        for i in tg.range(n):
            s = tg.sum(tg.load(x, i, 4))
            a = a + s
            b += s
            c = c + 0.5
        assert a.dtype == tg.float32 or n == 0
        tg.store(y, 0, a)
        tg.store(y, 1, b)
        tg.store(y, 2, tg.float32(c))

    agree(kernel, 1, np.arange(16, dtype=np.float32), np.zeros(3, np.float32), 4)


def test_nested_loops_settle_from_the_inside():
    @tg.kernel
    def kernel(x: tg.Array, y: tg.Array, n):
        total = 0
        for i in tg.range(n):
            row = 0
            for j in tg.range(i + 1):
                row = row + tg.sum(tg.load(x, j, 2))
                k = 0
                while k < j:
                    total += row * 0.5
                    k += 1
            total = total + row
        tg.store(y, 0, total)

    agree(kernel, 1, np.arange(8, dtype=np.float32), np.zeros(1, np.float32), 4)


def test_temporaries_are_not_carried():
    @tg.kernel
    def kernel(x: tg.Array, y: tg.Array, n):
        t = tg.load(x, 0, (8,))
        acc = tg.sum(t)
        size = 8
        for i in tg.range(n):
            t = tg.load(x, i, 4)
            size = 4
            for _ in range(size):
                t = tg.concatenate([t, t])
            acc = acc + tg.sum(t)
        for i in tg.range(n):
            t = tg.float32(i * 2)
            acc += t
        tg.store(y, 0, acc)

    agree(kernel, 1, np.arange(16, dtype=np.float32), np.zeros(1, np.float32), 3)


def test_loop_variable_and_last_values_of_a_loop_that_certainly_runs():
    @tg.kernel
    def kernel(x: tg.Array, y: tg.Array):
        for i in tg.range(4):
            last = tg.load(x, i, 2)
            square = i * i
        tg.store(y, 0, last * 2.0)
        tg.store(y, 2, tg.float32(i))
        tg.store(y, 3, tg.float32(square))

    _, y = agree(kernel, 1, np.arange(8, dtype=np.float32), np.zeros(4, np.float32))
    assert y.tolist() == [12, 14, 3, 9]


def test_loop_variable_keeps_its_value_if_the_loop_does_not_run():
    @tg.kernel
    def kernel(y: tg.Array, n):
        i = 42
        for i in tg.range(n):  # noqa: B007
            pass
        tg.store(y, 0, i)

    assert agree(kernel, 1, np.zeros(1, np.int64), 0)[0][0] == 42
    assert agree(kernel, 1, np.zeros(1, np.int64), 3)[0][0] == 2


def test_while_loops():
    @tg.kernel
    def kernel(y: tg.Array, n):
        i = tg.program_id(0)
        a, b, steps = i + 12, n, 0
        while b != 0:
            a, b = b, a % b
            steps += 1
        tg.store(y, i, a * 100 + steps)

    agree(kernel, 8, np.zeros(8, np.int64), 18)
    agree(kernel, 8, np.zeros(8, np.int64), 0)


def test_while_that_python_starts_and_the_kernel_continues():
    @tg.kernel
    def kernel(y: tg.Array, n):
        k, x = 0, 1
        while k < 3 or x < n:
            if k < 3:
                x = x * 2
            else:
                x = x + n // 4 + 1
            k += 1
        tg.store(y, 0, x)
        tg.store(y, 1, k)

    for n in (1, 9, 40):
        agree(kernel, 1, np.zeros(2, np.int64), n)


def test_while_with_short_circuit_condition():
    @tg.kernel
    def kernel(x: tg.Array, y: tg.Array, n):
        i = 0
        while i < n and tg.sum(tg.load(x, i, 1)) > 0:
            i += 1
        else:
            tg.store(y, 1, 5)
        tg.store(y, 0, i)

    x = np.array([1, 2, 3, 0, 4], np.float32)
    for n in (0, 2, 5):
        agree(kernel, 1, x, np.zeros(2, np.int64), n)


def test_while_whose_condition_assigns():
    @tg.kernel
    def kernel(x: tg.Array, y: tg.Array):
        i, acc, last = 0, 0.0, 0.0
        while (v := tg.sum(tg.load(x, i, 2))) > 0 and i < 3:
            acc = acc + v
            last = v
            i += 1
        tg.store(y, 0, acc)
        tg.store(y, 1, v)
        tg.store(y, 2, last)

    for x in ([1, 2, 3, 4, -8, 1, 2, 2], [0, 0], [1, 1, 1, 1, 1, 1, 5, 5]):
        agree(kernel, 1, np.array(x, np.float32), np.zeros(3, np.float32))


def test_break_with_a_value_set_in_two_branches():
    @tg.kernel
    def kernel(x: tg.Array, y: tg.Array, n, limit):
        found, i = -1, 0
        for i in tg.range(n):
            s = tg.sum(tg.load(x, i, 1))
            if s > limit:
                found = i
            else:
                found = -i
            if s > limit:
                break
        tg.store(y, 0, found)
        tg.store(y, 1, i)

    x = np.array([1, 5, 2, 8], np.int64)
    for n, limit in [(4, 4), (4, 9), (2, 7), (1, 0)]:
        _, y = agree(kernel, 1, x, np.zeros(2, np.int64), n, limit)
        hits = [i for i in range(n) if x[i] > limit]
        assert y[0] == (hits[0] if hits else -(n - 1))


def test_continue_break_and_else_of_nested_loops():
    @tg.kernel
    def kernel(y: tg.Array, n, stop):
        acc, seen = 0, 0
        for i in tg.range(n):
            if i % 2 == 1:
                continue
            for j in tg.range(n):
                if j == i:
                    continue
                if i * j > stop:
                    break
                acc += i * 10 + j
            else:
                seen += 1
                if seen > 2:
                    break
            acc += 1000
        else:
            acc = -acc
        tg.store(y, 0, acc)
        tg.store(y, 1, seen)

    for n, stop in [(6, 4), (6, 100), (0, 1), (3, 0)]:
        agree(kernel, 1, np.zeros(2, np.int64), n, stop)


def test_break_out_of_unrolled_and_endless_loops():
    @tg.kernel
    def kernel(y: tg.Array, n):
        acc = 0
        for i in range(4):
            if i * i > n:
                break
            acc += i + 1
        k = 0
        while True:
            k += 1
            if k * k > n:
                break
            acc += 100
        tg.store(y, 0, acc)
        tg.store(y, 1, i)
        tg.store(y, 2, k)

    for n in (0, 1, 5, 30):
        agree(kernel, 1, np.zeros(3, np.int64), n)


def test_endless_loop_is_compiled_once():
    @tg.kernel
    def kernel(y: tg.Array, n):
        k = 0
        while True:
            tg.atomic_add(y, k, 1)
            k += 1
            if k > n:
                break

    text = kernel.specialize(np.zeros(4, np.int64), 3).ir()
    assert text.count("tile.atomic_rmw") == 1
    assert agree(kernel, 1, np.zeros(4, np.int64), 2)[0].tolist() == [1, 1, 1, 0]


def find(x, n, value):
    """Return from nested loops."""
    for i in tg.range(n):
        for j in tg.range(2):
            if tg.sum(tg.load(x, (i, j), (1, 1))) == value:
                return i * 2 + j, True
        if i > 100:
            return -2, False
    return -1, False


def test_return_from_run_time_loops():
    @tg.kernel
    def kernel(x: tg.Array, y: tg.Array, value):
        at, found = find(x, x.shape[0], value)
        if not found:
            tg.store(y, 1, 5)
            return
        tg.store(y, 0, at)

    x = np.arange(10, dtype=np.int64).reshape(5, 2)
    for value, expected in [(3, [3, 0]), (9, [9, 0]), (0, [0, 0]), (10, [0, 5])]:
        _, y = agree(kernel, 1, x, np.zeros(2, np.int64), value)
        assert y.tolist() == expected


def test_containers_in_loops():
    class Running:
        def __init__(self, size):
            self.total = tg.zeros(size, tg.float32)
            self.count = 0

        def add(self, v):
            self.total = self.total + v
            self.count += 1

    @tg.kernel
    def kernel(x: tg.Array, y: tg.Array, n):
        running = Running(4)
        parts = [tg.zeros(4, tg.float32), 0]
        seen = {"max": -1.0}
        for i in tg.range(n):
            v = tg.load(x, i, 4)
            running.total = running.total + v
            running.count += 1
            parts[0] = parts[0] * 0.5 + v
            parts[1] += i
            seen["max"] = tg.maximum(seen["max"], tg.max(v))
        tg.store(y, 0, running.total + parts[0])
        tg.store(y, 1, running.total * 0.0 + seen["max"] + tg.float32(running.count + parts[1]))

    agree(kernel, 1, np.arange(16, dtype=np.float32), np.zeros(8, np.float32), 4)
    agree(kernel, 1, np.arange(16, dtype=np.float32), np.zeros(8, np.float32), 0)


def test_variables_that_nested_functions_change():
    @tg.kernel
    def kernel(y: tg.Array, n):
        total, calls = 0, 0

        def add(x):
            nonlocal total, calls
            calls += 1
            if x > 2:
                total = total + x

        for i in tg.range(n):
            add(i * 2)
        if n > 3:
            add(100)
        tg.store(y, 0, total)
        tg.store(y, 1, calls)

    for n in (0, 2, 5):
        agree(kernel, 1, np.zeros(2, np.int64), n)


def test_persistent_loop_over_tiles():
    @tg.kernel
    def kernel(y: tg.Array, tiles):
        for t in tg.range(tg.program_id(0), tiles, tg.num_programs(0)):
            tg.store(y, t, tg.load(y, t, 4) + 1.0)

    (y,) = agree(kernel, 8, np.zeros(4 * 13, np.float32), 13)
    assert (y == 1).all()


def test_running_sum_inside_a_loop_of_one_iteration():
    @tg.kernel
    def kernel(x: tg.Array, y: tg.Array, n):
        for i in tg.range(n):
            v = tg.load(x, i, 8)
            ones = tg.where(v >= 0, 1, 0)
            tg.store(y, i, tg.cumsum(ones, axis=0).astype(tg.int64))

    _, y = agree(kernel, 1, np.zeros(8, np.float32), np.zeros(8, np.int64), 1)
    assert y.tolist() == list(range(1, 9))


def test_generators_and_comprehensions_unroll():
    def blocks(x, count):
        for i in range(count):
            yield i, tg.load(x, i, 4)

    @tg.kernel
    def kernel(x: tg.Array, y: tg.Array, N: tg.Const):
        weights = {i: w for i, w in enumerate([0.5, 0.25, 2.0])}
        loaded = [v * weights[i] for i, v in blocks(x, N)]
        total = sum(loaded[1:], loaded[0])
        best = max((i for i in range(N)), key=lambda i: weights[i])
        tg.store(y, 0, total + float(best))

    agree(kernel, 1, np.arange(12, dtype=np.float32), np.zeros(4, np.float32), N=3)


def test_recursion_at_trace_time():
    def tree(parts):
        if len(parts) == 1:
            return parts[0]
        half = len(parts) // 2
        return tree(parts[:half]) + tree(parts[half:])

    @tg.kernel
    def kernel(x: tg.Array, y: tg.Array):
        tg.store(y, 0, tree([tg.load(x, i, 2) for i in range(5)]))

    agree(kernel, 1, np.arange(10, dtype=np.float32), np.zeros(2, np.float32))
