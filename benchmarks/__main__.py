# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Command line of the benchmarks: picks OpenBLAS kernels, runs the suites, shows one table."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from benchmarks.harness.model import Result
from benchmarks.harness.openblas import best_core, clean_environment
from benchmarks.harness.report import Report
from benchmarks.harness.requirements import SUITES, missing, on_device, summary

Note = Callable[[str], None]


def events(command: list[str], env: dict[str, str], limit: float) -> Iterator[dict[str, Any]]:
    """What a worker tells; the last event is how it ended. It is killed when silent too long."""
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as worker:
        late = threading.Event()

        def stop() -> None:
            late.set()
            worker.kill()

        watchdog = threading.Timer(limit, stop)
        watchdog.start()
        for line in worker.stdout or ():
            watchdog.cancel()
            watchdog = threading.Timer(limit, stop)
            watchdog.start()
            if line.startswith("{"):
                yield json.loads(line)
            else:
                sys.stderr.write(line)
        worker.wait()
        watchdog.cancel()
    why = f"was silent for {limit:g} s" if late.is_set() else f"ended with {worker.returncode}"
    yield {"ended": worker.returncode, "why": f"its process {why}"}


def run_suite(
    suite: str, quick: bool, env: dict[str, str], limit: float, report: Report, note: Note
) -> None:
    """Run a suite in a process of its own, and in another one each time a case has ended that."""
    first = 0
    while True:
        case, name, answered = first - 1, "", True
        command = [sys.executable, "-m", "benchmarks.worker", suite, "--first", str(first)]
        for event in events(command + ["--quick"] * quick, env, limit):
            if "start" in event:
                case, name, answered = event["case"], event["start"], False
                note(f"{suite}: {name}")
            elif "result" in event:
                answered = True
                report.add(Result(**event["result"]))
            elif "machine" in event:
                report.device = event["machine"]
            elif event["ended"] == 0:
                return
            elif not answered or case < first:
                report.add(Result(suite, name or "(start)", error=event["why"]))
        if case < first:
            return
        first = case + 1


def choose(wanted: tuple[str, ...], report: Report) -> list[str]:
    """The suites to run; the others are reported as left out."""
    chosen: list[str] = []
    for suite in wanted or SUITES:
        lacks = missing(suite)
        if lacks:
            report.left_out[suite] = lacks
        else:
            chosen.append(suite)
    return chosen


def list_suites() -> None:
    """Print all suites with what they need."""
    for suite in SUITES:
        lacks = missing(suite)
        click.echo(f"{suite:18} {summary(suite)}{f' [not here: {lacks}]' if lacks else ''}")


def writable(_: click.Context, __: click.Parameter, path: Path | None) -> Path | None:
    """Refuse, before anything runs, a file that could not be written in the end."""
    if path is None:
        return None
    if not path.absolute().parent.is_dir():
        raise click.BadParameter(f"there is no folder {str(path.absolute().parent)!r}")
    if not os.access(path if path.exists() else path.absolute().parent, os.W_OK):
        raise click.BadParameter(f"{str(path)!r} may not be written")
    return path


@click.command()
@click.argument("suites", nargs=-1, type=click.Choice(SUITES))
@click.option("--list", "show_list", is_flag=True, help="List the suites and what they need.")
@click.option("--quick", is_flag=True, help="Small sizes and few samples: to see that it works.")
@click.option(
    "--json",
    "path",
    type=click.Path(dir_okay=False, path_type=Path),
    callback=writable,
    help="Write the results here.",
)
@click.option("--strict", is_flag=True, help="Exit with 1 if a goal is missed.")
@click.option(
    "--limit", default=300.0, show_default=True, help="Seconds of silence after which a case fails."
)
def main(
    suites: tuple[str, ...],
    show_list: bool,
    quick: bool,
    path: Path | None,
    strict: bool,
    limit: float,
) -> None:
    """Measure Tegula against others in the same run (all SUITES that can run here by default)."""
    if show_list:
        list_suites()
        return
    report = Report(path)
    chosen = choose(suites, report)
    columns = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    with Progress(*columns, transient=True) as progress:
        task = progress.add_task("starting")
        if not all(map(on_device, chosen)):
            progress.update(task, description="trying OpenBLAS core types")
            report.core, report.tried = best_core()
        for suite in chosen:
            env = dict(os.environ) if on_device(suite) else clean_environment(report.core)
            run_suite(
                suite,
                quick,
                env,
                limit,
                report,
                lambda text: progress.update(task, description=text),
            )
    report.show()
    if (strict and not report.met) or (suites and report.left_out):
        sys.exit(1)


if __name__ == "__main__":
    main(prog_name="python -m benchmarks")
