# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tegula run`, `compile` and `doctor`, with right and wrong arguments."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from click.testing import CliRunner, Result

import tegula as tg
from tegula._compile import targets
from tegula.cli.app import tegula
from tegula.cli.specs import parse_grid, parse_spec

pytestmark = pytest.mark.cpu

KERNELS = """
import tegula as tg

@tg.kernel
def scale(x: tg.Array, y: tg.Array, a: tg.float32, BLOCK: tg.Const = 64):
    i = tg.program_id(0)
    tg.store(y, i, tg.load(x, i, BLOCK) * a)

@tg.kernel
def mismatch(x: tg.Array):
    tg.store(x, 0, tg.load(x, 0, 4) + tg.zeros((5,), tg.float32))

@tg.kernel
def crash(x: tg.Array):
    [1][2]

def helper():
    pass
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "kernels.py"
    path.write_text(KERNELS)
    return str(path)


@pytest.fixture(autouse=True)
def clean_imports() -> Iterator[None]:
    path, modules = list(sys.path), set(sys.modules)
    yield
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        if not name.startswith(("tegula", "numpy", "rich", "llvmlite", "nanobind")):
            del sys.modules[name]


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(tegula, arguments, catch_exceptions=False)


def fails(*arguments: str, status: int = 1) -> str:
    result = invoke(*arguments)
    assert result.exit_code == status, result.output
    return result.stderr


def test_run_shows_what_changed(file: str) -> None:
    result = invoke(
        *("run", f"{file}::scale", "--grid", "cdiv(x.shape[0],BLOCK)"),
        *("x=randn(1000)", "y=zeros(1000)", "a=2.5"),
    )
    assert result.exit_code == 0, result.output
    assert "scale[16]" in result.output
    assert "1000 of 1000" in result.output
    assert "ran in" in result.output


@pytest.mark.parametrize("how", [[], ["--interpret"], ["--threads", "1"]])
def test_run_writes_results(file: str, tmp_path: Path, how: list[str]) -> None:
    x = np.arange(100, dtype=np.float32)
    np.savez(tmp_path / "in.npz", x=x, y=np.zeros(100, np.float32), unrelated=x)
    out = tmp_path / "out.npz"
    result = invoke(
        *("run", f"{file}::scale", "--grid", "2", "a=3", "--input", str(tmp_path / "in.npz")),
        *("--output", str(out), *how),
    )
    assert result.exit_code == 0, result.output
    with np.load(out) as data:
        np.testing.assert_array_equal(data["y"], 3 * x)


def test_run_reads_files(file: str, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.ones(10, np.float32))
    np.savez(tmp_path / "all.npz", other=np.zeros(10, np.float32))
    result = invoke(
        *("run", f"{file}::scale", "--grid", "1", f"x={tmp_path / 'x.npy'}"),
        *(f"y={tmp_path / 'all.npz'}:other", "a=2"),
    )
    assert result.exit_code == 0, result.output
    assert "10 of 10" in result.output


@pytest.mark.parametrize(
    ("kernel", "text"),
    [
        ("::scal", "has no kernel 'scal'\ndid you mean 'scale'?\nkernels: scale, mismatch"),
        ("", "defines several kernels; name one"),
        ("::helper", "is no kernel; decorate it with @tg.kernel"),
    ],
)
def test_missing_kernels(file: str, kernel: str, text: str) -> None:
    assert text in fails("run", file + kernel, "--grid", "1")


def test_bad_files(tmp_path: Path, file: str) -> None:
    missing = fails("run", f"{tmp_path}/kernel.py::k", "--grid", "1")
    assert "there is no file" in missing
    assert f"did you mean {file}?" in missing
    assert "expected FILE.py::KERNEL, got 'a.txt'" in fails("run", "a.txt::k", "--grid", "1")
    bad = tmp_path / "bad.py"
    bad.write_text("def f(:\n")
    text = fails("run", f"{bad}::k", "--grid", "1")
    assert "is not valid Python" in text
    assert "bad.py" in text
    bad.write_text("import no_such_module\n")
    text = fails("run", f"{bad}::k", "--grid", "1")
    assert "cannot be imported" in text
    assert "line 1" in text
    assert "No module named 'no_such_module'" in text
    assert "importlib" not in text
    bad.write_text("x = 1\n")
    assert "defines no kernel" in fails("run", f"{bad}::k", "--grid", "1")


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("x", "expected NAME=SPEC, got 'x'"),
        ("2x=3", "expected NAME=SPEC"),
        ("z=3", "scale has no parameter 'z'\nparameters: x, y, a, BLOCK"),
        ("x=leaky_relu", "a text has quotes of its own: x=\"'leaky_relu'\""),
        ("x=leaky_relu", "a function is named with its module: x=module:leaky_relu"),
        ("x=helper", "a function is named with its module: x=kernels:helper"),
        ("x=kernels:helpr", "kernels has no 'helpr'; did you mean 'helper'?"),
        ("x=no_such:f", "the module no_such cannot be imported: ModuleNotFoundError"),
        ("x=randm(3)", "not a number, a constant, a file, or an array made by one of: randn"),
        ("x=randn(3):float33", "there is no dtype 'float33'; choose one of: bool"),
        ("x=randn(-1)", "a shape is made of integers >= 0"),
        ("x=randn(a)", "randn does not take that"),
        ("x=float32[3]", "an array to run on needs values, for example zeros(3):float32"),
        ("x=no.npy", "cannot read no.npy: No such file or directory"),
        ("x=__import__('os')", "not a number"),
        ("x=arange(0,5,0)", "arange does not take that: division by zero"),
        ("x=zeros(9999999,9999999)", "too large for this machine's memory"),
    ],
)
def test_bad_specs(file: str, spec: str, text: str) -> None:
    assert text in fails("run", f"{file}::scale", "--grid", "1", spec)


FUNCTIONS = """
import tegula as tg

