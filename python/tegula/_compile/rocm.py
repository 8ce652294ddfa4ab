# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""AMD GPUs as targets. Compiling for them needs no GPU and no ROCm, only a linker for ELF.

Code generation is imported where it is used: a kernel that the cache holds needs the fingerprint
only.
"""

from __future__ import annotations

import functools
import importlib.util
import itertools
import re
from typing import TYPE_CHECKING, Any

from tegula._compile.targets import Availability, Stage, Target, Unit
from tegula.errors import CompileError

if TYPE_CHECKING:
    from tegula._compile import llvm

_CDNA = ("gfx90a", "gfx942", "gfx950")
_RDNA = ("gfx1100", "gfx1201")
# AMD's intrinsics with the processors that have them; the first match counts. What no pattern
# names, no pass makes.
_INTRINSICS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"(workitem|workgroup)\.id\.x$", _CDNA + _RDNA),
    (r"mbcnt\.(lo|hi)$", _CDNA + _RDNA),
    (r"(readlane|readfirstlane|update\.dpp|ballot)\.", _CDNA + _RDNA),
    (r"ds\.(bpermute|swizzle)$", _CDNA + _RDNA),
    (r"permlanex16\.", _RDNA),
    (r"perm$", _CDNA + _RDNA),
    (r"exp2\.f32$", _CDNA + _RDNA),
    (r"s\.barrier$", _CDNA + _RDNA),
    (r"(s\.setprio|sched\.barrier|sched\.group\.barrier)$", _CDNA + _RDNA),
    (r"s\.waitcnt$", (*_CDNA, "gfx1100")),
    (r"(make\.buffer\.rsrc|raw\.ptr\.buffer\.(load|store))\.", _CDNA + _RDNA),
    (r"ds\.read\.tr(8|16)\.b64\.", ("gfx950",)),
    (r"mfma\.f32\.16x16x(16f16|16bf16\.1k|4f32)$", _CDNA),
    (r"mfma\.f64\.16x16x4f64$", _CDNA),
    (r"mfma\.i32\.16x16x16i8$", ("gfx90a",)),
    (r"mfma\.i32\.16x16x32\.i8$", ("gfx942", "gfx950")),
    (r"mfma\.(f32\.16x16x32\.b?f16|i32\.16x16x64\.i8)$", ("gfx950",)),
    (r"mfma\.(scale\.f32\.16x16x128\.f8f6f4|f32\.16x16x32\.[fb][fp]8)", ("gfx950",)),
    (r"wmma\.f32\.16x16x16\.b?f16\.v8f32\.v16", ("gfx1100",)),
    (r"wmma\.f32\.16x16x16\.b?f16\.v8f32\.v8", ("gfx1201",)),
    (r"wmma\.i32\.16x16x16\.iu8\.v8i32\.v4i32$", ("gfx1100",)),
    (r"wmma\.i32\.16x16x16\.iu8\.v8i32\.v2i32$", ("gfx1201",)),
    (r"wmma\.f32\.16x16x16\.[fb][fp]8", ("gfx1201",)),
)
_PREFIX = "llvm.amdgcn."
_TRIPLE = "amdgcn-amd-amdhsa"


def accepts(processor: str, name: str) -> bool:
    """Whether a processor has one of AMD's intrinsics, or one that its code generator expands."""
    if not name.startswith(_PREFIX):
        return re.match(r"llvm\.(exp2?|log2?|ldexp)\.(v\d+)?f(16|32)\b", name) is not None
    rest = name.removeprefix(_PREFIX)
    found = next((having for pattern, having in _INTRINSICS if re.match(pattern, rest)), ())
    return processor in found


_OPERAND = r"<1 x double> (%[\w.]+|splat \(double [^)]*\)|zeroinitializer|poison|undef)"
_SIGN = re.compile(
    r"(%[\w.]+) = (tail )?call ((?:\w+ )*)<1 x double> @llvm\.copysign\.v1f64"
    rf"\({_OPERAND}, {_OPERAND}\)"
)


