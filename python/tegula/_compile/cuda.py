# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NVIDIA's GPUs as targets: NVVM by LLVM to PTX, by ptxas to a cubin.

Nothing here needs a GPU. Without ptxas the PTX itself is what is stored, and the driver assembles
it when it is loaded.
"""

from __future__ import annotations

import importlib.util
import re
from dataclasses import dataclass

from tegula import _runtime
from tegula._compile.targets import Availability, Stage, Target, Unit

_TRIPLE = "nvptx64-nvidia-cuda"
_TRANSLATOR = "tegula.mlir._mlir_libs._tegulaToLlvm"
# The oldest PTX that has what is used of each architecture, for the sake of older assemblers.
_PTX = {
    "sm_80": 83,
    "sm_86": 83,
    "sm_89": 84,
    "sm_90a": 84,
    "sm_100a": 86,
    "sm_120a": 87,
}

# Families of NVIDIA's intrinsics with the least architecture that has them; the first match counts.
# `a`: of that architecture only.
_INTRINSICS: tuple[tuple[str, str], ...] = (
    (r"read\.ptx\.sreg\.(cluster|nclusterid|clusterid)", "90"),
    (r"read\.ptx\.sreg\.", "80"),
    (r"barrier", "80"),
    (r"bar\.", "80"),
    (r"shfl\.sync", "80"),
    (r"vote", "80"),
    (r"match\.", "80"),
    (r"redux\.sync\.(f|max\.f|min\.f)", "100a"),
    (r"redux\.sync", "80"),
    (r"(ex2|lg2|rcp|rsqrt|sqrt)\.approx", "80"),
    (r"fma\.r[nzmp]", "80"),
    (r"prmt", "80"),
    (r"(ff|f16x2)\.to\.e[45]m[23]x2", "89"),
    (r"e[45]m[23]x2\.to\.f16x2", "89"),
    (r"(ff2|f2)(bf16|f16|tf32)", "80"),
    (r"mma\.m16n8k32\.row\.col\.[a-z0-9.]*e[45]m[23]", "89"),
    (r"mma\.", "80"),
    (r"ldmatrix", "80"),
    (r"stmatrix", "90"),
    (r"cp\.async\.(ca|cg|commit|wait|mbarrier)", "80"),
    (r"cp\.async\.bulk", "90"),
    (r"mbarrier\.(init|inval|arrive|test|pending)", "80"),
    (r"mbarrier", "90"),
    (r"fence", "80"),
    (r"membar", "80"),
    (r"mapa", "90"),
    (r"cluster", "90"),
    (r"elect\.sync", "90"),
    (r"setmaxnreg", "90a"),
    (r"wgmma", "90a"),
    (r"griddepcontrol", "90"),
    (r"prefetch", "80"),
    (r"nanosleep", "80"),
)
_PREFIX = "llvm.nvvm."


def accepts(arch: str, name: str) -> bool:
    """Whether an architecture has one of NVIDIA's intrinsics."""
    if not name.startswith(_PREFIX):
        return False
    rest = name.removeprefix(_PREFIX)
    need = next((need for pattern, need in _INTRINSICS if re.match(pattern, rest)), None)
    if need is None:
        return False
    if need.endswith("a"):
        return arch == f"sm_{need}"
    return number(arch) >= int(need)


def number(arch: str) -> int:
    """90 for `sm_90a`."""
    return int(arch.removeprefix("sm_").rstrip("a"))


