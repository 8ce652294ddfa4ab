# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Assumptions, and kernels whose accesses are checked."""

from __future__ import annotations

import numpy as np
import pytest

import tegula as tg
from tegula.errors import KernelAssertionError, LaunchError, StaticAssertionError, TileTypeError


@tg.kernel
def relies_on_its_arguments(a: tg.Array, n: tg.int64):
    tg.assume(n % 16 == 0, "n is a multiple of 16")
    tg.assume(a.shape[0] >= n)
    tg.store(a, 0, tg.arange(4).astype(a.dtype))


def test_facts_about_the_arguments_are_verified_by_each_launch(backend):
    relies_on_its_arguments[1](np.zeros(64, "f4"), 32)
    with pytest.raises(KernelAssertionError, match="does not hold: n is a multiple of 16") as error:
        relies_on_its_arguments[1](np.zeros(64, "f4"), 20)
    assert "tg.assume(n % 16 == 0" in str(error.value)
    with pytest.raises(KernelAssertionError, match="the assumption does not hold"):
        relies_on_its_arguments[1](np.zeros(8, "f4"), 16)


def relies_on_data(a: tg.Array, o: tg.Array):
    x = tg.load(a, tg.program_id(0), 4)
    tg.assume(tg.all(x >= 0), "data is not negative")
    tg.store(o, tg.program_id(0), x)


def test_facts_about_data_are_verified_by_checked_kernels(backend):
    good, bad = np.arange(8, dtype="f4"), np.arange(8, dtype="f4") - 5
    out = np.zeros_like(good)
    checked, unchecked = tg.kernel(checked=True)(relies_on_data), tg.kernel(relies_on_data)
    checked[2](good, out)
    with pytest.raises(KernelAssertionError, match=r"data is not negative \(in program \(0, 0, 0"):
        checked[2](bad, out)
    if backend != "interpreter":  # which checks always
        unchecked[2](bad, out)
        np.testing.assert_array_equal(out, bad)


def test_assumptions_on_python_values_are_checked_when_compiling(backend):
    @tg.kernel
    def k(a: tg.Array, BLOCK: tg.Const):
        tg.assume(BLOCK % 8 == 0, "BLOCK is a multiple of 8")
        tg.store(a, 0, tg.zeros(BLOCK, a.dtype))

    k[1](np.ones(8, "f4"), 8)
    with pytest.raises(StaticAssertionError, match="BLOCK is a multiple of 8"):
        k[1](np.ones(8, "f4"), 9)


@tg.kernel
def separate(a: tg.Array, b: tg.Array):
    tg.no_alias(a[1:], b)
    tg.store(a, 0, tg.load(b, 0, 4))


@pytest.mark.contract("arrays that overlap in memory")
def test_arrays_that_overlap_are_refused(backend):
    memory = np.zeros(8, "f4")
    separate[1](memory[:4], memory[4:])
    with pytest.raises(LaunchError, match="'a' and 'b' overlap in memory, but the kernel says"):
        separate[1](memory[:5], memory[4:])


def test_no_alias_names_different_arrays(backend):
    @tg.kernel
    def twice(a: tg.Array):
        tg.no_alias(a, a[2:])

    @tg.kernel
    def once(a: tg.Array):
        tg.no_alias(a)

    with pytest.raises(TileTypeError, match="'a' is given twice"):
        twice[1](np.zeros(4))
    with pytest.raises(TileTypeError, match="two arrays or more"):
        once[1](np.zeros(4))


@tg.kernel(checked=True)
def shift(a: tg.Array, o: tg.Array, i: tg.int64):
    tg.store(o, 0, tg.load(a, i, 4))


@tg.kernel(checked=True)
def pick(a: tg.Array, o: tg.Array, at: tg.Array, n: tg.int64):
    rows = tg.load(at, 0, 4)
    tg.store(o, 0, tg.gather(a, (rows, 1), tg.arange(4) < n))


@tg.kernel(checked=True)
def count(a: tg.Array, at: tg.Array):
    tg.atomic_add(a, tg.load(at, 0, 4), 1)
    tg.scatter(a, tg.load(at, 1, 4), 0)


def report(error, capfd) -> str:
    """What a failed launch says: the error, and the line that the check printed."""
    return f"{error.value}\n{capfd.readouterr().out}"


def test_a_tile_outside_its_array_is_reported(backend, capfd):
    a, o = np.arange(10, dtype="f4"), np.zeros(4, "f4")
    shift[1](a, o, 2)  # a tile that an edge cuts is no mistake
    np.testing.assert_array_equal(o, [8, 9, 0, 0])
    for i in (3, -1):
        with pytest.raises(KernelAssertionError, match="load of the array 'a' along axis 0") as e:
            shift[1](a, o, i)
        text = report(e, capfd)
        assert f"tile index {i} is outside, there are 3 tiles" in text
        assert "tg.load(a, i, 4)" in text
        assert "program (0, 0, 0)" in text


def test_a_lane_outside_its_array_is_reported(backend, capfd):
    a, o = np.arange(20, dtype="f4").reshape(10, 2), np.zeros(4, "f4")
    at = np.array([3, 9, 1, 10])
    pick[1](a, o, at, 3)  # the lane is masked off
    with pytest.raises(KernelAssertionError, match="gather of the array 'a' along axis 0") as e:
        pick[1](a, o, at, 4)
    assert "index 10 is outside, there are 10 elements" in report(e, capfd)
    with pytest.raises(KernelAssertionError, match="gather of the array 'a' along axis 0") as e:
        pick[1](a, o, np.array([0, -7, 1, -9]), 4)
    assert "index -7 is outside" in report(e, capfd)


def test_atomics_and_scatters_are_checked(backend, capfd):
    good = np.zeros(8, "i4")
    count[1](good, np.array([0, 1, 2, 3, 4, 5, 6, 7]))
    with pytest.raises(KernelAssertionError, match="atomic_rmw of the array 'a' along axis 0"):
        count[1](good, np.array([0, 1, 2, 8, 4, 5, 6, 7]))
    with pytest.raises(KernelAssertionError, match="scatter of the array 'a' along axis 0"):
        count[1](good, np.array([0, 1, 2, 3, 4, 5, 6, 9]))


def test_the_environment_turns_checks_on(backend, monkeypatch):
    def outside(a: tg.Array):
        tg.store(a, 5, tg.zeros(4, a.dtype))

    tg.kernel(outside)[1](np.zeros(8, "f4"))
    monkeypatch.setenv("TEGULA_CHECK", "1")
    with pytest.raises(KernelAssertionError, match="store of the array 'a' along axis 0"):
        tg.kernel(outside)[1](np.zeros(8, "f4"))
    tg.kernel(checked=False)(outside)[1](np.zeros(8, "f4"))