def twice(t):
    return t + t

@tg.kernel
def apply(x: tg.Array, y: tg.Array, F: tg.Const):
    tg.store(y, 0, F(tg.load(x, 0, 8)))
"""


def test_functions_are_named_by_their_modules(tmp_path: Path) -> None:
    (tmp_path / "applied.py").write_text(FUNCTIONS)
    (tmp_path / "others.py").write_text("class Table:\n    neg = staticmethod(lambda t: -t)\n")
    call = (f"{tmp_path / 'applied.py'}::apply", "x=ones(8)", "y=zeros(8)")
    for function, value in (("applied:twice", 2), ("others:Table.neg", -1)):
        for how in ([], ["--interpret"]):
            output = tmp_path / "out.npz"
            result = invoke(
                *("run", *call, f"F={function}", "--grid", "1", "--output", str(output), *how)
            )
            assert result.exit_code == 0, result.output
            assert np.load(output)["y"].tolist() == [value] * 8
    result = invoke("compile", *call, "F=applied:twice")
    assert "arith.addf" in result.output
    assert "none" in fails("run", *call, "F=applied:none", "--grid", "1")


def test_bad_archives(file: str, tmp_path: Path) -> None:
    noise = tmp_path / "noise.npz"
    noise.write_bytes(b"noise")
    call = ("run", f"{file}::scale", "--grid", "1")
    assert "is no NumPy archive" in fails(*call, "--input", str(noise))
    assert "is no NumPy file" in fails(*call, f"x={noise}")
    noise.with_suffix(".npy").write_bytes(b"noise")
    assert "is no NumPy file of numbers; np.save" in fails(*call, f"x={noise.with_suffix('.npy')}")
    assert "pickle" not in fails(*call, "--input", file)
    np.savez(noise, other=np.zeros(3))
    assert "has no array 'x'; it has: other" in fails(*call, f"x={noise}")
    assert "does not exist" in fails(*call, "--input", str(tmp_path / "none.npz"), status=2)


def test_errors_of_kernels_show_the_users_line_and_no_traceback(file: str) -> None:
    text = fails("run", f"{file}::mismatch", "--grid", "1", "x=zeros(10)")
    assert text.startswith("error: add: shapes (4,) and (5,) do not broadcast together")
    assert "kernels.py:11" in text
    assert "Traceback" not in text


@pytest.mark.parametrize("how", [[], ["--interpret"]])
def test_exceptions_of_the_users_code_show_no_frame_of_ours(file: str, how: list[str]) -> None:
    call = ("run", f"{file}::crash", "--grid", "1", "x=zeros(10)", *how)
    text = fails(*call)
    assert text.splitlines()[:3] == [
        "error: IndexError: list index out of range",
        f'  File "{file}", line 15, in crash',
        "    [1][2]",
    ]
    assert text.count("File") == 1


def test_a_full_traceback_on_request(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEGULA_FULL_TRACEBACK", "1")
    with pytest.raises(IndexError):
        invoke("run", f"{file}::crash", "--grid", "1", "x=zeros(10)")


def test_an_exception_without_a_line_of_the_users_is_a_fault_of_ours(
    file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tegula.cli.run.parse_grid", int)
    text = fails("run", f"{file}::crash", "--grid", "1", "x=zeros(10)")
    assert text == (
        "error: TypeError: 'dict' object cannot be interpreted as an integer\n"
        "help: this may be a fault of Tegula; TEGULA_FULL_TRACEBACK=1 shows where\n"
    )


@pytest.mark.parametrize("name", ["no/folder/x", "."])
def test_files_that_cannot_be_written_are_refused_first(
    file: str, tmp_path: Path, name: str
) -> None:
    output = str(tmp_path / name)
    call = ("run", f"{file}::crash", "--grid", "1", "x=zeros(10)", "--output", output)
    assert "Invalid value for '--output'" in fails(*call, status=2)
    call = ("compile", f"{file}::crash", "x=float32[1]", "--output", output)
    assert "Invalid value for" in fails(*call, status=2)


def test_output_goes_to_the_file_that_was_named(file: str, tmp_path: Path) -> None:
    output = tmp_path / "result"
    call = ("run", f"{file}::scale", "--grid", "1", "x=ones(8)", "y=zeros(8)", "a=2.0")
    result = invoke(*call, "--output", str(output))
    assert result.exit_code == 0, result.output
    np.testing.assert_array_equal(np.load(output)["y"], np.full(8, 2.0))


def test_other_wrong_options(file: str) -> None:
    call = ("run", f"{file}::crash", "--grid", "1", "x=zeros(10)")
    assert "-1 is not in the range" in fails(*call, "--seed", "-1", status=2)
    assert "Usage" in fails(*call, "--threads", "0", status=2)


def test_missing_arguments_name_the_parameter_and_no_line_of_ours(file: str) -> None:
    text = fails("run", f"{file}::scale", "--grid", "1", "x=zeros(10)")
    assert text.startswith("error: argument 'y' is missing\nnote: the parameter 'y' is declared")
    assert "click" not in text


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("4", (4,)),
        ("4, 2,1", (4, 2, 1)),
        ("x.shape[0] // 2, n", (50, 3)),
        ("cdiv(x.shape[1], 3*n+1) - 1", (1,)),
        ("x.shape[-1]", (12,)),
    ],
)
def test_grids(text: str, sizes: tuple[int, ...]) -> None:
    assert parse_grid(text, {"x": np.zeros((100, 12)), "n": 3}) == sizes


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1,2,3,4",
        "-1",
        "1.5",
        "m",
        "x",
        "x.size",
        "x.shape[7]",
        "x.shape[-9]",
        "f(1)",
        "n // 0",
        "(1",
    ],
)
def test_bad_grids(text: str) -> None:
    with pytest.raises(click.ClickException, match="--grid"):
        parse_grid(text, {"x": np.zeros((100, 12)), "n": 3})


@pytest.mark.parametrize(
    ("spec", "value"),
    [
        ("3", 3),
        ("-1.5", -1.5),
        ("True", True),
        ("None", None),
        ("(1, 2)", (1, 2)),
        ("'text'", "text"),
    ],
)
def test_constant_specs(spec: str, value: Any) -> None:
    assert parse_spec("c", spec, np.random.default_rng(0), kinds=False) == value


def test_array_specs() -> None:
    def parse(spec: str) -> Any:
        return parse_spec("x", spec, np.random.default_rng(0), kinds=True)

    assert parse("zeros(2, 3)").dtype == np.float32
    assert parse("arange(5)").tolist() == [0, 1, 2, 3, 4]
    assert parse("arange(5)").dtype == np.int64
    assert parse("full((2,), 7):int8").tolist() == [7, 7]
    assert parse("ones((2, 2)):float64").sum() == 4
    assert parse("randint(0, 3, 100)").max() == 2
    assert str(parse("rand(3):bfloat16").dtype) == "bfloat16"
    assert parse("randn()").shape == ()
    kind = parse("float16[?, 32]")
    assert (kind.shape, kind.dtype, kind.ctypes.data % 64) == ((17, 32), np.float16, 0)
    assert repr(parse("float16")) == "tg.float16"


STAGES = {
    "tile": "tile.load",
    "linalg": "linalg.generic",
    "llvm-dialect": "llvm.func @scale",
    "llvm": "define void @scale",
    "llvm-opt": "define void @scale",
    "asm": "scale.entry:",
}


@pytest.mark.parametrize("stage", STAGES)
def test_compile_shows_each_stage(file: str, stage: str) -> None:
    result = invoke(
        "compile", f"{file}::scale", "x=float32[128]", "y=float32[?]", "a=1.0", "--emit", stage
    )
    assert result.exit_code == 0, result.output
    assert STAGES[stage] in result.output


def test_compile_knows_kinds_of_arrays(file: str) -> None:
    result = invoke("compile", f"{file}::scale", "x=float32[128]", "y=float32[?]", "a=1.0")
    assert "tile.size_div = array<i64: 16>" in result.output
    assert result.output.count("size_div") == 1


def test_compile_writes_files(file: str, tmp_path: Path) -> None:
    out = tmp_path / "kernel.o"
    arguments = ("x=float32[128]", "y=float32[128]", "a=1.0", "--emit", "obj", "-o", str(out))
    assert invoke("compile", f"{file}::scale", *arguments).exit_code == 0
    assert out.read_bytes()[:4] == b"\x7fELF"


def test_compile_with_wrong_options(file: str) -> None:
    call = ("compile", f"{file}::scale", "x=float32[128]", "y=float32[128]", "a=1.0")
    text = fails(*call, "--emit", "ptx")
    assert "cpu has no stage 'ptx'; its stages are: tile, linalg" in text
    text = fails(*call, "--target", "tpu")
    assert (
        text
        == f"error: there is no target 'tpu'\nhelp: choose one of: {', '.join(targets.names())}\n"
    )


def test_kinds_of_arrays_that_are_too_large(file: str) -> None:
    for size in ("9999999,999999", "99999999999999,99999999999999"):
        text = fails("compile", f"{file}::crash", f"x=float32[{size}]")
        assert "too large; only the divisibility of its sizes by 16 matters" in text


def test_help_shows_paragraphs_and_the_stages_of_each_target() -> None:
    for command in ("run", "compile"):
        assert "\\b" not in invoke(command, "--help").output
    shown = [line.split() for line in invoke("compile", "--help").output.splitlines()]
    for name in targets.names():
        line = next(words for words in shown if name in words)
        stages = [stage.name for stage in targets.get(name).stages()]
        assert line[-len(stages) :] == stages or line[-2:] == ["(the", "same)"]


def test_version_is_that_of_the_package() -> None:
    assert invoke("--version").output == f"tegula, version {tg.__version__}\n"


def test_doctor_finds_a_working_installation() -> None:
    result = invoke("doctor")
    assert result.exit_code == 0, result.output
    for text in (
        "numpy",
        "llvmlite",
        "cpu: compile",
        "cpu: run",
        "cuda",
        "everything that is needed",
    ):
        assert text in result.output


def test_doctor_says_how_to_fix_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from tegula._compile.cpu import CpuTarget
    from tegula._compile.targets import Availability

    missing = Availability(False, "llvmlite is missing", "pip install 'llvmlite[all]'")
    monkeypatch.setattr(CpuTarget, "can_compile", lambda self: missing)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TEGULA_CACHE_DIR", str(tmp_path / "file"))
    monkeypatch.delenv("TEGULA_DISABLE_CACHE", raising=False)
    monkeypatch.setenv("COLUMNS", "200")
    result = invoke("doctor")
    assert result.exit_code == 1
    assert "pip install 'llvmlite[all]'" in result.output
    assert "cannot be written" in result.output
    assert "not working: cache, cpu: compile" in result.output


def test_help_is_quick_and_loads_no_compiler() -> None:
    code = (
        "import sys\n"
        "from tegula.cli.app import tegula\n"
        "tegula(['--help'], standalone_mode=False)\n"
        "print([m for m in ('llvmlite', 'tegula.mlir', 'rich') if m in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert "demo" in result.stdout
    assert result.stdout.splitlines()[-1] == "[]"
