# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Command line of the benchmarks: picks OpenBLAS kernels, runs the suites, shows one table."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from benchmarks.harness.model import Result
from benchmarks.harness.openblas import best_core, clean_environment
from benchmarks.harness.report import show

SUITES = sorted(path.stem for path in (Path(__file__).parent / "suites").glob("cpu_*.py"))


def run_suites(
    names: list[str], quick: bool, env: dict[str, str], note: Callable[[str], None]
) -> list[Result]:
    """Run suites in one process and collect its results."""
    command = [sys.executable, "-m", "benchmarks.worker", *names, *(["--quick"] if quick else [])]
    results = []
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as worker:
        for line in worker.stdout or ():
            event = json.loads(line)
            if "start" in event:
                note(event["start"])
            else:
                results.append(Result(**event["result"]))
    if worker.returncode != 0:
        raise click.ClickException(f"the benchmark process failed with {worker.returncode}")
    return results


@click.command()
@click.argument("suites", nargs=-1, type=click.Choice(SUITES))
@click.option("--quick", is_flag=True, help="Small sizes and few samples: to see that it works.")
@click.option("--json", "path", type=click.Path(path_type=Path), help="Write the results here.")
@click.option("--strict", is_flag=True, help="Exit with 1 if a goal is missed.")
def main(suites: tuple[str, ...], quick: bool, path: Path | None, strict: bool) -> None:
    """Measure Tegula against NumPy on one thread (all SUITES by default)."""
    columns = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    with Progress(*columns, transient=True) as progress:
        task = progress.add_task("trying OpenBLAS core types")
        core, tried = best_core()
        results = run_suites(
            list(suites or SUITES),
            quick,
            clean_environment(core),
            lambda text: progress.update(task, description=text),
        )
    show(results, tried, core, path)
    if strict and not all(result.met for result in results):
        sys.exit(1)


if __name__ == "__main__":
    main(prog_name="python -m benchmarks")
