# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What only the interpreter can do: concrete scalars, print, pdb; and what it must not do: warn."""

from __future__ import annotations

import io
import pdb
import warnings

import numpy as np
import pytest

import tegula as tg
from tegula.errors import ShapeError, TileTypeError

pytestmark = pytest.mark.interpreter


@pytest.fixture(autouse=True)
def interpreted():
    with tg.interpret():
        yield


def test_scalars_are_python_numbers(capsys):
    @tg.kernel
    def kernel(a: tg.Array, n):
        x = tg.sum(tg.load(a, 0, 3))
        assert int(x) == 6 and float(x) == 6.0 and bool(x) and x.item() == 6
        assert list("abcdefgh")[x] == "g" and range(x)[-1] == 5
        assert int(n) == 7 and float(tg.float16(0.1)) == float(np.float16(0.1))
        assert tg.bfloat16(1.5).item() == 1.5 and tg.bool_(3).item() is True
        assert int(tg.float32(-2.9)) == -2
        assert f"{x:>4}|{x}|{tg.float32(0.5):.2f}" == "   6|6|0.50"
        assert np.asarray(tg.arange(3)).tolist() == [0, 1, 2]
        print("x is", x, repr(x))

    kernel[1](np.array([1, 2, 3], np.int32), 7)
    assert capsys.readouterr().out == "x is 6 Tile(6, dtype=int64, shape=())\n"


def test_only_scalars_are_numbers():
    @tg.kernel
    def kernel(a: tg.Array):
        tile = tg.load(a, 0, 3)
        for convert in (int, float, bool):
            with pytest.raises(ShapeError, match="3 elements"):
                convert(tile)
        with pytest.raises(TileTypeError, match="cannot be an index: its dtype is float32"):
            [1, 2][tg.float32(1)]

    kernel[1](np.zeros(3, np.float32))


def test_python_control_flow_on_run_time_values():
    @tg.kernel
    def kernel(a: tg.Array, o: tg.Array):
        n = tg.gather(a, tg.program_id(0))
        steps = tg.int64(0)
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
            if steps > 1000:
                break
        tg.store(o, tg.program_id(0), steps)

    out = np.zeros(4, np.int64)
    kernel[4](np.array([1, 6, 7, 27]), out)
    assert out.tolist() == [0, 8, 16, 111]


def test_pdb_stops_inside_a_kernel():
    output = io.StringIO()
    debugger = pdb.Pdb(
        stdin=io.StringIO("p int(x)\np tile.shape\nc\n"), stdout=output, nosigint=True
    )

    @tg.kernel
    def kernel(a: tg.Array):
        tile = tg.load(a, 0, 3)
        x = tg.max(tile)
        debugger.set_trace()
        tg.store(a, 0, tile * x)

    a = np.array([1, 2, 3], np.float32)
    kernel[1](a)
    assert "3\n" in output.getvalue() and "(3,)" in output.getvalue()
    assert a.tolist() == [3, 6, 9]


def test_programs_run_in_order_x_fastest():
    order = []

    @tg.kernel
    def kernel():
        order.append(tuple(int(tg.program_id(axis)) for axis in range(3)))

    kernel[2, 3, 2]()
    assert order == [(x, y, z) for z in range(2) for y in range(3) for x in range(2)]


def test_no_numpy_warning_leaks():
    @tg.kernel
    def kernel(a: tg.Array, n: tg.Array, h: tg.Array):
        x, i, y = tg.load(a, 0, 4), tg.load(n, 0, 4), tg.load(h, 0, 4)
        tg.store(a, 0, tg.log(x) / x + tg.sqrt(x) + x // 0.0 + x % 0.0 + tg.exp(x * 1e9))
        tg.store(n, 0, (i * i // 0 % 0 << i) + i**i + (x * 1e30).astype(tg.int32) + abs(i))
        tg.store(h, 0, (y * y / y).astype(tg.float8_e5m2).astype(tg.bfloat16) + tg.fma(y, y, y))

    nan = np.array([np.nan, np.inf, -1, 0], np.float32)
    extremes = np.array([2**31 - 1, -(2**31), -1, 0], np.int32)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kernel[1](nan, extremes, nan.astype(tg.bfloat16.numpy))


def test_the_callers_numpy_error_state_comes_back():
    @tg.kernel
    def kernel(a: tg.Array):
        raise KeyError("mine")

    with np.errstate(over="raise"):
        with pytest.raises(KeyError, match="mine"):
            kernel[1](np.zeros(1))
        assert np.geterr()["over"] == "raise"


def test_contexts_nest_and_are_left_by_exceptions():
    from tegula._interpret import is_active

    with pytest.raises(ZeroDivisionError), tg.interpret():
        raise ZeroDivisionError
    assert is_active()


def test_numpy_scalars_on_the_left():
    @tg.kernel
    def kernel(a: tg.Array, o: tg.Array):
        x = tg.load(a, 0, 2)
        tg.store(o, 0, np.float32(2) * x - np.float32(1))
        tg.store(o, 1, np.float32(3) ** x)
        tg.store(o, 2, tg.where(np.float32(1.5) < x, np.float32(1) / x, np.int8(1) + x))

    out = np.zeros(6, np.float32)
    kernel[1](np.array([1, 2], np.float32), out)
    assert out.tolist() == [1, 3, 3, 9, 2, 0.5]


def test_a_tile_of_another_run_is_refused():
    kept = []

    @tg.kernel
    def keep(a: tg.Array):
        kept.append(tg.load(a, 0, 2))

    @tg.kernel
    def use(a: tg.Array):
        tg.store(a, 0, kept[0] + 1)

    keep[1](np.zeros(2))
    with pytest.raises(TileTypeError, match="belongs to another run of a kernel"):
        use[1](np.zeros(2))


@pytest.mark.parametrize("show", [lambda a, b: tg.print(a, b), lambda a, b: print(a, f"{b}")])
def test_effects_in_a_combine_happen_once_for_each_pair(capsys, show):
    def loud(a, b):
        show(a, b)
        return a + b

    @tg.kernel
    def kernel(a: tg.Array, o: tg.Array):
        tg.store(o, 0, tg.reduce(tg.load(a, (0, 0), (2, 3)), 1, loud))

    out = np.zeros(2, np.int64)
    kernel[1](np.arange(6).reshape(2, 3), out)
    assert capsys.readouterr().out.split("\n")[:-1] == ["0 1", "1 2", "3 4", "7 5"]
    assert out.tolist() == [3, 12]


def test_an_array_of_rank_zero_holds_a_scalar():
    @tg.kernel
    def kernel(a: tg.Array, o: tg.Array):
        tg.store(o, (), tg.load(a, (), ()) * 2 + tg.gather(a, ()))
        tg.atomic_add(o, (), 1)

    out = np.array(0, np.int32)
    kernel[1](np.array(5, np.int32), out)
    assert out == 16
