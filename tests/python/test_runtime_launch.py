# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Binding arguments, the specialization key, and what the launcher refuses."""

from __future__ import annotations

import gc
import weakref

import ml_dtypes
import numpy as np
import pytest

from tegula import _native
from tests.python.native_kernels import Compiled

M = _native.MISSING
pytestmark = pytest.mark.cpu


def auto(*names: str) -> list[tuple[str, str, str | None, object]]:
    return [(name, "auto", None, M) for name in names]


def entry(value: object, kind: str = "auto", dtype: str | None = None) -> tuple:
    """The signature's entry for one argument."""
    kernel = Compiled("nothing", [("x", kind, dtype, M)], writes=())
    kernel[0](value)
    return kernel.signatures[0][0][0]


def aligned(shape: tuple[int, ...], dtype: str = "f4", offset: int = 0) -> np.ndarray:
    """An array whose address is `offset` bytes past a multiple of 64."""
    count = int(np.prod(shape)) * np.dtype(dtype).itemsize
    raw = np.zeros(count + 128, np.uint8)
    start = -raw.ctypes.data % 64 + offset
    return raw[start : start + count].view(dtype).reshape(shape)


def test_runs_every_program_of_the_grid_once() -> None:
    kernel = Compiled("add_index")
    for grid in (1, 7, (3, 5), (2, 3, 4), (1, 1, 1000)):
        count = int(np.prod(grid))
        data = np.zeros(count, np.int64)
        kernel[grid](data)
        np.testing.assert_array_equal(data, np.arange(count))
    assert len(kernel.signatures) <= 2  # Sizes divisible by 16, and not.


@pytest.mark.parametrize("grid", [0, (0,), (4, 0), (4, 4, 0)])
def test_a_grid_with_a_zero_checks_and_compiles_but_runs_nothing(grid) -> None:
    kernel = Compiled("add_index")
    data = np.ones(4, np.int64)
    kernel[grid](data)
    assert data.tolist() == [1, 1, 1, 1]
    assert len(kernel.signatures) == 1
    with pytest.raises(ValueError, match="missing: data"):
        kernel[grid]()


def test_entry_of_an_array_tells_strides_alignment_and_divisibility() -> None:
    x = aligned((64, 100))
    assert entry(x) == ("array", "float32", (False, True), 16, (16, 1), (1, 1), True)
    assert entry(x.T) == ("array", "float32", (True, False), 16, (1, 16), (1, 1), True)
    assert entry(x[:, ::2])[2] == (False, False)
    assert entry(aligned((32, 16)))[4:6] == ((16, 16), (16, 1))
    assert entry(aligned((8,), offset=4))[3] == 4
    assert entry(aligned((3,), "f8", offset=8))[3] == 8
    assert entry(x[::-1])[2] == (False, True)


def strided(shape: tuple[int, ...], strides: tuple[int, ...]) -> np.ndarray:
    """An int8 view that lies about its memory: nothing reads it."""
    return np.lib.stride_tricks.as_strided(np.zeros(1, np.int8), shape, strides)


@pytest.mark.parametrize(
    ("shape", "strides", "is_compact"),
    [
        ((4, 8), (8, 1), True),
        ((4, 8), (9, 1), True),
        ((4, 8), (7, 1), False),  # rows overlap
        ((4, 8), (0, 1), False),
        ((4, 8), (1, 4), True),
        ((4, 8), (1, 3), False),
        ((4, 8), (-8, 1), False),
        ((1, 8), (0, 1), True),
        ((8, 1), (1, -5), True),
        ((2, 4, 8), (32, 8, 1), True),
        ((2, 4, 8), (8, 16, 1), False),
        ((1, 4, 8), (0, 8, 1), True),
        ((2, 4), (2**31 - 5, 1), True),
        ((2, 4), (2**31 - 4, 1), False),
        ((0, 4), (2**40, 1), True),
    ],
)
def test_an_array_is_compact_if_32_bits_reach_it_and_no_dimension_overlaps_another(
    shape: tuple[int, ...], strides: tuple[int, ...], is_compact: bool
) -> None:
    assert entry(strided(shape, strides))[6] is is_compact


def test_an_empty_array_is_aligned_and_overlaps_nothing() -> None:
    kernel = Compiled("nothing", auto("x", "y"), writes=())
    base = aligned((8,), offset=4)
    kernel[0](base[:0], base)
    (first, second), aliases, _ = kernel.signatures[0]
    assert first[3] == 16
    assert second[3] == 4
    assert aliases == ()


@pytest.mark.parametrize("name", _native.DTYPES)
def test_every_dtype_is_recognised_as_array_and_as_scalar(name: str) -> None:
    dtype = np.dtype(getattr(ml_dtypes, name, name))
    assert entry(np.zeros(3, dtype))[:2] == ("array", name)
    assert entry(dtype.type(1)) == ("scalar", name, False)


