# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random control flow: loops with carried values, branches, conditional expressions, helpers."""

from __future__ import annotations

from tests._support.programs.builder import Builder, Value, dtype_name, op

MAX_DEPTH = 2


def carried(b: Builder) -> Value | None:
    """A value that a loop or branch changes in place."""
    return b.find(lambda v: v.is_int or v.is_float)


def update(b: Builder, target: Value, extra: str) -> None:
    """Statements of a body, then `target = target op something` of the same dtype and shape."""
    b.carried.append(target)
    for _ in range(b.integer(0, 2)):
        b.statement()
    b.carried.pop()
    other = b.find(lambda v: v.shape in ((), target.shape) and (v.is_int or v.is_float))
    text = extra if other is None or b.flip() else other.name
    operator = b.pick(("+", "-", "*", "&", "^") if target.is_int else ("+", "-", "*"))
    cast = dtype_name(target.dtype)
    b.line(f"{target.name} = {target.name} {operator} {cast}({text})")


def start(b: Builder) -> Value | None:
    """What a body is to change: a copy of a value under a new name, or what one around it does."""
    if b.carried and b.flip():
        return b.pick(b.carried)
    x = carried(b)
    return None if x is None else b.add(f"{x.name} + 0", x.dtype, x.shape)


def condition(b: Builder) -> str:
    """Text of a run-time condition."""
    flag = b.find(lambda v: v.dtype == "bool")
    texts = ["pid % 2 == 0", "0 < pid <= 1", "pid > 0 and pid < 5"]
    if flag is not None:
        reduce = f"tg.{b.pick(('any', 'all'))}({flag.name})" if flag.shape else flag.name
        texts += [reduce, f"not {reduce}", f"{reduce} or pid == 1"]
    return b.pick(texts)


@op
def loop(b: Builder) -> bool:
    if b.depth >= MAX_DEPTH:
        return False
    targets = [value for value in (start(b) for _ in range(b.integer(1, 2))) if value]
    if not targets:
        return False
    index = b.fresh("i")
    bounds = b.pick(("3", "pid + 1", "1, 4", "5, 0, -2", "0, pid, 1", "2, 2"))
    b.line(f"for {index} in tg.range({bounds}):")
    with b.scope():
        b.values.append(Value(index, "int64", ()))
        for target in targets:
            update(b, target, index)
    return True


@op
def while_loop(b: Builder) -> bool:
    if b.depth >= MAX_DEPTH:
        return False
    target = start(b)
    if target is None:
        return False
    counter = b.fresh("n")
    b.line(f"{counter} = {b.pick(('tg.int64(0)', 'pid', 'pid * 0'))}")
    b.line(f"while {counter} < {b.integer(1, 4)}:")
    with b.scope():
        update(b, target, counter)
        b.line(f"{counter} = {counter} + 1")
    return True


@op
def branch(b: Builder) -> bool:
    if b.depth >= MAX_DEPTH:
        return False
    target = start(b)
    if target is None:
        return False
    b.line(f"if {condition(b)}:")
    with b.scope():
        update(b, target, "pid")
    if b.flip():
        b.line(f"elif {condition(b)}:")
        with b.scope():
            update(b, target, "pid + 7")
    if b.flip():
        b.line("else:")
        with b.scope():
            update(b, target, "3")
    return True


@op
def conditional_expression(b: Builder) -> bool:
    x = b.find()
    if x is None:
        return False
    y = b.find(lambda v: v.shape == x.shape and v.dtype == x.dtype)
    b.add(f"{x.name} if {condition(b)} else {y.name}", x.dtype, x.shape)
    return True


@op
def unrolled_loop(b: Builder) -> bool:
    if b.depth >= MAX_DEPTH:
        return False
    target = start(b)
    if target is None:
        return False
    index = b.fresh("i")
    b.line(f"for {index} in {b.pick(('range(2)', 'tg.static_range(1, 3)', '[1, 5]'))}:")
    with b.scope():
        update(b, target, index)
    return True


@op
def store(b: Builder) -> bool:
    """Where a loop or branch has it, the values of the last time stay."""
    x = b.find(lambda v: v.dtype != "bool")
    if x is None:
        return False
    b.store(x)
    return True


HELPER = [
    "def bump(x, by):",
    "    if by > 0:",
    "        return x + 1",
    "    return x",
    "",
    "",
]


@op
def helper_with_early_return(b: Builder) -> bool:
    x = b.find(lambda v: v.is_int or v.is_float)
    if x is None:
        return False
    if HELPER[0] not in b.helpers:
        b.helpers += HELPER
    b.add(f"bump({x.name}, pid)", x.dtype, x.shape)
    return True
