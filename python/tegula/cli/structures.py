# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments that hold several values, of NAME=SPEC arguments for their parts.

Parts are named as in Python: `layer.weight=...`, `arrays[0]=...`, nested as deep as need be.
"""

from __future__ import annotations

import dataclasses
import re
import types
import typing
from collections.abc import Mapping
from typing import Any, cast

import click

from tegula._trace import tree

PART = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*|\[\d+\])*")
_KEY = re.compile(r"[^\W\d]\w*|\d+")


def gather(values: Mapping[str, Any], kinds: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments, with parts put into what they are parts of.

    Args:
        values: by name; names of parts are `a.b` or `a[0]`.
        kinds: annotations of the parameters that take structures.

    Raises:
        click.ClickException: parts do not make up what the annotation says.
    """
    table: dict[str, Any] = {}
    for name, value in values.items():
        *above, last = _KEY.findall(name)
        level = table
        for key in above:
            level = level.setdefault(key, _Parts())
            if not isinstance(level, _Parts):
                raise click.ClickException(f"{name} is part of what is given as a whole, too")
        if last in level:
            raise click.ClickException(f"{name} is given as a whole and in parts")
        level[last] = value
    return {name: _build(name, item, kinds.get(name)) for name, item in table.items()}


def flatten(values: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments by name, those that hold several in parts."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        for path, leaf in tree.leaves(tree.freeze(value)):
            found[tree.path_text(name, path)] = leaf
    return found


class _Parts(dict[str, Any]):
    """Parts of an argument by key."""


def _build(name: str, item: Any, kind: Any) -> Any:
    if not isinstance(item, _Parts):
        return item
    kind = _plain(kind)
    origin = typing.get_origin(kind) or kind
    if all(key.isdigit() for key in item) and not _fields(origin):
        return _tuple(name, item, kind)
    if not _fields(origin):
        raise click.ClickException(
            f"{name} has no part {next(iter(item))!r}: it is declared neither as a named tuple nor "
            "as a dataclass"
        )
    hints = _hints(origin)
    parts = {key: _build(f"{name}.{key}", part, hints.get(key)) for key, part in item.items()}
    try:
        return origin(**parts)
    except TypeError as error:
        raise click.ClickException(
            f"{name} is no {origin.__name__} with these parts: {error}"
            f"\nparts: {', '.join(f'{name}.{field}' for field in _fields(origin))}"
        ) from None


def _tuple(name: str, item: _Parts, kind: Any) -> tuple[Any, ...]:
    count = len(item)
    missing = [i for i in range(count) if str(i) not in item]
    if missing:
        raise click.ClickException(f"{name}[{missing[0]}] is missing; parts are numbered from 0")
    inner = typing.get_args(kind)
    if len(inner) == 2 and inner[1] is Ellipsis:
        inner = (inner[0],) * count
    inner = inner if len(inner) == count else (None,) * count
    return tuple(_build(f"{name}[{i}]", item[str(i)], inner[i]) for i in range(count))


def _plain(kind: Any) -> Any:
    """What an optional annotation is if it is there."""
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        rest = [item for item in typing.get_args(kind) if item is not type(None)]
        return rest[0] if len(rest) == 1 else None
    return kind


def _fields(kind: Any) -> tuple[str, ...]:
    if not isinstance(kind, type):
        return ()
    if dataclasses.is_dataclass(kind):
        return tuple(field.name for field in dataclasses.fields(kind) if field.init)
    return cast("tuple[str, ...]", getattr(cast("Any", kind), "_fields", ()))


def _hints(kind: type[Any]) -> dict[str, Any]:
    try:
        return typing.get_type_hints(kind)
    except Exception:  # names that exist for type checkers only
        return {}
