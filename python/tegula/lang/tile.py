# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The :class:`Tile`: a block of elements of static shape, the value that kernels compute with.

A tile of shape () is a scalar. Tiles are immutable, know where in the user's source they were made,
and behave like NumPy arrays of their shape. While a kernel is traced its values do not exist yet:
Python code that needs one gets an error that says so. In the interpreter scalars are ordinary
numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from tegula import _backend
from tegula._location import Frame, user_frame
from tegula.errors import ShapeError, TileTypeError
from tegula.lang import dtypes
from tegula.lang._describe import describe, made_at, refuse_traced
from tegula.lang._widening import Widening, inherited

if TYPE_CHECKING:
    from tegula._backend import Backend, Handle
    from tegula.lang._operands import TileLike
    from tegula.lang.dtypes import DType

Axis: TypeAlias = int | Sequence[int] | None


class Tile:
    """A tile, or with shape () a scalar. Made by operations, never directly by kernels.

    Attributes:
        handle: what the backend knows it by.
        dtype: element type.
        shape: extents, all of them >= 1.
        weak: promotes like a Python scalar (only with shape ()).
        owner: the backend that made it.
        origin: where the user's code made it.
        name: the kernel parameter it is, if it is one.
        widened: of a float64 tile, where float64 first appeared.
    """

    __slots__ = ("dtype", "handle", "name", "origin", "owner", "shape", "weak", "widened")

    def __init__(
        self,
        handle: Handle,
        dtype: DType,
        shape: tuple[int, ...],
        *,
        weak: bool = False,
        name: str | None = None,
        origin: Frame | None = None,
        of: Sequence[object] = (),
    ) -> None:
        """Wrap a handle; owner and origin are the current backend and the user's line.

        `of` are the tiles that it was computed from, of which messages may speak.
        """
        self.handle: Any = handle
        self.dtype = dtype
        self.shape = shape
        self.weak = weak and shape == ()
        self.owner: Backend = cast("Backend", _backend.current())
        self.origin = origin or user_frame()
        self.name = name
        self.widened: Widening | None = (
            inherited(of, self.origin) if dtype is dtypes.float64 else None
        )

    # Properties
    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(np.prod(self.shape, dtype=object))

    @property
    def T(self) -> Tile:
        """All axes reversed, as :func:`tegula.transpose`."""
        return _shape.transpose(self)

    # Concrete values
    def __bool__(self) -> bool:
        """The truth of a scalar, in the interpreter."""
        if self.shape != ():
            raise ShapeError(
                f"the truth of {describe(self)} is ambiguous: it has {self.size} elements",
                notes=[made_at(self)],
                help="to choose by element use tg.where(condition, x, y), tg.maximum or "
                "tg.minimum; to decide once reduce it first, with tg.any(...) or tg.all(...); "
                "combine masks with & | ~",
            )
        return bool(self._value("bool"))

    def __int__(self) -> int:
        """The value of a scalar, in the interpreter; floats truncate."""
        return int(self._value("int"))

    def __float__(self) -> float:
        """The value of a scalar, in the interpreter."""
        return float(self._value("float"))

    def __index__(self) -> int:
        """The value of an integer scalar, in the interpreter."""
        if not self.dtype.is_int:
            raise TileTypeError(
                f"{describe(self)} cannot be an index: its dtype is {self.dtype}",
                notes=[made_at(self)],
                help="use an integer",
            )
        return int(self._value("index"))

    def item(self) -> bool | int | float:
        """The value of a scalar as a Python number, in the interpreter."""
        value = self._value("item")
        return float(value) if self.dtype.is_float else value.item()

    def __array__(
        self, dtype: npt.DTypeLike | None = None, copy: bool | None = None
    ) -> npt.NDArray[Any]:
        """A copy as a NumPy array, in the interpreter."""
        return np.array(self._concrete("array"), dtype=dtype)

    def _value(self, need: str) -> npt.NDArray[Any]:
        if self.shape != ():
            raise ShapeError(
                f"only a scalar has one value; {describe(self)} has {self.size} elements",
                notes=[made_at(self)],
                help="reduce it first, for example with tg.sum(x) or tg.max(x)",
            )
        return self._concrete(need)

    def _concrete(self, need: str) -> npt.NDArray[Any]:
        if not self.owner.is_interpreter:
            refuse_traced(self, need)
        return cast(Any, self.owner).concrete(self)

    # Python protocols that tiles do not take part in
    def __iter__(self) -> NoReturn:
        """Refuse iteration: a tile has no rows to hand out."""
        raise TileTypeError(
            f"{describe(self)} cannot be iterated over or unpacked",
            notes=[made_at(self)],
            help="loop over array tiles with tg.load(a, i, shape) in `for i in tg.range(n)`; "
            "tg.split(x) gives two halves",
        )

    def __len__(self) -> int:
        """The first extent."""
        if not self.shape:
            raise TileTypeError(
                f"{describe(self)} is a scalar and has no length",
                help="tiles of rank 1 or more have one, for example x[None]",
            )
        return self.shape[0]

    def __contains__(self, item: object) -> NoReturn:
        """Refuse `in`."""
        raise TileTypeError(
            f"`in` does not look into {describe(self)}",
            help="write tg.any(x == value)",
        )

    def __hash__(self) -> int:
        """Refuse hashing: equal tiles are only known at run time."""
        raise TileTypeError(
            f"{describe(self)} cannot be a dict key or set member",
            notes=[made_at(self)],
            help="key by a Python value, such as a tg.Const or a name",
        )

    def __setitem__(self, key: object, value: object) -> NoReturn:
        """Refuse assignment: tiles are immutable."""
        raise TileTypeError(
            f"{describe(self)} is immutable and cannot be assigned to",
            notes=[made_at(self)],
            help="make a new tile with tg.where(mask, new, x), or write to an array with tg.store",
        )

    if not TYPE_CHECKING:  # A type checker is to know what there is.

        def __getattr__(self, name: str) -> NoReturn:
            """Refuse what is not there, saying what is."""
            from tegula.lang import _attributes

            _attributes.of_tile(self, name)

    def __repr__(self) -> str:
        """Dtype and shape, with the values in the interpreter."""
        if self.owner.is_interpreter:
            return f"Tile({self.handle!s}, dtype={self.dtype}, shape={self.shape})"
        return f"Tile(dtype={self.dtype}, shape={self.shape})"

    def __str__(self) -> str:
        """The values in the interpreter, else as `repr`."""
        return str(self._concrete("item")) if self.owner.is_interpreter else repr(self)

    def __format__(self, spec: str) -> str:
        """Formats a scalar's value in the interpreter, a tile's text otherwise."""
        if spec and self.shape == ():
            return format(self.item(), spec)
        return format(str(self), spec)

    def __getitem__(self, key: object) -> Tile:
        """A static part: slices, integers, `None` for a new axis, `...`.

        Bounds are known when the kernel is compiled; see :func:`tegula.take_along_axis` for
        positions that are not.
        """
        return _slicing.index(self, key)

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: object, **kwargs: object
    ) -> Tile:
        """Operators between NumPy scalars and tiles are ours.

        Other NumPy functions are refused by name.
        """
        return _ufuncs.apply(ufunc, method, inputs, kwargs)

    # Operators
    def __add__(self, other: TileLike) -> Tile:
        """`self + other`."""
        return _elementwise.add(self, other)

    def __radd__(self, other: TileLike) -> Tile:
        """`other + self`."""
        return _elementwise.add(other, self)

    def __sub__(self, other: TileLike) -> Tile:
        """`self - other`."""
        return _elementwise.subtract(self, other)

    def __rsub__(self, other: TileLike) -> Tile:
        """`other - self`."""
        return _elementwise.subtract(other, self)

    def __mul__(self, other: TileLike) -> Tile:
        """`self * other`."""
        return _elementwise.multiply(self, other)

    def __rmul__(self, other: TileLike) -> Tile:
        """`other * self`."""
        return _elementwise.multiply(other, self)

    def __truediv__(self, other: TileLike) -> Tile:
        """`self / other`."""
        return _elementwise.divide(self, other)

    def __rtruediv__(self, other: TileLike) -> Tile:
        """`other / self`."""
        return _elementwise.divide(other, self)

    def __floordiv__(self, other: TileLike) -> Tile:
        """`self // other`."""
        return _elementwise.floor_divide(self, other)

    def __rfloordiv__(self, other: TileLike) -> Tile:
        """`other // self`."""
        return _elementwise.floor_divide(other, self)

    def __mod__(self, other: TileLike) -> Tile:
        """`self % other`."""
        return _elementwise.remainder(self, other)

    def __rmod__(self, other: TileLike) -> Tile:
        """`other % self`."""
        return _elementwise.remainder(other, self)

    def __divmod__(self, other: TileLike) -> tuple[Tile, Tile]:
        """`self // other, self % other`."""
        return self // other, self % other

    def __rdivmod__(self, other: TileLike) -> tuple[Tile, Tile]:
        """`other // self, other % self`."""
        return other // self, other % self

    def __pow__(self, other: TileLike) -> Tile:
        """`self ** other`."""
        return _elementwise.power(self, other)

    def __rpow__(self, other: TileLike) -> Tile:
        """`other ** self`."""
        return _elementwise.power(other, self)

    def __matmul__(self, other: Tile) -> Tile:
        """`self @ other`, as :func:`tegula.dot`."""
        return _dot(self, other)

    def __rmatmul__(self, other: Tile) -> Tile:
        """`other @ self`, as :func:`tegula.dot`."""
        return _dot(other, self)

    def __and__(self, other: TileLike) -> Tile:
        """`self & other`."""
        return _bits.bitwise_and(self, other)

    def __rand__(self, other: TileLike) -> Tile:
        """`other & self`."""
        return _bits.bitwise_and(other, self)

    def __or__(self, other: TileLike) -> Tile:
        """`self | other`."""
        return _bits.bitwise_or(self, other)

    def __ror__(self, other: TileLike) -> Tile:
        """`other | self`."""
        return _bits.bitwise_or(other, self)

    def __xor__(self, other: TileLike) -> Tile:
        """`self ^ other`."""
        return _bits.bitwise_xor(self, other)

    def __rxor__(self, other: TileLike) -> Tile:
        """`other ^ self`."""
        return _bits.bitwise_xor(other, self)

    def __lshift__(self, other: TileLike) -> Tile:
        """`self << other`."""
        return _bits.left_shift(self, other)

    def __rlshift__(self, other: TileLike) -> Tile:
        """`other << self`."""
        return _bits.left_shift(other, self)

    def __rshift__(self, other: TileLike) -> Tile:
        """`self >> other`."""
        return _bits.right_shift(self, other)

    def __rrshift__(self, other: TileLike) -> Tile:
        """`other >> self`."""
        return _bits.right_shift(other, self)

    def __eq__(self, other: TileLike) -> Tile:  # type: ignore[override]
        """`self == other`, elementwise."""
        return _compare.equal(self, other)

    def __ne__(self, other: TileLike) -> Tile:  # type: ignore[override]
        """`self != other`, elementwise."""
        return _compare.not_equal(self, other)

    def __lt__(self, other: TileLike) -> Tile:
        """`self < other`."""
        return _compare.less(self, other)

    def __le__(self, other: TileLike) -> Tile:
        """`self <= other`."""
        return _compare.less_equal(self, other)

    def __gt__(self, other: TileLike) -> Tile:
        """`self > other`."""
        return _compare.greater(self, other)

    def __ge__(self, other: TileLike) -> Tile:
        """`self >= other`."""
        return _compare.greater_equal(self, other)

    def __neg__(self) -> Tile:
        """`-self`."""
        return _elementwise.negative(self)

    def __pos__(self) -> Tile:
        """`+self`."""
        return _elementwise.positive(self)

    def __invert__(self) -> Tile:
        """`~self`."""
        return _bits.invert(self)

    def __abs__(self) -> Tile:
        """`abs(self)`."""
        return _elementwise.abs(self)

    def __round__(self, ndigits: int | None = None) -> Tile:
        """`round(self)`: to nearest, ties to even."""
        if ndigits:
            raise TileTypeError(
                f"round: {ndigits} digits are not supported; tiles round to whole numbers",
                help="scale first: tg.round(x * 100) / 100",
            )
        return _math.round(self)

    # Methods
    def astype(self, dtype: DType) -> Tile:
        """Convert elements; see :func:`tegula.astype`."""
        return _convert.astype(self, dtype)

    def view(self, dtype: DType) -> Tile:
        """Reinterpret the bits as a dtype of the same width; see :func:`tegula.bitcast`."""
        return _convert.bitcast(self, dtype)

    def reshape(self, *shape: int | Sequence[int]) -> Tile:
        """As :func:`tegula.reshape`; the shape as one tuple or as separate integers."""
        return _shape.reshape(self, _spread(shape))

    def transpose(self, *axes: int | Sequence[int]) -> Tile:
        """As :func:`tegula.transpose`; the axes as one tuple or as separate integers."""
        return _shape.transpose(self, _spread(axes) if axes else None)

    def permute(self, *axes: int | Sequence[int]) -> Tile:
        """Another name of :meth:`transpose`, with axes."""
        return _shape.permute(self, _spread(axes))

    def squeeze(self, axis: int | Sequence[int] | None = None) -> Tile:
        """As :func:`tegula.squeeze`."""
        return _shape.squeeze(self, axis)

    def ravel(self) -> Tile:
        """All elements in one axis, row-major."""
        return _shape.reshape(self, (-1,))

    def clip(self, min: TileLike | None = None, max: TileLike | None = None) -> Tile:
        """As :func:`tegula.clip`."""
        return _elementwise.clip(self, min, max)

    def round(self) -> Tile:
        """As :func:`tegula.round`."""
        return _math.round(self)

    def dot(self, other: Tile) -> Tile:
        """As :func:`tegula.dot`."""
        return _dot(self, other)

    def sum(self, axis: Axis = None, dtype: DType | None = None, keepdims: bool = False) -> Tile:
        """As :func:`tegula.sum`."""
        return _reduction.sum(self, axis, dtype, keepdims)

    def prod(self, axis: Axis = None, dtype: DType | None = None, keepdims: bool = False) -> Tile:
        """As :func:`tegula.prod`."""
        return _reduction.prod(self, axis, dtype, keepdims)

    def max(self, axis: Axis = None, keepdims: bool = False) -> Tile:
        """As :func:`tegula.max`."""
        return _reduction.max(self, axis, keepdims)

    def min(self, axis: Axis = None, keepdims: bool = False) -> Tile:
        """As :func:`tegula.min`."""
        return _reduction.min(self, axis, keepdims)

    def any(self, axis: Axis = None, keepdims: bool = False) -> Tile:
        """As :func:`tegula.any`."""
        return _reduction.any(self, axis, keepdims)

    def all(self, axis: Axis = None, keepdims: bool = False) -> Tile:
        """As :func:`tegula.all`."""
        return _reduction.all(self, axis, keepdims)

    def argmax(self, axis: int | None = None, keepdims: bool = False) -> Tile:
        """As :func:`tegula.argmax`."""
        return _reduction.argmax(self, axis, keepdims)

    def argmin(self, axis: int | None = None, keepdims: bool = False) -> Tile:
        """As :func:`tegula.argmin`."""
        return _reduction.argmin(self, axis, keepdims)

    def mean(self, axis: Axis = None, keepdims: bool = False) -> Tile:
        """As :func:`tegula.mean`."""
        return _reduction.mean(self, axis, keepdims)

    def var(self, axis: Axis = None, ddof: int = 0, keepdims: bool = False) -> Tile:
        """As :func:`tegula.var`."""
        return _reduction.var(self, axis, ddof, keepdims)

    def cumsum(self, axis: int | None = None, reverse: bool = False) -> Tile:
        """As :func:`tegula.cumsum`."""
        return _scan.cumsum(self, axis, reverse)

    def cumprod(self, axis: int | None = None, reverse: bool = False) -> Tile:
        """As :func:`tegula.cumprod`."""
        return _scan.cumprod(self, axis, reverse)


def _spread(values: tuple[int | Sequence[int], ...]) -> Sequence[int]:
    """Arguments given separately or as one tuple."""
    if len(values) == 1 and isinstance(values[0], (tuple, list)):
        return tuple(values[0])
    return cast(Sequence[int], values)


# The operations import Tile, so the module can only import them once the class exists.
from tegula.lang import _ufuncs  # noqa: E402
from tegula.lang import bits as _bits  # noqa: E402
from tegula.lang import compare as _compare  # noqa: E402
from tegula.lang import convert as _convert  # noqa: E402
from tegula.lang import elementwise as _elementwise  # noqa: E402
from tegula.lang import math as _math  # noqa: E402
from tegula.lang import reduction as _reduction  # noqa: E402
from tegula.lang import scans as _scan  # noqa: E402
from tegula.lang import shape as _shape  # noqa: E402
from tegula.lang import slicing as _slicing  # noqa: E402
from tegula.lang.dot import dot as _dot  # noqa: E402
