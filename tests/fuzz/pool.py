# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inputs in forked processes, and outlives whatever they do.

A process runs a chunk of consecutive inputs and writes one line for each into a pipe, so that the
parent always knows which one a process was at when it died or stopped answering. What it wrote to
stderr and what it was doing are known too: they tell one cause from another.
"""

from __future__ import annotations

import faulthandler
import gc
import json
import mmap
import os
import re
import resource
import select
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from tests.fuzz import kinds
from tests.fuzz.kinds import Finding, Kind

NOTE_BYTES = 256
MEMORY = 6 << 30  # address space that a process may take beyond what it starts with
SPARE = 1 << 30  # and then to say what went wrong
STDERR_BYTES = 20_000


@dataclass
class Record:
    """One thing that went wrong, with the first input that brought it out."""

    kind: str
    seed: int
    index: int
    key: str
    detail: str
    item: dict[str, Any] | None = None
    count: int = 1


@dataclass
class Result:
    """What a run found.

    Attributes:
        outcomes: by kind, how many inputs ended how.
        seconds: by kind, the time that its inputs took.
        slowest: by kind, seconds and number of the input that took longest.
        records: findings by kind and key.
    """

    outcomes: dict[str, Counter[str]] = field(default_factory=dict)
    seconds: Counter[str] = field(default_factory=Counter)
    slowest: dict[str, tuple[float, int]] = field(default_factory=dict)
    records: dict[tuple[str, str], Record] = field(default_factory=dict)

    def count(self, kind: str | None = None) -> int:
        """How many inputs were run, of a kind or of all."""
        return sum(
            total
            for name, c in self.outcomes.items()
            if kind in (None, name)
            for total in [c.total()]
        )

    def add(self, kind: str, index: int, outcome: str, seconds: float) -> None:
        self.outcomes.setdefault(kind, Counter())[outcome] += 1
        self.seconds[kind] += seconds
        self.slowest[kind] = max(self.slowest.get(kind, (0.0, 0)), (seconds, index))

    def find(self, record: Record) -> None:
        known = self.records.setdefault((record.kind, record.key), record)
        if known is not record:
            known.count += 1


@dataclass
class Process:
    """A child at work on a chunk."""

    kind: Kind
    first: int
    count: int
    pid: int
    pipe: int
    notes: mmap.mmap
    stderr: IO[bytes]
    done: int = 0
    buffer: bytes = b""
    since: float = field(default_factory=time.monotonic)
    killed: bool = False

    @property
    def index(self) -> int:
        """The input that it is at."""
        return self.first + self.done

    def doing(self) -> str:
        return self.notes[:].split(b"\0", 1)[0].decode(errors="replace")

    def messages(self) -> str:
        """The end of what it wrote to stderr."""
        self.stderr.seek(0, os.SEEK_END)
        self.stderr.seek(max(0, self.stderr.tell() - STDERR_BYTES))
        return self.stderr.read().decode(errors="replace")


@dataclass
class Pool:
    """Runs chunks of inputs in `jobs` processes at a time.

    Attributes:
        seed: of the run.
        jobs: processes at a time.
        until: time of `time.monotonic()` at which no further chunk is started.
        patience: factor on the kinds' seconds, for slow machines.
        report: called with each new record.
    """

    seed: int
    jobs: int
    until: float = float("inf")
    patience: float = 1.0
    report: Callable[[Record], None] = lambda record: None
    result: Result = field(default_factory=Result)

    def run(self, chunks: Iterator[tuple[Kind, int, int]]) -> Result:
        """Run all chunks (kind, first number, how many)."""
        waiting: deque[tuple[Kind, int, int]] = deque()
        running: dict[int, Process] = {}
        gc.freeze()  # keeps memory shared with the children
        while True:
            while len(running) < self.jobs:
                chunk = waiting.popleft() if waiting else self._next(chunks)
                if chunk is None:
                    break
                process = self._start(*chunk)
                running[process.pipe] = process
            if not running:
                return self.result
            ready, _, _ = select.select(list(running), [], [], 0.2)
            for pipe in ready:
                process = running[pipe]
                if self._read(process):
                    continue
                del running[pipe]
                rest = self._finish(process)
                if rest is not None:
                    waiting.append(rest)
            for process in running.values():
                self._watch(process)

    def _next(self, chunks: Iterator[tuple[Kind, int, int]]) -> tuple[Kind, int, int] | None:
        return next(chunks, None) if time.monotonic() < self.until else None

    def _start(self, kind: Kind, first: int, count: int) -> Process:
        read, write = os.pipe()
        notes = mmap.mmap(-1, NOTE_BYTES)
        stderr = tempfile.TemporaryFile()
        sys.stdout.flush()
        pid = os.fork()
        if pid == 0:
            os.close(read)
            os.dup2(stderr.fileno(), 2)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            status = 1
            try:
                _limit()
                _work(kind, self.seed, first, count, write, notes)
                status = 0
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(status)
        os.close(write)
        return Process(kind, first, count, pid, read, notes, stderr)

    def _read(self, process: Process) -> bool:
        """Take what a child wrote; False at its end."""
        data = os.read(process.pipe, 1 << 16)
        *lines, process.buffer = (process.buffer + data).split(b"\n")
        for line in lines:
            message = json.loads(line)
            name, index = process.kind.name, process.index
            self.result.add(name, index, message["outcome"], message["seconds"])
            if "key" in message:
                self._find(process, message["key"], message["detail"], message["item"])
            process.done += 1
            process.since = time.monotonic()
        return bool(data)

    def _finish(self, process: Process) -> tuple[Kind, int, int] | None:
        """Reap a child; the rest of its chunk if it died."""
        os.close(process.pipe)
        _, status = os.waitpid(process.pid, 0)
        left = process.count - process.done
        if left > 0 and status != 0:
            text, doing = process.messages(), process.doing()
            seconds = time.monotonic() - process.since
            how = "hang" if process.killed else "crash"
            self.result.add(process.kind.name, process.index, how, seconds)
            self._find(process, describe(how, status, text, doing), f"while: {doing}\n{text}", None)
            left -= 1
            process.done += 1
        process.stderr.close()
        process.notes.close()
        return (process.kind, process.index, left) if left > 0 else None

    def _find(self, process: Process, key: str, detail: str, item: dict[str, Any] | None) -> None:
        name, index = process.kind.name, process.index
        if item is None:
            item = process.kind.make(kinds.generator(name, self.seed, index))
        record = Record(name, self.seed, index, key, detail, item)
        self.result.find(record)
        if record.count == 1 and self.result.records[name, key] is record:
            self.report(record)

    def _watch(self, process: Process) -> None:
        """End a child that takes too long, after it has said where it is."""
        late = time.monotonic() - process.since - process.kind.seconds * self.patience
        if late > 0 and not process.killed:
            process.killed = True
            os.kill(process.pid, signal.SIGUSR1)
            time.sleep(0.3)
            os.kill(process.pid, signal.SIGKILL)


def _limit() -> None:
    """Bound a child's memory, and let it tell where it is."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most + SPARE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faulthandler.enable()
    faulthandler.register(signal.SIGUSR1)


