# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shows results as one table and writes them, with the machine they come from, as JSON."""

from __future__ import annotations

import dataclasses
import json
import os
import platform
import subprocess
import sys
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from benchmarks.harness.model import Result
from benchmarks.harness.timing import show_time


def table(results: list[Result]) -> Table:
    """One row per result."""
    view = Table(title="Benchmarks (medians)")
    names = "suite", "case", "tegula", "best", "rate", "baseline", "its time", "ratio", "goal", ""
    for name in names:
        view.add_column(name, justify="left" if name in ("suite", "case", "baseline") else "right")
    for r in results:
        if r.error:
            view.add_row(r.suite, r.name, "", "", "", r.baseline, "", "", r.goal, "[red]failed[/]")
            continue
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
    return {
        "time": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "commit": commit(),
        "processor": model,
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "python": platform.python_version(),
        "numpy": np.__version__,
    }


def commit() -> str:
    """The commit that is checked out, or "" where git cannot say."""
    try:
        git = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True)
    except OSError:
        return ""
    return git.stdout.strip()


@dataclass
class Report:
    """What a run has found so far.

    Attributes:
        path: of a JSON file, rewritten at each result so that a run that is cut short leaves one.
        results: one for each row.
        left_out: suites that cannot run here, and why.
        core: the OpenBLAS core type that NumPy ran with.
        tried: the OpenBLAS core types that were tried.
        device: the GPU, if a suite ran on one.
    """

    path: Path | None
    results: list[Result] = field(default_factory=list[Result])
    left_out: dict[str, str] = field(default_factory=dict[str, str])
    core: str | None = None
    tried: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    device: dict[str, object] = field(default_factory=dict[str, object])

    @property
    def met(self) -> bool:
        """Whether all goals are met and nothing failed."""
        return all(result.met and not result.error for result in self.results)

    def add(self, result: Result) -> None:
        """Take one result, and write all."""
        self.results.append(result)
        if self.path is None:
            return
        record = {
            "machine": machine() | self.device,
            "openblas": {"pinned": self.core, "tried": self.tried},
            "left out": self.left_out,
            "results": [dataclasses.asdict(r) for r in self.results],
        }
        self.path.write_text(json.dumps(record, indent=1) + "\n")

    def show(self) -> None:
        """Print the table and remarks."""
        console = Console(width=None if sys.stdout.isatty() else 160)
        if self.results:
            console.print(table(self.results))
        for r in self.results:
            who = f"{r.suite}: {r.name}{f', {r.baseline}' if r.baseline else ''}"
            if r.error or r.notes:
                console.print(f"{escape(who)}: {escape(r.error or r.notes)}")
        self._show_machine(console)
        for suite, reason in self.left_out.items():
            console.print(f"{suite} left out: {reason}")
        goals = [r for r in self.results if r.goal or r.error]
        missed = sum(not r.met or bool(r.error) for r in goals)
        console.print(f"{missed} of {len(goals)} goals missed")
        if self.path is not None and self.results:
            console.print(f"written to {self.path}")

    def _show_machine(self, console: Console) -> None:
        for row in self.tried:
            name = row["pinned"] or "no core type"
            rate = 2 * 1024**3 / row["seconds"] / 1e9
            console.print(f"OpenBLAS with {name} asked for: ran {row['core']}, {rate:.0f} GFLOP/s")
        if self.tried:
            console.print(f"NumPy ran with OPENBLAS_CORETYPE={self.core or '(unset)'}")
        if self.device:
            console.print(", ".join(f"{key} {value}" for key, value in self.device.items()))
        if hasattr(os, "getloadavg") and os.getloadavg()[0] > 1.5:
            console.print(
                f"the machine was busy (load {os.getloadavg()[0]:.1f}): trust ratios only"
            )
