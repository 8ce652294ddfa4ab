# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lets the launcher start kernels through a function of Python.

The launcher calls a function with the interface of compiled host code (`python/bindings/Abi.h`);
here one is made that hands the arguments on. It is for devices whose driver is reached by Python.
"""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from tegula import _native
from tegula._compile.artifact import Artifact

Run: TypeAlias = Callable[[Sequence[int], tuple[int, int, int]], None]

_ENTRY = ctypes.CFUNCTYPE(
    None,
    ctypes.c_void_p,
    *[ctypes.c_int64] * 5,
    ctypes.c_void_p,
)
_FAIL = ctypes.CFUNCTYPE(
    None,
    ctypes.c_void_p,
    ctypes.c_char_p,
    ctypes.c_char_p,
    *[ctypes.c_int64] * 5,
)
_MARK = "a launch failed: "
_failures: dict[str, BaseException] = {}
_numbers = itertools.count()


def specialization(
    run: Run, slots: int, artifact: Artifact, guards: Sequence[_native.Guard], **options: Any
) -> _native.Specialization:
    """What the launcher calls to have a kernel run.

    Args:
        run: is called once for each launch with the arguments, in 8-byte cells as integers, and the
            grid. What it raises, the launch raises.
        slots: number of cells.
        artifact: the kernel.
        guards: passed to the specialization.
        options: further options of the specialization.
    """

    def entry(
        cells: int, begin: int, _end: int, gx: int, gy: int, gz: int, context: int | None
    ) -> None:
        if begin != 0:
            return  # The launcher cut the grid in pieces; the first stands for all.
        try:
            run(list((ctypes.c_int64 * slots).from_address(cells)) if slots else [], (gx, gy, gz))
        except BaseException as error:
            _fail(context, error)

    function = _ENTRY(entry)
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    return _native.Specialization(
        address, writes=artifact.writes, owner=(function, run), guards=guards, **options
    )


def _fail(context: int | None, error: BaseException) -> None:
    """Make the launch fail with a message that names the error, which is kept until it is asked."""
    name = f"{_MARK}{next(_numbers)}"
    _failures[name] = error
    address = _native.symbol_address("tegula_rt_assert_fail")
    assert address is not None
    _FAIL(address)(context, name.encode(), b"", 0, 0, 0, 0, 0)


def take_failure(message: str) -> BaseException | None:
    """The error that a failed launch's message names, if it names one."""
    return _failures.pop(message, None)
