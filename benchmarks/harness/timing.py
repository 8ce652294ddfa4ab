# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Interleaved timing: every round runs each contender once, so that a slow second hits them alike.

A ratio is the median over the rounds of the ratio in each round, which drifts of the clock rate and
neighbours on the machine hardly move.
"""

from __future__ import annotations

import gc
import random
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from benchmarks.harness.model import (
    Comparison,
    DeviceComparison,
    HostComparison,
    Measurement,
    Result,
)
from tests._support.compare import assert_close

MIN_SECONDS = 0.02  # a sample repeats a call until it takes this long
ROUNDS = 15
OURS = "tegula"
SCALES = {"G": 1e9, "T": 1e12}


def repeats(call: Callable[[], object]) -> int:
    """How many calls make one sample long enough."""
    call()
    count = 1
    while (elapsed := sample(call, count) * count) < MIN_SECONDS:
        count = max(2 * count, min(int(count * MIN_SECONDS / max(elapsed, 1e-7)), 100 * count))
    return count


def sample(call: Callable[[], object], count: int) -> float:
    """Seconds per call, over `count` calls."""
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count


def interleave(
    samplers: Mapping[str, Callable[[], float]], rounds: int = ROUNDS
) -> dict[str, list[float]]:
    """Seconds per call of each contender in each round, in a random order within the round."""
    samples: dict[str, list[float]] = {name: [] for name in samplers}
    order = list(samplers)
    shuffle = random.Random(0).shuffle
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            shuffle(order)
            for name in order:
                samples[name].append(samplers[name]())
    finally:
        gc.enable()
    return samples


def compare(suite: str, case: Comparison) -> Iterator[Result]:
    """Check the results of all contenders, then measure them: a row for each baseline."""
    want = case.reference()
    calls = {OURS: case.ours, **case.baselines}
    for call in calls.values():
        assert_close(call(), want, roundings=case.roundings)
    samplers = {name: partial(sample, call, repeats(call)) for name, call in calls.items()}
    yield from rows(suite, case, interleave(samplers))


def rows(
    suite: str,
    case: Comparison | DeviceComparison,
    samples: Mapping[str, list[float]],
    notes: str = "",
) -> Iterator[Result]:
    """A row for each baseline that was measured."""
    ours = samples[OURS]
    seconds = statistics.median(ours)
    scale = SCALES[case.unit[0]]
    for name in samples:
        if name == OURS:
            continue
        ratio = statistics.median(b / a for a, b in zip(ours, samples[name], strict=True))
        goal = case.goals.get(name)
        yield Result(
            suite=suite,
            name=case.name,
            seconds=seconds,
            goal="" if goal is None else f">= {goal:g}x",
            met=goal is None or ratio >= goal,
            baseline=name,
            baseline_seconds=statistics.median(samples[name]),
            ratio=ratio,
            rate=f"{case.work / seconds / scale:.1f} {case.unit}",
            spread=(max(ours) - min(ours)) / seconds,
            samples=ours,
            notes=notes,
        )


def compare_host(suite: str, case: HostComparison) -> Iterator[Result]:
    """A row for each baseline; a ratio is our time over its time, so less is better."""
    samples = interleave(case.contenders, case.rounds)
    ours = samples[OURS]
    seconds = statistics.median(ours)
    for name in samples:
        if name == OURS:
            continue
        ratio = statistics.median(a / b for a, b in zip(ours, samples[name], strict=True))
        limit = case.limits.get(name)
        yield Result(
            suite=suite,
            name=case.name,
            seconds=seconds,
            goal="" if limit is None else f"<= {limit:g}x its time",
            met=limit is None or ratio <= limit,
            baseline=name,
            baseline_seconds=statistics.median(samples[name]),
            ratio=ratio,
            spread=(max(ours) - min(ours)) / seconds,
            samples=ours,
        )


def measure(suite: str, case: Measurement) -> Iterator[Result]:
    """One measured time against its limit."""
    samples = case.samples()
    seconds = statistics.median(samples)
    yield Result(
        suite=suite,
        name=case.name,
        seconds=seconds,
        goal="" if case.limit is None else f"<= {show_time(case.limit)}",
        met=case.limit is None or seconds <= case.limit,
        spread=(max(samples) - min(samples)) / seconds,
        samples=samples,
    )


def show_time(seconds: float) -> str:
    """Three digits and a unit."""
    for scale, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "us")):
        if seconds * scale >= 1 or unit == "us":
            return f"{seconds * scale:.3g} {unit}"
    raise AssertionError
