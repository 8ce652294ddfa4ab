# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs kernels that are compiled for a GPU in an emulator of its instructions.

The emulator is a folder outside this repository that the developer names: it holds `emu.py` with
`launch(code_object, kernel, grid, block, args, schedule=...)`, which executes a code object on
NumPy arrays. Kernels are launched as usual; the launcher calls back into this module each time.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib
import json
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests._support import emulator_faults


@dataclass
class Emulator:
    """What executes code objects, in place of a device's runtime.

    Attributes:
        target: what kernels are compiled for.
        launch: the emulator's function.
        schedule: seed of a random interleaving of waves, or None.
        parameters: of each code object: bytes of an array's element (0 for a number) and its rank.
    """

    target: str
    launch: Any
    schedule: int | None
    parameters: dict[bytes, list[tuple[int, int]]] = field(default_factory=dict)

    def architecture(self, _device: int | None = None) -> str:
        """The target, as if there were such a device."""
        return self.target

    def current_device(self) -> int:
        """The only one."""
        return 0

    def load(self, artifact: Any, _device: int = 0) -> Any:
        """As a runtime's module does; the code object itself is what runs."""
        return artifact

    def specialize(self, code: Any, artifact: Any, guards: Any) -> Any:
        """What the launcher calls."""
        from tegula._runtime import hosted

        cells = sum(1 + 2 * rank for _, rank in self.parameters[code.code])
        run = functools.partial(self._run, code)
        return hosted.specialization(run, cells, artifact, guards)

    def _run(self, artifact: Any, slots: list[int], grid: tuple[int, int, int]) -> Any:
        from tegula._runtime import messages

        properties = json.loads(artifact.properties)
        memory = _Memory()
        args: list[Any] = []
        for number, (itemsize, rank) in enumerate(self.parameters[artifact.code]):
            words: list[Any] = slots[len(args) : len(args) + 1 + 2 * rank]
            if itemsize:
                is_written = number in artifact.writes
                words[0] = memory.add(words, rank, itemsize, is_written=is_written)
            args += words
        args = [memory.get(arg) if isinstance(arg, _Span) else arg for arg in args]
        spoken = messages.parse(properties.get("messages", []))
        buffer = np.frombuffer(messages.new_buffer(messages.BUFFER_BYTES), np.uint8).copy()
        self.launch(
            artifact.code,
            artifact.name,
            grid[0] * grid[1] * grid[2],
            properties["num_lanes"] * properties["num_warps"],
            [*args, *grid, buffer if spoken else None],
            schedule=self.schedule,
        )
        return messages.decode(buffer.tobytes(), spoken, grid) if spoken else None


@dataclass(frozen=True)
class _Span:
    """The memory of an array: from and to, where its pointer points, and whether it is written."""

    low: int
    high: int
    pointer: int
    is_written: bool


class _Memory:
    """The memory of array arguments.

    An array that begins at its pointer and whose memory no other argument touches is given to the
    emulator as such, which then watches its edges. Others are given as addresses.
    """

    def __init__(self) -> None:
        self._spans: list[_Span] = []

    def add(self, words: list[int], rank: int, itemsize: int, *, is_written: bool) -> Any:
        """A stand-in for the pointer of an array."""
        pointer, sizes, strides = words[0], words[1 : 1 + rank], words[1 + rank :]
        if 0 in sizes:
            return pointer
        reach = [(n - 1) * s for n, s in zip(sizes, strides, strict=True)]
        low = pointer + itemsize * sum(r for r in reach if r < 0)
        high = pointer + itemsize * (1 + sum(r for r in reach if r > 0))
        self._spans.append(_Span(low, high, pointer, is_written))
        return self._spans[-1]

    def get(self, span: _Span) -> Any:
        """What the emulator gets for it."""
        others = [item for item in self._spans if item is not span]
        if span.low != span.pointer or any(span.low < o.high and o.low < span.high for o in others):
            return span.pointer
        size = span.high - span.low
        array = np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(span.low))
        array.flags.writeable = span.is_written
        return array


@functools.cache
def open_emulator(folder: str | None, target: str, schedule: int | None) -> Emulator:
    """The emulator in a folder.

    Raises:
        pytest.UsageError: there is none, or it lacks what it needs.
    """
    if folder is None or not Path(folder, "emu.py").is_file():
        raise pytest.UsageError(f"--backend emulator:{target} needs --emulator FOLDER, with emu.py")
    if not os.environ.get("TINYGRAD_DIR"):
        raise pytest.UsageError("the emulator needs TINYGRAD_DIR, a checkout of tinygrad")
    # Its cache on disk is a database that one thread alone may use, and programs run in several.
    os.environ.setdefault("CACHELEVEL", "0")
    sys.path.insert(0, folder)
    try:
        module = importlib.import_module("emu")
        ext = importlib.import_module("ext")
    finally:
        sys.path.remove(folder)
    emulator_faults.correct(ext.emulator(), ext, module)
    return Emulator(target, module.launch, schedule)


def _parameters(module: Any) -> list[tuple[int, int]]:
    """Bytes of an element (0 for a number) and rank of each parameter of a kernel."""
    kernels = [op for op in module.body.operations if "tile.kernel" in op.attributes]
    found: list[tuple[int, int]] = []
    for argument in kernels[0].regions[0].blocks[0].arguments:
        view = re.match(r"!tile\.view<((?:[\d?]+x)*)\w*?(\d+)", str(argument.type))
        bits = int(view.group(2)) if view else 0
        found.append((max(1, bits // 8), view.group(1).count("x")) if view else (0, 0))
    return found


@contextlib.contextmanager
def kernels_run_in(emulator: Emulator) -> Iterator[None]:
    """Within it, kernels that are launched are compiled for the emulator's target and run there."""
    from tegula import _runtime
    from tegula._compile import driver
    from tegula._specialized import Specialized

    compile_module, load = driver.compile_module, Specialized.load

    def compile_and_note(module: Any, target: Any, dump: Any = None) -> Any:
        parameters = _parameters(module)
        artifact = compile_module(module, target, dump)
        emulator.parameters[artifact.code] = parameters
        return artifact

    def load_for_target(self: Any, _target: str | None = None) -> Any:
        return load(self, emulator.target)

    patch = pytest.MonkeyPatch()
    with patch.context() as patched:
        patched.setattr(driver, "compile_module", compile_and_note)
        patched.setattr(Specialized, "load", load_for_target)
        patched.setattr(_runtime, "get", lambda _family: emulator)
        yield
