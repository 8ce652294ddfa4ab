# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a GPU's user waits for besides the work: the host's time for a call, cold compilation.

Calls are compared with the driver's own and with Triton's. Each cold compile is in a process with
an empty cache, which has compiled one other kernel before; the first one in a process is shown too.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib import import_module
from typing import Any

from benchmarks import kernels
from benchmarks.baselines import driver, triton_ops
from benchmarks.harness.model import Deferred, HostComparison, Measurement
from benchmarks.harness.timing import OURS

torch: Any = import_module("torch")

CALLS = 200  # in a sample: fewer than a stream can hold, so that none waits for the GPU
BLOCK = 128
CALL_LIMIT, PREPARED_LIMIT = 2.5, 1.5  # times the driver's own launch
LIMITS = {"vector add": 0.15, "GEMM": 0.6, "attention": 1.0}
IN_C, IN_BINDINGS = "cuLaunchKernel in C", "cuLaunchKernel by cuda-bindings"


def sampler(loop: Callable[[int], None]) -> Callable[[], float]:
    """Measures the host's seconds per call in a loop once."""

    def sample() -> float:
        torch.cuda.synchronize()
        start = time.perf_counter()
        loop(CALLS)
        return (time.perf_counter() - start) / CALLS

    sample()
    return sample


def repeat(call: Callable[[], object]) -> Callable[[int], None]:
    """A loop of calls."""

    def loop(count: int) -> None:
        for _ in range(count):
            call()

    return loop


def drivers() -> dict[str, Callable[[], float]]:
    """The driver's own launch, in the ways there are here."""
    kernel = driver.BareKernel()
    loops = {IN_C: driver.in_c(kernel), IN_BINDINGS: driver.in_bindings(kernel)}
    return {name: sampler(loop) for name, loop in loops.items() if loop is not None}


def call_cost(is_prepared: bool) -> HostComparison:
    """Calls with three arrays and two numbers."""
    x, y, z = (torch.randn(BLOCK, device="cuda") for _ in "xyz")
    combine = kernels.combine

    def call() -> None:
        combine[1](x, y, z, 2.0, 3.0, BLOCK=BLOCK)

    def in_triton() -> None:
        triton_ops.combine_kernel[(1,)](x, y, z, 2.0, 3.0, BLOCK=BLOCK)

    launch: Any = combine[1]
    run = launch.prepare(x, y, z, 2.0, 3.0, BLOCK=BLOCK) if is_prepared else call
    run()
    torch.testing.assert_close(z, 2.0 * x + 3.0 * y)
    in_triton()
    bare = drivers()
    others = bare | {"Triton": sampler(repeat(in_triton))}
    limits = {next(iter(bare)): PREPARED_LIMIT if is_prepared else CALL_LIMIT} if bare else {}
    return HostComparison("call", {OURS: sampler(repeat(run)), **others}, limits)


@cache
def cold(compiler: str, count: int) -> list[dict[str, float]]:
    """Seconds of first calls, in so many processes with empty caches."""
    found: list[dict[str, float]] = []
    for _ in range(count):
        with tempfile.TemporaryDirectory() as empty:
            env = {**os.environ, "TEGULA_CACHE_DIR": empty, "TRITON_CACHE_DIR": empty}
            command = [sys.executable, "-m", "benchmarks.suites._cold", compiler]
            run = subprocess.run(command, env=env, capture_output=True, text=True)
        if run.returncode != 0:
            raise RuntimeError(f"the process failed: {run.stderr.strip()[-2000:]}")
        found.append(json.loads(run.stdout.splitlines()[-1]))
    return found


def cases(quick: bool) -> Iterator[Deferred | Measurement]:
    """All overheads."""
    count = 1 if quick else 3
    for compiler in ("tegula", "triton"):
        for job in (*LIMITS, "first"):
            is_ours = compiler == "tegula"
            yield Measurement(
                f"compile {job}" + ("" if is_ours else ", Triton"),
                lambda compiler=compiler, job=job: [row[job] for row in cold(compiler, count)],
                LIMITS.get(job) if is_ours else None,
            )
    yield Deferred("call, 3 arrays and 2 numbers", partial(call_cost, False))
    yield Deferred("prepared call", partial(call_cost, True))
