# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
# (NumPy's stubs leave the dtypes of most results open.)
"""Running a kernel's function once for each program of a grid."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping

import numpy as np

from tegula import _backend
from tegula._interpret.arrays import as_numpy, is_array
from tegula._interpret.backend import NumpyBackend, assertion_error
from tegula._location import Frame, kernel_entry, place_of_traceback, user_frame
from tegula._show import show
from tegula._source import assert_at
from tegula.errors import KernelAssertionError, LaunchError, TegulaError
from tegula.lang import dtypes, promotion
from tegula.lang._calls import explained
from tegula.lang.array import Array
from tegula.lang.control import ConstValue, check_result
from tegula.lang.tile import Tile


def run(
    fn: Callable[..., object],
    grid: tuple[int, int, int],
    bound: Mapping[str, object],
    *,
    checked: bool = False,
    regroup: Callable[[dict[str, object]], dict[str, object]] | None = None,
) -> None:
    """Call a kernel's function for each program of a grid.

    Args:
        fn: the function as the user wrote it.
        grid: sizes along x, y, z; a size of 0 runs nothing.
        bound: parameter names to arrays, Python scalars (which promote weakly), NumPy scalars, or
            :class:`~tegula.lang.control.ConstValue`.
        checked: whether accesses that reach nothing of their array are errors.
        regroup: makes the function's parameters of what `bound` has.

    Raises:
        LaunchError: an argument is of no supported kind.
        KernelAssertionError: an `assert` in the kernel failed; the first one, at the end.
        Exception: whatever the kernel raises.
    """
    backend = NumpyBackend(grid, user_frame(), checked=checked)
    nx, ny, nz = grid
    with _backend.activate(backend), np.errstate(all="ignore"):
        code = getattr(fn, "__code__", None)
        arguments = {
            name: _argument(backend, name, value, None if code is None else (code, name))
            for name, value in bound.items()
        }
        args, kwargs = _split(fn, arguments if regroup is None else regroup(arguments))
        failed: KernelAssertionError | None = None
        for linear in range(nx * ny * nz):
            backend.program = (linear % nx, linear // nx % ny, linear // (nx * ny))
            try:
                _program(backend, fn, args, kwargs)
            except KernelAssertionError as error:  # other programs still run, as on a device
                failed = failed or error
        if failed is not None:
            raise failed


@kernel_entry
def _program(
    backend: NumpyBackend, fn: Callable[..., object], args: list[object], kwargs: dict[str, object]
) -> None:
    try:
        check_result(fn(*args, **kwargs), getattr(fn, "__code__", None))
    except RecursionError as error:
        from tegula._trace.tracer import endless

        raise endless(error) from None
    except TypeError as error:
        better = explained(error)
        if better is None:
            raise
        raise better from None
    except AssertionError as error:
        if isinstance(error, TegulaError):
            raise
        place = place_of_traceback(error.__traceback__)
        text = str(error)
        location, text = (None, text) if place is None else assert_at(place, text)
        raise assertion_error(text, backend.program, location) from None


def _split(
    fn: Callable[..., object], arguments: dict[str, object]
) -> tuple[list[object], dict[str, object]]:
    """Arguments that can only be given by position, and the others."""
    parameters = inspect.signature(fn).parameters
    only = inspect.Parameter.POSITIONAL_ONLY
    args = [value for name, value in arguments.items() if parameters[name].kind is only]
    rest = {name: value for name, value in arguments.items() if parameters[name].kind is not only}
    return args, rest


def _argument(backend: NumpyBackend, name: str, value: object, origin: Frame | None) -> object:
    if isinstance(value, ConstValue):
        return value.value
    if isinstance(value, np.generic):
        found = np.asarray(value).dtype
        dtype = dtypes.from_numpy(found)
        if dtype is None:
            raise LaunchError(
                f"the argument {name!r} has dtype {found}, which kernels do not support",
                help="convert it, for example with float(...) or np.float32(...)",
            )
        return Tile(np.array(value), dtype, (), name=name, origin=origin)
    if isinstance(value, (bool, int, float)):
        return _weak_scalar(backend, name, value, origin)
    if is_array(value):
        array = as_numpy(value, name)
        dtype = dtypes.as_dtype(array.dtype)
        return Array(array, dtype, array.ndim, name=name, origin=origin)
    raise LaunchError(
        f"the argument {name!r} is {type(value).__name__} {show(value)}, which a kernel cannot "
        f"take at run time",
        help=f"pass an array or a number, or declare the parameter as `{name}: tg.Const`",
    )


def _weak_scalar(
    backend: NumpyBackend, name: str, value: bool | int | float, origin: Frame | None
) -> Tile:
    dtype = promotion.weak_default(promotion.weak_kind(value))
    if dtype is dtypes.int64 and not dtype.min <= value <= dtype.max:
        raise LaunchError(
            f"the argument {name!r} is {value}, which does not fit int64",
            help="pass np.uint64(...) or a float, or declare the parameter as tg.Const",
        )
    return Tile(backend.constant(value, dtype), dtype, (), weak=True, name=name, origin=origin)
