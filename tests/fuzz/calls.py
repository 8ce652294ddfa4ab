# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hostile arguments to functions: the language's, inside a kernel, and those around kernels."""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable
from typing import Any

import click
import numpy as np

import tegula as tg
from tegula.errors import TegulaError
from tests.fuzz import hostile
from tests.fuzz.kinds import Finding, Note

V = np.arange(16, dtype=np.float32)
N = np.arange(16, dtype=np.int32)

# What a kernel has at hand, by name.
VALUES: dict[str, Callable[[tg.Array, tg.Array], Any]] = {
    "floats": lambda v, n: tg.load(v, 0, 4),
    "ints": lambda v, n: tg.load(n, 0, 4),
    "wide": lambda v, n: tg.full((2, 4), 1.5, tg.float32),
    "square": lambda v, n: tg.full((4, 4), 2, tg.int8),
    "cube": lambda v, n: tg.zeros((2, 2, 4), tg.float16),
    "one": lambda v, n: tg.zeros((1,), tg.float64),
    "bytes": lambda v, n: tg.zeros((4, 8), tg.uint8),
    "mask": lambda v, n: tg.arange(4) < 2,
    "fp8": lambda v, n: tg.zeros((4,), tg.float8_e4m3fn),
    "scalar": lambda v, n: tg.program_id(0),
    "float scalar": lambda v, n: tg.sum(tg.load(v, 0, 4)),
    "array": lambda v, n: v,
    "int array": lambda v, n: n,
    "view": lambda v, n: v[2:],
    "matrix": lambda v, n: v.reshape(4, 4),
    "tiles": lambda v, n: [tg.load(v, 0, 4), tg.load(v, 1, 4)],
    "pair": lambda v, n: (tg.load(v, 0, 4), tg.load(n, 0, 4)),
    "index": lambda v, n: (tg.arange(4),),
    "add": lambda v, n: lambda a, b: a + b,
    "two": lambda v, n: lambda a, b, c, d: (a + c, b * d),
}
LITERALS = (
    *("0", "1", "-1", "2", "3", "4", "8", "2.5", "True", "None", "'add'", "'tf32'", "()", "(0,)"),
    *(
        "(4,)",
        "(2, 2)",
        "(4, 4)",
        "(-1,)",
        "(0, 0)",
        "[1, 0]",
        "(1.5,)",
        "('a',)",
        "10**30",
        "-0.0",
    ),
    *("tg.float32", "tg.int8", "tg.bool_", "tg.float8_e5m2", "np.float32", "'float32'", "float"),
    *("tg", "...", "slice(1)", "2**31", "(2**20, 2**20)", "(1,) * 9", "float('nan')", "1e400"),
    *("np.arange(4)", "np.zeros((2, 3))", "np.float16(3)", "'e4m3'", "'e2m1'"),
)
# Not operations on values, or endless by design.
LEFT_OUT = {"Array", "Const", "DType", "Tile", "kernel", "interpret", "target", "Kernel"}


def operations() -> list[str]:
    """The language's functions, and methods of tiles and arrays."""
    names = [n for n in tg.lang.__all__ if n not in LEFT_OUT and inspect.isfunction(getattr(tg, n))]
    for owner in (tg.Tile, tg.Array):
        names += [
            f"{owner.__name__}.{name}"
            for name, item in vars(owner).items()
            if inspect.isfunction(item)
            and (not name.startswith("_") or name in ("__getitem__", "__add__", "__matmul__"))
        ]
    return sorted(names)


def find(name: str) -> Callable[..., Any]:
    owner, _, method = name.rpartition(".")
    return getattr(getattr(tg, owner) if owner else tg, method)


def value(rng: random.Random) -> str:
    """A value as `$name` of VALUES, `!name` of hostile objects, or a literal."""
    draw = rng.random()
    if draw < 0.55:
        return "$" + rng.choice(sorted(VALUES))
    if draw < 0.9:
        return rng.choice(LITERALS)
    return "!" + rng.choice(sorted(hostile.OBJECTS))


