# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The jobs in NumPy, written as its users write them, and where it differs much also in place."""

from __future__ import annotations

import numpy as np


def softmax(x: np.ndarray) -> np.ndarray:
    """Softmax over the last axis."""
    weight = np.exp(x - x.max(axis=-1, keepdims=True))
    return weight / weight.sum(axis=-1, keepdims=True)


def softmax_in_place(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The same without temporaries of the size of x."""
    np.subtract(x, x.max(axis=-1, keepdims=True), out=y)
    np.exp(y, out=y)
    y /= y.sum(axis=-1, keepdims=True)
    return y


def layer_norm(
    x: np.ndarray, weight: np.ndarray, bias: np.ndarray, eps: float = 1e-5
) -> np.ndarray:
    """Layer norm over the last axis."""
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + np.float32(eps)) * weight + bias


def chain(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Eight elementwise operations."""
    return np.minimum(np.maximum((x * y + x) * 0.5 - y, -1.0), 1.0) * x + y


def chain_in_place(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
    """The same with one output array and no temporaries."""
    np.multiply(x, y, out=z)
    z += x
    z *= 0.5
    z -= y
    np.maximum(z, -1.0, out=z)
    np.minimum(z, 1.0, out=z)
    z *= x
    z += y
    return z
