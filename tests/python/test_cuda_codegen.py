# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From one thread's code to PTX and cubins, for every architecture, without a GPU.

What needs ptxas is skipped where no package brings it.
"""

from __future__ import annotations

import re
import shutil
import warnings
from pathlib import Path

import pytest
from tegula.mlir import ir

from tegula import _runtime
from tegula._compile import cuda, pipeline, ptxas, targets
from tegula._compile.targets import Unit
from tegula._location import Location
from tegula.errors import CompileError, PerformanceWarning
from tests._support.tools import needs_ptxas

pytestmark = pytest.mark.cpu

ARCHITECTURES = targets.names("cuda")

# Loads, functions, small floats, a shuffle, shared memory and a barrier.
KERNEL = """
module attributes {{tegula.arch = "{arch}"}} {{
  llvm.mlir.global external @tegula_shared()
      {{addr_space = 3 : i32, alignment = 1024 : i64}} : !llvm.array<0 x i8>
  func.func @k(%a: !llvm.ptr<1>, %n: i64, %s: i64, %b: i8,
               %gx: i32, %gy: i32, %gz: i32, %ctx: !llvm.ptr<1>)
      attributes {{tile.kernel, tegula.num_warps = 4 : i32, tegula.shared_bytes = 2048 : i32}} {{
    %c32 = arith.constant 32 : i32
    %c1 = arith.constant 1 : i32
    %t = gpu.thread_id x
    %i = arith.index_cast %t : index to i64
    %p = llvm.getelementptr %a[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, vector<4xf32>
    %v = llvm.load %p {{alignment = 16 : i64}} : !llvm.ptr<1> -> vector<4xf32>
    {body}
    %x = vector.extract %r[0] : f32 from vector<4xf32>
    %y, %valid = gpu.shuffle xor %x, %c1, %c32 : f32
    %shared = llvm.mlir.addressof @tegula_shared : !llvm.ptr<3>
    %q = llvm.getelementptr %shared[%i] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
    llvm.store %y, %q : f32, !llvm.ptr<3>
    gpu.barrier
    %z = llvm.load %q : !llvm.ptr<3> -> f32
    %w = vector.insert %z, %r [1] : f32 into vector<4xf32>
    %inside = arith.cmpi slt, %i, %n : i64
    scf.if %inside {{
      llvm.store %w, %p {{alignment = 16 : i64}} : vector<4xf32>, !llvm.ptr<1>
    }}
    return
  }}
}}
"""

FUNCTIONS = (
    "exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh asin acos atan erf cbrt rsqrt "
    "sqrt floor"
).split()
FLOATS = """
    %h = arith.truncf %v : vector<4xf32> to vector<4x{type}>
    %h2 = arith.addf %h, %h : vector<4x{type}>
    %m = arith.maximumf %h2, %h : vector<4x{type}>
    %r = arith.extf %m : vector<4x{type}> to vector<4xf32>
"""


def lower(arch: str, body: str) -> Unit:
    """The kernel with a body that makes `%r` of `%v`."""
    context = ir.Context()
    with context, ir.Location.file("kernels.py", 12, 5, context):
        module = ir.Module.parse(KERNEL.format(arch=arch, body=body))
        return pipeline.lower(module, f"builtin.module(tegula-nvvm-llvm-phase{{arch={arch}}})")


def ptx(arch: str, body: str) -> str:
    text = targets.get(arch).show(lower(arch, body), "ptx")
    assert isinstance(text, str)
    return text


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_a_kernel_has_the_launchers_interface(arch: str) -> None:
    unit = lower(arch, "%r = arith.addf %v, %v : vector<4xf32>")
    assert unit.entry == "k"
    needed = {"num_warps": 4, "num_lanes": 32, "shared_bytes": 2048}
    assert {name: unit.properties[name] for name in needed} == needed
    text = targets.get(arch).show(unit, "ptx")
    assert isinstance(text, str)
    assert f".target {arch}" in text
    assert ".visible .entry k(" in text
    assert ".reqntid 128" in text
    assert ".extern .shared .align 1024 .b8 tegula_shared[]" in text
    assert "ld.global.v4.b32" in text or "ld.global.v2.b64" in text
    assert "bar.sync" in text or "barrier.sync" in text
    assert "shfl.sync.bfly" in text
    assert ".u8 k_param_3" in text


@needs_ptxas
@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_every_function_is_assembled(arch: str) -> None:
    lines = ["%r0 = arith.addf %v, %v : vector<4xf32>"]
    for number, name in enumerate(FUNCTIONS):
        lines.append(f"%r{number + 1} = math.{name} %r{number} : vector<4xf32>")
    lines.append(f"%r = math.atan2 %r{len(FUNCTIONS)}, %v : vector<4xf32>")
    code = targets.get(arch).generate(lower(arch, "\n".join(lines)))
    assert code.startswith(b"\x7fELF")


@needs_ptxas
@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize("kind", ["f16", "bf16", "f8E4M3FN", "f8E5M2"])
def test_small_floats_are_assembled(arch: str, kind: str) -> None:
    code = targets.get(arch).generate(lower(arch, FLOATS.format(type=kind)))
    assert code.startswith(b"\x7fELF")


def test_bf16_is_rounded_by_the_hardware() -> None:
    assert "cvt.rn.bf16x2.f32" in ptx("sm_80", FLOATS.format(type="bf16"))


def test_float8_is_rounded_by_the_hardware_where_it_can_be() -> None:
    body = FLOATS.format(type="f8E4M3FN")
    assert "cvt.rn.satfinite.e4m3x2.f32" in ptx("sm_89", body)
    assert "e4m3" not in ptx("sm_86", body)


def test_exponentials_take_the_hardwares_power_of_two() -> None:
    text = ptx("sm_90a", "%r = math.exp2 %v : vector<4xf32>")
    assert text.count("ex2.approx.ftz.f32") == 3  # one element is replaced
    assert text.count("fma.rn.sat.f32") == 3


def test_nothing_is_contracted() -> None:
    body = "%m = arith.mulf %v, %v : vector<4xf32>\n%r = arith.addf %m, %v : vector<4xf32>"
    text = ptx("sm_90a", body)
    assert "fma" not in text
    assert "mul.rn.f32" in text
    assert ".ftz" not in text


def test_lines_of_the_kernel_reach_ptx() -> None:
    text = ptx("sm_90a", '%r = arith.addf %v, %v : vector<4xf32> loc("kernels.py":12:5)')
    assert '"kernels.py"' in text
    assert re.search(r"\t\.loc\t\d+ 12 5", text)
    # Line tables would be for a debugger, and ptxas would not optimize.
    assert ", debug" not in text
    assert ".debug_info" not in text


def test_what_an_architecture_lacks_is_an_error_and_not_the_end() -> None:
    body = """
    %zero = arith.constant 0.0 : f32
    %e = vector.extract %v[0] : f32 from vector<4xf32>
    %pair = llvm.call_intrinsic "llvm.nvvm.ff.to.e4m3x2.rn"(%e, %zero) : (f32, f32) -> i16
    %f = arith.sitofp %pair : i16 to f32
    %r = vector.insert %f, %v [0] : f32 into vector<4xf32>
    """
    assert "e4m3x2" in ptx("sm_89", body)
    with pytest.raises(CompileError, match=r"sm_86 has no llvm\.nvvm\.ff\.to\.e4m3x2\.rn"):
        ptx("sm_86", body)


@pytest.mark.parametrize(
    ("arch", "name", "known"),
    [
        ("sm_80", "llvm.nvvm.shfl.sync.bfly.i32", True),
        ("sm_89", "llvm.nvvm.wgmma.fence.sync.aligned", False),
        ("sm_90a", "llvm.nvvm.wgmma.fence.sync.aligned", True),
        ("sm_100a", "llvm.nvvm.wgmma.fence.sync.aligned", False),
        ("sm_90a", "llvm.nvvm.never.heard.of.it", False),
        ("sm_90a", "sinf", False),
    ],
)
def test_what_architectures_have(arch: str, name: str, known: bool) -> None:
    assert cuda.accepts(arch, name) is known


USAGE = """
ptxas info    : 11 bytes gmem
ptxas info    : Compiling entry function 'k' for 'sm_90a'
ptxas info    : Function properties for k
    56 bytes stack frame, 40 bytes spill stores, 44 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 416 bytes cmem[0]
(C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized
"""


def test_what_the_assembler_says_is_read() -> None:
    used = ptxas.usage(USAGE)
    assert (used.registers, used.stack_bytes) == (255, 56)
    assert (used.spill_store_bytes, used.spill_load_bytes) == (40, 44)
    assert used.serialized == ("wgmma.mma_async instructions are serialized (C7510)",)


def test_spills_and_serialized_instructions_are_warnings_at_the_kernel(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ptxas, "find", lambda name: Path(shutil.which("true") or "/bin/true"))
    monkeypatch.setattr(ptxas, "_run", lambda command, unit: _write(command[-1]))
    unit = Unit(b"", "k", {}, Location("user.py", 31, 0))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert ptxas.assemble("", "sm_90a", unit) == b"cubin"
    assert [w.category for w in caught] == [PerformanceWarning] * 2
    assert {(w.filename, w.lineno) for w in caught} == {("user.py", 31)}
    assert "writes 40 and reads 44 bytes" in str(caught[0].message)
    assert "wait for each other" in str(caught[1].message)


def _write(path: object) -> str:
    Path(str(path)).write_bytes(b"cubin")
    return USAGE


def test_without_an_assembler_the_driver_gets_ptx(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ptxas, "find", lambda name: None)
    unit = lower("sm_90a", "%r = arith.addf %v, %v : vector<4xf32>")
    target = targets.get("sm_90a")
    assert b".visible .entry k(" in target.generate(unit)
    with pytest.raises(CompileError, match="there is no ptxas"):
        target.show(unit, "cubin")


def test_a_gpu_of_another_generation_gets_ptx(monkeypatch: pytest.MonkeyPatch) -> None:
    unit = lower("sm_80", "%r = arith.addf %v, %v : vector<4xf32>")
    target = targets.get("sm_80")
    monkeypatch.setattr(ptxas, "find", lambda name: Path("/bin/true"))
    monkeypatch.setattr(_runtime.get("cuda"), "architecture", lambda device=None: "sm_90a")
    assert b".target sm_80" in target.generate(unit)
    assert target.fingerprint() == "driver"


@pytest.mark.parametrize(
    ("device", "arch", "runs"),
    [
        ("sm_90a", "sm_90a", True),
        ("sm_90a", "sm_80", False),
        ("sm_86", "sm_80", True),
        ("sm_80", "sm_86", False),
        ("sm_120a", "sm_100a", False),
    ],
)
def test_which_cubins_a_gpu_runs(device: str, arch: str, runs: bool) -> None:
    assert cuda.runs_cubins_of(device, arch) is runs


@needs_ptxas
def test_code_that_the_assembler_refuses_is_shown() -> None:
    unit = Unit(b"", "k", {}, None)
    with pytest.raises(CompileError, match="ptxas refuses the code of this kernel"):
        ptxas.assemble(".version 8.3\n.target sm_80\n.address_size 64\nnonsense;\n", "sm_80", unit)
