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
from tegula._runtime import messages

Run: TypeAlias = Callable[[Sequence[int], tuple[int, int, int]], messages.Report | None]

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
            grid. What it raises, the launch raises. What programs said, which it may return, is
            printed, and a failed assertion fails the launch.
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
            values = list((ctypes.c_int64 * slots).from_address(cells)) if slots else []
            report = run(values, (gx, gy, gz))
            if report is not None:
                _deliver(context, report)
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
    _record(context, name, "", 0, 0, (0, 0, 0))


def _deliver(context: int | None, report: messages.Report) -> None:
    """Print what programs printed, and make the launch fail if an assertion did."""
    messages.print_report(report)
    if report.failure is not None:
        _record(context, *report.failure)


def _record(
    context: int | None,
    message: str,
    file: str,
    line: int,
    column: int,
    program: tuple[int, int, int],
) -> None:
    """Tell the launcher of a failure, as compiled host code does."""
    address = _native.symbol_address("tegula_rt_assert_fail")
    assert address is not None
    _FAIL(address)(context, message.encode(), file.encode(), line, column, *program)


def take_failure(message: str) -> BaseException | None:
    """The error that a failed launch's message names, if it names one."""
    return _failures.pop(message, None)
