# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The grid, loops, and what is decided at compile time."""

from __future__ import annotations

import numpy as np
import pytest

import tegula as tg
from tegula.errors import (
    ArgumentError,
    ShapeError,
    StaticAssertionError,
    TileTypeError,
    TracedValueError,
)


@pytest.mark.parametrize("grid", [4, (3,), (2, 3), (2, 3, 4), 0, (2, 0, 3)], ids=str)
def test_each_program_runs_once_and_knows_its_place(backend, grid):
    @tg.kernel
    def kernel(o: tg.Array):
        place = tuple(tg.program_id(axis) for axis in range(3))
        code = place[0] + 10 * place[1] + 100 * place[2]
        size = tg.num_programs(0) * tg.num_programs(1) * tg.num_programs(2)
        tg.atomic_add(o, place, code + 1000 * size)

    sizes = (grid if isinstance(grid, tuple) else (grid,)) + (1, 1, 1)
    out = np.zeros((4, 4, 4), np.int64)
    kernel[grid](out)
    want = np.zeros((4, 4, 4), np.int64)
    for x, y, z in np.ndindex(sizes[:3]):
        want[x, y, z] = x + 10 * y + 100 * z + 1000 * sizes[0] * sizes[1] * sizes[2]
    assert (out == want).all()


@tg.kernel
def count_programs(o: tg.Array, n: tg.int64, BLOCK: tg.Const = 4):
    tg.atomic_add(o, tg.program_id(0), n + BLOCK + tg.num_programs(1))


@pytest.mark.parametrize("BLOCK", [4, 16])
def test_a_grid_may_be_a_function_of_the_arguments(backend, BLOCK):
    out = np.zeros(32, np.int64)
    constants = {} if BLOCK == 4 else {"BLOCK": BLOCK}

    def grid(a):
        assert list(a) == ["o", "n", "BLOCK"] and a["o"] is out
        return tg.cdiv(a["n"], a["BLOCK"]), 2

    count_programs[grid](out, 32, **constants)
    programs = 32 // BLOCK
    want = [2 * (32 + BLOCK + 2)] * programs + [0] * (32 - programs)
    assert out.tolist() == want


def test_a_grid_may_be_a_function_of_structures(backend):
    @tg.kernel
    def kernel(pair: tuple, BLOCK: tg.Const):
        i = tg.program_id(0)
        tg.store(pair[1], i, tg.load(pair[0], i, BLOCK))

    x, y = np.arange(30), np.zeros(30, np.int64)
    kernel[lambda a: tg.cdiv(a["pair"][0].shape[0], a["BLOCK"])]((x, y), BLOCK=8)
    assert (x == y).all()


@pytest.mark.parametrize(
    "start, stop, step", [(0, 5, 1), (3, 3, 1), (5, 3, 1), (2, 11, 4), (9, 0, -3), (0, 5, -1)]
)
def test_loops_of_constants_and_of_run_time_bounds(backend, start, stop, step):
    @tg.kernel
    def kernel(o: tg.Array, a: tg.int64, b: tg.int32, A: tg.Const, B: tg.Const, STEP: tg.Const):
        total, count = tg.int64(0), tg.int64(0)
        for i in tg.range(a, b, STEP):
            total, count = total * 7 + i, count + 1
        tg.store(o, 0, tg.stack((total, count)))
        total, count = tg.int64(0), tg.int64(0)
        for i in tg.range(A, B, STEP):
            total, count = total * 7 + i, count + 1
        tg.store(o, 1, tg.stack((total, count)))

    total = 0
    for i in range(start, stop, step):
        total = total * 7 + i
    out = np.zeros(4, np.int64)
    kernel[1](out, start, stop, A=start, B=stop, STEP=step)
    assert out.tolist() == [total, len(range(start, stop, step))] * 2


def test_static_loops_unroll_over_python_integers(backend):
    @tg.kernel
    def kernel(o: tg.Array, N: tg.Const):
        parts = [tg.full((1,), i * i, tg.int64) for i in tg.static_range(N)]
        parts += [tg.full((1,), i, tg.int64) for i in range(3)]
        tg.store(o, 0, tg.concatenate(parts))

    out = np.zeros(7, np.int64)
    kernel[1](out, N=4)
    assert out.tolist() == [0, 1, 4, 9, 0, 1, 2]


