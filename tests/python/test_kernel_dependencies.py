# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What kernels take from the program around them: values that change are never missed."""

from __future__ import annotations

import enum
import functools
import importlib
import os
import subprocess
import sys
import textwrap
import threading
from collections import OrderedDict
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest

import tegula as tg
from tegula import _compile
from tegula._trace.dependencies import Dependencies

SCALE = 2.0
TABLE = [1.0, 2.0]
CONFIG = {"bias": 1.0}


def helper(x):
    return x * SCALE


def digest(*values):
    found = Dependencies()
    for value in values:
        found.add(value)
    return found.digest()


def run(kernel, **constants):
    b = np.zeros(1, np.float32)
    kernel[1](b, **constants)
    return float(b[0])


def test_what_pytest_makes_of_an_assertion_is_no_part_of_a_kernel():
    """Its names lead to all of pytest, which took a second and more of each first launch."""

    def kernel(b: tg.Array):
        assert SCALE == 2.0, "SCALE has changed"
        tg.store(b, 0, helper(1.0))

    assert "@pytest_ar" in kernel.__globals__ and "@pytest_ar" in kernel.__code__.co_names
    found = Dependencies()
    found.add(kernel)
    assert {function.__name__ for function in found.functions.values()} == {"kernel", "helper"}


def test_changed_globals_are_seen(monkeypatch):
    @tg.kernel
    def kernel(b: tg.Array):
        tg.store(b, 0, SCALE + TABLE[1] + CONFIG["bias"])

    assert run(kernel) == 5
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    assert run(kernel) == 6
    monkeypatch.setitem(CONFIG, "bias", 5.0)
    assert run(kernel) == 10
    monkeypatch.undo()
    assert run(kernel) == 5
    TABLE[1] = 12.0
    assert run(kernel) == 15
    TABLE[1] = 2.0
    assert run(kernel) == 5


def test_changed_closures_are_seen():
    offset = 1.0

    def inner(x):
        return x + offset

    @tg.kernel
    def kernel(b: tg.Array):
        tg.store(b, 0, inner(tg.load(b, 0, 1)))

    assert run(kernel) == 1
    offset = 5.0
    assert run(kernel) == 5


def test_redefined_helpers_and_their_globals_are_seen(monkeypatch):
    @tg.kernel
    def kernel(b: tg.Array):
        tg.store(b, 0, helper(tg.load(b, 0, 1) + 1.0))

    assert run(kernel) == 2
    monkeypatch.setitem(globals(), "SCALE", 4.0)
    assert run(kernel) == 4
    monkeypatch.setitem(globals(), "helper", lambda x: x * 7.0)
    assert run(kernel) == 7


def test_changed_modules_are_seen(monkeypatch, tmp_path):
    (tmp_path / "tegula_test_config.py").write_text("FACTOR = 2.0\n")
    monkeypatch.syspath_prepend(tmp_path)
    config = importlib.import_module("tegula_test_config")

    @tg.kernel
    def kernel(b: tg.Array):
        tg.store(b, 0, config.FACTOR)

    assert run(kernel) == 2
    monkeypatch.setattr(config, "FACTOR", 8.0)
    assert run(kernel) == 8
    sys.modules.pop("tegula_test_config")


def test_helpers_that_no_name_leads_to():
    table = {"twice": [lambda x: x * 2.0], "thrice": [lambda x: x * 3.0]}

    @tg.kernel
    def kernel(b: tg.Array, K: tg.Const):
        tg.store(b, 0, table[K][0](tg.load(b, 0, 1) + 1.0))

    assert run(kernel, K="twice") == 2
    assert run(kernel, K="thrice") == 3


def test_variables_that_tracing_changes_are_not_guarded():
    traced = 0

    @tg.kernel
    def kernel(b: tg.Array):
        nonlocal traced
        traced += 1
        tg.store(b, 0, 1.0)

    for _ in range(5):
        run(kernel)
    assert traced == 1


class Color(enum.Enum):
    RED = 1


class Model:
    SIZE = 4

    def __init__(self, n):
        self.n = n

    def apply(self, x):
        return x * self.n


def test_digest_is_stable_and_tells_values_apart():
    values = [
        *(
            1,
            True,
            1.0,
            -0.0,
            0.0,
            "1",
            None,
            (1, 2),
            (1, (2,)),
            [1, 2],
            {1, 2},
            {"a": 1},
            {"a": 2},
        ),
        *(tg.float32, tg.float16, Color.RED, np.float32(1), np.float64(1), np.arange(3)),
        *(np.arange(3.0), helper, run, Model, Model(1), Model(2), Model(1).apply, tg.exp, tg.log),
        *(functools.partial(helper, 1), functools.partial(helper, 2), SimpleNamespace(a=1)),
    ]
    digests = [digest(value) for value in values]
    assert len(set(digests)) == len(digests)
    assert digests == [digest(value) for value in values]


def test_digest_follows_helpers(monkeypatch):
    def kernel(x):
        return helper(x)

    first = digest(kernel)
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    second = digest(kernel)
    monkeypatch.setitem(globals(), "helper", lambda x: x)
    third = digest(kernel)
    monkeypatch.setattr(Model, "SIZE", 5)
    assert len({first, second, third}) == 3
    assert digest(lambda: Model.SIZE) != first


