# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
# (NumPy's stubs leave the dtypes of most results open.)
"""The backend that computes: one method for each primitive of the language, on NumPy arrays.

Handles are arrays that nothing modifies after they are made, so that reshapes and broadcasts may
share memory.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from tegula._backend import Backend, Combine
from tegula._interpret import access, arithmetic, casts, combine, contract
from tegula._interpret.casts import Values
from tegula._interpret.fma import fma
from tegula._location import Frame, Location, locate, user_frames
from tegula.errors import KernelAssertionError, Note, ShapeError, StoreError
from tegula.lang import debug
from tegula.lang.array import Array
from tegula.lang.dtypes import DType
from tegula.lang.tile import Tile


class NumpyBackend(Backend):
    """Interprets one launch, program after program.

    Attributes:
        grid: sizes along x, y, z.
        launch: where the user's code called the kernel.
        checked: whether accesses that reach nothing of their array are errors.
        program: position of the running program.
        lanes: see :mod:`tegula._interpret.combine`.
    """

    is_interpreter = True

    def __init__(
        self, grid: tuple[int, int, int], launch: Frame | None = None, *, checked: bool = False
    ) -> None:
        self.grid = grid
        self.launch = launch
        self.checked = checked
        self.program: tuple[int, int, int] = (0, 0, 0)
        self.lanes = False

    def concrete(self, x: Tile) -> Values:
        """The values of a tile, for Python to look at."""
        self._single()
        return x.handle

    def _single(self) -> None:
        """Operations that need real scalars, or that have effects, end evaluation by lanes."""
        if self.lanes:
            raise combine.NeedsScalars

    # Scalars, creation, grid
    def constant(self, value: bool | int | float, dtype: DType) -> Values:
        """A scalar; floats round once."""
        if dtype.is_float:
            return casts.narrow(np.array(value, dtype=np.float64), dtype)
        return np.array(value, dtype=dtype.numpy)

    def table(self, values: Values, dtype: DType) -> Values:
        """The elements of an array as they are now."""
        return np.array(values)

    def full(self, value: Tile, shape: tuple[int, ...]) -> Values:
        """A scalar repeated."""
        self._single()
        return np.broadcast_to(value.handle, shape)

    def iota(self, size: int, dtype: DType) -> Values:
        """0, 1, 2, ..."""
        return np.arange(size).astype(dtype.numpy)

    def program_id(self, axis: int) -> Values:
        """The running program's position."""
        return np.array(self.program[axis], dtype=np.int64)

    def num_programs(self, axis: int) -> Values:
        """The grid's size."""
        return np.array(self.grid[axis], dtype=np.int64)

    def view_size(self, view: Array, axis: int) -> Values:
        """An array's size."""
        return np.array(view.handle.shape[axis], dtype=np.int64)

    def view_stride(self, view: Array, axis: int) -> Values:
        """An array's stride in elements."""
        return np.array(view.handle.strides[axis] // view.handle.itemsize, dtype=np.int64)

    def subview(
        self,
        view: Array,
        offsets: Sequence[Tile],
        sizes: Sequence[Tile],
        dims: tuple[int, ...],
        steps: tuple[int, ...],
    ) -> Values:
        """A part of an array, which shares its memory."""
        self._single()
        starts = [int(offset.handle) for offset in offsets]
        return access.part(view.handle, starts, [int(size.handle) for size in sizes], dims, steps)

    def reshape_view(self, view: Array, sizes: Sequence[Tile], strides: Sequence[Tile]) -> Values:
        """An array with other sizes, which shares its memory."""
        self._single()
        shape = tuple(int(size.handle) for size in sizes)
        try:
            return view.handle.reshape(shape)
        except ValueError:  # without elements, but with a huge size
            raise ShapeError(
                f"reshape: NumPy has no arrays of shape {shape}, so neither has the interpreter",
                help="give sizes of the array's elements",
            ) from None

    def overlap(self, first: Array, second: Array) -> bool:
        """Whether two arrays share memory, judged by the range of bytes that each spans."""
        return bool(np.may_share_memory(first.handle, second.handle))

    # Memory
    def load(
        self,
        view: Array,
        index: Sequence[Tile],
        shape: tuple[int, ...],
        pad: Tile,
        elements: bool = False,
    ) -> Values:
        """A block of an array."""
        self._single()
        if self.checked:
            self._check_tile("load", view, index, shape, elements)
        starts = access.starts([int(i.handle) for i in index], shape, elements)
        return access.load(view.handle, starts, shape, pad.handle)

    def store(
        self, view: Array, index: Sequence[Tile], value: Tile, elements: bool = False
    ) -> None:
        """Write a block of an array."""
        self._writable(view)
        if self.checked:
            self._check_tile("store", view, index, value.shape, elements)
        starts = access.starts([int(i.handle) for i in index], value.shape, elements)
        access.store(view.handle, starts, value.handle)

    def gather(self, view: Array, index: Sequence[Tile], mask: Tile | None, pad: Tile) -> Values:
        """Single elements of an array."""
        self._single()
        shape = index[0].shape if index else () if mask is None else mask.shape
        array, places, lanes = self._lanes("gather", view, index, mask, shape)
        return access.gather(array, places, lanes, pad.handle)

    def scatter(self, view: Array, index: Sequence[Tile], value: Tile, mask: Tile | None) -> None:
        """Write single elements of an array."""
        self._writable(view)
        array, places, lanes = self._lanes("scatter", view, index, mask, value.shape)
        access.scatter(array, places, lanes, value.handle)

    def atomic_rmw(
        self,
        kind: str,
        view: Array,
        index: Sequence[Tile],
        value: Tile,
        mask: Tile | None,
        pad: Tile,
    ) -> Values:
        """Combine single elements of an array."""
        self._writable(view)
        array, places, lanes = self._lanes("atomic_rmw", view, index, mask, value.shape)
        op = {"max": "maximum", "min": "minimum"}.get(kind, kind)

        def change(old: Values, new: Values) -> Values:
            return new if kind == "xchg" else arithmetic.binary(op, old, new, view.dtype)

        return access.update(array, places, lanes, pad.handle, [value.handle], change)

    def atomic_cas(
        self,
        view: Array,
        index: Sequence[Tile],
        compare: Tile,
        value: Tile,
        mask: Tile | None,
        pad: Tile,
    ) -> Values:
        """Replace single elements that have given bits."""
        self._writable(view)
        array, places, lanes = self._lanes("atomic_cas", view, index, mask, value.shape)
        bits = np.dtype(f"u{view.dtype.itemsize}")

        def change(old: Values, expected: Values, new: Values) -> Values:
            return np.where(old.view(bits) == expected.view(bits), new, old)

        operands = [compare.handle, value.handle]
        return access.update(array, places, lanes, pad.handle, operands, change)

    def _check_tile(
        self, op: str, view: Array, index: Sequence[Tile], shape: tuple[int, ...], elements: bool
    ) -> None:
        """Fail if a tile has no element of the array along an axis."""
        for axis, (place, extent) in enumerate(zip(index, shape, strict=True)):
            size = view.handle.shape[axis]
            if elements:
                if not -extent < int(place.handle) < size:
                    self._outside(op, view, axis, f"offset {place.handle}", f"{size} elements")
                continue
            tiles = -(-size // extent)
            if not 0 <= int(place.handle) < tiles:
                self._outside(op, view, axis, f"tile index {place.handle}", f"{tiles} tiles")

    def _check_lanes(self, op: str, view: Array, index: Sequence[Tile], mask: Tile | None) -> None:
        """Fail if a lane that is not masked off is outside the array along an axis."""
        for axis, place in enumerate(index):
            size = view.handle.shape[axis]
            outside = (place.handle < 0) | (place.handle >= size)
            found = place.handle[outside if mask is None else outside & mask.handle]
            if found.size:
                self._outside(op, view, axis, f"index {found.max()}", f"{size} elements")

    def _outside(self, op: str, view: Array, axis: int, index: str, count: str) -> NoReturn:
        message = f"{op} of the array {view.name!r} along axis {axis}: {index} is outside"
        raise assertion_error(f"{message}, there are {count}", self.program)

    def _lanes(
        self,
        op: str,
        view: Array,
        index: Sequence[Tile],
        mask: Tile | None,
        shape: tuple[int, ...],
    ) -> tuple[Values, list[Values], Any]:
        """The array, indices for each dimension, and which lanes are active.

        An array of rank 0 counts as one of rank 1 and one element.
        """
        if self.checked:
            self._check_lanes(op, view, index, mask)
        array = view.handle if index else view.handle.reshape(1)
        places = [place.handle for place in index] or [np.zeros(shape, dtype=np.int64)]
        chosen = None if mask is None else mask.handle
        return array, places, access.active(array.shape, places, chosen, shape)

    def _writable(self, view: Array) -> None:
        self._single()
        if not view.handle.flags.writeable:
            raise StoreError(
                f"the array {view.name!r} is read-only, but the kernel writes to it",
                notes=[Note("written here", locate(frame)) for frame in user_frames()[:1]],
                help="pass a writable array, for example a copy: np.array(x)",
                location=None if self.launch is None else locate(self.launch),
            )

    # Elementwise
    def unary(self, op: str, x: Tile, *, approx: bool = False) -> Values:
        """See :mod:`tegula._interpret.arithmetic`."""
        return arithmetic.unary(op, x.handle, x.dtype)

    def binary(self, op: str, x: Tile, y: Tile) -> Values:
        """See :mod:`tegula._interpret.arithmetic`."""
        return arithmetic.binary(op, x.handle, y.handle, x.dtype)

    def compare(self, op: str, x: Tile, y: Tile) -> Values:
        """See :mod:`tegula._interpret.arithmetic`."""
        return arithmetic.compare(op, x.handle, y.handle, x.dtype)

    def select(self, condition: Tile, x: Tile, y: Tile) -> Values:
        """Elements of `x` where the condition holds, else of `y`."""
        return np.where(condition.handle, x.handle, y.handle)

    def fma(self, x: Tile, y: Tile, z: Tile) -> Values:
        """See :mod:`tegula._interpret.fma`."""
        return fma(x.handle, y.handle, z.handle, x.dtype)

    def cast(self, x: Tile, dtype: DType) -> Values:
        """See :mod:`tegula._interpret.casts`."""
        return casts.cast(x.handle, x.dtype, dtype)

    def bitcast(self, x: Tile, dtype: DType) -> Values:
        """The same bits as another dtype."""
        return x.handle.view(dtype.numpy)

    # Contraction, reduction, scan
    def dot(self, a: Tile, b: Tile, acc: Tile, precision: str | None) -> Values:
        """A matrix product; a request for TF32 is not taken up."""
        self._single()
        return contract.dot(a.handle, b.handle, acc.handle, a.dtype)

    def reduce(self, kind: str, x: Tile, axis: int) -> Values:
        """See :mod:`tegula._interpret.contract`."""
        self._single()
        return contract.reduce(kind, x.handle, axis, x.dtype)

    def reduce_custom(self, xs: Sequence[Tile], axis: int, combine: Combine) -> list[Values]:
        """See :mod:`tegula._interpret.combine`."""
        self._single()
        return _combine_reduce(self, xs, axis, combine)

    def scan(self, kind: str, x: Tile, axis: int, reverse: bool) -> Values:
        """See :mod:`tegula._interpret.contract`."""
        self._single()
        return contract.scan(kind, x.handle, axis, reverse, x.dtype)

    def scan_custom(
        self, xs: Sequence[Tile], axis: int, reverse: bool, combine: Combine
    ) -> list[Values]:
        """See :mod:`tegula._interpret.combine`."""
        self._single()
        return _combine_scan(self, xs, axis, reverse, combine)

    def arg_reduce(self, kind: str, x: Tile, axis: int) -> Values:
        """See :mod:`tegula._interpret.contract`."""
        self._single()
        return contract.arg_reduce(kind, x.handle, axis, x.dtype)

    # Shape
    def broadcast(self, x: Tile, shape: tuple[int, ...]) -> Values:
        """Stretch dimensions of extent 1."""
        self._single()
        return np.broadcast_to(x.handle, shape)

    def reshape(self, x: Tile, shape: tuple[int, ...]) -> Values:
        """Other extents, the same elements."""
        self._single()
        return x.handle.reshape(shape)

    def permute(self, x: Tile, perm: tuple[int, ...]) -> Values:
        """Axes in another order."""
        self._single()
        return x.handle.transpose(perm)

    def join(self, x: Tile, y: Tile) -> Values:
        """Two tiles along a new last axis."""
        self._single()
        return np.stack((x.handle, y.handle), axis=-1)

    def split(self, x: Tile) -> tuple[Values, Values]:
        """The two halves of the last axis."""
        self._single()
        return np.asarray(x.handle[..., 0]), np.asarray(x.handle[..., 1])

    def concat(self, xs: Sequence[Tile], axis: int) -> Values:
        """Tiles one after another."""
        self._single()
        return np.concatenate([x.handle for x in xs], axis=axis)

    def take(self, x: Tile, index: Tile, axis: int) -> Values:
        """Elements picked along an axis by an index tile."""
        self._single()
        return access.take(x.handle, index.handle, axis)

    # Debugging
    def print(self, parts: Sequence[str | Tile]) -> None:
        """Print one line."""
        self._single()
        print(*(p if isinstance(p, str) else debug.format_value(p.handle) for p in parts), sep="")

    def assert_(self, condition: Tile, message: str) -> None:
        """Raise at once if the condition is false."""
        self._single()
        if not condition.handle:
            raise assertion_error(message, self.program)

    def assume(self, condition: Tile, message: str) -> None:
        """Raise at once if the condition is false."""
        self.assert_(condition, message)  # noqa: UP005


def assertion_error(
    message: str, program: tuple[int, int, int], location: Location | None = None
) -> KernelAssertionError:
    """The error of a failed assertion in a program."""
    advice = next(text for pattern, text in _ADVICE if re.match(pattern, message))
    error = KernelAssertionError(
        f"{message} (in program {program})", location=location, help=advice
    )
    error.program = program
    return error


# What to do about the assertions that the language makes; the last is for the kernel's own.
_ADVICE = (
    ("the assumption does not hold", "pass arguments for which it holds, or drop the tg.assume"),
    (
        "reshape: the strides",
        "reshape the array before the launch, or pass np.ascontiguousarray(...) of it",
    ),
    ("reshape: ", "let one size be -1, which stands for what is left, or pass another array"),
    (
        r"(load|store) of .* along axis",
        "launch as many programs as there are tiles, tg.cdiv(size, BLOCK), or correct the index; "
        "unchecked, what is outside is the pad value, and dropped by stores",
    ),
    (
        r"\w+ of .* along axis",
        "mask the elements that are outside, for example mask=indices < size, or correct the "
        "indices",
    ),
    ("", "pass arguments for which it holds, or change the assertion"),
)


_combine_reduce = combine.reduce
_combine_scan = combine.scan
