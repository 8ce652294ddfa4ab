# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes NumPy as fast as it can be: the OpenBLAS kernels that are fastest on this processor.

OpenBLAS picks kernels by processor model; in a virtual machine it may pick old ones, and the
environment may force some. Both variables that do so are dropped, each core type that the processor
can run is tried in a process of its own, and the winner is pinned for the benchmark.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

CANDIDATES = {  # core type: the processor flags (as Linux and macOS name them) that it needs
    "SapphireRapids": {"avx512_bf16", "avx512f"},
    "Cooperlake": {"avx512_bf16", "avx512f"},
    "SkylakeX": {"avx512f", "avx512dq", "avx512bw", "avx512vl"},
    "Zen": {"avx2", "fma"},
    "Haswell": {"avx2", "fma"},
}

PROBE = """
import json, statistics, time
import numpy as np
from threadpoolctl import threadpool_info
rng = np.random.default_rng(0)
a, b = (rng.standard_normal((1024, 1024)).astype(np.float32) for _ in "ab")
want = a.astype(np.float64) @ b.astype(np.float64)
error = np.linalg.norm(a @ b - want) / np.linalg.norm(want)
times = []
for _ in range(7):
    start = time.perf_counter()
    a @ b
    times.append(time.perf_counter() - start)
blas = [x for x in threadpool_info() if x["user_api"] == "blas"]
print(json.dumps({
    "seconds": statistics.median(times),
    "correct": bool(error < 1e-5),
    "core": blas[0].get("architecture", "?") if blas else "?",
    "version": blas[0]["version"] if blas else "?",
}))
"""


def clean_environment(core: str | None, threads: int = 1) -> dict[str, str]:
    """This process's environment with one OpenBLAS core type, or with OpenBLAS's own choice."""
    forced = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
    env = {name: value for name, value in os.environ.items() if name not in forced}
    env |= dict.fromkeys(
        ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "TEGULA_NUM_THREADS"), str(threads)
    )
    if core:
        env["OPENBLAS_CORETYPE"] = core
    return env


def probe(core: str | None) -> dict[str, Any] | None:
    """Time one GEMM under a core type; None if it does not run or gives wrong results."""
    run = subprocess.run(
        [sys.executable, "-c", PROBE], env=clean_environment(core), capture_output=True, text=True
    )
    if run.returncode != 0:
        return None
    found = json.loads(run.stdout)
    return found if found["correct"] else None


def processor_flags() -> set[str]:
    """The instruction sets of this processor, or nothing where /proc/cpuinfo is not there."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    return next((set(line.split()) for line in lines if line.startswith("flags")), set[str]())


def best_core() -> tuple[str | None, list[dict[str, Any]]]:
    """The fastest core type that this processor supports, and what was measured for each.

    A library without kernels for a core type falls back to an older one: the name that it reports
    is the one to pin.
    """
    flags = processor_flags()
    tried = [("", probe(None))]
    tried += [(core, probe(core)) for core, needs in CANDIDATES.items() if needs <= flags]
    rows = [{"pinned": core, **found} for core, found in tried if found]
    if not rows:
        return None, []
    best = min(rows, key=lambda row: row["seconds"])
    return best["core"] if best["core"] in CANDIDATES else None, rows
