# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The list of cases from the field names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| .* \| `(tests/.*)` \| `(test_\w+)` \|$", re.MULTILINE)
ROWS = ROW.findall((ROOT / "docs/dev/field-cases.md").read_text())


@pytest.mark.parametrize(("file", "test"), ROWS)
def test_the_test_of_a_case_exists(file: str, test: str) -> None:
    assert f"def {test}(" in (ROOT / file).read_text()


def test_the_list_is_read() -> None:
    assert len(ROWS) > 20
