# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launching on AMD GPUs through hip-python, against a stand-in that records the calls.

What this cannot show is that a GPU does what the calls say.
"""

from __future__ import annotations

import ctypes
import json
import sys
import types
from enum import Enum
from pathlib import Path

import pytest

from tegula import _native
from tegula._compile.artifact import Artifact
from tegula._runtime import rocm


class Status(Enum):
    hipSuccess = 0
    hipErrorInvalidImage = 200
    hipErrorLaunchFailure = 719


class Hip(types.ModuleType):
    """Records what is called; `results` says what else than success calls give."""

    hipError_t = Status

    def __init__(self) -> None:
        super().__init__("hip.hip")
        self.calls: list[tuple[str, tuple, dict]] = []
        self.results: dict[str, tuple] = {}
        self.device = 0
        self.names = [b"gfx942:sramecc+:xnack-", b"gfx1100"]

    def hipDeviceProp_t(self) -> types.SimpleNamespace:
        return types.SimpleNamespace(gcnArchName=b"")

    def hipGetDevice(self):
        return Status.hipSuccess, self.device

    def hipSetDevice(self, device):
        self.device = device
        self.calls.append(("hipSetDevice", (device,), {}))
        return (Status.hipSuccess,)

    def hipGetDeviceCount(self):
        return Status.hipSuccess, len(self.names)

    def hipGetDeviceProperties(self, properties, device):
        properties.gcnArchName = self.names[device]
        return (Status.hipSuccess,)

    def __getattr__(self, name):
        if not name.startswith("hip"):
            raise AttributeError(name)

        def record(*args, **keywords):
            self.calls.append((name, args, keywords))
            return self.results.get(name, (Status.hipSuccess, f"{name} of {args[0]!r:.20}"))

        return record


@pytest.fixture
def hip(monkeypatch, tmp_path):
    """hip-python and a GPU's driver, as far as this process can tell."""
    package, module = types.ModuleType("hip"), Hip()
    package.__path__ = []
    package.__spec__ = types.SimpleNamespace(name="hip")
    package.hip = module
    monkeypatch.setitem(sys.modules, "hip", package)
    monkeypatch.setitem(sys.modules, "hip.hip", module)
    (tmp_path / "kfd").touch()
    monkeypatch.setattr(rocm, "_DRIVER", tmp_path / "kfd")
    rocm._architecture.cache_clear()
    yield module
    rocm._architecture.cache_clear()


def make(sizes=(8, 8, 8, 4, 4, 4, 4, 8)) -> Artifact:
    properties = {"num_warps": 4, "num_lanes": 64, "argument_bytes": list(sizes)}
    return Artifact("scale", "gfx942", b"code", (0,), json.dumps(properties))


def values(packed):
    return [(type(item), item.value) for item in packed]


def test_a_kernel_is_loaded_once_and_launched_with_its_arguments_packed_by_size(hip):
    kernel = rocm.load(make(), 0)
    kernel.launch([0x7F0000001000, 100, 1, -2], (2, 3, 4), stream=77)
    names = [name for name, _, _ in hip.calls]
    assert names == ["hipModuleLoadData", "hipModuleGetFunction", "hipModuleLaunchKernel"]
    assert hip.calls[0][1] == (b"code",)
    assert hip.calls[1][1][1] == b"scale"
    (function,), keywords = hip.calls[2][1:]
    assert function.startswith("hipModuleGetFunction")
    assert values(keywords.pop("extra")) == [
        (ctypes.c_uint64, 0x7F0000001000),
        (ctypes.c_uint64, 100),
        (ctypes.c_uint64, 1),
        (ctypes.c_uint32, 2**32 - 2),
        (ctypes.c_uint32, 2),
        (ctypes.c_uint32, 3),
        (ctypes.c_uint32, 4),
        (ctypes.c_uint64, 0),
    ]
    assert keywords == {
        **{"gridDimX": 24, "gridDimY": 1, "gridDimZ": 1},
        **{"blockDimX": 256, "blockDimY": 1, "blockDimZ": 1},
        **{"sharedMemBytes": 0, "stream": 77, "kernelParams": None},
    }


def test_another_gpu_is_made_current_and_the_one_before_restored(hip):
    kernel = rocm.load(make(), 1)
    kernel.launch([0, 0, 0, 0], (1, 1, 1))
    switches = [args[0] for name, args, _ in hip.calls if name == "hipSetDevice"]
    assert switches == [1, 0, 1, 0]
    assert hip.device == 0


def test_no_program_is_no_launch(hip):
    rocm.load(make(), 0).launch([0, 0, 0, 0], (5, 0, 1))
    assert "hipModuleLaunchKernel" not in [name for name, _, _ in hip.calls]


def test_what_hip_refuses_is_an_error_with_the_kernels_name(hip):
    kernel = rocm.load(make(), 0)
    hip.results["hipModuleLaunchKernel"] = (Status.hipErrorLaunchFailure,)
    with pytest.raises(
        rocm.HipError,
        match="HIP cannot launch 'scale': hipModuleLaunchKernel gives hipErrorLaunchFailure",
    ):
        kernel.launch([0, 0, 0, 0], (1, 1, 1))


def test_a_code_object_that_hip_refuses_is_no_kernel(hip):
    hip.results["hipModuleLoadData"] = (Status.hipErrorInvalidImage,)
    with pytest.raises(_native.ObjectError, match="cannot load 'scale'.*hipErrorInvalidImage"):
        rocm.load(make(), 0)


def test_an_artifact_without_a_description_is_no_kernel(hip):
    with pytest.raises(_native.ObjectError, match="does not describe its kernel"):
        rocm.load(Artifact("scale", "gfx942", b"code", (), "{}"), 0)


def test_the_target_is_the_architecture_without_its_features(hip):
    assert rocm.architecture() == "gfx942"
    assert rocm.architecture(1) == "gfx1100"
    assert rocm.availability().ok


def test_a_gpu_that_is_no_target_is_said_to_be_none(hip):
    hip.names = [b"gfx900"]
    assert rocm.architecture() is None
    assert not rocm.availability().ok


def test_without_the_driver_nothing_is_imported(monkeypatch):
    monkeypatch.setattr(rocm, "_DRIVER", Path("/nowhere/kfd"))
    monkeypatch.setitem(sys.modules, "hip", None)
    assert rocm.architecture() is None
    assert "/nowhere/kfd is missing" in rocm.availability().reason


def test_the_stream_is_pytorchs_if_the_program_uses_it(hip, monkeypatch):
    assert rocm.current_stream(0) == 0
    torch = types.SimpleNamespace(
        version=types.SimpleNamespace(hip="7.0"),
        cuda=types.SimpleNamespace(
            current_stream=lambda device: types.SimpleNamespace(cuda_stream=1000 + device)
        ),
    )
    monkeypatch.setitem(sys.modules, "torch", torch)
    assert rocm.current_stream(1) == 1001
