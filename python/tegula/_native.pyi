# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types of the launcher. What everything means: python/bindings/README.md."""

from collections.abc import Callable, Iterable, Sequence
from types import CellType
from typing import Any, TypeAlias, final

ArrayEntry: TypeAlias = tuple[str, str, tuple[bool, ...], int, tuple[int, ...], tuple[int, ...]]
ScalarEntry: TypeAlias = tuple[str, str, bool]
ConstEntry: TypeAlias = tuple[str, Any]
Entry: TypeAlias = ArrayEntry | ScalarEntry | ConstEntry
Signature: TypeAlias = tuple[tuple[Entry, ...], tuple[tuple[int, int], ...]]
Guard: TypeAlias = tuple[dict[str, Any] | CellType, str | None, Any]
PrintPart: TypeAlias = str | tuple[str, tuple[int, ...], bytes]

DTYPES: tuple[str, ...]
MISSING: object

class ObjectError(ImportError): ...

@final
class Specialization:
    def __new__(
        cls,
        address: int,
        *,
        writes: Iterable[int] = ...,
        owner: object = ...,
        guards: Sequence[Guard] = ...,
    ) -> Specialization: ...
    @property
    def address(self) -> int: ...
    @property
    def owner(self) -> object: ...

@final
class Dispatcher:
    def __new__(
        cls,
        name: str,
        params: Sequence[tuple[str, str, str | None, object]],
        compile: Callable[[Signature, tuple[Any, ...]], Specialization],
        error: Callable[[str, str | None, Any, str], BaseException],
    ) -> Dispatcher: ...
    @property
    def name(self) -> str: ...
    def __getitem__(self, grid: int | tuple[int, ...]) -> Launch: ...
    def clear(self) -> None: ...
    def specializations(self) -> list[tuple[Signature, Specialization]]: ...

@final
class Launch:
    @property
    def grid(self) -> tuple[int, int, int]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> None: ...
    def prepare(self, *args: Any, **kwargs: Any) -> PreparedLaunch: ...

@final
class PreparedLaunch:
    @property
    def grid(self) -> tuple[int, int, int]: ...
    def __call__(self) -> None: ...

@final
class LoadedObject:
    def address(self, name: str) -> int | None: ...

def load_object(data: bytes) -> LoadedObject: ...
def runtime_symbols() -> dict[str, int]: ...
def symbol_address(name: str) -> int | None: ...
def set_print_hook(hook: Callable[[list[list[PrintPart]]], object]) -> None: ...
def set_num_threads(count: int) -> None: ...
def num_threads() -> int: ...
def host_fingerprint() -> str: ...
