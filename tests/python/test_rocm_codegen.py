# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From one thread's code to code objects, for every AMD GPU, without a GPU and without ROCm.

What needs a linker is skipped where there is none; continuous integration has one.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from tegula.mlir import ir

import tegula as tg
from tegula._compile import pipeline, rocm, rocm_linker, targets
from tegula._compile.targets import Unit
from tegula._location import Location
from tegula.errors import CompileError

pytestmark = pytest.mark.cpu

PROCESSORS = targets.names("rocm")
KERNELS = [
    pytest.param(path, id=path.stem)
    for path in sorted(Path(__file__).parents[1].glob("pipelines/kernels/*.mlir"))
]

# Loads, functions, small floats, shuffles, shared memory and a barrier.
KERNEL = """
module attributes {{tegula.arch = "{processor}"}} {{
  llvm.mlir.global external @tegula_shared()
      {{addr_space = 3 : i32, alignment = 16 : i64}} : !llvm.array<0 x i8>
  func.func @k(%a: !llvm.ptr<1>, %n: i64, %s: i64, %b: i8,
               %gx: i32, %gy: i32, %gz: i32, %ctx: !llvm.ptr<1>)
      attributes {{tile.kernel, tegula.num_warps = 2 : i32, tegula.shared_bytes = 2048 : i32}} {{
    %width = arith.constant {lanes} : i32
    %c1 = arith.constant 1 : i32
    %c16 = arith.constant 16 : i32
    %t = gpu.thread_id x
    %i = arith.index_cast %t : index to i64
    %p = llvm.getelementptr %a[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, vector<4x{type}>
    %v = llvm.load %p {{alignment = 16 : i64}} : !llvm.ptr<1> -> vector<4x{type}>
    {body}
    %x = vector.extract %r[0] : {type} from vector<4x{type}>
    %y, %valid = gpu.shuffle xor %x, %c1, %width : {type}
    %z, %valid1 = gpu.shuffle xor %y, %c16, %width : {type}
    %shared = llvm.mlir.addressof @tegula_shared : !llvm.ptr<3>
    %q = llvm.getelementptr %shared[%i] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, {type}
    llvm.store %z, %q : {type}, !llvm.ptr<3>
    gpu.barrier
    %u = llvm.load %q : !llvm.ptr<3> -> {type}
    %w = vector.insert %u, %r [1] : {type} into vector<4x{type}>
    %inside = arith.cmpi slt, %i, %n : i64
    scf.if %inside {{
      llvm.store %w, %p {{alignment = 16 : i64}} : vector<4x{type}>, !llvm.ptr<1>
    }}
    return
  }}
}}
"""

FUNCTIONS = (
    "exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh asin acos atan erf cbrt rsqrt "
    "sqrt floor ceil trunc round roundeven absf"
).split()
SMALL = """
    %h = arith.truncf %v : vector<4xf32> to vector<4x{type}>
    %h2 = arith.addf %h, %h : vector<4x{type}>
    %m = arith.maximumf %h2, %h : vector<4x{type}>
    %r = arith.extf %m : vector<4x{type}> to vector<4xf32>
"""
PLAIN = "%r = arith.addf %v, %v : vector<4x{type}>"


def lower(processor: str, body: str, type: str = "f32") -> Unit:
    """The kernel with a body that makes `%r` of `%v`."""
    lanes = 64 if processor.startswith("gfx9") else 32
    context = ir.Context()
    with context, ir.Location.file("kernels.py", 12, 5, context):
        text = KERNEL.format(processor=processor, lanes=lanes, body=body, type=type)
        return pipeline.lower(ir.Module.parse(text), "builtin.module(tegula-rocdl-llvm-phase)")


def assembly(processor: str, unit: Unit) -> str:
    text = targets.get(processor).show(unit, "amdgcn")
    assert isinstance(text, str)
    return text


@pytest.fixture
def linker() -> rocm_linker.Linker:
    try:
        return rocm_linker.find()
    except CompileError as error:
        pytest.skip(str(error.message))


@pytest.mark.parametrize("processor", PROCESSORS)
def test_a_kernel_has_the_launchers_interface(processor: str) -> None:
    unit = lower(processor, PLAIN.format(type="f32"))
    lanes = unit.properties["num_lanes"]
    assert unit.entry == "k"
    assert unit.properties["argument_bytes"] == [8, 8, 8, 1, 4, 4, 4, 8]
    text = assembly(processor, unit)
    assert re.search(r"\.amdhsa_group_segment_fixed_size 2048\b", text)
    assert re.search(r"\.amdhsa_private_segment_fixed_size 0\b", text)
    assert re.search(rf"\.reqd_workgroup_size:\n\s+- {2 * lanes}\n", text)
    assert re.search(rf"\.wavefront_size: {lanes}\b", text)
    assert "amdhsa.version:\n  - 1\n  - 2\n" in text  # of code object version 5
    assert "hidden_" not in text
    assert "global_load_dwordx4" in text or "global_load_b128" in text
    assert "s_barrier" in text
    assert "dpp" in text or "row_xmask" in text or "quad_perm" in text


