# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs one suite in a process prepared by its parent; prints a JSON line per event.

A case that fails becomes a result with an error. If it has broken the device for this process, the
process ends, and its parent starts another one at the next case.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import json
import os
import sys
from collections.abc import Iterator

from benchmarks.harness.model import (
    Case,
    Comparison,
    Deferred,
    DeviceComparison,
    HostComparison,
    Result,
)
from benchmarks.harness.requirements import on_device
from benchmarks.harness.timing import compare, compare_host, measure

BROKEN = 3  # exit status: the device is of no more use to this process


def tell(**event: object) -> None:
    """One event for the parent."""
    print(json.dumps(event), flush=True)


def run(suite: str, case: Case | Deferred) -> Iterator[Result]:
    """Check and measure a case."""
    if isinstance(case, Deferred):
        case = dataclasses.replace(case.make(), name=case.name)
    if isinstance(case, Comparison):
        return compare(suite, case)
    if isinstance(case, HostComparison):
        return compare_host(suite, case)
    if isinstance(case, DeviceComparison):
        from benchmarks.harness.device import compare_on_device

        return compare_on_device(suite, case)
    return measure(suite, case)


def check_device() -> None:
    """End this process if a failed case has broken the device for it."""
    from benchmarks.harness.device import torch

    try:
        torch.cuda.synchronize()
    except RuntimeError:
        sys.exit(BROKEN)


def main(suite: str, first: int, quick: bool) -> None:
    """Run a suite from some case on; those of the processor on one core where that can be had."""
    if on_device(suite):
        from benchmarks.harness.device import describe

        tell(machine=describe())
    elif hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    cases = importlib.import_module(f"benchmarks.suites.{suite}").cases(quick)
    for number, case in enumerate(cases):
        if number < first:
            continue
        tell(start=case.name, case=number)
        try:
            for row in run(suite, case):
                tell(result=dataclasses.asdict(row))
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            tell(result=dataclasses.asdict(Result(suite, case.name, error=text)))
            if on_device(suite):
                check_device()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("suite")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    main(options.suite, options.first, options.quick)
