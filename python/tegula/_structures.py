# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments that hold several values: tuples, named tuples, dataclasses, and any nesting of them.

The launcher knows arrays and scalars only. A kernel with such parameters has one variant for each
structure that it is called with, whose parameters are the leaves; the kernel's function gets the
structure back, made of traced values.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Hashable, Mapping
from types import FunctionType, GenericAlias
from typing import TYPE_CHECKING, Any, cast, get_origin

from tegula import _env, _native
from tegula._interpret.arrays import is_array
from tegula._show import show
from tegula._trace import tree
from tegula.errors import LaunchError, strip_traceback

if TYPE_CHECKING:
    from tegula.kernel import Grid, Kernel

Spec = tuple[str, str, str | None, object]
Regroup = Callable[[dict[str, object]], dict[str, object]]


def is_structure(annotation: object) -> bool:
    """Whether an annotation declares a tuple, a named tuple or a dataclass."""
    found = get_origin(annotation) if isinstance(annotation, GenericAlias) else annotation
    if not isinstance(found, type):
        return False
    kind = cast("type[object]", found)
    return issubclass(kind, tuple) or dataclasses.is_dataclass(kind)


class StructuredLaunch:
    """`kernel[grid]` of a kernel that has such parameters."""

    def __init__(self, kernel: Kernel, grid: Grid) -> None:
        self._kernel = kernel
        self._grid = grid

    def __call__(self, *args: Any, **keywords: Any) -> None:
        """Launch the variant for the structures of the arguments.

        Raises:
            LaunchError: the arguments do not fit the parameters, or a leaf is no argument.
        """
        try:
            variant, flat = select_variant(self._kernel, args, keywords)
            variant[self._grid](*flat)
        except Exception as error:
            strip_traceback(error, full=_env.full_traceback())
            raise


def select_variant(
    kernel: Kernel, args: tuple[Any, ...], keywords: dict[str, Any]
) -> tuple[Kernel, list[Any]]:
    """The kernel for the structures of some arguments, and the arguments without structures.

    Raises:
        LaunchError: they do not fit the parameters.
    """
    values = _bind(kernel.function, args, keywords)
    try:
        trees = {name: _frozen(name, values[name]) for name in kernel.structured}
        key = tuple(_shape(trees[name]) for name in kernel.structured)
    except RecursionError:
        raise too_deep() from None
    variant = kernel.variants.get(key)
    if variant is None:
        variant = kernel.variants[key] = kernel.vary(*_flatten(kernel, trees))
    flat: list[Any] = []
    for name, value in values.items():
        found = trees.get(name, value)
        flat += [leaf for _, leaf in tree.leaves(found)] if name in trees else [value]
    return variant, flat


def too_deep() -> LaunchError:
    """The error for an argument with too many levels."""
    return LaunchError(
        "an argument is nested too deeply, or contains itself", help="pass a flatter structure"
    )


def _bind(
    function: FunctionType, args: tuple[Any, ...], keywords: dict[str, Any]
) -> dict[str, Any]:
    try:
        bound = inspect.signature(function).bind(*args, **keywords)
    except TypeError as error:
        raise LaunchError(
            f"the kernel {function.__name__!r} was called with other arguments than it takes: "
            f"{error}",
            help=f"its parameters are: {', '.join(inspect.signature(function).parameters)}",
        ) from None
    bound.apply_defaults()
    return bound.arguments


def _frozen(name: str, value: object) -> tree.Tree:
    """The tree of an argument."""
    found = tree.freeze(value) if not is_array(value) else value
    if not isinstance(found, tree.Node):
        raise LaunchError(
            f"the argument {name!r} must be a tuple, a named tuple or a dataclass, not "
            f"{type(value).__name__} {show(value)}",
            help="the annotation of the parameter says so; give several values as one tuple: "
            "kernel[grid]((x, y))",
        )
    return found


def _shape(found: tree.Tree) -> Hashable:
    """What two arguments must have in common to share a variant."""
    if isinstance(found, tree.Node):
        return type(found.source), found.keys, tuple(map(_shape, found.items))
    return None if _is_run_time(found) else ("const", cast("type[object]", type(found)))


def _is_run_time(leaf: object) -> bool:
    return is_array(leaf) or isinstance(leaf, (int, float)) or hasattr(leaf, "dtype")


def _flatten(kernel: Kernel, trees: Mapping[str, tree.Tree]) -> tuple[list[Spec], Regroup]:
    """The parameters of a variant, and what makes structures of their values again."""
    specs: list[Spec] = []
    parts: dict[str, list[str]] = {}
    for spec in kernel.specs:
        name = spec[0]
        if name not in trees:
            specs.append(spec)
            continue
        parts[name] = []
        for path, leaf in tree.leaves(trees[name]):
            text = tree.path_text(name, path)
            kind = "auto" if _is_run_time(leaf) else "const"
            specs.append((text, kind, None, _native.MISSING))
            parts[name].append(text)

    def regroup(values: dict[str, object]) -> dict[str, object]:
        result: dict[str, object] = {}
        for spec in kernel.specs:
            name = spec[0]
            if name in parts:
                leaves = iter([values[text] for text in parts[name]])
                result[name] = tree.thaw(trees_of[name], lambda _, leaves=leaves: next(leaves))
            else:
                result[name] = values[name]
        return result

    # The structure without the arrays of the first call, which it must not keep alive.
    trees_of = {name: _bare(found) for name, found in trees.items()}
    return specs, regroup


def _bare(found: tree.Tree) -> tree.Tree:
    """A tree of the same shape whose containers hold nothing of the user's."""
    if not isinstance(found, tree.Node):
        return None
    items = [_bare(item) for item in found.items]
    empty = tree.Node(found.source, found.keys, items).rebuild([None] * len(items))
    return tree.Node(empty, found.keys, items)
