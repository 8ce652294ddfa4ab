# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads, stores, constants, grid and messages: all threads in lockstep, compared with NumPy."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tegula._runtime import messages
from tests._support.layouts import Layout, bits_of, random_layout, random_values
from tests._support.lockstep import Kernel
from tests._support.lockstep.values import DTYPES
from tests._support.opt import optimize

pytestmark = pytest.mark.interpreter

ELEMENTS = ["f32", "i8", "i64", "bf16", "i1", "f8E5M2"]


def build(arguments: str, body: str, *, warps: int, lanes: int = 32) -> Kernel:
    """A kernel as one thread's code."""
    text = f"""module attributes {{tegula.arch = "generic{lanes}"}} {{
  func.func @kernel({arguments}) attributes {{tile.kernel, tegula.num_warps = {warps} : i32}} {{
    %zero = arith.constant 0 : i64
    {body}
    return
  }}
}}
"""
    flags = ("--lower-to-threads", "--canonicalize", "--cse")
    return Kernel(optimize(text, *flags), lanes=lanes)


def wide_layout(rng: np.random.Generator, shape: tuple[int, ...], lanes: int, warps: int) -> Layout:
    """The first registers step along the last dimension, as wide accesses want."""
    width = int(rng.integers(0, min(3, bits_of(shape[-1:])) + 1))
    outer = random_layout(
        rng,
        (1 << (bits_of(shape) - width),),
        lane_bits=bits_of((lanes,)),
        warp_bits=bits_of((warps,)),
        mixed=bool(rng.integers(2)),
        spare=int(rng.integers(2)),
    )
    moved = outer.move(shape, lambda flat: flat << width)
    first = tuple(1 << i for i in range(width))
    return Layout(shape, (*first, *moved.registers), moved.lanes, moved.warps)


def cut(data: np.ndarray, index, extents, shape, pad) -> np.ndarray:
    """What tile.load gives."""
    out = np.full(shape, pad, data.dtype)
    if min(index) < 0:
        return out
    starts = [min(i * e, 2**40) for i, e in zip(index, extents, strict=True)]
    part = data[tuple(slice(s, s + e) for s, e in zip(starts, extents, strict=True))]
    out[tuple(slice(0, n) for n in part.shape)] = part
    return out


def paste(data: np.ndarray, index, extents, tile: np.ndarray) -> None:
    """What tile.store does."""
    if min(index) >= 0:
        starts = [min(i * e, 2**40) for i, e in zip(index, extents, strict=True)]
        part = data[tuple(slice(s, s + e) for s, e in zip(starts, extents, strict=True))]
        part[...] = tile[tuple(slice(0, n) for n in part.shape)]


def listed(numbers) -> str:
    return ", ".join(map(str, numbers))


