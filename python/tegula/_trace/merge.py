# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which dtype and shape a value has that comes from two places.

These are two branches, or the start of a loop and the end of its iteration.
Values that are known when the kernel is compiled and equal on both sides stay what they are.
Numbers and tiles become tiles: a Python number adapts to the other side's dtype, as it would in
arithmetic; anything else must agree.
"""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np

from tegula._show import show
from tegula._trace.tree import Node
from tegula.lang import _operands, dtypes, promotion
from tegula.lang.dtypes import DType
from tegula.lang.tile import Tile


class Spec(NamedTuple):
    """Dtype and shape of a carried value, and whether it promotes like a Python number."""

    dtype: DType
    shape: tuple[int, ...]
    weak: bool

    def __str__(self) -> str:
        """For messages."""
        if self.weak:
            return f"a Python {_PYTHON[self.dtype.kind]}"
        article = "an" if self.dtype.name[0] in "aeiou" else "a"
        if self.shape == ():
            return f"{article} {self.dtype} scalar"
        return f"{article} {self.dtype} tile of shape {self.shape}"


_PYTHON = {"b": "bool", "i": "int", "u": "int", "f": "float"}


def spec_of(leaf: object) -> Spec | None:
    """The spec of a tile or number, None for anything else."""
    if isinstance(leaf, Tile):
        return Spec(leaf.dtype, leaf.shape, leaf.weak)
    if isinstance(leaf, np.generic):
        dtype = dtypes.from_numpy(cast("np.dtype[Any]", np.asarray(leaf).dtype))  # pyright: ignore
        return None if dtype is None else Spec(dtype, (), False)
    if isinstance(leaf, (bool, int, float)):
        return Spec(promotion.weak_default(promotion.weak_kind(leaf)), (), True)
    return None


def unify(a: Spec, b: Spec) -> Spec | None:
    """The spec that both adapt to, or None if they do not fit."""
    if a == b:
        return a
    if a.shape != b.shape:
        return None
    ranks = promotion.kind_rank(a.dtype), promotion.kind_rank(b.dtype)
    if a.weak and b.weak:
        return Spec(promotion.weak_default(max(ranks)), a.shape, True)
    if a.weak != b.weak:
        strong, weak_rank, strong_rank = (b, *ranks) if a.weak else (a, *reversed(ranks))
        return strong if weak_rank <= strong_rank else None
    return None


def coerce(leaf: Any, spec: Spec) -> Tile:
    """A tile or number as a tile of a spec that it was unified to.

    Raises:
        ConstantRangeError: an integer that the dtype cannot hold.
    """
    value = _operands.operand("assignment", leaf)
    made = _operands.coerce("assignment", value, spec.dtype, weak=spec.weak)
    return made if made.weak == spec.weak else _operands.cast(made, spec.dtype, weak=spec.weak)


def filler(spec: Spec) -> Tile:
    """A value for where none is ever looked at."""
    zero = _operands.constant("assignment", 0, spec.dtype, weak=spec.weak)
    return _operands.stretch(zero, spec.shape)


def describe_tree(leaf: object) -> str:
    """What a leaf or container is, for messages."""
    if isinstance(leaf, Node):
        kind = type(leaf.source).__name__
        return f"a {kind} with {len(leaf.items)} items" if leaf.keys else f"an empty {kind}"
    spec = spec_of(leaf)
    if spec is None:
        return "None" if leaf is None else f"the {type(leaf).__name__} {show(leaf)}"
    if isinstance(leaf, Tile):
        return str(spec)
    return f"{spec} ({leaf!r})"
