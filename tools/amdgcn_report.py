#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Figures of a kernel's assembly for an AMD GPU: what its main loop holds, and what it spills.

    tegula compile FILE::KERNEL --target gfx942 --emit amdgcn -o kernel.s
    tools/amdgcn_report.py kernel.s [MORE.s ...]
    tools/amdgcn_report.py kernel.s --beside other.amdgcn
    tegula compile FILE::KERNEL --target gfx942 --emit layouts -o kernel.mlir
    tools/amdgcn_report.py kernel.s --layouts kernel.mlir

Any assembly with LLVM's metadata is read, so that `--beside` can put another compiler's code of the
same kernel in a second column, such as the `.amdgcn` that Triton keeps in its cache. The status is
then 1 if the first spends more instructions of its main loop on a matrix instruction. The main loop
is the one with the most matrix instructions, or, without any, with the most accesses to memory; its
longest trip is counted, so that the figures are bounds from above where a trip has alternatives. Of
loops with as many matrix instructions, as the first and the last iterations of a split loop have,
the shortest is it, and the longest is shown below it.
With the kernel's layouts its accesses to shared memory are counted by the layout model as well
(`tools/lds_conflicts.py`); the status is 1 if lanes conflict.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import lds_conflicts

_LABEL = re.compile(r"^([.\w$]+):")
_BRANCH = re.compile(r"^\s+s_c?branch\w*\s+([.\w$]+)")
_ENDS = re.compile(r"^\s+(s_c?branch|s_endpgm|s_setpc)")
_MATRIX = re.compile(r"v_(mfma|smfmac|wmma|swmmac)_")
_MEMORY = re.compile(r"(global|buffer|flat|ds|scratch)_(load|store|read|write)\w*")
_WIDTHS = {"dword": 4, "dwordx2": 8, "dwordx3": 12, "dwordx4": 16, "ushort": 2, "ubyte": 1}
_RATIO = "  instructions for each"
_DRAIN = re.compile(r"(s_waitcnt\b.*vmcnt\(0\))|(s_wait_loadcnt\w* 0x0\b)")


@dataclass
class Loop:
    """The instructions of one trip."""

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
    name = re.sub(r"_tr_b\d+$", "", name)
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
    """For each target of a branch back the trip from it to itself that does the most.

    That is the one with the most matrix instructions, then the most accesses to memory, then the
    fewest others. Branches around code without active lanes count as not taken. Where LLVM has
    joined two alternatives by flags, both are counted: the figures are bounds from above.
    """
    blocks = _blocks(lines)
    found: list[Loop] = []
    for header in sorted({to for at, block in blocks.items() for to in block.next if to <= at}):
        trip = _trip(blocks, header, header, {}, set())
        if trip is not None:
            code = [line for at in trip for line in blocks[at].lines]
            found.append(Loop([line for line in code if not _LABEL.match(line)]))
    return found


@dataclass
class _Block:
    """Lines without branches in between, and where the blocks begin that may come after."""

    lines: list[str]
    next: list[int] = field(default_factory=list[int])


def _blocks(lines: list[str]) -> dict[int, _Block]:
    places = {m.group(1): i for i, line in enumerate(lines) if (m := _LABEL.match(line))}
    ends = [i + 1 for i, line in enumerate(lines) if _ENDS.match(line)]
    starts = sorted({0, *places.values(), *ends} - {len(lines)})
    blocks: dict[int, _Block] = {}
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        block = blocks[start] = _Block(lines[start:end])
        last = block.lines[-1]
        branch = _BRANCH.match(last)
        if branch and "execz" not in last and branch.group(1) in places:
            block.next.append(places[branch.group(1)])
        if "s_endpgm" not in last and not last.strip().startswith("s_branch"):
            block.next.append(end)
    for block in blocks.values():
        block.next = [to for to in block.next if to in blocks]
    return blocks


def _trip(
    blocks: dict[int, _Block],
    at: int,
    header: int,
    known: dict[int, list[int] | None],
    active: set[int],
) -> list[int] | None:
    """The best way from `at` back to `header`, as blocks; None if there is none."""
    if at in known:
        return known[at]
    best: list[int] | None = None
    active.add(at)
    for to in blocks[at].next:
        rest = [] if to == header else None
        if to != header and to not in active:
            rest = _trip(blocks, to, header, known, active)
        if rest is not None:
            way = [at, *rest]
            best = way if best is None else min(best, way, key=lambda x: _weight(blocks, x))
    active.remove(at)
    known[at] = best
    return best


