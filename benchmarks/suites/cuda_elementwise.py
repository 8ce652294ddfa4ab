# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Vector addition and a chain of eight operations against a device copy of as many bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from benchmarks import kernels
from benchmarks.baselines import torch_ops
from benchmarks.harness.device import empty, normal, set_count
from benchmarks.harness.model import Deferred, DeviceCall, DeviceComparison, Expected
from benchmarks.tiles import ELEMENTWISE_BLOCK
from tests.kernels import vector_add

torch: Any = import_module("torch")

GOAL = 0.98
COPY = "device copy"
BYTES = 3 * 2**29  # of two inputs and one output
CHAIN_ROUNDINGS = 12.0  # of eight operations


def make_sets(size: int, dtype: Any) -> list[SimpleNamespace]:
    """Two inputs, an output, and for the copy two arrays of half as many bytes each in all."""
    sets: list[SimpleNamespace] = []
    for _ in range(set_count(size)):
        n = size // 3 // torch.empty((), dtype=dtype).element_size()
        x, y, z = normal(n, dtype=dtype), normal(n, dtype=dtype), empty(n, dtype=dtype)
        source, target = normal(n * 3 // 2, dtype=dtype), empty(n * 3 // 2, dtype=dtype)
        sets.append(SimpleNamespace(x=x, y=y, z=z, source=source, target=target))
    return sets


def compare(
    sets: list[SimpleNamespace],
    ours: DeviceCall,
    reference: Callable[[SimpleNamespace], Expected],
    roundings: float,
) -> DeviceComparison:
    """A job that reads two vectors and writes one."""
    z = sets[0].z
    return DeviceComparison(
        name=f"{z.shape[0]}",
        sets=sets,
        ours=ours,
        baselines={COPY: lambda s: s.target.copy_(s.source)},
        outputs=lambda s: (s.z,),
        reference=reference,
        work=3.0 * z.nbytes,
        unit="GB/s",
        goals={COPY: GOAL},
        roundings=roundings,
        unchecked=frozenset({COPY}),
    )


def add_case(size: int, dtype: Any) -> DeviceComparison:
    """One operation."""
    return compare(
        make_sets(size, dtype),
        lambda s: vector_add.launch(s.x, s.y, s.z, block=ELEMENTWISE_BLOCK),
        lambda s: Expected(s.x.double() + s.y.double()),
        2.0,
    )


def chain_case(size: int, dtype: Any) -> DeviceComparison:
    """Eight operations, each rounded to the dtype."""
    return compare(
        make_sets(size, dtype),
        lambda s: kernels.launch_chain(s.x, s.y, s.z, block=ELEMENTWISE_BLOCK),
        lambda s: torch_ops.expect_chain(s.x, s.y),
        CHAIN_ROUNDINGS,
    )


def cases(quick: bool) -> Iterator[Deferred]:
    """Vectors far larger than any cache, in fp32 and bf16."""
    size = BYTES // 16 if quick else BYTES
    for dtype in (torch.float32, torch.bfloat16):
        name = f"{str(dtype).removeprefix('torch.')}, {size >> 20} MiB"
        yield Deferred(f"vector add {name}", partial(add_case, size, dtype))
        yield Deferred(f"8 operations {name}", partial(chain_case, size, dtype))
