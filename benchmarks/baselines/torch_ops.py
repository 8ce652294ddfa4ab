# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The jobs in PyTorch, which calls NVIDIA's libraries, and the answers in float64."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from benchmarks.harness.model import Expected

torch: Any = import_module("torch")
attention_backends: Any = import_module("torch.nn.attention")

WHOLE_ATTENTION = 4096  # queries up to which all are checked, not a sample
SAMPLED_QUERIES = 256


def matmul(a: Any, b: Any, c: Any) -> Any:
    """Matrix product by cuBLAS."""
    return torch.matmul(a, b, out=c)


def scaled_matmul(a: Any, b: Any, c: Any, one: Any) -> Any:
    """Product of float8 matrices, b in column-major order, by cuBLAS with its fast accumulation."""
    return torch._scaled_mm(
        a, b, scale_a=one, scale_b=one, out_dtype=c.dtype, use_fast_accum=True, out=c
    )


def attention(q: Any, k: Any, v: Any, causal: bool) -> Any:
    """Attention of (heads, queries, d) by cuDNN."""
    with attention_backends.sdpa_kernel(attention_backends.SDPBackend.CUDNN_ATTENTION):
        found = torch.nn.functional.scaled_dot_product_attention(
            q[None], k[None], v[None], is_causal=causal
        )
    return found[0]


def expect_product(a: Any, b: Any) -> Expected:
    """The right product; a and b may have any dtype."""
    return Expected(a.double() @ b.double())


def expect_attention(q: Any, k: Any, v: Any, causal: bool) -> Expected:
    """The right answers for all queries, or for a sample of them from many."""
    heads, queries, d = q.shape
    if queries <= WHOLE_ATTENTION:
        picked = torch.arange(queries, device=q.device)
    else:
        picked = torch.randperm(queries, device=q.device)[:SAMPLED_QUERIES].sort().values
        picked[0], picked[-1] = 0, queries - 1
    hidden = torch.arange(queries, device=q.device)[None, :] > picked[:, None]
    found = torch.empty((heads, len(picked), d), device=q.device, dtype=torch.float64)
    for head in range(heads):
        score = q[head, picked].double() @ k[head].double().T / d**0.5
        if causal:
            score.masked_fill_(hidden, -torch.inf)
        found[head] = torch.softmax(score, dim=1) @ v[head].double()
    return Expected(found, lambda output: output[:, picked])


def expect_softmax(x: Any) -> Expected:
    """The right softmax of rows."""
    return Expected(torch.softmax(x.double(), dim=1))


def expect_layer_norm(x: Any, weight: Any, bias: Any, eps: float = 1e-5) -> Expected:
    """The right layer norm of rows."""
    shape = (x.shape[1],)
    layer_norm = torch.nn.functional.layer_norm
    return Expected(layer_norm(x.double(), shape, weight.double(), bias.double(), eps))


def expect_rms_norm(x: Any, weight: Any, eps: float = 1e-6) -> Expected:
    """The right RMS norm of rows."""
    x = x.double()
    scale = (x.square().mean(dim=1, keepdim=True) + eps).rsqrt()
    return Expected(x * scale * weight.double())


def expect_chain(x: Any, y: Any) -> Expected:
    """The right answer of the chain of eight operations."""
    x, y = x.double(), y.double()
    return Expected(((x * y + x) * 0.5 - y).clamp(-1.0, 1.0) * x + y)
