# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tegula compile`: show a kernel at a stage of its compilation."""

from __future__ import annotations

import sys
from pathlib import Path

import click
import numpy as np

from tegula._compile import pipeline, targets
from tegula.cli.loading import load_kernel
from tegula.cli.run import bind


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
    found = load_kernel(kernel)
    values = bind(found, arguments, None, np.random.default_rng(0), kinds=True)
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
