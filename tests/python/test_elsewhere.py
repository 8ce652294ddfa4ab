# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is suggested for functions that other libraries have does what those do."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import tegula as tg
from tegula.lang._elsewhere import INSTEAD

SAME = (
    "amax amin average bincount count_nonzero diff divmod hypot logaddexp mod nan_to_num nanmax "
    "nanmin nansum outer ravel reciprocal square tril triu vdot"
).split()
MATRICES = ("tril", "triu")
X = np.array([3.0, 0.5, 2.0, 7.0], np.float32)
Y = np.array([1.0, 2.0, 0.25, 3.0], np.float32)
NUMBERS = np.array([2, 0, 1, 2])


def reference(name: str) -> object:
    """What NumPy gives."""
    function = getattr(np, name)
    if name in ("amax", "amin", "average"):
        return function(X, axis=0)
    if name == "bincount":
        return function(NUMBERS, minlength=4)
    if name in MATRICES:
        return function(np.outer(X, Y))
    two = name in ("divmod", "hypot", "logaddexp", "mod", "outer", "vdot")
    return function(X, Y) if two else function(X)


@pytest.mark.interpreter
@pytest.mark.parametrize("name", SAME)
def test_what_is_suggested_gives_what_numpy_gives(name: str) -> None:
    text = INSTEAD[name].partition(", with ")[0].removeprefix("Python's ")
    results: list[object] = []

    @tg.kernel
    def kernel(v: tg.Array):
        x, y = (tg.load(part, 0, 4) for part in (v[0], v[1]))
        names = {"tg": tg, "x": x, "y": y, "axis": 0, "n": 4, "bins": 4, "inf": float("inf")}
        if name == "bincount":
            names["x"] = x.astype(tg.int32)
        if name in MATRICES:
            names["x"] = x[:, None] * y[None, :]
        found = eval(text, names)
        results.extend(np.asarray(part) for part in (found if name == "divmod" else [found]))

    with tg.interpret():
        kernel[1](np.stack([NUMBERS.astype(np.float32) if name == "bincount" else X, Y]))
    want = reference(name)
    for got, part in zip(results, want if name == "divmod" else [want], strict=True):
        np.testing.assert_allclose(got, part, rtol=1e-6)


@pytest.mark.interpreter
@pytest.mark.parametrize(
    ("name", "dtype", "before", "after"),
    [
        ("atomic_sub", "float32", X, X - 2),
        ("atomic_inc", "int32", NUMBERS, NUMBERS + 1),
        ("atomic_dec", "int32", NUMBERS, NUMBERS - 1),
        ("atomic_load", "int32", NUMBERS, NUMBERS),
        ("atomic_load", "float32", -0 * X, -0 * X),
        ("atomic_store", "float32", X, 0 * X + 2),
    ],
)
def test_atomics_that_are_suggested_do_what_their_names_say(name, dtype, before, after) -> None:
    text = INSTEAD[name].split(", tg.")
    text = f"tg.{text[1]}" if len(text) == 2 and dtype == "float32" else text[0]
    results: list[object] = []

    @tg.kernel
    def kernel(a: tg.Array):
        names = {"tg": tg, "a": a, "i": tg.arange(4), "x": tg.full(4, 2, a.dtype)}
        results.append(np.asarray(eval(text.partition(" of ")[0], names)))

    memory = before.astype(dtype)
    with tg.interpret():
        kernel[1](memory)
    assert memory.tobytes() == after.astype(dtype).tobytes()
    np.testing.assert_array_equal(results[0], before)


def test_none_of_the_names_is_ours() -> None:
    assert not set(INSTEAD) & set(tg.__all__)
    for name in INSTEAD:
        assert not hasattr(tg, name)


def test_modules_of_the_package_are_imported_as_ever() -> None:
    assert importlib.import_module("tegula.cli").__name__ == "tegula.cli"
    with pytest.raises(ImportError, match="cannot import name 'nothing'"):
        exec("from tegula import nothing")
    with pytest.raises(AttributeError):
        tg.__wrapped__  # type: ignore[attr-defined]  # noqa: B018
