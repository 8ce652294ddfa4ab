# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels on AMD's GPUs: load code objects and launch them through HIP, by hip-python.

hip-python is imported when a GPU is looked for, and only where the kernel driver of AMD's GPUs is
there. The calls are tested against a stand-in that records them; no GPU has run them yet.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import importlib.util
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tegula import _native
from tegula._compile.artifact import Artifact
from tegula._compile.targets import Availability
from tegula.errors import CompileError, DeviceError, LaunchError

_DRIVER = Path("/dev/kfd")
_NUMBERS = {1: ctypes.c_uint8, 2: ctypes.c_uint16, 4: ctypes.c_uint32, 8: ctypes.c_uint64}


class HipError(DeviceError):
    """HIP refuses something."""


def hip() -> Any:
    """The module `hip.hip` of hip-python, or what stands in for it.

    Raises:
        CompileError: it is not installed, or finds no HIP library.
    """
    try:
        return importlib.import_module("hip.hip")
    except (ImportError, RuntimeError, OSError) as error:
        raise CompileError(
            f"hip-python cannot be used: {error}",
            help="pip install hip-python, in the version of the ROCm that is installed",
        ) from error


def call(what: str, name: str, *args: Any, **keywords: Any) -> Any:
    """Call a function of HIP; what it returns besides its status.

    Args:
        what: what it is for, as in "HIP cannot <what>".
        name: of the function.
        args: its arguments.
        keywords: its arguments by name.

    Raises:
        HipError: the status is not success.
    """
    module = hip()
    status, *results = getattr(module, name)(*args, **keywords)
    if status != module.hipError_t.hipSuccess:
        text = getattr(status, "name", str(status))
        raise HipError(f"HIP cannot {what}: {name} gives {text}", location=None, calls=())
    return results[0] if len(results) == 1 else tuple(results)


def architecture(device: int | None = None) -> str | None:
    """The target for a GPU, by default the current one; None if there is none, or no HIP. Cheap."""
    if not _is_present():
        return None
    try:
        if call("count GPUs", "hipGetDeviceCount") == 0:
            return None
        return _architecture(current_device() if device is None else device)
    except (CompileError, HipError):
        return None


def _is_present() -> bool:
    return _DRIVER.exists() and importlib.util.find_spec("hip") is not None


@functools.cache
def _architecture(device: int) -> str | None:
    """LLVM's name of a GPU if it is a target: `gfx942` of `gfx942:sramecc+:xnack-`."""
    from tegula._compile import targets

    properties = hip().hipDeviceProp_t()
    call(f"describe GPU {device}", "hipGetDeviceProperties", properties, device)
    full: bytes | str = properties.gcnArchName
    name = (full.decode() if isinstance(full, bytes) else full).partition(":")[0]
    return name if name in targets.names("rocm") else None


def current_device() -> int:
    """The number of the GPU that this thread uses."""
    return int(call("tell the current GPU", "hipGetDevice"))


def availability() -> Availability:
    """Whether this machine has a GPU that kernels can run on, and what is missing."""
    if not _DRIVER.exists():
        return Availability(False, f"no AMD GPU: {_DRIVER} is missing", "install the amdgpu driver")
    if importlib.util.find_spec("hip") is None:
        return Availability(False, "hip-python is not installed", "pip install hip-python")
    try:
        count = int(call("count GPUs", "hipGetDeviceCount"))
    except (CompileError, HipError) as error:
        return Availability(False, error.message, error.help or "install ROCm")
    names = [_architecture(device) for device in range(count)]
    if not any(names):
        return Availability(False, f"none of {count} GPUs is a target", "see `tegula doctor`")
    return Availability(True, f"{', '.join(str(name) for name in names)}; never tested on a GPU")


