# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`kernel.compile`: a kernel's code for any target without its device, and `explain`."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import tegula as tg
from tegula.cli.app import tegula
from tegula.errors import ArgumentError, LaunchError

pytestmark = pytest.mark.cpu


@tg.kernel
def matmul(a: tg.Array, b: tg.Array, c: tg.Array, BM: tg.Const, BN: tg.Const, BK: tg.Const):
    m, n = tg.program_id(0), tg.program_id(1)
    acc = tg.zeros((BM, BN), tg.float32)
    for k in tg.range(tg.cdiv(a.shape[1], BK)):
        acc = tg.dot(tg.load(a, (m, k), (BM, BK)), tg.load(b, (k, n), (BK, BN)), acc)
    tg.store(c, (m, n), acc.astype(c.dtype))


@tg.kernel
def row_sums(x: tg.Array, y: tg.Array, scale: tg.float32, N: tg.Const):
    total = tg.zeros((4, N), tg.float32)
    for i in tg.range(tg.cdiv(x.shape[1], N)):
        total = total + tg.load(x, (tg.program_id(0), i), (4, N))
    tg.store(y, tg.program_id(0), tg.sum(total, axis=1) * scale)


@dataclasses.dataclass
class Layer:
    weight: Any
    bias: Any


@tg.kernel
def layer(x: tg.Array, p: Layer, y: tg.Array):
    tg.store(y, 0, tg.load(x, 0, 16) * tg.load(p.weight, 0, 16) + p.bias)


HALVES = ("bfloat16[4096,4096]",) * 3
TILES = {"BM": 128, "BN": 256, "BK": 64}
# Levels of which the text has no lines of the source.
STAGES = {
    "cpu": ("loops", "llvm-dialect"),
    "sm_90a": ("layouts", "llvm-dialect"),
    "gfx942": ("simt",),
}


@pytest.mark.parametrize("target", STAGES)
def test_described_arrays_give_the_code_that_real_ones_give(target: str) -> None:
    described = row_sums.compile("float32[64,?]", "float32[64]", tg.float32, target=target, N=16)
    x, y = (np.zeros(shape, np.float32) for shape in ((64, 17), 64))
    real = row_sums.compile(x, y, 2.5, target=target, N=16)
    assert described.target == target
    for stage in STAGES[target]:
        assert described.emit(stage) == real.emit(stage)


def test_each_stage_can_be_shown_in_any_order() -> None:
    compiled = matmul.compile(*HALVES, target="sm_90a", **TILES)
    assert compiled.stages[:2] == ("tile", "layouts") and "ptx" in compiled.stages
    assert "wgmma.mma_async" in compiled.emit("ptx")
    assert "tile.dot" in compiled.emit("tile")
    assert "simt.ring" in compiled.emit("layouts")
    assert ".target sm_90a" in compiled.emit("ptx")
    assert repr(compiled).startswith("<matmul compiled for sm_90a; stages: tile, layouts")


def test_a_stage_goes_to_a_file(tmp_path: Path) -> None:
    compiled = row_sums.compile("float32[8,8]", "float32[8]", 1.0, N=8)
    compiled.write("obj", tmp_path / "a.o")
    compiled.write("llvm", tmp_path / "a.ll")
    assert (tmp_path / "a.o").read_bytes()[:4] == b"\x7fELF"
    assert "define" in (tmp_path / "a.ll").read_text()


def test_parts_of_structures_may_be_described() -> None:
    compiled = layer.compile(
        "float32[16]", Layer("float32[16]", tg.float32), "float32[16]", target="gfx942"
    )
    assert "s_endpgm" in compiled.emit("amdgcn")


def test_strings_of_compile_time_parameters_are_not_descriptions() -> None:
    @tg.kernel
    def kernel(x: tg.Array, NAME: tg.Const):
        tg.static_assert(NAME == "float32[4]")
        tg.store(x, 0, tg.load(x, 0, 4) + 1)

    assert kernel.compile("float32[4]", "float32[4]").target == "cpu"


@pytest.mark.parametrize(
    "arguments, keywords, error, text",
    [
        (("float31[4]", "float32[4]", 1.0), {}, ArgumentError, "x='float31.4.': there is no dtype"),
        (("float32", "float32[4]", 1.0), {}, LaunchError, "'x'"),
        (("float32[4,4]", "float32[4]"), {}, LaunchError, "scale"),
        (("float32[4,4]", "float32[4,4]", 1.0), {}, tg.TegulaError, "rank|axes|dimension|index"),
        (("float32[4,4]", "float32[4]", 1.0), {"target": "sm_1"}, ArgumentError, "sm_1"),
    ],
)
def test_mistakes(
    arguments: tuple[Any, ...], keywords: dict[str, Any], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text) as caught:
        row_sums.compile(*arguments, N=4, **keywords)
    assert not [step for step in caught.traceback if "/tegula/" in str(step.path)]


