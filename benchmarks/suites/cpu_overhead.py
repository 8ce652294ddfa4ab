# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a user waits for besides the work: import, compilation, the disk cache, a call's host cost.

Each sample but those of the last is a Python process of its own; the time is taken inside it, so
that starting Python does not count. A first compile also imports the compiler and sets it up, which
happens once in a process; there is no goal for it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator

import numpy as np

from benchmarks.harness.model import Measurement
from benchmarks.harness.timing import repeats, sample
from tests._support.arrays import aligned
from tests.kernels import vector_add

IMPORT = """
import time
start = time.perf_counter()
import tegula
print(time.perf_counter() - start)
"""

FIRST_CALL = """
import time
import numpy as np
from tests.kernels import gemm, vector_add
x, m = np.ones(1024, np.float32), np.ones((128, 128), np.float32)
calls = {
    "add": lambda dtype: vector_add.launch(*(x.astype(dtype) for _ in "xyz")),
    "gemm": lambda dtype: gemm.launch(*(m.astype(dtype) for _ in "abc"), tile=(256, 512, 256)),
}
call = calls["KERNEL"]
if WARM_UP:
    vector_add.launch(*(x.astype(np.int32) for _ in "xyz"))
start = time.perf_counter()
call(np.float32)
print(time.perf_counter() - start)
"""


def in_new_processes(code: str, count: int, cache: str | None = None) -> list[float]:
    """What the code prints in each of some processes, with a cache or each with an empty one."""
    seconds: list[float] = []
    for _ in range(count):
        with tempfile.TemporaryDirectory() as empty:
            env = {**os.environ, "TEGULA_CACHE_DIR": cache or empty}
            run = subprocess.run(
                [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
            )
        seconds.append(float(run.stdout.split()[-1]))
    return seconds


def first_call(kernel: str, count: int, warm_up: bool = False, cached: bool = False) -> list[float]:
    """Seconds of the first call of a kernel in a process."""
    code = FIRST_CALL.replace("KERNEL", kernel).replace("WARM_UP", str(warm_up))
    if not cached:
        return in_new_processes(code, count)
    with tempfile.TemporaryDirectory() as cache:
        return in_new_processes(code, count + 1, cache)[1:]


def host_cost(count: int) -> list[float]:
    """Seconds of a call that has next to nothing to do."""
    x, y, z = (aligned(np.ones(16, np.float32)) for _ in "xyz")
    launch = vector_add.vector_add[1]

    def call() -> None:
        launch(x, y, z, BLOCK=16)

    calls = repeats(call)
    return [sample(call, calls) for _ in range(count)]


def cases(quick: bool) -> Iterator[Measurement]:
    """All overheads."""
    n = 3 if quick else 9
    yield Measurement("import tegula", lambda: in_new_processes(IMPORT, n), 0.25)
    yield Measurement("compile vector add", lambda: first_call("add", n, warm_up=True), 0.06)
    yield Measurement("compile GEMM", lambda: first_call("gemm", n, warm_up=True), 0.3)
    yield Measurement("first compile, vector add", lambda: first_call("add", n), None)
    yield Measurement("first compile, GEMM", lambda: first_call("gemm", n), None)
    yield Measurement(
        "disk cache, vector add",
        lambda: first_call("add", n, cached=True),
        0.005,
    )
    yield Measurement("disk cache, GEMM", lambda: first_call("gemm", n, cached=True), 0.005)
    yield Measurement("host cost of a call", lambda: host_cost(n), 10e-6)