class Kernel:
    """A kernel in the memory of one GPU.

    Args:
        artifact: with the code object.
        device: number of the GPU.

    Raises:
        ObjectError: the artifact does not describe its kernel, or HIP refuses it.
    """

    def __init__(self, artifact: Artifact, device: int) -> None:
        self.name, self.device = artifact.name, device
        try:
            properties = json.loads(artifact.properties)
            self.threads = int(properties["num_warps"]) * int(properties["num_lanes"])
            self._sizes = [_NUMBERS[size] for size in properties["argument_bytes"]]
        except (ValueError, KeyError, TypeError) as error:
            text = f"the artifact does not describe its kernel: {error}"
            raise _native.ObjectError(text) from None
        # HIP keeps no copy of the image before version 6.
        self._image = artifact.code
        try:
            with _Current(device):
                self._module = call(f"load {self.name!r}", "hipModuleLoadData", self._image)
                entry = self.name.encode()
                what = f"find {self.name!r} in its code"
                self._function = call(what, "hipModuleGetFunction", self._module, entry)
        except HipError as error:
            raise _native.ObjectError(error.message) from None

    def launch(
        self, slots: Sequence[int], grid: tuple[int, int, int], stream: int = 0, messages: int = 0
    ) -> None:
        """Start the kernel; does not wait.

        Args:
            slots: the arguments in order: of an array pointer, sizes and strides; a number's bits.
            grid: sizes of the grid, of at most 2**31 - 1 programs, as the launcher checks.
            stream: HIP's stream, 0 for the default one.
            messages: address of the message buffer, or 0.

        Raises:
            LaunchError: the number of arguments is wrong.
            HipError: HIP refuses the launch.
        """
        values = [*slots, *grid, messages]
        if len(values) != len(self._sizes):
            raise LaunchError(
                f"the kernel {self.name!r} takes {len(self._sizes)} values, got {len(values)}"
            )
        blocks = grid[0] * grid[1] * grid[2]
        if blocks == 0:
            return
        masks = ((size, (1 << 8 * ctypes.sizeof(size)) - 1) for size in self._sizes)
        packed = tuple(size(v & mask) for (size, mask), v in zip(masks, values, strict=True))
        with _Current(self.device):
            call(
                f"launch {self.name!r}",
                "hipModuleLaunchKernel",
                self._function,
                gridDimX=blocks,
                gridDimY=1,
                gridDimZ=1,
                blockDimX=self.threads,
                blockDimY=1,
                blockDimZ=1,
                # The code object says how much there is.
                sharedMemBytes=0,
                stream=stream,
                kernelParams=None,
                extra=packed,
            )

    def unload(self) -> None:
        """Free the GPU's memory; the kernel must not run any more."""
        with _Current(self.device):
            call(f"unload {self.name!r}", "hipModuleUnload", self._module)


class _Current:
    """Makes a GPU the current one, for a while."""

    def __init__(self, device: int) -> None:
        self._device = device
        self._before = device

    def __enter__(self) -> None:
        self._before = current_device()
        if self._before != self._device:
            call(f"use GPU {self._device}", "hipSetDevice", self._device)

    def __exit__(self, *_exception: object) -> None:
        if self._before != self._device:
            call(f"use GPU {self._before}", "hipSetDevice", self._before)


def load(artifact: Artifact, device: int | None = None) -> Kernel:
    """Load an artifact's code object into a GPU, by default the current one.

    Raises:
        ObjectError: HIP refuses it.
    """
    return Kernel(artifact, current_device() if device is None else device)


def specialize(
    code: Kernel, artifact: Artifact, guards: Sequence[_native.Guard]
) -> _native.Specialization:
    """What the launcher calls: a function with the interface of host code that launches.

    It launches on the stream that PyTorch uses now on the GPU, or on the default one. What HIP
    refuses is raised at the launch, as the failure of the kernel.
    """
    from tegula._runtime import hosted

    def run(slots: Sequence[int], grid: tuple[int, int, int]) -> None:
        code.launch(slots, grid, current_stream(code.device))

    count = len(json.loads(artifact.properties)["argument_bytes"]) - 4
    return hosted.specialization(run, count, artifact, guards)


def current_stream(device: int) -> int:
    """The stream that PyTorch uses now on a GPU, if the program uses PyTorch; else the default."""
    torch: Any = sys.modules.get("torch")
    if torch is None or getattr(torch.version, "hip", None) is None:
        return 0
    return int(torch.cuda.current_stream(device).cuda_stream)
