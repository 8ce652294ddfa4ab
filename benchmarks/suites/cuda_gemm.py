# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bf16 and fp8 GEMM, and 40 shapes of transformers, against cuBLAS and Triton."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import tegula as tg
from benchmarks.baselines import torch_ops, triton_ops
from benchmarks.harness.device import empty, normal, set_count, tune
from benchmarks.harness.model import Deferred, DeviceCall, DeviceComparison
from benchmarks.suites._transformers import SHAPES
from benchmarks.tiles import gemm_tile
from tests.kernels import gemm

torch: Any = import_module("torch")

SQUARES = {2048: 0.8, 4096: 0.9, 8192: 0.9}  # size to goal
CUBLAS = "cuBLAS"
OLDER = "sm_80"  # its code runs on newer processors too


def make_sets(m: int, n: int, k: int, dtype: Any, is_linear: bool) -> list[SimpleNamespace]:
    """Operands and result; b is (n, k) in memory if it is the weight of a linear layer."""
    itemsize = torch.empty((), dtype=dtype).element_size()
    sets: list[SimpleNamespace] = []
    for _ in range(set_count(itemsize * (m * k + k * n) + 2 * m * n)):
        b = normal(n, k, dtype=dtype).t() if is_linear else normal(k, n, dtype=dtype)
        sets.append(SimpleNamespace(a=normal(m, k, dtype=dtype), b=b, c=empty(m, n)))
    return sets


def compare(
    sets: list[SimpleNamespace],
    goal: float,
    *,
    scope: Callable[[], AbstractContextManager[Any]] = nullcontext,
    baselines: Mapping[str, DeviceCall] | None = None,
    roundings: float = 1.0,
    rounds: int = 11,
) -> DeviceComparison:
    """Our product in a scope against cuBLAS and maybe others."""
    a, b = sets[0].a, sets[0].b
    (m, k), n = a.shape, b.shape[1]
    tile = gemm_tile(m, n, a.element_size())

    def ours(s: SimpleNamespace) -> Any:
        with scope():
            return gemm.launch(s.a, s.b, s.c, tile=tile)

    return DeviceComparison(
        name=shown(m, n, k),
        sets=sets,
        ours=ours,
        baselines=baselines or {CUBLAS: lambda s: torch_ops.matmul(s.a, s.b, s.c)},
        outputs=lambda s: (s.c,),
        reference=lambda s: torch_ops.expect_product(s.a, s.b),
        work=2.0 * m * n * k,
        unit="TFLOP/s",
        goals={CUBLAS: goal},
        roundings=roundings,
        rounds=rounds,
    )


def shown(m: int, n: int, k: int) -> str:
    """As tables show it."""
    return f"{m}x{n}x{k}"


def square(n: int, goal: float) -> DeviceComparison:
    """Square matrices in row-major order, also in Triton with its fastest configuration."""
    sets = make_sets(n, n, n, torch.bfloat16, is_linear=False)
    first = sets[0]
    config = tune(triton_ops.GEMM_CONFIGS, partial(triton_ops.gemm, first.a, first.b, first.c))
    for s in sets:
        s.triton = triton_ops.gemm(s.a, s.b, s.c, config)
    baselines: dict[str, DeviceCall] = {
        CUBLAS: lambda s: torch_ops.matmul(s.a, s.b, s.c),
        "Triton": lambda s: s.triton(),
    }
    return compare(sets, goal, baselines=baselines)


def older(n: int) -> DeviceComparison:
    """Our code for an older architecture, on this one, against cuBLAS's for this one."""
    sets = make_sets(n, n, n, torch.bfloat16, is_linear=False)
    return compare(sets, 0.45, scope=lambda: tg.target(OLDER))


def float8(n: int) -> DeviceComparison:
    """Square float8 matrices, b in column-major order, which cuBLAS demands."""
    sets = make_sets(n, n, n, torch.float8_e4m3fn, is_linear=True)
    one = torch.ones((), device="cuda")
    baselines: dict[str, DeviceCall] = {
        CUBLAS: lambda s: torch_ops.scaled_matmul(s.a, s.b, s.c, one)
    }
    return compare(sets, 0.8, baselines=baselines, roundings=4.0)


def linear(m: int, n: int, k: int) -> DeviceComparison:
    """A linear layer."""
    return compare(make_sets(m, n, k, torch.bfloat16, is_linear=True), 0.6, rounds=7)


def cases(quick: bool) -> Iterator[Deferred]:
    """Squares, older code, float8, then linear layers."""
    for n, goal in ((2048, 0.8),) if quick else SQUARES.items():
        yield Deferred(f"bf16 {shown(n, n, n)}", partial(square, n, goal))
    n = 2048 if quick else 4096
    yield Deferred(f"bf16 {shown(n, n, n)}, {OLDER} code", partial(older, n))
    yield Deferred(f"fp8 e4m3 {shown(n, n, n)}", partial(float8, n))
    for shape in SHAPES[-6:-2] if quick else SHAPES:
        yield Deferred(f"bf16 linear {shown(*shape)}", partial(linear, *shape))