@pytest.mark.parametrize("dtype", ["i1", "u1", "i4", "u4", "i8"])
def test_division_rounded_up(check, dtype):
    x = np.array([0, 1, 7, 8, 9, 120, 127], dtype)
    want = np.array([-(-int(v) // 8) for v in x], dtype)
    check(lambda p: tg.cdiv(p, 8), x, want=want)
    check(lambda p: (tg.cdiv(p, 0), tg.cdiv(p, 1)), x, want=[np.zeros_like(x), x])


def test_division_rounded_up_of_negative_numbers(check):
    x, y = np.array([-9, 9, -9, -8], np.int32), np.array([4, -4, -4, 4], np.int32)
    check(lambda p, q: tg.cdiv(p, q), x, y, want=np.array([-2, -2, 3, -2], np.int32))


def test_division_rounded_up_outside_a_kernel():
    assert tg.cdiv(10, 3) == 4 and tg.cdiv(9, 3) == 3 and tg.cdiv(0, 3) == 0
    assert tg.cdiv(np.int64(10), 4) == 3
    with pytest.raises(TileTypeError, match=r"x must be an integer, not 1.5"):
        tg.cdiv(1.5, 2)


def test_constants_are_the_python_values(backend):
    @tg.kernel
    def kernel(o: tg.Array, MODE: tg.Const, SIZES: tg.Const, SCALE: tg.Const = 3):
        assert isinstance(MODE, str) and isinstance(SIZES, tuple)
        factor = {"double": 2, "triple": 3}[MODE]
        tg.store(o, 0, tg.full(SIZES[0], factor * SCALE, tg.int32))

    out = np.zeros(2, np.int32)
    kernel[1](out, MODE="double", SIZES=(2, 3))
    assert out.tolist() == [6, 6]
    kernel[1](out, "triple", (2,), 1)
    assert out.tolist() == [3, 3]


def test_scalar_arguments_have_the_annotated_dtype(backend):
    @tg.kernel
    def kernel(o: tg.Array, a: tg.float32, b: tg.uint64, c: tg.bool_, d: tg.int8):
        assert a.dtype is tg.float32 and b.dtype is tg.uint64 and d.dtype is tg.int8
        tg.store(o, 0, a.astype(tg.float64))
        tg.store(o, 1, b.astype(tg.float64))
        tg.store(o, 2, tg.where(c, 1.0, -1.0))
        tg.store(o, 3, (d + d).astype(tg.float64))

    out = np.zeros(4)
    kernel[1](out, 0.1, 2**63, True, 100)
    assert out.tolist() == [float(np.float32(0.1)), 2.0**63, 1.0, -56.0]


def test_plain_python_numbers_are_weak_and_numpy_scalars_strong(check, backend):
    @tg.kernel
    def kernel(o: tg.Array, p: tg.Array, n, x, m):
        tile = tg.load(o, 0, 2)
        assert (tile * n).dtype is tg.float32 and (tile * x).dtype is tg.float32
        assert (tile * m).dtype is tg.float64 and (n + n).dtype is tg.int64
        tg.store(o, 0, tile * n + x)
        tg.store(p, 0, tile * m + n / n)

    out, other = np.ones(2, np.float32), np.zeros(2, np.float64)
    kernel[1](out, other, 3, 0.5, np.float64(4))
    assert out.tolist() == [3.5, 3.5] and other.tolist() == [5, 5]


def test_a_run_time_python_integer_compares_by_value(backend):
    @tg.kernel
    def kernel(o: tg.Array, a: tg.Array, n):
        tg.store(o, 0, tg.load(a, 0, 3) < n)

    out, bytes_ = np.zeros(3, bool), np.array([0, 100, 255], np.uint8)
    for n in (-1, 100, 256, 300, 2**40):
        kernel[1](out, bytes_, n)
        assert out.tolist() == [v < n for v in bytes_.tolist()]


def test_nested_loops_carry_a_tile_that_is_stored_on_the_way(backend):
    @tg.kernel
    def kernel(x: tg.Array, o: tg.Array, p: tg.Array, steps: tg.int64, N: tg.Const):
        tile, total = tg.zeros((N,), tg.int32), tg.int32(0)
        for i in tg.range(steps):
            for j in tg.range(i):
                k = tg.int64(0)
                while k < j:
                    tile = tile * 3 + tg.load(x, k, N)
                    total += tg.sum(tile, dtype=tg.int32)
                    k += 1
                tg.store(p, j, tile)
            tg.store(o, i, tile + total)

    x = np.arange(40, dtype=np.int32)
    o, p = np.zeros(56, np.int32), np.zeros(56, np.int32)
    kernel[1](x, o, p, 7, N=8)
    tile, total = np.zeros(8, np.int32), np.int32(0)
    want_o, want_p = np.zeros((7, 8), np.int32), np.zeros((7, 8), np.int32)
    with np.errstate(over="ignore"):
        for i in range(7):
            for j in range(i):
                for k in range(j):
                    tile = tile * 3 + (x[8 * k : 8 * k + 8] if k < 5 else 0)
                    total += tile.sum(dtype=np.int32)
                want_p[j] = tile
            want_o[i] = tile + total
    np.testing.assert_array_equal(o, want_o.ravel())
    np.testing.assert_array_equal(p, want_p.ravel())


def first_to_exceed(x, limit, leave):
    """A tile that a loop carries, which a break or a return ends."""
    tile = tg.zeros((4,), tg.float32)
    for i in tg.range(x.shape[0]):
        tile = tile + tg.load(x, (i, 0), (1, 4)).reshape(4)
        if tg.max(tile) > limit:
            if leave == "return":
                return tile * 2
            break
    return tile


@pytest.mark.parametrize("leave", ["break", "return"])
@pytest.mark.parametrize("limit", [1.5, 9.0])
def test_a_loop_that_carries_a_tile_may_end_early(backend, leave, limit):
    @tg.kernel
    def kernel(x: tg.Array, y: tg.Array, LIMIT: tg.Const, LEAVE: tg.Const):
        tg.store(y, 0, first_to_exceed(x, LIMIT, LEAVE))

    y = np.zeros(4, np.float32)
    kernel[1](np.ones((5, 4), np.float32), y, LIMIT=limit, LEAVE=leave)
    expected = 5 if limit == 9.0 else 2 * (1 + (leave == "return"))
    assert y.tolist() == [expected] * 4


def test_while_loops_in_while_loops_carry_a_tile(backend):
    @tg.kernel
    def kernel(y: tg.Array, n: tg.int64):
        tile, i = tg.zeros((4,), tg.float32), tg.int64(0)
        while i < n:
            j = tg.int64(0)
            while j < i:
                tile = tile + 1.0
                j += 1
            i += 1
        tg.store(y, 0, tile)

    y = np.zeros(4, np.float32)
    kernel[1](y, 5)
    assert y.tolist() == [10] * 4


def test_one_branch_loops_and_the_other_does_not(backend):
    @tg.kernel
    def kernel(y: tg.Array, z: tg.Array, n: tg.int64):
        tile, last = tg.zeros((4,), tg.float32), tg.zeros((4,), tg.float32)
        for i in tg.range(n):
            before = tile
            if i % 3 == 0:
                for _ in tg.range(i + 1):
                    tile = tile + 1.0
                tile = tile + 0.5
            elif i % 3 == 1:
                tile = tile * 2.0
            else:
                for _ in tg.range(2):
                    tile, last = last, tile
            last = last + before
        tg.store(y, 0, tile)
        tg.store(z, 0, last)

    y, z = np.zeros(4, np.float32), np.zeros(4, np.float32)
    kernel[1](y, z, 7)
    tile = last = 0.0
    for i in range(7):
        before = tile
        if i % 3 == 0:
            tile += i + 1.5
        elif i % 3 == 1:
            tile *= 2
        last += before
    assert y.tolist() == [tile] * 4 and z.tolist() == [last] * 4


def test_loops_in_each_branch_of_a_loop_carry_a_tile(backend):
    @tg.kernel
    def kernel(y: tg.Array, n: tg.int64):
        tile = tg.zeros((4,), tg.float32)
        for i in tg.range(n):
            if i % 2 == 0:
                for _ in tg.range(i):
                    tile = tile + 1.0
            else:
                for _ in tg.range(2):
                    tile = tile * 2.0
        tg.store(y, 0, tile)

    y = np.zeros(4, np.float32)
    kernel[1](y, 6)
    assert y.tolist() == [48] * 4


@pytest.mark.parametrize(
    "function, error, text",
    [
        (lambda p: tg.program_id(3), ArgumentError, "axis must be 0, 1 or 2, not 3"),
        (lambda p: tg.num_programs(-1), ArgumentError, "not -1"),
        (lambda p: tg.range(1.5), TileTypeError, "stop must be an integer, not 1.5"),
        (lambda p: tg.range(p), ShapeError, "stop must be a scalar"),
        (
            lambda p: tg.range(0, tg.sum(p) * 0.5),
            TileTypeError,
            "stop must be an integer, not .*float64",
        ),
        (lambda p: tg.range(0, 4, 0), ArgumentError, "step must not be 0"),
        (lambda p: tg.static_range(tg.sum(p)), TracedValueError, "a bound must be known"),
        (lambda p: tg.static_range(0, 4, 0), ArgumentError, "step must not be 0"),
        (
            lambda p: tg.static_assert(1 > 2, "one is not"),
            StaticAssertionError,
            "static_assert failed: one is not",
        ),
        (
            lambda p: tg.static_assert(tg.sum(p) > 2),
            TracedValueError,
            "only known when the kernel runs",
        ),
        (lambda p: tg.cdiv(p, 0.5), TileTypeError, "y must be an integer, not 0.5"),
    ],
)
def test_control_that_does_not_fit(run, function, error, text):
    with pytest.raises(error, match=text):
        run(function, [np.arange(4)], [np.arange(4)])