def make(rng: random.Random) -> dict[str, Any]:
    """A function and arguments."""
    if rng.random() < 0.3:
        name = rng.choice(sorted(OUTSIDE))
        return {"call": name, "arguments": [outside_value(rng) for _ in range(rng.randint(1, 3))]}
    name = rng.choice(operations())
    parameters = [
        p
        for p in inspect.signature(find(name)).parameters.values()
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    required = sum(1 for p in parameters if p.default is p.empty)
    given = [value(rng) for _ in range(rng.randint(required, max(required, len(parameters))))]
    owner, _, _ = name.rpartition(".")
    if owner and given:  # mostly a method of the right object
        fitting = ["$floats", "$wide", "$scalar"] if owner == "Tile" else ["$array", "$matrix"]
        given[0] = rng.choice(fitting)
    elif given and rng.random() < 0.5:
        given[0] = rng.choice(("$floats", "$wide", "$ints", "$array", "$square"))
    return {"call": name, "arguments": given}


def resolve(text: str, v: tg.Array | None, n: tg.Array | None) -> Any:
    if text.startswith("$"):
        return VALUES[text[1:]](v, n) if v is not None and n is not None else V
    if text.startswith("!"):
        return hostile.OBJECTS[text[1:]]()
    return eval(text, {"tg": tg, "np": np})


CURRENT: list[dict[str, Any]] = []


def apply(v: tg.Array, n: tg.Array) -> None:
    item = CURRENT[-1]
    find(item["call"])(*[resolve(text, v, n) for text in item["arguments"]])


@tg.kernel
def applied(v: tg.Array, n: tg.Array):
    apply(v, n)


def run(item: dict[str, Any], note: Note) -> str:
    """Call it: in a kernel, interpreted and traced; or as it is."""
    note(f"calling {item['call']}")
    if item["call"] in OUTSIDE:
        return outside(item)
    CURRENT[:] = [item]
    want = ending(item, interpreted=True)
    got = ending(item, interpreted=False)
    if type(want) is not type(got) and not explained(want, got):
        ends = f"interpreted {type(want).__name__}, traced {type(got).__name__}"
        raise Finding(f"{item['call']}: {ends}", f"{want}\n---\n{got}")
    return "called" if got is None else f"refused: {type(got).__name__}"


def ending(item: dict[str, Any], *, interpreted: bool) -> Exception | None:
    """The error that a call ends with, which is this package's or the argument's."""
    v, n = V.copy(), N.copy()
    try:
        if interpreted:
            with tg.interpret():
                applied[1](v, n)
        else:
            applied.specialize(v, n).trace()
    except TegulaError as error:
        return error
    except Exception as error:
        from tests.fuzz.launches import is_own

        if is_own(error) and not of_the_call(error):
            raise
        return error
    return None


def of_the_call(error: BaseException) -> bool:
    """Whether Python refused the call itself, or a function that the caller wrote."""
    from tests.fuzz.pool import origin

    return "calls.py" in origin(error)


def explained(want: Exception | None, got: Exception | None) -> bool:
    """Whether only the compiled kernel can refuse: values that it does not know yet."""
    traced = (tg.errors.TracedValueError, tg.errors.ControlFlowError)
    if isinstance(got, traced):
        return True
    runtime = (tg.errors.KernelAssertionError, tg.errors.StoreError)
    return got is None and isinstance(want, runtime)  # known when it runs, and it was only traced


# Around kernels
@tg.kernel
def plain(v: tg.Array, n, BLOCK: tg.Const = 4):
    tg.store(v, 0, tg.full((BLOCK,), n, tg.float32).astype(v.dtype))


def _in_target(name: Any) -> None:
    with tg.target(name):
        plain[1](V.copy(), 1)


def _specs(*texts: Any) -> None:
    from tegula.cli.specs import parse_arguments

    parse_arguments([str(text)[:200] for text in texts], np.random.default_rng(0), kinds=True)


def _ops(name: str) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        from tegula import ops

        return getattr(ops, name)(*arguments)

    return call


SPECS = (
    *("x=1", "x=randn(2,3)", "x=float32[2,?]", "=3", "x", "x=", "x=a.npy", "x=zeros(-1)", "x=(1,"),
    *("x=float33[2]", "x=float32[99999999999999999999]", "x=full(2, 'a')", "x=arange(1e9)", "x=**"),
    *("x=randint(5, 1, 2)", "x.y=1", "x=zeros((2,3)):int9", "x=((((((1", "\0=1", "x=randn(10**30)"),
    *(
        "x=[1,2]",
        "x=arange(0,9,0)",
        "x=full((2,),1e999):int8",
        "x=a.npz:b",
        "x=ones(2):float8_e5m2",
    ),
)
OUTSIDE: dict[str, Callable[..., Any]] = {
    "cdiv": lambda a, b=1, *_: tg.cdiv(a, b),
    "kernel()": lambda a, *_: tg.kernel(a),
    "kernel(fast_math)": lambda a, *_: tg.kernel(fast_math=a)(lambda v: None),
    "grid": lambda a, *_: plain[a](V.copy(), 1),
    "specialize": lambda *a: plain.specialize(*a).ir("tile"),
    "const": lambda a, *_: plain[1](V.copy(), 1, BLOCK=a),
    "stage": lambda a, *_: plain.specialize(V, 1).ir("tile", a),
    "prepare": lambda *a: plain[1].prepare(*a),
    "target": lambda a, *_: _in_target(a),
    "int8()": lambda a, *_: tg.int8(a),
    "float16()": lambda a, *_: tg.float16(a),
    "bool_()": lambda a, *_: tg.bool_(a),
    "specs": _specs,
    "softmax": _ops("softmax"),
    "layer_norm": _ops("layer_norm"),
    "gemm": _ops("gemm_bias_gelu"),
    "attention": _ops("attention"),
    "load outside": lambda *a: tg.load(*a),
    "interpreted": lambda *a: _interpreted(*a),
}


def _interpreted(*arguments: Any) -> None:
    with tg.interpret():
        plain[1](*arguments)


def outside_value(rng: random.Random) -> str:
    draw = rng.random()
    if draw < 0.3:
        return rng.choice(LITERALS)
    if draw < 0.5:
        return repr(rng.choice(SPECS))
    if draw < 0.6:
        return rng.choice(("np.ones((4, 8), 'f4')", "np.ones((8, 4), 'f4')", "np.ones(4, 'f4')"))
    if draw < 0.65:
        return rng.choice(("'cpu'", "'sm_90a'", "'sm_1'", "'cuda'", "''", "'gfx942'"))
    return "!" + rng.choice(sorted(hostile.OBJECTS))


ALLOWED = (TegulaError, click.ClickException)


def outside(item: dict[str, Any]) -> str:
    """Call a function around kernels."""
    try:
        OUTSIDE[item["call"]](*[resolve(text, None, None) for text in item["arguments"]])
    except ALLOWED as error:
        return f"refused: {type(error).__name__}"
    except Exception as error:
        from tests.fuzz.launches import is_own

        if is_own(error) and not of_the_call(error):
            raise
        return f"raised: {type(error).__name__}"
    return "called"
