# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a suite declares (comparisons, measurements) and what a run gives (results)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

Call = Callable[[], np.ndarray]


@dataclass(frozen=True)
class Comparison:
    """One job done by Tegula and by others.

    Attributes:
        ours: runs the kernel and returns its output.
        baselines: the same job by others; the goal is about the first.
        reference: the right answer in float64.
        work: floating-point operations or bytes of one call.
        unit: "GFLOP/s" or "GB/s".
        goal: the least acceptable speed-up over the first baseline.
        roundings: the allowed error, see :func:`tests._support.compare.assert_close`.
    """

    name: str
    ours: Call
    baselines: Mapping[str, Call]
    reference: Call
    work: float
    unit: str
    goal: float
    roundings: float = 64.0


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
class Result:
    """One row of the table. Times are medians in seconds."""

    suite: str
    name: str
    seconds: float
    goal: str
    met: bool
    baseline: str = ""
    baseline_seconds: float = 0.0
    ratio: float = 0.0
    rate: str = ""
    spread: float = 0.0
    samples: list[float] = field(default_factory=list)
