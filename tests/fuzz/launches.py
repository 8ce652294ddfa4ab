# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hostile arguments: kernels are launched, and functions called, with what nobody should pass.

Interpreted and compiled launches must end alike: with the same memory, or both with an error of
this package, which shows no line of the package.
"""

from __future__ import annotations

import dataclasses
import importlib
import os
import random
import warnings
from typing import Any

import numpy as np

import tegula as tg
from tegula._location import is_own_file
from tegula.errors import LaunchError, StoreError, TegulaError
from tests._support.arrays import is_float
from tests.fuzz import calls, hostile
from tests.fuzz.kinds import Finding, Note
from tests.fuzz.pool import normalize, origin

BLOCK = 4


def corner(a: tg.Array) -> tuple[int, ...]:
    return (0,) * a.ndim


def extents(a: tg.Array) -> tuple[int, ...]:
    return (BLOCK,) * min(a.ndim, 4) + (1,) * max(0, a.ndim - 4)


def whole(a: tg.Array) -> tg.Tile:
    return tg.load(a, corner(a), extents(a))


@tg.kernel
def copied(a: tg.Array, b: tg.Array):
    tg.store(b, (tg.program_id(0), *corner(b)[1:]), whole(a).astype(b.dtype))


@tg.kernel
def shifted(a: tg.Array, b: tg.Array, s):
    tg.store(b, corner(b), (whole(a) + s).astype(b.dtype))


@tg.kernel
def scaled(a: tg.Array, b: tg.Array, s: tg.float32, n: tg.int8 = 3):
    tg.store(b, corner(b), (whole(a) * s - n).astype(b.dtype))


@tg.kernel
def anything(a, b):
    tg.store(b, corner(b), tg.full(extents(b), a, b.dtype) if not hasattr(a, "ndim") else whole(a))


@tg.kernel
def gathered(a: tg.Array, i: tg.Array, b: tg.Array):
    places = tg.load(i, 0, 8)
    tg.scatter(b, (tg.arange(8), *corner(b)[1:]), tg.gather(a, (places, *corner(a)[1:]), pad=1))


@tg.kernel
def scattered(a: tg.Array, i: tg.Array, b: tg.Array):
    places = tg.load(i, 0, 4)
    last = tg.max(places)
    tg.scatter(b, (last, *corner(b)[1:]), tg.sum(whole(a)).astype(b.dtype))


@tg.kernel
def counted(i: tg.Array, b: tg.Array):
    tg.atomic_add(b, (tg.load(i, 0, 8), *corner(b)[1:]), tg.ones((8,), b.dtype))


@tg.kernel
def product(a: tg.Array, b: tg.Array, c: tg.Array):
    tg.store(c, (0, 0), tg.dot(tg.load(a, (0, 0), (4, 5)), tg.load(b, (0, 0), (5, 3))))


@tg.kernel
def totals(a: tg.Array, b: tg.Array, AXIS: tg.Const = 0):
    tg.store(b, (0,), tg.sum(whole(a), axis=AXIS).astype(b.dtype))


@tg.kernel
def moved(a: tg.Array, b: tg.Array, n: tg.int64):
    tg.store(b, offset=n, tile=tg.load(a[n:], offset=n - 1, shape=5).astype(b.dtype))


@tg.kernel
def viewed(a: tg.Array, b: tg.Array, n: tg.int64):
    tg.store(b, (0, 0), tg.load(a.reshape(n, -1), (0, 0), (4, 4)).astype(b.dtype))


@tg.kernel
def structured(p: tuple, b: tg.Array):
    tg.store(b, corner(b), (whole(p[0]) + p[1]).astype(b.dtype))


@tg.kernel
def named(p: hostile.Pair, b: tg.Array):
    tg.store(b, corner(b), (whole(p.first) * p.second).astype(b.dtype))


@dataclasses.dataclass
class Options:
    """Arguments in a dataclass."""

    a: object
    s: object


@tg.kernel
def classy(p: Options, b: tg.Array):
    tg.store(b, corner(b), (whole(p.a) + p.s).astype(b.dtype))


@tg.kernel
def constant(b: tg.Array, N: tg.Const):
    tg.store(b, corner(b), tg.full(extents(b), N, b.dtype))


@tg.kernel
def shaped(b: tg.Array, N: tg.Const):
    tg.store(b, corner(b), tg.zeros(N, b.dtype))


@tg.kernel(checked=True)
def checked(a: tg.Array, b: tg.Array, n):
    tg.store(b, (n,), tg.load(a, (n,), (4,)).astype(b.dtype))


@tg.kernel
def relying(a: tg.Array, b: tg.Array, n: tg.int32):
    tg.assume(n % 16 == 0)
    tg.no_alias(a, b)
    tg.store(b, corner(b), (whole(a) + n).astype(b.dtype))


@tg.kernel
def asserting(a: tg.Array, b: tg.Array):
    assert tg.all(whole(a) == whole(a)), "NaN"
    tg.store(b, corner(b), whole(a).astype(b.dtype))


# What each parameter wants: an array, indices, a number, a structure of two.
TEMPLATES = {
    **{"copied": "aa", "shifted": "aan", "scaled": "aan", "anything": "na", "gathered": "aia"},
    **{"scattered": "aia", "counted": "ia", "product": "aaa", "totals": "aan", "moved": "aan"},
    **{"viewed": "aan", "structured": "ta", "named": "pa", "classy": "ca", "constant": "an"},
    **{"shaped": "an", "checked": "aan", "relying": "aan", "asserting": "aa"},
}
MAKERS = {"t": lambda a, b: (a, b), "p": hostile.Pair, "c": Options}


def argument(rng: random.Random, kind: str) -> dict[str, Any]:
    if kind in MAKERS and rng.random() < 0.95:
        parts = [hostile.argument(rng, part) for part in "an"]
        return {"make": kind, "parts": parts}
    return hostile.argument(rng, "a" if kind in MAKERS else kind)


def build(item: dict[str, Any], blocks: list[np.ndarray]) -> Any:
    if "make" in item:
        return MAKERS[item["make"]](*(hostile.make(part, blocks) for part in item["parts"]))
    return hostile.make(item, blocks)


class Launches:
    """See the module's text."""

    name = "launches"
    seconds = 30.0
    chunk = 2000
    share = 0.30

    def prepare(self) -> None:
        """Import the compiler."""
        for name in ("ir", "passmanager", "_mlir_libs._tegulaToLlvm"):
            importlib.import_module(f"tegula.mlir.{name}")
        importlib.import_module("llvmlite.binding")
        warnings.simplefilter("ignore")

    def make(self, rng: random.Random) -> dict[str, Any]:
        """A kernel, a grid and arguments; or a function of the package and arguments."""
        if rng.random() < 0.12:
            return calls.make(rng)
        name = rng.choice(sorted(TEMPLATES))
        arguments = [argument(rng, kind) for kind in TEMPLATES[name]]
        grid = rng.choice(GRIDS if rng.random() < 0.15 else GRIDS[:9])
        if rng.random() < 0.15:
            where = rng.randrange(len(arguments))
            arguments[where] = {"same": rng.randrange(4), "shift": rng.randrange(4)}
            grid = "1"
        draw = rng.random()
        if draw < 0.02:
            arguments.pop(rng.randrange(len(arguments)))
        elif draw < 0.04:
            arguments.append(argument(rng, "a"))
        return {"kernel": name, "grid": grid, "arguments": arguments}

    def run(self, item: dict[str, Any], note: Note) -> str:
        """Launch interpreted and compiled, and compare."""
        if "call" in item:
            return calls.run(item, note)
        note(f"interpreting {item['kernel']}")
        want, expected = launch(item, interpreted=True)
        note(f"launching {item['kernel']}")
        got, found = launch(item, interpreted=False)
        if not alike(want, got, item):
            ends = f"interpreted {name_of(want)}, compiled {name_of(got)}"
            raise Finding(f"{item['kernel']}: {ends}", f"{want}\n---\n{got}")
        if got is not None:
            return f"refused: {type(got).__name__}"
        if want is not None:
            return f"refused by the interpreter alone: {type(want).__name__}"
        for w, g in zip(expected, found, strict=True):
            if not equal(w, g):
                bad = np.argwhere(w != g)
                raise Finding(f"{item['kernel']}: memory differs", f"{w}\n---\n{g}\nat {bad[:5]}")
        return "same"


