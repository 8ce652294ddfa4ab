# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shows results as one table and writes them, with the machine they come from, as JSON."""

from __future__ import annotations

import dataclasses
import json
import os
import platform
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.harness.model import Result
from benchmarks.harness.timing import show_time


def table(results: list[Result]) -> Table:
    """One row per result."""
    view = Table(title="Benchmarks (medians, one thread)")
    names = "suite", "case", "tegula", "best", "rate", "baseline", "its time", "ratio", "goal", ""
    for name in names:
        view.add_column(name, justify="left" if name in ("suite", "case", "baseline") else "right")
    for r in results:
        mark = "" if not r.goal else "[green]met[/]" if r.met else "[red]missed[/]"
        its = show_time(r.baseline_seconds) if r.baseline else ""
        ratio = f"{r.ratio:.2f}x" if r.baseline else ""
        ours, best = show_time(r.seconds), show_time(min(r.samples))
        view.add_row(r.suite, r.name, ours, best, r.rate, r.baseline, its, ratio, r.goal, mark)
    return view


def machine() -> dict[str, object]:
    """Where and on what this ran."""
    import numpy as np

    model = platform.processor()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [s for s in info.read_text().splitlines() if s.startswith("model name")]
        model = names[0].split(":")[1].strip() if names else model
    git = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True)
    return {
        "time": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "commit": git.stdout.strip(),
        "processor": model,
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "python": platform.python_version(),
        "numpy": np.__version__,
    }


def show(results: list[Result], blas: list[dict], core: str | None, path: Path | None) -> None:
    """Print the table; write the JSON file if there is a path."""
    console = Console(width=None if sys.stdout.isatty() else 140)
    console.print(table(results))
    for row in blas:
        name = row["pinned"] or "no core type"
        rate = 2 * 1024**3 / row["seconds"] / 1e9
        console.print(f"OpenBLAS with {name} asked for: ran {row['core']}, {rate:.0f} GFLOP/s")
    console.print(f"NumPy ran with OPENBLAS_CORETYPE={core or '(unset)'}")
    if hasattr(os, "getloadavg") and os.getloadavg()[0] > 1.5:
        console.print(f"the machine was busy (load {os.getloadavg()[0]:.1f}): trust ratios only")
    missed = [r for r in results if not r.met]
    console.print(f"{len(missed)} of {sum(bool(r.goal) for r in results)} goals missed")
    if path is not None:
        record = {
            "machine": machine(),
            "openblas": {"pinned": core, "tried": blas},
            "results": [dataclasses.asdict(r) for r in results],
        }
        path.write_text(json.dumps(record, indent=1) + "\n")
        console.print(f"written to {path}")