def _work(kind: Kind, seed: int, first: int, count: int, pipe: int, notes: mmap.mmap) -> None:
    """What a child does."""

    def note(text: str) -> None:
        data = text.encode()[: NOTE_BYTES - 1]
        notes[: len(data) + 1] = data + b"\0"

    for index in range(first, first + count):
        note("making it")
        item = kind.make(kinds.generator(kind.name, seed, index))
        message = attempt(kind, item, note)
        is_last = "key" in message or message["outcome"] == kinds.CAUGHT
        if is_last:
            _, most = resource.getrlimit(resource.RLIMIT_AS)
            resource.setrlimit(resource.RLIMIT_AS, (most, most))
        data = json.dumps(message).encode() + b"\n"
        while data:
            data = data[os.write(pipe, data) :]
        if is_last:
            return  # What was caught keeps its memory: the rest gets a process of its own.


def attempt(kind: Kind, item: dict[str, Any], note: kinds.Note) -> dict[str, Any]:
    """Run one input in this process."""
    start = time.perf_counter()
    message: dict[str, Any] = {}
    try:
        message["outcome"] = kind.run(item, note)
    except Finding as finding:
        message |= {"outcome": "finding", "key": finding.key, "detail": finding.detail}
    except Exception as error:
        key = f"{type(error).__name__} from {origin(error)}"
        message |= {"outcome": "finding", "key": key, "detail": traceback.format_exc()}
    if "key" in message:
        message["item"] = item
    message["seconds"] = time.perf_counter() - start
    return message


def origin(error: BaseException) -> str:
    """Where an exception comes from: file and function of its innermost frame."""
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return "nowhere"
    return f"{'/'.join(frames[-1].filename.split('/')[-2:])}:{frames[-1].name}"


_ASSERTION = re.compile(r"(\S+?):(\d+): .*?Assertion `(.*?)' failed", re.S)


def describe(how: str, status: int, text: str, doing: str) -> str:
    """What deaths of one cause have in common."""
    if how == "hang":
        return f"hang: {doing}"
    found = _ASSERTION.findall(text)
    if found:
        file, _, condition = found[-1]
        return f"abort: {file.rsplit('/', 1)[-1]}: {condition[:160]}"
    fatal = re.findall(
        r"LLVM ERROR: (.*)|Fatal Python error: (.*)|terminate called .*\s.*what\(\): *(.*)", text
    )
    cause = next((part for part in fatal[-1] if part), "") if fatal else ""
    if os.WIFSIGNALED(status):
        name = signal.Signals(os.WTERMSIG(status)).name
    else:
        name = f"exit {os.waitstatus_to_exitcode(status)}"
    return f"{name}: {normalize(cause) or doing}"


def normalize(text: str) -> str:
    """A message without what differs from input to input."""
    text = re.sub(r"0x[0-9a-f]+|\d+", "N", text)
    return re.sub(r"\s+", " ", text)[:200]