GRIDS = hostile.GRIDS


def launch(
    item: dict[str, Any], *, interpreted: bool
) -> tuple[TegulaError | None, list[np.ndarray]]:
    """The error of a launch, and the memory after it.

    Raises:
        Finding: another error, or a line of the package in the traceback.
    """
    blocks: list[np.ndarray] = []
    arguments = [build(part, blocks) for part in item["arguments"]]
    grid = eval(item["grid"], {"np": np})
    kernel = globals()[item["kernel"]]
    if interpreted:
        with tg.interpret():
            return attempt(kernel, grid, arguments, blocks)
    return attempt(kernel, grid, arguments, blocks)


def attempt(
    kernel: tg.Kernel, grid: Any, arguments: list[Any], blocks: list[np.ndarray]
) -> tuple[TegulaError | None, list[np.ndarray]]:
    """See :func:`launch`."""
    try:
        kernel[grid](*arguments)
    except TegulaError as error:
        check_frames(error)
        return error, blocks
    except Exception as error:
        os.environ["TEGULA_FULL_TRACEBACK"] = "1"
        try:
            kernel[grid](*arguments)
        except Exception as again:
            if type(again) is type(error) and is_own(again):
                raise
        finally:
            del os.environ["TEGULA_FULL_TRACEBACK"]
        return LaunchError(f"{type(error).__name__} of the argument itself"), blocks
    return None, blocks


