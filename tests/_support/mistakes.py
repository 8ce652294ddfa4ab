# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mistakes that users make, and what Tegula must say about each.

A mistake is a function that makes it, with the class of the error, the source text that the carets
must underline, what the message must say and what the help must suggest. The whole text is pinned
too, in ``tests/python/golden/errors_<group>.txt``, with places relative to the function:
`--update-golden` rewrites those files, and their diff is what a reviewer reads.
"""

from __future__ import annotations

import contextlib
import inspect
import re
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import tegula as tg
from tegula._location import is_own_file
from tests._support import backends as known

GOLDEN = Path(__file__).parents[1] / "python" / "golden"
HAS_COLUMNS = sys.version_info >= (3, 11)  # Python 3.10 records lines only

PLACE = re.compile(r"^  --> (?P<file>.*?):(?P<line>\d+)(:(?P<column>\d+))?(?P<rest> in .*)?$")
SOURCE = re.compile(r"^ ( +|\d+) \| ?(?P<text>.*)$")


# C++ sources and names, addresses, and files of this package.
INTERNALS = re.compile(
    r"\.cpp\b|\.h:\d|\w::\w|LLVM ERROR|0x[0-9a-f]{6}|Assertion `|libTegula|python/tegula/(?!ops/)"
)


def check_frames(error: BaseException) -> None:
    """Fail if the traceback that Python shows has a line of this package."""
    shown: BaseException | None = error
    while shown is not None:
        for frame in traceback.extract_tb(shown.__traceback__):
            assert not is_own_file(frame.filename), f"{frame} is shown of {shown!r:.200}"
        hidden = shown.__suppress_context__
        shown = shown.__cause__ or (None if hidden else shown.__context__)


@dataclass(frozen=True)
class Mistake:
    """One mistake; see the module docstring."""

    run: Callable[[], object]
    error: type[Exception]
    at: str
    says: tuple[str, ...]
    fix: str
    backends: tuple[str, ...]
    line: str

    @property
    def name(self) -> str:
        return self.run.__name__

    def text(self, backend: str) -> str:
        """Make the mistake and return the error's text; fail if there is none or another one."""
        scope = tg.interpret() if backend == "interpreter" else contextlib.nullcontext()
        with scope, pytest.raises(self.error) as caught:
            self.run()
        assert type(caught.value) is self.error
        check_frames(caught.value)
        return str(caught.value)

    def check_content(self, text: str) -> None:
        """Fail unless the text has the place, the carets, the values and the fix."""
        assert not INTERNALS.search(text), f"internals of the compiler in:\n{text}"
        assert "\nhelp: " in text, f"nothing is suggested in:\n{text}"
        for pattern in self.says:
            assert re.search(pattern, text), f"{pattern!r} is not in:\n{text}"
        help_text = text[text.rfind("\nhelp: ") :] if self.fix else text
        assert re.search(self.fix, help_text), f"the help has no {self.fix!r}:\n{text}"
        lines = text.splitlines()
        first = next((i for i, line in enumerate(lines) if PLACE.match(line)), None)
        assert first is not None, f"no place in:\n{text}"
        place = PLACE.match(lines[first])
        source, start = inspect.getsourcelines(self.run)
        assert place["file"] == inspect.getsourcefile(self.run)
        wanted = [start + i for i, line in enumerate(source) if self.line in line]
        assert int(place["line"]) == wanted[-1], f"line {wanted[-1]} wanted:\n{text}"
        shown, carets = lines[first + 2], lines[first + 3]
        assert shown.endswith(source[wanted[-1] - start].rstrip("\n"))
        if HAS_COLUMNS:
            underlined = "".join(a for a, b in zip(shown, carets, strict=False) if b == "^")
            assert underlined == self.at, f"carets under {underlined!r}:\n{text}"

    def pinned(self, text: str) -> str:
        """The text with file names cut and line numbers counted from the mistake's first."""
        source, start = inspect.getsourcelines(self.run)
        lines = []
        for line in text.splitlines():
            if place := PLACE.match(line):
                row, name = int(place["line"]) - start, Path(place["file"]).name
                at = f"+{row}" if 0 <= row < len(source) else "..."
                column = f":{place['column']}" if place["column"] else ""
                line = f"  --> {name}:{at}{column}{place['rest'] or ''}"
            elif shown := SOURCE.match(line):
                line = f"    | {shown['text']}".rstrip()
            lines.append(line)
        return "\n".join(lines)


def without_columns(text: str) -> str:
    """The text without what Python 3.10 cannot know: columns and caret lines."""
    text = re.sub(r"^(  --> .*?:(\+\d+|\.\.\.)):\d+", r"\1", text, flags=re.M)
    return re.sub(r"^    \| *\^+$\n?", "", text, flags=re.M)


@dataclass
class Mistakes:
    """The mistakes of one test file and their golden texts."""

    group: str
    all: list[Mistake] = field(default_factory=list)

    def expect(
        self,
        error: type[Exception],
        *,
        at: str,
        says: tuple[str, ...] | str = (),
        fix: str = "",
        backends: tuple[str, ...] = known.DEFAULT,
        line: str = "",
    ) -> Callable[[Callable[[], object]], Callable[[], object]]:
        """Decorator: the function makes a mistake that must be explained so.

        `line` finds the last line with that text, where `at` is not enough to find it.
        """

        def add(run: Callable[[], object]) -> Callable[[], object]:
            wanted = (says,) if isinstance(says, str) else says
            self.all.append(Mistake(run, error, at, wanted, fix, backends, line or at))
            return run

        return add

    @property
    def file(self) -> Path:
        return GOLDEN / f"errors_{self.group}.txt"

    def read(self) -> dict[str, str]:
        """The pinned texts by name."""
        if not self.file.exists():
            return {}
        parts = re.split(r"^=== (\w+): \w+ ===\n", self.file.read_text(), flags=re.M)[1:]
        return {name: text.strip("\n") for name, text in zip(parts[::2], parts[1::2], strict=True)}

    def write(self, texts: dict[str, str]) -> None:
        """Store the pinned texts, in the order of the test file."""
        self.file.parent.mkdir(exist_ok=True)
        sections = [
            f"=== {mistake.name}: {mistake.error.__name__} ===\n{texts[mistake.name]}\n"
            for mistake in self.all
            if mistake.name in texts
        ]
        self.file.write_text("\n".join(sections))

    def check(self, mistake: Mistake, backend: str, update: bool) -> None:
        """Run one mistake on one backend: check its content, then compare with the golden text."""
        text = mistake.text(backend)
        mistake.check_content(text)
        got, texts = mistake.pinned(text), self.read()
        if update and HAS_COLUMNS and backend == mistake.backends[0]:
            self.write(texts | {mistake.name: got})
            return
        want = texts.get(mistake.name, "nothing is pinned yet: run with --update-golden")
        if not HAS_COLUMNS:
            got, want = without_columns(got), without_columns(want)
        assert got == want

    def parametrize(self) -> pytest.MarkDecorator:
        """One case per mistake and backend."""
        cases = [
            pytest.param(
                mistake,
                backend,
                id=f"{mistake.name}-{backend}",
                marks=getattr(pytest.mark, backend),
            )
            for mistake in self.all
            for backend in mistake.backends
        ]
        return pytest.mark.parametrize("mistake, on", cases)
