# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Messages about values that do not exist yet, on a backend that records nothing.

The texts must name the value, say where it came from and what to write instead.
"""

from __future__ import annotations

import copy
import math
import pickle
import re
import sys
import traceback

import numpy as np
import pytest

import tegula as tg
from tegula import _backend, errors
from tegula._location import kernel_entry, locate, user_frame
from tegula.errors import OutsideKernelError, TegulaError, TileTypeError, TracedValueError
from tegula.lang import dtypes
from tegula.lang.tile import Tile

pytestmark = pytest.mark.interpreter


class Nothing:
    """A backend whose values are unknown, like a tracer's."""

    is_interpreter = False

    def __getattr__(self, name):
        return lambda *args, **kwargs: None


@kernel_entry
def call(function):
    with _backend.activate(Nothing()):
        n = Tile(None, dtypes.int64, (), weak=True, name="n", origin=(function.__code__, "n"))
        array = tg.Array(None, dtypes.float32, 2, name="a", origin=(function.__code__, "a"))
        return function(n, array)


def text_of(function, error=TracedValueError):
    with pytest.raises(error) as caught:
        call(function)
    return str(caught.value)


def lines(text, *wanted):
    """Fail unless the wanted lines follow one another in the text, spaces aside."""
    rest = [re.sub(r"^ *\d* \|", "", line).strip() for line in text.splitlines()]
    for line in wanted:
        assert line in rest, f"{line!r} is not among the rest of:\n{text}"
        rest = rest[rest.index(line) + 1 :]


def test_a_value_is_named_by_its_source_text():
    def kernel(n, a):
        positive = n > 0
        return [1 if positive else 2 for _ in range(2)]

    # Python 3.10 records no columns, so the expression's text is not known there.
    name = "`n > 0` (bool scalar)" if sys.version_info >= (3, 11) else "a bool scalar"
    lines(
        text_of(kernel),
        f"{name} is only known when the kernel runs, but Python needs a condition now",
        f"note: {name} was made here",
    )
    assert "tg.where" in text_of(kernel)


@pytest.mark.parametrize(
    "use, need, fix",
    [
        (lambda n: int(n), "a Python int", "astype"),
        (lambda n: float(n), "a Python float", "astype"),
        (lambda n: math.exp(n), "a Python float", "tg.exp"),
        (lambda n: range(n), "a Python integer", "tg.range"),
        (lambda n: [1, 2][n], "a Python integer", "tg.Const"),
        (lambda n: np.asarray(n), "its values as a NumPy array", "tg.interpret"),
        (lambda n: n.item(), "its value", "tg.interpret"),
        (lambda n: f"{n:3d}", "its value", "tg.interpret"),
        (lambda n: bool(n), "a condition", "tg.where"),
        (lambda n: n == 1 and n == 2, "a condition", "tg.where"),
        (lambda n: max(n, 3), "to know which one max returns", "tg.maximum"),
    ],
)
def test_what_python_needs_and_what_to_write(use, need, fix):
    text = text_of(lambda n, a: use(n))
    assert f"is only known when the kernel runs, but Python needs {need}" in text
    assert fix in text[text.index("\nhelp:") :]
    assert "`n` (int64 scalar)" in text or "condition" in need or "max" in need


def test_an_extent_names_the_parameter_to_make_a_constant():
    def kernel(n, a):
        return tg.zeros((4, n), tg.float32)

    lines(
        text_of(kernel),
        "full: a tile extent must be known when the kernel is compiled, but `n` (int64 scalar) is a"
        " run-time value",
        "note: `n` (int64 scalar) is a kernel argument",
        "help: make it a constant of the kernel: declare the parameter as `n: tg.Const`",
    )


def test_the_declaration_of_an_argument_is_shown():
    def kernel(n, a):
        return tg.load(a, n, 8)

    text = text_of(kernel, errors.ShapeError)
    carets = [line for line in text.splitlines() if "^" in line]
    source = [line for line in text.splitlines() if "def kernel(n, a):" in line]
    assert source and carets[-1].index("^") == source[0].index("a)")


def test_iterating_over_a_compiled_loop():
    text = text_of(lambda n, a: [i for i in tg.range(n)])
    assert "tg.static_range" in text


def test_calls_through_helpers_are_shown_innermost_first():
    def inner(x):
        return x + "text"

    def outer(x):
        return inner(x)

    def kernel(n, a):
        return outer(n)

    lines(
        text_of(kernel, TileTypeError),
        "add: operand must be a tile or a number, not str 'text'",
        'return x + "text"',
        "note: called from here",
        "return inner(x)",
        "note: called from here",
        "return outer(n)",
    )


