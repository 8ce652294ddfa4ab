# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Containers of tiles seen as trees: what carried variables may hold.

Lists, tuples, named tuples, dicts, dataclasses and instances of ordinary classes are nodes;
everything else is a leaf. A frozen tree remembers what a container held at some moment, so that a
branch can be undone before the other one is traced, and so that two branches can be compared.
"""

from __future__ import annotations

import copy
import functools
import sys
import types
from collections.abc import Callable, Collection, Iterator
from typing import Any, TypeAlias, cast

from tegula.lang.array import Array
from tegula.lang.dtypes import DType
from tegula.lang.tile import Tile


class _Mark:
    """A value that stands for the absence of one."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name


# Set in the flags of classes that are made by Python code.
_HEAP_TYPE = 1 << 9

# A variable that is not bound, and the return value of a function that has not returned yet.
UNDEFINED = _Mark("UNDEFINED")
UNSET = _Mark("UNSET")

Tree: TypeAlias = Any  # a Node or a leaf
Path: TypeAlias = tuple[Any, ...]


class Node:
    """A container as it was.

    Attributes:
        source: the container itself.
        keys: indices, dict keys or attribute names.
        items: the trees of what it held.
    """

    __slots__ = ("items", "keys", "source")

    def __init__(self, source: object, keys: tuple[Any, ...], items: list[Tree]) -> None:
        self.source = source
        self.keys = keys
        self.items = items

    def like(self, other: Node) -> bool:
        """Whether two containers have one type and one set of keys, in order."""
        return type(self.source) is type(other.source) and self.keys == other.keys

    def rebuild(self, items: list[Any]) -> Any:
        """A new container of this kind."""
        kind: Any = type(self.source)
        if isinstance(self.source, tuple):
            return kind(*items) if hasattr(kind, "_fields") else kind(items)
        if isinstance(self.source, list):
            return kind(items)
        made = copy.copy(self.source)
        _fill(made, self.keys, items)
        return made

    def write(self, items: list[Any]) -> Any:
        """Put items into the container itself and give it; a tuple that changes is a new one."""
        now = cast("Any", self.source)
        if not isinstance(self.source, tuple):
            _fill(now, self.keys, items)
            return now
        kept = all(a is b for a, b in zip(items, now, strict=True))
        return now if kept else self.rebuild(items)


def _fill(container: Any, keys: tuple[Any, ...], items: list[Any]) -> None:
    if isinstance(container, list):
        container[:] = items
    elif isinstance(container, dict):
        table = cast("dict[Any, Any]", container)
        table.clear()
        table.update(zip(keys, items, strict=True))
    else:
        for key in set(_attributes(container)).difference(keys):
            object.__delattr__(container, key)
        for key, item in zip(keys, items, strict=True):
            object.__setattr__(container, key, item)


def freeze(value: object, depth: int = 64, _above: tuple[int, ...] = ()) -> Tree:
    """The tree of a value at this moment; containers deeper than `depth` are leaves."""
    if isinstance(value, (Tile, int, float, str, DType, Array, type(None))):
        return value
    if id(value) in _above or len(_above) >= depth:
        return value
    entries = _entries(value)
    if entries is None:
        return value
    above = (*_above, id(value))
    return Node(value, entries[0], [freeze(item, depth, above) for item in entries[1]])


def _entries(value: object) -> tuple[tuple[Any, ...], list[Any]] | None:
    """Keys and items of a container, or None for a leaf."""
    if isinstance(value, (list, tuple)):
        items = list(cast("list[Any]", value))
        if hasattr(cast("Any", value), "_fields"):
            return tuple(cast("Any", value)._fields), items
        return tuple(range(len(items))), items
    if isinstance(value, dict):
        table = cast("dict[Any, Any]", value)
        return tuple(table), list(table.values())
    if _is_record(type(value)):
        names = _attributes(value)
        return tuple(names), [object.__getattribute__(value, name) for name in names]
    return None


@functools.cache
def _is_record(kind: type[Any]) -> bool:
    """Whether a class is an ordinary one of the user's, whose instances are their attributes."""
    if kind is types.SimpleNamespace:
        return True
    is_python = bool(kind.__flags__ & _HEAP_TYPE)
    top = kind.__module__.partition(".")[0]
    library = top in sys.stdlib_module_names or top in ("tegula", "numpy", "ml_dtypes")
    opaque = issubclass(kind, (type, BaseException)) or hasattr(kind, "__array__")
    return is_python and not library and not opaque and not hasattr(kind, "__dlpack__")


def _attributes(value: object) -> list[str]:
    """Names of the attributes that an instance has of its own.

    A class may define `__getattr__` and answer to every name, so that is not asked.
    """
    stored = own(value, "__dict__")
    names = [] if stored is MISSING else list[str](stored)
    for kind in type(value).__mro__:
        slots: Any = kind.__dict__.get("__slots__", ())
        for name in [slots] if isinstance(slots, str) else slots:
            if name in ("__dict__", "__weakref__"):
                continue
            hidden = name.startswith("__") and not name.endswith("__")
            names.append(f"_{kind.__name__.lstrip('_')}{name}" if hidden else name)
    return [name for name in names if own(value, name) is not MISSING]


MISSING = object()


def own(value: object, name: str) -> Any:
    """What an object has under a name, else MISSING; `__getattr__` is not asked."""
    try:
        return object.__getattribute__(value, name)
    except AttributeError:
        return MISSING


def thaw(tree: Tree, leaf: Callable[[Any], Any] = lambda x: x, *, in_place: bool = False) -> Any:
    """The value of a tree, with `leaf` applied to its leaves.

    Containers are new ones, or with `in_place` the ones that were frozen.
    """
    if not isinstance(tree, Node):
        return leaf(tree)
    items = [thaw(item, leaf, in_place=in_place) for item in tree.items]
    return tree.write(items) if in_place else tree.rebuild(items)


def leaves(tree: Tree, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """All leaves with the keys that lead to them."""
    if not isinstance(tree, Node):
        yield path, tree
        return
    for key, item in zip(tree.keys, tree.items, strict=True):
        yield from leaves(item, (*path, key))


def changed(tree: Tree, owned: Collection[int]) -> bool:
    """Whether a container, or one inside it, no longer holds what it held when it was frozen.

    Containers with a number in `owned`, which is their `id`, do not count.
    """
    if not isinstance(tree, Node) or id(tree.source) in owned:
        return False
    entries = _entries(tree.source)
    if entries is None or entries[0] != tree.keys:
        return True
    for now, then in zip(entries[1], tree.items, strict=True):
        before = then.source if isinstance(then, Node) else then
        if now is not before or changed(then, owned):
            return True
    return False


def containers(tree: Tree) -> Iterator[int]:
    """The `id` of every container of a tree."""
    if isinstance(tree, Node):
        yield id(tree.source)
        for item in tree.items:
            yield from containers(item)


def same(a: object, b: object) -> bool:
    """Whether two leaves are the same compile-time value."""
    if a is b:
        return True
    if type(a) is not type(b) or isinstance(a, Tile):
        return False
    try:
        return bool(a == b) and repr(a) == repr(b)  # -0.0 is not 0.0
    except Exception:  # a comparison of the user's may do anything
        return False


def path_text(name: str, path: Path) -> str:
    """How a leaf of a variable is written, for messages."""
    text = "the return value" if name == ".value" else name
    for key in path:
        text += f".{key}" if isinstance(key, str) and key.isidentifier() else f"[{key!r}]"
    return text
