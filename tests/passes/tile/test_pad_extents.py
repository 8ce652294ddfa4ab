# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels give the same answers when every tile is padded to powers of two, bit by bit.

The functions make what is in the padding matter wherever an operation lets it through: they turn
the zeros that load there into NaN, infinity or large numbers. `--backend padded` runs the rest
of the tests this way.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import tegula as tg
from tests._support.padding import padded
from tests._support.programs import Program, run_program
from tests._support.programs.strategy import programs

pytestmark = pytest.mark.cpu

X = np.random.default_rng(1).integers(-40, 40, (5, 6, 3)).astype(np.float32)
X[X == 0] = 7
X[0, 0] = [-0.0, np.nan, np.inf]
NEGATIVE = -np.abs(np.where(np.isfinite(X), X, 1))


@tg.kernel
def apply(a: tg.Array, o: tg.Array, FUNCTION: tg.Const, SHAPE: tg.Const):
    value = FUNCTION(tg.load(a, (0,) * len(SHAPE), SHAPE))
    tg.store(o, (0,) * value.ndim, value)


def both(launch, *arrays):
    """What a launch leaves in copies of arrays: interpreted, and compiled with padding."""
    with tg.interpret():
        want = [array.copy() for array in arrays]
        launch(*want)
    with padded():
        got = [array.copy() for array in arrays]
        launch(*got)
    return zip(got, want, strict=True)


def same(launch, *arrays):
    for got, want in both(launch, *arrays):
        raw = np.dtype(f"u{got.itemsize}")
        equal = got.view(raw) == want.view(raw)
        if got.dtype.kind == "f":
            equal |= np.isnan(got) & np.isnan(want)
        assert equal.all(), f"{got[~equal]} padded, {want[~equal]} interpreted"


def check(function, shape, dtype="f4", x=X):
    def launch(out):
        apply[1](x, out, FUNCTION=function, SHAPE=x.shape)

    same(launch, np.zeros(shape, dtype))


@pytest.mark.parametrize("x", [X, NEGATIVE], ids=["mixed", "negative"])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_reductions_leave_padding_out(axis, x):
    shape = tuple(np.delete(X.shape, axis))
    for function in (tg.max, tg.min):
        check(lambda p, f=function: f(-84 / p, axis), shape, x=x)
        check(lambda p, f=function: f(p, axis), shape, x=x)
    for function in (tg.argmax, tg.argmin):
        check(lambda p, f=function: f(1 / p, axis), shape, "i8", x)
        check(lambda p, f=function: f(p, axis), shape, "i8", x)
    check(lambda p: tg.sum(tg.where(p == 0, 1000, p), axis), shape, x=x)
    check(lambda p: tg.prod(tg.where(p == 0, -1, 2), axis), shape, "i8", x)


@pytest.mark.parametrize("dtype", [tg.int8, tg.uint8, tg.float16, tg.float8_e4m3fn, tg.float8_e5m2])
def test_extremes_of_each_kind_of_dtype_leave_padding_out(dtype):
    for shift in (0, 100, -100):
        for function in (tg.argmax, tg.argmin):
            check(lambda p, f=function, s=shift: f((p + s).astype(dtype), 1), (5, 3), "i8")
    if dtype.name.startswith(("int", "uint")):
        for function in (tg.max, tg.min, tg.prod, tg.sum):
            check(
                lambda p, f=function: f(p.astype(dtype) | 65, 1).astype(tg.float32),
                (5, 3),
            )


def test_booleans_leave_padding_out():
    check(lambda p: tg.all(p != 0, 0), (6, 3), "?", NEGATIVE)
    check(lambda p: tg.any(p == 0, 0), (6, 3), "?", NEGATIVE)


def test_a_sum_of_negative_zeros_from_the_end_keeps_its_sign():
    check(lambda p: tg.cumsum(p, 1, reverse=True), (5, 6, 3), x=np.full((5, 6, 3), -0.0, "f4"))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_scans_leave_padding_out(axis, reverse):
    check(lambda p: tg.cumsum(84 / p, axis, reverse), X.shape)
    check(lambda p: tg.cumprod(p, axis, reverse), X.shape)

    def combine(a, b):
        return a * 2 + b

    check(lambda p: tg.scan(1 / p, axis, combine, reverse), X.shape)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_combiners_run_on_elements_only(axis):
    shape = tuple(np.delete(X.shape, axis))

    def first(a, b):
        return tg.where(a != 3, a, b)

    def pair(a, m, b, n):
        return tg.where(m < n, b, a), tg.maximum(m, n)

    check(lambda p: tg.reduce(1 / p, axis, first), shape)
    check(lambda p: tg.reduce([p, 1 / p], axis, pair)[0], shape)


