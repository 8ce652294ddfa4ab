# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels give the same results compiled and interpreted.

Integers, moves and correctly rounded float operations must agree bit by bit, transcendental
functions and float sums within a bound. There are 2,000 programs by default, 300 with ``CI`` set in
the environment, and as many as ``--hypothesis-profile=programs-20000`` (or 200, 2000) says.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

from tests._support.programs import Program, run_program
from tests._support.programs.builder import OPS
from tests._support.programs.strategy import programs

SHARDS = 10  # tests that share the programs out, so that they run side by side
COUNTS = 200, 2000, 20000
COMMON = {
    "deadline": None,
    "print_blob": True,
    "report_multiple_bugs": False,
    "phases": [Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large],
}
for count in COUNTS:
    settings.register_profile(f"programs-{count}", max_examples=count // SHARDS, **COMMON)


def chosen() -> settings:
    """The profile named on the command line, or one by where this runs."""
    current = settings()
    if current.max_examples in [count // SHARDS for count in COUNTS]:
        return current
    return settings(max_examples=(300 if os.environ.get("CI") else 2000) // SHARDS, **COMMON)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("programs")


@pytest.mark.cpu
@pytest.mark.parametrize("shard", range(SHARDS))
@chosen()
@given(program=programs())
def test_a_random_program_gives_the_same_compiled_and_interpreted(folder, shard, program: Program):
    run_program(program, folder)


def test_random_programs_use_every_kind_of_statement():
    seen: set[str] = set()

    @settings(max_examples=500, phases=[Phase.generate], database=None, deadline=None)
    @seed(0)
    @given(program=programs())
    def look(program: Program):
        seen.update(program.ops)

    look()
    assert sorted(set(OPS) - seen) == []
