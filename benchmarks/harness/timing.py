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

from benchmarks.harness.model import Comparison, Measurement, Result
from tests._support.compare import assert_close

MIN_SECONDS = 0.02  # a sample repeats a call until it takes this long
ROUNDS = 15


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
    calls: Mapping[str, Callable[[], object]], rounds: int = ROUNDS
) -> dict[str, list[float]]:
    """Seconds per call of each contender in each round, in a random order within the round."""
    counts = {name: repeats(call) for name, call in calls.items()}
    samples: dict[str, list[float]] = {name: [] for name in calls}
    order = list(calls)
    shuffle = random.Random(0).shuffle
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            shuffle(order)
            for name in order:
                samples[name].append(sample(calls[name], counts[name]))
    finally:
        gc.enable()
    return samples


def compare(suite: str, case: Comparison) -> Iterator[Result]:
    """Check the results of all contenders, then measure them: a row for each baseline."""
    want = case.reference()
    for call in (case.ours, *case.baselines.values()):
        assert_close(call(), want, roundings=case.roundings)
    samples = interleave({"tegula": case.ours, **case.baselines})
    ours = samples["tegula"]
    seconds = statistics.median(ours)
    for i, name in enumerate(case.baselines):
        ratio = statistics.median(b / a for a, b in zip(ours, samples[name], strict=True))
        yield Result(
            suite=suite,
            name=case.name,
            seconds=seconds,
            goal=f">= {case.goal:g}x" if i == 0 else "",
            met=i > 0 or ratio >= case.goal,
            baseline=name,
            baseline_seconds=statistics.median(samples[name]),
            ratio=ratio,
            rate=f"{case.work / seconds / 1e9:.1f} {case.unit}",
            spread=(max(ours) - min(ours)) / seconds,
            samples=ours,
        )


def measure(suite: str, case: Measurement) -> Result:
    """One measured time against its limit."""
    samples = case.samples()
    seconds = statistics.median(samples)
    return Result(
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
