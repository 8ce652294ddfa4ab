# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What running kernels report (printed lines, failed assertions), and the memory they ask for."""

from __future__ import annotations

import ctypes
import io
from collections.abc import Iterator
from contextlib import redirect_stdout

import ml_dtypes
import numpy as np
import pytest

from tegula import _native
from tegula._runtime import printing
from tests.python.native_kernels import Compiled

pytestmark = pytest.mark.cpu


@pytest.fixture(autouse=True)
def restore_thread_count() -> Iterator[None]:
    before = _native.num_threads()
    yield
    _native.set_num_threads(before)


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_printed_lines_come_in_program_order(threads: int) -> None:
    _native.set_num_threads(threads)
    kernel = Compiled("print")
    data = np.array([3, -4], np.int64)
    out = io.StringIO()
    with redirect_stdout(out):
        kernel[200](data)
    assert out.getvalue().splitlines() == [f"value{p}[ 3 -4]" for p in range(200)]


def test_values_are_shown_as_numpy_shows_them() -> None:
    half = np.array([[1.5, -2]], ml_dtypes.bfloat16)
    flags = np.array([True, False])
    parts = [
        ["x = ", ("bfloat16", half.shape, half.tobytes()), " ", ("bool", (2,), flags.tobytes())],
        ["s ", ("float32", (), np.float32(0.1).tobytes()), " ", ("bool", (), b"\0")],
        [],
    ]
    out = io.StringIO()
    with redirect_stdout(out):
        printing.print_lines(parts)  # type: ignore[arg-type]
    expected = f"x = {half} {flags}\ns {str(np.float32(0.1))} False\n\n"
    assert out.getvalue() == expected


def test_an_exception_of_stdout_is_passed_on() -> None:
    class Broken(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    with redirect_stdout(Broken()), pytest.raises(BrokenPipeError):
        Compiled("print")[1](np.zeros(2, np.int64))


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_the_failure_of_the_first_program_is_raised_after_all_have_run(threads: int) -> None:
    _native.set_num_threads(threads)
    kernel = Compiled("check")
    data = np.zeros(3000, np.int64)
    text = r"assert: None: assertion failed in program \(5, 0, 0\): too big"
    with pytest.raises(ValueError, match=text) as caught:
        kernel[3000](data)
    assert caught.value.value == ("too big", "user.py", 7, 3, (5, 0, 0))  # type: ignore[attr-defined]
    assert data.all()
    kernel[5](data)  # Nothing fails here, and nothing is left of the failure before.


def test_prepared_launches_report_too() -> None:
    prepared = Compiled("check")[6].prepare(np.zeros(6, np.int64))
    for _ in range(2):
        with pytest.raises(ValueError, match="too big"):
            prepared()


def test_scratch_memory_is_aligned_and_can_be_used_by_all_threads() -> None:
    _native.set_num_threads(4)
    kernel = Compiled("scratch")
    data = np.zeros(20000, np.int64)
    kernel[20000](data)
    np.testing.assert_array_equal(data, np.arange(20000))


def test_scratch_blocks_of_many_sizes_do_not_overlap() -> None:
    symbols = _native.runtime_symbols()
    alloc = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int64)(symbols["tegula_rt_alloc"])
    free = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(symbols["tegula_rt_free"])
    rng = np.random.default_rng(0)
    live: dict[int, int] = {}
    for _ in range(3000):
        if len(live) > 20 or (live and rng.random() < 0.4):
            address = list(live)[rng.integers(len(live))]
            value = live.pop(address)
            assert ctypes.string_at(address, 8) == value.to_bytes(8, "little")
            free(address)
        else:
            size = int(rng.integers(0, 100000))
            address = alloc(size)
            assert address % 64 == 0
            assert address not in live
            live[address] = size
            ctypes.memmove(address, size.to_bytes(8, "little"), 8)
    free(None)


def _converter(name: str, result: type, argument: type):
    return ctypes.CFUNCTYPE(result, argument)(_native.runtime_symbols()[name])


def _low_half(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(values, np.float32).view(np.uint16)[::2]


@pytest.mark.parametrize(("name", "dtype"), [("hf2", "float16"), ("bf2", "bfloat16")])
def test_narrowing_conversions_round_once_to_nearest_even(name: str, dtype: str) -> None:
    """Against NumPy (float16) and exact rational rounding (bfloat16 from double)."""
    target = np.dtype(getattr(ml_dtypes, dtype, dtype))
    every = np.arange(2**16, dtype=np.uint16).view(target)
    with np.errstate(invalid="ignore"):  # Signalling NaNs.
        finite = np.unique(every[np.isfinite(every)].astype(np.float64))
    ties = (finite[:-1] + finite[1:]) / 2
    near = np.concatenate([np.nextafter(ties, -np.inf), ties, np.nextafter(ties, np.inf)])
    step = _converter(f"__truncdf{name}", ctypes.c_float, ctypes.c_double)
    got = _low_half(np.array([step(x) for x in near], np.float32))
    lower = np.tile(finite[:-1].astype(target).view(np.uint16), 3)
    upper = np.tile(finite[1:].astype(target).view(np.uint16), 3)
    even = np.where(lower & 1, upper, lower)
    third = len(ties)
    expected = np.concatenate([lower[:third], even[third : 2 * third], upper[2 * third :]])
    zero = (got & 0x7FFF) == (expected & 0x7FFF)
    assert np.all((got == expected) | (zero & ((got & 0x7FFF) == 0)))


def test_narrowing_of_special_values() -> None:
    half = _converter("__truncsfhf2", ctypes.c_float, ctypes.c_float)
    got = _low_half(np.array([half(x) for x in (np.inf, -np.inf, 65519.0, 65520.0, -0.0, 1e-9)]))
    assert got.tolist() == [0x7C00, 0xFC00, 0x7BFF, 0x7C00, 0x8000, 0]
    nan = _low_half(np.array([half(np.nan)]))[0]
    assert nan & 0x7C00 == 0x7C00
    assert nan & 0x3FF


def test_widening_conversions_are_exact() -> None:
    widen = _converter("__extendhfsf2", ctypes.c_float, ctypes.c_float)
    bits = np.arange(2**16, dtype=np.uint32)
    got = np.array([widen(x) for x in bits.view(np.float32)], np.float32)
    np.testing.assert_array_equal(got, bits.astype(np.uint16).view(np.float16).astype(np.float32))


def test_only_listed_functions_can_be_called() -> None:
    assert _native.symbol_address("expf")
    assert _native.symbol_address("memcpy")
    assert _native.symbol_address("tegula_rt_alloc")
    for name in ("system", "malloc", "no_such_function", ""):
        assert _native.symbol_address(name) is None
