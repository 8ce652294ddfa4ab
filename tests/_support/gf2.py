# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear layouts by brute force: every place of every element, as NumPy arrays.

The second opinion on `tegula._layout`. It knows nothing of elimination beyond a rank, and goes
through all registers, lanes, warps and blocks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from hypothesis import settings
from hypothesis import strategies as st

from tegula._layout import LinearLayout

DIMS = ("register", "lane", "warp", "block", "offset")
Ints = npt.NDArray[np.int64]
few = settings(deadline=None, max_examples=60)


def rank(vectors: Sequence[int]) -> int:
    """Dimension of the span over F2."""
    pivots: list[int] = []
    for vector in vectors:
        for pivot in pivots:
            vector = min(vector, vector ^ pivot)
        if vector:
            pivots.append(vector)
    return len(pivots)


def flatten(coordinates: Sequence[int], shape: Sequence[int]) -> int:
    """Row-major index."""
    return int(np.ravel_multi_index(tuple(coordinates), tuple(shape))) if shape else 0


def flat_bases(layout: LinearLayout, dims: Sequence[str] = DIMS) -> list[int]:
    """Images of the inputs' bits as flat indices."""
    return [flatten(basis, layout.shape) for dim in dims for basis in layout.bases(dim)]


def sizes(layout: LinearLayout) -> tuple[int, ...]:
    """Numbers of registers, lanes, warps, blocks and offsets."""
    return tuple(2 ** len(layout.bases(dim)) for dim in DIMS)


def places(layout: LinearLayout) -> Ints:
    """Flat index of the element at each place, with one axis for each of DIMS."""
    result: Ints = np.zeros((1,) * len(DIMS), np.int64)
    for axis, dim in enumerate(DIMS):
        images: Ints = np.zeros(1, np.int64)
        for basis in layout.bases(dim):
            images = np.concatenate([images, images ^ flatten(basis, layout.shape)])
        shape = [1] * len(DIMS)
        shape[axis] = -1
        result = result ^ images.reshape(shape)
    return result


def distribute(layout: LinearLayout, tile: Ints) -> Ints:
    """The tile's element at each place."""
    assert list(tile.shape) == list(layout.shape)
    return tile.reshape(-1)[places(layout)]


def numbered(shape: Sequence[int]) -> Ints:
    """A tile whose elements are all different."""
    return np.arange(math.prod(shape), dtype=np.int64).reshape(tuple(shape))


def make(shape: Sequence[int], bases: dict[str, list[int]]) -> LinearLayout:
    """A layout from flat images."""

    def split(flat: int) -> list[int]:
        return [int(c) for c in np.unravel_index(flat, tuple(shape))]

    return LinearLayout(list(shape), **{dim: [split(b) for b in bases[dim]] for dim in bases})


@st.composite
def shapes(draw: st.DrawFn, max_bits: int = 8, max_rank: int = 3) -> list[int]:
    """Extents that are powers of two."""
    bits = draw(st.lists(st.integers(0, 4), min_size=1, max_size=max_rank))
    while sum(bits) > max_bits:
        bits[bits.index(max(bits))] -= 1
    return [2**b for b in bits]


def missing(vectors: Sequence[int], count: int) -> list[int]:
    """Units that complete the vectors to all of `count` dimensions."""
    found = list(vectors)
    for bit in range(count):
        if rank([*found, 1 << bit]) > rank(found):
            found.append(1 << bit)
    return found[len(vectors) :]


@st.composite
def layouts(
    draw: st.DrawFn,
    shape: Sequence[int] | None = None,
    lanes: int | None = None,
    warps: int | None = None,
    block: Sequence[int] = (),
    surjective: bool = True,
) -> LinearLayout:
    """Any layout; `lanes` and `warps` are numbers of bits."""
    shape = draw(shapes()) if shape is None else shape
    bits = math.prod(shape).bit_length() - 1
    # Mostly single bits, as in what compilers make, and some sums and copies.
    units = [1 << bit for bit in range(bits)]
    image = st.one_of(st.sampled_from([*units, 0]), st.integers(0, 2**bits - 1))

    def vectors(low: int, high: int) -> list[int]:
        return draw(st.lists(image, min_size=low, max_size=high))

    bases = {
        "register": vectors(0, 3),
        "lane": vectors(0, 3) if lanes is None else vectors(lanes, lanes),
        "warp": vectors(0, 2) if warps is None else vectors(warps, warps),
        "block": list(block),
    }
    if surjective:
        rest = missing([b for dim in bases for b in bases[dim]], bits)
        bases["register"] += draw(st.permutations(rest))
    return make(shape, bases)
