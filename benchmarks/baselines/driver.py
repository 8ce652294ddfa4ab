# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The bare launch of a kernel by NVIDIA's driver, from a loop in C and from cuda-bindings.

The kernel takes three pointers and two numbers and does nothing. All is on the default stream of
the context that PyTorch has made current.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

PTX = b"""
.version 7.0
.target sm_80
.address_size 64
.visible .entry bare(.param .u64 x, .param .u64 y, .param .u64 z, .param .f32 a, .param .f32 b)
{
  ret;
}
"""

LOOP = """
typedef int (*launch_fn)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                         unsigned, void *, void **, void **);

int loop(launch_fn launch, void *function, void **params, int count) {
  int failed = 0;
  for (int i = 0; i < count; ++i)
    failed |= launch(function, 1, 1, 1, 128, 1, 1, 0, 0, params, 0);
  return failed;
}
"""

Loop = Callable[[int], None]


class BareKernel:
    """The kernel that does nothing, with arguments for it."""

    def __init__(self) -> None:
        self.library = ctypes.CDLL("libcuda.so.1")
        module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        demand(self.library.cuModuleLoadData(ctypes.byref(module), PTX))
        demand(self.library.cuModuleGetFunction(ctypes.byref(self.function), module, b"bare"))
        self.values = [*(ctypes.c_uint64(0) for _ in "xyz"), *(ctypes.c_float(0) for _ in "ab")]
        addresses = (ctypes.addressof(value) for value in self.values)
        self.params = (ctypes.c_void_p * len(self.values))(*addresses)


def demand(status: int) -> None:
    """Raise if the driver reports an error."""
    if status != 0:
        raise RuntimeError(f"the driver reports error {status}")


def in_c(kernel: BareKernel) -> Loop | None:
    """Launches so many times from C; None without a C compiler."""
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory() as name:
        source, library = Path(name, "loop.c"), Path(name, "loop.so")
        source.write_text(LOOP)
        subprocess.run(
            [compiler, "-O2", "-shared", "-fPIC", "-o", str(library), str(source)], check=True
        )
        loaded = ctypes.CDLL(str(library))
    launch = ctypes.cast(kernel.library.cuLaunchKernel, ctypes.c_void_p)
    return lambda count: demand(loaded.loop(launch, kernel.function, kernel.params, count))


def in_bindings(kernel: BareKernel) -> Loop | None:
    """Launches so many times through cuda-bindings; None without them."""
    if find_spec("cuda") is None or find_spec("cuda.bindings") is None:
        return None
    driver: Any = import_module("cuda.bindings.driver")
    function = driver.CUfunction(kernel.function.value)
    stream = driver.CUstream(0)
    params = ctypes.addressof(kernel.params)

    def loop(count: int) -> None:
        launch = driver.cuLaunchKernel
        for _ in range(count):
            (status,) = launch(function, 1, 1, 1, 128, 1, 1, 0, stream, params, 0)
            demand(int(status))

    return loop
