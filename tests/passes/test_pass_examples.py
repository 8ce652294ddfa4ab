# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every pass has a Before and an After in its description, and takes what Before shows.

Where a label says `(of what FLAG made)`, that pass runs first; where After says
``(`OPTION=VALUE`)``, the pass gets the option.
"""

from __future__ import annotations

import re

import pytest

from tests._support import ods
from tests._support.examples import complete
from tests._support.ods import Definition
from tests._support.opt import optimize, run_opt

PASSES = ods.passes()
UPSTREAM = {"lower-affine"}  # of the host's pipeline
_OPTIONS = re.compile(r"^After \(`([\w=-]+)`\)", re.MULTILINE)
_FIRST = re.compile(r"^(?:Before|After) \(of what ([\w-]+) ma[kd]e", re.MULTILINE)


def flag(definition: Definition) -> str:
    """The command-line flag."""
    return definition.arguments[0]


def test_the_reader_sees_every_registered_pass() -> None:
    # Options of passes are listed below them, further to the right.
    listed = re.findall(r"^ {6}--([\w-]+)", run_opt("", "--help").stdout, re.MULTILINE)
    prefixes = {flag(definition).split("-")[0] for definition in PASSES}
    ours = {name for name in listed if name.split("-")[0] in prefixes} - UPSTREAM
    assert sorted(ours) == sorted(map(flag, PASSES))


@pytest.mark.parametrize("definition", PASSES, ids=flag)
def test_pass(definition: Definition) -> None:
    assert definition.summary, f"{definition.name} has no summary"
    before = definition.example_after("Before")
    assert before, f"{definition.name} has no Before example"
    assert re.search(r"^After\b", definition.description, re.MULTILINE), "no After"
    first = _FIRST.search(definition.description)
    flags = [f"--{first[1]}"] if first else []
    given = optimize(complete(before), *flags)
    options = _OPTIONS.search(definition.description)
    shown = f"--{flag(definition)}" + (f"={options[1]}" if options else "")
    changes = "Changes nothing." not in definition.description
    assert (optimize(given, shown) != given) == changes, "the example shows nothing"