@pytest.mark.parametrize(
    ("value", "dtype"), [(True, "bool"), (3, "int64"), (-(2**63), "int64"), (0.5, "float64")]
)
def test_python_scalars_are_weak(value: object, dtype: str) -> None:
    assert entry(value) == ("scalar", dtype, True)


def test_longlong_is_int64_too() -> None:
    assert entry(np.zeros(1, np.longlong))[1] == "int64"
    assert entry(np.zeros(1, np.ulonglong))[1] == "uint64"


def test_array_of_rank_0_and_of_rank_8() -> None:
    assert entry(np.array(1.0)) == ("array", "float64", (), 16, (), (), True)
    assert len(entry(np.zeros((1,) * 8))[2]) == 8
    with pytest.raises(ValueError, match="rank: x: .*at most 8 dimensions, this one has 9"):
        entry(np.zeros((1,) * 9))


def test_values_of_scalars_sizes_and_data_do_not_make_new_specializations() -> None:
    kernel = Compiled("nothing", auto("x", "a"), writes=())
    for size, value in ((17, 1), (18, 2), (1001, -5)):
        kernel[1](aligned((size,)), value)
    assert len(kernel.signatures) == 1
    kernel[1](aligned((32,)), 1)
    kernel[1](aligned((17,)), 1.0)
    kernel[1](aligned((17,)), np.int64(1))
    kernel[1](aligned((17,), "f8"), 1)
    assert len(kernel.signatures) == 5
    assert len(kernel.dispatcher.specializations()) == 5
    kernel.dispatcher.clear()
    assert kernel.dispatcher.specializations() == []


def test_overlap_of_arrays_by_argument_number() -> None:
    params = [("c", "const", None, M), *auto("x", "n", "y", "z")]
    kernel = Compiled("nothing", params, writes=())
    base = aligned((100,))

    def aliases(x, y, z) -> tuple:
        kernel[1](0, x, 5, y, z)
        kernel.dispatcher.clear()
        return kernel.signatures[-1][1]

    assert aliases(base[:50], base[50:], aligned((4,))) == ()
    assert aliases(base[:51], base[50:], aligned((4,))) == ((0, 2),)
    assert aliases(base, base[10:20], base[15:]) == ((0, 2), (0, 3), (2, 3))
    assert aliases(base[::-1], aligned((4,)), base[:1]) == ((0, 3),)
    grid = aligned((10, 10))
    assert aliases(grid[:5].T, grid[5:], grid[4:6]) == ((0, 3), (2, 3))


def test_many_arrays_overlap_pairs_beyond_one_word() -> None:
    names = [f"x{i}" for i in range(20)]
    kernel = Compiled("nothing", auto(*names), writes=())
    arrays = [aligned((4,)) for _ in names]
    kernel[1](*arrays)
    assert kernel.signatures[0][1] == ()
    arrays[18] = arrays[19]
    kernel[1](*arrays)
    assert kernel.signatures[1][1] == ((18, 19),)
    kernel[1](*arrays)
    assert len(kernel.signatures) == 2


def test_consts_are_told_apart_by_type_and_value() -> None:
    kernel = Compiled("nothing", [("c", "const", None, M)], writes=())
    nan = float("nan")
    values = [1, True, 1.0, 0.0, -0.0, nan, "a", (1, 2), (1, True), None, len, np.float32, 2**70]
    for _ in range(2):
        for value in values:
            kernel[1](value)
    assert len(kernel.signatures) == len(values)
    kernel[1]((1, int("2")))
    kernel[1](c="".join(["a"]))
    assert len(kernel.signatures) == len(values)
    assert kernel.signatures[7] == ((("const", (1, 2)),), (), ("cpu", 0))


def test_const_comparison_that_raises_is_passed_on() -> None:
    class Odd:
        def __hash__(self) -> int:
            return 1

        def __eq__(self, other: object) -> bool:
            raise ZeroDivisionError

    kernel = Compiled("nothing", [("c", "const", None, M)], writes=())
    kernel[1](Odd())
    with pytest.raises(ZeroDivisionError):
        kernel[1](Odd())


