# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a kernel depends on besides its arguments.

That is the functions it can call, and the global and closure variables that those read. They are
found without tracing, by following names from the kernel's function, so that a kernel can be looked
up in a cache on disk before MLIR is even loaded. The digest is for that lookup. The guards are for
the launcher, which checks before each call that every variable still has its value, so that a
changed global or a redefined helper never runs stale code.

A trace may also reach functions that no name leads to (out of a dict of callables, by `getattr`).
Those are added when it happens, and such a kernel is not kept in caches.
"""

from __future__ import annotations

import copy
import enum
import functools
import hashlib
import sys
from collections import deque
from collections.abc import Iterator
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple, cast

import numpy as np

from tegula import _native
from tegula._location import is_user_file
from tegula._trace.tree import MISSING, Node, freeze, own
from tegula.lang.dtypes import DType

_LIBRARIES = frozenset((*sys.stdlib_module_names, "tegula", "numpy", "ml_dtypes"))
_LARGEST_ARRAY = 1 << 16
_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis))
_CONTAINERS: tuple[Any, ...] = (list, tuple, dict, set)


class Guard(NamedTuple):
    """One value: a cell's contents (name None), an item of a dict, or an object's attribute."""

    container: object
    name: str | None
    value: object

    def current(self) -> object:
        """The value now; MISSING if there is none."""
        place: Any = self.container
        try:
            if isinstance(place, CellType):
                return place.cell_contents
            if isinstance(place, dict):
                return cast("dict[str, Any]", place)[self.name or ""]
        except (KeyError, ValueError):
            return MISSING
        return own(place, self.name or "")


class Dependencies:
    """Everything that is reached from some functions and values.

    Attributes:
        functions: the functions as the user wrote them.
        guards: the variables that they read.
        complete: whether all of it could be described; if not, the digest means nothing.
    """

    def __init__(self) -> None:
        self.functions: dict[int, FunctionType] = {}
        self.guards: list[Guard] = []
        self.complete = True
        self._guarded: set[tuple[int, str | None]] = set()
        self._seen: dict[int, object] = {}
        self._queue: deque[object] = deque()
        self._hash = hashlib.blake2b(digest_size=20)

    def add(self, value: object) -> None:
        """Follow a value, and what it leads to."""
        self._describe(value)
        while self._queue:
            item = self._queue.popleft()
            if isinstance(item, FunctionType):
                self._function(item)
            elif isinstance(item, type):
                self._class(item)

    def digest(self) -> bytes:
        """A hash of all of it."""
        return self._hash.digest()

    def reach(self, function: FunctionType) -> None:
        """Note that a trace calls a function."""
        if id(function) in self.functions or not is_user_file(function.__code__.co_filename):
            return
        self.add(function)
        self.complete = False

    def settle(self) -> None:
        """Forget variables that the trace itself changed."""
        self.guards = [guard for guard in self.guards if _holds(guard)]

    # Functions and variables
    def _function(self, function: FunctionType) -> None:
        code = function.__code__
        self.functions[id(function)] = function
        self._code(code)
        for default in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
            self._describe(default)
        names = sorted(set(_names_used(code)))
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            self._write("cell", name)
            self._variable(cell, None, names)
        self._names(function.__globals__, names)

    def _names(self, variables: dict[str, Any], names: list[str]) -> None:
        for name in names:
            # What no source can spell is a tool's: pytest gives asserts its `@pytest_ar`.
            if name in variables and name.isidentifier():
                self._write("name", name)
                self._variable(variables, name, names)

    def _variable(self, container: object, name: str | None, names: list[str]) -> None:
        value = Guard(container, name, None).current()
        if value is MISSING:
            return  # not set yet
        self._describe(value)
        if isinstance(value, ModuleType):
            if not _is_library(value.__name__) and id(vars(value)) not in self._seen:
                # `config.BLOCK` reads the name BLOCK of the module.
                self._seen[id(vars(value))] = value
                self._names(vars(value), names)
            return
        self._guard(container, name, value)

    def _guard(self, container: object, name: str | None, value: object) -> None:
        key = (id(container), name)
        if key not in self._guarded:
            self._guarded.add(key)
            self.guards.append(Guard(container, name, _snapshot(value)))

    def _code(self, code: CodeType) -> None:
        """A code object: what it does, and where, for locations are part of the IR."""
        texts = (code.co_filename, code.co_name, *code.co_names, *code.co_varnames)
        self._write("code", *texts, code.co_firstlineno, code.co_argcount, code.co_flags)
        lines = code.co_linetable if sys.version_info >= (3, 10) else b""
        for data in (code.co_code, lines):
            self._hash.update(data)
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                self._code(constant)
            else:
                self._describe(constant)

    # Values
    def _describe(self, value: object) -> None:
        """Add a value to the digest; functions and classes wait in the queue."""
        if isinstance(value, _PLAIN):
            self._write(type(value).__name__, repr(value))
        elif isinstance(value, (FunctionType, type)):
            self._named(value)
        elif isinstance(value, (DType, enum.Enum, BuiltinFunctionType, np.ufunc)):
            self._write(type(value).__name__, repr(value))
        elif isinstance(value, ModuleType):
            self._write("module", value.__name__)
        elif isinstance(value, np.generic):
            self._array(cast("np.ndarray[Any, Any]", np.asarray(value)))  # type: ignore[redundant-cast]
        elif isinstance(value, np.ndarray):
            self._array(cast("np.ndarray[Any, Any]", value))
        elif isinstance(value, MethodType):
            self._parts("method", [value.__func__, value.__self__])
        elif isinstance(value, functools.partial):
            self._parts("partial", [value.func, value.args, value.keywords])
        elif isinstance(value, (set, frozenset)):
            self._parts("set", sorted(cast("set[Any]", value), key=repr))
        else:
            self._container(value)

    def _named(self, value: FunctionType | type) -> None:
        module = value.__module__ or ""
        self._write("named", module, value.__qualname__)
        if isinstance(value, FunctionType):
            follow = is_user_file(value.__code__.co_filename)
        else:
            follow = not _is_library(module)
        if follow and id(value) not in self._seen:
            self._seen[id(value)] = value
            self._queue.append(value)

    def _class(self, kind: type) -> None:
        for base in kind.__bases__:
            self._describe(base)
        for name, value in sorted(vars(kind).items()):
            if name in ("__dict__", "__weakref__", "__doc__", "__module__"):
                continue
            inner = _unwrapped(value)
            if isinstance(inner, (FunctionType, *_PLAIN, DType, tuple)):
                self._write("member", name)
                self._describe(inner)  # pyright: ignore[reportUnknownArgumentType]

    def _array(self, value: np.ndarray[Any, Any]) -> None:
        self._write("array", str(value.dtype), str(value.shape))
        if value.dtype.hasobject or value.nbytes > _LARGEST_ARRAY:
            self.complete = False
        else:
            self._hash.update(value.tobytes())

    def _container(self, value: object) -> None:
        wrapped = own(value, "__wrapped__")
        if isinstance(wrapped, FunctionType):  # a kernel, or functools.lru_cache
            self._parts(type(value).__name__, [wrapped])
            return
        tree = freeze(value, depth=1)
        if not isinstance(tree, Node):
            self._write(type(value).__qualname__)
            self.complete = False
        elif id(value) not in self._seen:
            self._seen[id(value)] = value
            if not isinstance(value, _CONTAINERS):
                for name, item in zip(tree.keys, tree.items, strict=True):
                    self._guard(value, name, item.source if isinstance(item, Node) else item)
            self._parts(type(value).__name__, [type(value), *tree.keys, *tree.items])

    def _parts(self, kind: str, parts: list[Any]) -> None:
        self._write(kind, len(parts))
        for part in parts:
            self._describe(part.source if isinstance(part, Node) else part)

    def _write(self, *parts: object) -> None:
        for part in parts:
            self._hash.update(f"{part}\0".encode(errors="surrogatepass"))


def _holds(guard: Guard) -> bool:
    try:
        return _native.same_value(guard.current(), guard.value)
    except Exception:
        return False


def _unwrapped(member: object) -> object:
    """The function that a member of a class runs, or the member."""
    if isinstance(member, (staticmethod, classmethod)):
        return cast("Any", member).__func__
    if isinstance(member, property):
        return member.fget
    if isinstance(member, functools.cached_property):
        return cast("Any", member).func
    return member


def _snapshot(value: Any, _above: tuple[int, ...] = ()) -> Any:
    """What to compare a variable with: lists, dicts and sets may change, so copies of them."""
    kind = next((kind for kind in _CONTAINERS if isinstance(value, kind)), None)
    if kind is None or id(value) in _above:
        return value
    above = (*_above, id(value))
    if kind is tuple:
        make: Any = getattr(value, "_make", None)
        items = [_snapshot(item, above) for item in list(value)]
        if make is None and type(value) is not kind:
            return value
        return tuple(items) if make is None else make(items)
    try:
        made = copy.copy(value)
    except Exception:  # A class of the user's that cannot be copied: known by its identity.
        return value
    if kind is list:
        made[:] = [_snapshot(item, above) for item in made]
    elif kind is dict:
        made.update({key: _snapshot(item, above) for key, item in made.items()})
    return made


def _is_library(module: str) -> bool:
    top = module.partition(".")[0]
    return top in _LIBRARIES and not module.startswith("tegula.ops")


def _names_used(code: CodeType) -> Iterator[str]:
    """Names of globals and attributes that a function and those inside it use."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_used(constant)
