# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory that notices what a device would let pass: races, stray and misaligned accesses."""

from __future__ import annotations

import numpy as np

NOBODY, SEVERAL = -1, -2


class LockstepError(Exception):
    """The code does what no code may do; the message says where."""


class Memory:
    """Bytes from address `base` on.

    Where `watched` (shared memory always is), each byte remembers who wrote and who read it since
    the last barrier.
    """

    def __init__(
        self, size: int, base: int, *, shared: bool, watched: bool = False, seed: int = 0
    ) -> None:
        self.base = base
        self.watched = shared or watched
        self.data = np.random.default_rng(seed).integers(0, 256, size).astype(np.uint8)
        # Bytes that may be touched at all; global memory has gaps between arrays.
        self.valid = np.full(size, shared)
        self.written = np.zeros(size, bool)
        self.writer = np.full(size, NOBODY)
        self.reader = np.full(size, NOBODY)

    def place(self, start: int, data: np.ndarray) -> None:
        """Put an array's bytes at an offset and allow access to them."""
        self.data[start : start + data.size] = data
        self.valid[start : start + data.size] = True
        self.written[start : start + data.size] = True

    def barrier(self) -> None:
        """Everything before is seen by everyone after."""
        self.writer[:] = NOBODY
        self.reader[:] = NOBODY

    def load(
        self, addresses: np.ndarray, width: int, active: np.ndarray, alignment: int, where: str
    ) -> np.ndarray:
        """Bytes [threads, width]; zeros for threads that are not active."""
        result = np.zeros((addresses.size, width), np.uint8)
        threads, at = self._bytes(addresses, width, active, alignment, where)
        if not self.written[at].all():
            who = threads[~self.written[at].all(axis=1)]
            raise LockstepError(f"threads {who} read what nobody wrote: {where}")
        if self.watched:
            writer = self.writer[at]
            self._check((writer != NOBODY) & (writer != threads[:, None]), threads, "reads", where)
            before = self.reader[at]
            self.reader[at] = np.where(
                (before == NOBODY) | (before == threads[:, None]), threads[:, None], SEVERAL
            )
            # Several threads of this very access at one byte.
            mixed = (self.reader[at] != threads[:, None]) & (before == NOBODY)
            self.reader[at[mixed]] = SEVERAL
        result[threads] = self.data[at]
        return result

    def store(
        self,
        addresses: np.ndarray,
        data: np.ndarray,
        active: np.ndarray,
        alignment: int,
        where: str,
    ) -> None:
        """Store bytes [threads, width] of the active threads."""
        threads, at = self._bytes(addresses, data.shape[1], active, alignment, where)
        if self.watched:
            for other in (self.writer[at], self.reader[at]):
                met = (other != NOBODY) & (other != threads[:, None])
                self._check(met, threads, "writes", where)
            self.writer[at] = threads[:, None]
            self._check(self.writer[at] != threads[:, None], threads, "writes", where)
        self.data[at] = data[threads]
        self.written[at] = True

    def place_of(self, address: int, width: int, where: str) -> slice:
        """The bytes of one naturally aligned access."""
        start = address - self.base
        inside = 0 <= start and start + width <= self.data.size
        if not inside or not self.valid[start : start + width].all():
            raise LockstepError(f"access outside of memory at {start}: {where}")
        if address % width:
            raise LockstepError(f"address {address} is not aligned to {width}: {where}")
        return slice(start, start + width)

    def _bytes(
        self, addresses: np.ndarray, width: int, active: np.ndarray, alignment: int, where: str
    ) -> tuple[np.ndarray, np.ndarray]:
        threads = np.flatnonzero(active)
        chosen = addresses[threads]
        if (chosen % alignment).any():
            raise LockstepError(f"address {chosen} is not aligned to {alignment}: {where}")
        at = (chosen - self.base)[:, None] + np.arange(width)
        inside = (at >= 0) & (at < self.data.size)
        if not inside.all() or not self.valid[at].all():
            raise LockstepError(f"access outside of memory at {chosen - self.base}: {where}")
        return threads, at

    def _check(self, met: np.ndarray, threads: np.ndarray, does: str, where: str) -> None:
        if met.any():
            who = threads[met.any(axis=1)]
            raise LockstepError(
                f"race: thread {who[0]} {does} what another uses, no barrier between: {where}"
            )
