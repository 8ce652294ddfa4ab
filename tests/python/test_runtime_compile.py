# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler driver: failures at the user's line, dumps, and what a warm start does not load."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import tegula as tg
from tegula import _compile
from tegula._compile import failures, kernel_module, pass_manager, pipeline, targets
from tegula._compile.cpu import CpuTarget
from tegula.errors import ArgumentError, CompileError
from tests._support.opt import run_opt

pytestmark = pytest.mark.cpu


@tg.kernel
def double(x: tg.Array, y: tg.Array, BLOCK: tg.Const):
    i = tg.program_id(0)
    tile = tg.load(x, i, BLOCK)
    tg.store(y, i, tile + tile)


@tg.kernel
def counts(x: tg.Array, y: tg.Array, z: tg.Array, n: tg.int64):
    i = tg.program_id(0)
    tg.atomic_add(z, i, 1)
    tg.scatter(y, i, tg.gather(x, i) + n)


def named(name: str) -> tg.kernel:
    """A kernel of that name which calls the C library's and the runtime's functions."""

    def function(x: tg.Array, y: tg.Array):
        i = tg.program_id(0)
        tile = tg.load(x, i, 8)
        tg.print("program", i)
        assert i >= 0
        tg.store(y, i, tg.sin(tile) + tg.exp(tile))

    function.__name__ = function.__qualname__ = name
    return tg.kernel(function)


@pytest.fixture(autouse=True)
def anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TEGULA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("TEGULA_DUMP", raising=False)
    double._dispatcher = None
    with _compile.fresh():
        yield
    double._dispatcher = None


def run() -> None:
    x = np.arange(100, dtype=np.float32)
    y = np.zeros_like(x)
    double[2](x, y, BLOCK=64)
    np.testing.assert_array_equal(y, 2 * x)


def line_of(text: str) -> int:
    lines = Path(__file__).read_text().splitlines()
    return next(i for i, line in enumerate(lines, 1) if line.strip() == text)


def test_a_failed_pass_is_shown_at_the_users_line(monkeypatch: pytest.MonkeyPatch) -> None:
    failing = "builtin.module(one-shot-bufferize)"
    monkeypatch.setattr(CpuTarget, "pipeline", lambda self: failing)
    with pytest.raises(CompileError) as caught:
        run()
    error = caught.value
    assert str(error).startswith("the compiler cannot lower this kernel: ")
    assert error.location is not None
    assert error.location.file == __file__
    assert error.location.line in (
        line_of("tile = tg.load(x, i, BLOCK)"),
        line_of("tg.store(y, i, tile + tile)"),
    )
    assert "this is a fault of Tegula" in (error.help or "")


