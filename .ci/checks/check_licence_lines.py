#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each source file starts with the licence line; C++ and TableGen then say why the file exists."""

from __future__ import annotations

from _common import ROOT, files, finish

LINE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
HASH = {".py", ".pyi", ".cmake", ".sh", ".toml", ".cfg"}
SLASH = {".cpp", ".h", ".td", ".mlir"}
EXPLAINED = {".cpp", ".h", ".td"}
# Files without an ending that are programs, and CMake's own name.
NAMES = {"CMakeLists.txt"}


def main() -> None:
    """Check the first lines of every file of a known kind."""
    problems: dict[str, str] = {}
    for path in files():
        text = (ROOT / path).read_text(errors="replace")
        lines = text.splitlines() or [""]
        script = lines[0].startswith("#!")
        first = lines[1] if script and len(lines) > 1 else lines[0]
        if path.suffix in SLASH:
            leader = "// "
        elif path.suffix in HASH or path.name in NAMES or script:
            leader = "# "
        else:
            continue
        if path.name == "pyproject.toml":
            continue
        if first != leader + LINE:
            problems[str(path)] = f"does not start with `{leader}{LINE}`"
        elif path.suffix in EXPLAINED and not (len(lines) > 2 and lines[2].startswith("// ")):
            problems[str(path)] = "does not say why it exists, after the licence line and `//`"
    finish("licence-lines", problems)


if __name__ == "__main__":
    main()
