# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Printing and assertions."""

from __future__ import annotations

import numpy as np
import pytest

import tegula as tg
from tegula.errors import KernelAssertionError, ShapeError, TileTypeError


def test_print_writes_a_line_for_each_program(backend, capsys):
    @tg.kernel
    def kernel(a: tg.Array):
        i = tg.program_id(0)
        tg.print("program", i, "has", tg.load(a, i, 3), "of", 2.5)

    kernel[2](np.arange(6, dtype=np.int32))
    lines = sorted(capsys.readouterr().out.splitlines())
    assert lines == ["program 0 has [0 1 2] of 2.5", "program 1 has [3 4 5] of 2.5"]


def test_print_of_each_kind_of_value(backend, capsys):
    @tg.kernel
    def kernel(a: tg.Array, b: tg.Array):
        tg.print(
            tg.load(a, 0, 2) > 0.75, tg.load(a, 0, 2), tg.load(b, 0, 2), tg.sum(tg.load(a, 0, 2))
        )
        tg.print()
        tg.print("text", None, 3, True)

    kernel[1](np.array([0.5, 1.5], np.float32), np.array([2**64 - 1, 0], np.uint64))
    assert capsys.readouterr().out.splitlines() == [
        "[False  True] [0.5 1.5] [18446744073709551615                    0] 2.0",
        "",
        "text None 3 True",
    ]


def test_print_of_braces(backend, capsys):
    texts = ("{}", "{", "}", "{{}}", "}{", "{0} {x!r}", "%d {")

    @tg.kernel
    def kernel():
        i = tg.program_id(0)
        for text in texts:
            tg.print(text)
            tg.print(text, i, text + "{", i, "}", i)

    kernel[1]()
    wanted = [line for text in texts for line in (text, f"{text} 0 {text}{{ 0 }} 0")]
    assert capsys.readouterr().out.splitlines() == wanted


def test_printing_changes_nothing(backend, capsys):
    @tg.kernel
    def kernel(a: tg.Array, o: tg.Array, LOUD: tg.Const):
        tile = tg.load(a, 0, 8)
        if LOUD:
            tg.print("tile", tile)
            assert tg.all(tile == tile)
        tg.store(o, 0, tg.exp(tile) * tile + tile)

    a = np.linspace(-1, 1, 8, dtype=np.float32)
    quiet, loud = np.zeros(8, np.float32), np.zeros(8, np.float32)
    kernel[1](a, quiet, LOUD=False)
    kernel[1](a, loud, LOUD=True)
    assert quiet.tobytes() == loud.tobytes()


@pytest.mark.contract("`assert` that fails")
def test_a_failed_assertion_names_the_program_the_line_and_the_message(backend):
    @tg.kernel
    def kernel(a: tg.Array):
        i = tg.program_id(0)
        assert tg.gather(a, i) > 0, "elements must be positive"

    with pytest.raises(AssertionError) as caught:
        kernel[4](np.array([1, 2, 0, 3]))
    error = caught.value
    assert isinstance(error, KernelAssertionError)
    assert error.program == (2, 0, 0)
    text = str(error)
    assert text.startswith("elements must be positive (in program (2, 0, 0))\n")
    assert 'assert tg.gather(a, i) > 0, "elements must be positive"' in text


@pytest.mark.contract("`assert` that fails")
def test_a_failed_assertion_without_a_message_shows_the_condition(backend):
    @tg.kernel
    def kernel(a: tg.Array):
        assert tg.all(tg.load(a, 0, 2) > 0)

    with pytest.raises(
        KernelAssertionError, match=r"assertion failed: tg.all\(tg.load\(a, 0, 2\) > 0\)"
    ):
        kernel[1](np.array([1, -1]))
    kernel[1](np.array([1, 1]))


def test_an_assertion_on_python_values_fails_at_once(backend):
    @tg.kernel
    def kernel(a: tg.Array, N: tg.Const):
        assert N % 4 == 0, f"{N} is not a multiple of 4"

    with pytest.raises(AssertionError, match="6 is not a multiple of 4"):
        kernel[1](np.zeros(1), N=6)
    kernel[1](np.zeros(1), N=8)


def test_an_assertion_on_a_whole_tile_is_refused(backend):
    @tg.kernel
    def kernel(a: tg.Array):
        assert tg.load(a, 0, 2) > 0

    with pytest.raises(ShapeError, match="ambiguous"):
        kernel[1](np.array([1, 1]))


def test_an_array_cannot_be_printed(backend):
    @tg.kernel
    def kernel(a: tg.Array):
        tg.print(a)

    with pytest.raises(TileTypeError, match="'a' is an array view"):
        kernel[1](np.zeros(1))
