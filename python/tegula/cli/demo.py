# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tegula demo`: four ready-made kernels, compiled, run, checked and timed."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import click
import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn
from rich.table import Table

import tegula as tg
from tegula import _compile
from tegula._compile import pipeline, targets
from tegula.cli.demo_jobs import JOBS, Array, Job, make_inputs
from tegula.cli.run import read_archive, use_threads
from tegula.errors import TegulaError

# Largest error that passes, as a multiple of the result's largest magnitude. Results are rounded to
# the dtype; sums of products are accumulated in float32 (float64 for float64).
_TOLERANCES = {"float64": 1e-12, "float32": 2e-5, "float16": 2e-3, "bfloat16": 1.5e-2}
_MIN_RUNS, _MAX_RUNS, _SECONDS = 5, 200, 0.5


@dataclass
class Row:
    """What is known of one kernel; `problem` is why it failed, if it did."""

    job: Job
    inputs: tuple[Array, ...]
    compile_ms: float | None = None
    run_ms: float | None = None
    error: float | None = None
    problem: str | None = None
    source: _compile.KernelSource | None = None

    @property
    def tolerance(self) -> float:
        """The largest error that passes."""
        return _TOLERANCES[str(self.inputs[0].dtype)]


def run_demo(
    device: str | None,
    threads: int | None,
    dtype: str,
    input_file: Path | None,
    only: tuple[str, ...],
    dump: Path | None,
    seed: int,
) -> int:
    """Run the demo; options as on the command line. Returns the exit status.

    Raises:
        click.ClickException: an option or an array does not fit.
    """
    device = device or targets.best()
    target = targets.get(device)
    jobs = _select(only)
    given = read_archive(input_file) if input_file is not None else {}
    rng = np.random.default_rng(seed)
    rows = [Row(job, make_inputs(job, given, dtype, rng)) for job in jobs]
    if threads is not None:
        use_threads(threads)
    folder = dump or Path(tempfile.mkdtemp(prefix="tegula-demo-"))
    console = Console()
    if not console.is_terminal:  # A log has room for whole rows.
        console.width = max(console.width, 120)
    with Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as progress:
        task = progress.add_task("loading the compiler", total=4 * len(rows) + 1)
        _load_compiler(target)
        progress.advance(task)

        def step(text: str, action: Callable[[], None]) -> None:
            progress.update(task, description=text)
            action()
            progress.advance(task)

        for row in rows:
            with tg.target(device):
                _process(row, target, folder, step)
    console.print(_table(rows, device))
    return _conclude(rows, folder, console)


def _select(only: tuple[str, ...]) -> list[Job]:
    names = [job.name for job in JOBS]
    for name in only:
        if name not in names:
            raise click.ClickException(
                f"the demo has no kernel {name!r}; its kernels are: {', '.join(names)}"
            )
    return [job for job in JOBS if not only or job.name in only]


def _load_compiler(target: targets.Target) -> None:
    """Import MLIR and LLVM, which is no part of compiling a kernel."""
    for verb, found in (("compile for", target.can_compile()), ("run on", target.can_run())):
        if not found.ok:
            message = f"cannot {verb} {target.name}: {found.reason}"
            raise click.ClickException(f"{message}\nto fix it: {found.fix}")
    target.pipeline()
    from tegula.mlir import passmanager  # noqa: F401  # pyright: ignore


def _process(
    row: Row, target: targets.Target, folder: Path, step: Callable[[str, Callable[[], None]], None]
) -> None:
    """Fill a row; a kernel that fails leaves its reason there."""
    name = row.job.name
    try:
        step(f"{name}: compiling", lambda: _compile_once(row))
        step(f"{name}: running", lambda: _measure(row))
        step(f"{name}: checking", lambda: _check(row))
        step(f"{name}: writing IR", lambda: _write_stages(row, target, folder / name))
    except TegulaError as error:
        row.problem = str(error)


def _compile_once(row: Row) -> None:
    with _compile.fresh() as loaded:
        row.job.run(*row.inputs)
    if loaded:
        row.compile_ms = 1e3 * loaded[-1].seconds
        row.source = loaded[-1].source


def _measure(row: Row) -> None:
    times: list[float] = []
    end = time.perf_counter() + _SECONDS
    while len(times) < _MIN_RUNS or (time.perf_counter() < end and len(times) < _MAX_RUNS):
        start = time.perf_counter()
        row.job.run(*row.inputs)
        times.append(time.perf_counter() - start)
    row.run_ms = 1e3 * median(times)


def _check(row: Row) -> None:
    got = row.job.run(*row.inputs).astype(np.float64)
    expected = row.job.reference(*row.inputs)
    scale = float(np.max(np.abs(expected), initial=0.0)) or 1.0
    difference = np.abs(got - expected)
    row.error = float(np.max(difference, initial=0.0)) / scale
    if not row.error <= row.tolerance:
        row.problem = f"the error {row.error:.2g} is above {row.tolerance:.2g}"


def _write_stages(row: Row, target: targets.Target, folder: Path) -> None:
    if row.source is None:
        return
    folder.mkdir(parents=True, exist_ok=True)
    for number, (stage, text) in enumerate(pipeline.stages(row.source.trace(), target)):
        path = folder / f"{number}-{stage.name}.{stage.suffix}"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())


def _table(rows: list[Row], device: str) -> Table:
    table = Table(title="tegula demo", title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for column in ("kernel", "shape", "dtype", "device"):
        table.add_column(column, overflow="fold")
    for column in ("compile ms", "run ms", "rate", "error", "check"):
        table.add_column(column, justify="right", no_wrap=True)
    for row in rows:
        verdict = "[green]ok[/]" if row.problem is None else "[red]FAILED[/]"
        table.add_row(
            row.job.name,
            row.job.shape(*row.inputs),
            str(row.inputs[0].dtype),
            device,
            _number(row.compile_ms, ".1f"),
            _number(row.run_ms, ".3f"),
            _rate(row),
            _number(row.error, ".1e"),
            verdict,
        )
    return table


def _number(value: Any, form: str) -> str:
    return "-" if value is None else format(value, form)


def _rate(row: Row) -> str:
    if not row.run_ms:
        return "-"
    amount, unit = row.job.work(*row.inputs)
    return f"{amount / row.run_ms / 1e6:.1f} {unit}"


def _conclude(rows: list[Row], folder: Path, console: Console) -> int:
    """Say where the IR is and what failed; the exit status."""
    console.print("error: largest difference to NumPy in float64, relative to the largest result")
    if folder.is_dir():
        console.print("IR of each stage, in order:", style="bold")
    for row in rows:
        place = folder / row.job.name
        files = sorted(place.glob("*")) if place.is_dir() else []
        if files:
            console.print(f"  {place}: {files[0].name} to {files[-1].name}", soft_wrap=True)
    failed = [row for row in rows if row.problem is not None]
    for row in failed:
        console.print(f"[red]{row.job.name}[/]:", end=" ")
        console.print(row.problem, markup=False, highlight=False)
    return 1 if failed else 0
