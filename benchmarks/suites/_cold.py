# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles and runs a few kernels for the first time, on a GPU, in a process of its own.

Prints seconds of each first call. The very first one also pays for what a process sets up once.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

torch: Any = import_module("torch")


def seconds(call: Callable[[], object]) -> float:
    """How long a call and its kernel take."""
    torch.cuda.synchronize()
    start = time.perf_counter()
    call()
    torch.cuda.synchronize()
    return time.perf_counter() - start


def make(*shape: int, dtype: Any = None) -> Any:
    """An array of ones, bfloat16 if nothing else is said."""
    return torch.ones(shape, device="cuda", dtype=dtype or torch.bfloat16)


def arguments() -> list[Any]:
    """Arrays for two additions, a product and attention."""
    integers = [make(4096, dtype=torch.int32) for _ in "xyz"]
    floats = [make(4096, dtype=torch.float32) for _ in "xyz"]
    return [
        integers,
        floats,
        [make(1024, 1024) for _ in "abc"],
        [make(4, 1024, 128) for _ in "qkvo"],
    ]


def tegula_calls() -> dict[str, Callable[[], object]]:
    """First calls of Tegula's kernels."""
    from tests.kernels import attention, gemm, vector_add

    integers, floats, matrices, heads = arguments()
    return {
        "first": lambda: vector_add.launch(*integers),
        "vector add": lambda: vector_add.launch(*floats),
        "GEMM": lambda: gemm.launch(*matrices, tile=(128, 256, 64)),
        "attention": lambda: attention.launch(*heads, causal=True, tile=(128, 128)),
    }


def triton_calls() -> dict[str, Callable[[], object]]:
    """The same of Triton's."""
    from benchmarks.baselines import triton_ops

    integers, floats, matrices, heads = arguments()
    product = triton_ops.Config((128, 256, 64), warps=8, persistent=True)
    attention = triton_ops.Config((128, 64), warps=8)
    return {
        "first": lambda: triton_ops.add(*integers),
        "vector add": lambda: triton_ops.add(*floats),
        "GEMM": lambda: triton_ops.gemm(*matrices, config=product)(),
        "attention": lambda: triton_ops.attention(*heads, causal=True, config=attention)(),
    }


if __name__ == "__main__":
    calls = {"tegula": tegula_calls, "triton": triton_calls}[sys.argv[1]]()
    print(json.dumps({name: seconds(call) for name, call in calls.items()}))
