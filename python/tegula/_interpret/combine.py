# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
# (NumPy's stubs leave the dtypes of most results open.)
"""Reductions and scans with the user's combine function.

The function is written for scalars. Evaluating it element by element would be slow, so it first
runs *by lanes*: the scalars it gets are arrays over all the other axes, and elementwise operations
just work on them. An operation that needs a real scalar, such as `if x > y`, or that has an effect
raises :class:`NeedsScalars`, and the evaluation starts again element by element; nothing has
happened by then.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from tegula._backend import Combine
from tegula._interpret.casts import Values
from tegula.lang.tile import Tile

if TYPE_CHECKING:
    from tegula._interpret.backend import NumpyBackend

_Step = Callable[[Sequence[Values], Sequence[Values]], list[Values]]
_Fold = Callable[[list[Values], _Step], list[Values]]


class NeedsScalars(BaseException):
    """Evaluation by lanes is not possible.

    Not an `Exception`, so that the user's handlers let it pass.
    """


def reduce(backend: NumpyBackend, xs: Sequence[Tile], axis: int, combine: Combine) -> list[Values]:
    """Fold from the first element to the last."""

    def fold(arrays: list[Values], step: _Step) -> list[Values]:
        state = [array[0] for array in arrays]
        for i in range(1, arrays[0].shape[0]):
            state = step(state, [array[i] for array in arrays])
        return state

    return _evaluate(backend, xs, axis, combine, fold)


def scan(
    backend: NumpyBackend, xs: Sequence[Tile], axis: int, reverse: bool, combine: Combine
) -> list[Values]:
    """Fold and keep every intermediate state.

    From the last element, with the state on the right, if reversed.
    """

    def fold(arrays: list[Values], step: _Step) -> list[Values]:
        results = [np.array(array) for array in arrays]
        count = arrays[0].shape[0]
        order = range(count - 2, -1, -1) if reverse else range(1, count)
        state = [array[-1 if reverse else 0] for array in arrays]
        for i in order:
            element = [array[i] for array in arrays]
            state = step(element, state) if reverse else step(state, element)
            for result, value in zip(results, state, strict=True):
                result[i] = value
        return results

    results = _evaluate(backend, xs, axis, combine, fold)
    return [np.moveaxis(result, 0, axis) for result in results]


def _evaluate(
    backend: NumpyBackend, xs: Sequence[Tile], axis: int, combine: Combine, fold: _Fold
) -> list[Values]:
    """Run a fold along the leading axis by lanes, or else for each element of the other axes."""
    arrays = [np.moveaxis(x.handle, axis, 0) for x in xs]
    rest = arrays[0].shape[1:]

    def step(left: Sequence[Values], right: Sequence[Values]) -> list[Values]:
        values = (*left, *right)
        kinds = [x.dtype for x in xs]
        tiles = [Tile(np.asarray(v), kind, ()) for v, kind in zip(values, kinds * 2, strict=True)]
        return [result.handle for result in combine(*tiles)]

    if rest:
        try:
            with _by_lanes(backend):
                results = fold(arrays, step)
            return [_spread(result, rest) for result in results]
        except NeedsScalars:
            pass
    return _one_by_one(arrays, rest, fold, step)


def _spread(result: Values, rest: tuple[int, ...]) -> Values:
    """A state that does not depend on the elements has no lanes yet."""
    return result if result.ndim >= len(rest) else np.broadcast_to(result, rest)


def _one_by_one(
    arrays: list[Values], rest: tuple[int, ...], fold: _Fold, step: _Step
) -> list[Values]:
    outputs: list[list[Values]] = []
    for place in np.ndindex(*rest):
        outputs.append(fold([array[(slice(None), *place)] for array in arrays], step))
    columns = zip(*outputs, strict=True)
    results: list[Values] = []
    for column in columns:
        stacked = np.stack([np.asarray(value) for value in column], axis=-1)
        results.append(stacked.reshape((*stacked.shape[:-1], *rest)))
    return results


@contextmanager
def _by_lanes(backend: NumpyBackend) -> Generator[None, None, None]:
    backend.lanes = True
    try:
        yield
    finally:
        backend.lanes = False
