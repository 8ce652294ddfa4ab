# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MLIR locations of the user's code that is running.

They are file, line and column, with the calls that led there.
Every operation asks for one, so the walk over the stack compares object identities only, and one
chain of calls becomes one location object that is looked up from then on.
"""

from __future__ import annotations

import sys
from types import CodeType, FrameType
from typing import Any

from tegula._location import is_user_file, locate

_Chain = tuple[tuple[int, int], ...]


class Locations:
    """Makes and remembers the locations of one trace.

    Args:
        ir: the module of MLIR's Python bindings.
        unknown: the location of what no line of the user's code asked for.
        stop: the code object of our function that calls the kernel's: chains end there.
    """

    def __init__(self, ir: Any, unknown: Any, stop: CodeType) -> None:
        self._ir = ir
        self._unknown = unknown
        self._context = unknown.context
        self._stop = stop
        self._chains: dict[_Chain, Any] = {}
        self._single: dict[tuple[int, int], Any] = {}
        # Numbers of code objects are their addresses, which must not be used again meanwhile.
        self._codes: dict[int, CodeType] = {}
        self._user: dict[int, bool] = {}

    def current(self) -> Any:
        """The location of the innermost line of the user's code on the stack."""
        chain: list[tuple[int, int]] = []
        frame: FrameType | None = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
        user, stop = self._user, self._stop
        while frame is not None:
            code = frame.f_code
            if code is stop:
                break
            known = user.get(id(code))
            if known is None:
                known = self._classify(code)
            if known:
                chain.append((id(code), frame.f_lasti))
            frame = frame.f_back
        key = tuple(chain)
        found = self._chains.get(key)
        if found is None:
            found = self._chains[key] = self._make(key)
        return found

    def _classify(self, code: CodeType) -> bool:
        self._codes[id(code)] = code
        known = self._user[id(code)] = is_user_file(code.co_filename)
        return known

    def _make(self, chain: _Chain) -> Any:
        if not chain:
            return self._unknown
        places = [self._place(item) for item in chain]
        if len(places) == 1:
            return places[0]
        return self._ir.Location.callsite(places[0], places[1:], self._context)

    def _place(self, item: tuple[int, int]) -> Any:
        found = self._single.get(item)
        if found is None:
            place = locate((self._codes[item[0]], item[1]))
            found = self._ir.Location.file(
                place.file, place.line, place.column or 1, context=self._context
            )
            self._single[item] = found
        return found
