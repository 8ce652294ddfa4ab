# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The :class:`Array`: a kernel's view of an array argument, and the annotation that declares one.

A view has run-time sizes and strides. Its elements are reached with `tg.load`, `tg.store`,
`tg.gather`, `tg.scatter` and the atomics only, so that every access knows the bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn, cast

from tegula import _backend
from tegula._location import Frame
from tegula.errors import TileTypeError
from tegula.lang import dtypes
from tegula.lang.dtypes import DType

if TYPE_CHECKING:
    from tegula._backend import Backend, Handle
    from tegula.lang.tile import Tile


class Array:
    """A strided view of an array argument; as an annotation, declares a parameter to be one.

    Attributes:
        handle: what the backend knows it by.
        dtype: element type.
        ndim: number of dimensions.
        name: the kernel parameter it is.
        owner: the backend that made it.
        origin: where the parameter is declared.
        base: the array that it is a part of, or None.
    """

    __slots__ = ("base", "dtype", "handle", "name", "ndim", "origin", "owner")

    def __init__(
        self,
        handle: Handle,
        dtype: DType,
        ndim: int,
        *,
        name: str | None = None,
        origin: Frame | None = None,
        base: Array | None = None,
    ) -> None:
        """Wrap a handle of the current backend."""
        self.base = base
        self.handle: Any = handle
        self.dtype = dtype
        self.ndim = ndim
        self.name = name
        self.owner: Backend = cast("Backend", _backend.current())
        self.origin = origin

    @property
    def root(self) -> Array:
        """The array parameter that it is, or is a part of."""
        return self if self.base is None else self.base.root

    @property
    def shape(self) -> tuple[Tile, ...]:
        """Run-time sizes, one int64 scalar a dimension."""
        from tegula.lang.tile import Tile

        sizes = (self.owner.view_size(self, axis) for axis in range(self.ndim))
        return tuple(Tile(size, dtypes.int64, ()) for size in sizes)

    @property
    def strides(self) -> tuple[Tile, ...]:
        """Run-time strides in elements, one int64 scalar a dimension."""
        from tegula.lang.tile import Tile

        strides = (self.owner.view_stride(self, axis) for axis in range(self.ndim))
        return tuple(Tile(stride, dtypes.int64, ()) for stride in strides)

    if not TYPE_CHECKING:  # A type checker is to know what there is.

        def __getattr__(self, name: str) -> NoReturn:
            """Refuse what is not there, saying what is."""
            from tegula.lang import _attributes

            _attributes.of_array(self, name)

    def __repr__(self) -> str:
        """Name, dtype and rank."""
        return f"Array({self.name or '?'}, dtype={self.dtype}, ndim={self.ndim})"

    def _refuse(self, action: str, suggestion: str) -> NoReturn:
        name = self.name or "a"
        index = ", ".join(["i", "j", "k", "l"][: self.ndim])
        raise TileTypeError(
            f"the array view {name!r} ({self.dtype}, rank {self.ndim}) cannot be {action}",
            help=suggestion.format(
                name=name, ones=f"({index})" if self.ndim > 1 else index or "()"
            ),
        )

    @property
    def T(self) -> Array:
        """All axes reversed, as :meth:`transpose`."""
        return self.transpose()

    def transpose(self, *axes: int | Sequence[int]) -> Array:
        """A view with its axes in another order; the axes as one tuple or as separate integers.

        Raises:
            ArgumentError: `axes` is not a permutation of the axes.
        """
        from tegula.lang import views

        given = axes[0] if len(axes) == 1 and isinstance(axes[0], (tuple, list)) else axes
        return views.transpose(self, cast("Sequence[int]", given) if axes else None)

    def permute(self, *axes: int | Sequence[int]) -> Array:
        """Another name of :meth:`transpose`."""
        return self.transpose(*axes)

    def reshape(self, *shape: int | Tile | Sequence[int | Tile]) -> Array:
        """A view with other sizes; as one tuple or as separate integers, one of which may be -1.

        Sizes may be run-time values. As `np.reshape`, but nothing is ever copied.

        Raises:
            ShapeError: two sizes are -1, one is another negative number, or there are none.
            TileTypeError: a size is no integer scalar.
            KernelAssertionError: the sizes do not have the array's number of elements, or its
                strides do not allow them; raised by the launch.
        """
        from tegula.lang import reshaping

        given = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        return reshaping.reshape(self, cast("Sequence[int | Tile]", given))

    def __getitem__(self, key: object) -> Array:
        """A view of a part: slices and integers, with NumPy's meaning.

        Bounds may be run-time values, steps are static. Elements of the part are read and written
        with `tg.load`, `tg.store` and the like; what is past its edges is outside.

        Raises:
            ShapeError: more indices than axes, or a step of 0.
            TileTypeError: an index is neither a slice nor an integer, or no axis is left.
            TracedValueError: a step is a run-time value.
        """
        from tegula.lang import views

        return views.index(self, key)

    def __setitem__(self, key: object, value: object) -> NoReturn:
        """Refuse assignment by index."""
        self._refuse(
            "assigned to with [...] =",
            "write a block with tg.store({name}, {ones}, tile), single elements with "
            "tg.scatter({name}, {ones}, value)",
        )

    def __len__(self) -> NoReturn:
        """Refuse `len`, which must be a Python int."""
        self._refuse("measured with len()", "use {name}.shape[0], an int64 run-time scalar")

    def __iter__(self) -> NoReturn:
        """Refuse iteration."""
        self._refuse(
            "iterated over",
            "loop with `for i in tg.range({name}.shape[0])` and tg.load one block at a time",
        )

    def __bool__(self) -> NoReturn:
        """Refuse truth testing."""
        self._refuse(
            "used as a condition", "test `{name} is not None`, or load a tile and reduce it"
        )

    def __array__(self, *args: object, **kwargs: object) -> NoReturn:
        """Refuse conversion to a NumPy array."""
        self._refuse(
            "passed to NumPy",
            "load a tile with tg.load({name}, {ones}, shape) and use the functions in tg",
        )

    __array_ufunc__ = None


def _refuse_operator(self: Array, *other: object) -> NoReturn:
    """Refuse arithmetic on a whole array."""
    self._refuse(  # pyright: ignore[reportPrivateUsage]
        "used in arithmetic", "load a tile first: x = tg.load({name}, {ones}, shape)"
    )


for _name in (
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "matmul",
    "and",
    "or",
    "xor",
    "lshift",
    "rshift",
):
    setattr(Array, f"__{_name}__", _refuse_operator)
    setattr(Array, f"__r{_name}__", _refuse_operator)
for _name in ("lt", "le", "gt", "ge", "neg", "abs", "invert"):
    setattr(Array, f"__{_name}__", _refuse_operator)
