# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random layouts and kernels on tiles that have them, run in lockstep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tests._support.lockstep import Kernel
from tests._support.lockstep.values import DTYPES
from tests._support.opt import optimize


@dataclass(frozen=True)
class Layout:
    """Columns of each input as flat indices (row-major element numbers)."""

    shape: tuple[int, ...]
    registers: tuple[int, ...]
    lanes: tuple[int, ...]
    warps: tuple[int, ...]

    def _coordinates(self, flat: int) -> str:
        return str([int(n) for n in np.unravel_index(flat, self.shape)])

    def __str__(self) -> str:
        parts = {"register": self.registers, "lane": self.lanes, "warp": self.warps, "block": ()}
        texts = [
            f"{name} = [{', '.join(map(self._coordinates, columns))}]"
            for name, columns in parts.items()
        ]
        return f"#layout.linear<{', '.join(texts)}, shape = {list(self.shape)}>"

    def tile(self, element: str) -> str:
        """The MLIR type of a tile."""
        return f"tensor<{'x'.join(map(str, self.shape))}x{element}, {self}>"

    @property
    def num_registers(self) -> int:
        return 1 << len(self.registers)

    def move(self, shape: Sequence[int], transfer) -> Layout:
        """The layout with each column's flat index mapped into a tile of another shape."""
        columns = (tuple(map(transfer, c)) for c in (self.registers, self.lanes, self.warps))
        return Layout(tuple(shape), *columns)


def bits_of(shape: Sequence[int]) -> int:
    """Bits of a flat index."""
    return int(np.prod(shape, dtype=np.int64)).bit_length() - 1


def random_layout(
    rng: np.random.Generator,
    shape: Sequence[int],
    *,
    lane_bits: int,
    warp_bits: int,
    mixed: bool = False,
    spare: int = 0,
) -> Layout:
    """Every element somewhere; copies where threads are left over, and in `spare` register bits.

    Columns are single bits in random order, or with `mixed` sums of bits (as swizzles make).
    """
    count = bits_of(shape)
    vectors = [1 << i for i in rng.permutation(count)]
    if mixed:
        for _ in range(2 * count):
            to, what = rng.integers(0, count, 2)
            if to != what:
                vectors[to] ^= vectors[what]
    threads = lane_bits + warp_bits
    used = int(rng.integers(max(0, min(count, threads) - 2), min(count, threads) + 1))
    slots = [*vectors[:used], *(0 for _ in range(threads - used))]
    if mixed and count:
        # A copy may be of anything that others hold.
        slots = [s or int(rng.choice([0, *vectors])) for s in slots]
    slots = [slots[i] for i in rng.permutation(threads)]
    registers = [*vectors[used:], *(0 for _ in range(spare))]
    registers = [registers[i] for i in rng.permutation(len(registers))]
    return Layout(
        tuple(shape), tuple(registers), tuple(slots[:lane_bits]), tuple(slots[lane_bits:])
    )


def module(body: str, arguments: Sequence[tuple[str, int, str]], *, arch: str, warps: int) -> str:
    """A kernel: `arguments` are (name, rank, element) of arrays."""
    signature = ", ".join(
        f"%{name}: !tile.view<{'?x' * rank}{element}>" for name, rank, element in arguments
    )
    return f"""module attributes {{tegula.arch = "{arch}"}} {{
  func.func @kernel({signature}) attributes {{tile.kernel, tegula.num_warps = {warps} : i32}} {{
    %zero = arith.constant 0 : i64
    {body}
    return
  }}
}}
"""


def load(name: str, array: str, layout: Layout, element: str) -> str:
    """The whole array as a tile."""
    rank = len(layout.shape)
    view = f"!tile.view<{'?x' * rank}{element}>"
    at = ", ".join(["%zero"] * rank)
    return f"%{name} = tile.load %{array}[{at}] : {view} -> {layout.tile(element)}"


def store(name: str, array: str, layout: Layout, element: str) -> str:
    """A tile as the whole array."""
    rank = len(layout.shape)
    view = f"!tile.view<{'?x' * rank}{element}>"
    at = ", ".join(["%zero"] * rank)
    return f"tile.store %{name}, %{array}[{at}] : {layout.tile(element)}, {view}"


def run(text: str, arrays: Sequence[np.ndarray], *, lanes: int = 32, seed: int = 0) -> None:
    """Lower to one thread's code and run one program; `arrays` change in place."""
    lowered = optimize(text, "--lower-to-threads", "--canonicalize", "--cse")
    Kernel(lowered, lanes=lanes).run(*arrays, seed=seed)


def random_values(rng: np.random.Generator, shape: Sequence[int], element: str) -> np.ndarray:
    """Different values where the type has enough; small integers for floats."""
    dtype = DTYPES[element]
    if element == "i1":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind == "i":
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)
    return rng.integers(-8, 9, shape).astype(np.float32).astype(dtype)
