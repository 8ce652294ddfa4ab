# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs suites in a process prepared by its parent; prints a JSON line per event."""

from __future__ import annotations

import dataclasses
import importlib
import json
import os
import sys

from benchmarks.harness.model import Comparison
from benchmarks.harness.timing import compare, measure


def tell(**event: object) -> None:
    """One event for the parent."""
    print(json.dumps(event), flush=True)


def main(names: list[str], quick: bool) -> None:
    """Run the suites named, on one processor where the system can pin."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    for name in names:
        suite = importlib.import_module(f"benchmarks.suites.{name}")
        for case in suite.cases(quick):
            tell(start=f"{name}: {case.name}")
            rows = compare(name, case) if isinstance(case, Comparison) else [measure(name, case)]
            for row in rows:
                tell(result=dataclasses.asdict(row))


if __name__ == "__main__":
    main([name for name in sys.argv[1:] if name != "--quick"], "--quick" in sys.argv)