def test_positional_keyword_and_default_arguments() -> None:
    params = [*auto("x", "n"), ("c", "const", None, 7), ("a", "scalar", "float32", 0.5)]
    kernel = Compiled("nothing", params, writes=())
    x = aligned((4,))
    kernel[1](x, 1)
    kernel[1](n=1, x=x)
    kernel[1](x, n=1, c=7, a=3)
    kernel[1](*(x, 1, 7), **{"".join(["", "a"]): 2.0})
    assert len(kernel.signatures) == 1
    kernel[1](x, 1, c=8)
    assert kernel.signatures[1][0][2:] == (("const", 8), ("scalar", "float32", False))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda k, x: k[1](x), "missing: n: argument 'n' is missing"),
        (lambda k, x: k[1](x, 1, 2), "too-many: None: takes 2 arguments, 3 were given"),
        (lambda k, x: k[1](x, 1, q=1), "unexpected: q: there is no parameter 'q'"),
        (lambda k, x: k[1](x, x=x, n=1), "duplicate: x: argument 'x' is given twice"),
        (lambda k, x: k[1](x, [1]), "not-array: n: expected an array or a number, got list"),
        (lambda k, x: k[1](x, None), "not-array: n: .*annotate the parameter with tg.Const"),
        (lambda k, x: k[1](x, 2**63), "range: n: 9223372036854775808 does not fit int64"),
        (lambda k, x: k[1](x.astype("c8"), 1), "dtype: x: arrays of dtype complex64 are not"),
        (lambda k, x: k[1](x, np.complex64(1)), "dtype: n: scalars of dtype complex64 are not"),
        (lambda k, x: k[1](x.astype(">f4"), 1), "byte-order: x: .*newbyteorder"),
        (lambda k, x: k[1](x.astype("U3"), 1), "dtype: x: arrays of dtype <U3 are not"),
        (lambda k, x: k[1](np.ma.masked_array(x), 1), "not-array: x: masked arrays"),
        (lambda k, x: k[-1](x, 1), "grid: None: a grid is made of integers >= 0, not -1"),
        (lambda k, x: k[1.0](x, 1), "grid: None: .*not 1.0"),
        (lambda k, x: k[True](x, 1), "grid: None: .*not True"),
        (lambda k, x: k[1, 2, 3, 4](x, 1), "grid: None: .*one to three dimensions, not 4"),
        (lambda k, x: k[()](x, 1), "grid: None: .*one to three dimensions, not 0"),
        (lambda k, x: k[2**40, 2**40](x, 1), "grid: None: .*too many programs"),
        (lambda k, x: k[2**16, 2**15](x, 1), "grid: None: .*one launch runs at most 2147483647"),
        (lambda k, x: k[2**70](x, 1), "grid: None: a grid is made of integers"),
    ],
)
def test_refusals_say_why(call, text: str) -> None:
    kernel = Compiled("nothing", auto("x", "n"), writes=())
    with pytest.raises(ValueError, match=text):
        call(kernel, aligned((4,)))
    assert kernel.signatures == []


def test_grids_may_be_numpy_integers() -> None:
    kernel = Compiled("nothing")
    launch = kernel[np.int32(3), np.uint8(2)]
    assert launch.grid == (3, 2, 1)


@pytest.mark.parametrize(
    ("dtype", "value", "bits"),
    [
        ("int8", -128, 0x80),
        ("uint8", 255, 0xFF),
        ("uint64", 2**64 - 1, 2**64 - 1),
        ("int32", True, 1),
        ("int16", np.uint8(200), 200),
        ("bool", True, 1),
        ("float32", 1, 0x3F800000),
        ("float32", 0.1, 0x3DCCCCCD),
        ("float64", np.float32(0.5), 0x3FE0000000000000),
        ("float16", 65504, 0x7BFF),
        ("float16", 1e6, 0x7C00),
        ("bfloat16", 1.00390625, 0x3F80),
        ("float16", ml_dtypes.bfloat16(2), 0x4000),
        ("float8_e4m3fn", 1e6, 0x7E),
        ("float8_e4m3fn", 0.1, int(np.array(0.1, ml_dtypes.float8_e4m3fn).view("u1"))),
        ("float8_e5m2", -1e9, 0xFB),
    ],
)
def test_annotated_scalars_are_converted(dtype: str, value: object, bits: int) -> None:
    params = [("data", "array", None, M), ("a", "scalar", dtype, M)]
    kernel = Compiled("copy_slot", params)
    out = np.zeros(1, np.uint64)
    kernel[1](out, value)
    width = np.dtype(getattr(ml_dtypes, dtype, dtype)).itemsize * 8
    assert int(out[0]) & (2**width - 1) == bits


