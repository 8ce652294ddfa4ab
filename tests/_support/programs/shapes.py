# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random statements that move or combine elements: shapes, reductions, scans, products."""

from __future__ import annotations

import itertools

from tests._support.programs.builder import EPSILON, EXTENTS, MAX_ELEMENTS, Builder, Value, op
from tests._support.programs.elementwise import broadcast


def movable(b: Builder, accept) -> Value | None:
    """Any accepted value of rank >= 1, inexact ones included."""
    found = [v for v in b.values if v.shape and accept(v)]
    if not found:
        return None
    value = b.pick(found)
    b.used.add(value.name)
    return value


@op
def reshape(b: Builder) -> bool:
    x = movable(b, lambda v: True)
    if x is None:
        return False
    n = x.size
    divisors = [d for d in range(1, n + 1) if n % d == 0]
    d = b.pick(divisors)
    shape = b.pick(((n,), (d, n // d), (n // d, 1, d), (1, n)))
    b.moved(x, f"{x.name}.reshape({', '.join(map(str, shape))})", shape)
    return True


@op
def permute(b: Builder) -> bool:
    x = movable(b, lambda v: len(v.shape) >= 2)
    if x is None:
        return False
    order = b.pick(list(itertools.permutations(range(len(x.shape)))))
    b.moved(x, f"tg.permute({x.name}, {order})", tuple(x.shape[i] for i in order))
    return True


@op
def new_axis(b: Builder) -> bool:
    x = movable(b, lambda v: len(v.shape) < 3)
    if x is None:
        return False
    texts = {"[None]": (1, *x.shape), "[..., None]": (*x.shape, 1)}
    text = b.pick(sorted(texts))
    b.moved(x, x.name + text, texts[text])
    return True


@op
def stretch(b: Builder) -> bool:
    x = movable(b, lambda v: 1 in v.shape or len(v.shape) < 3)
    if x is None:
        return False
    shape = tuple(b.pick((n, 3, 8)) if n == 1 else n for n in x.shape)
    if len(shape) < 3 and b.flip():
        shape = (b.pick((1, 2, 5)), *shape)
    shape = broadcast(shape, x.shape)
    b.moved(x, f"tg.broadcast_to({x.name}, {shape})", shape)
    return shape is not None


@op
def concatenate(b: Builder) -> bool:
    x = b.find(lambda v: bool(v.shape) and v.size <= MAX_ELEMENTS // 2)
    if x is None:
        return False
    axis = b.integer(0, len(x.shape) - 1)

    def fits(v: Value) -> bool:
        same = len(v.shape) == len(x.shape) and v.dtype == x.dtype and v.size <= MAX_ELEMENTS // 2
        return (
            same and v.shape[:axis] == x.shape[:axis] and v.shape[axis + 1 :] == x.shape[axis + 1 :]
        )

    y = b.find(fits)
    shape = (*x.shape[:axis], x.shape[axis] + y.shape[axis], *x.shape[axis + 1 :])
    b.add(f"tg.concatenate([{x.name}, {y.name}], axis={axis})", x.dtype, shape)
    return True


@op
def take(b: Builder) -> bool:
    """Indices that may be out of range."""
    x = b.find(lambda v: bool(v.shape) and v.size <= MAX_ELEMENTS // 2)
    if x is None:
        return False
    axis = b.integer(0, len(x.shape) - 1)
    y = b.find(lambda v: v.shape == x.shape and v.is_int)
    if y is None:
        return False
    index = b.pick((y.name, f"{y.name} % {x.shape[axis]}"))
    b.moved(x, f"tg.take_along_axis({x.name}, {index}, {axis})", x.shape)
    return True


@op
def join(b: Builder) -> bool:
    x = b.find(lambda v: 1 <= len(v.shape) <= 3 and v.size <= MAX_ELEMENTS // 2)
    if x is None:
        return False
    y = b.find(lambda v: v.shape == x.shape and v.dtype == x.dtype)
    axis = b.pick((0, len(x.shape), -1))
    shape = (2, *x.shape) if axis == 0 else (*x.shape, 2)
    b.add(f"tg.stack([{x.name}, {y.name}], axis={axis})", x.dtype, shape)
    return True


@op
def split(b: Builder) -> bool:
    x = b.find(lambda v: len(v.shape) >= 2 and v.shape[-1] == 2)
    if x is None:
        return False
    names = b.fresh(), b.fresh()
    b.line(f"{names[0]}, {names[1]} = tg.split({x.name})")
    b.values += [Value(name, x.dtype, x.shape[:-1]) for name in names]
    return True


def reduced(b: Builder, x: Value) -> tuple[str, tuple[int, ...], int]:
    """Arguments of a reduction, the shape of its result and how many elements it combines."""
    axis = b.integer(0, len(x.shape) - 1)
    if b.integer(0, 3) == 0:
        return "", (), x.size
    if b.flip():
        shape = tuple(1 if i == axis else n for i, n in enumerate(x.shape))
        return f", axis={axis}, keepdims=True", shape, x.shape[axis]
    return f", axis={axis}", (*x.shape[:axis], *x.shape[axis + 1 :]), x.shape[axis]


def sum_dtype(dtype: str) -> str:
    """Sums and products of integers are 64 bits wide, as in NumPy."""
    return dtype if dtype in EPSILON else "uint64" if dtype.startswith("u") else "int64"


@op
def exact_reduction(b: Builder) -> bool:
    x = b.find(lambda v: bool(v.shape) and (v.is_int or v.is_float or v.dtype == "bool"))
    if x is None:
        return False
    names = {"max": x.dtype, "min": x.dtype, "argmax": "int64", "argmin": "int64"}
    if x.dtype == "bool":
        names = {"any": "bool", "all": "bool", "sum": "int64"}
    elif x.is_int:
        names |= {"sum": sum_dtype(x.dtype), "prod": sum_dtype(x.dtype), "any": "bool"}
    name = b.pick(sorted(names))
    arguments, shape, _ = reduced(b, x)
    b.add(f"tg.{name}({x.name}{arguments})", names[name], shape)
    return True


@op
def exact_float_sum(b: Builder) -> bool:
    """Sums of small integers are exact in every order."""
    x = b.find(lambda v: v.dtype in ("float32", "float64") and bool(v.shape))
    if x is None:
        return False
    arguments, shape, _ = reduced(b, x)
    small = f"tg.where(tg.isnan({x.name}), 1.0, tg.rint(tg.clip({x.name}, -9, 9)))"
    b.add(f"tg.sum({small}{arguments})", x.dtype, shape)
    return True


@op
def float_sum(b: Builder) -> bool:
    x = b.find(lambda v: v.is_float and bool(v.shape))
    if x is None:
        return False
    arguments, shape, n = reduced(b, x)
    error = 32 * n * n * EPSILON[x.dtype]
    name = b.pick(("sum", "mean", "var"))
    b.add(f"tg.{name}(tg.clip({x.name}, -4, 4){arguments})", x.dtype, shape, absolute=error)
    return True


@op
def int_scan(b: Builder) -> bool:
    x = b.find(lambda v: v.is_int and bool(v.shape))
    if x is None:
        return False
    axis = b.integer(0, len(x.shape) - 1)
    name = b.pick(("cumsum", "cumprod"))
    text = f"tg.{name}({x.name}, axis={axis}, reverse={b.flip()})"
    b.add(text, sum_dtype(x.dtype), x.shape)
    return True


@op
def float_scan(b: Builder) -> bool:
    x = b.find(lambda v: v.is_float and bool(v.shape))
    if x is None:
        return False
    axis = b.integer(0, len(x.shape) - 1)
    n = x.shape[axis]
    text = f"tg.cumsum(tg.clip({x.name}, -4, 4), axis={axis}, reverse={b.flip()})"
    b.add(text, x.dtype, x.shape, absolute=4 * n * n * EPSILON[x.dtype])
    return True


AFFINE = [
    "def after(a0, b0, a1, b1):",
    "    return a0 * a1, a1 * b0 + b1",
    "",
    "",
]


@op
def custom_scan(b: Builder) -> bool:
    """Composition of affine maps in wrapping integers: associative, not commutative."""
    x = b.find(lambda v: v.is_int and bool(v.shape))
    if x is None:
        return False
    y = b.find(lambda v: v.dtype == x.dtype and v.shape == x.shape)
    if AFFINE[0] not in b.helpers:
        b.helpers += AFFINE
    axis = b.integer(0, len(x.shape) - 1)
    names = b.fresh(), b.fresh()
    if b.flip():
        call, shape = f"tg.scan(({x.name}, {y.name}), {axis}, after, reverse={b.flip()})", x.shape
    else:
        call = f"tg.reduce(({x.name}, {y.name}), {axis}, after)"
        shape = (*x.shape[:axis], *x.shape[axis + 1 :])
    b.line(f"{names[0]}, {names[1]} = {call}")
    b.values += [Value(name, x.dtype, shape) for name in names]
    return True


@op
def product(b: Builder) -> bool:
    """A matrix product of small integers, which is exact in every order."""
    x = b.find(lambda v: len(v.shape) == 2 and v.is_float)
    if x is None:
        return False
    small = f"tg.where(tg.isnan({x.name}), 1.0, tg.rint(tg.clip({x.name}, -9, 9)))"
    name = b.fresh("m")
    b.line(f"{name} = {small}.astype({x.name}.dtype)")
    dtype = "float64" if x.dtype == "float64" else "float32"
    text, n = b.pick(
        ((f"{name} @ {name}.T", x.shape[0]), (f"tg.dot({name}.T, {name})", x.shape[1]))
    )
    b.add(text, dtype, (n, n))
    return True


@op
def int_product(b: Builder) -> bool:
    x = b.find(lambda v: len(v.shape) == 2 and v.dtype in ("int8", "uint8"))
    if x is None:
        return False
    b.add(f"tg.dot({x.name}, {x.name}.T)", "int32", (x.shape[0], x.shape[0]))
    return True


@op
def ramp(b: Builder) -> bool:
    n = b.pick(EXTENTS)
    start, step = b.integer(-9, 9), b.pick((1, 2, -3))
    b.add(f"tg.arange({start}, {start + n * step}, {step})", "int64", (n,))
    return True
