# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The checks of CI see what they are there for."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

CHECKS = Path(__file__).resolve().parents[2] / ".ci" / "checks"


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Iterator[object]:
    """Import a check by its name; forgotten again afterwards."""
    monkeypatch.syspath_prepend(str(CHECKS))
    before = set(sys.modules)

    def by_name(name: str) -> ModuleType:
        return __import__(name)

    yield by_name
    for name in set(sys.modules) - before:
        if name.startswith(("check_", "_common")):
            del sys.modules[name]


def test_cpp_functions_are_measured_without_comments_strings_and_blanks(load) -> None:
    text = """\
namespace a {
struct B final : C<D> {
  explicit B(int x)
      : x(x) {
    g("}{", '{'); // }
  }

public:
  int f() const override {
    /* { */

    return [](int y) { return y; }(1);
  }
  int x = 0;
};
static const int table[] = {1, 2};
template <typename T>
T free(T value) {
  if (value) {
    return value;
  }
  return T();
}
} // namespace a
"""
    found = [(name, length) for name, _, length in load("check_sizes").cpp_functions(text)]
    assert found == [("B", 4), ("f", 3), ("free", 7)]


def test_python_functions_are_measured_without_comments_docstrings_and_blanks(load) -> None:
    text = 'def f():\n    """Two\n\n    lines."""\n    # no\n\n    return (\n        1\n    )\n'
    assert list(load("check_sizes").python_functions(text)) == [("f", 1, 4)]


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("auto x = cudaMalloc();", "cuda"),
        ("is_hip = True", "hip"),
        ("// as on gfx942", "gfx942"),
        ("a relationship of commands, amdahl", None),
        ("tensor<4xf32>", None),
    ],
)
def test_vendor_names_are_words_of_code(load, line: str, named: str | None) -> None:
    found = load("check_vendor_names").PATTERN.search(line)
    assert (found and found[0].lower()) == named


def test_flags_are_names_in_kebab_case(load) -> None:
    assert load("check_twins").kebab("TileToLinalg") == "tile-to-linalg"
