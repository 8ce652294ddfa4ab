#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Write the `tile` IR of every kernel in tests/kernels to tests/pipelines/kernels/*.mlir.

Run it from the repository's root after a change of the tracer or of a kernel, and read the diff:

    python -m tests.pipelines.regenerate

The files are inputs of the lit suite, which lowers each by the CPU pipeline without Python.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tests._support.arrays import make_block, numpy_dtype
from tests.kernels import (
    attention,
    batched_gemm,
    dropout,
    embedding,
    gemm,
    histogram,
    layer_norm,
    prefix_sum,
    rms_norm,
    softmax,
    transpose,
    vector_add,
)

FOLDER = Path(__file__).resolve().parent / "kernels"

HEADER = """\
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by tests/pipelines/regenerate.py.
// RUN: tegula-opt %s --tegula-cpu-pipeline \\
// RUN:   | FileCheck %s --implicit-check-not='{{(^|[ "])(ABOVE)[.]}}'

// CHECK: llvm.func @NAME.entry(%{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: i64, %{{[^:]*}}: i64, \
%{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: !llvm.ptr)

"""

ABOVE = "affine|arith|bufferization|builtin|cf|func|linalg|math|memref|scf|tensor|tile|vector"
"""Dialects of which nothing is left at the end of the pipeline."""


def array(shape: tuple[int, ...] | int, dtype: str = "float32", layout: str = "aligned") -> Any:
    """An array whose alignment is the same on every machine."""
    shape = (shape,) if isinstance(shape, int) else shape
    return make_block(shape, numpy_dtype(dtype), layout, 0).array


def specializations() -> Iterator[tuple[str, Any, tuple[Any, ...], dict[str, Any]]]:
    """File name, kernel, arguments and constants."""
    heads = [array((2, 40, 16), "float16") for _ in "qkvo"]
    tile = {"CAUSAL": True, "BM": 16, "BN": 32, "D": 16}
    yield "attention", attention.attention, (*heads, 0.25), {**tile, "CAUSAL": False}
    yield "attention-causal", attention.attention, (*heads, 0.25), tile
    three = {"BM": 16, "BN": 32, "BK": 8}
    stack = [array((3, 40, 40)) for _ in "abc"]
    yield "batched-gemm", batched_gemm.batched_gemm, (*stack,), three
    yield "dropout", dropout.dropout, (array(100), array(100), np.uint64(1), 0.5), {"BLOCK": 32}
    yield "random-words", dropout.random_words, (array((99, 4), "uint32"), 7), {"BLOCK": 32}
    table, out = array((50, 100), "bfloat16"), array((9, 100), "bfloat16")
    yield (
        "embedding",
        embedding.embedding,
        (array(9, "int32"), table, out),
        {
            "ROWS": 4,
            "COLUMNS": 32,
        },
    )
    a, b, c = (array((40, 40)) for _ in "abc")
    yield "gemm", gemm.gemm, (a, b, c), three
    yield "gemm-float64", gemm.gemm, (*[array((40, 40), "float64") for _ in "abc"],), three
    transposed = array((40, 40), "bfloat16", "transposed")
    half = array((40, 40), "bfloat16")
    yield "gemm-of-strided-arrays", gemm.gemm, (transposed, half, c), three
    yield "gemm-bias-gelu", gemm.gemm_bias_gelu, (a, b, array(40), c), three
    counts = array(17, "int32")
    yield "histogram", histogram.histogram, (array(100, "uint8"), counts), {"BLOCK": 32}
    yield "histogram-float", histogram.histogram, (array(100, "int8"), array(17)), {"BLOCK": 32}
    rows, row = array((9, 100)), array(100)
    yield (
        "layer-norm",
        layer_norm.layer_norm,
        (rows, row, row, array((9, 100)), 1e-5),
        {
            "ROWS": 2,
            "COLUMNS": 128,
        },
    )
    yield from scans()
    yield "rms-norm", rms_norm.rms_norm, (rows, row, array((9, 100)), 1e-6), {"COLUMNS": 32}
    yield "softmax", softmax.softmax, (rows, array((9, 100))), {"ROWS": 4, "COLUMNS": 128}
    yield "softmax-in-place", softmax.softmax, (rows, rows), {"ROWS": 4, "COLUMNS": 128}
    yield "softmax-online", softmax.softmax_online, (rows, array((9, 100))), {"COLUMNS": 32}
    flags = array((9, 100), "bool"), array((100, 9), "bool")
    yield "transpose", transpose.transpose, flags, {"BM": 4, "BN": 32}
    for dtype in ("float32", "float16", "uint8", "float8_e4m3fn"):
        vectors = tuple(array(100, dtype) for _ in "xyz")
        name = f"vector-add-{dtype.replace('_', '-')}"
        yield name, vector_add.vector_add, vectors, {"BLOCK": 32}
    mixed = array(100), array(100, "float16", "reversed"), array(100, "float32", "strided")
    yield "vector-add-of-strided-arrays", vector_add.vector_add, mixed, {"BLOCK": 32}


def scans() -> Iterator[tuple[str, Any, tuple[Any, ...], dict[str, Any]]]:
    """The kernels of prefix_sum.py."""
    rows, block = {"REVERSE": False, "COLUMNS": 128}, {"BLOCK": 32}
    x, y = array((9, 100), "int32"), array((9, 100), "int64")
    yield "scan-rows", prefix_sum.scan_rows, (x, y), rows
    yield "scan-rows-reverse", prefix_sum.scan_rows, (x, y), {**rows, "REVERSE": True}
    line, totals, offsets = (array(n) for n in (100, 4, 4))
    yield "block-totals", prefix_sum.block_totals, (line, totals), block
    yield "exclusive-scan", prefix_sum.exclusive_scan, (totals, offsets), block
    yield "scan-blocks", prefix_sum.scan_blocks, (line, offsets, array(100)), block
    pair = [array((9, 100)) for _ in "abh"]
    yield "recurrence", prefix_sum.recurrence, (*pair,), {"COLUMNS": 128}


def main() -> None:
    """Replace the folder's files."""
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.mlir"):
        old.unlink()
    for file, kernel, arguments, constants in specializations():
        name = kernel.function.__name__
        text = kernel.specialize(*arguments, **constants).ir("tile")
        header = HEADER.replace("NAME", name).replace("ABOVE", ABOVE)
        (FOLDER / f"{file}.mlir").write_text(header + text.strip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
