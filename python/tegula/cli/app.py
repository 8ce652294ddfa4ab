# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command `tegula`: its subcommands, their options, and how errors end the process.

Exit status: 0 if all went well, 1 for errors of kernels and failed checks, 2 for wrong usage.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import click

from tegula import __version__, _env
from tegula._location import is_own_file, is_user_file
from tegula.errors import TegulaError

_F = TypeVar("_F", bound=Callable[..., Any])
_CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}

_device = click.option(
    "--device", default="cpu", show_default=True, help="Target to compile for and run on."
)
_seed = click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Of the random arrays.",
)
_threads = click.option(
    "--threads",
    type=click.IntRange(min=1),
    help="Threads to use [default: all, or TEGULA_NUM_THREADS].",
)


def _writable(_ctx: click.Context, _parameter: click.Parameter, path: Path | None) -> Path | None:
    """Refuse a file that could not be written in the end."""
    if path is not None and not path.absolute().parent.is_dir():
        raise click.BadParameter(f"there is no folder {str(path.absolute().parent)!r}")
    return path


def _kernel_arguments(function: _F) -> _F:
    function = click.argument("arguments", nargs=-1, metavar="[NAME=SPEC]...")(function)
    return click.argument("kernel", metavar="FILE::KERNEL")(function)


class _Group(click.Group):
    """Shows errors of kernels as they render themselves, without a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except TegulaError as error:
            place = error.location
            if place is not None and _is_click(place.file):
                error.location = None  # The launch is ours: no line of the user's makes it.
            _fail(ctx, str(error))
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            if _env.full_traceback():
                raise
            _fail(ctx, _explain(error))


def _is_click(file: str) -> bool:
    return Path(file).is_relative_to(Path(click.__file__).parent)


def _fail(ctx: click.Context, text: str) -> NoReturn:
    click.echo(f"{click.style('error', fg='red', bold=True)}: {text}", err=True)
    ctx.exit(1)


def _explain(error: Exception) -> str:
    """An exception that is not ours: the user's own frames, or a report of a fault of Tegula."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"cannot use {error.filename}: {error.strerror}"
    what = "".join(traceback.format_exception_only(error)).rstrip()
    frames = traceback.extract_tb(error.__traceback__)
    frames = [f for f in frames if not is_own_file(f.filename) and not _is_click(f.filename)]
    if not any(is_user_file(frame.filename) for frame in frames):
        return f"{what}\nhelp: this may be a fault of Tegula; TEGULA_FULL_TRACEBACK=1 shows where"
    return f"{what}\n{''.join(traceback.format_list(frames)).rstrip()}"


@click.group(cls=_Group, context_settings=_CONTEXT)
@click.version_option(__version__, prog_name="tegula")
def tegula() -> None:
    """Compile and run kernels over tiles."""


@tegula.command()
@click.option("--device", help="Target to compile for and run on [default: the best one here].")
@_threads
@click.option(
    "--dtype",
    type=click.Choice(["float32", "float16", "bfloat16", "float64"]),
    default="float32",
    show_default=True,
    help="Of the arrays that the demo makes.",
)
@click.option(
    "--input",
    "input_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="NumPy archive (.npz) with arrays to use instead: a, b, bias (GEMM); x (softmax and layer "
    "norm), weight, shift (layer norm); q, k, v (attention). Any of them.",
)
@click.option("--only", multiple=True, help="Run only this kernel; may be repeated.")
@click.option(
    "--dump",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the IR of each stage [default: a temporary one].",
)
@_seed
def demo(**options: Any) -> None:
    """Compile and run four kernels, check them against NumPy, and show how fast they are.

    A GEMM with bias and GELU, a row softmax, a layer norm and an attention head. Each result is
    compared with NumPy in float64; the exit status is 1 if one is off.
    """
    from tegula.cli.demo import run_demo

    sys.exit(run_demo(**options))


@tegula.command()
@_kernel_arguments
@click.option(
    "--grid", required=True, help="Sizes of the grid, such as 4,2 or cdiv(x.shape[0],64)."
)
@click.option(
    "--input",
    "input_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="NumPy archive (.npz) with arrays for parameters of the same names.",
)
@click.option(
    "--output",
    "output_file",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    callback=_writable,
    help="NumPy archive (.npz) that receives all arrays after the launch.",
)
@click.option("--interpret", is_flag=True, help="Run in the interpreter, with NumPy.")
@_seed
@_device
@_threads
def run(**options: Any) -> None:
    """Launch a kernel of a Python file.

    \b
    A SPEC is
      a number or constant           n=100  eps=1e-5  BLOCK=128  CAUSAL=True  SHAPE=(4,8)
      an array made on the spot      x=randn(128,64):float32  y=zeros(128,64):bfloat16
                                     (randn, rand, randint, zeros, ones, full, arange)
      a NumPy file                   x=data.npy  x=data.npz:name
      a function, by its module      ACTIVATION=kernels:leaky_relu for one of kernels.py
    Of an argument that holds several values each has its own: p.x=randn(8)  pair[0]=ones(4)
    """  # noqa: D301  (click needs the control character)
    from tegula.cli.run import run_kernel

    run_kernel(**options)


@tegula.command(name="compile")
@_kernel_arguments
@click.option("--target", default="cpu", show_default=True, help="Target to compile for.")
@click.option("--emit", default="tile", show_default=True, help="Stage to show; see below.")
@click.option(
    "-o",
    "--output",
    "output_file",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    callback=_writable,
    help="File for the result [default: standard output].",
)
def compile_command(**options: Any) -> None:
    """Show a kernel of a Python file at a stage of its compilation.

    \b
    A SPEC is as for `tegula run`, or the kind of an array: x=float32[128,64], x=float16[?,64].
    Only the dtype, the rank, unit strides, alignment and divisibility by 16 of an array matter;
    ? is a size that 16 does not divide.

    \b
    Stages by target; no GPU is needed:
      cpu                            tile linalg buffers loops llvm-dialect llvm llvm-opt asm obj
      sm_80 sm_86 sm_89 sm_90a       tile layouts simt llvm-dialect llvm llvm-opt ptx cubin sass
      sm_100a sm_120a                (the same)
      gfx90a gfx942 gfx950           tile layouts simt llvm-dialect llvm llvm-opt amdgcn hsaco
      gfx1100 gfx1201                (the same)
    """  # noqa: D301  (click needs the control character)
    from tegula.cli.compile import compile_kernel

    compile_kernel(**options)


@tegula.command()
@_kernel_arguments
@click.option("--target", default="cpu", show_default=True, help="Target to compile for.")
@click.option("--topic", multiple=True, help="Only decisions about this; may be repeated.")
def explain(**options: Any) -> None:
    """Say what the compiler chose for a kernel, and which optimizations did not apply and why.

    Below each line of the kernel: tiles whose extents are padded, warps, tiles that are fetched
    ahead and loops where none is, tiles that change threads through shared memory, barriers.
    A SPEC is as for `tegula compile`; no GPU is needed.
    """
    from tegula.cli.compile import explain_kernel

    explain_kernel(**options)


@tegula.command()
def doctor() -> None:
    """Say what is installed, what works here, and how to fix what is missing."""
    from tegula.cli.doctor import run_doctor

    sys.exit(run_doctor())
