# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The on-disk cache: whatever is in its folder, a kernel runs and is right."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from tegula import _compile, _native
from tegula._compile import artifact as artifacts
from tegula._compile import cache, driver, targets
from tegula._compile.artifact import Artifact, DamagedArtifactError
from tegula._compile.build_id import build_id
from tests.python.native_kernels import artifact, error

pytestmark = pytest.mark.cpu


@pytest.fixture
def disk(tmp_path: Path) -> cache.DiskCache:
    return cache.DiskCache(tmp_path / "cache")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the compiler caches in; nothing is in memory."""
    monkeypatch.setenv("TEGULA_CACHE_DIR", str(tmp_path / "kernels"))
    monkeypatch.delenv("TEGULA_DISABLE_CACHE", raising=False)
    monkeypatch.delenv("TEGULA_DUMP", raising=False)
    monkeypatch.setattr(driver, "_memory", type(driver._memory)())
    return tmp_path / "kernels"


class Source:
    """A kernel whose compilation is replaced by a ready artifact, and counted."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, key: bytes = b"source") -> None:
        self.key = key
        self.compilations = 0

        def compile_module(module: object, target: object, dump: object = None) -> Artifact:
            self.compilations += 1
            return artifact("add_index")

        monkeypatch.setattr(driver, "compile_module", compile_module)

    def load(self, *, forget: bool = True) -> _compile.Loaded:
        if forget:
            driver._memory.clear()
        return _compile.load(_compile.KernelSource("add_index", self.key, lambda: None))


def runs(loaded: _compile.Loaded) -> bool:
    params = [("data", "array", None, _native.MISSING)]
    kernel = _native.Dispatcher("k", params, lambda s, a: loaded.specialization, error)
    data = np.zeros(50, np.int64)
    kernel[50](data)
    return np.array_equal(data, np.arange(50))


def test_artifacts_survive_the_round_trip() -> None:
    found = Artifact("softmax", "cpu", bytes(range(256)) + b"\n\n", (0, 3))
    assert artifacts.parse(found.to_bytes()) == found
    empty = Artifact("k", "cpu", b"", ())
    assert artifacts.parse(empty.to_bytes()) == empty


@pytest.mark.parametrize("size", [0, 1, 15, 16, 40, 48, 60, -1])
def test_truncated_artifacts_are_recognised(size: int) -> None:
    data = artifact("nothing").to_bytes()
    with pytest.raises(DamagedArtifactError):
        artifacts.parse(data[:size])


def test_every_altered_byte_is_recognised() -> None:
    data = Artifact("k", "cpu", b"code", (1,)).to_bytes()
    for place in range(len(data)):
        altered = bytearray(data)
        altered[place] ^= 0x20
        with pytest.raises(DamagedArtifactError):
            artifacts.parse(bytes(altered))


