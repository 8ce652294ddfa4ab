# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the kernel that FILE::KERNEL names."""

from __future__ import annotations

import difflib
import importlib.util
import sys
import traceback
from pathlib import Path
from types import ModuleType

import click

from tegula import Kernel
from tegula.errors import TegulaError


def load_kernel(reference: str) -> Kernel:
    """The kernel of a Python file; its name may be left out if there is one only.

    Raises:
        click.ClickException: there is no such file or kernel, or the file cannot be imported.
    """
    file, _, name = reference.partition("::")
    module = _import(_find(file))
    kernels = {key: value for key, value in vars(module).items() if isinstance(value, Kernel)}
    if not kernels:
        raise click.ClickException(
            f"{file} defines no kernel; a kernel is a function with the decorator @tg.kernel"
        )
    if not name:
        if len(kernels) == 1:
            return next(iter(kernels.values()))
        raise click.ClickException(
            f"{file} defines several kernels; name one: {file}::{next(iter(kernels))}"
            f"\nkernels: {', '.join(kernels)}"
        )
    if name in kernels:
        return kernels[name]
    message = f"{file} has no kernel {name!r}"
    if hasattr(module, name):
        message = f"{name!r} in {file} is no kernel; decorate it with @tg.kernel"
    near = difflib.get_close_matches(name, kernels, n=1)
    hint = f"\ndid you mean {near[0]!r}?" if near else ""
    raise click.ClickException(f"{message}{hint}\nkernels: {', '.join(kernels)}")


def _find(file: str) -> Path:
    path = Path(file)
    if not file or path.suffix != ".py":
        raise click.ClickException(f"expected FILE.py::KERNEL, got {file!r}")
    if path.is_file():
        return path
    hint = ""
    if path.parent.is_dir():
        names = [item.name for item in path.parent.glob("*.py")]
        near = difflib.get_close_matches(path.name, names, n=1)
        hint = f"\ndid you mean {path.parent / near[0]}?" if near else ""
    raise click.ClickException(f"there is no file {file}{hint}")


def _import(path: Path) -> ModuleType:
    """Run a file as a module, with its folder importable as for a script."""
    name = path.stem
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    spec = importlib.util.spec_from_file_location(name, path.resolve())
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # Classes and helpers look their module up.
    try:
        spec.loader.exec_module(module)
    except TegulaError:
        raise
    except SyntaxError as error:
        text = "".join(traceback.format_exception_only(error)).rstrip()
        raise click.ClickException(f"{path} is not valid Python:\n{text}") from None
    except Exception as error:
        frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename != __file__]
        frames = [frame for frame in frames if "importlib" not in frame.filename]
        text = "".join([*traceback.format_list(frames), *traceback.format_exception_only(error)])
        raise click.ClickException(f"{path} cannot be imported:\n{text.rstrip()}") from None
    return module
