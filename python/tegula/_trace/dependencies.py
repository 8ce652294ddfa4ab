# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a trace took from the program around it: global variables, closure variables and functions.

A compiled kernel is only valid while these are what they were. The launcher checks them before each
call (guards), so a changed global or a redefined helper never runs stale code.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

_LIBRARIES = frozenset((*sys.stdlib_module_names, "tegula", "numpy", "ml_dtypes"))


class Guard(NamedTuple):
    """One value: `container[name]` of a dict, or with name None the contents of a cell."""

    container: dict[str, Any] | CellType
    name: str | None
    value: object

    def current(self) -> object:
        """The value now; the guard itself if there is none."""
        try:
            if isinstance(self.container, CellType):
                return self.container.cell_contents
            return self.container[self.name or ""]
        except (KeyError, ValueError):
            return self


class Dependencies:
    """Collects functions that a trace calls, and the variables that they read.

    Attributes:
        functions: the functions as the user wrote them, in the order they were first called.
        guards: their variables from outside.
    """

    def __init__(self) -> None:
        self.functions: list[FunctionType] = []
        self.guards: list[Guard] = []
        self._seen: set[int] = set()
        self._guarded: set[tuple[int, str | None]] = set()

    def reach(self, function: FunctionType) -> None:
        """Note that a function is called."""
        if id(function) in self._seen:
            return
        self._seen.add(id(function))
        self.functions.append(function)
        names = set(names_used(function.__code__))
        self._guard_module(function.__globals__, names)
        for cell in function.__closure__ or ():
            self._add(cell, None)

    def _guard_module(self, variables: dict[str, Any], names: set[str]) -> None:
        for name in names & variables.keys():
            value = variables[name]
            if not isinstance(value, ModuleType):
                self._add(variables, name)
            elif (id(vars(value)), None) not in self._guarded and is_users(value):
                # `config.BLOCK` reads the name BLOCK of the module.
                self._guard_module(vars(value), names)

    def _add(self, container: dict[str, Any] | CellType, name: str | None) -> None:
        key = (id(container), name)
        if key in self._guarded:
            return
        self._guarded.add(key)
        guard = Guard(container, name, None)
        value = guard.current()
        if value is not guard:
            self.guards.append(Guard(container, name, value))

    def settled(self) -> Dependencies:
        """These, without variables that the trace itself changed."""
        self.guards = [guard for guard in self.guards if guard.current() is guard.value]
        return self


def is_users(module: ModuleType) -> bool:
    """Whether a module is neither Python's nor one of the libraries that kernels build on."""
    return module.__name__.partition(".")[0] not in _LIBRARIES


def names_used(code: CodeType) -> Iterator[str]:
    """Names of globals and attributes that a function and those inside it use."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from names_used(constant)
