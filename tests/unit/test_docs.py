# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the pages of documentation show: each block of Python runs, each link leads to a file."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

import tegula as tg

ROOT = Path(__file__).parents[2]
PAGES = [
    *ROOT.glob("*.md"),
    *ROOT.glob("docs/**/*.md"),
    *(
        page
        for top in ("benchmarks", "dialects", "passes", "tests")
        for page in ROOT.glob(f"{top}/**/*.md")
    ),
]
BLOCKS = [
    pytest.param(block, id=f"{page.relative_to(ROOT)}-{number}")
    for page in PAGES
    for number, block in enumerate(
        re.findall(r"^```python\n(.*?)^```", page.read_text(), re.M | re.S)
    )
]
GUIDE = (ROOT / "docs/guide/language.md").read_text()


@pytest.mark.cpu
@pytest.mark.parametrize("block", BLOCKS)
def test_a_block_of_python_runs_as_a_file(block: str, tmp_path: Path) -> None:
    file = tmp_path / "block.py"
    file.write_text(block)
    runpy.run_path(str(file), run_name="__main__")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files(page: Path) -> None:
    text = re.sub(r"^```.*?^```|`[^`\n]*`", "", page.read_text(), flags=re.M | re.S)
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", text):
        assert (page.parent / target).exists(), target


def test_blocks_are_found() -> None:
    assert len(BLOCKS) >= 5


def test_the_guide_lists_only_what_there_is() -> None:
    names = set(re.findall(r"\btg\.(\w+)", GUIDE))
    section = GUIDE.partition("## What there is")[2].partition("## Look inside")[0]
    rows = [row.split("|")[2:] for row in section.splitlines() if row.startswith("| ")]
    listed = " ".join(re.findall(r"`([^`]*)`", "|".join("|".join(row) for row in rows)))
    names |= {
        word
        for word in re.findall(r"(?<![\w.])[a-z]\w{2,}", listed)
        if word not in ("tiles", "axis", "dtype", "seed", "offsets")
    }
    missing = sorted(name for name in names if not hasattr(tg, name))
    assert not missing
