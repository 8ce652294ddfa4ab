# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The environment variables: defaults, values, and values that make no sense."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tegula import _env
from tegula.errors import ArgumentError


def test_number_of_threads(monkeypatch):
    monkeypatch.delenv("TEGULA_NUM_THREADS", raising=False)
    assert 1 <= _env.num_threads() <= (os.cpu_count() or 1)
    monkeypatch.setenv("TEGULA_NUM_THREADS", " 3 ")
    assert _env.num_threads() == 3
    for text in ("0", "-1", "two", "1.5"):
        monkeypatch.setenv("TEGULA_NUM_THREADS", text)
        with pytest.raises(ArgumentError, match=f"TEGULA_NUM_THREADS is '{text}'"):
            _env.num_threads()


def test_folders(monkeypatch):
    monkeypatch.delenv("TEGULA_CACHE_DIR", raising=False)
    monkeypatch.delenv("TEGULA_DUMP", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/xdg")
    assert _env.cache_dir() == Path("/xdg/tegula")
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    assert _env.cache_dir() == Path.home() / ".cache" / "tegula"
    monkeypatch.setenv("TEGULA_CACHE_DIR", "~/elsewhere")
    assert _env.cache_dir() == Path.home() / "elsewhere"
    assert _env.dump_dir() is None
    monkeypatch.setenv("TEGULA_DUMP", "dump")
    assert _env.dump_dir() == Path("dump")


@pytest.mark.parametrize(
    "name, function",
    [
        ("TEGULA_DISABLE_CACHE", _env.disable_cache),
        ("TEGULA_FULL_TRACEBACK", _env.full_traceback),
    ],
)
def test_switches(name, function, monkeypatch):
    monkeypatch.delenv(name, raising=False)
    assert function() is False
    for text, expected in (("1", True), ("yes", True), ("On", True), ("0", False), ("", False)):
        monkeypatch.setenv(name, text)
        assert function() is expected
    monkeypatch.setenv(name, "maybe")
    with pytest.raises(ArgumentError, match=f"{name} is 'maybe'"):
        function()


def test_importing_loads_neither_mlir_nor_llvm():
    script = (
        "import sys, tegula\n"
        "loaded = {name.partition('.')[0] for name in sys.modules}\n"
        "print('tegula.mlir' in sys.modules, sorted(loaded & {'llvmlite', 'rich', 'click'}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "[]"]


def test_public_names_exist():
    import tegula as tg

    assert len(set(tg.__all__)) == len(tg.__all__)
    for name in tg.__all__:
        assert getattr(tg, name) is not None