@pytest.mark.parametrize("case", range(48))
def test_tiles_come_and_go(case: int) -> None:
    choose, rng = random.Random(case), np.random.default_rng(case)
    element = choose.choice(ELEMENTS)
    lanes, warps = choose.choice([(32, 1), (32, 2), (64, 1)])
    shape = choose.choice([(64,), (16, 32), (4, 8, 16), (1, 128), (2, 2), (128, 1)])
    extents = [e if choose.random() < 0.7 else choose.randint(max(1, e // 2), e) for e in shape]
    sizes = [e * choose.randint(1, 2) + choose.choice([0, 0, 0, 1, -1, e // 2]) for e in extents]
    sizes = [max(size, 1) for size in sizes]
    # Rows of the arrays are longer than what is used, by which the stride may be divisible.
    row = -(-sizes[-1] // 16) * 16 if choose.random() < 0.5 else sizes[-1]
    owners = [random_values(rng, (*sizes[:-1], row), element) for _ in range(2)]
    source, target = (owner[..., : sizes[-1]] for owner in owners)
    rank = len(shape)
    layout = wide_layout(rng, shape, lanes, warps)
    view = f"!tile.view<{'?x' * rank}{element}, strides = [{'?, ' * (rank - 1)}1], align = 16>"
    facts = (
        f"{{tile.size_div = array<i64: {listed(16 if n % 16 == 0 else 1 for n in sizes)}>, "
        f"tile.stride_div = array<i64: {listed([16 if row % 16 == 0 else 1] * (rank - 1) + [1])}>}}"
    )
    at = listed(f"%i{d}" for d in range(rank))
    part = f"{{extents = array<i64: {listed(extents)}>}}"
    kernel = build(
        f"%a: {view} {facts}, %b: {view} {facts}, %p: {element}, "
        + listed(f"%i{d}: i64" for d in range(rank)),
        f"""%t = tile.load %a[{at}] pad %p {part} : {view} -> {layout.tile(element)}
    tile.store %t, %b[{at}] {part} : {layout.tile(element)}, {view}""",
        warps=warps,
        lanes=lanes,
    )
    pad = random_values(rng, (), element).astype(DTYPES[element])[()]
    indices = [[choose.choice([0, 0, 1, -1, 2, 2**62, -(2**63)]) for _ in shape] for _ in range(3)]
    for index in [[0] * rank, [1] + [0] * (rank - 1), *indices]:
        expected = owners[1].copy()
        tile = cut(source, index, extents, shape, pad)
        paste(expected[..., : sizes[-1]], index, extents, tile)
        kernel.run(source, target, pad, *map(np.int64, index), seed=case)
        np.testing.assert_array_equal(owners[1].view(np.uint8), expected.view(np.uint8))


@pytest.mark.parametrize("element", ["i1", "f32", "bf16", "i64", "i8", "f8E5M2"])
@pytest.mark.parametrize("case", range(3))
def test_constants(case: int, element: str) -> None:
    rng = np.random.default_rng(case)
    shape = [(64,), (8, 16), (2, 2)][case]
    data = random_values(rng, shape, element)
    layout = random_layout(rng, shape, lane_bits=5, warp_bits=0, mixed=True, spare=1)
    raw = np.packbits(data, bitorder="little") if element == "i1" else data
    view = f"!tile.view<{'?x' * len(shape)}{element}>"
    kernel = build(
        f"%a: {view}",
        f"""%c = arith.constant dense<"0x{raw.tobytes().hex().upper()}"> : {layout.tile(element)}
    tile.store %c, %a[{listed(["%zero"] * len(shape))}] : {layout.tile(element)}, {view}""",
        warps=1,
    )
    out = np.zeros(shape, DTYPES[element])
    kernel.run(out)
    np.testing.assert_array_equal(out.view(np.uint8), data.view(np.uint8))


def test_each_program_knows_its_place() -> None:
    body = """
    %c1 = arith.constant 1 : i64
    %c2 = arith.constant 2 : i64
    %x = tile.program_id 0
    %y = tile.program_id 1
    %z = tile.program_id 2
    %nx = tile.num_programs 0
    %ny = tile.num_programs 1
    %nz = tile.num_programs 2
    %q = arith.muli %x, %ny : i64
    %r = arith.addi %q, %y : i64
    %t = arith.muli %r, %nz : i64
    %s = arith.addi %t, %z : i64
    %size = arith.muli %nx, %ny : i64
    """ + "".join(
        f"tile.scatter %{value}, %b[%s, %{place}] : i64, !tile.view<?x?xi64>, i64\n"
        for value, place in (("x", "zero"), ("y", "c1"), ("z", "c2"))
    )
    kernel = build("%b: !tile.view<?x?xi64>", body, warps=1)
    out = np.full((24, 3), -1, np.int64)
    kernel.run_grid(out, grid=(4, 3, 2))
    np.testing.assert_array_equal(out, list(np.ndindex(4, 3, 2)))


@pytest.mark.parametrize("case", range(4))
def test_prints_and_assertions(case: int) -> None:
    rng = np.random.default_rng(case)
    shape = (8, 16)
    layout = random_layout(rng, shape, lane_bits=5, warp_bits=1, mixed=True, spare=1)
    data = random_values(rng, shape, "bf16")
    kernel = build(
        "%a: !tile.view<?x?xbf16>, %n: i64",
        f"""%x = tile.program_id 0
    %t = tile.load %a[%zero, %zero] : !tile.view<?x?xbf16> -> {layout.tile("bf16")}
    tile.print "{{}} of {{}}" %x, %n : i64, i64
    tile.print "t = {{}}" %t : {layout.tile("bf16")}
    %ok = arith.cmpi slt, %x, %n : i64
    tile.assert %ok, "x is too large" """,
        warps=2,
    )
    buffer = np.frombuffer(bytearray(messages.new_buffer(4096)), np.uint8)
    kernel.run_grid(data, np.int64(2), grid=(4, 1, 1), messages=buffer, seed=case)
    report = messages.decode(buffer.tobytes(), described(kernel), (4,))
    assert not report.lost
    assert report.failure is not None
    assert (report.failure[0], report.failure[4]) == ("x is too large", (2, 0, 0))
    assert len(report.lines) == 8
    for program in range(4):
        first, second = report.lines[2 * program : 2 * program + 2]
        assert [np.frombuffer(part[2], np.int64)[0] for part in first[1::2]] == [program, 2]
        assert second[1] == ("bfloat16", shape, data.tobytes())


def described(kernel: Kernel) -> list[messages.Message]:
    """The messages of a kernel."""
    return messages.parse(messages.describe(kernel.function.attributes["tegula.messages"]))


def test_of_a_padded_tile_the_used_part_is_printed() -> None:
    layout = random_layout(np.random.default_rng(1), (4, 8), lane_bits=5, warp_bits=0)
    data = np.arange(32, dtype=np.int32).reshape(4, 8)
    kernel = build(
        "%a: !tile.view<?x?xi32>",
        f"""%t = tile.load %a[%zero, %zero] : !tile.view<?x?xi32> -> {layout.tile("i32")}
    tile.print "{{}}" %t : {layout.tile("i32")} {{extents = [array<i64: 3, 5>]}}""",
        warps=1,
    )
    buffer = np.frombuffer(bytearray(messages.new_buffer(256)), np.uint8)
    kernel.run(data, messages=buffer)
    (line,) = messages.decode(buffer.tobytes(), described(kernel), (1,)).lines
    assert line[1] == ("int32", (3, 5), data[:3, :5].tobytes())


def test_a_full_buffer_drops_what_does_not_fit() -> None:
    kernel = build("%n: i64", 'tile.print "{}" %n : i64', warps=1)
    buffer = np.frombuffer(bytearray(messages.new_buffer(16 + 80)), np.uint8)
    kernel.run_grid(np.int64(3), grid=(5, 1, 1), messages=buffer)
    report = messages.decode(buffer.tobytes(), described(kernel), (5,))
    assert (len(report.lines), report.lost) == (2, True)
