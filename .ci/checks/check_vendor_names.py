#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Common code names no vendor, no vendor's language and no vendor's instruction.

What differs between targets belongs to passes/targets/<name>, behind TargetInfo, or to
python/tegula/_runtime. Lines that register a target's passes are the exception.
"""

from __future__ import annotations

import re

from _common import ROOT, below, finish

COMMON = (
    "dialects",
    *(f"passes/{folder}" for folder in ("analysis", "tile", "lower", "opt")),
    *(f"python/tegula/{folder}" for folder in ("lang", "_trace", "_interpret")),
)
WORDS = (
    *(
        "nvidia",
        "cuda",
        "cublas",
        "cudnn",
        "cutlass",
        "ptx",
        "ptxas",
        "sass",
        "cubin",
        "nvvm",
        "nvgpu",
    ),
    *(
        "ampere",
        "hopper",
        "blackwell",
        "wgmma",
        "tcgen05",
        "ldmatrix",
        "mbarrier",
        "tma",
        r"sm_\d+a?",
    ),
    *(
        "amd",
        "amdgpu",
        "rocm",
        "rocdl",
        "hip",
        "hipblas",
        "hsaco",
        "mfma",
        "wmma",
        r"gfx\d+\w*",
        "cdna",
    ),
    *("rdna", "intel", "xpu", "avx", r"avx\d+", "neon", "sve", "apple", "metal", "qualcomm"),
)
# Words of code: `cudaLaunch` and `is_cuda` name a vendor, `relationship` and `command` do not.
PATTERN = re.compile(rf"(?<![a-zA-Z])(?i:{'|'.join(WORDS)})(?![a-z])")
REGISTRATION = re.compile(r'#include "passes/targets/|\b\w+::register\w+\(\w*\);')


def main() -> None:
    """Look through every line of common code."""
    problems: dict[str, str] = {}
    for folder in COMMON:
        for path in below(folder):
            for number, line in enumerate((ROOT / path).read_text().splitlines(), 1):
                found = PATTERN.search(line)
                registers = path.name == "Register.cpp" and REGISTRATION.search(line)
                if found and not registers:
                    subject = f"{path}:{found[0].lower()}"
                    problems[subject] = f"line {number}: {line.strip()}"
    finish("vendor-names", problems)


if __name__ == "__main__":
    main()
