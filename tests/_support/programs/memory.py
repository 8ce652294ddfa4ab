# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random statements on memory: gather, scatter and atomics, with indices in and out of range."""

from __future__ import annotations

from tests._support.programs.builder import DTYPES, INTS, Builder, Value, dtype_name, op, tuple_text


def masked(b: Builder, shape: tuple[int, ...]) -> str:
    """A mask argument, or none."""
    mask = b.find(lambda v: v.dtype == "bool" and v.shape == shape)
    return f", mask={mask.name}" if mask and b.flip() else ""


def distinct(b: Builder, x: Value) -> str:
    """Text of an index tile of the shape of x without a duplicate; some may be out of range."""
    n = x.size
    shape = ", ".join(map(str, x.shape))
    start = b.integer(-2, 2)
    if b.flip():
        return f"tg.arange({start}, {start + n}).reshape({shape})"
    return f"tg.arange({start + n - 1}, {start - 1}, -1).reshape({shape})"


@op
def gather(b: Builder) -> bool:
    index = b.find(lambda v: v.is_int and bool(v.shape))
    if index is None:
        return False
    dtype, rank = b.pick(DTYPES), b.integer(1, 2)
    array = b.input(dtype, tuple(b.pick((1, 3, 8, 17)) for _ in range(rank)))
    texts = [f"{index.name} % {n + b.integer(-1, 2) or 1}" for n in array.shape]
    if b.integer(0, 4) == 0:
        texts[0] = index.name
    pad = b.pick(("", ", pad=1"))
    text = f"tg.gather({array.name}, {tuple_text(texts)}{masked(b, index.shape)}{pad})"
    b.add(text, dtype, index.shape, bits=True)
    return True


@op
def scatter(b: Builder) -> bool:
    x = b.find(lambda v: 0 < len(v.shape) <= 2)
    if x is None:
        return False
    array = b.output(x.dtype, (b.grid, x.size))
    index = distinct(b, x)
    b.line(f"tg.scatter({array.name}, (pid, {index}), {x.name}{masked(b, x.shape)})")
    return True


@op
def atomic_with_duplicates(b: Builder) -> bool:
    """Many lanes and programs on one element: the order is free, the final value is not."""
    x = b.find(lambda v: v.dtype in ("int32", "int64", "uint32", "uint64") and bool(v.shape))
    if x is None:
        return False
    n = b.pick((1, 2, 5))
    array = b.output(x.dtype, (n,))
    name = b.pick(("add", "max", "min", "and", "or", "xor"))
    index = f"tg.arange({x.size}).reshape({', '.join(map(str, x.shape))}) % {n + 1}"
    b.line(f"tg.atomic_{name}({array.name}, ({index},), {x.name}{masked(b, x.shape)})")
    return True


@op
def atomic_with_result(b: Builder) -> bool:
    """One lane per element: the previous values are known too."""
    x = b.find(lambda v: v.dtype in ("int32", "int64", "uint32", "uint64") and bool(v.shape))
    if x is None:
        return False
    array = b.output(x.dtype, (b.grid, x.size))
    place = f"(pid, {distinct(b, x)})"
    name, mask = b.pick(("add", "max", "xchg", "cas")), masked(b, x.shape)
    before = f"0, {x.name}" if name == "cas" else x.name
    b.line(f"tg.scatter({array.name}, {place}, {x.name} * 3)")
    b.add(f"tg.atomic_{name}({array.name}, {place}, {before}{mask}, pad=7)", x.dtype, x.shape)
    return True


def scalar_index(b: Builder) -> str:
    """Text of a run-time tile index: the program, a loop's index, or any integer at all."""
    found = b.find(lambda v: v.shape == () and v.is_int)
    return found.name if found and b.flip() else b.pick(("pid", "pid - 1", "1 - pid"))


@op
def load_at_run_time_index(b: Builder) -> bool:
    dtype, shape = b.pick(DTYPES), (b.pick((1, 3, 4)), b.pick((1, 5, 8)))
    array = b.input(dtype, (shape[0] * 3 + b.integer(-2, 0), shape[1] + b.integer(-1, 1)))
    pad = b.pick(("", ", pad=1"))
    text = f"tg.load({array.name}, ({scalar_index(b)}, 0), {shape}{pad})"
    b.add(text, dtype, shape, bits=True)
    return True


@op
def store_at_run_time_index(b: Builder) -> bool:
    x = b.find(lambda v: 0 < len(v.shape) <= 2)
    if x is None:
        return False
    array = b.output(x.dtype, (b.grid, x.shape[0] * 3 - b.integer(0, 1), *x.shape[1:]))
    index = tuple_text(["pid", scalar_index(b), *["0"] * (len(x.shape) - 1)])
    b.line(f"tg.store({array.name}, {index}, {x.name}[None])")
    return True


@op
def fill(b: Builder) -> bool:
    dtype = b.pick(INTS)
    shape = (b.pick((1, 3, 8)), b.pick((1, 4, 5)))
    b.add(f"tg.full({shape}, {b.integer(0, 100)}, {dtype_name(dtype)})", dtype, shape)
    return True


@op
def place_in_grid(b: Builder) -> bool:
    name = b.pick(("pid", "tg.num_programs(0)", "pid * 3 - 1"))
    b.add(f"{name} + 0", "int64", ())
    return True
