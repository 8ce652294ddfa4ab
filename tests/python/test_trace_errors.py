# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tracer refuses, and what it says: the rarer cases of control flow on run-time values."""

from __future__ import annotations

import contextlib
import functools
from pathlib import Path

import numpy as np
import pytest

import tegula as tg
from tegula.errors import (
    ConstantRangeError,
    ControlFlowError,
    ShapeError,
    TileTypeError,
)

V = np.arange(8, dtype=np.float32)


def refused(kernel, *arguments, error=ControlFlowError, **constants):
    """The text of the error that tracing a kernel raises."""
    with pytest.raises(error) as caught:
        kernel.specialize(*arguments, **constants).trace()
    assert caught.value.location is not None
    return str(caught.value)


def test_global_assigned_in_a_branch():
    @tg.kernel
    def kernel(v: tg.Array):
        global COUNT
        if v.shape[0] > 1:
            COUNT = 1

    text = refused(kernel, V)
    assert "the global `COUNT` is assigned under a run-time `if`" in text
    assert "use a local variable" in text


def test_branches_that_return_different_things():
    def helper(n):
        if n > 1:
            return 1.0, n
        return 2.0

    @tg.kernel
    def kernel(v: tg.Array):
        helper(v.shape[0])

    text = refused(kernel, V)
    assert "`the return value` is a Python float (2.0) in one branch" in text
    assert "a tuple with 2 items in the other" in text
    assert "return 2.0" in text and "return 1.0, n" in text
    assert "called from here" in text and "helper(v.shape[0])" in text


def test_branch_that_returns_nothing():
    def helper(n):
        if n > 1:
            return n

    @tg.kernel
    def kernel(v: tg.Array):
        helper(v.shape[0])

    text = refused(kernel, V)
    assert "None" in text and "int64 scalar" in text


def test_objects_that_differ_cannot_be_chosen():
    @tg.kernel
    def kernel(v: tg.Array):
        function = tg.exp if v.shape[0] > 1 else tg.log
        tg.store(v, 0, function(tg.load(v, 0, 8)))

    text = refused(kernel, V)
    assert "one is the function" in text and "the other the function" in text


def test_variable_that_starts_as_none():
    @tg.kernel
    def kernel(v: tg.Array):
        last = None
        for i in tg.range(v.shape[0]):
            if last is None:
                last = tg.load(v, i, 1)
            else:
                last = last + tg.load(v, i, 1)

    text = refused(kernel, V)
    assert "`last` is None when the run-time loop starts" in text
    assert "start `last` with a number or tile" in text


def test_structure_that_changes_in_a_loop():
    @tg.kernel
    def kernel(v: tg.Array):
        state = (0.0, 1.0)
        for _ in tg.range(v.shape[0]):
            state = (*state, 2.0)
        tg.store(v, 0, state[0])

    text = refused(kernel, V)
    assert "a tuple with 2 items when the run-time loop starts, but a tuple with 3 items" in text


def test_item_that_changes_its_shape_in_a_loop():
    @tg.kernel
    def kernel(v: tg.Array):
        state = {"a": [tg.load(v, 0, 4)]}
        for _ in tg.range(v.shape[0]):
            state["a"][0] = tg.concatenate([state["a"][0]] * 2)

    text = refused(kernel, V)
    assert "`state.a[0]` is a float32 tile of shape (4,) when" in text
    assert "(8,) after an iteration" in text


def test_variable_read_after_a_loop_that_may_not_run():
    @tg.kernel
    def kernel(v: tg.Array, n):
        for i in tg.range(n):
            last = tg.load(v, i, 1)
        tg.store(v, 0, last)

    text = refused(kernel, V, 3)
    assert "`last` is only set inside a run-time loop, which may run zero times" in text
    assert "set `last` before the loop" in text