def test_store_and_load(disk: cache.DiskCache) -> None:
    found = artifact("nothing")
    assert disk.load("ab12") is None
    assert disk.store("ab12", found)
    assert disk.load("ab12") == found
    assert disk.load("ab13") is None
    assert [p.name for p in disk.folder.rglob("*") if p.is_file()] == ["ab12.kernel"]


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_folders_are_private(disk: cache.DiskCache) -> None:
    disk.store("ab12", artifact("nothing"))
    assert (disk.folder / "ab").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "content",
    [b"", b"foreign", artifacts.MAGIC, artifacts.MAGIC + bytes(32) + b"k\ncpu\n\ncode"],
    ids=["empty", "foreign", "header", "checksum"],
)
def test_damaged_files_count_as_absent_and_are_replaced(
    folder: Path, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    source = Source(monkeypatch)
    assert source.load().origin == "compiled"
    (path,) = folder.rglob("*.kernel")
    path.write_bytes(content)
    loaded = source.load()
    assert loaded.origin == "compiled"
    assert runs(loaded)
    assert source.load().origin == "disk"


def test_a_whole_file_with_unusable_code_is_replaced(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = Source(monkeypatch)
    source.load()
    (path,) = folder.rglob("*.kernel")
    path.write_bytes(Artifact("add_index", "cpu", b"\x7fELF" + bytes(100), (0,)).to_bytes())
    assert source.load().origin == "compiled"
    path.write_bytes(Artifact("other", "cpu", artifact("add_index").code, (0,)).to_bytes())
    assert source.load().origin == "compiled"
    assert runs(source.load())


def test_a_directory_in_place_of_the_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = Source(monkeypatch)
    source.load()
    (path,) = folder.rglob("*.kernel")
    path.unlink()
    path.mkdir()
    (path / "something").write_text("")
    for _ in range(2):
        assert runs(source.load())


def test_origin_memory_disk_compiled(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = Source(monkeypatch)
    assert source.load().origin == "compiled"
    assert source.load(forget=False).origin == "memory"
    assert source.load().origin == "disk"
    assert source.compilations == 1
    assert Source(monkeypatch, b"other source").load().origin == "compiled"
    assert [item.origin for item in _compile.recent()[-2:]] == ["disk", "compiled"]


def test_the_key_covers_compiler_and_processor(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = Source(monkeypatch)
    source.load()
    monkeypatch.setattr(driver, "build_id", lambda: "another build")
    assert source.load().origin == "compiled"
    target = type(targets.get("cpu"))
    monkeypatch.setattr(target, "fingerprint", lambda self: "another processor")
    assert source.load().origin == "compiled"
    assert source.compilations == 3


def test_the_cache_can_be_disabled(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = Source(monkeypatch)
    monkeypatch.setenv("TEGULA_DISABLE_CACHE", "1")
    for _ in range(2):
        assert source.load().origin == "compiled"
    assert not folder.exists()


@pytest.mark.parametrize("place", ["file", "file/below"])
def test_an_unusable_folder_costs_time_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    (tmp_path / "file").write_text("")
    source = Source(monkeypatch)
    monkeypatch.setattr(cache, "current", lambda: cache.DiskCache(tmp_path / place))
    for _ in range(2):
        loaded = source.load()
        assert loaded.origin == "compiled"
        assert runs(loaded)


def test_a_full_disk_leaves_no_partial_file(
    disk: cache.DiskCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: Path, target: Path) -> None:
        raise OSError(errno.ENOSPC, "no space")

    monkeypatch.setattr(Path, "replace", fail)
    assert not disk.store("ab12", artifact("nothing"))
    assert [p for p in disk.folder.rglob("*") if p.is_file()] == []


def test_cleanup_removes_the_least_recently_used_beyond_the_limit(tmp_path: Path) -> None:
    one = Artifact("k", "cpu", bytes(1000), ())
    size = len(one.to_bytes())
    disk = cache.DiskCache(tmp_path, limit_bytes=10 * size)
    now = time.time()
    for number in range(12):
        disk.store(f"{number:02x}aa", one)
        os.utime(disk.path(f"{number:02x}aa"), (now, now - 10000 + number))
    assert disk.load("00aa") == one  # Which marks it as used.
    assert disk.clean() == 8 * size
    left = {key for key in (f"{n:02x}aa" for n in range(12)) if disk.load(key)}
    assert left == {"00aa", *(f"{n:02x}aa" for n in range(5, 12))}
    assert disk.clean() == 8 * size


def test_stores_clean_up_now_and_then(tmp_path: Path) -> None:
    one = Artifact("k", "cpu", bytes(1000), ())
    disk = cache.DiskCache(tmp_path, limit_bytes=5000)
    for number in range(200):
        disk.store(f"{number:04x}", one)
    assert sum(p.stat().st_size for p in tmp_path.rglob("*.kernel")) < 80 * len(one.to_bytes())


def test_cleanup_removes_what_dead_processes_left_and_nothing_foreign(
    disk: cache.DiskCache,
) -> None:
    disk.store("ab12", artifact("nothing"))
    orphan = disk.folder / "ab" / "x.1-1.partial"
    recent = disk.folder / "ab" / "y.2-2.partial"
    foreign = disk.folder / "notes.txt"
    for path in (orphan, recent, foreign):
        path.write_text("")
    os.utime(orphan, (1, 1))
    os.utime(foreign, (1, 1))
    disk.clean()
    assert (orphan.exists(), recent.exists(), foreign.exists()) == (False, True, True)


RACE = """
import sys
from pathlib import Path
from tegula._compile import cache
from tests.python.native_kernels import Artifact
disk = cache.DiskCache(Path(sys.argv[1]), limit_bytes=60000)
number = int(sys.argv[2])
found = 0
for step in range(300):
    key = f"{step % 7:02x}77"
    wanted = Artifact(f"k{step % 7}", "cpu", bytes([step % 7]) * 5000, (step % 7,))
    got = disk.load(key)
    assert got is None or got == wanted, got
    found += got is not None
    disk.store(key, wanted)
    if step % 40 == number:
        disk.clean()
assert found > 0
"""


def test_many_processes_at_once(tmp_path: Path) -> None:
    """Readers never see a mixture or part of what six writers and cleaners do."""
    command = [sys.executable, "-c", RACE, str(tmp_path)]
    processes = [
        subprocess.Popen([*command, str(n)], stderr=subprocess.PIPE, text=True) for n in range(6)
    ]
    errors = [process.communicate(timeout=120)[1] for process in processes]
    assert errors == [""] * 6
    assert not list(tmp_path.rglob("*.partial"))


def test_build_id_changes_with_any_source_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tegula._compile import build_id as module

    package = tmp_path / "tegula"
    (package / "_compile").mkdir(parents=True)
    (package / "_compile" / "build_id.py").write_text("")
    (package / "kernel.py").write_text("x = 1")
    monkeypatch.setattr(module, "__file__", str(package / "_compile" / "build_id.py"))
    seen = set()
    for text in ("x = 1", "x = 22", "x = 2"):
        (package / "kernel.py").write_text(text)
        seen.add(build_id.__wrapped__())
    (package / "cli").mkdir()
    (package / "cli" / "main.py").write_text("")
    seen.add(build_id.__wrapped__())  # The command line does not influence code.
    (package / "dangling.py").symlink_to(tmp_path / "nowhere")
    seen.add(build_id.__wrapped__())
    assert len(seen) == 3
