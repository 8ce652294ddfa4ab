# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations on a thread's vectors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from tegula.mlir import ir

from tests._support.lockstep.values import Type

Array = np.ndarray
Operation = Callable[[ir.Operation, list[Array], list[Type], Type], list[Array]]
DYNAMIC = -(1 << 63)


def _position(op: ir.Operation, dynamic: list[Array]) -> tuple[Array | int, ...]:
    static = ir.DenseI64ArrayAttr(op.attributes["static_position"])
    rest = iter(dynamic)
    return tuple(next(rest) if n == DYNAMIC else n for n in static)


def _extract(op, inputs, kinds, kind):
    source, *dynamic = inputs
    return [source[(np.arange(source.shape[0]), *_position(op, dynamic))]]


def _insert(op, inputs, kinds, kind):
    value, into, *dynamic = inputs
    result = into.copy()
    result[(np.arange(into.shape[0]), *_position(op, dynamic))] = value
    return [result]


def _broadcast(op, inputs, kinds, kind):
    (source,) = inputs
    missing = len(kind.shape) - (source.ndim - 1)
    source = source.reshape(source.shape[0], *(1,) * missing, *source.shape[1:])
    return [np.broadcast_to(source, (source.shape[0], *kind.shape)).copy()]


def _from_elements(op, inputs, kinds, kind):
    return [np.stack(inputs, axis=1).reshape(inputs[0].shape[0], *kind.shape)]


def _to_elements(op, inputs, kinds, kind):
    flat = inputs[0].reshape(inputs[0].shape[0], -1)
    return [flat[:, i] for i in range(flat.shape[1])]


def _shuffle(op, inputs, kinds, kind):
    mask = list(ir.DenseI64ArrayAttr(op.attributes["mask"]))
    return [np.concatenate(inputs, axis=1)[:, mask]]


def _shape_cast(op, inputs, kinds, kind):
    return [inputs[0].reshape(inputs[0].shape[0], *kind.shape)]


def _integers(op: ir.Operation, name: str) -> list[int]:
    return [ir.IntegerAttr(a).value for a in ir.ArrayAttr(op.attributes[name])]


def _extract_slice(op, inputs, kinds, kind):
    offsets, sizes, strides = (_integers(op, n) for n in ("offsets", "sizes", "strides"))
    window = tuple(slice(o, o + n * s, s) for o, n, s in zip(offsets, sizes, strides, strict=True))
    return [inputs[0][(slice(None), *window)]]


def _insert_slice(op, inputs, kinds, kind):
    value, into = inputs
    offsets = _integers(op, "offsets")
    lead = len(offsets) - (value.ndim - 1)
    sizes = [1] * lead + list(value.shape[1:])
    result = into.copy()
    window = tuple(slice(o, o + n) for o, n in zip(offsets, sizes, strict=True))
    result[(slice(None), *window)] = value.reshape(value.shape[0], *sizes)
    return [result]


OPERATIONS: dict[str, Operation] = {
    "vector.extract": _extract,
    "vector.insert": _insert,
    "vector.broadcast": _broadcast,
    "vector.from_elements": _from_elements,
    "vector.to_elements": _to_elements,
    "vector.shuffle": _shuffle,
    "vector.shape_cast": _shape_cast,
    "vector.extract_strided_slice": _extract_slice,
    "vector.insert_strided_slice": _insert_slice,
}