def test_calls_end_at_the_kernel():
    def kernel(n, a):
        return n + "text"

    assert "called from here" not in text_of(kernel, TileTypeError)


def test_carets_under_non_ascii_text_and_tabs():
    def kernel(n, a):
        return ("größe", n + "é")

    text = text_of(kernel, TileTypeError).splitlines()
    source = next(i for i, line in enumerate(text) if "größe" in line and "|" in line)
    underlined = "".join(
        a for a, b in zip(text[source], text[source + 1], strict=False) if b == "^"
    )
    assert underlined in ('n + "é"', 'return ("größe", n + "é")')


def test_an_expression_over_several_lines_is_underlined_to_the_end_of_the_first():
    def kernel(n, a):
        # fmt: off
        return tg.add(n,
                      "text")
        # fmt: on

    text = text_of(kernel, TileTypeError).splitlines()
    source = next(i for i, line in enumerate(text) if "tg.add(n," in line)
    assert text[source + 1].rstrip().endswith("^") and len(text[source + 1]) == len(text[source])


def test_code_without_a_file():
    scope = {"tg": tg, "__name__": "made_up"}
    exec("def kernel(n, a):\n    return n + None\n", scope)
    text = text_of(scope["kernel"], TileTypeError)
    assert "  --> <string>:2" in text


def test_outside_a_kernel():
    for use in (lambda: tg.zeros(4, tg.float32), lambda: tg.program_id(0), lambda: tg.print("x")):
        with pytest.raises(OutsideKernelError, match="exist only inside a kernel"):
            use()


def test_errors_are_also_what_python_programs_expect():
    assert issubclass(errors.ShapeError, ValueError)
    assert issubclass(errors.TileTypeError, TypeError)
    assert issubclass(errors.ConstantRangeError, OverflowError)
    assert issubclass(errors.KernelAssertionError, AssertionError)
    assert issubclass(errors.TracedValueError, TypeError)
    for kind in vars(errors).values():
        if isinstance(kind, type) and issubclass(kind, Exception):
            if issubclass(kind, Warning):  # does not end anything
                continue
            assert issubclass(kind, TegulaError)


def test_errors_travel_between_processes():
    place = locate(user_frame())
    error = errors.ShapeError(
        "what", notes=[errors.Note("where", place), None], help="how", location=place
    )
    twin = pickle.loads(pickle.dumps(error))
    assert type(twin) is errors.ShapeError and str(twin) == str(error)
    assert str(copy.copy(error)) == str(error)
    failed = errors.KernelAssertionError("no")
    failed.program = (1, 2, 3)
    assert pickle.loads(pickle.dumps(failed)).program == (1, 2, 3)


def test_own_frames_leave_the_traceback(monkeypatch):
    def kernel(n, a):
        return tg.zeros((n, 2), tg.float32)

    def files():
        with pytest.raises(TracedValueError) as caught:
            call(kernel)
        return [frame.filename for frame in traceback.extract_tb(caught.value.__traceback__)]

    shown = files()
    assert not any("tegula" in file and "tests" not in file for file in shown)
    assert shown[-1] == __file__
    monkeypatch.setenv("TEGULA_FULL_TRACEBACK", "1")
    assert any("_check.py" in file for file in files())


def test_dtypes_describe_themselves():
    assert repr(tg.float32) == "tg.float32" and str(tg.bfloat16) == "bfloat16"
    assert tg.int8.min == -128 and tg.uint64.max == 2**64 - 1 and tg.float8_e4m3fn.max == 448.0
    assert tg.float16 == np.float16 and tg.int32 == "int32" and tg.float32 != tg.float64
    assert {np.dtype("f4"): 1}[tg.float32] == 1
    assert pickle.loads(pickle.dumps(tg.bool_)) is tg.bool_ and copy.deepcopy(tg.int8) is tg.int8
    assert dtypes.as_dtype(float) is tg.float64 and dtypes.as_dtype("bfloat16") is tg.bfloat16


def test_a_tile_is_described_without_values():
    def kernel(n, a):
        return repr(n), str(n * tg.arange(3)), f"{n}"

    scalar = "Tile(dtype=int64, shape=())"
    assert call(kernel) == (scalar, "Tile(dtype=int64, shape=(3,))", scalar)
