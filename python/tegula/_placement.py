# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where kernels run if a program says so, rather than where their arrays are."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager

from tegula._boundary import boundary

_state = threading.local()


@boundary
def target(name: str) -> AbstractContextManager[None]:
    """Compile what this thread launches in this context for a target, and run it there.

    Arrays in host memory are copied to the device before each launch and back after it. Without
    this a kernel runs where its arrays are.

    Args:
        name: "cpu", a GPU's architecture such as `tegula doctor` lists, or the name of a family of
            devices, which stands for the one in this machine.

    Raises:
        ArgumentError: there is no such target.
    """
    from tegula._compile import targets

    return _within(targets.get(name).name)


@contextmanager
def _within(name: str) -> Generator[None, None, None]:
    before = current()
    _state.name = name
    try:
        yield
    finally:
        _state.name = before


def current() -> str | None:
    """The name of the target that this thread chose, or None."""
    return getattr(_state, "name", None)