def test_what_cannot_be_described_is_not_complete():
    for value in (open, len, threading.Lock(), np.zeros(1 << 17), np.array([object()])):
        found = Dependencies()
        found.add(value)
        assert found.complete is (value is open or value is len)


class AnswersToAnything:
    """As recorders, mocks and lazy libraries do."""

    __slots__ = ("scale",)

    def __getattr__(self, name):
        return AnswersToAnything()


class Options(dict):
    """A dictionary whose items are attributes too: a missing one is a KeyError."""

    __getattr__ = dict.__getitem__


class Private:
    __slots__ = ("__scale",)

    def __init__(self, scale):
        self.__scale = scale

    @functools.cached_property
    def unused(self):
        return SCALE


def test_an_object_that_answers_to_any_name():
    options = AnswersToAnything()
    options.scale = 4.0

    @tg.kernel
    def kernel(b: tg.Array):
        tg.store(b, 0, options.scale)

    assert run(kernel) == 4
    options.scale = 5.0
    assert run(kernel) == 5


def test_a_dictionary_whose_items_are_attributes():
    options = Options(scale=4.0)

    @tg.kernel
    def kernel(b: tg.Array):
        tg.store(b, 0, options.scale)

    assert run(kernel) == 4
    options["scale"] = 5.0
    assert run(kernel) == 5


class Size(NamedTuple):
    parts: list


def set_attribute(value):
    value.scale = 7.0


def set_item(value):
    value["a"][0] = 7.0


def set_field(value):
    value.parts[0]["x"] = 7.0


@pytest.mark.parametrize(
    ("options", "read", "change"),
    [
        (SimpleNamespace(scale=4.0), lambda v: v.scale, set_attribute),
        ({"a": [4.0]}, lambda v: v["a"][0], set_item),
        (OrderedDict(a=[4.0]), lambda v: v["a"][0], set_item),
        (Size([{"x": 4.0}]), lambda v: v.parts[0]["x"], set_field),
    ],
    ids=["namespace", "nested", "ordered", "named_tuple"],
)
def test_changes_inside_data_are_seen(options, read, change):
    @tg.kernel
    def kernel(b: tg.Array):
        tg.store(b, 0, read(options))

    assert run(kernel) == 4
    change(options)
    assert run(kernel) == 7
    last = _compile.recent()[-1]
    assert run(kernel) == 7
    assert _compile.recent()[-1] is last


def test_an_item_of_another_type_is_a_change():
    data = [1]

    @tg.kernel
    def kernel(b: tg.Array):
        tg.store(b, 0, data[0] // 2 if isinstance(data[0], int) else data[0] / 2)

    assert run(kernel) == 0
    data[0] = 1.0
    assert run(kernel) == 0.5


def test_another_array_is_a_change():
    table = np.array([1.0, 2.0])

    @tg.kernel
    def kernel(b: tg.Array):
        tg.store(b, 0, float(table[0]))

    assert run(kernel) == 1
    table = np.array([3.0, 2.0])
    assert run(kernel) == 3


def test_private_slots_count():
    assert digest(Private(1.0)) != digest(Private(2.0))
    assert digest(Private(1.0)) == digest(Private(1.0))


def test_recursive_data_ends():
    loop: list = []
    loop.append(loop)
    assert digest(loop) == digest(loop)


PROGRAM = """
import sys
import numpy as np
import tegula as tg
from tegula import _compile

FACTOR = {factor}

def helper(x):
    return x {operator} FACTOR

@tg.kernel
def kernel(b: tg.Array):
    tg.store(b, 0, helper(tg.load(b, 0, 1) + 3.0))

b = np.zeros(1, np.float32)
kernel[1](b)
print(b[0], _compile.recent()[-1].origin, "tegula.mlir" in sys.modules)
"""


def test_the_disk_cache_is_keyed_by_what_a_kernel_reaches(tmp_path):
    """A second process finds the kernel without loading MLIR; a changed helper is compiled anew."""
    environment = {**os.environ, "TEGULA_CACHE_DIR": str(tmp_path / "cache")}
    environment.pop("TEGULA_DISABLE_CACHE", None)
    environment.pop("TEGULA_DUMP", None)
    file = tmp_path / "program.py"

    def execute(factor, operator):
        file.write_text(textwrap.dedent(PROGRAM.format(factor=factor, operator=operator)))
        done = subprocess.run(
            [sys.executable, str(file)],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.split()

    assert execute("2.0", "*") == ["6.0", "compiled", "True"]
    assert execute("2.0", "*") == ["6.0", "disk", "False"]
    assert execute("5.0", "*") == ["15.0", "compiled", "True"]
    assert execute("2.0", "+") == ["5.0", "compiled", "True"]
    assert execute("2.0", "*") == ["6.0", "disk", "False"]


@pytest.mark.parametrize("kind", ["list", "dict"])
def test_guards_compare_containers_by_their_items(kind):
    data = [1.0] if kind == "list" else {0: 1.0}

    @tg.kernel
    def kernel(b: tg.Array):
        tg.store(b, 0, data[0])

    assert run(kernel) == 1
    data[0] = 2.0
    assert run(kernel) == 2
