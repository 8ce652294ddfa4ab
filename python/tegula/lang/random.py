# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counter-based random numbers: Philox-4x32-10.

J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3",
SC 2011. The same counter and key give the same numbers on every target, so a backward pass can make
its forward pass's mask again.
"""

from __future__ import annotations

from collections.abc import Sequence

from tegula._show import show
from tegula.errors import ShapeError, TileTypeError
from tegula.lang import _check, _operands, dtypes
from tegula.lang._describe import describe, made_at
from tegula.lang._operands import TileLike
from tegula.lang.tile import Tile

_ROUNDS = 10
_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
_WEYL = (0x9E3779B9, 0xBB67AE85)


def philox(
    counter: TileLike | Sequence[TileLike], key: TileLike | Sequence[TileLike]
) -> tuple[Tile, Tile, Tile, Tile]:
    """Four uint32 tiles of random bits from a 128-bit counter and a 64-bit key.

    Args:
        counter: one integer tile, whose 64 bits are the low half of the counter; or one to four
            tiles of 32 bits each,
            least significant first, missing ones being 0.
        key: one integer scalar or tile of 64 bits; or two of 32 bits, least significant first.

    Returns:
        Four tiles of the broadcast shape, each uniform over all 32-bit values.

    Raises:
        TileTypeError: a part is not an integer.
        ShapeError: too many parts, or shapes that do not broadcast.
    """
    return _rounds(
        "philox", [*_words("philox", "counter", counter, 4), *_words("philox", "key", key, 2)]
    )


def _rounds(op: str, words: list[Tile]) -> tuple[Tile, Tile, Tile, Tile]:
    """Four random words from four words of a counter and two of a key."""
    c0, c1, c2, c3, k0, k1 = _operands.broadcast(op, words)
    for turn in range(_ROUNDS):
        if turn:
            k0, k1 = k0 + _WEYL[0], k1 + _WEYL[1]
        high0, low0 = _multiply(_MULTIPLIERS[0], c0)
        high1, low1 = _multiply(_MULTIPLIERS[1], c2)
        c0, c1, c2, c3 = high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0
    return c0, c1, c2, c3


def rand(seed: TileLike | Sequence[TileLike], offsets: TileLike | Sequence[TileLike]) -> Tile:
    """float32 numbers uniform in [0, 1).

    The first word of `philox(offsets, seed)`, its top 24 bits times 2**-24.

    Raises:
        TileTypeError, ShapeError: see :func:`philox`.
    """
    bits = _rounds(
        "rand", [*_words("rand", "offsets", offsets, 4), *_words("rand", "seed", seed, 2)]
    )[0]
    return (bits >> 8).astype(dtypes.float32) * 2.0**-24


def _words(op: str, argument: str, value: TileLike | Sequence[TileLike], count: int) -> list[Tile]:
    parts = _check.sequence(value)
    if not 1 <= len(parts) <= count:
        raise ShapeError(
            f"{op}: {argument} has 1 to {count} parts, not {len(parts)}",
            argument=argument,
            help="give one integer, or a tuple of 32-bit words",
        )
    tiles = [_integer(op, argument, part) for part in parts]
    if isinstance(value, (tuple, list)):
        words = [_operands.cast(part, dtypes.uint32) for part in tiles]
    else:
        bits = _operands.cast(tiles[0], dtypes.uint64)
        words = [_operands.cast(half, dtypes.uint32) for half in (bits, bits >> 32)]
    zero = _operands.constant(op, 0, dtypes.uint32)
    return words + [zero] * (count - len(words))


def _integer(op: str, argument: str, part: object) -> Tile:
    found = _operands.operand(op, part, argument)
    if isinstance(found, int) and not isinstance(found, bool):
        return _operands.constant(op, found % (1 << 64), dtypes.uint64)
    if not isinstance(found, Tile) or not found.dtype.is_int:
        shown = describe(found) if isinstance(found, Tile) else show(found)
        raise TileTypeError(
            f"{op}: {argument} must be integers, not {shown}",
            notes=[made_at(found)] if isinstance(found, Tile) else (),
            argument=argument,
            help="convert with .astype(tg.int64)",
        )
    return found


def _multiply(constant: int, word: Tile) -> tuple[Tile, Tile]:
    """The high and low words of a 32 by 32 bit product."""
    product = _operands.cast(word, dtypes.uint64) * constant
    return _operands.cast(product >> 32, dtypes.uint32), _operands.cast(product, dtypes.uint32)
