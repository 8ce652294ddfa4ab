# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in hand-written LLVM IR, so that the launcher is tested without the compiler above it.

Each follows the entry ABI of python/bindings/Abi.h.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from tegula import _native
from tegula._compile import codegen
from tegula._compile.artifact import ENTRY_SUFFIX, Artifact
from tegula._runtime import cpu

DECLARATIONS = """
declare void @tegula_rt_assert_fail(ptr, ptr, ptr, i64, i64, i64, i64, i64)
declare void @tegula_rt_print_text(ptr, ptr)
declare void @tegula_rt_print_value(ptr, ptr, i64, i64, ptr)
declare void @tegula_rt_print_end(ptr)
declare ptr @tegula_rt_alloc(i64)
declare void @tegula_rt_free(ptr)
@word = private constant [6 x i8] c"value\\00"
@message = private constant [8 x i8] c"too big\\00"
@file = private constant [8 x i8] c"user.py\\00"
"""

# For each program p of the range, `body` runs with %p; slots of arguments are at %args.
LOOP = """
define void @NAME(ptr %args, i64 %begin, i64 %end, i64 %gx, i64 %gy, i64 %gz, ptr %ctx) {
entry:
  %data = load ptr, ptr %args
  %empty = icmp sge i64 %begin, %end
  br i1 %empty, label %exit, label %body
body:
  %p = phi i64 [ %begin, %entry ], [ %next, %latch ]
  BODY
  br label %latch
latch:
  %next = add i64 %p, 1
  %done = icmp sge i64 %next, %end
  br i1 %done, label %exit, label %body
exit:
  ret void
}
"""

BODIES = {
    # data[p] += p for an int64 array.
    "add_index": """
  %place = getelementptr i64, ptr %data, i64 %p
  %old = load i64, ptr %place
  %new = add i64 %old, %p
  store i64 %new, ptr %place
""",
    "nothing": "",
    # data[p] = how many times 20000 additions of 1.0 give; keeps a thread busy.
    "busy": """
  br label %spin
spin:
  %i = phi i64 [ 0, %body ], [ %i1, %spin ]
  %s = phi double [ 0.0, %body ], [ %s1, %spin ]
  %s1 = fadd double %s, 1.0
  %i1 = add i64 %i, 1
  %c = icmp slt i64 %i1, 20000
  br i1 %c, label %spin, label %after
after:
  %place = getelementptr double, ptr %data, i64 %p
  store double %s1, ptr %place
""",
    # Prints "value", then p as an int64 scalar, then data[0:2] as an int64 vector.
    "print": """
  %box = alloca i64
  store i64 %p, ptr %box
  %shape = alloca i64
  store i64 2, ptr %shape
  call void @tegula_rt_print_text(ptr %ctx, ptr @word)
  call void @tegula_rt_print_value(ptr %ctx, ptr %box, i64 4, i64 0, ptr null)
  call void @tegula_rt_print_value(ptr %ctx, ptr %data, i64 4, i64 1, ptr %shape)
  call void @tegula_rt_print_end(ptr %ctx)
""",
    # Fails in programs of 5 and more, which also go on working.
    "check": """
  %bad = icmp sge i64 %p, 5
  %place = getelementptr i64, ptr %data, i64 %p
  store i64 1, ptr %place
  br i1 %bad, label %fail, label %latch
fail:
  call void @tegula_rt_assert_fail(ptr %ctx, ptr @message, ptr @file,
                                   i64 7, i64 3, i64 %p, i64 0, i64 0)
""",
    # Uses scratch memory of the runtime: data[p] = p through a block of 4 KiB.
    "scratch": """
  %block = call ptr @tegula_rt_alloc(i64 4096)
  store i64 %p, ptr %block
  %number = ptrtoint ptr %block to i64
  %misfit = and i64 %number, 63
  %kept = load i64, ptr %block
  %sum = add i64 %kept, %misfit
  %place = getelementptr i64, ptr %data, i64 %p
  store i64 %sum, ptr %place
  call void @tegula_rt_free(ptr %block)
""",
    # data[0] = the bits of the second argument, a scalar (the array is of rank 1).
    "copy_slot": """
  %slot = getelementptr i64, ptr %args, i64 3
  %bits = load i64, ptr %slot
  store i64 %bits, ptr %data
""",
    # data[p] *= 0.5 in double: denormals must survive.
    "denormal": """
  %place = getelementptr double, ptr %data, i64 %p
  %x = load double, ptr %place
  %y = fmul double %x, 0.5
  store double %y, ptr %place
""",
}


def bitcode(text: str) -> bytes:
    """Bitcode of LLVM IR in text form."""
    import llvmlite.binding as binding

    return binding.parse_assembly(text).as_bitcode()


@functools.cache
def artifact(name: str) -> Artifact:
    """A kernel of BODIES, compiled."""
    text = DECLARATIONS + LOOP.replace("NAME", name + ENTRY_SUFFIX).replace("BODY", BODIES[name])
    return Artifact(name, "cpu", codegen.compile_bitcode(bitcode(text)), (0,))


def error(kind: str, parameter: str | None, value: Any, text: str) -> BaseException:
    """What the dispatchers of these tests raise: all parts in one text."""
    exception = ValueError(f"{kind}: {parameter}: {text}")
    exception.value = value  # type: ignore[attr-defined]
    return exception


class Compiled:
    """A dispatcher with a record of what it compiled."""

    def __init__(
        self,
        name: str,
        params: Sequence[tuple[str, str, str | None, object]] | None = None,
        writes: Sequence[int] = (0,),
        guards: Callable[[], Sequence[_native.Guard]] = tuple,
    ) -> None:
        self.signatures: list[_native.Signature] = []
        self.name = name
        self.writes = writes
        self.guards = guards
        params = params if params is not None else [("data", "array", None, _native.MISSING)]
        self.dispatcher = _native.Dispatcher(name, params, self.compile, error)

    def compile(
        self, signature: _native.Signature, arguments: tuple[Any, ...]
    ) -> _native.Specialization:
        self.signatures.append(signature)
        code = cpu.load(artifact(self.name))
        address = code.address(self.name + ENTRY_SUFFIX)
        assert address is not None
        return _native.Specialization(address, writes=self.writes, owner=code, guards=self.guards())

    def __getitem__(self, grid: int | tuple[int, ...]) -> _native.Launch:
        return self.dispatcher[grid]