def test_the_reproducer_replays_the_failure(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(CpuTarget, "pipeline", lambda self: "builtin.module(one-shot-bufferize)")
    with pytest.raises(CompileError) as caught:
        run()
    command = (caught.value.help or "").rsplit("tegula-opt ", 1)[1]
    option, path = command.split()
    assert option == "--run-reproducer"
    assert Path(path).parent == tmp_path / "cache"
    result = replay(Path(path))
    assert result.returncode == 1
    message = (
        str(caught.value).splitlines()[0].removeprefix("the compiler cannot lower this kernel: ")
    )
    assert message in result.stderr
    assert f"{__file__}:{caught.value.location.line}" in result.stderr  # type: ignore[union-attr]


def replay(path: Path) -> subprocess.CompletedProcess[str]:
    return run_opt("", "--run-reproducer", str(path))


@pytest.mark.parametrize("target", ["cpu", "sm_90a", "gfx942"])
def test_a_reproducer_holds_the_ir_and_the_passes_of_its_target(target: str) -> None:
    x = np.zeros(64, np.float32)
    module = double.specialize(x, x.copy(), BLOCK=64).trace().module
    path = failures.write_reproducer(module.operation, targets.get(target).pipeline())
    result = replay(path)
    assert result.returncode == 0, result.stderr
    assert "@double" in result.stdout and "tile." not in result.stdout


def test_a_pass_that_fails_late_is_replayed_from_the_ir_before_it() -> None:
    whole = targets.get("sm_90a").pipeline().removeprefix("builtin.module(").removesuffix(")")
    late = f"builtin.module({whole},lower-set-target{{arch=abacus}})"
    module = double.specialize(*[np.zeros(64, np.float32)] * 2, BLOCK=64).trace().module
    with pytest.raises(CompileError, match="unknown architecture 'abacus'") as caught:
        pipeline.lower(module, late)
    path = Path((caught.value.help or "").rsplit(" ", 1)[1])
    text = path.read_text()
    assert "llvm.func" in text and "tile.load" not in text
    assert 'pipeline: "builtin.module(lower-set-target{arch=abacus})"' in text
    result = replay(path)
    assert result.returncode == 1
    assert "unknown architecture 'abacus'" in result.stderr


def test_a_pass_of_functions_is_replayed_alone() -> None:
    failing = "builtin.module(canonicalize,func.func(cse,lower-assign-layouts,canonicalize))"
    module = double.specialize(*[np.zeros(64, np.float32)] * 2, BLOCK=64).trace().module
    with pytest.raises(CompileError) as caught:
        pipeline.lower(module, failing)
    path = Path((caught.value.help or "").rsplit(" ", 1)[1])
    assert 'pipeline: "builtin.module(func.func(lower-assign-layouts))"' in path.read_text()
    result = replay(path)
    assert result.returncode == 1
    assert str(caught.value).splitlines()[0].rpartition(": ")[2] in result.stderr


def test_a_pipeline_is_taken_apart_at_its_own_commas() -> None:
    whole = "builtin.module(a{x=1,2 y={p,q}},func.func(b,scf.for(c{z=(1,2)})),d)"
    assert list(pass_manager.steps(whole)) == [
        "builtin.module(a{x=1,2 y={p,q}})",
        "builtin.module(func.func(b))",
        "builtin.module(func.func(scf.for(c{z=(1,2)})))",
        "builtin.module(d)",
    ]


def test_what_a_pass_refuses_on_purpose_is_no_fault_of_ours(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    refusing = "builtin.module(lower-limit-code{max-operations=2})"
    monkeypatch.setattr(CpuTarget, "pipeline", lambda self: refusing)
    with pytest.raises(CompileError, match="^too much code: each thread would run") as caught:
        run()
    assert caught.value.help == "use smaller tiles, with more programs or in a loop"
    assert not list(tmp_path.rglob("reproducer-*"))


def test_a_failed_translation_is_explained_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CpuTarget, "pipeline", lambda self: "builtin.module(canonicalize)")
    with pytest.raises(CompileError, match="cannot be converted to LLVM IR") as caught:
        run()
    assert "reproducer-" in (caught.value.help or "")


def test_reproducers_go_elsewhere_if_the_cache_cannot_be_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "cache").write_text("in the way")
    monkeypatch.setattr(CpuTarget, "pipeline", lambda self: "builtin.module(one-shot-bufferize)")
    with pytest.raises(CompileError) as caught:
        run()
    path = Path((caught.value.help or "").rsplit(" ", 1)[1])
    assert "mlir_reproducer" in path.read_text()
    path.unlink()


