# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The `@tg.kernel` decorator, and launching what it makes.

`kernel[grid](*args)` goes straight to the native launcher, which finds the specialization for the
kinds of arguments it sees. Only for a new one does it call back into this module, which traces and
compiles. In `tg.interpret()` the launcher checks the arguments too, and the interpreter runs.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Hashable
from types import FunctionType
from typing import Any, NoReturn, TypeAlias, overload

from tegula import _env, _interpret, _native, _placement, _runtime
from tegula._bound import bind, stop
from tegula._boundary import boundary
from tegula._compiled import Compiled
from tegula._declared import parameters, plain_function
from tegula._grids import GridFunction, GridFunctionLaunch
from tegula._hints import NONE, Hints
from tegula._interpreted import InterpretedLaunch
from tegula._launch_errors import launch_error
from tegula._specialized import Specialized
from tegula._specs import resolve
from tegula._structures import Regroup, Spec, StructuredLaunch, select_variant
from tegula._trace.tracer import Signature
from tegula.errors import ArgumentError, LaunchError, TegulaError, strip_traceback

Grid: TypeAlias = int | tuple[int, ...]


class Kernel:
    """A function that runs once for each program of a grid. Made by :func:`kernel`.

    `kernel[grid]` is what to call with the arguments; the grid is one to three sizes, each >= 0, or
    a function that makes it of a dictionary of the arguments.

    Attributes:
        function: the Python function.
        parameters: names of its parameters.
        fast_math: whether multiplications and additions may be contracted and reassociated.
        hints: wishes of its author.
        specs: what the launcher knows of each parameter: name, kind, dtype, default.
        structured: parameters that take tuples, named tuples or dataclasses, and their annotations.
        variants: kernels for the structures that such parameters were called with.
        regroup: of a variant: makes structures of the values of its parameters again.
    """

    def __init__(
        self,
        function: FunctionType,
        scope: dict[str, Any],
        *,
        fast_math: bool = False,
        checked: bool | None = None,
        hints: Hints = NONE,
    ) -> None:
        self.function = function
        self.fast_math = fast_math
        self.hints = hints.checked()
        self._checked = checked
        self.specs, self.structured = parameters(function, scope)
        self.parameters = tuple(spec[0] for spec in self.specs)
        self.variants: dict[Hashable, Kernel] = {}
        self.regroup: Regroup | None = None
        self._dispatcher: _native.Dispatcher | None = None
        self._placed: dict[str, _native.Dispatcher] = {}
        functools.update_wrapper(self, function)

    @property
    def checked(self) -> bool:
        """Whether each access and assumption is checked; TEGULA_CHECK if the kernel says nothing.

        It counts when a specialization is compiled.
        """
        return _env.check() if self._checked is None else self._checked

    def vary(self, specs: list[Spec], regroup: Regroup) -> Kernel:
        """The same kernel with other parameters, of which `regroup` makes the function's."""
        variant = self._copy()
        variant.specs, variant.structured = specs, {}
        variant.parameters = tuple(spec[0] for spec in specs)
        variant.regroup = regroup
        return variant

    def with_hints(self, *, num_warps: int | None = None, num_stages: int | None = None) -> Kernel:
        """The same kernel with these hints instead of its own.

        Args:
            num_warps: see :func:`kernel`.
            num_stages: see :func:`kernel`.

        Raises:
            LaunchError: a hint is no positive integer, or `num_warps` is no power of two.
        """
        variant = self._copy()
        variant.hints = Hints(num_warps, num_stages).checked()
        return variant

    def _copy(self) -> Kernel:
        """The same kernel, without what has been compiled for it."""
        variant = object.__new__(Kernel)
        variant.__dict__.update(self.__dict__)  # copy.copy would pickle it by name
        variant.variants = {}
        variant._dispatcher, variant._placed = None, {}
        return variant

    def __getitem__(
        self, grid: Grid | GridFunction
    ) -> _native.Launch | InterpretedLaunch | StructuredLaunch | GridFunctionLaunch:
        """What launches the kernel over a grid, or over what a function of the arguments gives.

        Raises:
            LaunchError: the grid is not one to three integers >= 0.
        """
        try:
            if callable(grid):
                return GridFunctionLaunch(self, grid)
            if self.structured:
                return StructuredLaunch(self, grid)
            if _interpret.is_active():
                return InterpretedLaunch(self, grid)
            name = _placement.current()
            if name is not None:
                return self._place(name)[grid]
            if self._dispatcher is None:
                self._dispatcher = self.make_dispatcher(self._compile)
            return self._dispatcher[grid]
        except Exception as error:
            strip_traceback(error, full=_env.full_traceback())
            raise

    def __call__(self, *_args: object, **_keywords: object) -> NoReturn:
        """Refuse a call without a grid."""
        name = self.function.__name__
        try:
            raise LaunchError(
                f"the kernel {name!r} was called without a grid",
                help=f"say how many programs run: {name}[grid](...), for example "
                f"{name}[tg.cdiv(n, BLOCK)](...); to share code between kernels, call an "
                "undecorated function",
            )
        except LaunchError as error:
            strip_traceback(error, full=_env.full_traceback())
            raise

    @boundary
    def specialize(self, *args: Any, **keywords: Any) -> Specialized:
        """The specialization that a launch with these arguments would use, not yet compiled.

        Raises:
            LaunchError: the arguments do not fit the kernel.
        """
        if self.structured:
            variant, flat = select_variant(self, args, keywords)
            return variant.specialize(*flat)
        bound = bind(self.make_dispatcher(stop)[1], args, keywords)
        return Specialized(self, bound.signature)

    @boundary
    def compile(self, *args: Any, target: str | None = None, **keywords: Any) -> Compiled:
        """Compile without launching, to look at the code and at what the compiler decided.

        Args:
            args: as for a launch; an array may be a description, "float32[128,?]" with ? for a
                size that 16 may not divide, and a number may be a dtype.
            target: "cpu" or a GPU's architecture such as "sm_90a", which need not be here; None:
                that of the device where the arrays are.
            keywords: arguments by name.

        Returns:
            An object with `emit("ptx")` and the like, and `explain()`.

        Raises:
            ArgumentError: there is no such target, or a description means nothing.
            LaunchError: the arguments do not fit the kernel.
            CompileError: the compiler cannot lower the kernel.
            TegulaError: the kernel does something that the language refuses.
        """
        from tegula._compile import targets

        values, named = resolve(self, args, keywords)
        specialized = self.specialize(*values, **named)
        target = target or _runtime.architecture(*specialized.signature.place)
        module = specialized.trace().module
        return Compiled(self.function.__name__, targets.get(target), module)

    def _place(self, name: str) -> _native.Dispatcher:
        """What launches on a target that the program chose."""
        found = self._placed.get(name)
        if found is None:
            from tegula._compile import targets

            family = targets.get(name).family
            compile = functools.partial(self._compile, name=name)
            home = family, _runtime.get(family).current_device()
            found = self._placed[name] = self.make_dispatcher(compile, home)
        return found

    def make_dispatcher(
        self, compile: Callable[..., Any], home: tuple[str, int] = ("cpu", 0)
    ) -> _native.Dispatcher:
        """What launches it; `compile` is called for new kinds of arguments on a device `home`."""
        error = functools.partial(launch_error, self.function)
        return _native.Dispatcher(self.function.__name__, self.specs, compile, error, home)

    @boundary
    def _compile(
        self,
        signature: _native.Signature,
        _arguments: tuple[Any, ...],
        name: str | None = None,
    ) -> _native.Specialization:
        specialized = Specialized(self, Signature(*signature))
        if name is not None:
            specialized.check_place(name)
        return specialized.load(name).specialization

    def __repr__(self) -> str:
        """Name and parameters."""
        return f"<tegula kernel {self.function.__qualname__}({', '.join(self.parameters)})>"

    def __reduce__(self) -> str:
        """Pickles as the name under which it can be imported."""
        return self.function.__qualname__


