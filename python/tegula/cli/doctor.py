# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tegula doctor`: what is installed, what works here, and how to fix what does not."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tegula import _env
from tegula._compile import targets

_PACKAGES = ("numpy", "ml_dtypes", "llvmlite", "click", "rich")
# Optional parts: what they are for, and how to get them.
_OPTIONAL = (
    ("torch", "kernels on PyTorch tensors", "pip install 'tegula[torch]'"),
    ("clang-format", "developing Tegula's C++", "pip install clang-format"),
    ("lit", "running Tegula's own tests", "pip install 'tegula[test]'"),
)
# What a machine shows that has such a device. Their targets are not part of this version.
_DEVICES = (("cuda", "NVIDIA", "/dev/nvidiactl"), ("rocm", "AMD", "/dev/kfd"))


class Finding(NamedTuple):
    """A line of the report; `ok` is None where something is merely absent."""

    subject: str
    ok: bool | None
    what: str
    fix: str = ""


def run_doctor() -> int:
    """Print the report; 1 if something that is needed does not work, else 0."""
    console = Console()
    findings = [*_installation(), *_machine(), *_targets()]
    table = Table(title="tegula doctor", title_justify="left", show_lines=False)
    table.add_column("")
    table.add_column("what", no_wrap=True)
    table.add_column("found", overflow="fold")
    table.add_column("to fix it", overflow="fold")
    for finding in findings:
        mark = {True: "[green]ok[/]", False: "[red]missing[/]", None: "[dim]-[/]"}[finding.ok]
        table.add_row(mark, *map(escape, (finding.subject, finding.what, finding.fix)))
    console.print(table)
    wrong = [finding.subject for finding in findings if finding.ok is False]
    if wrong:
        console.print(f"[red]not working[/]: {', '.join(wrong)}")
        return 1
    console.print("everything that is needed works; try [bold]tegula demo[/]")
    return 0


def _installation() -> Iterator[Finding]:
    version = platform.python_version()
    supported = (3, 10) <= sys.version_info[:2] <= (3, 13)
    yield Finding("Python", supported, version, "" if supported else "use Python 3.10 to 3.13")
    yield Finding("tegula", True, f"{_version('tegula') or 'not installed'}, {_package()}")
    for name in _PACKAGES:
        found = _version(name)
        fix = "" if found else f"pip install {name}"
        yield Finding(name, found is not None, found or "not installed", fix)
    for name, purpose, fix in _OPTIONAL:
        found = _version(name)
        yield Finding(name, True if found else None, found or f"not installed ({purpose})", fix)


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _package() -> str:
    return str(Path(__file__).parents[1])


def _machine() -> Iterator[Finding]:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    threads = _env.num_threads()
    yield Finding("processor", True, f"{platform.machine()}, {cores} usable, {threads} threads")
    if _env.disable_cache():
        fix = "unset TEGULA_DISABLE_CACHE"
        yield Finding("cache", None, "disabled: every process compiles anew", fix)
        return
    folder = _env.cache_dir()
    if _is_writeable(folder):
        files = list(folder.rglob("*.kernel"))
        size = sum(file.stat().st_size for file in files) / 2**20
        yield Finding("cache", True, f"{folder}: {len(files)} kernels, {size:.1f} MiB")
    else:
        fix = "make it writeable, or set TEGULA_CACHE_DIR to another folder"
        yield Finding("cache", False, f"{folder} cannot be written", fix)


def _is_writeable(folder: Path) -> bool:
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder.is_dir() and os.access(folder, os.W_OK)


def _targets() -> Iterator[Finding]:
    for family in targets.families():
        target = targets.representative(family)
        required = family == "cpu"
        for verb, found in (("compile", target.can_compile()), ("run", target.can_run())):
            ok = found.ok if found.ok or required else None
            yield Finding(f"{family}: {verb}", ok, found.reason, found.fix)
    for name, vendor, device in _DEVICES:
        if name not in targets.families():
            present = "present here" if Path(device).exists() else "none found"
            what = f"not part of this version ({vendor} GPU: {present})"
            yield Finding(name, None, what)
    tool = shutil.which("tegula-opt")
    fix = "" if tool else "add the folder of your environment's scripts to PATH"
    yield Finding("tegula-opt", True if tool else None, tool or "not on PATH", fix)
