# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finding and running the linker for AMD GPUs: what is there, what is too old, what is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

import tegula as tg
from tegula._compile import rocm_linker
from tegula._compile.targets import Unit


@pytest.fixture(autouse=True)
def nothing_is_known(monkeypatch, tmp_path):
    """No linker has been found yet, and there is none but those that a test makes."""
    monkeypatch.setattr(rocm_linker, "_found", None)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("ROCM_PATH", str(tmp_path / "rocm"))


def make_linker(path: Path, version: str, body: str = "") -> Path:
    """A program that says that it is a version of lld."""
    path.parent.mkdir(parents=True, exist_ok=True)
    script = f'[ "$1" = --version ] && {{ echo "LLD {version} (compatible)"; exit 0; }}\n{body}'
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def test_a_missing_linker_is_named_with_how_to_get_it():
    with pytest.raises(tg.errors.CompileError) as caught:
        rocm_linker.find()
    assert "there is no linker for AMD GPUs: ld.lld 19 or newer" in caught.value.message
    assert "apt-get install lld-19" in (caught.value.help or "")


def test_one_that_is_too_old_is_named_with_its_version(tmp_path):
    old = make_linker(tmp_path / "bin" / "ld.lld", "14.0.6")
    with pytest.raises(tg.errors.CompileError) as caught:
        rocm_linker.find()
    assert caught.value.message.startswith(f"{old} is version 14.0.6, but code for AMD GPUs needs")


def test_a_newer_one_under_its_versioned_name_is_found_beside_an_old_one(tmp_path):
    make_linker(tmp_path / "bin" / "ld.lld", "14.0.6")
    new = make_linker(tmp_path / "bin" / "ld.lld-21", "21.1.0")
    assert rocm_linker.find() == rocm_linker.Linker(str(new), "21.1.0")


def test_the_one_of_rocm_is_preferred(tmp_path):
    make_linker(tmp_path / "bin" / "ld.lld", "21.1.0")
    own = make_linker(tmp_path / "rocm" / "llvm" / "bin" / "ld.lld", "20.0.0")
    assert rocm_linker.find().path == str(own)


def test_what_is_no_linker_is_passed_over(tmp_path):
    path = tmp_path / "bin" / "ld.lld"
    path.parent.mkdir()
    path.write_text("#!/bin/sh\necho GNU ld 2.40\n")
    path.chmod(0o755)
    with pytest.raises(tg.errors.CompileError, match="there is no linker"):
        rocm_linker.find()


def test_what_the_linker_says_is_in_the_error(tmp_path):
    make_linker(tmp_path / "bin" / "ld.lld", "21.1.0", "echo 'bad magic' >&2; exit 1")
    with pytest.raises(tg.errors.CompileError, match="cannot link the code of 'scale'.*bad magic"):
        rocm_linker.link(b"no object", Unit(b"", "scale"))
