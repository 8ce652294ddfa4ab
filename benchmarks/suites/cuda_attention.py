# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention forward in bf16, causal and not, against cuDNN and Triton."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any

from benchmarks.baselines import torch_ops, triton_ops
from benchmarks.harness.device import empty, normal, set_count, tune
from benchmarks.harness.model import Deferred, DeviceComparison
from benchmarks.tiles import attention_tile
from tests.kernels import attention

TOKENS = 16384  # of a batch, whatever the length of its sequences
WIDTH = 2048  # heads times their size


def compare(d: int, length: int, causal: bool) -> DeviceComparison:
    """A batch of sequences of some length, with heads of size d."""
    heads = TOKENS // length * (WIDTH // d)
    tile = attention_tile(d, length)
    sets = [
        SimpleNamespace(
            q=normal(heads, length, d),
            k=normal(heads, length, d),
            v=normal(heads, length, d),
            o=empty(heads, length, d),
        )
        for _ in range(set_count(8 * heads * length * d))
    ]

    def in_triton(s: SimpleNamespace, config: triton_ops.Config) -> Callable[[], Any]:
        return triton_ops.attention(s.q, s.k, s.v, s.o, causal, config)

    config = tune(triton_ops.ATTENTION_CONFIGS, partial(in_triton, sets[0]))
    for s in sets:
        s.triton = in_triton(s, config)
    return DeviceComparison(
        name=shown(d, length, causal),
        sets=sets,
        ours=lambda s: attention.launch(s.q, s.k, s.v, s.o, causal, tile=tile),
        baselines={
            "cuDNN": lambda s: torch_ops.attention(s.q, s.k, s.v, causal),
            "Triton": lambda s: s.triton(),
        },
        outputs=lambda s: (s.o,),
        reference=lambda s: torch_ops.expect_attention(s.q, s.k, s.v, causal),
        work=4.0 * heads * length**2 * d * (0.5 if causal else 1.0),
        unit="TFLOP/s",
        goals={"cuDNN": 0.75, "Triton": 1.0},
    )


def shown(d: int, length: int, causal: bool) -> str:
    """As tables show it."""
    return f"head {d}, {length} keys{', causal' if causal else ''}"


def cases(quick: bool) -> Iterator[Deferred]:
    """Heads of 64 and 128; 1k, 4k and 16k keys."""
    for d in (64, 128):
        for length in (1024,) if quick else (1024, 4096, 16384):
            for causal in (False, True):
                yield Deferred(shown(d, length, causal), partial(compare, d, length, causal))