def test_variable_of_one_branch_read_in_a_nested_function():
    @tg.kernel
    def kernel(v: tg.Array, n):
        if n > 1:
            value = 1.0

        def use():
            return value  # pyright: ignore[reportPossiblyUnbound]

        use()

    with pytest.raises((ControlFlowError, NameError), match="value"):
        kernel.specialize(V, 3).trace()


def test_container_changed_by_a_function_that_a_branch_calls():
    def note(log):
        log.append(1)

    @tg.kernel
    def kernel(v: tg.Array, n):
        log = []
        if n > 1:
            note(log)

    text = refused(kernel, V, 3)
    assert "the list `log` was changed inside a run-time branch" in text


def test_attribute_changed_by_a_function_that_a_loop_calls():
    class Box:
        def __init__(self):
            self.value = 0

        def bump(self):
            self.value += 1

    @tg.kernel
    def kernel(v: tg.Array, n):
        box = Box()
        for _ in tg.range(n):
            box.bump()

    text = refused(kernel, V, 3)
    assert "the Box `box` was changed inside a run-time loop" in text


def test_tile_that_leaks_out_of_a_branch():
    @tg.kernel
    def kernel(v: tg.Array, n):
        def keep(x):
            keep.value = x

        if n > 1:
            keep(tg.load(v, 0, 8))
        tg.store(v, 0, keep.value)

    text = refused(kernel, V, 3)
    assert "was made inside a run-time branch" in text and "float32 tile of shape (8,)" in text
    assert "does not exist outside it" in text
    assert "the branch is here" in text


def test_exception_caught_across_a_branch():
    @tg.kernel
    def kernel(v: tg.Array, n):
        try:
            if n > 1:
                {}["missing"]
        except KeyError:
            pass
        tg.store(v, 0, 1.0)

    text = refused(kernel, V, 3)
    assert "left a branch on a run-time value, and the kernel went on" in text


def test_number_that_does_not_fit_the_other_branch():
    @tg.kernel
    def kernel(v: tg.Array, n):
        x = tg.int8(3)
        if n > 1:
            x = 300
        tg.store(v, 0, tg.float32(x))

    assert "300 does not fit int8" in refused(kernel, V, 3, error=ConstantRangeError)


def test_carried_value_that_stops_being_an_integer():
    @tg.kernel
    def kernel(v: tg.Array, n):
        x = tg.int32(3)
        while x < n:
            x = x * 1.5
        tg.store(v, 0, tg.float32(x))

    text = refused(kernel, V, 3)
    assert "`x` is an int32 scalar when the run-time loop starts" in text
    assert "float64 scalar after an iteration" in text
    assert "x = x * 1.5" in text


def test_while_on_a_whole_tile():
    @tg.kernel
    def kernel(v: tg.Array):
        x = tg.load(v, 0, 8)
        while x > 1:
            x = x * 0.5

    with pytest.raises(ValueError, match=r"truth of .*\(8,\).* is ambiguous"):
        kernel.specialize(V).trace()


def test_tile_kept_from_another_kernel():
    kept = []

    @tg.kernel
    def first(v: tg.Array):
        kept.append(tg.sum(tg.load(v, 0, 8)))

    @tg.kernel
    def second(v: tg.Array):
        if kept[0] > 1:
            tg.store(v, 0, 1.0)

    first.specialize(V).trace()
    text = refused(second, V, error=TileTypeError)
    assert "belongs to another run of a kernel" in text


def test_generator_that_is_left_inside_a_loop():
    def blocks(v, n):
        for i in tg.range(n):
            yield tg.load(v, i, 1)

    @tg.kernel
    def kernel(v: tg.Array, n):
        total = tg.zeros(1, tg.float32)
        for block in blocks(v, n):
            total = total + block
        tg.store(v, 0, total)

    text = refused(kernel, V, 3)
    assert "made inside a run-time loop" in text or "`yield`" in text


