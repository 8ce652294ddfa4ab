# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every row of the contract and of the cases has tests, and the page of where they ran is true."""

from __future__ import annotations

import pytest

from tests._support import where_it_ran

MARKED = where_it_ran.marked()
RECORD = where_it_ran.read()


@pytest.mark.parametrize("kind", where_it_ran.MARKERS)
def test_each_row_has_a_test_and_each_marker_a_row(kind: str) -> None:
    known = where_it_ran.rows(kind)
    used = {row for about in MARKED.values() for row in about.get(kind, [])}
    assert len(known) == len(set(known)) > 25
    assert used == set(known)


def test_the_page_is_made_of_the_record() -> None:
    assert where_it_ran.PAGE.read_text() == where_it_ran.page(RECORD), (
        "run: python docs/dev/generate_reference.py --where-it-ran"
    )


def test_the_record_knows_the_tests_that_there_are_and_their_rows() -> None:
    assert {test: entry["rows"] for test, entry in RECORD.items()} == MARKED, (
        "run the new tests with --record docs/reference/where-it-ran.json"
    )


@pytest.mark.parametrize("name", ["interpreter", "cpu"])
def test_what_needs_no_device_has_run_and_passed(name: str) -> None:
    for test, entry in RECORD.items():
        counts = entry["ran"].get("none") or entry["ran"].get(name, {})
        assert counts.get("passed"), test
        assert "failed" not in counts, test


def test_a_later_run_replaces_what_it_ran_and_keeps_the_rest() -> None:
    before = {"a": {"rows": {"case": ["x"]}, "ran": {"cpu": {"passed": 3}, "gpu": {"failed": 1}}}}
    seen = {"a": {"rows": {"case": ["y"]}, "ran": {"cpu": {"passed": 4}}}}
    both = where_it_ran.merged(before, seen)
    assert both == {
        "a": {"rows": {"case": ["y"]}, "ran": {"cpu": {"passed": 4}, "gpu": {"failed": 1}}}
    }
    assert before["a"]["ran"]["cpu"] == {"passed": 3}


def test_a_cell_says_what_did_not_pass() -> None:
    entry = {"rows": {"case": ["a very large elementwise tile"]}}
    table = {"t": {**entry, "ran": {"cpu": {"passed": 3}, "gpu": {"failed": 1, "passed": 2}}}}
    line = "| a very large elementwise tile | 1 | 3 | 2, **1 failed** |"
    assert line in where_it_ran.page(table).splitlines()