def is_own(error: BaseException) -> bool:
    """Whether an error is this package's, not what an argument's method or a kernel raises."""
    return not any(name in origin(error) for name in ("hostile.py", "launches.py:", "calls.py"))


def check_frames(error: BaseException) -> None:
    """No line of the package is in the traceback.

    Raises:
        Finding: there is one.
    """
    step = error.__traceback__
    while step is not None:
        code = step.tb_frame.f_code
        if is_own_file(code.co_filename):
            name = f"{code.co_filename.rsplit('/', 1)[-1]}:{code.co_name}"
            raise Finding(f"a frame of ours: {name}", normalize(str(error)))
        step = step.tb_next


def name_of(error: object) -> str:
    return "well" if error is None else type(error).__name__


def alike(want: TegulaError | None, got: TegulaError | None, item: dict[str, Any]) -> bool:
    """Whether an interpreted and a compiled launch ended alike."""
    if (want is None) == (got is None):
        return True  # which of several errors comes first is free
    if 0 in _sizes(item["grid"]) and want is None:
        return True  # nothing was interpreted
    if "NumPy has no arrays" in str(want):
        return True
    text = str(got)
    if isinstance(got, LaunchError) and ("rank 0" in text or "overlap" in text):
        return True  # arrays of rank 0 are the interpreter's; overlaps are found before the launch
    if isinstance(got, StoreError):
        return True  # the interpreter stops at other errors first, and at stores that happen
    return False


def _sizes(grid: str) -> tuple[object, ...]:
    value = eval(grid, {"np": np})
    return value if isinstance(value, tuple) else (value,)


def equal(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two blocks hold the same values; NaNs are alike."""
    if a.tobytes() == b.tobytes():
        return True
    if not is_float(a.dtype):
        return False
    return bool(((a == b) | ((a != a) & (b != b))).all())


KIND = Launches()
