# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the layouts of a kernel say of its accesses to shared memory on an AMD GPU.

The model: memory serves every bank of 4 bytes once a cycle, and one access of a wave takes as many
lanes a cycle as fill the banks. Lanes that need two words of one bank in the same cycle conflict.
Everything is counted access by access, so that it checks the algebra that chose the buffers.
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

Vector = tuple[int, ...]

_LAYOUT = re.compile(r"^(#\w+) = #layout\.linear<(.*)>$", re.MULTILINE)
_BASES = re.compile(r"(register|lane|warp|offset) = \[((?:\[[-\d, ]*\](?:, )?)*)\]")
_TENSOR = r"tensor<(?:\d+x)+([a-zA-Z]\w*), (#\w+)>"
_WRITE = re.compile(rf"simt\.write .* : {_TENSOR}, !simt\.buffer<{_TENSOR}>")
_READ = re.compile(rf"simt\.read .* : !simt\.buffer<{_TENSOR}> -> {_TENSOR}")
_ARCH = re.compile(r'tegula\.arch = "(\w+)"')
_MOST_BYTES = 16
_EXCHANGE = 4  # log2 of the lanes that a transposing read exchanges among


@dataclass(frozen=True)
class Access:
    """How one operation of a kernel goes through a buffer.

    Attributes:
        kind: "read" or "write".
        bytes: that a lane moves at once.
        count: of a lane's accesses.
        conflicts: additional cycles of the worst access.
        is_transposed: whether lanes exchange what they read.
    """

    kind: str
    bytes: int
    count: int
    conflicts: int
    is_transposed: bool


@dataclass
class _Layout:
    bases: dict[str, list[Vector]]

    def flat(self) -> dict[Vector, int]:
        """Of a buffer: the offset of each element."""
        return {
            _sum(self.bases["offset"], number): number
            for number in range(1 << len(self.bases["offset"]))
        }


def _sum(bases: list[Vector], number: int) -> Vector:
    result = [0] * (len(bases[0]) if bases else 0)
    for bit, basis in enumerate(bases):
        if number >> bit & 1:
            result = [x ^ y for x, y in zip(result, basis, strict=True)]
    return tuple(result)


def _layouts(text: str) -> dict[str, _Layout]:
    found: dict[str, _Layout] = {}
    for name, body in _LAYOUT.findall(text):
        bases = {
            kind: [
                tuple(map(int, item.split(","))) for item in re.findall(r"\[([-\d, ]+)\]", items)
            ]
            for kind, items in _BASES.findall(body)
        }
        found[name] = _Layout(bases)
    return found


def _bits(element: str) -> int:
    match = re.search(r"\d+", element)
    return max(8, int(match.group())) if match else 8


def _offsets(threads: _Layout, buffer: _Layout) -> dict[str, list[int]]:
    """The place of each basis of the threads in the buffer; both are linear."""
    places = buffer.flat()
    return {
        kind: [places[basis] for basis in threads.bases[kind]]
        for kind in ("register", "lane", "warp")
    }


def _exchanged(offsets: dict[str, list[int]], size: int) -> dict[str, list[int]] | None:
    """What lanes name where a read transposes, or None if none can."""
    bits = (8 // size).bit_length() - 1
    lanes, registers = offsets["lane"], offsets["register"]
    if size > 2 or len(registers) < bits or lanes[:bits] != [1 << bit for bit in range(bits)]:
        return None
    others = lanes[bits:] + registers + offsets["warp"]
    if any(place & ((1 << bits) - 1) for place in others):
        return None
    return {
        "register": lanes[:bits] + registers[bits:],
        "lane": lanes[bits:_EXCHANGE] + registers[:bits] + lanes[_EXCHANGE:],
        "warp": offsets["warp"],
    }


def _span(numbers: list[int]) -> set[int]:
    span = {0}
    for number in numbers:
        span |= {x ^ number for x in span}
    return span


def _vector_bits(offsets: dict[str, list[int]], size: int) -> int:
    reached, bits = _span(offsets["register"]), 0
    threads = offsets["lane"] + offsets["warp"]
    while (
        size << bits + 1 <= _MOST_BYTES
        and 1 << bits in reached
        and not any(place >> bits & 1 for place in threads)
    ):
        bits += 1
    return bits


def _conflicts(offsets: dict[str, list[int]], vector: int, size: int, banks: int) -> int:
    lanes = [0]
    for place in offsets["lane"]:
        lanes += [x ^ place for x in lanes]
    group = max(1, min(len(lanes), banks * 4 // max(4, size << vector)))
    starts = {place >> vector << vector for place in _span(offsets["register"])}
    worst = 1
    for start, warp in itertools.product(starts, _span(offsets["warp"])):
        for first in range(0, len(lanes), group):
            words: defaultdict[int, set[int]] = defaultdict(set)
            for lane in lanes[first : first + group]:
                place = (start ^ warp ^ lane) * size
                for word in range(place // 4, (place + (size << vector) + 3) // 4):
                    words[word % banks].add(word)
            worst = max(worst, *map(len, words.values()))
    return worst - 1


def accesses(path: Path) -> list[Access]:
    """The accesses to rings in a kernel's tiles with layouts (`--emit layouts`)."""
    text = path.read_text()
    arch = _ARCH.search(text)
    name = arch.group(1) if arch else ""
    banks = 64 if name == "gfx950" else 32
    known = _layouts(text)
    found: list[Access] = []
    for line in text.splitlines():
        if match := _WRITE.search(line):
            kind, element, threads, buffer = "write", match[1], match[2], match[4]
        elif match := _READ.search(line):
            kind, element, threads, buffer = "read", match[1], match[4], match[2]
        else:
            continue
        size = _bits(element) // 8
        offsets = _offsets(known[threads], known[buffer])
        exchanged = _exchanged(offsets, size) if kind == "read" and name == "gfx950" else None
        used = exchanged or offsets
        vector = (8 // size).bit_length() - 1 if exchanged else _vector_bits(used, size)
        count = len(_span(used["register"])) >> vector
        conflicts = _conflicts(used, vector, size, banks)
        found.append(Access(kind, size << vector, count, conflicts, exchanged is not None))
    return found
