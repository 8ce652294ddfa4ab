# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every environment variable that Tegula reads, and what it means.

Nothing else in the package looks at the environment. Variables are read when they are needed, so a
program can set them after `import tegula`.

| variable | meaning |
|---|---|
| TEGULA_NUM_THREADS | threads that run the programs of a grid; default: the CPUs it may use |
| TEGULA_CACHE_DIR | folder of the on-disk cache; default: `tegula` in the user's cache folder |
| TEGULA_DISABLE_CACHE | 1: neither read nor write the on-disk cache (nor reproducers to it) |
| TEGULA_CHECK | 1: check each access and assumption, as `@tg.kernel(checked=True)` does |
| TEGULA_DUMP | folder that receives the IR of each stage of each kernel compiled |
| TEGULA_CUDA_DRIVER | path of NVIDIA's driver library; default: libcuda.so.1 |
| CUDA_HOME, CUDA_PATH | folder of NVIDIA's toolkit, which has ptxas |
| TEGULA_FULL_TRACEBACK | 1: keep Tegula's own frames in tracebacks |
| ROCM_PATH | where ROCm is installed, whose linker is preferred; default: `/opt/rocm` |
"""

from __future__ import annotations

import os
from pathlib import Path

from tegula.errors import ArgumentError

_TRUE = ("1", "true", "yes", "on")
_FALSE = ("", "0", "false", "no", "off")


def num_threads() -> int:
    """TEGULA_NUM_THREADS, or the number of CPUs that this process may use.

    Raises:
        ArgumentError: it is not a positive integer.
    """
    text = os.environ.get("TEGULA_NUM_THREADS", "").strip()
    if not text:
        return _available_cpus()
    if not text.isdecimal() or int(text) == 0:
        raise ArgumentError(
            f"TEGULA_NUM_THREADS is {text!r}, which is not a positive integer",
            help="unset it to use every CPU, or set it to 1 or more",
        )
    return int(text)


def _available_cpus() -> int:
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


def cache_dir() -> Path:
    """TEGULA_CACHE_DIR, or `tegula` in the user's cache folder. It need not exist."""
    text = os.environ.get("TEGULA_CACHE_DIR", "")
    if text:
        return Path(text).expanduser()
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if base else Path.home() / ".cache") / "tegula"


def disable_cache() -> bool:
    """TEGULA_DISABLE_CACHE: whether to leave the on-disk cache alone."""
    return _flag("TEGULA_DISABLE_CACHE")


def check() -> bool:
    """TEGULA_CHECK: whether kernels that do not say otherwise are checked."""
    return _flag("TEGULA_CHECK")


def dump_dir() -> Path | None:
    """TEGULA_DUMP: where to write the IR of each stage, or None."""
    text = os.environ.get("TEGULA_DUMP", "")
    return Path(text).expanduser() if text else None


def cuda_driver() -> str:
    """TEGULA_CUDA_DRIVER: what to load as NVIDIA's driver library."""
    return os.environ.get("TEGULA_CUDA_DRIVER", "") or "libcuda.so.1"


def cuda_home() -> Path | None:
    """CUDA_HOME or CUDA_PATH: the folder of NVIDIA's toolkit, or None."""
    text = os.environ.get("CUDA_HOME", "") or os.environ.get("CUDA_PATH", "")
    return Path(text).expanduser() if text else None


def full_traceback() -> bool:
    """TEGULA_FULL_TRACEBACK: whether tracebacks keep this package's own frames."""
    return _flag("TEGULA_FULL_TRACEBACK")


def rocm_folders() -> list[Path]:
    """ROCM_PATH, and where ROCm is usually installed. They need not exist."""
    text = os.environ.get("ROCM_PATH", "")
    return [*([Path(text)] if text else []), Path("/opt/rocm")]


def _flag(name: str) -> bool:
    text = os.environ.get(name, "").strip().lower()
    if text not in _TRUE and text not in _FALSE:
        message = f"{name} is {text!r}, which is not a yes or no"
        raise ArgumentError(message, help="set it to 1 or 0")
    return text in _TRUE
