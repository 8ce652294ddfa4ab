# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions on their way to being called from a kernel: rewritten once, when they are first called.

Functions of the user are rewritten, with their closures, defaults and globals; so are methods,
constructors, callable objects, `functools.partial` objects, and functions handed to `map`,
`functools.reduce`, `tg.scan` and the like. Library code never is.
"""

from __future__ import annotations
import __future__

import ast
import functools
import sys
import weakref
from collections.abc import Callable
from types import CellType, CodeType, FunctionType, MethodType
from typing import Any, cast

from tegula._location import is_user_file
from tegula._trace import source
from tegula._trace.conditions import tracing
from tegula._trace.rewrite import rewrite
from tegula._trace.syntax import RUNTIME, Maker
from tegula.lang import reduce as tile_reduce
from tegula.lang import scan as tile_scan

_FUTURE = sum({getattr(__future__, name).compiler_flag for name in __future__.all_feature_names})

# By the address of the original code object: the rewritten one, or None to leave it alone. An entry
# goes when its code object does.
_rewritten: dict[int, CodeType | None] = {}

# Library functions whose function arguments run in the kernel.
_HIGHER_ORDER: tuple[Any, ...] = (
    *(map, filter, functools.reduce, functools.partial, sorted, min, max),
    *(tile_reduce, tile_scan),
)
_HIGHER_ORDER_IDS = frozenset(map(id, _HIGHER_ORDER))


def reached(function: FunctionType) -> FunctionType:
    """The rewritten form of a kernel's function."""
    return _function(function)


def call(function: Any) -> Any:
    """What to call in place of `function`."""
    kind = cast("type[Any]", type(function))
    if kind is FunctionType and id(function) not in _HIGHER_ORDER_IDS:
        return _function(function)
    if kind is MethodType:
        inner = function.__func__
        return MethodType(call(inner), function.__self__) if _changes(inner) else function
    if id(function) in _HIGHER_ORDER_IDS:
        return functools.partial(_call_with_functions, function)
    if kind is functools.partial:
        return functools.partial(call(function.func), *function.args, **function.keywords)
    if isinstance(function, type):
        return _constructor(function)
    method = getattr(kind, "__call__", None)  # noqa: B004
    if type(method) is FunctionType and _changes(method):
        return MethodType(_function(method), function)
    return function


def _changes(function: object) -> bool:
    """Whether a function of a method is one that gets rewritten."""
    return type(function) is FunctionType and is_user_file(function.__code__.co_filename)


def _call_with_functions(function: Callable[..., Any], *args: Any, **keywords: Any) -> Any:
    """Call a library function with the functions among its arguments rewritten."""
    changed = [call(item) if _is_code(item) else item for item in args]
    named = {key: call(item) if _is_code(item) else item for key, item in keywords.items()}
    return function(*changed, **named)


def _is_code(value: object) -> bool:
    return isinstance(value, (FunctionType, MethodType, functools.partial))


def _constructor(kind: type) -> Any:
    """A class whose `__init__` is rewritten when an instance is made, if it is the user's."""
    init: Any = kind.__init__
    plain = type(kind).__call__ is type.__call__ and kind.__new__ is object.__new__
    if not plain or not _changes(init):
        return kind
    return functools.partial(_construct, kind, init)


def _construct(kind: type, init: FunctionType, *args: Any, **keywords: Any) -> object:
    made = cast("object", object.__new__(kind))
    _function(init)(made, *args, **keywords)
    return made


def _function(function: FunctionType) -> FunctionType:
    """The rewritten form of a function, or the function itself."""
    original = function.__code__
    try:
        code = _rewritten[id(original)]
    except KeyError:
        code = _rewrite(function)
        _remember(original, code)
    backend = tracing()
    if backend is not None and id(original) not in _made:
        backend.dependencies.reach(function)
    if code is None:
        return function
    made = FunctionType(
        code,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        _closure(function, code),
    )
    made.__kwdefaults__ = function.__kwdefaults__
    made.__qualname__ = function.__qualname__
    return made


# Addresses of code objects that rewriting made: functions defined inside rewritten ones.
_made: set[int] = set()


def _remember(original: CodeType, code: CodeType | None) -> None:
    number = id(original)
    _rewritten[number] = code
    weakref.finalize(original, _rewritten.pop, number, None)
    if code is not None:
        _leave_alone(code)


def _leave_alone(code: CodeType) -> None:
    """Code that is rewritten, and what is nested in it, need not be again."""
    _rewritten[id(code)] = None
    _made.add(id(code))
    weakref.finalize(code, _forget, id(code))
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            _leave_alone(constant)


def _forget(number: int) -> None:
    _rewritten.pop(number, None)
    _made.discard(number)


def _closure(function: FunctionType, code: CodeType) -> tuple[CellType, ...]:
    """The cells of the original function, by name, and one for the runtime."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    return tuple(_runtime_cell() if name == RUNTIME else cells[name] for name in code.co_freevars)


@functools.cache
def _runtime_cell() -> CellType:
    # The runtime's parts call functions, so they import this module.
    from tegula._trace.runtime import NAMESPACE

    return CellType(NAMESPACE)


def _rewrite(function: FunctionType) -> CodeType | None:
    code = function.__code__
    if not is_user_file(code.co_filename):
        return None
    node = source.find(code)
    if node is None:
        return None
    class_name = _class_name(function.__qualname__)
    rewrite(node, code.co_filename, code.co_name, class_name)
    module = _module(node, [*code.co_freevars, RUNTIME], class_name)
    flags = code.co_flags & _FUTURE
    compiled = compile(module, code.co_filename, "exec", flags=flags, dont_inherit=True)
    made = _find_code(compiled, code.co_name)
    if sys.version_info >= (3, 11):
        made = made.replace(co_qualname=code.co_qualname)
    return made


def _class_name(qualified: str) -> str | None:
    """The class whose body a function is in."""
    parts = qualified.split(".")
    return parts[-2] if len(parts) > 1 and parts[-2] != "<locals>" else None


def _module(node: source.Function, free: list[str], class_name: str | None) -> ast.Module:
    """A module around a function: its free variables are parameters of a function around it.

    Only the code of the function is used; nothing of this ever runs.
    """
    make = Maker(node)
    body: ast.stmt
    if isinstance(node, ast.Lambda):
        body = make.give_back(node)
    else:
        node.decorator_list = []
        node.returns = None
        body = node
        if class_name is not None:
            body = ast.parse(f"class {class_name}: pass").body[0]
            ast.copy_location(body, node)
            assert isinstance(body, ast.ClassDef)
            body.body = [node]
    arguments = node.args
    arguments.defaults = [make.constant(None) for _ in arguments.defaults]
    arguments.kw_defaults = [d and make.constant(None) for d in arguments.kw_defaults]
    for item in ast.walk(arguments):
        if isinstance(item, ast.arg):
            item.annotation = None
    around = ast.parse(f"def function({', '.join(dict.fromkeys(free))}): pass")
    definition = around.body[0]
    assert isinstance(definition, ast.FunctionDef)
    definition.body = [body]
    return around


def _find_code(code: CodeType, name: str) -> CodeType:
    """The code of the function in the module around it."""
    path = [code]
    while path:
        step = path.pop()
        for constant in step.co_consts:
            if isinstance(constant, CodeType):
                if constant.co_name == name and step is not code:
                    return constant
                path.append(constant)
    raise AssertionError(name)
