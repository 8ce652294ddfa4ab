# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Optional hints of a kernel's author to the compiler."""

from __future__ import annotations

import operator
from typing import NamedTuple

from tegula.errors import LaunchError

MAX = 64


class Hints(NamedTuple):
    """Wishes that change a kernel's speed but none of its results; None leaves it to the compiler.

    Attributes:
        num_warps: warps of a program, a power of two; less where the target has no room for them.
        num_stages: copies of a loop's tiles in memory at once; 1: nothing is fetched ahead.
    """

    num_warps: int | None = None
    num_stages: int | None = None

    def checked(self) -> Hints:
        """Itself.

        Raises:
            LaunchError: one is no positive integer, or `num_warps` is no power of two.
        """
        for name, value in self._asdict().items():
            if value is not None and not _is_count(value):
                raise LaunchError(
                    f"the hint {name} is {value!r}, but it must be an integer of 1 to {MAX}",
                    help=f"leave it out, or say {name}=4",
                )
        if self.num_warps is not None and self.num_warps & (self.num_warps - 1):
            below = 1 << (self.num_warps.bit_length() - 1)
            raise LaunchError(
                f"the hint num_warps is {self.num_warps}, which is no power of two",
                help=f"say num_warps={below} or num_warps={2 * below}",
            )
        return self


def _is_count(value: object) -> bool:
    if isinstance(value, bool):
        return False
    try:
        return 0 < operator.index(value) <= MAX  # type: ignore[arg-type]
    except TypeError:
        return False


NONE = Hints()
