# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels on NVIDIA's GPUs: load code into a device, hand it to the launcher, find streams.

The driver is asked through `tegula._native`, which loads its library when this module is first
used. Kernels run in the primary context of a device, as those of PyTorch, CuPy and JAX do.
"""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Sequence
from typing import Any

from tegula import _env, _native
from tegula._compile.artifact import Artifact
from tegula._compile.targets import Availability
from tegula._runtime import printing
from tegula.errors import DeviceError


@functools.cache
def _open(library: str) -> _native.CudaDriver | _native.DriverError:
    """The driver, or why there is none."""
    try:
        driver = _native.CudaDriver(library)
    except _native.DriverError as error:
        return error
    _native.set_stream_hook(current_stream)
    _native.set_print_hook(printing.print_lines)
    return driver


def driver() -> _native.CudaDriver:
    """NVIDIA's driver.

    Raises:
        DeviceError: there is none, or it does not work.
    """
    found = _open(_env.cuda_driver())
    if isinstance(found, _native.DriverError):
        raise DeviceError(
            f"NVIDIA's driver cannot be used: {found}", help="`tegula doctor` says what is missing"
        )
    return found


def architecture(device: int | None = None) -> str | None:
    """The target for a GPU; see :class:`tegula._runtime.Device`."""
    found = _open(_env.cuda_driver())
    if isinstance(found, _native.DriverError) or found.device_count == 0:
        return None
    from tegula._compile.cuda import for_capability

    number = found.current_device if device is None else device
    return for_capability(*divmod(found.capability(number), 10))


def current_device() -> int:
    """The GPU whose context this thread uses, else the first."""
    return driver().current_device


def availability() -> Availability:
    """Whether there is a GPU that kernels can run on."""
    found = _open(_env.cuda_driver())
    if isinstance(found, _native.DriverError):
        fix = "install NVIDIA's driver, on a machine with an NVIDIA GPU"
        return Availability(False, f"no driver: {found}", fix)
    if found.device_count == 0:
        return Availability(False, "the driver finds no GPU", "check nvidia-smi")
    names = [f"{found.name(i)} ({architecture(i)})" for i in range(found.device_count)]
    major, minor = divmod(found.version, 1000)
    usable = any(architecture(i) for i in range(found.device_count))
    text = f"{', '.join(names)}, driver for CUDA {major}.{minor // 10}"
    return Availability(usable, text, "" if usable else "a GPU of sm_80 or newer is needed")


def load(artifact: Artifact, device: int) -> _native.CudaKernel:
    """Load an artifact's cubin, or PTX, into a GPU.

    Raises:
        ObjectError: the driver refuses it.
    """
    try:
        properties = json.loads(artifact.properties)
        threads = properties["num_warps"] * properties["num_lanes"]
        shared = properties.get("shared_bytes", 0)
        maps = properties.get("tensor_maps", [])
        messages = properties.get("messages", [])
    except (ValueError, KeyError, TypeError) as error:
        raise _native.ObjectError(f"the artifact does not describe its kernel: {error}") from None
    try:
        return driver().load(device, artifact.code, artifact.name, threads, shared, maps, messages)
    except _native.DriverError as error:
        raise _native.ObjectError(str(error)) from None


def specialize(
    code: _native.CudaKernel, artifact: Artifact, guards: Sequence[_native.Guard]
) -> _native.Specialization:
    """What the launcher calls."""
    return _native.Specialization(
        code.address, writes=artifact.writes, owner=code, guards=guards, on_device=True
    )


def current_stream(_family: str, device: int, argument: object) -> int:
    """The stream that the library of an array uses now on a GPU.

    PyTorch's newer versions tell theirs without Python. The default stream, 0, is in order with
    what every other library does unless told otherwise.
    """
    library = type(argument).__module__.partition(".")[0]
    module: Any = sys.modules.get(library)
    if library == "torch":
        return module.cuda.current_stream(device).cuda_stream
    if library == "cupy":
        with module.cuda.Device(device):
            return module.cuda.get_current_stream().ptr
    return 0
