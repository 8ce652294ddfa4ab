# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What NAME=SPEC arguments and --grid mean.

Specs are read with Python's own parser but never evaluated: only the forms listed here exist.
"""

from __future__ import annotations

import ast
import difflib
import importlib
import re
import sys
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

import click
import numpy as np

from tegula._specs import KIND, Array, aligned_empty, numpy_dtype, of_kind
from tegula.cli.structures import PART
from tegula.lang import dtypes

_T = TypeVar("_T")
_MEMBER = re.compile(r"(?P<module>[^\W\d]\w*(\.\w+)*):(?P<member>[^\W\d]\w*(\.\w+)*)")
_CALL = re.compile(r"(?P<maker>\w+)\((?P<arguments>.*)\)(:(?P<dtype>\w+))?", re.DOTALL)


class SpecError(click.ClickException):
    """A spec that means nothing."""

    def __init__(self, name: str, spec: str, reason: str) -> None:
        super().__init__(f"{name}={spec}: {reason}")


def parse_arguments(
    arguments: Sequence[str], rng: np.random.Generator, *, kinds: bool, home: str = ""
) -> dict[str, Any]:
    """The values of NAME=SPEC arguments.

    Args:
        arguments: as given on the command line.
        rng: makes random arrays.
        kinds: whether `float32[2,?]` is allowed: an array of which only the kind matters.
        home: the module of the kernel, for messages.

    Raises:
        click.ClickException: one of them is malformed or given twice.
    """
    values: dict[str, Any] = {}
    for argument in arguments:
        name, equals, spec = argument.partition("=")
        if not equals or not PART.fullmatch(name):
            raise click.ClickException(
                f"expected NAME=SPEC, got {argument!r}; for example x=randn(128,64):float32"
            )
        if name in values:
            raise click.ClickException(f"{name} is given twice")
        values[name] = parse_spec(name, spec, rng, kinds=kinds, home=home)
    return values


def parse_spec(
    name: str, spec: str, rng: np.random.Generator, *, kinds: bool, home: str = ""
) -> Any:
    """The value of one spec.

    Raises:
        SpecError: it is malformed.
    """
    text = spec.strip()
    file, _, member = text.partition(":")
    if Path(file).suffix in (".npy", ".npz"):
        return _read(name, spec, file, member)
    kind = KIND.fullmatch(text)
    if kind is not None:
        if not kinds:
            raise SpecError(
                name,
                spec,
                "an array to run on needs values, for example "
                f"zeros({kind['sizes'].replace('?', '100')}):{kind['dtype']}",
            )
        return _or_refuse(name, spec, lambda: of_kind(kind))
    call = _CALL.fullmatch(text)
    if call is not None and call["maker"] in _MAKERS:
        return _make(name, spec, call, rng)
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        pass
    if text in dtypes.__dict__ and isinstance(getattr(dtypes, text), dtypes.DType):
        return getattr(dtypes, text)
    member_of = _MEMBER.fullmatch(text)
    if member_of is not None:
        return _import(name, spec, member_of["module"], member_of["member"])
    makers = ", ".join(_MAKERS)
    reason = f"not a number, a constant, a file, or an array made by one of: {makers}"
    if text.isidentifier():
        module = home if hasattr(sys.modules.get(home), text) else "module"
        reason += (
            f"; a function is named with its module: {name}={module}:{text}; a text has quotes of "
            f"its own: {name}=\"'{text}'\""
        )
    raise SpecError(name, spec, reason)


def _import(name: str, spec: str, module: str, member: str) -> Any:
    """What a module calls `member`, such as a function for a compile-time parameter.

    The kernel's own file has been imported under its name.
    """
    try:
        found: Any = importlib.import_module(module)
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        raise SpecError(name, spec, f"the module {module} cannot be imported: {text}") from None
    for part in member.split("."):
        if not hasattr(found, part):
            near = difflib.get_close_matches(part, dir(found), n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise SpecError(name, spec, f"{module} has no {part!r}{hint}")
        found = getattr(found, part)
    return found


def _or_refuse(name: str, spec: str, make: Callable[[], _T]) -> _T:
    try:
        return make()
    except ValueError as error:
        raise SpecError(name, spec, str(error)) from None


def _read(name: str, spec: str, file: str, member: str) -> Array:
    try:
        data = np.load(file, allow_pickle=False)
    except OSError as error:
        raise SpecError(name, spec, f"cannot read {file}: {error.strerror or error}") from None
    except (ValueError, EOFError, zipfile.BadZipFile):
        reason = f"{file} is no NumPy file of numbers; np.save and np.savez write one"
        raise SpecError(name, spec, reason) from None
    if isinstance(data, np.ndarray):
        return cast(Array, data)
    with data:
        key = member or name
        if key not in data:
            names = ", ".join(data.files)
            raise SpecError(name, spec, f"{file} has no array {key!r}; it has: {names}")
        return np.array(data[key])


def _shape(arguments: Sequence[Any]) -> tuple[int, ...]:
    sizes: Sequence[Any] = arguments
    if len(arguments) == 1 and isinstance(arguments[0], tuple):
        sizes = cast("tuple[Any, ...]", arguments[0])
    if not all(isinstance(size, int) and size >= 0 for size in sizes):
        raise ValueError("a shape is made of integers >= 0")
    return tuple(sizes)


def _randn(rng: np.random.Generator, *shape: Any) -> Array:
    return rng.standard_normal(_shape(shape))


def _rand(rng: np.random.Generator, *shape: Any) -> Array:
    return rng.random(_shape(shape))


def _randint(rng: np.random.Generator, low: int, high: int, *shape: Any) -> Array:
    return rng.integers(low, high, _shape(shape))


def _zeros(_rng: np.random.Generator, *shape: Any) -> Array:
    return np.zeros(_shape(shape))


def _ones(_rng: np.random.Generator, *shape: Any) -> Array:
    return np.ones(_shape(shape))


def _full(_rng: np.random.Generator, shape: Any, value: float) -> Array:
    return np.full(_shape((shape,)), value)


def _arange(_rng: np.random.Generator, *bounds: int) -> Array:
    return np.arange(*bounds)


_MAKERS: dict[str, Callable[..., Array]] = {
    "randn": _randn,
    "rand": _rand,
    "randint": _randint,
    "zeros": _zeros,
    "ones": _ones,
    "full": _full,
    "arange": _arange,
}


def _make(name: str, spec: str, call: re.Match[str], rng: np.random.Generator) -> Array:
    try:
        arguments = ast.literal_eval(f"({call['arguments']},)") if call["arguments"].strip() else ()
        made = _MAKERS[call["maker"]](rng, *arguments)
    except MemoryError:
        raise SpecError(name, spec, "too large for this machine's memory") from None
    except (ValueError, SyntaxError, TypeError, ArithmeticError) as error:
        raise SpecError(name, spec, f"{call['maker']} does not take that: {error}") from None
    default = "float32" if made.dtype.kind == "f" else str(made.dtype)
    dtype = _or_refuse(name, spec, lambda: numpy_dtype(call["dtype"] or default))
    result = aligned_empty(made.shape, dtype)
    result[...] = made.astype(dtype)
    return result


def parse_grid(text: str, values: Mapping[str, Any]) -> tuple[int, ...]:
    """The sizes of a grid: integers, arguments, `x.shape[0]`, + - * // and cdiv, by commas.

    Parts of arguments go by names such as `p.x`.

    Raises:
        click.ClickException: something else is in it.
    """
    try:
        tree = ast.parse(f"({text},)", mode="eval").body
    except SyntaxError:
        raise click.ClickException(f"--grid {text}: not a list of sizes") from None
    assert isinstance(tree, ast.Tuple)
    sizes = tuple(_Grid(text, values).evaluate(item) for item in tree.elts)
    if not 1 <= len(sizes) <= 3 or any(not isinstance(s, int) or s < 0 for s in sizes):
        raise click.ClickException(f"--grid {text}: a grid is one to three integers >= 0")
    return sizes


class _Grid:
    """Evaluates the expressions that a grid may hold."""

    def __init__(self, text: str, values: Mapping[str, Any]) -> None:
        self._text = text
        self._values = values

    def evaluate(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return node.value
        if isinstance(node, ast.Name):
            return self._name(node.id)
        if isinstance(node, ast.BinOp):
            return self._operation(node)
        if isinstance(node, ast.Subscript) and getattr(node.value, "attr", "") == "shape":
            return self._size(cast(ast.Attribute, node.value), self.evaluate(node.slice))
        if isinstance(node, (ast.Attribute, ast.Subscript)):
            return self._name(ast.unparse(node))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -self.evaluate(node.operand)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 2:
            a, b = (self.evaluate(item) for item in node.args)
            if node.func.id == "cdiv" and b != 0:
                return -(-a // b)
        raise self._refuse(ast.unparse(node))

    def _name(self, name: str) -> int:
        value = self._values.get(name)
        if isinstance(value, int):
            return value
        raise self._refuse(name)

    def _operation(self, node: ast.BinOp) -> int:
        a, b = self.evaluate(node.left), self.evaluate(node.right)
        if isinstance(node.op, ast.Add):
            return a + b
        if isinstance(node.op, ast.Sub):
            return a - b
        if isinstance(node.op, ast.Mult):
            return a * b
        if isinstance(node.op, ast.FloorDiv) and b != 0:
            return a // b
        raise self._refuse(ast.unparse(node))

    def _size(self, node: ast.Attribute, axis: int) -> int:
        value = self._values.get(ast.unparse(node.value))
        if isinstance(value, np.ndarray) and -value.ndim <= axis < value.ndim:
            return int(cast(Array, value).shape[axis])
        raise self._refuse(f"{ast.unparse(node)}[{axis}]")

    def _refuse(self, part: str) -> click.ClickException:
        return click.ClickException(
            f"--grid {self._text}: {part} is not an integer that is known here; use integers, "
            "integer arguments, x.shape[0], + - * // and cdiv(a, b)"
        )