@overload
def kernel(function: Callable[..., object], /) -> Kernel: ...
@overload
def kernel(
    *,
    fast_math: bool = False,
    checked: bool | None = None,
    num_warps: int | None = None,
    num_stages: int | None = None,
) -> Callable[[Callable[..., object]], Kernel]: ...
def kernel(
    function: Callable[..., object] | None = None,
    /,
    *,
    fast_math: bool = False,
    checked: bool | None = None,
    num_warps: int | None = None,
    num_stages: int | None = None,
    **unknown: object,
) -> Kernel | Callable[[Callable[..., object]], Kernel]:
    """Make a kernel of a function: `@tg.kernel` or `@tg.kernel(fast_math=True)`.

    Args:
        function: what one program of a grid does. Parameters annotated with `tg.Array` take
            arrays, with `tuple`, a named tuple or a dataclass several values in one, with
            `tg.Const` any hashable compile-time value, with a dtype a number of that dtype; others
            take an array or a number, whatever the call gives.
        fast_math: let multiplications and additions be contracted and reassociated.
        checked: report accesses that reach nothing of their array, and assumptions that are false,
            when the kernel runs; None leaves it to the environment variable TEGULA_CHECK.
        num_warps: how many warps a program has, a power of two. None, which the compiler chooses
            for, suits nearly all kernels. It changes no result, beyond the order in which floats
            are summed, and means nothing to a target without warps.
        num_stages: how many copies of a loop's tiles are in memory at once; 1 fetches nothing
            ahead. Like `num_warps`.

    Raises:
        LaunchError: a hint is no positive integer, or `num_warps` is no power of two.
        TileTypeError: `function` is no plain function, or has `*args` or `**kwargs`.
        ArgumentError: there is no such option.
    """
    scope = sys._getframe(1).f_locals  # pyright: ignore[reportPrivateUsage]

    def decorate(inner: Callable[..., object]) -> Kernel:
        try:
            return Kernel(
                plain_function(inner), scope, fast_math=fast_math, checked=checked, hints=hints
            )
        except TegulaError as error:
            strip_traceback(error, full=_env.full_traceback())
            raise

    try:
        for name in unknown:
            raise ArgumentError(
                f"tg.kernel has no option {name!r}",
                help="the options are fast_math, checked, num_warps and num_stages",
            )
        hints = Hints(num_warps, num_stages)
        return decorate if function is None else decorate(function)
    except TegulaError as error:
        strip_traceback(error, full=_env.full_traceback())
        raise
