# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NVIDIA's own programs: the assembler and the disassemblers.

None of them is needed to run a kernel, for the driver assembles PTX too; with them a kernel is
assembled once, without a GPU, and what the assembler says of it becomes warnings at the kernel.
"""

from __future__ import annotations

import functools
import importlib.util
import re
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tegula import _env
from tegula._compile.targets import Unit
from tegula.errors import CompileError, PerformanceWarning

# Where the packages nvidia-cuda-nvcc, nvidia-cuda-cuobjdump and nvidia-cuda-nvdisasm put programs.
_PACKAGE_FOLDERS = ("cu13", "cu14", "cu12", "cuda_nvcc", "cuda_cuobjdump", "cuda_nvdisasm")
_INSTALL = {
    "ptxas": "nvidia-cuda-nvcc",
    "nvdisasm": "nvidia-cuda-nvdisasm",
    "cuobjdump": "nvidia-cuda-cuobjdump",
}
_SECONDS = 600


@dataclass(frozen=True)
class Usage:
    """What a kernel uses of a multiprocessor.

    Attributes:
        registers: of one thread.
        stack_bytes: of one thread, in memory.
        spill_store_bytes: written to memory because registers ran out.
        spill_load_bytes: read back.
        serialized: why matrix instructions wait for each other, if they do.
    """

    registers: int = 0
    stack_bytes: int = 0
    spill_store_bytes: int = 0
    spill_load_bytes: int = 0
    serialized: tuple[str, ...] = ()


@functools.cache
def find(program: str) -> Path | None:
    """A program on PATH, in the CUDA toolkit, or in NVIDIA's package for Python."""
    on_path = shutil.which(program)
    places = [Path(on_path)] if on_path else []
    home = _env.cuda_home()
    if home is not None:
        places.append(home / "bin" / program)
    places += _in_packages(program)
    return next((place for place in places if place.is_file()), None)


def _in_packages(program: str) -> Iterator[Path]:
    try:
        spec = importlib.util.find_spec("nvidia")
    except (ImportError, ValueError):
        return
    for root in (spec and spec.submodule_search_locations) or ():
        for folder in _PACKAGE_FOLDERS:
            yield Path(root, folder, "bin", program)


@functools.cache
def version(path: Path) -> tuple[int, int] | None:
    """The version that a program reports."""
    try:
        result = subprocess.run(
            [path, "--version"], capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r"release (\d+)\.(\d+)", result.stdout)
    return (int(found[1]), int(found[2])) if found else None


def fingerprint() -> str:
    """Identifies the assembler; cheap."""
    path = find("ptxas")
    if path is None:
        return "driver"
    status = path.stat()
    return f"{path} {status.st_size} {status.st_mtime_ns}"


def assemble(ptx: str, arch: str, unit: Unit) -> bytes:
    """The cubin for PTX; warns about what slows the kernel down.

    Raises:
        CompileError: the assembler refuses the code, or there is none.
    """
    program = find("ptxas")
    if program is None:
        raise CompileError(
            "there is no ptxas, the assembler of NVIDIA's toolkit",
            help=f"pip install {_INSTALL['ptxas']}, or set CUDA_HOME to the toolkit's folder",
        )
    with tempfile.TemporaryDirectory(prefix="tegula-") as name:
        source, result = Path(name, "kernel.ptx"), Path(name, "kernel.cubin")
        source.write_text(ptx)
        command = [program, "-v", "-O3", f"--gpu-name={arch}", source, "-o", result]
        if "\t.loc\t" in ptx:
            command.insert(1, "-lineinfo")
        text = _run(command, unit)
        code = result.read_bytes()
    _warn(usage(text), unit)
    return code


def _run(command: list[str | Path], unit: Unit) -> str:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CompileError(
            f"{command[0]} cannot be run: {error}",
            location=unit.location,
            help="install another one: pip install nvidia-cuda-nvcc",
        ) from None
    text = done.stderr + done.stdout
    if done.returncode != 0:
        raise CompileError(
            f"ptxas refuses the code of this kernel: {text.strip()}",
            help="this is a fault of Tegula, or a ptxas that is too old; `tegula doctor` shows its "
            "version",
            location=unit.location,
        )
    return text


def usage(text: str) -> Usage:
    """What `ptxas -v` said of a module with one kernel."""

    def number(pattern: str) -> int:
        found = re.search(pattern, text)
        return int(found[1]) if found else 0

    serialized = re.findall(r"\((C75\d\d)\) Potential Performance Loss: (.*)", text)
    return Usage(
        number(r"Used (\d+) registers"),
        number(r"(\d+) bytes stack frame"),
        number(r"(\d+) bytes spill stores"),
        number(r"(\d+) bytes spill loads"),
        tuple(f"{reason.strip()} ({code})" for code, reason in serialized),
    )


def _warn(used: Usage, unit: Unit) -> None:
    place = unit.location
    file, line = (place.file, place.line) if place is not None else ("<unknown>", 0)
    for text in _complaints(used, unit.entry):
        warnings.warn_explicit(text, PerformanceWarning, file, line)


def _complaints(used: Usage, name: str) -> Iterator[str]:
    if used.spill_store_bytes or used.spill_load_bytes:
        yield (
            f"the kernel {name!r} needs more registers than there are: each thread writes "
            f"{used.spill_store_bytes} and reads {used.spill_load_bytes} bytes of memory for them; "
            "smaller tiles would avoid that"
        )
    for reason in used.serialized:
        yield f"matrix instructions of the kernel {name!r} wait for each other: {reason}"


def disassemble(cubin: bytes) -> str:
    """The machine code of a cubin as text.

    Raises:
        CompileError: there is no disassembler, or it fails.
    """
    path, options = find("nvdisasm"), ["-c"]
    if path is None:
        path, options = find("cuobjdump"), ["-sass"]
    if path is None:
        raise CompileError(
            "there is no disassembler (nvdisasm or cuobjdump of NVIDIA's toolkit)",
            help=f"pip install {_INSTALL['nvdisasm']}",
        )
    with tempfile.TemporaryDirectory(prefix="tegula-") as name:
        file = Path(name, "kernel.cubin")
        file.write_bytes(cubin)
        done = subprocess.run(
            [path, *options, file], capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    if done.returncode != 0:
        raise CompileError(
            f"{path} fails: {done.stderr.strip()}",
            help="install another one: pip install nvidia-cuda-nvdisasm",
        )
    return done.stdout
