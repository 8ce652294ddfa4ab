# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tegula compile` and `tegula explain`: show what became of a kernel, and why."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import Any

import click
import numpy as np

from tegula._compile import pipeline, targets
from tegula._compiled import Compiled
from tegula._specs import resolve
from tegula.cli.loading import load_kernel
from tegula.cli.run import bind
from tegula.kernel import Kernel


def compile_kernel(
    kernel: str,
    arguments: tuple[str, ...],
    target: str,
    emit: str,
    output_file: Path | None,
) -> None:
    """Write a stage to a file or standard output; options as on the command line.

    Raises:
        click.ClickException: an argument means nothing, or the target has no such stage.
        TegulaError: the kernel cannot be compiled.
    """
    backend = targets.get(target)
    names = [stage.name for stage in backend.stages()]
    if emit not in names:
        raise click.ClickException(
            f"{target} has no stage {emit!r}; its stages are: {', '.join(names)}"
        )
    found, values = _described(kernel, arguments)
    module = found.specialize(**values).trace().module
    text = pipeline.stage(module, backend, emit)
    data = text if isinstance(text, bytes) else text.encode()
    if output_file is not None:
        output_file.write_bytes(data)
    elif isinstance(text, bytes) and sys.stdout.isatty():
        raise click.ClickException("the result is binary; give a file with --output")
    else:
        sys.stdout.buffer.write(data)
        sys.stdout.flush()


def explain_kernel(
    kernel: str, arguments: tuple[str, ...], target: str, topic: tuple[str, ...]
) -> None:
    """Write what the compiler decided to standard output; options as on the command line.

    Raises:
        click.ClickException: an argument means nothing, or nothing was decided about a topic.
        TegulaError: the kernel cannot be compiled.
    """
    found, values = _described(kernel, arguments)
    module = found.specialize(**values).trace().module
    report = Compiled(found.function.__name__, targets.get(target), module).explain()
    if topic:
        kept = tuple(item for item in report.decisions if item.topic in topic)
        if not kept:
            known = ", ".join(sorted({item.topic for item in report.decisions}))
            raise click.ClickException(
                f"nothing was decided about {', '.join(topic)}; topics here: {known or 'none'}"
            )
        report = dataclasses.replace(report, decisions=kept)
    click.echo(str(report))


def _described(kernel: str, arguments: tuple[str, ...]) -> tuple[Kernel, dict[str, Any]]:
    """A kernel and its arguments by name, of which arrays may be only described."""
    found = load_kernel(kernel)
    values = bind(found, arguments, None, np.random.default_rng(0), kinds=True)
    return found, resolve(found, (), values)[1]
