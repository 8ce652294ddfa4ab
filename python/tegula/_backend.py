# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The seam between the language and what executes it.

Public operations in :mod:`tegula.lang` check arguments, promote dtypes and infer shapes once; then
they call exactly one method of the current :class:`Backend`. The tracer's backend builds `tile` IR,
the interpreter's computes with NumPy, so that both show the same errors and follow the same rules.

Conventions: ``Tile`` operands of one call have been broadcast and promoted already. A method
returns a backend handle (an MLIR ``Value`` or a NumPy array), never a ``Tile``. A scalar is a tile
of shape ``()``.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy.typing as npt

    from tegula.lang.array import Array
    from tegula.lang.dtypes import DType
    from tegula.lang.tile import Tile

Handle = Any
Combine = Callable[..., tuple["Tile", ...]]


class Backend(Protocol):
    """One method per primitive of the language. See the module docstring for conventions."""

    is_interpreter: bool

    # Scalars, creation, grid
    def constant(self, value: bool | int | float, dtype: DType) -> Handle: ...
    def table(self, values: npt.NDArray[Any], dtype: DType) -> Handle:
        """A tile with given elements; at least one axis."""
        ...

    def full(self, value: Tile, shape: tuple[int, ...]) -> Handle: ...
    def iota(self, size: int, dtype: DType) -> Handle: ...
    def program_id(self, axis: int) -> Handle: ...
    def num_programs(self, axis: int) -> Handle: ...
    def view_size(self, view: Array, axis: int) -> Handle: ...
    def view_stride(self, view: Array, axis: int) -> Handle: ...
    def overlap(self, first: Array, second: Array) -> bool:
        """Whether two array parameters share memory in this launch."""
        ...

    def subview(
        self,
        view: Array,
        offsets: Sequence[Tile],
        sizes: Sequence[Tile],
        dims: tuple[int, ...],
        steps: tuple[int, ...],
    ) -> Handle:
        """Axis `d` of the result walks along axis `dims[d]` of the view.

        It starts at `offsets[dims[d]]`, in `steps[d]`, for `sizes[d]` elements, all of which are
        inside the view. Along other axes the position is the offset, inside unless a size is 0.
        """
        ...

    def reshape_view(self, view: Array, sizes: Sequence[Tile], strides: Sequence[Tile]) -> Handle:
        """The view's elements in row-major order with other sizes.

        There are as many of them, and the view's strides allow it: `strides` are the result's.
        """
        ...

    # Memory. Indices are int64 scalars (load, store) or int64 tiles of one shape, one per array
    # dimension. Those of load and store count tiles, or with `elements` single elements.
    def load(
        self,
        view: Array,
        index: Sequence[Tile],
        shape: tuple[int, ...],
        pad: Tile,
        elements: bool = False,
    ) -> Handle: ...
    def store(
        self, view: Array, index: Sequence[Tile], value: Tile, elements: bool = False
    ) -> None: ...
    def gather(
        self, view: Array, index: Sequence[Tile], mask: Tile | None, pad: Tile
    ) -> Handle: ...
    def scatter(
        self, view: Array, index: Sequence[Tile], value: Tile, mask: Tile | None
    ) -> None: ...
    def atomic_rmw(
        self,
        kind: str,  # add max min and or xor xchg; signedness follows the dtype
        view: Array,
        index: Sequence[Tile],
        value: Tile,
        mask: Tile | None,
        pad: Tile,
    ) -> Handle: ...
    def atomic_cas(
        self,
        view: Array,
        index: Sequence[Tile],
        compare: Tile,
        value: Tile,
        mask: Tile | None,
        pad: Tile,
    ) -> Handle: ...

    # Elementwise. Result dtype is the operands' unless given.
    def unary(self, op: str, x: Tile, *, approx: bool = False) -> Handle:
        """Op.

        Neg abs not floor ceil trunc rint exp exp2 expm1 log log2 log10 log1p sqrt rsqrt sin cos tan
        sinh cosh tanh asin acos atan erf cbrt isnan isinf isfinite (the last three give bool).
        """
        ...

    def binary(self, op: str, x: Tile, y: Tile) -> Handle:
        """Op.

        Add sub mul truediv floordiv mod pow maximum minimum fmax fmin and or xor shl shr atan2.
        """
        ...

    def compare(self, op: str, x: Tile, y: Tile) -> Handle:
        """op: eq ne lt le gt ge; gives bool; NaN compares as IEEE 754 and Python do."""
        ...

    def select(self, condition: Tile, x: Tile, y: Tile) -> Handle: ...
    def fma(self, x: Tile, y: Tile, z: Tile) -> Handle: ...
    def cast(self, x: Tile, dtype: DType) -> Handle: ...
    def bitcast(self, x: Tile, dtype: DType) -> Handle: ...

    # Contraction, reduction, scan
    def dot(self, a: Tile, b: Tile, acc: Tile, precision: str | None) -> Handle: ...
    def reduce(self, kind: str, x: Tile, axis: int) -> Handle:
        """kind: add mul max min and or xor. Drops `axis`; a 1-D tile gives a scalar."""
        ...

    def reduce_custom(self, xs: Sequence[Tile], axis: int, combine: Combine) -> list[Handle]: ...
    def scan(self, kind: str, x: Tile, axis: int, reverse: bool) -> Handle: ...
    def scan_custom(
        self, xs: Sequence[Tile], axis: int, reverse: bool, combine: Combine
    ) -> list[Handle]: ...
    def arg_reduce(self, kind: str, x: Tile, axis: int) -> Handle:
        """kind: max min. int64 indices; lowest index on ties; the first NaN wins."""
        ...

    # Shape
    def broadcast(self, x: Tile, shape: tuple[int, ...]) -> Handle:
        """Stretch size-1 dimensions; same rank (>= 1)."""
        ...

    def reshape(self, x: Tile, shape: tuple[int, ...]) -> Handle:
        """Same element count, row-major.

        Either side may be a scalar when the other has one element.
        """
        ...

    def permute(self, x: Tile, perm: tuple[int, ...]) -> Handle: ...
    def join(self, x: Tile, y: Tile) -> Handle:
        """Two tiles of one shape S to S + (2,)."""
        ...

    def split(self, x: Tile) -> tuple[Handle, Handle]:
        """Inverse of join."""
        ...

    def concat(self, xs: Sequence[Tile], axis: int) -> Handle: ...
    def take(self, x: Tile, index: Tile, axis: int) -> Handle:
        """Elements along `axis` at int32 or int64 indices; outside the axis, zero.

        `index` has the shape of `x` except along `axis`.
        """
        ...

    # Debugging
    def print(self, parts: Sequence[str | Tile]) -> None: ...
    def assert_(self, condition: Tile, message: str) -> None:
        """`condition` is a bool scalar."""
        ...

    def assume(self, condition: Tile, message: str) -> None:
        """As `assert_`, if the fact concerns the launch only or the kernel is checked."""
        ...


_state = threading.local()


def current() -> Backend | None:
    """The backend of the kernel that this thread traces or interprets, or None outside one."""
    return getattr(_state, "backend", None)


@contextmanager
def activate(backend: Backend) -> Generator[None, None, None]:
    """Make `backend` current for this thread; nested activations restore the outer one."""
    outer = current()
    _state.backend = backend
    try:
        yield
    finally:
        _state.backend = outer