def _weight(blocks: dict[int, _Block], way: list[int]) -> tuple[int, int, int]:
    code = [line for at in way for line in blocks[at].lines]
    matrix, memory = (sum(bool(x.search(line)) for line in code) for x in (_MATRIX, _MEMORY))
    return -matrix, -memory, len(code)


def metadata(text: str, key: str) -> str:
    """A number of the kernel's metadata, or "?"."""
    match = re.search(rf"\.{key}:\s*(\d+)", text)
    return match.group(1) if match else "?"


def figures(path: Path) -> dict[str, str]:
    """What is worth knowing of one file, by what it is."""
    text = path.read_text()
    lines = instructions(text)
    found = {"instructions": str(sum(not _LABEL.match(line) for line in lines))}
    for key in ("vgpr_count", "agpr_count", "sgpr_count", "vgpr_spill_count", "sgpr_spill_count"):
        found[key.replace("_", " ")] = metadata(text, key)
    found["scratch bytes"] = metadata(text, "private_segment_fixed_size")
    found["shared bytes"] = metadata(text, "group_segment_fixed_size")
    all_loops = loops(lines)
    if not all_loops:
        return found
    most = max(x.matrix for x in all_loops)
    alike = [x for x in all_loops if most and x.matrix == most]
    # Of equally long ones, the trip that does more.
    loop = min(alike, key=lambda x: (len(x.lines), -x.accesses.total()), default=None)
    if loop is None:
        loop = max(all_loops, key=lambda x: x.accesses.total())
    found["main loop: instructions"] = str(len(loop.lines))
    found["  matrix instructions"] = str(loop.matrix)
    if loop.matrix:
        found[_RATIO] = f"{len(loop.lines) / loop.matrix:.2f}"
    if len(alike) > 1:
        longest = max(len(x.lines) for x in alike)
        found["  in the longest such loop"] = f"{longest / loop.matrix:.2f}"
    found["  full drains of loads"] = str(loop.drains)
    for name, count in sorted(loop.accesses.items()):
        found[f"    {name}"] = str(count)
    return found


def report_shared(path: Path) -> bool:
    """Print how a kernel goes through shared memory; whether no lanes conflict."""
    found = lds_conflicts.accesses(path)
    for access, times in Counter(found).items():
        kind = f"{access.kind}, transposing" if access.is_transposed else access.kind
        size = f"{access.count} x {access.bytes} B"
        print(f"  shared memory, {kind}: {size}, {access.conflicts} conflicts, {times} times")
    return not any(access.conflicts for access in found)


def report(paths: list[Path]) -> list[dict[str, str]]:
    """Print the figures of files side by side."""
    columns = [figures(path) for path in paths]
    names = sorted({name for column in columns for name in column}, key=_place(columns))
    for path in paths:
        print(path)
    for name in names:
        values = "".join(f"{column.get(name, '-'):>12}" for column in columns)
        print(f"  {name:28}{values}")
    return columns


def _place(columns: list[dict[str, str]]) -> Callable[[str], tuple[bool, float, str]]:
    """Order of names: as they are made, accesses to memory last and by name."""
    order = {name: place for column in columns for place, name in enumerate(column)}

    def key(name: str) -> tuple[bool, float, str]:
        is_access = name.startswith("    ")
        return is_access, 0 if is_access else order[name], name

    return key


def main() -> None:
    """Report on each file that is named."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=Path, help="assembly of one kernel")
    parser.add_argument("--beside", type=Path, help="another compiler's assembly of the kernel")
    parser.add_argument("--layouts", type=Path, help="the kernel's tiles with layouts")
    options = parser.parse_args()
    if (options.beside or options.layouts) and len(options.files) != 1:
        parser.error("--beside and --layouts go with one file")
    is_worse = False
    if options.beside is None:
        for path in options.files:
            report([path])
    else:
        ours, other = report([options.files[0], options.beside])
        is_worse = float(ours.get(_RATIO, 0)) > float(other.get(_RATIO, "inf"))
    if options.layouts is not None:
        is_worse |= not report_shared(options.layouts)
    sys.exit(is_worse)


if __name__ == "__main__":
    main()
