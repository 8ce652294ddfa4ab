# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments that hold several arrays, and functions as arguments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import tegula as tg
from tegula.errors import LaunchError, StoreError


class Pair(NamedTuple):
    x: Any
    y: Any

    def total(self, i):
        return tg.load(self.x, i, 4) + tg.load(self.y, i, 4)


@dataclass(frozen=True)
class Layer:
    weight: Any
    scale: float
    name: str = "layer"
    inner: Pair | None = None


@tg.kernel
def add_pair(p: Pair, o: tg.Array):
    i = tg.program_id(0)
    tg.store(o, i, p.total(i))


def test_a_named_tuple_of_arrays(backend):
    x, y, o = np.arange(8, dtype="f4"), np.ones(8, "f4"), np.zeros(8, "f4")
    add_pair[2](Pair(x, y), o)
    np.testing.assert_array_equal(o, x + y)
    add_pair[2](o=o, p=Pair(y, y))
    np.testing.assert_array_equal(o, y + y)


@tg.kernel
def apply_layer(layer: Layer, o: tg.Array):
    x = tg.load(layer.weight, 0, 8) * layer.scale
    if layer.name == "double":
        x = x * 2
    if layer.inner is not None:
        x = x + tg.load(layer.inner.y, 0, 8)
    tg.store(o, 0, x)


def test_a_dataclass_of_arrays_numbers_and_constants(backend):
    w, o = np.arange(8, dtype="f4"), np.zeros(8, "f4")
    apply_layer[1](Layer(w, 3.0), o)
    np.testing.assert_array_equal(o, w * 3)
    apply_layer[1](Layer(w, 0.5, "double"), o)
    np.testing.assert_array_equal(o, w)
    apply_layer[1](Layer(w, 1.0, inner=Pair(w, np.ones(8, "f4"))), o)
    np.testing.assert_array_equal(o, w + 1)


@tg.kernel
def sum_all(arrays: tuple, o: tg.Array):
    total = tg.zeros(4, tg.float32)
    for array in arrays:
        total = total + tg.load(array, 0, 4).astype(tg.float32)
    tg.store(o, 0, total)


def test_a_tuple_of_any_length_and_dtypes(backend):
    o = np.zeros(4, "f4")
    arrays = (np.ones(4, "f4"), np.arange(4), np.full(4, 2, "i1"))
    for count in (1, 2, 3):
        sum_all[1](arrays[:count], o)
        np.testing.assert_array_equal(o, sum(a.astype("f4") for a in arrays[:count]))


@tg.kernel
def write_pair(p: Pair):
    tg.store(p.y, 0, tg.load(p.x, 0, 4))


def test_arrays_of_a_structure_are_written_and_checked(backend):
    x, y = np.arange(4), np.zeros(4, "i8")
    write_pair[1](Pair(x, y))
    np.testing.assert_array_equal(y, x)
    y.flags.writeable = False
    with pytest.raises(StoreError):
        write_pair[1](Pair(x, y))


@tg.kernel
def call(a: tg.Array, FUNCTION: tg.Const):
    tg.store(a, 0, FUNCTION(tg.load(a, 0, 4)))


def test_functions_are_constants(backend):
    a = np.arange(4, dtype="f4")
    call[1](a, lambda x: x * 2)
    call[1](a, tg.sqrt)
    np.testing.assert_array_equal(a, np.sqrt(np.arange(4, dtype="f4") * 2))


def test_mistakes(backend):
    o = np.zeros(8, "f4")
    with pytest.raises(LaunchError, match="'p' must be a tuple, a named tuple or a dataclass"):
        add_pair[2](o, o)
    with pytest.raises(LaunchError, match="other arguments than it takes"):
        add_pair[2](Pair(o, o))
    with pytest.raises(LaunchError, match="must be hashable"):
        write_pair[1](Pair({1}, o))
