# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Timing on a GPU, through PyTorch: events around replays of a graph of many calls.

A graph takes the host out of the measurement. Where a contender cannot be captured in one, all
contenders of the case are launched while the GPU sleeps, so that it then works without a gap. The
calls of a sample rotate over several sets of arrays, which together are far larger than the cache.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any

from benchmarks.harness.model import DeviceCall, DeviceComparison, Expected, Result
from benchmarks.harness.timing import OURS, interleave, rows
from tests._support.compare import ROUNDING

torch: Any = import_module("torch")

CACHES = 8  # the sets of a case are together at least this many times the cache
MAX_SETS = 64
GRAPH_SECONDS = 0.005
SAMPLE_SECONDS = 0.02
MAX_LAUNCHES = 400
SLEEP_CYCLES = 100_000  # for each launch that is queued: more than any host needs for one


def set_count(bytes_of_set: int) -> int:
    """How many sets of arrays no cache can hold."""
    cache = torch.cuda.get_device_properties(0).L2_cache_size
    return max(1, min(MAX_SETS, math.ceil(CACHES * cache / bytes_of_set)))


def normal(*shape: int, dtype: Any = None) -> Any:
    """Normally distributed values on the GPU, rounded to `dtype` (bfloat16)."""
    values = torch.randn(shape, device="cuda", dtype=torch.float32)
    return values.to(dtype or torch.bfloat16)


def empty(*shape: int, dtype: Any = None) -> Any:
    """Memory for an output."""
    return torch.empty(shape, device="cuda", dtype=dtype or torch.bfloat16)


def compare_on_device(suite: str, case: DeviceComparison) -> Iterator[Result]:
    """Check the results of all contenders, then measure them: a row for each baseline."""
    calls: dict[str, DeviceCall] = {}
    failed: dict[str, str] = {}
    expected = case.reference(case.sets[0])
    for name, call in {OURS: case.ours, **case.baselines}.items():
        try:
            check(case, name, call, expected)
            calls[name] = call
        except Exception as error:
            failed[name] = f"{type(error).__name__}: {error}"
            torch.cuda.synchronize()  # Raises if the kernel has broken this process's device.
    del expected
    if OURS in failed:
        goal = ", ".join(f">= {goal:g}x {name}" for name, goal in case.goals.items())
        yield Result(suite, case.name, goal=goal, error=failed[OURS])
        return
    samplers, notes = make_samplers(calls, case.sets)
    for sampler in samplers.values():
        sampler()  # Brings clocks and power to where the work keeps them.
    yield from rows(suite, case, interleave(samplers, case.rounds), notes)
    for name, error in failed.items():
        yield Result(suite, case.name, baseline=name, error=error)


def check(case: DeviceComparison, name: str, call: DeviceCall, expected: Expected) -> None:
    """Fail unless a contender writes the right values everywhere; ours also the same ones twice."""
    arrays = case.sets[0]
    for output in case.outputs(arrays):
        output.fill_(math.nan)
    got = call(arrays)
    torch.cuda.synchronize()
    if name in case.unchecked:
        return
    assert bool(torch.isfinite(got).all()), "some elements are not finite, or were not written"
    assert_close(expected.select(got), expected.values, case.roundings)
    if name == OURS:
        before = got.clone()
        assert torch.equal(call(arrays), before), "two runs give different results"


def assert_close(got: Any, want: Any, roundings: float) -> None:
    """As :func:`tests._support.compare.assert_close`, on the GPU."""
    bound = roundings * ROUNDING[str(got.dtype).removeprefix("torch.")]
    assert got.shape == want.shape, f"shape {tuple(got.shape)} instead of {tuple(want.shape)}"
    error = (got.double() - want).abs()
    norm = float(error.norm() / want.norm())
    peak = float(error.max() / want.abs().max())
    assert norm <= bound, f"relative norm of the error {norm:.2e} > {bound:.2e}"
    assert peak <= 4 * bound, f"largest error {peak:.2e} of the peak > {4 * bound:.2e}"


def make_samplers(
    calls: Mapping[str, DeviceCall], sets: Sequence[Any]
) -> tuple[dict[str, Callable[[], float]], str]:
    """What measures each contender once, all in the same way, and a remark on that way."""
    seconds = {name: estimate(call, sets) for name, call in calls.items()}
    graphs: dict[str, tuple[Any, int]] = {}
    for name, call in calls.items():
        count = max(len(sets), min(MAX_LAUNCHES, math.ceil(GRAPH_SECONDS / seconds[name])))
        try:
            graphs[name] = capture(call, sets, count), count
        except Exception as error:
            torch.cuda.synchronize()
            samplers = {
                key: partial(queued, calls[key], sets, launches(seconds[key])) for key in calls
            }
            return samplers, f"no graphs: {name} cannot be captured ({error})"
    found: dict[str, Callable[[], float]] = {}
    for name, (graph, count) in graphs.items():
        once = replayed(graph, count, 1) * count
        found[name] = partial(replayed, graph, count, max(1, math.ceil(SAMPLE_SECONDS / once)))
    return found, ""


def launches(seconds: float) -> int:
    """How many calls of these seconds make a sample."""
    return max(3, min(MAX_LAUNCHES, math.ceil(SAMPLE_SECONDS / seconds)))


def estimate(call: DeviceCall, sets: Sequence[Any]) -> float:
    """About how many seconds a call takes; each set has been used once then."""
    for arrays in sets:
        call(arrays)
    return queued(call, sets, 5)


def timed(work: Callable[[], None]) -> float:
    """Seconds of the GPU between two events around what `work` launches."""
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    work()
    end.record()
    end.synchronize()
    return start.elapsed_time(end) * 1e-3


def queued(call: DeviceCall, sets: Sequence[Any], count: int) -> float:
    """Seconds per call, of calls that all wait in the queue when the first one starts."""

    def work() -> None:
        for i in range(count):
            call(sets[i % len(sets)])

    torch.cuda.synchronize()
    torch.cuda._sleep(SLEEP_CYCLES * count)
    return timed(work) / count


def capture(call: DeviceCall, sets: Sequence[Any], count: int) -> Any:
    """A graph of so many calls."""
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for i in range(count):
            call(sets[i % len(sets)])
    graph.replay()
    torch.cuda.synchronize()
    return graph


def replayed(graph: Any, count: int, replays: int) -> float:
    """Seconds per call, of the calls in a graph that is replayed some times."""

    def work() -> None:
        for _ in range(replays):
            graph.replay()

    torch.cuda.synchronize()
    return timed(work) / (count * replays)


def tune(
    configs: Sequence[Any], make: Callable[[Any], Callable[[], object]], runs: int = 10
) -> Any:
    """The configuration with which a baseline is fastest; those that do not compile drop out.

    `make` gives what runs it with a configuration.
    """
    best, best_seconds, last = None, math.inf, None
    for config in configs:
        try:
            run = make(config)
            run()
            torch.cuda.synchronize()
        except Exception as error:
            last = error
            continue
        seconds = min(queued(_call, (run,), runs) for _ in range(3))
        if seconds < best_seconds:
            best, best_seconds = config, seconds
    if best is None:
        raise RuntimeError(f"no configuration works: {last}")
    return best


def _call(run: Callable[[], object]) -> object:
    return run()


def describe() -> dict[str, object]:
    """The GPU and the software that drives it."""
    triton: Any = import_module("triton")
    properties = torch.cuda.get_device_properties(0)
    return {
        "gpu": properties.name,
        "multiprocessors": properties.multi_processor_count,
        "cache": properties.L2_cache_size,
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "cudnn": torch.backends.cudnn.version(),
        "triton": triton.__version__,
    }
