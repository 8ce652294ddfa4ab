# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The `run` and `check` fixtures: apply a function of tiles to arrays, on each backend.

The same kernel serves all tests of elementwise, shape and reduction semantics: it loads whole
arrays as tiles, calls the test's function and stores what it returns. Stores demand the exact
dtype, so the dtype of the expected array is checked as well.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import tegula as tg
from tests.semantics.compare import assert_same

OUTPUTS = 4


@tg.kernel
def apply(
    a: tg.Array,
    b: tg.Array,
    c: tg.Array,
    o: tg.Array,
    p: tg.Array,
    q: tg.Array,
    r: tg.Array,
    FUNCTION: tg.Const,
    SHAPES: tg.Const,
):
    tiles = [
        tg.load(array, (0,) * max(len(shape), 1), shape or 1).reshape(shape)
        for array, shape in zip((a, b, c), SHAPES, strict=False)
    ]
    results = FUNCTION(*tiles)
    results = results if isinstance(results, tuple) else (results,)
    for array, value in zip((o, p, q, r), results, strict=False):
        tg.store(array, (0,) * max(value.ndim, 1), value)


def with_axis(array: np.ndarray) -> np.ndarray:
    """Scalars travel as arrays of one element."""
    return array.reshape(1) if array.ndim == 0 else array


@pytest.fixture(autouse=True)
def quiet_references():
    """References overflow and divide by zero on purpose."""
    with np.errstate(all="ignore"):
        yield


@pytest.fixture
def run(backend) -> Callable[..., list[np.ndarray]]:
    """`run(function, inputs, like)`: the outputs, of the shapes and dtypes of `like`."""

    def run(function, inputs, like):
        inputs = [np.asarray(array) for array in inputs]
        outputs = [np.frombuffer(b"\x5a" * max(x.nbytes, 1), np.uint8).copy() for x in like]
        outputs = [
            o[: x.nbytes].view(x.dtype).reshape(x.shape) for o, x in zip(outputs, like, strict=True)
        ]
        unused = np.zeros(1, np.int8)
        arrays = [with_axis(x) for x in inputs] + [unused] * (3 - len(inputs))
        arrays += [with_axis(x) for x in outputs] + [unused] * (OUTPUTS - len(outputs))
        apply[1](*arrays, FUNCTION=function, SHAPES=tuple(x.shape for x in inputs))
        return outputs

    return run


@pytest.fixture
def check(run) -> Callable[..., None]:
    """`check(function, *inputs, want=..., ulp=0)`: compare with the expected array or arrays.

    Without `ulp`, bit by bit (any NaN equals any NaN); with it, within as many units in the last
    place.
    """

    def check(function, *inputs, want, ulp=0):
        wants = [np.asarray(w) for w in (want if isinstance(want, (tuple, list)) else [want])]
        for got, expected in zip(run(function, inputs, wants), wants, strict=True):
            assert_same(got, expected, ulp)

    return check
