# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the checks share: the repository's files, waivers, and how problems are reported."""

from __future__ import annotations

import re
import subprocess
import sys
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WAIVERS = Path(__file__).with_name("waivers.txt")


@cache
def files() -> tuple[Path, ...]:
    """The repository's files, relative to its root: tracked, or new and not ignored by git."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return tuple(
        sorted(p for name in listed.split("\0") if name and (ROOT / (p := Path(name))).is_file())
    )


def matching(*patterns: str) -> list[Path]:
    """Files of the repository whose path matches one of the patterns; `*` crosses folders."""
    return [path for path in files() if any(fnmatchcase(str(path), p) for p in patterns)]


def below(folder: str) -> list[Path]:
    """Files of the repository in or below a folder."""
    return [path for path in files() if Path(folder) in path.parents]


def waived(check: str) -> dict[str, str]:
    """Subjects that `waivers.txt` lets pass, with their reasons.

    A line is `check | subject | reason | YYYY-MM-DD`.
    """
    found: dict[str, str] = {}
    for number, line in enumerate(WAIVERS.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = [part.strip() for part in line.split("|")]
        if len(parts) != 4 or not re.fullmatch(r"\d{4}-\d\d-\d\d", parts[3]) or not parts[2]:
            sys.exit(f"{WAIVERS.name}:{number}: not `check | subject | reason | YYYY-MM-DD`")
        if parts[0] == check:
            found[parts[1]] = parts[2]
    return found


def finish(check: str, problems: dict[str, str]) -> None:
    """Report problems by subject, less those waived, and needless waivers; exit 1 if any."""
    reasons = waived(check)
    lines = [
        f"{subject}: {text}" for subject, text in sorted(problems.items()) if subject not in reasons
    ]
    lines += [
        f"{subject}: waived in {WAIVERS.name} for no reason"
        for subject in reasons
        if subject not in problems
    ]
    if lines:
        print("\n".join(lines))
        sys.exit(f"{check}: {len(lines)} problem(s)")
    print(f"{check}: ok" + (f", {len(reasons)} waived" if reasons else ""))