def test_a_stage_that_the_target_lacks_is_named() -> None:
    compiled = row_sums.compile("float32[4,4]", "float32[4]", 1.0, N=4)
    with pytest.raises(ArgumentError, match="cpu has no stage 'ptx'") as caught:
        compiled.emit("ptx")
    assert "tile, linalg" in (caught.value.help or "")


def line_of(text: str) -> int:
    lines = Path(__file__).read_text().splitlines()
    return next(i for i, line in enumerate(lines, 1) if text in line)


def test_explain_says_what_feeds_the_matrix_unit() -> None:
    report = matmul.compile(*HALVES, target="sm_90a", **TILES).explain()
    (ring,) = [item for item in report.about("pipelining") if "ring of" in item.text]
    assert "tiles are fetched 3 iterations ahead: a ring of 4 slots" in ring.text
    assert ring.location is not None and ring.location.file == __file__
    assert ring.location.line == line_of("for k in tg.range(tg.cdiv(a.shape[1], BK))")
    (warps,) = report.about("warps")
    assert not warps.is_missed and "warps of 32 threads" in warps.text
    assert str(report).startswith("matmul for sm_90a, ")
    assert "acc = tg.dot(" in str(report)


@pytest.mark.parametrize("target", ["sm_90a", "gfx942"])
def test_explain_says_why_a_loop_is_not_pipelined_and_what_is_padded(target: str) -> None:
    report = row_sums.compile("float32[64,?]", "float32[64]", 1.0, target=target, N=100).explain()
    missed = [item for item in report.about("pipelining") if item.is_missed]
    assert any("this loop is not pipelined: no load in it feeds dots" in x.text for x in missed)
    assert {item.location.line for item in missed if item.location} <= {
        line_of("for i in tg.range(tg.cdiv(x.shape[1], N))"),
        line_of("total = total + tg.load(x"),
    }
    texts = [item.text for item in report.about("padding")]
    assert "the tile 4x100xf32 is carried as 4x128xf32" in texts
    assert "padding: the tile 4x100xf32 is carried as" in str(report)


def test_explain_shows_tiles_that_change_threads_through_shared_memory() -> None:
    @tg.kernel
    def turned(x: tg.Array, y: tg.Array):
        tg.store(y, (0, 0), tg.load(x, (0, 0), (64, 32)).T)

    report = turned.compile("float32[64,32]", "float32[32,64]", target="sm_90a").explain()
    assert any("through shared memory" in item.text for item in report.about("layout"))


def test_explain_of_the_cpu_says_how_a_product_is_blocked() -> None:
    report = matmul.compile(*(["float32[64,64]"] * 3), target="cpu", **TILES).explain()
    assert any("register blocks of" in item.text for item in report.about("product"))


KERNEL = """
import tegula as tg

@tg.kernel
def add(a: tg.Array, b: tg.Array, target: tg.Const = 3):
    tg.store(b, 0, tg.load(a, 0, 100) + target)
"""


@pytest.mark.parametrize("topic", [[], ["--topic", "padding"]])
def test_the_command_line_explains_too(tmp_path: Path, topic: list[str]) -> None:
    (tmp_path / "added.py").write_text(KERNEL)
    arguments = ["explain", f"{tmp_path}/added.py::add", "a=float32[?]", "b=float32[?]"]
    result = CliRunner().invoke(tegula, [*arguments, "--target", "gfx942", *topic])
    assert result.exit_code == 0, result.output
    assert "add for gfx942" in result.output
    assert "= padding: the tile 100xf32 is carried as 128xf32" in result.output
    assert "tg.store(b, 0, tg.load(a, 0, 100) + target)" in result.output
    assert ("warps:" in result.output) is not bool(topic)


def test_the_command_line_knows_its_topics(tmp_path: Path) -> None:
    (tmp_path / "added.py").write_text(KERNEL)
    arguments = ["explain", f"{tmp_path}/added.py::add", "a=float32[?]", "b=float32[?]"]
    result = CliRunner().invoke(tegula, [*arguments, "--target", "sm_90a", "--topic", "rain"])
    assert result.exit_code == 1
    assert "nothing was decided about rain; topics here: " in result.output