@pytest.mark.parametrize(
    ("dtype", "value", "text"),
    [
        ("int8", 128, "range: x: 128 does not fit int8"),
        ("uint8", -1, "range: x: -1 does not fit uint8"),
        ("uint32", 2**32, "does not fit uint32"),
        ("uint64", 2**64, "does not fit uint64"),
        ("int64", np.uint64(2**63), "does not fit int64"),
        ("bool", 2, "does not fit bool"),
        ("int32", 1.0, "dtype: x: a float .1.0. is not converted to int32"),
        ("int32", np.float32(1), "is not converted to int32"),
        ("float32", "1", "not-scalar: x: expected a number for float32, got str"),
        ("float32", np.zeros(1), "not-scalar: x: expected a number for float32"),
    ],
)
def test_annotated_scalars_that_do_not_convert(dtype: str, value: object, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        entry(value, "scalar", dtype)


def test_an_array_parameter_takes_no_numbers() -> None:
    with pytest.raises(ValueError, match="not-array: x: expected an array .*got int"):
        entry(3, "array")


def test_unhashable_const() -> None:
    with pytest.raises(ValueError, match="not-const: x: a tg.Const must be hashable, list is not"):
        entry([1], "const")


def test_read_only_arrays_are_refused_only_where_they_are_written() -> None:
    x = np.zeros(4, np.int64)
    x.flags.writeable = False
    Compiled("nothing", writes=())[4](x)
    with pytest.raises(ValueError, match="read-only: data: the kernel writes to this array"):
        Compiled("add_index")[4](x)


def test_misaligned_data_and_strides_are_refused() -> None:
    raw = np.zeros(65, np.uint8)
    with pytest.raises(ValueError, match="unaligned: x: .*element size .4 bytes"):
        entry(raw[1:].view("f4"))
    records = np.zeros(4, np.dtype([("a", "u1"), ("b", "f4")], align=False))
    with pytest.raises(ValueError, match="unaligned"):
        entry(records["b"])


def test_a_failing_compile_records_nothing() -> None:
    def compile(signature, arguments):
        raise LookupError(arguments[0].shape)

    dispatcher = _native.Dispatcher("k", auto("x"), compile, lambda *a: ValueError(a))
    for _ in range(2):
        with pytest.raises(LookupError, match="4"):
            dispatcher[1](aligned((4,)))
    assert dispatcher.specializations() == []


def test_compile_must_return_a_specialization() -> None:
    dispatcher = _native.Dispatcher("k", [], lambda s, a: 3, lambda *a: ValueError(a))
    with pytest.raises(TypeError, match="must return a Specialization, not int"):
        dispatcher[1]()


def test_guards_drop_a_specialization_when_a_value_changes() -> None:
    cell = (lambda x: lambda: x)(1).__closure__[0]
    names = {"SIZE": 4, "other": 1}

    def guards() -> list[_native.Guard]:
        return [(names, "SIZE", names.get("SIZE")), (cell, None, cell.cell_contents)]

    kernel = Compiled("nothing", [], guards=guards)

    def compilations() -> int:
        for _ in range(3):
            kernel[1]()
        return len(kernel.signatures)

    assert compilations() == 1
    names["other"] = 2
    assert compilations() == 1
    names["SIZE"] = 5
    assert compilations() == 2
    names["SIZE"] = 4
    assert compilations() == 3
    cell.cell_contents = True  # Equal to 1, but of another type.
    assert compilations() == 4
    del names["SIZE"]
    kernel[1]()
    assert len(kernel.signatures) == 5
    assert len(kernel.dispatcher.specializations()) == 1


def test_prepared_launches_keep_their_arguments() -> None:
    kernel = Compiled("add_index")
    data = np.zeros(8, np.int64)
    prepared = kernel[8].prepare(data)
    assert prepared.grid == (8, 1, 1)
    view = weakref.ref(data)
    for _ in range(3):
        prepared()
    np.testing.assert_array_equal(data, 3 * np.arange(8))
    del data
    gc.collect()
    assert view() is not None
    prepared()
    with pytest.raises(TypeError, match="takes no arguments"):
        prepared(1)  # type: ignore[call-arg]
    del prepared
    assert view() is None


def test_dispatchers_in_cycles_are_collected() -> None:
    class Owner:
        pass

    def cycle() -> weakref.ref:
        owner = Owner()
        variables = {"owner": owner}
        kernel = Compiled("nothing", guards=lambda: [(variables, "owner", owner)])
        owner.kernel = kernel  # type: ignore[attr-defined]
        kernel[1](np.zeros(1))
        return weakref.ref(owner)

    seen = cycle()
    gc.collect()
    assert seen() is None


def test_bad_constructor_arguments() -> None:
    def build(*params: tuple) -> None:
        _native.Dispatcher("k", params, print, print)  # type: ignore[arg-type]

    with pytest.raises(ValueError, match="unknown parameter kind 'scala'"):
        build(("x", "scala", None, M))
    with pytest.raises(ValueError, match="unknown dtype 'float33'"):
        build(("x", "scalar", "float33", M))
    with pytest.raises(ValueError, match="at most 128 parameters, 64 of them at run time"):
        build(*auto(*(f"x{i}" for i in range(65))))
    with pytest.raises(TypeError, match="a guard is"):
        _native.Specialization(0, guards=((1, 2, 3),))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"argument number 64 is not in 0\.\.63"):
        _native.Specialization(0, writes=(64,))