def test_a_disabled_cache_gets_no_reproducers(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TEGULA_DISABLE_CACHE", "1")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    monkeypatch.setattr(CpuTarget, "pipeline", lambda self: "builtin.module(one-shot-bufferize)")
    with pytest.raises(CompileError) as caught:
        run()
    path = Path((caught.value.help or "").rsplit(" ", 1)[1])
    assert path.parent == tmp_path / "tmp"
    assert "mlir_reproducer" in path.read_text()
    assert not (tmp_path / "cache").exists()


def test_dump_writes_each_pass_and_each_stage_in_order(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TEGULA_DUMP", str(tmp_path / "dump"))
    run()
    (folder,) = (tmp_path / "dump").iterdir()
    assert folder.name.startswith("double-")
    files = sorted(path.name for path in folder.iterdir())
    assert files[0] == "00-tile.mlir"
    assert [int(name[:2]) for name in files] == list(range(len(files)))
    assert any("canonicalize" in name for name in files)
    assert [name[3:] for name in files[-3:]] == ["llvm.ll", "llvm-opt.ll", "asm.s"]
    assert "tile.load" in (folder / files[0]).read_text()
    assert _compile.recent()[-1].dump == folder


def test_a_dump_shows_the_failing_pass(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TEGULA_DUMP", str(tmp_path / "dump"))
    failing = "builtin.module(canonicalize,one-shot-bufferize)"
    monkeypatch.setattr(CpuTarget, "pipeline", lambda self: failing)
    with pytest.raises(CompileError) as caught:
        run()
    (folder,) = (path for path in (tmp_path / "dump").iterdir() if path.is_dir())
    assert any("canonicalize" in path.name for path in folder.iterdir())
    assert str(tmp_path / "dump") in (caught.value.help or "")


def test_written_arguments_are_those_of_stores_scatters_and_atomics() -> None:
    x, y, z = (np.zeros(4, np.int64) for _ in range(3))
    module = counts.specialize(x, y, z, 3).trace().module
    assert kernel_module.writes(module) == (1, 2)


def test_read_only_arrays_can_be_read_but_not_written() -> None:
    x = np.ones(100, np.float32)
    x.flags.writeable = False
    y = np.zeros_like(x)
    double[2](x, y, BLOCK=64)
    with pytest.raises(tg.TegulaError, match="read-only"):
        double[2](y, x, BLOCK=64)


def test_every_stage_can_be_shown() -> None:
    x = np.zeros(100, np.float32)
    target = targets.get("cpu")
    module = double.specialize(x, x.copy(), 64).trace().module
    shown = dict(pipeline.stages(module, target))
    assert [stage.name for stage in shown] == [stage.name for stage in target.stages()]
    with pytest.raises(KeyError):
        pipeline.stage(double.specialize(x, x.copy(), 64).trace().module, target, "ptx")


def test_unknown_targets_are_named() -> None:
    with pytest.raises(ArgumentError, match="there is no target 'tpu'"):
        targets.get("tpu")
    with pytest.raises(ArgumentError, match="did you mean 'sm_90a'"):
        targets.get("sm_90")
    assert targets.best() in targets.names()


def test_kernels_compile_on_several_threads_at_once() -> None:
    def work(block: int) -> bool:
        x = np.arange(300, dtype=np.float32)
        y = np.zeros_like(x)
        with _compile.fresh():
            double[tg.cdiv(300, block)](x, y, BLOCK=block)
        return np.array_equal(y, 2 * x)

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(16, 32, 2)))


WARM = """
import sys, time
import numpy as np
import tegula as tg
from tests.python.test_runtime_compile import double
x = np.arange(100, dtype=np.float32)
y = np.zeros_like(x)
start = time.process_time()
double[2](x, y, BLOCK=64)
seconds = time.process_time() - start
assert np.array_equal(y, 2 * x)
from tegula import _compile
print(_compile.recent()[-1].origin, seconds)
print([name for name in ("llvmlite", "tegula.mlir", "rich", "click") if name in sys.modules])
"""


def python(code: str, **environment: str) -> list[str]:
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return result.stdout.splitlines()


def test_a_warm_start_loads_no_compiler_and_is_quick() -> None:
    assert python(WARM)[0].startswith("compiled")
    lines = [python(WARM) for _ in range(3)]
    assert {line[0].split()[0] for line in lines} == {"disk"}
    assert {line[1] for line in lines} == {"[]"}
    assert min(float(line[0].split()[1]) for line in lines) < 0.02  # 0.004 on an idle machine.


def test_importing_the_package_loads_no_compiler() -> None:
    code = """
    import sys, tegula
    print([name for name in ("llvmlite", "tegula.mlir", "rich", "click") if name in sys.modules])
    """
    assert python(code) == ["[]"]


def test_a_wrong_thread_count_is_an_error_at_the_first_launch() -> None:
    code = """
    import numpy as np
    from tegula.errors import ArgumentError
    from tests.python.test_runtime_compile import double
    try:
        double[1](np.zeros(4), np.zeros(4), 4)
    except ArgumentError as error:
        print(error.message)
    """
    text = python(code, TEGULA_NUM_THREADS="many")
    assert text == ["TEGULA_NUM_THREADS is 'many', which is not a positive integer"]


@pytest.mark.parametrize(
    "name", ["exp", "sin", "memcpy", "memset", "free", "main", "tegula_rt_print_text", "größe"]
)
def test_a_kernel_may_have_the_name_of_a_function_of_the_runtime(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    x = np.linspace(-1, 1, 16)
    y = np.empty_like(x)
    named(name)[2](x, y)
    np.testing.assert_allclose(y, np.sin(x) + np.exp(x), rtol=1e-14)
    assert capsys.readouterr().out == "program 0\nprogram 1\n"
