# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An error about an argument that a call gives by name shows that argument, not the whole call.

Each parameter of each function of the language gets something that it cannot be. Operands (`x`, `y`
and the like) are given by position, so the errors about them show the call.
"""

from __future__ import annotations

import importlib.util
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import tegula as tg
from tegula import lang
from tests._support.mistakes import HAS_COLUMNS

OPERANDS = {"x", "y", "z", "condition", "other"}
# Whatever is given counts as true or false, or is shown.
ANYTHING = {"approx", "descending", "keepdims", "largest", "message", "reverse", "signed"}
# Source text of right arguments by parameter.
RIGHT = {
    **dict(a="A", acc="None", axes="(1, 0)", axis="0", bins="8", compare="1.0", condition="t > 0"),
    **dict(counter="i", ddof="0", dtype="tg.float32", fn="lambda p, q: p + q", index="(0, 0)"),
    **dict(indices="(0, 0)", k="2", key="i", mask="True", max="1.0", min="0.0", offset="(0, 0)"),
    **dict(offsets="i", pad="0.0", precision="None", scale="u", seed="i", shape="(4, 8)"),
    **dict(shift="1", start="0", step="1", stop="8", tile="t", tiles="[t, t]", value="1.0"),
    **dict(x="t", y="t", z="t", a_scale="None", b_scale="None", a_format="'e4m3'", other="t.T"),
    **dict(b="t.T", b_format="'e4m3'"),
}
# Where a function takes something else.
OTHERWISE = {
    "arange": {"start": "1"},
    "bitcast": {"dtype": "tg.int32"},
    "clip": {"x": "t"},
    "dot": {"a": "t"},
    "dot_scaled": {"a": "f", "b": "f.T"},
    "histogram": {"x": "i"},
    "pack_int4": {"x": "i"},
    "take_along_axis": {"indices": "tg.zeros((4, 8), tg.int64)"},
    "unpack_fp4": {"x": "u"},
    "unpack_int4": {"x": "u"},
    **{f"atomic_{op}": {"a": "N", "value": "1", "pad": "0"} for op in ("and", "or", "xor")},
}
# What may be left out, but must be there for the others to be looked at.
NEEDED = {("load", "shape"), ("load", "index"), ("store", "index"), ("store", "tile")}
KERNEL = """
@tg.kernel
def kernel_{number}(A: tg.Array, N: tg.Array):
    t = tg.load(A, (0, 0), (4, 8))
    i = tg.arange(8)
    u = t.astype(tg.uint8)
    f = t.astype(tg.float8_e4m3fn)
    {call}
"""


def functions() -> Iterator[tuple[str, str, Callable[..., object], int]]:
    """What the language has: a name, how it is called, the function, its bound arguments."""
    for name in lang.__all__:
        if inspect.isfunction(getattr(lang, name)):
            yield name, f"tg.{name}", getattr(lang, name), 0
    for name, function in vars(lang.Tile).items():
        if inspect.isfunction(function) and not name.startswith("_"):
            yield name, f"t.{name}", function, 1


def wrong_calls() -> Iterator[tuple[str, str]]:
    """Calls with one argument that cannot be what it is, and that argument."""
    for name, shown, function, bound in functions():
        parameters = list(inspect.signature(function).parameters.values())[bound:]
        if any(item.kind is item.VAR_POSITIONAL for item in parameters):
            continue
        right = RIGHT | OTHERWISE.get(name, {})
        for wrong in parameters:
            if wrong.name in OPERANDS | ANYTHING:
                continue
            arguments = {
                item.name: right[item.name]
                for item in parameters
                if item.default is item.empty or (name, item.name) in NEEDED
            }
            if wrong.name == "offset":
                del arguments["index"]
            arguments[wrong.name] = "object"
            text = ", ".join(f"{key}={value}" for key, value in arguments.items())
            yield f"{shown}({text})", f"{wrong.name}=object"


CALLS = list(wrong_calls())


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """A kernel for each call, in a file, so that errors can show its lines."""
    path: Path = tmp_path_factory.mktemp("keywords") / "kernels.py"
    kernels = [KERNEL.format(number=i, call=call) for i, (call, _) in enumerate(CALLS)]
    path.write_text("import tegula as tg\n" + "".join(kernels))
    spec = importlib.util.spec_from_file_location("kernels", path)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@pytest.mark.interpreter
@pytest.mark.skipif(not HAS_COLUMNS, reason="Python 3.10 records lines only")
@pytest.mark.parametrize("number", range(len(CALLS)), ids=[f"{a} in {b}" for b, a in CALLS])
def test_an_argument_given_by_name_is_shown(module: ModuleType, number: int) -> None:
    kernel = getattr(module, f"kernel_{number}")
    with tg.interpret(), pytest.raises(tg.TegulaError) as caught:
        kernel[1](np.ones((4, 8), np.float32), np.ones((4, 8), np.int32))
    assert caught.value.location.text() == CALLS[number][1], str(caught.value)
