# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments that the native launcher has checked, without launching anything.

A dispatcher that is asked for a specialization of new kinds of arguments ends the launch here, so
that the interpreter and whoever compiles without running sees what a launch would see.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from tegula import _native
from tegula._trace.tracer import Signature
from tegula.lang import dtypes
from tegula.lang.control import ConstValue


class Bound(BaseException):
    """Ends a launch whose arguments have been checked."""

    def __init__(self, signature: Signature, arguments: tuple[Any, ...]) -> None:
        super().__init__()
        self.signature = signature
        self.arguments = arguments

    def values(self, names: Sequence[str]) -> dict[str, object]:
        """The arguments by name, as the interpreter takes them."""
        found: dict[str, object] = {}
        for name, entry, value in zip(names, self.signature.entries, self.arguments, strict=True):
            if entry[0] == "const":
                value = ConstValue(value)
            elif entry[0] == "scalar" and not entry[2]:
                value = dtypes.as_dtype(entry[1]).numpy.type(value)
            found[name] = value
        return found


def stop(signature: _native.Signature, arguments: tuple[Any, ...]) -> NoReturn:
    raise Bound(Signature(*signature), arguments)


def bind(launch: _native.Launch, args: tuple[Any, ...], keywords: dict[str, Any]) -> Bound:
    """Check arguments without running anything."""
    try:
        launch(*args, **keywords)
    except Bound as bound:
        return bound
    raise AssertionError("the launcher did not ask for a specialization")