@pytest.mark.parametrize("processor", PROCESSORS)
@pytest.mark.parametrize("type", ["f32", "f16", "bf16", "f64"])
def test_every_function_has_code(processor: str, type: str) -> None:
    lines = [f"%r0 = arith.addf %v, %v : vector<4x{type}>"]
    for number, name in enumerate(FUNCTIONS):
        lines.append(f"%r{number + 1} = math.{name} %r{number} : vector<4x{type}>")
    last = f"%r{len(FUNCTIONS)}, %v : vector<4x{type}>"
    lines += [f"%s0 = math.atan2 {last}", f"%s1 = math.powf %s0, %v : vector<4x{type}>"]
    lines.append(f"%r = arith.remf %s1, %v : vector<4x{type}>")
    text = assembly(processor, lower(processor, "\n".join(lines), type))
    assert re.search(r"\.amdhsa_private_segment_fixed_size 0\b", text)


@tg.kernel
def functions_in_float64(x: tg.Array, y: tg.Array):
    t = tg.load(x, 0, 64).astype(tg.float64)
    results = [tg.cbrt(t), tg.erf(t), tg.sinh(t), tg.arctan2(t, t)]
    tg.store(y, 0, sum(result.astype(y.dtype) for result in results))


@pytest.mark.parametrize("processor", PROCESSORS)
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_float64_functions_of_converted_elements_have_code(processor: str, dtype: str) -> None:
    # LLVM 22 would end the process: signs of one-element vectors that come from conversions.
    x = np.zeros(64, dtype)
    module = functions_in_float64.specialize(x, x.copy()).trace().module
    assert "s_endpgm" in pipeline.stage(module, targets.get(processor), "amdgcn")


@pytest.mark.parametrize("processor", PROCESSORS)
@pytest.mark.parametrize("type", ["f16", "bf16", "f8E4M3FN", "f8E5M2"])
def test_small_floats_become_code_objects(linker, processor: str, type: str) -> None:
    code = targets.get(processor).generate(lower(processor, SMALL.format(type=type)))
    assert code.startswith(b"\x7fELF")


def test_bf16_is_rounded_by_the_hardware_that_can() -> None:
    text = assembly("gfx950", lower("gfx950", SMALL.format(type="bf16")))
    assert "v_cvt_pk_bf16_f32" in text


@pytest.mark.parametrize("processor", PROCESSORS)
@pytest.mark.parametrize("path", KERNELS)
def test_every_kernel_becomes_a_code_object(linker, processor: str, path: Path) -> None:
    target = targets.get(processor)
    with ir.Context():
        unit = pipeline.lower(ir.Module.parse(path.read_text()), target.pipeline())
    assert target.generate(unit).startswith(b"\x7fELF")


def test_what_a_processor_lacks_is_an_error_before_llvm_sees_it() -> None:
    bitcode = lower("gfx942", PLAIN.format(type="f32")).bitcode
    unit = Unit(bitcode, "k", {}, Location("kernels.py", 12, 5))
    assert isinstance(targets.get("gfx942").show(unit, "amdgcn"), str)
    with pytest.raises(CompileError, match=r"gfx942 has no .*permlanex16"):
        targets.get("gfx942").show(lower("gfx1100", PLAIN.format(type="f32")), "amdgcn")


@pytest.mark.parametrize(
    ("name", "having"),
    [
        ("llvm.amdgcn.mfma.f32.16x16x16f16", "gfx90a gfx942 gfx950"),
        ("llvm.amdgcn.mfma.i32.16x16x16i8", "gfx90a"),
        ("llvm.amdgcn.mfma.f32.16x16x32.bf16", "gfx950"),
        ("llvm.amdgcn.wmma.f32.16x16x16.f16.v8f32.v16f16", "gfx1100"),
        ("llvm.amdgcn.wmma.f32.16x16x16.f16.v8f32.v8f16", "gfx1201"),
        ("llvm.amdgcn.permlanex16.i32", "gfx1100 gfx1201"),
        ("llvm.exp2.v4f32", " ".join(PROCESSORS)),
        ("llvm.exp2.f64", ""),
        ("llvm.amdgcn.unheard.of", ""),
        ("exp", ""),
    ],
)
def test_intrinsics_are_of_the_processors_that_have_them(name: str, having: str) -> None:
    assert [p for p in PROCESSORS if rocm.accepts(p, name)] == having.split()


@tg.kernel
def counted(x: tg.Array, y: tg.Array):
    t = tg.load(x, (0, 1), (1, 16), pad=1)
    words = tg.philox(t.astype(tg.int64), 371710765531)
    tg.store(y, (0, 0), (t * words[2]).astype(y.dtype))


@pytest.mark.timeout(60)
@pytest.mark.parametrize("chip", ["gfx942", "gfx1100"])
def test_the_code_generator_gets_no_vectors_of_one_element(chip: str) -> None:
    """LLVM never comes back from some of one 16-bit integer."""
    x, y = np.zeros((0, 19), np.int16), np.zeros((1, 16), np.uint32)
    text = counted.compile(x, y, target=chip).emit("llvm")
    assert isinstance(text, str)
    assert "<1 x " not in text
    counted.compile(x, y, target=chip).emit("amdgcn")
