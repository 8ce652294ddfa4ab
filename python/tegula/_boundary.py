# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where errors leave this package: their tracebacks then end at the user's line."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from tegula import _env
from tegula.errors import strip_traceback

_P = ParamSpec("_P")
_R = TypeVar("_R")


def boundary(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Decorator of what users call: tracebacks of its errors show no line of this package.

    TEGULA_FULL_TRACEBACK=1 shows them all.
    """

    @functools.wraps(function)
    def call(*args: _P.args, **keywords: _P.kwargs) -> _R:
        try:
            return function(*args, **keywords)
        except Exception as error:
            strip_traceback(error, full=_env.full_traceback())
            raise  # which adds no line of its own

    return call
