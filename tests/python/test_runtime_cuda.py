# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is asked of NVIDIA's driver, call by call, on a library that records the calls.

These say nothing about a GPU; the tests in tests/device run on one.
"""

from __future__ import annotations

import struct
import warnings
from typing import Any

import numpy as np
import pytest

from tegula import _native
from tegula._compile import cuda as cuda_targets
from tegula._runtime import cuda
from tegula.errors import DeviceError, KernelAssertionError, LaunchError, PerformanceWarning
from tests.python.fake_cuda import DeviceArray, FakeDriver, FastArray, Launcher, artifact, build

pytestmark = pytest.mark.cpu


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> FakeDriver:
    return build(tmp_path_factory.mktemp("driver"))


@pytest.fixture
def fake(library: FakeDriver, monkeypatch: pytest.MonkeyPatch) -> FakeDriver:
    monkeypatch.setenv("TEGULA_CUDA_DRIVER", str(library.path))
    library.library.fake_make_none_current()
    library.reset()
    FastArray.stream = 0
    return library


@pytest.mark.parametrize("kind", [DeviceArray, FastArray])
def test_a_launch_is_one_call_of_the_driver(fake: FakeDriver, kind: Any) -> None:
    launcher = Launcher(cuda)
    x = kind(np.zeros(5))
    launcher[2, 3](x, 7)
    fake.library.fake_make_current(0)
    fake.reset()
    launcher[2, 3](x, 7)
    assert fake.log == [
        "launch 6 1 1 x 128 1 1 shared 0 stream 0 on 0: grid 2 3 1 context 0",
    ]
    np.testing.assert_array_equal(x.values, 14)
    assert launcher.signatures == [launcher.signatures[0]]
    assert launcher.signatures[0][2] == ("cuda", 0)


def test_the_context_is_made_current_for_the_launch_only(fake: FakeDriver) -> None:
    launcher = Launcher(cuda)
    x = DeviceArray(np.zeros(5))
    launcher[1](x, 7)
    fake.reset()
    launcher[1](x, 7)
    assert [line.split()[0] for line in fake.log] == ["push", "launch", "pop"]


def test_each_device_gets_the_code_in_its_context(fake: FakeDriver) -> None:
    launcher = Launcher(cuda)
    for device in (0, 1, 0, 1):
        launcher[1](DeviceArray(np.zeros(3), device), 1)
    assert [s[2] for s in launcher.signatures] == [("cuda", 0), ("cuda", 1)]
    loads = [line for line in fake.log if line.startswith("load")]
    assert loads == ["load image of fill on 0", "load image of fill on 1"]
    places = [line.split(" on ")[1][0] for line in fake.log if line.startswith("launch")]
    assert places == ["0", "1", "0", "1"]


def test_the_stream_of_the_arrays_library_is_used_at_each_launch(fake: FakeDriver) -> None:
    launcher = Launcher(cuda)
    x = FastArray(np.zeros(3))
    prepared = launcher[1].prepare(x, 1)
    for stream in (0, 48, 64):
        FastArray.stream = stream
        launcher[1](x, 1)
        prepared()
    streams = [line.split()[11] for line in fake.log if line.startswith("launch")]
    assert streams == ["0", "0", "48", "48", "64", "64"]


def test_a_prepared_launch_neither_waits_nor_allocates(fake: FakeDriver) -> None:
    fake.library.fake_make_current(0)
    x = FastArray(np.zeros(3))
    prepared = Launcher(cuda)[4].prepare(x, 5)
    fake.reset()
    prepared()
    prepared()
    assert [line.split()[0] for line in fake.log] == ["launch", "launch"]
    np.testing.assert_array_equal(x.values, 10)


def test_an_empty_grid_launches_nothing(fake: FakeDriver) -> None:
    Launcher(cuda)[0, 5](DeviceArray(np.zeros(3)), 1)
    assert not [line for line in fake.log if line.startswith("launch")]


def test_more_shared_memory_than_is_free_is_asked_for(fake: FakeDriver) -> None:
    launcher = Launcher(cuda, shared_bytes=200_000)
    launcher[1](DeviceArray(np.zeros(3)), 1)
    assert "attribute 8 = 200000" in fake.log
    assert any("shared 200000" in line for line in fake.log)


def test_arrays_on_the_host_are_copied_there_and_back(fake: FakeDriver) -> None:
    launcher = Launcher(cuda, ("cuda", 0))
    x = np.arange(20, dtype=np.int64)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        launcher[1](x[3:17:2], 100)
    expected = np.arange(20)
    expected[3:17:2] += 100
    np.testing.assert_array_equal(x, expected)
    calls = [line for line in fake.log if line.split()[0] in ("allocate", "copy", "free")]
    assert calls == ["allocate 360", "copy in 104 stream 0", "copy out 104 stream 0", "free"]


def test_backward_strides_are_copied_too(fake: FakeDriver) -> None:
    x = np.arange(10, dtype=np.int64)
    Launcher(cuda, ("cuda", 1))[1](x[::-1], 5)
    np.testing.assert_array_equal(x, np.arange(10) + 5)
    assert any(line.startswith("launch") and "on 1" in line for line in fake.log)


def test_copies_keep_what_the_kernel_was_told_of_alignment(fake: FakeDriver) -> None:
    launcher = Launcher(cuda, ("cuda", 0))
    data = np.zeros(64, np.int64)
    start = next(i for i in range(4) if data[i:].ctypes.data % 32 == 8)
    launcher[1](data[start : start + 8], 1)
    assert launcher.signatures[0][0][0][3] == 8
    np.testing.assert_array_equal(data[start : start + 8], 1)


def test_mixing_arrays_of_host_and_device_is_noted(fake: FakeDriver) -> None:
    missing = _native.MISSING
    launcher = Launcher(cuda)
    parameters = [("x", "array", None, missing), ("y", "array", None, missing)]
    dispatcher = _native.Dispatcher("k", parameters, launcher.compile, lambda *e: ValueError(e[3]))
    fake.reset(6)
    with pytest.warns(PerformanceWarning, match="are copied to the device"):
        dispatcher[1](DeviceArray(np.zeros(3)), np.zeros(3, np.int64))
    with pytest.raises(ValueError, match="on cuda device 1, but the kernel is to run on cuda de"):
        dispatcher[1](DeviceArray(np.zeros(3)), DeviceArray(np.zeros(3), 1))


def test_tensor_maps_describe_arrays_and_are_remembered(fake: FakeDriver) -> None:
    fake.reset(6)
    fake.library.fake_expect_maps(2)
    x = np.zeros((48, 32), np.float16)
    one = {"argument": 0, "order": [1, 0], "box": [64, 16], "swizzle": 128, "element_bytes": 2}
    other = {**one, "box": [8, 8], "swizzle": 0}
    launcher = Launcher(cuda, ("cuda", 0), num_warps=8, tensor_maps=[one, other])
    parameters = [("x", "array", None, _native.MISSING), ("n", "auto", None, _native.MISSING)]
    make = _native.Dispatcher
    dispatcher = make("k", parameters, launcher.compile, lambda *e: ValueError(e[3]), ("cuda", 0))
    dispatcher[1](x, 1)
    assert "encode type 1 at 0%16: 32/64/1 48/16/1 stride 64 mode 0 3 2 0" in fake.log
    assert "encode type 1 at 0%16: 32/8/1 48/8/1 stride 64 mode 0 0 2 0" in fake.log
    assert any(line.endswith("map #1 map #2") for line in fake.log)


def test_a_tensor_map_is_made_once_for_an_array(fake: FakeDriver) -> None:
    spec = {"argument": 0, "order": [0], "box": [8], "swizzle": 0, "element_bytes": 8}
    launcher = Launcher(cuda, tensor_maps=[spec])
    fake.library.fake_expect_maps(1)
    arrays = [FastArray(np.zeros(n)) for n in (3, 5)]
    for _ in range(3):
        for array in arrays:
            launcher[1](array, 1)
    assert len([line for line in fake.log if line.startswith("encode")]) == 2
    maps = [line.split()[-1] for line in fake.log if line.startswith("launch")]
    assert maps == ["#1", "#2"] * 3


def test_an_array_without_elements_is_described_as_zeros(fake: FakeDriver) -> None:
    spec = {"argument": 0, "order": [0], "box": [8], "swizzle": 0, "element_bytes": 8}
    launcher = Launcher(cuda, tensor_maps=[spec])
    launcher[1](FastArray(np.zeros(0)), 1)
    assert "encode type 4 at 0%16: 1/8/1 mode 0 0 2 0" in fake.log


def test_strides_that_no_tensor_map_has_are_not_promised(fake: FakeDriver) -> None:
    launcher = Launcher(cuda, ("cuda", 0))
    x = np.zeros((64, 16), np.int64)
    make = _native.Dispatcher
    parameters = [("x", "array", None, _native.MISSING)]
    dispatcher = make("k", parameters, launcher.compile, lambda *e: ValueError(e[3]), ("cuda", 0))
    for view in (x, x[::-1]):
        fake.reset(5)
        launcher.signatures.clear()
        dispatcher.clear()
        dispatcher[1](view)
        assert launcher.signatures[0][0][0][5][0] == (1 if view.strides[0] < 0 else 16)


PRINT = {"dtypes": ["int16", "float32"], "shapes": [[2], []], "texts": ["a = ", ", x = ", ""]}
ASSERT = {"assert": "no rows", "file": __file__, "line": 1, "column": 1}


def record(number: int, program: tuple[int, int, int], payload: bytes = b"") -> bytes:
    data = struct.pack("<Iiii", number, *program) + payload
    return data + bytes(-len(data) % 16)


def test_what_programs_print_comes_in_their_order(
    fake: FakeDriver, capsys: pytest.CaptureFixture[str]
) -> None:
    launcher = Launcher(cuda, messages=[PRINT, ASSERT])
    late = record(1, (1, 2, 0), struct.pack("<hhf", 3, -4, 2.5))
    early = record(1, (0, 1, 0), struct.pack("<hhf", 1, 2, 0.5))
    data = late + early
    for _ in range(2):
        fake.reset()
        fake.library.fake_messages(data, len(data), len(data), 0)
        launcher[2, 3](FastArray(np.zeros(3)), 1)
        assert capsys.readouterr().out == "a = [1 2], x = 0.5\na = [ 3 -4], x = 2.5\n"
    assert any("context 1 used 0" in line for line in fake.log)


def test_a_failed_assertion_is_that_of_the_first_program(fake: FakeDriver) -> None:
    launcher = Launcher(cuda, messages=[PRINT, ASSERT])
    x = FastArray(np.zeros(3))
    launcher[4](x, 1)
    data = record(2, (3, 0, 0)) + record(2, (1, 0, 0))
    fake.library.fake_messages(data, len(data), len(data), 1)
    with pytest.raises(KernelAssertionError, match=r"\(1, 0, 0\)"):
        launcher[4](x, 1)
    fake.library.fake_messages(b"", 0, 0, 1)
    with pytest.raises(KernelAssertionError, match="no rows"):
        launcher[4](x, 1)


def test_what_did_not_fit_is_told_and_damage_ends_the_reading(
    fake: FakeDriver, capsys: pytest.CaptureFixture[str]
) -> None:
    launcher = Launcher(cuda, messages=[PRINT])
    x = FastArray(np.zeros(3))
    launcher[1](x, 1)
    good = record(1, (0, 0, 0), struct.pack("<hhf", 1, 2, 0.5))
    for bad in (record(7, (0, 0, 0)), record(0, (0, 0, 0)), good[:16]):
        fake.library.fake_messages(good + bad, len(good + bad), len(good + bad), 0)
        launcher[1](x, 1)
        assert capsys.readouterr().out == "a = [1 2], x = 0.5\n"
    fake.library.fake_messages(good, len(good), 1 << 30, 0)
    launcher[1](x, 1)
    assert "(what else was printed did not fit into 4194304 bytes)" in capsys.readouterr().out


def test_a_refused_launch_names_the_kernel(fake: FakeDriver) -> None:
    launcher = Launcher(cuda)
    x = DeviceArray(np.zeros(3))
    launcher[1](x, 1)
    fake.fail("launch", 1)
    with pytest.raises(DeviceError, match="the launch of the kernel 'fill' failed: CUDA_ERROR_FAK"):
        launcher[1](x, 1)


def test_a_fault_of_an_earlier_kernel_names_what_ran(fake: FakeDriver) -> None:
    x = DeviceArray(np.zeros(3))
    Launcher(cuda, name="culprit")[1](x, 1)
    launcher = Launcher(cuda)
    launcher[1](x, 1)
    fake.fail("launch", 700)
    with pytest.raises(DeviceError) as caught:
        launcher[1](x, 1)
    text = str(caught.value)
    assert "a kernel that ran before on this GPU failed: CUDA_ERROR_ILLEGAL_ADDRESS" in text
    assert "newest first: fill, culprit" in text


def test_no_memory_for_a_copy_is_an_error(fake: FakeDriver) -> None:
    launcher = Launcher(cuda, ("cuda", 0))
    fake.fail("allocate", 2)
    with pytest.raises(DeviceError, match="copying an argument of the kernel 'fill' failed"):
        launcher[1](np.zeros(3, np.int64), 1)
    assert "free" not in fake.log


def test_too_many_programs_for_one_launch(fake: FakeDriver) -> None:
    with pytest.raises(LaunchError, match="one launch runs at most 2147483647"):
        Launcher(cuda)[65536, 65536](DeviceArray(np.zeros(3)), 1)


def test_code_that_the_driver_refuses_comes_with_its_reason(fake: FakeDriver) -> None:
    fake.fail("load", 218)
    with pytest.raises(_native.ObjectError, match="'fill'.*\n?.*line 7: no such instruction"):
        cuda.load(artifact(), 0)
    with pytest.raises(_native.ObjectError, match="there is no CUDA device 5"):
        cuda.load(artifact(), 5)


def test_code_is_unloaded_in_its_context(fake: FakeDriver) -> None:
    code = cuda.load(artifact(), 1)
    fake.reset()
    del code
    assert fake.log == ["push 1", "unload on 1", "pop"]


def test_devices_have_targets(fake: FakeDriver) -> None:
    assert cuda.architecture() == "sm_90a"
    assert cuda.architecture(1) == "sm_86"
    fake.library.fake_make_current(1)
    assert cuda.current_device() == 1
    assert cuda.architecture() == "sm_86"
    found = cuda.availability()
    assert found.ok
    assert found.reason == "Fake 0 (sm_90a), Fake 1 (sm_86), driver for CUDA 13.0"


@pytest.mark.parametrize(
    ("capability", "target"),
    [
        ((8, 0), "sm_80"),
        ((8, 7), "sm_86"),
        ((8, 9), "sm_89"),
        ((9, 0), "sm_90a"),
        ((10, 0), "sm_100a"),
        ((12, 0), "sm_120a"),
        ((7, 5), None),
        ((11, 0), None),
    ],
)
def test_the_target_of_a_capability(capability: tuple[int, int], target: str | None) -> None:
    assert cuda_targets.for_capability(*capability) == target


def test_no_driver_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEGULA_CUDA_DRIVER", "/nowhere/libcuda.so.1")
    assert cuda.architecture() is None
    assert not cuda.availability().ok
    with pytest.raises(DeviceError, match=r"NVIDIA's driver cannot be used: .*nowhere"):
        cuda.driver()
