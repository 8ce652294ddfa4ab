# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ready-made kernels, which `tegula demo` runs, as functions on arrays.

Each module holds kernels in the language that users write, a function that allocates the result and
chooses tile sizes, and the same computation in float64 with NumPy (`reference`).
"""

from tegula.ops.attention import attention
from tegula.ops.gemm import gemm_bias_gelu
from tegula.ops.layer_norm import layer_norm
from tegula.ops.softmax import softmax

__all__ = ["attention", "gemm_bias_gelu", "layer_norm", "softmax"]
