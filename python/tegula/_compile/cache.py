# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The on-disk cache of compiled kernels.

One file per kernel, named by its key. Files are written beside their place and renamed, so that
readers in any number of processes see a whole file or none; what is damaged or foreign counts as
absent and is overwritten. Nothing here raises on a full, read-only or vanishing disk: a cache that
cannot be used costs time, not results.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from tegula import _env
from tegula._compile.artifact import Artifact, DamagedArtifactError, parse

SUFFIX = ".kernel"
_PARTIAL = ".partial"
LIMIT_BYTES = 512 * 2**20
# After a cleanup this share of the limit is left, so that cleanups are rare.
_KEEP = 0.8
_STORES_PER_CLEANUP = 64
# A hit marks its file as used, but not more often than this.
_TOUCH_SECONDS = 3600.0
# A partial file that is older than this belongs to a process that died.
_ORPHAN_SECONDS = 3600.0


class DiskCache:
    """A folder of artifacts.

    Args:
        folder: need not exist.
        limit_bytes: least recently used files go when the folder grows beyond.
    """

    def __init__(self, folder: Path, limit_bytes: int = LIMIT_BYTES) -> None:
        self.folder = folder
        self.limit_bytes = limit_bytes
        self._stores = 0

    def path(self, key: str) -> str:
        """Where the artifact of a key is, or would be."""
        return f"{self.folder}{os.sep}{key[:2]}{os.sep}{key}{SUFFIX}"

    def load(self, key: str) -> Artifact | None:
        """The artifact of a key, or None if there is no usable one."""
        path = self.path(key)
        try:
            with open(path, "rb") as file:  # noqa: PTH123 (Path.open costs more than the read)
                data = file.read()
                used = os.fstat(file.fileno()).st_mtime
            artifact = parse(data)
        except (OSError, DamagedArtifactError):
            return None
        if time.time() - used > _TOUCH_SECONDS:
            with contextlib.suppress(OSError):
                os.utime(path)
        return artifact

    def store(self, key: str, artifact: Artifact) -> bool:
        """Record an artifact; whether that worked."""
        path = Path(self.path(key))
        partial = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}{_PARTIAL}")
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            partial.write_bytes(artifact.to_bytes())
            partial.replace(path)
        except OSError:
            with contextlib.suppress(OSError):
                partial.unlink()
            return False
        self._stores += 1
        if self._stores % _STORES_PER_CLEANUP == 1:
            self.clean()
        return True

    def clean(self) -> int:
        """Remove what processes left behind, then the least recently used files beyond the limit.

        Returns:
            The number of bytes that remain.
        """
        files = sorted(self._files())
        total = sum(size for _, size, _ in files)
        if total <= self.limit_bytes:
            return total
        for _, size, path in files:
            if total <= self.limit_bytes * _KEEP:
                break
            with contextlib.suppress(OSError):
                os.unlink(path)  # noqa: PTH108
                total -= size
        return total

    def _files(self) -> Iterator[tuple[float, int, str]]:
        """Time of last use, size and path of each artifact; removes orphans on the way."""
        now = time.time()
        for entry in _entries(_subfolders(self.folder)):
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            if entry.name.endswith(SUFFIX):
                yield status.st_mtime, status.st_size, entry.path
            elif entry.name.endswith(_PARTIAL) and now - status.st_mtime > _ORPHAN_SECONDS:
                with contextlib.suppress(OSError):
                    os.unlink(entry.path)  # noqa: PTH108


def _subfolders(folder: Path) -> Iterator[str]:
    for entry in _entries([str(folder)]):
        if len(entry.name) == 2 and entry.is_dir(follow_symlinks=False):
            yield entry.path


def _entries(folders: Iterator[str] | list[str]) -> Iterator[os.DirEntry[str]]:
    for folder in folders:
        with contextlib.suppress(OSError), os.scandir(folder) as entries:
            yield from entries


_caches: dict[Path, DiskCache] = {}


def current() -> DiskCache | None:
    """The cache that the environment asks for, or None if it asks for none."""
    if _env.disable_cache():
        return None
    folder = _env.cache_dir()
    cache = _caches.get(folder)
    if cache is None:
        cache = _caches.setdefault(folder, DiskCache(folder))
    return cache