@pytest.mark.parametrize("dtype", [tg.float16, tg.float32, tg.float8_e5m2, tg.int8])
def test_products_do_not_sum_padding(dtype):
    def multiply(p):
        a = tg.where(p == 0, np.inf, p).reshape((6, 3)).astype(dtype)
        return tg.dot(a, a.T).astype(tg.float32)

    finite = np.where(np.isfinite(X) & (X != 0), X, 1).astype("f4")
    check(multiply, (6, 6), x=finite[:1])

    def batched(p):
        a = tg.where(p == 0, np.inf, p).astype(dtype)
        return tg.dot(a, tg.permute(a, (0, 2, 1))).astype(tg.float32)

    check(batched, (5, 6, 6), x=finite)


@pytest.mark.parametrize(
    "shape", [(90,), (30, 3), (5, 18), (15, 6), (2, 45), (9, 10), (6, 5, 3), (5, 3, 2, 3), (1, 90)]
)
def test_reshapes_skip_padding(shape):
    check(lambda p: (1 / p).reshape(shape), shape)
    check(lambda p: (1 / p).reshape(shape).reshape((3, 30)), (3, 30))


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("count", [1, 2, 3, 4, 5])
def test_concatenations_skip_padding(axis, count):
    shape = list(X.shape)
    shape[axis] *= count
    check(lambda p: tg.concatenate([p + i for i in range(count)], axis), shape)


def test_concatenations_of_different_extents():
    def ragged(p):
        return tg.concatenate([tg.max(p, 0), 1 / p.reshape((30, 3)), tg.min(p, 1)], 0)

    check(ragged, (41, 3))
    for cut in ((8, 4, 4), (4, 8, 4), (8, 8, 8), (8, 1), (1, 8), (3, 4, 5), (2, 2, 4, 16)):

        def parts(p, cut=cut):
            return tg.concatenate([tg.arange(n) + tg.argmax(p) * n for n in cut])

        check(parts, (sum(cut),), "i8")


def test_moves_keep_padding_last():
    check(lambda p: tg.permute(1 / p, (2, 0, 1)), (3, 5, 6))
    check(lambda p: tg.join(p, 1 / p), (5, 6, 3, 2))
    check(lambda p: tg.sum(tg.split(tg.join(p, 1 / p))[0], 1), (5, 3))
    check(lambda p: tg.broadcast_to(tg.max(p, 1, keepdims=True), (5, 7, 3)), (5, 7, 3))


def test_indices_past_the_end_of_a_padded_tile_are_out_of_range():
    def take(p):
        places = tg.broadcast_to((tg.arange(9) - 1).reshape((1, 9, 1)), (5, 9, 3))
        return tg.take_along_axis(1 / p, places, 1)

    check(take, (5, 9, 3))


@tg.kernel
def accesses(a: tg.Array, o: tg.Array, n: tg.Array, N: tg.Const):
    i = tg.program_id(0)
    places = i * N + tg.arange(N)
    value = tg.gather(a, places, pad=-1)
    tg.scatter(o, places * 2, value + 1, mask=value != 5)
    tg.atomic_add(n, places * 0, 1)
    tg.atomic_max(n, places * 0 + 1, places)
    tg.atomic_cas(n, tg.minimum(places, 2) * 0 + 2, 0, 9)


def test_lanes_of_padding_touch_no_memory():
    a = np.arange(40, dtype=np.int64)
    same(lambda o, n: accesses[4](a, o, n, N=11), np.zeros(100, "i8"), np.zeros(3, "i8"))


@tg.kernel
def rows(a: tg.Array, o: tg.Array, M: tg.Const, N: tg.Const):
    i, j = tg.program_id(0), tg.program_id(1)
    best = tg.full((M, N), -9, tg.float32)
    for k in tg.range(3):
        tile = tg.load(a, (i + k - 1, j), (M, N), pad=-3)
        if k == 1:
            best = tg.maximum(best, tile * 2)
        else:
            best = tg.maximum(best, tile)
    tg.store(o, (i, j), best + tg.arange(N, dtype=tg.float32))


def test_tiles_advance_by_their_own_extents():
    a = np.random.default_rng(2).standard_normal((23, 17)).astype("f4")
    same(lambda o: rows[5, 4](a, o, M=5, N=5), np.zeros((24, 18), "f4"))
    same(lambda o: rows[1, 1](a, o, M=23, N=17), np.zeros((24, 18), "f4"))


@tg.kernel
def shows(a: tg.Array):
    tile = tg.load(a, (0, 0), (2, 3))
    tg.print("row", tile, tg.sum(tile))


def test_prints_show_no_padding(capsys):
    a = np.arange(6, dtype="f4").reshape(2, 3)
    with tg.interpret():
        shows[1](a)
    want = capsys.readouterr().out
    with padded():
        shows[1](a)
    assert capsys.readouterr().out == want


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("programs")


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(program=programs())
def test_random_programs_give_the_same_padded(folder, program: Program):
    with padded():
        run_program(program, folder)
