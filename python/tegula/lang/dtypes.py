# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types. Each is a :class:`DType`, which also converts: ``tg.int8(300)`` wraps to 44.

They mirror NumPy's types, with bfloat16 and the two fp8 formats from ml_dtypes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, cast

import ml_dtypes
import numpy as np

from tegula.errors import TileTypeError

if TYPE_CHECKING:
    from tegula.lang._operands import TileLike

# A tile inside a kernel, a NumPy scalar outside one.
TypedScalar: TypeAlias = Any


class DType:
    """An element type.

    Attributes:
        name: NumPy's name, such as "float32".
        numpy: the equivalent `numpy.dtype`.
        kind: "b", "i", "u" or "f".
        itemsize: bytes of one element in memory.
        min, max: the least and greatest finite value, as Python numbers.
        code: the number that the run-time library knows it by.
    """

    __slots__ = (
        "code",
        "is_float",
        "is_fp8",
        "is_int",
        "itemsize",
        "kind",
        "max",
        "min",
        "name",
        "numpy",
    )

    def __init__(self, numpy_type: type[Any], kind: str, code: int) -> None:
        """Describe a NumPy type."""
        self.numpy: np.dtype[Any] = np.dtype(numpy_type)
        self.name = str(self.numpy)
        self.kind = kind
        self.itemsize: int = self.numpy.itemsize
        self.is_float = kind == "f"
        self.is_int = kind in "iu"
        self.is_fp8 = kind == "f" and self.itemsize == 1
        self.code = code
        self.min, self.max = _limits(self.numpy, kind)

    def __call__(self, value: TileLike) -> TypedScalar:
        """Convert to this type as a cast does.

        Integers wrap, floats saturate to integers and round to floats.

        Returns a scalar tile of this dtype for a Python or NumPy scalar, a tile of its shape for a
        tile. Outside a kernel, a NumPy scalar (which a kernel treats as having exactly this dtype).

        Raises:
            TileTypeError: `value` is not a number or tile.
        """
        from tegula.lang import convert

        return convert.convert(value, self)

    def __repr__(self) -> str:
        """As users write it."""
        return f"tg.{self.name}" if self.name != "bool" else "tg.bool_"

    def __str__(self) -> str:
        """The bare name."""
        return self.name

    def __eq__(self, other: object) -> bool:
        """Equal to the same DType and to NumPy's names for it."""
        if self is other:
            return True
        if _names_dtype(other):
            return _LOOKUP.get(_numpy_dtype(other)) is self
        return NotImplemented

    def __hash__(self) -> int:
        """Agrees with that of the NumPy dtype."""
        return hash(self.numpy)

    def __reduce__(self) -> str:
        """Pickles and copies as the module's one object."""
        return "bool_" if self.name == "bool" else self.name


def _names_dtype(value: object) -> bool:
    return isinstance(value, (np.dtype, type, str))


def _limits(dtype: np.dtype[Any], kind: str) -> tuple[Any, Any]:
    if kind == "b":
        return False, True
    if kind in "iu":
        ints = np.iinfo(dtype)
        return int(ints.min), int(ints.max)
    floats = cast(Any, ml_dtypes).finfo(dtype)
    return float(floats.min), float(floats.max)


bool_ = DType(np.bool_, "b", 0)
int8 = DType(np.int8, "i", 1)
int16 = DType(np.int16, "i", 2)
int32 = DType(np.int32, "i", 3)
int64 = DType(np.int64, "i", 4)
uint8 = DType(np.uint8, "u", 5)
uint16 = DType(np.uint16, "u", 6)
uint32 = DType(np.uint32, "u", 7)
uint64 = DType(np.uint64, "u", 8)
float16 = DType(np.float16, "f", 9)
bfloat16 = DType(ml_dtypes.bfloat16, "f", 10)
float32 = DType(np.float32, "f", 11)
float64 = DType(np.float64, "f", 12)
float8_e4m3fn = DType(ml_dtypes.float8_e4m3fn, "f", 13)
float8_e5m2 = DType(ml_dtypes.float8_e5m2, "f", 14)

ALL: tuple[DType, ...] = (
    *(bool_, int8, int16, int32, int64, uint8, uint16, uint32, uint64),
    *(float16, bfloat16, float32, float64, float8_e4m3fn, float8_e5m2),
)
_LOOKUP: dict[np.dtype[Any] | None, DType] = {dtype.numpy: dtype for dtype in ALL}


def _numpy_dtype(value: object) -> np.dtype[Any] | None:
    try:
        return np.dtype(value)  # type: ignore[call-overload]
    except TypeError:
        return None


def from_numpy(dtype: object) -> DType | None:
    """The DType of a NumPy dtype in native byte order, or None if Tegula has none."""
    return _LOOKUP.get(_numpy_dtype(dtype))


def as_dtype(value: object, what: str = "dtype") -> DType:
    """Accept a DType, a NumPy dtype or scalar type, a name, or Python's bool, int, float.

    Raises:
        TileTypeError: it names no dtype of the language.
    """
    if isinstance(value, DType):
        return value
    found = from_numpy(value) if _names_dtype(value) else None
    if found is None:
        names = ", ".join(repr(dtype) for dtype in ALL)
        raise TileTypeError(
            f"{what} must be a Tegula dtype, not {value!r}",
            argument=what,
            help=f"use one of {names}",
        )
    return found


def is_numpy_scalar(value: object) -> bool:
    """Whether a value is a NumPy scalar, or an array of rank 0, which stands for one."""
    return isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0)
