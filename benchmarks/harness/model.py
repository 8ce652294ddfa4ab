# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a suite declares (comparisons, measurements) and what a run gives (results)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Call = Callable[[], np.ndarray]
DeviceCall = Callable[[Any], Any]


@dataclass(frozen=True)
class Comparison:
    """One job done by Tegula and by others.

    Attributes:
        ours: runs the kernel and returns its output.
        baselines: the same job by others.
        reference: the right answer in float64.
        work: floating-point operations or bytes of one call.
        unit: "GFLOP/s", "TFLOP/s" or "GB/s".
        goals: the least acceptable speed-up over each baseline that has one.
        roundings: the allowed error, see :func:`tests._support.compare.assert_close`.
    """

    name: str
    ours: Call
    baselines: Mapping[str, Call]
    reference: Call
    work: float
    unit: str
    goals: Mapping[str, float]
    roundings: float = 64.0


@dataclass(frozen=True)
class Expected:
    """The right answer on a device.

    Attributes:
        values: in float64.
        select: takes from an output what `values` says; the rest must be finite.
    """

    values: Any
    select: Callable[[Any], Any] = lambda output: output


@dataclass(frozen=True)
class DeviceComparison:
    """One job done on a device by Tegula and by others, on one set of arrays after the other.

    Calls take a set, launch on the framework's current stream and return the output.

    Attributes:
        sets: arrays of a job. There are so many that none is in a cache when its turn comes.
        ours: launches the kernel.
        baselines: the same job by others.
        outputs: the arrays of a set that are written; poisoned before each check.
        reference: the right answer for a set.
        work: floating-point operations or bytes of one call.
        unit: "GFLOP/s", "TFLOP/s" or "GB/s".
        goals: the least acceptable speed-up over each baseline that has one.
        roundings: the allowed error, see :func:`tests._support.compare.assert_close`.
        unchecked: baselines that do something else which moves as many bytes.
        rounds: how often each contender is measured.
    """

    name: str
    sets: Sequence[Any]
    ours: DeviceCall
    baselines: Mapping[str, DeviceCall]
    outputs: Callable[[Any], Sequence[Any]]
    reference: Callable[[Any], Expected]
    work: float
    unit: str
    goals: Mapping[str, float]
    roundings: float = 4.0
    unchecked: frozenset[str] = frozenset()
    rounds: int = 11


@dataclass(frozen=True)
class Measurement:
    """A time that has a limit.

    Attributes:
        samples: measures it a few times and returns seconds.
        limit: the longest acceptable median, in seconds; None if it is only shown.
    """

    name: str
    samples: Callable[[], list[float]]
    limit: float | None


@dataclass(frozen=True)
class HostComparison:
    """The host's time for a call by Tegula and by others.

    Attributes:
        contenders: each measures seconds per call once; the first is "tegula".
        limits: how many times a baseline's seconds ours may take.
        rounds: how often each contender is measured.
    """

    name: str
    contenders: Mapping[str, Callable[[], float]]
    limits: Mapping[str, float]
    rounds: int = 11


Case = Comparison | DeviceComparison | Measurement | HostComparison


@dataclass(frozen=True)
class Deferred:
    """A case that is made when its turn comes: if that fails, only this case does.

    Attributes:
        name: of the case, whatever `make` calls it.
        make: allocates its arrays, tunes its baselines.
    """

    name: str
    make: Callable[[], Case]


@dataclass(frozen=True)
class Result:
    """One row of the table. Times are medians in seconds. A failed case has an error, no times."""

    suite: str
    name: str
    seconds: float = 0.0
    goal: str = ""
    met: bool = False
    baseline: str = ""
    baseline_seconds: float = 0.0
    ratio: float = 0.0
    rate: str = ""
    spread: float = 0.0
    samples: list[float] = field(default_factory=list[float])
    error: str = ""
    notes: str = ""
