# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rewritten functions on plain Python values do exactly what they did before.

Each example below runs as written and rewritten, on the same arguments; results, exceptions and
what was printed to a log must be the same.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import sys
import traceback

import pytest

from tegula._trace import convert

EXAMPLES: list[tuple] = []


def example(*calls: tuple):
    """Decorator: compare the function on these argument lists."""

    def add(function):
        EXAMPLES.append((function, calls))
        return function

    return add


class Log(list):
    """Records the order of evaluation."""

    def __call__(self, value, tag=None):
        self.append(value if tag is None else tag)
        return value


def outcome(function, arguments):
    """The result or exception of a call, with what it logged."""
    log = Log()
    try:
        result = function(log, *arguments)
        if inspect.isgenerator(result):
            result = list(result)
        return "returned", result, log
    except Exception as error:
        # pytest adds to the messages of assertions in this module.
        return "raised", type(error), str(error).split("\nassert ")[0], log


@example((1,), (0,), (-1,))
def branches(log, x):
    if log(x) > 0:
        y = 1
    elif x == 0:
        y = 2
    else:
        y = 3
    return y


@example((3, 4), (-3, 4), (3, -4), (0, 0))
def early_returns(log, x, y):
    if x < 0:
        return "negative x"
    if x > 0:
        if y < 0:
            log("inner")
            return "negative y"
        log("fell through")
    log("end")
    return x + y


@example((True,), (False,))
def return_without_value(log, flag):
    if flag:
        return
    log("not taken")


@example((True,), (False,))
def variable_of_one_branch(log, flag):
    if flag:
        value = 1
    return value  # pyright: ignore[reportPossiblyUnbound]


@example((0,), (1,), (7,))
def loop_with_break_and_else(log, n):
    for i in range(n):
        if i == 3:
            log("break")
            break
        if i == 1:
            continue
        log(i)
    else:
        log("else")
    return i if n else None


@example((0,), (2,), (5,))
def while_with_else(log, n):
    i = 0
    while i < n:
        i += 1
        if i == 2:
            continue
        if i == 4:
            break
        log(i)
    else:
        log("else")
    return i


@example(([[1, 2], [3, -1], [5]],), ([[1], [2]],), ([],))
def return_from_nested_loops(log, rows):
    for row in rows:
        for value in row:
            if value < 0:
                return log(("found", value))
            log(value)
        log("row")
    return "none"


@example((1,), (2,), (3,))
def breaks_of_nested_loops(log, limit):
    for i in range(4):
        for j in range(4):
            if j == limit:
                break
            if i == limit:
                continue
            log((i, j))
        else:
            log("inner else")
            continue
        if i == 2:
            break
    else:
        log("outer else")


@example((1, 2, 3), (0, 2, 3), (1, 0, 3), (0, 0, 0))
def boolean_operators(log, a, b, c):
    return (
        log(a) and log(b) and log(c),
        log(a) or log(b) or log(c),
        log(a) and (log(b) or log(c)),
        not log(a),
        not (log(b) and log(c)),
    )


@example(([], 0), ([1], 2), ("", None))
def operands_are_returned(log, a, b):
    return a and b, a or b, (a or b) and 3


@example((1, 2, 3), (3, 2, 1), (1, 1, 1))
def chained_comparisons(log, a, b, c):
    return (
        log(a) < log(b) < log(c),
        log(a) <= log(b) != log(c) > 0,
        a == b == c,
        a in [1, 2] == True,  # noqa: E712
    )


@example((1,), (0,))
def conditional_expressions(log, x):
    return log(1) if log(x) else log(2), (1 if x else 2) if x else (3 if x else 4)


@example((0,), (1,))
def assertions(log, x):
    assert x, f"x is {log(x)}"
    return "fine"


@example((0,), (1,), ("a",))
def exceptions(log, x):
    try:
        if x == 0:
            raise ValueError("zero")
        return 10 / (x - 1)
    except ZeroDivisionError as error:
        log(str(error))
        return "divided"
    except ValueError:
        log("value")
    else:
        log("else")
    finally:
        log("finally")
    return "end"


@example((0,), (1,), (2,))
def return_in_try_and_with(log, x):
    with contextlib.suppress(KeyError):
        for i in range(3):
            try:
                if i == x:
                    return log(("returned", i))
                if i == 1 and x == 2:
                    raise KeyError(i)
            finally:
                log("finally")
        log("after the loop")
    return "end"


@example((3,), (0,))
def generator(log, n):
    for i in range(n):
        if i == 1:
            continue
        received = yield i
        assert received is None
    if n:
        return
    yield "empty"


@example((4,), (0,))
def comprehensions(log, n):
    squares = [i * i for i in range(n) if i != 2]
    pairs = {i: (j for j in range(i)) for i in squares if not i % 2}
    total = sum(value if value > 1 else -1 for value in squares)
    return squares, {k: list(v) for k, v in pairs.items()}, total, {s for s in "aab" if s > "a"}


@example((3,), (5,))
def closures(log, n):
    total = 0

    def add(value, scale=n):
        nonlocal total
        if value > 1:
            total += value * scale
        return total

    pick = lambda v: v if v > 1 else 0  # noqa: E731
    for i in range(n):
        add(i)
    return total, pick(n), [f() for f in [lambda i=i: i for i in range(3)]]


@example((1,), (2,))
def classes(log, x):
    class Base:
        scale = 2

        def __init__(self, value):
            self.__hidden = value

        def get(self):
            return self.__hidden * self.scale if self.__hidden > 1 else 0

    class Derived(Base):
        def get(self):
            return super().get() + 1 if x else None

        @staticmethod
        def twice(v):
            return v * 2 if v else 0

        @property
        def half(self):
            return self.get() / 2 if self.get() else 0.0

    made = Derived(x)
    return made.get(), Derived.twice(3), made.half


