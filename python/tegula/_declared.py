# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the definition of a kernel declares: a plain function, and what each parameter takes.

The native launcher checks arguments by this, so it is found once, when the function is decorated.
"""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import Any

from tegula import _native
from tegula._show import show
from tegula._structures import Spec, is_structure
from tegula.errors import TileTypeError
from tegula.lang.array import Array
from tegula.lang.control import Const
from tegula.lang.dtypes import DType

_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def plain_function(function: object) -> FunctionType:
    """The function to decorate."""
    inner = function.__func__ if isinstance(function, staticmethod) else function
    if not isinstance(inner, FunctionType):
        raise TileTypeError(
            f"@tg.kernel needs a function, not {type(inner).__name__} {show(inner)}",
            help="decorate a function defined with `def`",
        )
    if inspect.iscoroutinefunction(inner) or inspect.isgeneratorfunction(inner):
        raise TileTypeError(
            f"the kernel {inner.__name__!r} must be a plain function, without `async` and `yield`",
            help="a kernel returns nothing; write its results to arrays with tg.store",
        )
    return inner


def parameters(
    function: FunctionType, scope: dict[str, Any]
) -> tuple[list[Spec], dict[str, object]]:
    """What the launcher must know of each parameter, and which ones take structures."""
    found: list[Spec] = []
    structured: dict[str, object] = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in _VARIADIC:
            star = "*" if parameter.kind is _VARIADIC[0] else "**"
            raise TileTypeError(
                f"the kernel {function.__name__!r} has the parameter {star}{parameter.name}, but "
                "kernels take a fixed number of arguments",
                help="name each parameter; a tuple of numbers can be one tg.Const parameter",
            )
        annotation = _annotation(function, parameter.annotation, scope)
        kind, dtype = _kind(annotation)
        if is_structure(annotation):
            structured[parameter.name] = annotation
        missing = parameter.default is inspect.Parameter.empty
        default = _native.MISSING if missing else parameter.default
        found.append((parameter.name, kind, dtype, default))
    return found, structured


def _kind(annotation: object) -> tuple[str, str | None]:
    if annotation is Array:
        return "array", None
    if annotation is Const:
        return "const", None
    if isinstance(annotation, DType):
        return "scalar", annotation.name
    return "auto", None


def _annotation(function: FunctionType, annotation: object, scope: dict[str, Any]) -> object:
    """An annotation as an object; one that cannot be evaluated says nothing."""
    if not isinstance(annotation, str):
        return annotation
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    names = dict(scope)
    for name, cell in cells:
        try:
            names[name] = cell.cell_contents
        except ValueError:  # not bound yet
            continue
    try:
        return eval(annotation, function.__globals__, names)
    except Exception:
        return None
