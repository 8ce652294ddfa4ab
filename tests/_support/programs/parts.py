# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random statements that order elements, take parts of tiles and of arrays, or pack bits."""

from __future__ import annotations

from tests._support.programs.builder import DTYPES, MAX_ELEMENTS, Builder, Value, op
from tests._support.programs.memory import scalar_index

MAX_ORDERED = 64  # networks are long


def ordered(b: Builder) -> tuple[Value, int] | None:
    """A value to sort, and an axis."""
    x = b.find(lambda v: bool(v.shape) and v.size <= MAX_ORDERED and (v.is_int or v.is_float))
    return None if x is None else (x, b.integer(0, len(x.shape) - 1))


@op
def sorting(b: Builder) -> bool:
    found = ordered(b)
    if found is None:
        return False
    x, axis = found
    descending = b.flip()
    name, dtype = b.pick((("sort", x.dtype), ("argsort", "int64")))
    b.add(f"tg.{name}({x.name}, {axis}, {descending})", dtype, x.shape)
    return True


@op
def largest(b: Builder) -> bool:
    found = ordered(b)
    if found is None:
        return False
    x, axis = found
    k = b.integer(1, x.shape[axis])
    names = b.fresh(), b.fresh()
    b.line(f"{names[0]}, {names[1]} = tg.topk({x.name}, {k}, {axis}, {b.flip()})")
    shape = (*x.shape[:axis], k, *x.shape[axis + 1 :])
    b.values += [Value(names[0], x.dtype, shape), Value(names[1], "int64", shape)]
    return True


@op
def counts(b: Builder) -> bool:
    x = b.find(lambda v: bool(v.shape) and v.is_int and v.size <= 200)
    if x is None:
        return False
    bins = b.pick((1, 5, 16))
    text = b.pick((x.name, f"{x.name} % {bins}"))
    b.add(f"tg.histogram({text}, {bins})", "int32", (bins,))
    return True


@op
def flipped(b: Builder) -> bool:
    x = b.find(lambda v: bool(v.shape))
    if x is None:
        return False
    axis = b.pick(("", *(f", {i}" for i in range(len(x.shape)))))
    b.moved(x, f"tg.flip({x.name}{axis})", x.shape)
    return True


@op
def rolled(b: Builder) -> bool:
    x = b.find(lambda v: bool(v.shape))
    if x is None:
        return False
    shift = b.pick(("1", "-2", "pid", str(b.integer(-40, 40))))
    axis = b.pick(("", *(f", {i}" for i in range(len(x.shape)))))
    b.moved(x, f"tg.roll({x.name}, {shift}{axis})", x.shape)
    return True


def piece(b: Builder, extent: int) -> tuple[str, int]:
    """Text of a slice of an extent that keeps something, and how much it keeps."""
    step = b.pick((1, 1, 2, 3, -1, -2))
    low, high = b.integer(-extent - 1, extent - 1), b.integer(-extent, extent + 2)
    length = len(range(extent)[slice(low, high, step)])
    if not length:
        return ":", extent
    return f"{low}:{high}:{step}", length


@op
def part(b: Builder) -> bool:
    x = b.find(lambda v: bool(v.shape))
    if x is None:
        return False
    texts, shape = [], []
    for extent in x.shape:
        if len(shape) + len(x.shape) - len(texts) > 1 and b.integer(0, 4) == 0:
            texts.append(str(b.integer(-extent, extent - 1)))
            continue
        text, length = piece(b, extent)
        texts.append(text)
        shape.append(length)
    if not shape:
        return False
    b.moved(x, f"{x.name}[{', '.join(texts)}]", tuple(shape))
    return True


@op
def load_of_a_view(b: Builder) -> bool:
    """A slice, a transposition or a reshape of an array; bounds may be run-time values."""
    dtype, sizes = b.pick(DTYPES), (b.pick((1, 5, 9)), b.pick((2, 4, 12)))
    array = b.input(dtype, sizes)
    low, step = b.pick(("1", "pid", "-3", "")), b.pick((1, 2, -1))
    views = (
        (f"{array.name}[{low}::{step}, 1:]", 2),
        (f"{array.name}.T[:, {low}:]", 2),
        (f"{array.name}[{b.pick(('0', '-1'))}, ::{step}]", 1),
        (f"{array.name}[:, pid % {sizes[1]}]", 1),
    )
    text, rank = b.pick(views)
    shape = tuple(b.pick((1, 3, 4)) for _ in range(rank))
    index = tuple(b.pick(("0", "1", "pid")) for _ in range(rank))
    b.add(f"tg.load({text}, ({', '.join(index)},), {shape})", dtype, shape, bits=True)
    return True


@op
def load_at_an_element(b: Builder) -> bool:
    dtype, shape = b.pick(DTYPES), (b.pick((1, 3, 4)), b.pick((1, 5, 8)))
    array = b.input(dtype, (b.pick((0, 4, 9)), b.pick((1, 6, 16))))
    offset = f"({scalar_index(b)}, {b.integer(-3, 9)})"
    pad = b.pick(("", ", pad=1"))
    b.add(f"tg.load({array.name}, offset={offset}, shape={shape}{pad})", dtype, shape, bits=True)
    return True


@op
def store_at_an_element(b: Builder) -> bool:
    x = b.find(lambda v: 0 < len(v.shape) <= 2)
    if x is None:
        return False
    array = b.output(x.dtype, (b.grid, x.shape[0] + 3, *x.shape[1:]))
    offset = ", ".join(["pid", b.pick(("0", "-1", "2", "5")), *["0"] * (len(x.shape) - 1)])
    b.line(f"tg.store({array.name}, offset=({offset}), tile={x.name}[None])")
    return True


@op
def packed(b: Builder) -> bool:
    x = b.find(
        lambda v: bool(v.shape) and v.dtype in ("uint8", "int8") and v.size <= MAX_ELEMENTS // 2
    )
    if x is None:
        return False
    axis = b.integer(0, len(x.shape) - 1)
    shape = (*x.shape[:axis], 2 * x.shape[axis], *x.shape[axis + 1 :])
    text, dtype = b.pick(
        (
            (f"tg.unpack_int4({x.name}, {axis})", "int8"),
            (f"tg.unpack_int4({x.name}, {axis}, signed=False)", "uint8"),
            (f"tg.unpack_fp4({x.name}, {axis}, tg.float32)", "float32"),
        )
    )
    wide = b.add(text, dtype, shape)
    if b.flip():
        name = "pack_fp4" if dtype == "float32" else "pack_int4"
        b.add(f"tg.{name}({wide.name}, {axis})", "uint8", x.shape)
    return True