@dataclass(frozen=True)
class CudaTarget:
    """One architecture.

    Attributes:
        name: as ptxas and LLVM name it.
    """

    name: str
    family: str = "cuda"

    def fingerprint(self) -> str:
        """The assembler."""
        from tegula._compile import ptxas

        return "driver" if self._is_left_to_the_driver() else ptxas.fingerprint()

    def pipeline(self) -> str:
        """The whole pipeline for this architecture."""
        return f"builtin.module(tegula-nvvm-pipeline{{arch={self.name}}})"

    def stages(self) -> tuple[Stage, ...]:
        """From `tile` over layouts and one thread's code to machine code."""

        def phase(name: str, options: str = "") -> str:
            return f"builtin.module(tegula-nvvm-{name}-phase{options})"

        arch = f"{{arch={self.name}}}"
        return (
            Stage("tile", "what the tracer made", "builtin.module()", "mlir"),
            Stage("layouts", "tiles with layouts", phase("layout", arch), "mlir"),
            Stage("simt", "the code of one thread", phase("thread"), "mlir"),
            Stage("llvm-dialect", "LLVM as MLIR", phase("llvm", arch), "mlir"),
            Stage("llvm", "LLVM IR as translated", None, "ll"),
            Stage("llvm-opt", "LLVM IR after optimization", None, "ll"),
            Stage("ptx", "assembly for any driver", None, "ptx"),
            Stage("cubin", "object file", None, "cubin", binary=True, external=True),
            Stage("sass", "machine code", None, "sass", external=True),
        )

    def generate(self, unit: Unit) -> bytes:
        """A cubin, or PTX if there is no assembler; see `tegula._compile.targets.Target`."""
        from tegula._compile import ptxas

        ptx = self._generator().assembly(unit)
        if self._is_left_to_the_driver():
            return ptx.encode()
        return ptxas.assemble(ptx, self.name, unit)

    def show(self, unit: Unit, stage: str) -> str | bytes:
        """See :class:`~tegula._compile.targets.Target`."""
        from tegula._compile import ptxas

        generator = self._generator()
        if stage in ("llvm", "llvm-opt"):
            return generator.ir(unit, optimized=stage == "llvm-opt")
        ptx = generator.assembly(unit)
        if stage == "ptx":
            return ptx
        cubin = ptxas.assemble(ptx, self.name, unit)
        return cubin if stage == "cubin" else ptxas.disassemble(cubin)

    def can_compile(self) -> Availability:
        """Needs llvmlite and the MLIR bindings; ptxas helps."""
        if importlib.util.find_spec("llvmlite") is None:
            return Availability(False, "llvmlite is missing", "pip install 'llvmlite>=0.50,<0.51'")
        try:
            found = importlib.util.find_spec(_TRANSLATOR) is not None
        except ImportError:
            found = False
        if not found:
            return Availability(False, "the MLIR bindings are missing", "pip install tegula again")
        from tegula._compile import llvm, ptxas

        program = ptxas.find("ptxas")
        if program is None:
            text = f"LLVM {llvm.version()}; no ptxas: PTX only, which the driver assembles"
            return Availability(True, text, "pip install nvidia-cuda-nvcc")
        release = ptxas.version(program)
        shown = ".".join(map(str, release)) if release else "of unknown version"
        return Availability(True, f"LLVM {llvm.version()}, ptxas {shown} ({program})")

    def can_run(self) -> Availability:
        """Needs NVIDIA's driver and a GPU."""
        from tegula._runtime import cuda

        return cuda.availability()

    def _is_left_to_the_driver(self) -> bool:
        """Whether PTX is what can be loaded: without ptxas, or on a GPU of another generation."""
        from tegula._compile import ptxas

        if ptxas.find("ptxas") is None:
            return True
        here = _runtime.get("cuda").architecture()
        return here is not None and not runs_cubins_of(here, self.name)

    def _generator(self):  # noqa: ANN202 (a type of a module that is imported late)
        from tegula._compile import llvm

        name = self.name
        features = f"+ptx{_PTX[name]}"
        return llvm.Generator(_TRIPLE, name, features, lambda item: accepts(name, item))


def make(name: str) -> Target:
    """The target of an architecture."""
    return CudaTarget(name)


def runs_cubins_of(device: str, arch: str) -> bool:
    """Whether a GPU loads cubins of an architecture: its own, or an older one of its generation."""
    if device == arch:
        return True
    older = number(arch) <= number(device) and not arch.endswith("a")
    return older and number(arch) // 10 == number(device) // 10


def for_capability(major: int, minor: int) -> str | None:
    """The target whose code a GPU of a compute capability runs best, or None if none runs."""
    exact = f"sm_{major}{minor}"
    if f"{exact}a" in _PTX:
        return f"{exact}a"
    plain = [arch for arch in _PTX if not arch.endswith("a")]
    able = [arch for arch in plain if number(arch) <= 10 * major + minor]
    same = [arch for arch in able if number(arch) // 10 == major]
    return max(same, key=number, default=None)
