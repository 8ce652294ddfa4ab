# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays that are not NumPy's reach kernels through DLPack."""

from __future__ import annotations

import gc
import sys
import weakref

import numpy as np
import pytest

from tegula import _native
from tests.python.native_kernels import Compiled

pytestmark = pytest.mark.cpu


class Exporter:
    """Speaks DLPack for a NumPy array, as tensor libraries do."""

    def __init__(self, array: np.ndarray, versions: bool = True) -> None:
        self.array = array
        self.versions = versions

    def __dlpack__(self, **options: object) -> object:
        if options and not self.versions:
            raise TypeError("no such option")
        return self.array.__dlpack__(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize("versions", [True, False])
def test_kernel_writes_into_the_exported_memory(versions: bool) -> None:
    kernel = Compiled("add_index")
    data = np.zeros(40, np.int64)
    kernel[40](Exporter(data, versions))
    np.testing.assert_array_equal(data, np.arange(40))
    assert kernel.signatures[0][0][0][:2] == ("array", "int64")


def test_same_key_as_for_numpy() -> None:
    kernel = Compiled("nothing", writes=())
    data = np.zeros((6, 8), np.float32)
    for view in (data, data.T, data[::2, ::2], data[:0]):
        kernel.dispatcher.clear()
        kernel[1](view)
        kernel[1](Exporter(view))
        assert len(kernel.dispatcher.specializations()) == 1


def test_read_only_exports_are_refused_where_they_are_written() -> None:
    data = np.zeros(4, np.int64)
    data.flags.writeable = False
    Compiled("nothing", writes=())[1](Exporter(data))
    with pytest.raises(ValueError, match="read-only: data"):
        Compiled("add_index")[1](Exporter(data))


def test_unsupported_element_type() -> None:
    with pytest.raises(ValueError, match="dtype: data: arrays with DLPack element type .code 5"):
        Compiled("nothing")[1](Exporter(np.zeros(4, np.complex64)))


class Raises:
    """An array that cannot be exported."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __dlpack__(self, **options: object) -> object:
        raise self.error


@pytest.mark.parametrize("kind", [BufferError, RuntimeError, TypeError])
def test_what_the_exporter_raises_names_the_argument_and_is_the_cause(kind: type) -> None:
    problem = kind("requires grad")
    said = f"no-access: data: Raises does not give access .*: {kind.__name__}: requires grad"
    with pytest.raises(ValueError, match=said) as caught:
        Compiled("nothing")[1](Raises(problem))
    assert caught.value.__cause__ is problem


@pytest.mark.parametrize("kind", [KeyboardInterrupt, MemoryError])
def test_interrupts_of_the_exporter_stay_what_they_are(kind: type) -> None:
    with pytest.raises(kind):
        Compiled("nothing")[1](Raises(kind()))


def test_an_exporter_that_raises_leaks_nothing() -> None:
    problem = BufferError("no")
    kernel = Compiled("nothing")

    def refuse() -> int:
        with pytest.raises(ValueError, match="no-access"):
            kernel[1](Raises(problem))
        problem.__traceback__ = None
        gc.collect()
        return sys.getrefcount(problem)

    assert refuse() == refuse()


def test_an_exporter_of_nonsense() -> None:
    class Nonsense:
        def __dlpack__(self, **options: object) -> object:
            return 3

    with pytest.raises(ValueError, match="not-array: data: .*no usable DLPack capsule"):
        Compiled("nothing")[1](Nonsense())


def test_memory_is_released_after_the_launch_and_kept_by_a_prepared_one() -> None:
    kernel = Compiled("add_index")
    data = np.zeros(4, np.int64)
    seen = weakref.ref(data)
    prepared = kernel[4].prepare(Exporter(data))
    kernel[4](Exporter(data))
    del data
    gc.collect()
    assert seen() is not None
    prepared()
    del prepared
    gc.collect()
    assert seen() is None


def test_dtype_names_are_those_of_the_abi() -> None:
    assert _native.DTYPES[4] == "int64"
    assert _native.DTYPES[11] == "float32"
    assert len(_native.DTYPES) == 15
