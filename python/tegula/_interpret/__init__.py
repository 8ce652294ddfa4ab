# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The interpreter runs a kernel's own Python function on NumPy.

`print`, `breakpoint()` and pdb work inside it. It is the reference for what compiled kernels must
compute. Programs run one after another, x fastest.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager

_state = threading.local()


@contextmanager
def interpret() -> Generator[None, None, None]:
    """Run the kernels that this thread calls in this context eagerly, in the interpreter.

    `print`, `breakpoint()` and pdb work in the kernel, and tiles show their values.
    """
    _state.depth = getattr(_state, "depth", 0) + 1
    try:
        yield
    finally:
        _state.depth -= 1


def is_active() -> bool:
    """Whether this thread is inside :func:`interpret`."""
    return getattr(_state, "depth", 0) > 0


def run(
    fn: Callable[..., object],
    grid: tuple[int, int, int],
    bound: Mapping[str, object],
    *,
    checked: bool = False,
    regroup: Callable[[dict[str, object]], dict[str, object]] | None = None,
) -> None:
    """Call a kernel's function for each program of a grid.

    Arguments and errors are those of :func:`tegula._interpret.runner.run`. Only the first run
    imports the interpreter, which keeps `import tegula` fast.
    """
    from tegula._interpret import runner

    runner.run(fn, grid, bound, checked=checked, regroup=regroup)
