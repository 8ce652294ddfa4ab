# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The buffer in which kernels on a device print and assert."""

from __future__ import annotations

import struct

import ml_dtypes
import numpy as np
import pytest

from tegula._runtime import messages, printing

PRINT = messages.Print(("x = ", ", n = ", ""), ("bfloat16", "int64"), ((3,), ()))
SHORT = messages.Print(("here",), (), ())
ASSERT = messages.Assert("row is not sorted", "user.py", 7, 4)
KERNEL = [PRINT, SHORT, ASSERT]


def header(used, capacity, failed=0):
    return struct.pack("<4I", used, capacity, failed, 0)


def printed(program, values, number):
    x = np.array(values, ml_dtypes.bfloat16)
    record = struct.pack("<I3i", 1, *program) + x.tobytes() + b"\0\0" + struct.pack("<q", number)
    return record.ljust(PRINT.size, b"\0")


def short(program):
    return struct.pack("<I3i", 2, *program)


def failed(program):
    return struct.pack("<I3i", 3, *program)


def buffer(*records, capacity=4096, any_failed=0, used=None):
    body = b"".join(records)
    used = len(body) if used is None else used
    return header(used, capacity, any_failed) + body.ljust(capacity, b"\0")


def test_operands_begin_at_multiples_of_their_elements():
    places = [(begin, end) for _, _, begin, end in PRINT.places()]
    assert places == [(16, 22), (24, 32)]
    assert (PRINT.size, SHORT.size, ASSERT.size) == (32, 16, 16)


def test_lines_come_by_program_then_in_order(capsys):
    data = buffer(
        printed((1, 2, 0), [1, 2, 3], 5),
        short((3, 0, 0)),
        short((1, 2, 0)),
        printed((0, 0, 0), [0.5, -1, 7], -1),
    )
    report = messages.decode(data, KERNEL, (4, 3))
    printing.print_lines(report.lines)
    assert capsys.readouterr().out.splitlines() == [
        "x = [0.5 -1 7], n = -1",
        "here",
        "x = [1 2 3], n = 5",
        "here",
    ]
    assert report.failure is None
    assert not report.lost


def test_the_failure_is_that_of_the_first_program():
    data = buffer(failed((0, 1, 0)), short((0, 0, 0)), failed((1, 0, 0)), any_failed=1)
    report = messages.decode(data, KERNEL, (2, 2, 1))
    assert report.failure == ("row is not sorted", "user.py", 7, 4, (1, 0, 0))
    assert len(report.lines) == 1


def test_what_did_not_fit_is_lost_and_nothing_else_is_read():
    first = short((0, 0, 0))
    data = buffer(first, capacity=32, used=16 + PRINT.size)
    report = messages.decode(data, KERNEL, (1,))
    assert (len(report.lines), report.lost) == (1, True)


def test_a_record_that_ends_past_the_capacity_is_not_read():
    data = buffer(short((0, 0, 0)), printed((0, 0, 0), [1, 2, 3], 4), capacity=32, used=48)
    report = messages.decode(data, KERNEL, (1,))
    assert (len(report.lines), report.lost) == (1, True)


def test_a_failure_whose_record_did_not_fit_still_fails():
    report = messages.decode(buffer(capacity=0, used=16, any_failed=1), KERNEL, (1,))
    assert report.failure is not None
    assert report.failure[0] == "row is not sorted"


def test_an_untouched_buffer_says_nothing():
    data = messages.new_buffer(256)
    assert len(data) == 256
    assert messages.decode(data, KERNEL, (1,)) == messages.Report([], None, False)


def test_plain_data_gives_the_messages_back():
    described = [
        {
            "texts": ["x = ", ", n = ", ""],
            "dtypes": ["bfloat16", "int64"],
            "shapes": [[3], []],
        },
        {"texts": ["here"], "dtypes": [], "shapes": []},
        {"assert": "row is not sorted", "file": "user.py", "line": 7, "column": 4},
    ]
    assert messages.parse(described) == KERNEL


def test_the_kernels_attribute_becomes_plain_data():
    from tegula.mlir import ir

    with ir.Context():
        attribute = ir.Attribute.parse(
            '[{dtypes = ["int8"], shapes = [[2, 3]], texts = ["a ", ""]},'
            ' {assert = "no", column = 2 : i64, file = "f.py", line = 1 : i64}]'
        )
        assert messages.describe(attribute) == [
            {"texts": ["a ", ""], "dtypes": ["int8"], "shapes": [[2, 3]]},
            {"assert": "no", "file": "f.py", "line": 1, "column": 2},
        ]


@pytest.mark.parametrize(
    "name",
    ["bool", "int8", "uint64", "float16", "bfloat16", "float64", "float8_e4m3fn", "float8_e5m2"],
)
def test_every_dtype_has_a_name(name):
    assert printing.dtype(name).name == name
