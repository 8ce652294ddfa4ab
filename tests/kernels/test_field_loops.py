# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Patterns of loops, scans and branches that other tile compilers got wrong, pinned here.

The names of the tests say what went wrong elsewhere; values are checked on every backend.
"""

from __future__ import annotations

import numpy as np
import pytest

import tegula as tg


@tg.kernel
def masked_cumsum_in_a_loop(out: tg.Array, n: tg.int64, N: tg.Const):
    for _ in tg.range(n):
        ones = tg.where(tg.arange(N) < 8, tg.ones((N,), tg.int64), 0)
        tg.store(out, 0, tg.cumsum(ones, axis=0))


@pytest.mark.case("a scan in a loop of one iteration")
@pytest.mark.parametrize("n", [8, 16, 33])
@pytest.mark.parametrize("iterations", [1, 3])
def test_a_scan_inside_a_loop_of_one_iteration_counts_on(backend, arrays, iterations, n):
    out = arrays.output((n,), "int64")
    masked_cumsum_in_a_loop[1](out, iterations, N=n)
    np.testing.assert_array_equal(out, np.minimum(np.arange(1, n + 1), 8))


def matrix_product(a, b, c, d, e, f, g, h):
    """Product of the 2x2 matrices (a b; c d) and (e f; g h)."""
    return a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h


@tg.kernel
def scan_of_matrices(x: tg.Array, out: tg.Array, N: tg.Const, REVERSE: tg.Const):
    parts = tuple(tg.load(x, (i, 0), (1, N)).reshape(N) for i in range(4))
    for i, part in enumerate(tg.scan(parts, 0, matrix_product, reverse=REVERSE)):
        tg.store(out, (i, 0), part[None])


@tg.kernel
def reduction_of_matrices(x: tg.Array, out: tg.Array, N: tg.Const):
    parts = tuple(tg.load(x, (i, 0), (1, N)).reshape(N) for i in range(4))
    for i, part in enumerate(tg.reduce(parts, 0, matrix_product)):
        tg.store(out, i, part)


@pytest.mark.case("a reduction whose combination does not commute")
@pytest.mark.parametrize("n", [1, 5, 32, 33, 130])
def test_a_reduction_keeps_the_order_of_operands(backend, arrays, n):
    x, out = arrays.integers(-3, 4, (4, n), "int64"), arrays.output((4,), "int64")
    reduction_of_matrices[1](x, out, N=n)
    want = np.eye(2, dtype=np.int64)
    for matrix in x.T.reshape(n, 2, 2):
        want = want @ matrix
    np.testing.assert_array_equal(out, want.ravel())


@pytest.mark.case("a scan whose combination does not commute")
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("n", [1, 2, 5, 32, 33])
def test_a_scan_keeps_the_order_of_operands(backend, arrays, n, reverse):
    x, out = arrays.integers(-3, 4, (4, n), "int64"), arrays.output((4, n), "int64")
    scan_of_matrices[1](x, out, N=n, REVERSE=reverse)
    matrices = x.T.reshape(n, 2, 2)
    for i in range(n):
        want = np.eye(2, dtype=np.int64)
        for matrix in matrices[i:] if reverse else matrices[: i + 1]:
            want = want @ matrix
        np.testing.assert_array_equal(out[:, i], want.ravel())


@tg.kernel
def scan_in_every_row(x: tg.Array, out: tg.Array, SHAPE: tg.Const):
    tile = tg.load(x, (0, 0), SHAPE)
    total = tg.cumsum(tile, axis=1)
    assert tg.all(total[:, :] >= tile), "a running sum of non-negative values shrank"
    tg.store(out, (0, 0), total)


@pytest.mark.case("a scan that an assertion reads and a store writes")
# 32 elements are fewer than a program's threads: several hold copies.
@pytest.mark.parametrize("shape", [(1, 32), (4, 32), (2, 1), (3, 200)], ids=str)
def test_a_scan_that_an_assertion_also_reads_is_stored_right(backend, arrays, shape):
    x, out = arrays.integers(0, 9, shape, "int64"), arrays.output(shape, "int64")
    scan_in_every_row[1](x, out, SHAPE=shape)
    np.testing.assert_array_equal(out, np.cumsum(x, axis=1))


@tg.kernel
def flattened_loops(out: tg.Array, outer: tg.int64, start: tg.int64, stop: tg.int64):
    acc = tg.int64(0)
    for _ in tg.range(outer):
        for _ in tg.range(start, stop):
            acc = acc + 1
    tg.store(out, 0, acc)


@pytest.mark.case("an inner loop that runs zero times")
@pytest.mark.parametrize("outer", [0, 1, 4])
@pytest.mark.parametrize("stop", [-3, 0, 3, 5, 7])
def test_an_inner_loop_may_run_zero_times(backend, arrays, outer, stop):
    out = arrays.output((1,), "int64")
    flattened_loops[1](out, outer, 5, stop)
    assert out[0] == outer * max(0, stop - 5)


@tg.kernel
def carried_scalars(x: tg.Array, out: tg.Array, n: tg.int64, STATIC: tg.Const = None):
    low, high, last = tg.float32(0), tg.float32(0), tg.int64(-1)
    for i in tg.static_range(STATIC) if STATIC is not None else tg.range(n):
        value = tg.sum(tg.load(x, i, 8))
        low, high, last = tg.minimum(low, value), tg.maximum(high, value), tg.int64(i)
        tg.store(out, i, tg.stack([low, high, last.astype(tg.float32), value]))


@pytest.mark.case("a loop of run-time length against the unrolled one")
@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_a_loop_of_run_time_length_equals_the_unrolled_one(backend, arrays, n):
    x = arrays.integers(-9, 9, (40,), "float32")
    unrolled, looped = arrays.output((20,), fill=-1), arrays.output((20,), fill=-1)
    carried_scalars[1](x, unrolled, 0, STATIC=n)
    carried_scalars[1](x, looped, n)
    np.testing.assert_array_equal(looped, unrolled)
    want = np.where(np.arange(5) < n, x.reshape(5, 8).sum(axis=1), -1)
    np.testing.assert_array_equal(looped[3::4], want)


@tg.kernel
def persistent(out: tg.Array, blocks: tg.int64):
    first, step = tg.program_id(0), tg.num_programs(0)
    for i in tg.range(first, blocks, step):
        tg.atomic_add(out, (i,), tg.int32(1))


@pytest.mark.case("a persistent loop over tiles")
@pytest.mark.parametrize("blocks", [1, 7, 8, 9, 100])
def test_a_persistent_loop_visits_every_tile_once(backend, arrays, blocks):
    out = arrays.output((blocks,), "int32", fill=0)
    persistent[8](out, blocks)
    np.testing.assert_array_equal(out, np.ones(blocks))


@tg.kernel
def mask_inside_and_after(x: tg.Array, out: tg.Array, n: tg.int64, trips: tg.int64, KIND: tg.Const):
    lanes = tg.arange(16)
    mask = tg.load(x, (0, 0), (1, 16)).reshape(16) > 0 if KIND == "data" else lanes < n
    acc = tg.zeros((16,), tg.float32)
    if KIND == "while":
        i = tg.int64(0)
        while i < trips:
            acc = acc + tg.gather(x, (i, lanes), mask=mask)
            tg.scatter(out, (i + 1, lanes), acc, mask=mask)
            i = i + 1
    else:
        for i in tg.range(trips):
            acc = acc + tg.gather(x, (i, lanes), mask=mask)
            tg.scatter(out, (i + 1, lanes), acc, mask=mask)
    tg.scatter(out, (0, lanes), acc, mask=mask)


@pytest.mark.case("a mask in a loop and after it")
@pytest.mark.parametrize("kind", ["for", "while", "data"])
@pytest.mark.parametrize("n, trips", [(11, 3), (0, 2), (16, 1), (5, 0)])
def test_a_mask_may_be_used_inside_a_loop_and_after_it(backend, arrays, n, trips, kind):
    x, out = arrays.integers(-9, 9, (3, 16), "float32"), arrays.output((4, 16), fill=-1)
    mask_inside_and_after[1](x, out, n, trips, KIND=kind)
    mask = x[0] > 0 if kind == "data" else np.arange(16) < n
    sums = np.cumsum(x[:trips], axis=0)
    want = np.full((4, 16), -1, np.float32)
    want[0] = np.where(mask, x[:trips].sum(axis=0), -1)
    want[1 : trips + 1] = np.where(mask, sums, -1)
    np.testing.assert_array_equal(out, want)


@tg.kernel
def four_loads(a: tg.Array, b: tg.Array, c: tg.Array, d: tg.Array, out: tg.Array):
    acc = tg.zeros((8,), tg.float32)
    for i in tg.range(tg.cdiv(a.shape[0], 8)):
        acc = acc + tg.load(a, i, 8) * tg.load(b, i, 8) - tg.load(c, i, 8) * tg.load(d, i, 8)
    tg.store(out, 0, acc)


@pytest.mark.case("four loads in a loop")
def test_four_loads_in_a_loop(backend, arrays):
    a, b, c, d = (arrays.integers(-9, 9, (40,), "float32") for _ in "abcd")
    out = arrays.output((8,))
    four_loads[1](a, b, c, d, out)
    np.testing.assert_array_equal(out, (a * b - c * d).reshape(5, 8).sum(axis=0))


@tg.kernel
def four_operands(a: tg.Array, b: tg.Array, c: tg.Array, d: tg.Array, out: tg.Array):
    acc = tg.zeros((16, 16), tg.float32)
    for i in tg.range(tg.cdiv(a.shape[1], 16)):
        acc = tg.dot(tg.load(a, (0, i), (16, 16)), tg.load(b, (i, 0), (16, 16)), acc)
        acc = tg.dot(tg.load(c, (0, i), (16, 16)), tg.load(d, (i, 0), (16, 16)), acc)
    tg.store(out, (0, 0), acc)


@pytest.mark.case("four loads of operands in a loop")
@pytest.mark.parametrize("k", [0, 16, 40, 100])
def test_four_loads_of_operands_in_a_loop(backend, arrays, k):
    a, c = (arrays.integers(-9, 9, (16, k), "float16") for _ in "ac")
    b, d = (arrays.integers(-9, 9, (k, 16), "float16") for _ in "bd")
    out = arrays.output((16, 16))
    four_operands[1](a, b, c, d, out)
    a, b, c, d = (x.astype(np.float32) for x in (a, b, c, d))
    np.testing.assert_array_equal(out, a @ b + c @ d)


@tg.kernel
def side_effects(out: tg.Array, flag: tg.int64):
    if flag > 0:
        tg.atomic_add(out, (0,), tg.int32(1))
        tg.store(out, 2, tg.int32(10))
    else:
        tg.atomic_add(out, (1,), tg.int32(1))
        tg.store(out, 2, tg.int32(20))


@pytest.mark.case("side effects in both arms of a branch")
@pytest.mark.parametrize("flag", [0, 1])
def test_exactly_one_arm_of_a_branch_runs(backend, arrays, flag):
    out = arrays.output((3,), "int32", fill=0)
    side_effects[1](out, flag)
    np.testing.assert_array_equal(out, [1, 0, 10] if flag else [0, 1, 20])


@tg.kernel
def branches_in_a_loop(x: tg.Array, counts: tg.Array, last: tg.Array):
    for i in tg.range(tg.program_id(0), x.shape[0], tg.num_programs(0)):
        value = tg.gather(x, i)
        if value > 0:
            tg.atomic_add(counts, (0,), tg.int32(1))
            if value > 5:
                tg.atomic_add(counts, (1,), tg.int32(1))
                tg.store(last, i, value)
        elif value < 0:
            tg.atomic_add(counts, (2,), tg.int32(1))
            tg.store(last, i, -value)
        else:
            tg.store(last, i, tg.int32(77))


@pytest.mark.case("side effects in both arms of a branch")
@pytest.mark.parametrize("programs", [1, 3])
def test_exactly_one_arm_runs_in_each_trip_of_a_loop(backend, arrays, programs):
    x = arrays.input(np.array([0, 1, -1, 9, -9, 5, 6, 0, -3, 7], np.int32))
    counts = arrays.output((3,), "int32", fill=0)
    last = arrays.output((x.size,), "int32", fill=-1)
    branches_in_a_loop[programs](x, counts, last)
    np.testing.assert_array_equal(counts, [(x > 0).sum(), (x > 5).sum(), (x < 0).sum()])
    want = np.select([x > 5, x > 0, x < 0], [x, -1, -x], 77)
    np.testing.assert_array_equal(last, want)


@tg.kernel
def find_first(x: tg.Array, out: tg.Array):
    found, i = tg.int64(-1), tg.int64(0)
    while i < x.shape[0] and found < 0:
        if tg.max(tg.load(x, i, 1)) > 5:
            found = i
        elif tg.max(tg.load(x, i, 1)) < -5:
            found = i + 100
        i = i + 1
    tg.store(out, 0, found)


@pytest.mark.case("an integer set in branches and carried out of a loop")
@pytest.mark.parametrize("values, want", [([1, 2, 9, 9], 2), ([0, -9, 9], 101), ([1, 2], -1)])
def test_an_integer_set_in_two_branches_leaves_a_loop(backend, arrays, values, want):
    out = arrays.output((1,), "int64")
    find_first[1](arrays.input(np.array(values, np.int32)), out)
    assert out[0] == want


@tg.kernel
def find_first_by_break(x: tg.Array, out: tg.Array, WHILE: tg.Const):
    found, steps = tg.int64(-1), tg.int64(0)
    if WHILE:
        i = tg.int64(0)
        while i < x.shape[0]:
            value = tg.max(tg.load(x, i, 1))
            if value > 5:
                found = i
                break
            elif value < -5:
                found = i + 100
                break
            steps = steps + 1
            i = i + 1
    else:
        for i in tg.range(x.shape[0]):
            value = tg.max(tg.load(x, i, 1))
            if value > 5:
                found = i
                break
            elif value < -5:
                found = i + 100
                break
            steps = steps + 1
    tg.store(out, 0, tg.stack([found, steps]))


@pytest.mark.case("the same, left by break")
@pytest.mark.parametrize("use_while", [False, True])
@pytest.mark.parametrize(
    "values, want",
    [([1, 2, 9, 9], (2, 2)), ([0, -9, 9], (101, 1)), ([1, 2], (-1, 2)), ([], (-1, 0))],
)
def test_an_integer_set_in_two_branches_survives_a_break(backend, arrays, values, want, use_while):
    out = arrays.output((2,), "int64")
    find_first_by_break[1](arrays.input(np.array(values, np.int32)), out, WHILE=use_while)
    np.testing.assert_array_equal(out, want)


@tg.kernel
def talkative(x: tg.Array, out: tg.Array, n: tg.int64, PRINT: tg.Const, ASSERT: tg.Const):
    tile = tg.load(x, 0, 16)
    total = tg.sum(tile * tile).astype(tg.float64)
    for i in tg.range(n):
        total = total + i
        if PRINT:
            tg.print("total", total)
        if ASSERT:
            assert total >= 0.0, "a sum of squares is negative"
    tg.store(out, 0, tile / total.astype(tg.float32))


@pytest.mark.case("print and assert change no result")
@pytest.mark.parametrize("says, asserts", [(True, False), (False, True), (True, True)])
def test_print_and_assert_do_not_change_results(backend, arrays, capsys, says, asserts):
    x = arrays.normal((16,))
    quiet, talking = arrays.output((16,)), arrays.output((16,))
    talkative[1](x, quiet, 3, PRINT=False, ASSERT=False)
    talkative[1](x, talking, 3, PRINT=says, ASSERT=asserts)
    np.testing.assert_array_equal(talking, quiet)
    assert capsys.readouterr().out.count("total ") == (3 if says else 0)
