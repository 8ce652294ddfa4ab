# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels give the same results compiled and interpreted.

Integers, moves and correctly rounded float operations must agree bit by bit, transcendental
functions and float sums within a bound. 2,000 programs by default, 300 with ``CI`` set in the
environment; the profiles ``programs-200``, ``programs-2000`` and ``programs-20000`` may be chosen
with ``--hypothesis-profile``.
"""

from __future__ import annotations

import collections
import os

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests._support.programs import Program, programs, run_program
from tests._support.programs.builder import OPS

COMMON = {
    "deadline": None,
    "print_blob": True,
    "report_multiple_bugs": False,
    "phases": [Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large],
}
for count in (200, 2000, 20000):
    settings.register_profile(f"programs-{count}", max_examples=count, **COMMON)

seen: collections.Counter[str] = collections.Counter()
ran = 0


def chosen() -> settings:
    """The profile named on the command line, or one by where this runs."""
    current = settings()
    if current.max_examples in (200, 2000, 20000):
        return current
    return settings(max_examples=300 if os.environ.get("CI") else 2000, **COMMON)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("programs")


@pytest.mark.cpu
@chosen()
@given(program=programs())
def test_a_random_program_gives_the_same_compiled_and_interpreted(folder, program: Program):
    global ran
    ran += 1
    seen.update(program.ops)
    run_program(program, folder)


@pytest.mark.cpu
def test_the_random_programs_use_every_kind_of_statement(record_property):
    if ran == 0:
        pytest.skip("runs after the random programs")
    record_property("programs", ran)
    missing = sorted(set(OPS) - set(seen))
    assert ran < 200 or not missing, f"in {ran} programs there was no {', '.join(missing)}"