def scalar_signs(module: Any) -> str | None:
    """IR whose `copysign` of one f64 is scalar, or None if there is none.

    LLVM 22 fails an assertion, and so ends the process, on one-element vectors whose sign or
    magnitude comes from a conversion.
    """
    if all(function.name != "llvm.copysign.v1f64" for function in module.functions):
        return None
    numbers = itertools.count()

    def scalar(call: re.Match[str]) -> str:
        result, tail, flags, magnitude, sign = call.groups()
        a, b, r = (f"%tegula.{name}.{next(numbers)}" for name in ("magnitude", "sign", "signed"))
        return (
            f"{a} = extractelement <1 x double> {magnitude}, i64 0\n"
            f"  {b} = extractelement <1 x double> {sign}, i64 0\n"
            f"  {r} = {tail or ''}call {flags}double @llvm.copysign.f64(double {a}, double {b})\n"
            f"  {result} = insertelement <1 x double> poison, double {r}, i64 0"
        )

    text = _SIGN.sub(scalar, str(module))
    if "declare double @llvm.copysign.f64(" not in text:
        text += "\ndeclare double @llvm.copysign.f64(double, double)\n"
    return text


# Changes whenever the same bitcode would be compiled to other code.
_REVISION = 2


class RocmTarget:
    """One generation of AMD GPUs, by LLVM's name for it."""

    family = "rocm"

    def __init__(self, name: str) -> None:
        self.name = name

    def fingerprint(self) -> str:
        """The processor, and how it is compiled for."""
        return f"{self.name} {_REVISION}"

    def pipeline(self) -> str:
        """The whole pipeline for this processor."""
        return f"builtin.module(tegula-rocdl-pipeline{{arch={self.name}}})"

    def stages(self) -> tuple[Stage, ...]:
        """From `tile` over layouts and one thread's code to a code object."""

        def phase(name: str, options: str = "") -> str:
            return f"builtin.module(tegula-rocdl-{name}-phase{options})"

        return (
            Stage("tile", "what the tracer made", "builtin.module()", "mlir"),
            Stage(
                "layouts", "tiles with layouts", phase("layout", f"{{arch={self.name}}}"), "mlir"
            ),
            Stage("simt", "one thread's code", phase("thread"), "mlir"),
            Stage("llvm-dialect", "LLVM and ROCDL as MLIR", phase("llvm"), "mlir"),
            Stage("llvm", "LLVM IR as translated", None, "ll"),
            Stage("llvm-opt", "LLVM IR after optimization", None, "ll"),
            Stage("amdgcn", "assembly", None, "s"),
            Stage("hsaco", "code object", None, "hsaco", binary=True, external=True),
        )

    def generate(self, unit: Unit) -> bytes:
        """See :class:`~tegula._compile.targets.Target`."""
        from tegula._compile import rocm_linker

        return rocm_linker.link(self._generator().object(unit), unit)

    def show(self, unit: Unit, stage: str) -> str | bytes:
        """See :class:`~tegula._compile.targets.Target`."""
        if stage == "hsaco":
            return self.generate(unit)
        generator = self._generator()
        if stage in ("llvm", "llvm-opt"):
            return generator.ir(unit, optimized=stage == "llvm-opt")
        return generator.assembly(unit)

    def _generator(self) -> llvm.Generator:
        from tegula._compile import llvm

        known = functools.partial(accepts, self.name)
        return llvm.Generator(_TRIPLE, self.name, "", known, scalar_signs)

    def can_compile(self) -> Availability:
        """Needs llvmlite, the MLIR bindings and a linker."""
        if importlib.util.find_spec("llvmlite") is None:
            return Availability(False, "llvmlite is missing", "pip install 'llvmlite>=0.50,<0.51'")
        from tegula._compile import llvm, rocm_linker

        try:
            linker = rocm_linker.find()
        except CompileError as error:
            return Availability(False, error.message, error.help or "")
        text = f"LLVM {llvm.version()} for {self.name}, {linker.path} {linker.version}"
        return Availability(True, text)

    def can_run(self) -> Availability:
        """Whether this machine has such a GPU and what drives it."""
        from tegula._runtime import rocm

        return rocm.availability()


def make(name: str) -> Target:
    """The target of one of the family's names."""
    return RocmTarget(name)
