# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gets a kernel ready to launch: from memory, from disk, or by compiling it.

:func:`load` is the one entry for the launch front end. It asks the caches first and traces only if
neither knows the kernel.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tegula import _env, _native, _runtime
from tegula._compile import cache, targets
from tegula._compile.artifact import Artifact
from tegula._compile.build_id import build_id
from tegula._compile.targets import Target, Unit

_MEMORY_ENTRIES = 512


@dataclass(frozen=True)
class KernelSource:
    """What a specialization of a kernel is made from.

    Attributes:
        name: the kernel's name.
        key: everything that determines the traced module: source of the function and its helpers,
            closure values, argument types, Const values, options. The compiler, the target and the
            processor are added here.
        trace: makes the module; called only when the kernel is in no cache.
        keep: whether the key still says everything once the kernel has been traced; if not, no
            cache remembers it.
    """

    name: str
    key: bytes
    trace: Callable[[], Any]
    keep: Callable[[], bool] = lambda: True


@dataclass(frozen=True)
class Loaded:
    """A kernel that is ready to launch, and how it got there.

    Attributes:
        name: the kernel's name.
        target: name of the target.
        specialization: for the launcher.
        origin: whether it was compiled now, or found on disk or in memory.
        seconds: how long that took.
        dump: folder with the IR of each stage, if it was asked for and the kernel compiled.
        source: what it was made from, if it was compiled within :func:`fresh`.
    """

    name: str
    target: str
    specialization: _native.Specialization
    origin: Literal["compiled", "disk", "memory"]
    seconds: float
    dump: Path | None = None
    source: KernelSource | None = None


# By key and device: code is in the memory of one.
_memory: OrderedDict[tuple[str, int], tuple[Any, Artifact]] = OrderedDict()
_lock = threading.Lock()
_recent: deque[Loaded] = deque(maxlen=256)


class _Fresh(threading.local):
    loaded: list[Loaded] | None = None


_fresh = _Fresh()


@contextmanager
def fresh() -> Generator[list[Loaded]]:
    """Within it, this thread's kernels are compiled anew, whatever the caches hold.

    Yields:
        The kernels loaded within, oldest first; each with its source.
    """
    before, loaded = _fresh.loaded, list[Loaded]()
    _fresh.loaded = loaded
    try:
        yield loaded
    finally:
        _fresh.loaded = before


def recent() -> list[Loaded]:
    """The kernels that were loaded last, oldest first."""
    return list(_recent)


def load(
    source: KernelSource,
    target_name: str = "cpu",
    guards: Sequence[_native.Guard] = (),
    index: int = 0,
) -> Loaded:
    """A launchable kernel.

    Args:
        source: what to compile.
        target_name: a registered target.
        guards: passed to the specialization.
        index: number of the device that is to run it.

    Raises:
        CompileError: the kernel cannot be compiled.
        TegulaError: whatever tracing raises.
    """
    start = time.perf_counter()
    target = targets.get(target_name)
    key = _key(source, target)
    dump = _dump_folder(source.name, key)
    device = _runtime.get(target.family)
    code, artifact, origin = _find(key, device, index, use_disk=dump is None)
    if artifact is None:
        artifact = compile_module(source.trace(), target, dump)
        code, origin = device.load(artifact, index), "compiled"
        disk = cache.current()
        if disk is not None and source.keep():
            disk.store(key, artifact)
    if source.keep():
        _remember((key, index), code, artifact)
    specialization = device.specialize(code, artifact, guards)
    seconds = time.perf_counter() - start
    where = dump if origin == "compiled" else None
    kept = source if _fresh.loaded is not None else None
    loaded = Loaded(source.name, target.name, specialization, origin, seconds, where, kept)
    if _fresh.loaded is not None:
        _fresh.loaded.append(loaded)
    _recent.append(loaded)
    return loaded


def compile_module(module: Any, target: Target, dump: Path | None = None) -> Artifact:
    """Compile a module of `tile` IR, which is lowered in place.

    Raises:
        CompileError: the kernel cannot be compiled.
    """
    from tegula._compile import kernel_module, pipeline

    name = kernel_module.kernel_name(module)
    written = kernel_module.writes(module)
    if dump is not None:
        dump.mkdir(parents=True, exist_ok=True)
        (dump / "00-tile.mlir").write_text(str(module))
    unit = pipeline.lower(module, target.pipeline(), dump)
    if dump is not None:
        _dump_code(unit, target, dump)
    properties = json.dumps(dict(unit.properties)) if unit.properties else ""
    return Artifact(name, target.name, target.generate(unit), written, properties)


def _key(source: KernelSource, target: Target) -> str:
    digest = hashlib.blake2b(digest_size=20)
    for part in (build_id(), target.name, target.fingerprint(), source.name):
        digest.update(part.encode() + b"\0")
    digest.update(source.key)
    return digest.hexdigest()


def _dump_folder(name: str, key: str) -> Path | None:
    folder = _env.dump_dir()
    return None if folder is None else folder / f"{name}-{key[:8]}"


def _find(
    key: str, device: _runtime.Device, index: int, *, use_disk: bool
) -> tuple[Any, Artifact | None, Literal["compiled", "disk", "memory"]]:
    """Loaded code and its artifact from a cache; no artifact if it has to be compiled."""
    if _fresh.loaded is not None:
        return None, None, "compiled"
    with _lock:
        known = _memory.get((key, index))
    if known is not None:
        return *known, "memory"
    disk = cache.current() if use_disk else None
    artifact = disk.load(key) if disk is not None else None
    if artifact is None:
        return None, None, "compiled"
    try:
        code = device.load(artifact, index)
        device.specialize(code, artifact, ())
    except _native.ObjectError:  # Not what this key stands for, whoever put it there.
        return None, None, "compiled"
    return code, artifact, "disk"


def _remember(key: tuple[str, int], code: Any, artifact: Artifact) -> None:
    with _lock:
        _memory[key] = code, artifact
        _memory.move_to_end(key)
        while len(_memory) > _MEMORY_ENTRIES:
            _memory.popitem(last=False)


def _dump_code(unit: Unit, target: Target, folder: Path) -> None:
    number = len(list(folder.glob("*.mlir")))
    for stage in target.stages():
        if stage.pipeline is None and not stage.binary and not stage.external:
            text = target.show(unit, stage.name)
            assert isinstance(text, str)
            (folder / f"{number:02}-{stage.name}.{stage.suffix}").write_text(text)
            number += 1
