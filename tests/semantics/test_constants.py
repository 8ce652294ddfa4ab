# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy arrays of the program around a kernel are constant tiles in it."""

from __future__ import annotations

import numpy as np
import pytest

import tegula as tg
from tests.semantics.compare import ALL, edge_values


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_numpy_arrays_of_the_program_are_constant_tiles(check, rng, dtype):
    table = rng.choice(edge_values(dtype, rng, 40), (3, 5))
    x = rng.choice(edge_values(dtype, rng, 40), (3, 5))
    mask = rng.random((3, 5)) < 0.5
    check(
        lambda p: (tg.where(mask, table, p), tg.where(table[:1] == table[:1], table[1:2], p)),
        x,
        want=[
            np.where(mask, table, x),
            np.where(table[:1] == table[:1], table[1:2], x),
        ],
    )


def test_a_constant_changes_with_the_array_of_a_new_kernel(check):
    for scale in (1, 2):
        table = np.arange(4) * scale
        check(lambda p, table=table: p * table, np.ones(4, "i8"), want=table)