@example((5,), (1,))
def recursion(log, n):
    def factorial(k):
        return 1 if k <= 1 else k * factorial(k - 1)

    return factorial(n)


@example(((1, 2),), ({"a": 1},), (7,), (None,))
def matching(log, value):
    match value:
        case (a, b) if a < b:
            return log(("pair", a, b))
        case {"a": x, **rest}:
            log(("dict", x, rest))
        case int() as number:
            if number > 5:
                return "large"
        case _:
            log("other")
    return "end"


@example((3,))
def walrus(log, n):
    out = []
    while (n := n - 1) >= 0 and (half := n // 2) >= 0:
        out.append((n, half))
    if (m := len(out)) > 2:
        return m, out
    return out


@example((3,))
def deleted_variables(log, n):
    x = 1
    for _ in range(n):
        if n > 2:
            del x
            x = n
    del n
    return x


@example(())
def names_that_the_rewriter_could_clash_with(log):
    locals_, call, if_, for_ = 1, 2, 3, 4
    locals = lambda: "mine"  # noqa: E731
    if locals_:
        call = locals()
    return call, if_, for_


@example((2,))
def higher_order_functions(log, n):
    double = lambda v: v * 2 if v else -1  # noqa: E731
    reduced = functools.reduce(lambda a, b: a if a > b else b, [1, 3, 2])
    partial = functools.partial(double, n)
    ordered = sorted([3, 1, 2], key=lambda v: -v if v > 1 else 0)
    return list(map(double, range(n))), reduced, partial(), ordered


@example((2,), (0,))
def loop_variables_afterwards(log, n):
    for i in range(3):
        if i > n:
            break
    value = i
    for i, (j, *k) in enumerate([(1, 2, 3), (4, 5)]):
        if j == 4:
            continue
        value += i + j + sum(k)
    return value, i, j, k


@example((1,), (0,))
def raise_in_branches(log, x):
    if x:
        raise RuntimeError("asked for")
    else:
        log("fine")
    return x


@example((2,), (0,))
def global_and_docstring(log, n):
    """A docstring stays where it is."""
    global COUNTER
    COUNTER = n
    if COUNTER > 1:
        COUNTER += 1
    return COUNTER


COUNTER = 0

CASES = [
    pytest.param(function, arguments, id=f"{function.__name__}-{number}")
    for function, calls in EXAMPLES
    for number, arguments in enumerate(calls)
]


@pytest.mark.parametrize("function, arguments", CASES)
def test_rewriting_changes_nothing_for_plain_values(function, arguments):
    rewritten = convert.call(function)
    assert rewritten is not function
    assert outcome(rewritten, arguments) == outcome(function, arguments)


def test_tracebacks_show_the_users_lines():
    def fails(x):
        if x:
            for _ in range(2):
                x = 1 / 0
        return x

    with pytest.raises(ZeroDivisionError) as caught:
        convert.call(fails)(1)
    step = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert step.line == "x = 1 / 0"
    assert step.filename == __file__
    if sys.version_info >= (3, 11):
        assert (step.colno, step.end_colno) == (20, 25)


def test_metadata_defaults_and_closures_are_kept():
    offset = 5

    def helper(a, b=2, *rest, key=3, **more):
        return (a, b, rest, key, more, offset) if a else None

    rewritten = convert.call(helper)
    assert rewritten(1) == helper(1)
    assert rewritten(1, 4, 5, key=6, x=7) == helper(1, 4, 5, key=6, x=7)
    assert rewritten.__name__ == "helper"
    assert rewritten.__qualname__ == helper.__qualname__
    offset = 6
    assert rewritten(1)[-1] == 6


def test_library_functions_are_left_alone():
    import json

    import numpy as np

    for function in (json.dumps, np.linalg.norm, len, "".join, print, dict, np.float32):
        assert convert.call(function) is function


def test_functions_without_source_are_left_alone():
    made = eval("lambda x: 1 if x else 2")
    assert convert.call(made) is made


def test_lambdas_on_one_line_are_told_apart():
    first, second = (lambda x: 1 if x else 2), (lambda x: 3 if x else 4)
    assert [convert.call(f)(v) for f in (first, second) for v in (1, 0)] == [1, 2, 3, 4]


class Base:
    def __init__(self, value):
        self.__value = value if value else -1

    def get(self):
        return self.__value if self.__value > 0 else 0


class Derived(Base):
    def __init__(self, value):
        super().__init__(value * 2 if value else 0)

    def get(self):
        return super().get() + 1 if True else None


def test_super_and_private_names_of_module_level_classes():
    made = convert.call(Derived)(3)
    assert convert.call(made.get)() == 7
    assert convert.call(convert.call(Derived)(0).get)() == 1
    assert vars(made) == {"_Base__value": 6}


def test_methods_constructors_and_callable_objects_are_rewritten():
    class Thing:
        def __init__(self, value):
            self.value = value if value else -1

        def __call__(self, x):
            return x if x > self.value else self.value

        def bump(self, by):
            return self.value + by if by else None

        @classmethod
        def make(cls, value):
            return cls(value) if value else None

    thing = convert.call(Thing)(3)
    assert type(thing) is Thing and thing.value == 3
    assert convert.call(thing)(5) == 5
    assert convert.call(thing.bump)(2) == 5
    assert convert.call(Thing.make)(2).value == 2
    assert convert.call(Thing.bump)(thing, 1) == 4