def test_function_without_source_on_a_run_time_value():
    pick = eval("lambda s: 1.0 if s > 0 else 2.0")

    @tg.kernel
    def kernel(v: tg.Array, n):
        tg.store(v, 0, pick(n))

    with pytest.raises(TypeError, match="only known when the kernel runs") as caught:
        kernel.specialize(V, 3).trace()
    assert "tg.where" in str(caught.value)


def test_cached_helper_cannot_take_tiles():
    @functools.lru_cache
    def helper(x):
        return x

    @tg.kernel
    def kernel(v: tg.Array):
        helper(tg.load(v, 0, 8))

    with pytest.raises(TypeError, match="dict key"):
        kernel.specialize(V).trace()


def test_errors_of_the_users_own_code_are_not_changed():
    class OwnError(Exception):
        pass

    def helper(x):
        if x.ndim > 0:
            raise OwnError("not a scalar")

    @tg.kernel
    def kernel(v: tg.Array, n):
        for _ in tg.range(n):
            helper(tg.load(v, 0, 8))

    with pytest.raises(OwnError, match="not a scalar") as caught:
        kernel.specialize(V, 3).trace()
    frames = []
    step = caught.value.__traceback__
    while step is not None:
        frames.append(step.tb_frame.f_code.co_name)
        step = step.tb_next
    assert frames[-1] == "helper" and frames[-2] == "kernel"


@pytest.mark.parametrize("full", [False, True])
def test_tracebacks_leave_out_our_own_frames_unless_asked(full, monkeypatch):
    monkeypatch.setenv("TEGULA_FULL_TRACEBACK", str(int(full)))

    @tg.kernel
    def kernel(v: tg.Array):
        tg.load(v, 0, (8, 8))

    with pytest.raises(ShapeError) as caught:
        kernel[1](V)
    assert bool(frames_of_ours(caught)) is full
    assert [str(step.path) for step in caught.traceback].count(__file__) == 2


def frames_of_ours(caught):
    """Frames of the package in what a user would see."""
    package = str(Path(tg.__file__).parent)
    return [step for step in caught.traceback if str(step.path).startswith(package)]


@tg.kernel
def wrong(v: tg.Array):
    tg.load(v, 0, (8, 8))


@tg.kernel
def wrong_pair(v: tuple):
    tg.load(v[0], 0, (8, 8))


def decorate():
    tg.kernel(fast_math=True)(3)


MISTAKES = {
    "a launch": lambda: wrong[1](V),
    "a launch with wrong arguments": lambda: wrong[1](V, V),
    "a launch of structures": lambda: wrong_pair[1]((V, V)),
    "a launch of structures that do not fit": lambda: wrong_pair[1](V),
    "a wrong grid": lambda: wrong[1, 2, 3, 4](V),
    "no grid": lambda: wrong(V),
    "a decorator": lambda: tg.kernel(3),
    "a decorator with options": decorate,
    "compile": lambda: wrong.compile(V),
}


@pytest.mark.parametrize("interpreted", [False, True])
@pytest.mark.parametrize("mistake", MISTAKES)
def test_no_frame_of_ours_is_left(mistake, interpreted):
    scope = tg.interpret() if interpreted else contextlib.nullcontext()
    with scope, pytest.raises(tg.TegulaError) as caught:
        MISTAKES[mistake]()
    assert not frames_of_ours(caught)
    assert caught.value.__context__ is None or caught.value.__suppress_context__


def test_nothing_is_left_of_a_failed_trace():
    """A failed trace frees its IR in an order that MLIR can bear, whatever still refers to it."""
    kept = []

    def fails(x, n):
        for i in tg.range(n):
            y = x * i
            kept.append(y)
            if tg.sum(y) > 1:
                while tg.sum(y) > i:
                    y = y + 1.0
                    kept.append(y)
                raise KeyError("stop")

    @tg.kernel
    def kernel(v: tg.Array, n):
        fails(tg.load(v, 0, 8), n)

    for _ in range(5):
        with pytest.raises((KeyError, ControlFlowError)):
            kernel.specialize(V, 3).trace()
    kept.clear()


COUNT = 0
