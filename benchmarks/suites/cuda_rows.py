# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Softmax, layer norm and RMS norm of rows in bf16 against a device copy, and Triton's softmax."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import SimpleNamespace

from benchmarks.baselines import torch_ops, triton_ops
from benchmarks.harness.device import empty, normal, set_count, tune
from benchmarks.harness.model import Deferred, DeviceCall, DeviceComparison, Expected
from benchmarks.tiles import rms_norm_columns
from tests.kernels import layer_norm, rms_norm, softmax

SIZES = (8192, 8192), (32768, 4096), (4096, 32768)
GOAL = 0.92
COPY = "device copy"


def make_sets(m: int, n: int) -> list[SimpleNamespace]:
    """A matrix and room for its result."""
    return [SimpleNamespace(x=normal(m, n), y=empty(m, n)) for _ in range(set_count(4 * m * n))]


def compare(
    sets: list[SimpleNamespace],
    ours: DeviceCall,
    reference: Callable[[SimpleNamespace], Expected],
    others: Mapping[str, DeviceCall],
) -> DeviceComparison:
    """A job that reads x and writes y once, like the copy. Bytes are those of both."""
    rows, columns = sets[0].x.shape
    return DeviceComparison(
        name=f"{rows}x{columns}",
        sets=sets,
        ours=ours,
        baselines={COPY: lambda s: s.y.copy_(s.x), **others},
        outputs=lambda s: (s.y,),
        reference=reference,
        work=4.0 * rows * columns,
        unit="GB/s",
        goals={COPY: GOAL},
        unchecked=frozenset({COPY}),
    )


def softmax_case(m: int, n: int) -> DeviceComparison:
    """A tile is a row."""
    sets = make_sets(m, n)
    first = sets[0]
    config = tune(
        triton_ops.SOFTMAX_CONFIGS, lambda c: partial(triton_ops.softmax, first.x, first.y, c)
    )
    return compare(
        sets,
        lambda s: softmax.launch(s.x, s.y),
        lambda s: torch_ops.expect_softmax(s.x),
        {"Triton": lambda s: triton_ops.softmax(s.x, s.y, config)},
    )


def layer_norm_case(m: int, n: int) -> DeviceComparison:
    """A tile is a row."""
    weight, bias = normal(n), normal(n)
    return compare(
        make_sets(m, n),
        lambda s: layer_norm.launch(s.x, weight, bias, s.y),
        lambda s: torch_ops.expect_layer_norm(s.x, weight, bias),
        {},
    )


def rms_norm_case(m: int, n: int) -> DeviceComparison:
    """A tile is a row, or half of a long one. The kernel loads rows twice."""
    weight = normal(n)
    columns = rms_norm_columns(n)
    return compare(
        make_sets(m, n),
        lambda s: rms_norm.launch(s.x, weight, s.y, columns=columns),
        lambda s: torch_ops.expect_rms_norm(s.x, weight),
        {},
    )


KERNELS = {"softmax": softmax_case, "layer norm": layer_norm_case, "RMS norm": rms_norm_case}


def cases(quick: bool) -> Iterator[Deferred]:
    """The three row kernels."""
    for m, n in ((1024, 8192),) if quick else SIZES:
        for name, make in KERNELS.items():
            yield Deferred(f"{name} bf16 {m}x{n}", partial(make, m, n))
