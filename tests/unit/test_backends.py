# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of backends, and that all backends of a test draw the same random numbers."""

from __future__ import annotations

import pytest

from tests._support import backends


@pytest.mark.parametrize("text", ["interpreter", "cpu", "cuda:sm_90a"])
def test_a_backend_is_known_by_its_name(text):
    backend = backends.parse(text)
    assert backend.name == text
    assert backend.mark.name == backend.kind == text.partition(":")[0]


@pytest.mark.parametrize("text", ["", "gpu", "cuda", "cuda:", "cpu:", "cpu:2", ":sm_90a"])
def test_other_names_are_refused_with_those_that_exist(text):
    with pytest.raises(ValueError, match=r"interpreter, cpu, .*cuda:ARCH"):
        backends.parse(text)


def test_without_being_asked_for_nothing_runs_on_a_device():
    assert backends.DEFAULT == ("interpreter", "cpu")


def test_the_backend_is_no_part_of_what_seeds_a_test():
    ids = {
        backends.without_backend(f"a_cpu.py::test_cpu[{name}-(1, 2)-float32]", name)
        for name in ("cpu", "interpreter", "cuda:sm_80")
    }
    assert ids == {"a_cpu.py::test_cpu[(1, 2)-float32"}
    last = backends.without_backend("a.py::test[x-cpu]", "cpu")
    assert last == backends.without_backend("a.py::test[x-interpreter]", "interpreter")
    assert backends.without_backend("a.py::test", "cpu") == "a.py::test"
