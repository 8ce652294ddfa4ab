# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Object files become callable code, or an error: never a crash."""

from __future__ import annotations

import ctypes
import math

import numpy as np
import pytest

from tegula import _native
from tegula._compile import codegen, elf
from tegula._compile.artifact import Artifact
from tegula._runtime import cpu, mcjit
from tegula.errors import CompileError
from tests.python.native_kernels import artifact, bitcode

pytestmark = pytest.mark.cpu

LOADERS = [
    pytest.param(_native.load_object, id="own"),
    pytest.param(mcjit.load_object, id="mcjit"),
]

# Constants, a jump table, a zero-initialized and an initialized variable, library calls.
PROGRAM = """
declare double @exp(double)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
@table = private constant [4 x double] [double 1.0, double 2.0, double 4.0, double 8.0], align 64
@zero = internal global i64 0
@start = internal global i64 41
@pointer = internal global ptr @table

define double @exponential(double %x) {
  %y = call double @exp(double %x)
  ret double %y
}
define double @lookup(i64 %i) {
  %base = load ptr, ptr @pointer
  %place = getelementptr double, ptr %base, i64 %i
  %value = load double, ptr %place
  ret double %value
}
define i64 @count() {
  %a = load i64, ptr @zero
  %a1 = add i64 %a, 1
  store i64 %a1, ptr @zero
  %b = load i64, ptr @start
  %sum = add i64 %a1, %b
  ret i64 %sum
}
define i64 @choose(i64 %i) {
  switch i64 %i, label %other [ i64 0, label %a
                                i64 1, label %b
                                i64 2, label %c
                                i64 3, label %d
                                i64 4, label %e ]
a:
  ret i64 10
b:
  %n = call i64 @count()
  ret i64 %n
c:
  ret i64 -7
d:
  call void @clear(ptr @zero, i64 8)
  ret i64 13
e:
  ret i64 1000
other:
  ret i64 -1
}
define void @clear(ptr %p, i64 %n) noinline {
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 %n, i1 false)
  ret void
}
define <16 x float> @scaled(ptr %p) noinline {
  %x = load <16 x float>, ptr %p, align 4
  %y = fmul <16 x float> %x, <float 1.0, float 2.0, float 3.0, float 4.0, float 5.0, float 6.0,
      float 7.0, float 8.0, float 9.0, float 10.0, float 11.0, float 12.0, float 13.0, float 14.0,
      float 15.0, float 16.0>
  ret <16 x float> %y
}
define void @scale(ptr %p) {
  %y = call <16 x float> @scaled(ptr %p)
  store <16 x float> %y, ptr %p, align 4
  ret void
}
"""


@pytest.fixture(scope="module")
def program() -> bytes:
    return codegen.compile_bitcode(bitcode(PROGRAM))


@pytest.mark.parametrize("load", LOADERS)
def test_code_constants_variables_and_library_calls(load, program: bytes) -> None:
    code = load(program)

    def function(name: str, result: type | None, *arguments: type):
        return ctypes.CFUNCTYPE(result, *arguments)(code.address(name))

    number, real = ctypes.c_int64, ctypes.c_double
    assert function("exponential", real, real)(1.0) == math.exp(1.0)
    lookup = function("lookup", real, number)
    assert [lookup(i) for i in range(4)] == [1, 2, 4, 8]
    choose = function("choose", number, number)
    assert [choose(i) for i in (0, 1, 1, 3, 1, 2, 4, 99)] == [10, 42, 43, 13, 42, -7, 1000, -1]
    data = np.ones(16, np.float32)
    function("scale", None, ctypes.c_void_p)(data.ctypes.data)
    assert data.tolist() == list(range(1, 17))
    assert code.address("no_such_function") is None


def test_each_load_has_variables_of_its_own(program: bytes) -> None:
    codes = [_native.load_object(program) for _ in range(2)]
    counts = [ctypes.CFUNCTYPE(ctypes.c_int64)(code.address("count")) for code in codes]
    assert [counts[0](), counts[0](), counts[1]()] == [42, 43, 42]


def _object(text: str) -> bytes:
    """An object file, without the checks of codegen."""
    import llvmlite.binding as binding

    codegen.compile_bitcode(bitcode(PROGRAM))  # Sets LLVM up.
    target = binding.Target.from_default_triple()
    machine = target.create_target_machine(reloc="pic", codemodel="small")
    return machine.emit_object(binding.parse_assembly(text))


