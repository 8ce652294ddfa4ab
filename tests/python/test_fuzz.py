# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A few hundred inputs of each kind of fuzzing, and the pool that runs them."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.fuzz import kinds, pool
from tests.fuzz.__main__ import chunks, save

# Inputs of each kind; `python -m tests.fuzz --count 200000` runs more.
COUNTS = {"kernels": 60, "modules": 400, "launches": 400}


@pytest.mark.cpu
@pytest.mark.parametrize("kind", kinds.NAMES)
def test_fuzzed_inputs_find_nothing(kind: str, tmp_path, request) -> None:
    """In a process of its own, which has started no threads when it forks."""
    seed = str(request.config.option.seed)
    options = ["--kinds", kind, "--count", str(COUNTS[kind]), "--jobs", "2", "--seed", seed]
    command = [sys.executable, "-m", "tests.fuzz", *options, "--patience", "4", "--out", tmp_path]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    found = [path.read_text() for path in tmp_path.glob("*.json")]
    assert done.returncode == 0, "\n".join([done.stdout, done.stderr, *found])
    assert f"{COUNTS[kind]} inputs in" in done.stdout


class Misbehaved:
    """Each input does something else that must not happen."""

    name = "misbehaved"
    seconds = 1.0
    chunk = 10
    share = 1.0

    def prepare(self) -> None:
        pass

    def make(self, rng):
        return {"number": rng.random()}

    def run(self, item, note):
        deed = next(self.deeds)
        note(deed)
        if deed == "hang":
            time.sleep(60)
        elif deed == "abort":
            os.write(2, b"python: /src/Some.cpp:12: void f(): Assertion `x > 3' failed.\n")
            os.abort()
        elif deed == "exit":
            os._exit(3)
        elif deed == "memory":
            bytearray(1 << 50)
        elif deed == "raise":
            raise KeyError("x")
        elif deed == "find":
            raise kinds.Finding("a difference", "of two")
        return "well"


DEEDS = ("well", "hang", "abort", "find", "exit", "raise", "memory", "well", "find", "well")


def test_the_pool_outlives_crashes_and_hangs_and_counts_every_input() -> None:
    kind = Misbehaved()

    class Following(pool.Pool):
        def _start(self, kind, first, count):
            # A process that takes over begins where the one before it died.
            kind.deeds = itertools.islice(iter(DEEDS), first, None)
            return super()._start(kind, first, count)

    result = Following(seed=1, jobs=2).run(chunks([kind], len(DEEDS)))
    assert result.count() == len(DEEDS)
    assert result.outcomes["misbehaved"] == {"well": 3, "hang": 1, "crash": 2, "finding": 4}
    keys = {record.key: record.count for record in result.records.values()}
    assert keys == {
        "hang: hang": 1,
        "abort: Some.cpp: x > 3": 1,
        "exit 3: exit": 1,
        "a difference": 2,
        "KeyError from python/test_fuzz.py:run": 1,
        "MemoryError from python/test_fuzz.py:run": 1,
    }


def test_a_finding_is_stored_with_its_input(tmp_path) -> None:
    kind = Misbehaved()
    item = kind.make(kinds.generator(kind.name, 5, 7))
    record = pool.Record(kind.name, 5, 7, "key", "detail", item)
    path = save(record, tmp_path / "new")
    stored = json.loads(path.read_text())
    assert stored["item"] == item and stored["index"] == 7 and stored["seed"] == 5
    assert item == kind.make(kinds.generator(kind.name, 5, 7))


def test_kinds_take_turns_by_their_shares() -> None:
    found = [kinds.find(name) for name in kinds.NAMES]
    given = list(chunks(found, 20_000))
    for kind in found:
        mine = [(first, count) for k, first, count in given if k is kind]
        assert sum(count for _, count in mine) == round(20_000 * kind.share)
        assert [first for first, _ in mine] == list(
            itertools.accumulate((count for _, count in mine[:-1]), initial=0)
        )
    assert len({kind.name for kind, _, _ in given[: len(given) // 3]}) == len(found)
