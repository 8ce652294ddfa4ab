# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tegula run`: launch a kernel of a Python file."""

from __future__ import annotations

import inspect
import re
import time
import zipfile
from pathlib import Path
from typing import Any, cast

import click
import numpy as np
from rich.console import Console
from rich.table import Table

import tegula as tg
from tegula import _compile, _native
from tegula._compile import targets
from tegula._show import show
from tegula.cli.loading import load_kernel
from tegula.cli.specs import Array, parse_arguments, parse_grid
from tegula.cli.structures import flatten, gather


def run_kernel(
    kernel: str,
    arguments: tuple[str, ...],
    grid: str,
    input_file: Path | None,
    output_file: Path | None,
    interpret: bool,
    seed: int,
    device: str,
    threads: int | None,
) -> None:
    """Launch a kernel once and summarize its arrays; options as on the command line.

    Raises:
        click.ClickException: an argument means nothing.
        TegulaError: the kernel fails.
    """
    device = targets.get(device).name
    found = load_kernel(kernel)
    values = bind(found, arguments, input_file, np.random.default_rng(seed))
    parameters = inspect.signature(found.function).parameters.values()
    defaults = {p.name: p.default for p in parameters if p.default is not p.empty}
    sizes = parse_grid(grid, {**defaults, **flatten(values)})
    if threads is not None:
        use_threads(threads)
    before: dict[str, Array] = {}
    for name, array in _arrays(values).items():
        before[name] = np.array(array)
    start = time.perf_counter()
    if interpret:
        with tg.interpret():
            found[sizes](**values)
        how = "interpreted"
    else:
        with tg.target(device):
            found[sizes](**values)
        loaded = _compile.recent()[-1]
        how = f"{loaded.origin} in {1e3 * loaded.seconds:.1f} ms"
        start += loaded.seconds
    seconds = time.perf_counter() - start
    if output_file is not None:
        with output_file.open("wb") as stream:  # NumPy would append to a bare name.
            np.savez(stream, **cast("dict[str, Any]", _arrays(values)))
    name = found.function.__name__
    console = Console()
    console.print(_summary(f"{name}[{', '.join(map(str, sizes))}]", values, before))
    console.print(f"{how}, ran in {1e3 * seconds:.3f} ms")
    if output_file is not None:
        console.print(f"arrays written to {output_file}")


def _arrays(values: dict[str, Any]) -> dict[str, Array]:
    parts = flatten(values).items()
    return {name: cast(Array, v) for name, v in parts if isinstance(v, np.ndarray)}


def use_threads(count: int) -> None:
    """Limit the threads of launches, also after the launcher has been set up."""
    from tegula._runtime import cpu

    cpu.start()
    _native.set_num_threads(count)


def bind(
    kernel: tg.Kernel,
    arguments: tuple[str, ...],
    input_file: Path | None,
    rng: np.random.Generator,
    *,
    kinds: bool = False,
) -> dict[str, Any]:
    """Arguments by name, from specs and a NumPy archive.

    Raises:
        click.ClickException: they do not name parameters of the kernel, or an array is missing.
    """
    home = kernel.function.__module__
    values = parse_arguments(arguments, rng, kinds=kinds, home=home)
    if input_file is not None:
        for name, array in read_archive(input_file).items():
            if _takes(kernel, name):
                values.setdefault(name, array)
    for name in values:
        if not _takes(kernel, name):
            raise click.ClickException(
                f"{kernel.function.__name__} has no parameter {name!r}"
                f"\nparameters: {', '.join(kernel.parameters)}"
            )
    return gather(values, kernel.structured)


def _takes(kernel: tg.Kernel, name: str) -> bool:
    """Whether a name is a parameter's, or that of a part of one that takes structures."""
    parameter = re.split(r"[.\[]", name)[0]
    return name in kernel.parameters or parameter in kernel.structured


def read_archive(path: Path) -> dict[str, Array]:
    """All arrays of a NumPy archive.

    Raises:
        click.ClickException: it is none.
    """
    try:
        with np.load(path, allow_pickle=False) as data:
            if isinstance(data, np.ndarray):
                raise click.ClickException(f"{path} holds one array, not a NumPy archive (.npz)")
            return {name: np.array(data[name]) for name in data.files}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile):
        raise click.ClickException(
            f"{path} is no NumPy archive (.npz) of numbers; np.savez writes one"
        ) from None


def _summary(title: str, values: dict[str, Any], before: dict[str, Array]) -> Table:
    table = Table(title=title, title_justify="left")
    for column in ("name", "shape", "dtype"):
        table.add_column(column)
    table.add_column("changed", justify="right")
    for column in ("min", "mean", "max"):
        table.add_column(column, justify="right")
    for name, value in flatten(values).items():
        if name in before:
            array: Array = value
            changed = _changed(array, before[name])
            table.add_row(name, str(array.shape), str(array.dtype), changed, *_statistics(array))
        else:
            table.add_row(name, "", type(value).__name__, "", "", f"{show(value)}", "")
    return table


def _changed(after: Array, before: Array) -> str:
    """How many elements have other bytes than before."""
    if after.size == 0:
        return "no"
    flat: list[Any] = [np.ascontiguousarray(x) for x in (after, before)]
    now, then = (array.reshape(-1).view(np.uint8) for array in flat)
    different = now != then
    count = int(different.reshape(after.size, -1).any(axis=1).sum())
    return f"{count} of {after.size}" if count else "no"


def _statistics(value: Array) -> tuple[str, str, str]:
    if value.size == 0:
        return "", "", ""
    numbers = value.astype(np.float64)
    return f"{numbers.min():.6g}", f"{numbers.mean():.6g}", f"{numbers.max():.6g}"