UNKNOWN = """
declare i64 @no_such_function(i64)
declare i64 @system(ptr)
define i64 @k(i64 %x) {
  %y = call i64 @no_such_function(i64 %x)
  %p = inttoptr i64 %y to ptr
  %z = call i64 @system(ptr %p)
  ret i64 %z
}
"""


@pytest.mark.parametrize("load", LOADERS)
def test_unknown_functions_are_an_error(load) -> None:
    with pytest.raises(_native.ObjectError, match="no_such_function, system"):
        load(_object(UNKNOWN))


def test_codegen_refuses_unknown_functions() -> None:
    with pytest.raises(CompileError, match="calls functions that do not exist: no_such_function"):
        codegen.compile_bitcode(bitcode(UNKNOWN))


def test_undefined_symbols_are_those_of_the_object(program: bytes) -> None:
    assert sorted(set(elf.undefined_symbols(program)) - {"_GLOBAL_OFFSET_TABLE_"}) == [
        "exp",
        "memset",
    ]
    with pytest.raises(ValueError, match="not a 64-bit"):
        elf.undefined_symbols(b"MZ" + bytes(100))


def test_half_conversions_without_instructions_are_linked() -> None:
    text = """
define void @narrow(ptr %p, double %x) {
  %h = fptrunc double %x to half
  store half %h, ptr %p
  %q = getelementptr half, ptr %p, i64 1
  %b = fptrunc double %x to bfloat
  store bfloat %b, ptr %q
  ret void
}
"""
    code = _native.load_object(_object(text))
    out = np.zeros(2, np.uint16)
    narrow = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_double)(code.address("narrow"))
    narrow(out.ctypes.data, 1.0 + 2**-11 + 2**-40)
    assert out.tolist() == [0x3C01, 0x3F80]


def test_products_and_sums_are_not_contracted() -> None:
    text = """
define float @f(float %a, float %b, float %c) {
  %m = fmul float %a, %b
  %s = fadd float %m, %c
  ret float %s
}
"""
    code = _native.load_object(codegen.compile_bitcode(bitcode(text)))
    real = ctypes.c_float
    function = ctypes.CFUNCTYPE(real, real, real, real)(code.address("f"))
    a = np.float32(1 + 2**-12)
    assert function(a, a, -1.0) == np.float32(np.float32(a * a) - np.float32(1))


@pytest.mark.parametrize("keep", [0, 4, 63, 64, 200, 0.3, 0.6, 0.9, 0.99])
def test_truncated_objects_are_an_error(program: bytes, keep: float) -> None:
    size = int(keep * len(program)) if isinstance(keep, float) else keep
    with pytest.raises(_native.ObjectError):
        _native.load_object(program[:size])


def test_altered_objects_do_not_crash_the_loader(program: bytes) -> None:
    """The code is not run: only linking is tested against nonsense."""
    rng = np.random.default_rng(1)
    for _ in range(3000):
        data = bytearray(program)
        for place in rng.integers(0, len(data), 3):
            data[place] = rng.integers(256)
        try:
            _native.load_object(bytes(data))
        except _native.ObjectError:
            continue


def test_an_artifact_without_its_entry_is_an_error() -> None:
    found = artifact("nothing")
    wrong = Artifact("something", "cpu", found.code, ())
    with pytest.raises(_native.ObjectError, match="no function 'something.entry'"):
        cpu.specialize(cpu.load(wrong), wrong, ())


def test_invalid_ir_is_an_error() -> None:
    with pytest.raises(CompileError, match="LLVM rejects the code of this kernel"):
        codegen.compile_bitcode(b"BC\xc0\xde" + bytes(40))


def test_stages_below_mlir_can_be_shown() -> None:
    text = bitcode(PROGRAM)
    assert "define double @exponential" in str(codegen.show(text, "llvm"))
    assert "tail call double @exp" in str(codegen.show(text, "llvm-opt"))
    assert "exponential:" in str(codegen.show(text, "asm"))
    assert bytes(codegen.show(text, "obj"))[:4] == b"\x7fELF"  # type: ignore[arg-type]
