# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors of a launch, which the native launcher finds and this module words for the user."""

from __future__ import annotations

import inspect
import sys
from types import FunctionType
from typing import Any

from tegula._location import Location
from tegula._source import assert_at, call_at, parameter
from tegula.errors import DeviceError, KernelAssertionError, LaunchError, Note, StoreError

NO_ACCESS_HELP = (
    "for a PyTorch tensor that requires gradients pass tensor.detach(), for a sparse one "
    "tensor.to_dense(); otherwise pass a copy: np.array(...)"
)
_HELP = {
    "too-many": "leave the last ones out; constants are best given by name, as in BLOCK=128",
    "duplicate": "give it once, by position or by name",
    "not-array": "pass a NumPy array, or anything that speaks DLPack; np.asarray(...) makes one",
    "dtype": "convert it, for example with .astype(np.float32)",
    "rank": "use at most 8 dimensions",
    "unaligned": "copy it: np.ascontiguousarray(...)",
    "byte-order": "convert it to this machine's byte order: a.astype(a.dtype.newbyteorder('='))",
    "read-only": "pass a copy: {name}.copy()",
    "device": "put all arrays of a launch on one device",
    "no-access": NO_ACCESS_HELP,
    "grid": "use one to three integers >= 0, for example tg.cdiv(n, BLOCK) or n // BLOCK",
    "internal": "this is a fault of Tegula, not of the kernel; please report it",
}


def launch_error(
    function: FunctionType, kind: str, name: str | None, value: Any, text: str
) -> BaseException:
    """The exception for a refused launch.

    Args:
        function: the kernel's function.
        kind: one of the launcher's kinds of errors.
        name: the parameter it is about, or None.
        value: what was given for it; for "assert" what failed where.
        text: a complete sentence.
    """
    if kind == "assert":
        return _device_failure(value[0]) or _assertion(value)
    if kind == "driver":
        return DeviceError(text)
    note = _note(function, name)
    notes = () if note is None else (note,)
    if kind == "read-only":
        return StoreError(text, notes=notes, argument=name, help=_HELP[kind].format(name=name))
    return LaunchError(text, notes=notes, argument=name, help=_help(function, kind, name, value))


def _note(function: FunctionType, name: str | None) -> Note | None:
    """Where the parameter is declared."""
    place = parameter(function.__code__, name) if name is not None else None
    return None if place is None else Note(f"the parameter {name!r} is declared here", place)


def _help(function: FunctionType, kind: str, name: str | None, value: Any) -> str:
    if kind == "missing":
        return f"add {name}=..."
    if kind == "unexpected":
        names = ", ".join(inspect.signature(function).parameters)
        return f"the parameters of {function.__name__} are: {names}"
    if kind == "not-scalar":
        if hasattr(value, "shape"):
            return f"pass a number, or annotate the parameter: {name}: tg.Array"
        return "pass a Python or NumPy number"
    if kind == "dtype" and isinstance(value, (int, float)):
        return "pass a number of the parameter's dtype, for example int(x) or np.float32(x)"
    if kind == "not-const":
        if isinstance(value, (list, set, dict)):
            return "constants must be hashable: pass a tuple instead"
        return "constants must be hashable, such as numbers, strings and tuples of them"
    if kind == "range":
        return "pass a number in the range of the dtype, or annotate with a wider one: tg.int64"
    return _HELP.get(kind, "")


def _device_failure(message: str) -> BaseException | None:
    """What a launch through Python raised, if that is what failed."""
    hosted = sys.modules.get("tegula._runtime.hosted")
    return None if hosted is None else hosted.take_failure(message)


def _assertion(value: Any) -> KernelAssertionError:
    """A failed `assert`: `value` is (message, file, line, column, program)."""
    message, file, line, column, program = value
    from tegula._interpret.backend import assertion_error
    from tegula._runtime import printing

    place, text = Location(file, line, column or None), printing.take_report(message, program)
    if text is None:
        place, text = assert_at(place, message)
    else:
        place = call_at(place)
    return assertion_error(text, program, place)
