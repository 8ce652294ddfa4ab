#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Figures of a kernel's assembly for an AMD GPU: what its main loop holds, and what it spills.

    tegula compile FILE::KERNEL --target gfx942 --emit amdgcn -o kernel.s
    tools/amdgcn_report.py kernel.s [MORE.s ...]

Any assembly with LLVM's metadata is read, so that other compilers' code can be put beside. The main
loop is the innermost loop with the most matrix instructions, or, without any, with the most
accesses to memory.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

_LABEL = re.compile(r"^([.\w$]+):")
_BRANCH = re.compile(r"^\s+s_c?branch\w*\s+([.\w$]+)")
_MATRIX = re.compile(r"v_(mfma|smfmac|wmma|swmmac)_")
_MEMORY = re.compile(r"(global|buffer|flat|ds|scratch)_(load|store|read|write)\w*")
_WIDTHS = {"dword": 4, "dwordx2": 8, "dwordx3": 12, "dwordx4": 16, "ushort": 2, "ubyte": 1}
_DRAIN = re.compile(r"(s_waitcnt\b.*vmcnt\(0\))|(s_wait_loadcnt\w* 0x0\b)")


@dataclass
class Loop:
    """Instructions between a label and the branch back to it."""

    lines: list[str]
    matrix: int = 0
    accesses: Counter[str] = field(default_factory=Counter)
    drains: int = 0

    def __post_init__(self) -> None:
        for line in self.lines:
            self.matrix += bool(_MATRIX.search(line))
            self.drains += bool(_DRAIN.search(line))
            if match := _MEMORY.search(line):
                self.accesses[f"{match.group(1)} {match.group(2)} {width(match.group(0))} B"] += 1


def width(name: str) -> int:
    """Bytes that one lane moves: 16 for `ds_read_b128` and `global_load_dwordx4`."""
    if match := re.search(r"_[bui](\d+)$", name):
        pair = 2 if re.search(r"(read|write|load|store)2", name) else 1
        return pair * int(match.group(1)) // 8
    kind = name.rsplit("_", 1)[-1]
    return next((n for key, n in _WIDTHS.items() if kind == key), 1)


def instructions(text: str) -> list[str]:
    """The lines of the code that are labels or instructions, without comments."""
    lines = (re.split(r";|//", line)[0].rstrip() for line in text.splitlines())
    code = [line for line in lines if line.strip()]
    return [line for line in code if _LABEL.match(line) or re.match(r"^\s+[a-z]\w*_", line)]


def loops(lines: list[str]) -> list[Loop]:
    """Innermost loops."""
    places = {m.group(1): i for i, line in enumerate(lines) if (m := _LABEL.match(line))}
    spans = []
    for i, line in enumerate(lines):
        branch = _BRANCH.match(line)
        if branch and places.get(branch.group(1), i) < i:
            spans.append((places[branch.group(1)], i + 1))
    inner = [a for a in spans if not any(a != b and a[0] <= b[0] and b[1] <= a[1] for b in spans)]
    code = ([x for x in lines[low:high] if not _LABEL.match(x)] for low, high in inner)
    return [Loop(body) for body in code]


def metadata(text: str, key: str) -> str:
    """A number of the kernel's metadata, or "?"."""
    match = re.search(rf"\.{key}:\s*(\d+)", text)
    return match.group(1) if match else "?"


def report(path: Path) -> None:
    """Print the figures of one file."""
    text = path.read_text()
    lines = instructions(text)
    total = sum(not _LABEL.match(line) for line in lines)
    print(f"{path}: {total} instructions")
    for key in ("vgpr_count", "agpr_count", "sgpr_count", "vgpr_spill_count", "sgpr_spill_count"):
        print(f"  {key.replace('_', ' '):28}{metadata(text, key)}")
    print(f"  {'scratch bytes':28}{metadata(text, 'private_segment_fixed_size')}")
    print(f"  {'shared bytes':28}{metadata(text, 'group_segment_fixed_size')}")
    found = max(loops(lines), key=lambda x: (x.matrix, x.accesses.total()), default=None)
    if found is None:
        print("  no loop")
        return
    print(f"  {'main loop: instructions':28}{len(found.lines)}")
    print(f"  {'  matrix instructions':28}{found.matrix}")
    if found.matrix:
        print(f"  {'  instructions for each':28}{len(found.lines) / found.matrix:.2f}")
    print(f"  {'  full drains of loads':28}{found.drains}")
    for name, count in sorted(found.accesses.items()):
        print(f"    {name:26}{count}")


def main() -> None:
    """Report on each file that is named."""
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for name in sys.argv[1:]:
        report(Path(name))


if __name__ == "__main__":
    main()
