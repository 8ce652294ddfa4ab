# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of the demo: their arrays, their references and how much work they do."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import click
import ml_dtypes
import numpy as np

Array: TypeAlias = np.ndarray[tuple[int, ...], np.dtype[Any]]
_FLOATS = ("float64", "float32", "float16", "bfloat16")


@dataclass(frozen=True)
class Job:
    """One kernel of the demo.

    Attributes:
        name: as in the table.
        module: of :mod:`tegula.ops`, with a function of the job's name and a `reference`.
        arrays: names and shapes of the inputs that the demo makes.
        shape: describes the inputs.
        work: floating-point operations or bytes moved, and the unit of the rate.
    """

    name: str
    module: str
    arrays: Mapping[str, tuple[int, ...]]
    shape: Callable[..., str]
    work: Callable[..., tuple[float, str]]

    def run(self, *inputs: Array) -> Array:
        """The kernel's result."""
        return getattr(self._module(), self.name)(*inputs)

    def reference(self, *inputs: Array) -> Array:
        """The result in float64, by NumPy."""
        return self._module().reference(*inputs)

    def _module(self) -> Any:
        return importlib.import_module(f"tegula.ops.{self.module}")


def _product_shape(a: Array, b: Array, *_: Array) -> str:
    return f"{a.shape[0]}x{b.shape[1]}x{a.shape[1]}"


def _product_work(a: Array, b: Array, *_: Array) -> tuple[float, str]:
    return 2.0 * a.shape[0] * a.shape[1] * b.shape[1], "GFLOP/s"


def _first_shape(x: Array, *_: Array) -> str:
    return "x".join(map(str, x.shape))


def _read_and_write(x: Array, *_: Array) -> tuple[float, str]:
    return 2.0 * x.nbytes, "GB/s"


def _attention_work(q: Array, k: Array, v: Array) -> tuple[float, str]:
    return 4.0 * q.size * k.shape[-2], "GFLOP/s"


JOBS = (
    Job(
        "gemm_bias_gelu",
        "gemm",
        {"a": (1024, 1024), "b": (1024, 1024), "bias": (1024,)},
        _product_shape,
        _product_work,
    ),
    Job("softmax", "softmax", {"x": (4096, 1024)}, _first_shape, _read_and_write),
    Job(
        "layer_norm",
        "layer_norm",
        {"x": (4096, 1024), "weight": (1024,), "shift": (1024,)},
        _first_shape,
        _read_and_write,
    ),
    Job(
        "attention",
        "attention",
        {"q": (1024, 64), "k": (1024, 64), "v": (1024, 64)},
        _first_shape,
        _attention_work,
    ),
)


def make_inputs(
    job: Job, given: Mapping[str, Array], dtype: str, rng: np.random.Generator
) -> tuple[Array, ...]:
    """The inputs of a job: the arrays that were given, and standard normal ones that fit them.

    Raises:
        click.ClickException: a given array has the wrong dtype or rank.
    """
    sizes = _sizes(job, given)
    element = np.dtype(getattr(ml_dtypes, dtype, dtype))
    for name in job.arrays:
        if name in given:
            element = given[name].dtype
            break
    inputs: list[Array] = []
    for name in job.arrays:
        array = given.get(name)
        if array is None:
            array = rng.standard_normal(sizes[name]).astype(element)
        inputs.append(array)
    return tuple(inputs)


def _sizes(job: Job, given: Mapping[str, Array]) -> dict[str, tuple[int, ...]]:
    """Shapes of all inputs, those not given following from those given."""
    shapes = {name: array.shape for name, array in given.items() if name in job.arrays}
    for name, shape in shapes.items():
        array, rank = given[name], len(job.arrays[name])
        if str(array.dtype) not in _FLOATS:
            raise click.ClickException(
                f"{name} has dtype {array.dtype}, but {job.name} takes {', '.join(_FLOATS)}"
            )
        if len(shape) != rank and not (job.module == "attention" and len(shape) == 3):
            raise click.ClickException(
                f"{name} has shape {shape}, but {job.name} takes {rank} dimension(s)"
            )
    return _COMPLETE[job.module]({**job.arrays}, shapes)


_Shapes = dict[str, tuple[int, ...]]


def _complete_gemm(default: _Shapes, given: _Shapes) -> _Shapes:
    depth = given.get("a", (0, default["a"][1]))[1]
    if "a" not in given and "b" in given:
        depth = given["b"][0]
    rows = given.get("a", default["a"])[0]
    columns = given.get("b", (0, *given.get("bias", default["bias"])))[1]
    return {"a": (rows, depth), "b": (depth, columns), "bias": (columns,), **given}


def _complete_rows(default: _Shapes, given: _Shapes) -> _Shapes:
    if "x" in given:
        columns = given["x"][1]
    else:
        columns = next((shape[0] for shape in given.values()), default["x"][1])
    x = (default["x"][0], columns)
    return {"x": x, "weight": (columns,), "shift": (columns,), **given}


def _complete_attention(default: _Shapes, given: _Shapes) -> _Shapes:
    base = next((given[name] for name in ("k", "v", "q") if name in given), default["q"])
    return {"q": base, "k": base, "v": base, **given}


_COMPLETE: dict[str, Callable[[_Shapes, _Shapes], _Shapes]] = {
    "gemm": _complete_gemm,
    "softmax": _complete_rows,
    "layer_norm": _complete_rows,
    "attention": _complete_attention,
}
