# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What can execute the kernels of a test: a registry of kinds of backends.

`--backend` names one as KIND, or as KIND:OPTION where a kind needs to know more. A new target adds
its kind to :data:`KINDS`; each kind is a marker too.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

import pytest

Scope = Callable[[pytest.Config, str], AbstractContextManager[object]]


@dataclass(frozen=True)
class Kind:
    """One kind of backend.

    Attributes:
        summary: what its marker means.
        scope: the context in which a test's kernels run on it; takes the option too.
        option: what must stand after the colon, or "" if nothing may.
        by_default: whether tests run on it where no backend is asked for.
    """

    summary: str
    scope: Scope
    option: str = ""
    by_default: bool = False


def _interpreter(_config: pytest.Config, _option: str) -> AbstractContextManager[object]:
    import tegula as tg

    return tg.interpret()


def _host(_config: pytest.Config, _option: str) -> AbstractContextManager[object]:
    return contextlib.nullcontext()


def _target(_config: pytest.Config, option: str) -> AbstractContextManager[object]:
    """Kernels on NumPy arrays run on this machine's device, compiled for a target by name."""
    import tegula as tg

    return tg.target(option)


def _padded(_config: pytest.Config, _option: str) -> AbstractContextManager[object]:
    from tests._support.padding import padded

    return padded()


def _emulator(config: pytest.Config, option: str) -> AbstractContextManager[object]:
    from tests._support import emulator

    folder, schedule = config.getoption("--emulator"), config.getoption("--schedule")
    return emulator.kernels_run_in(emulator.open_emulator(folder, option, schedule))


KINDS: dict[str, Kind] = {
    "interpreter": Kind(
        "runs kernels with tg.interpret(): no compiler needed (L0)", _interpreter, by_default=True
    ),
    "cpu": Kind(
        "compiles kernels for this machine's processor and runs them (L1)", _host, by_default=True
    ),
    "padded": Kind("compiles as cpu does, with every tile padded to powers of two (L1)", _padded),
    "cuda": Kind(
        "compiles kernels for an NVIDIA architecture and runs them on this machine's GPU (L2)",
        _target,
        option="ARCH",
    ),
    "emulator": Kind(
        "compiles kernels for an AMD GPU and runs them in the emulator that --emulator names (L1t)",
        _emulator,
        option="ARCH",
    ),
}

DEFAULT = tuple(name for name, kind in KINDS.items() if kind.by_default)


@dataclass(frozen=True)
class Backend:
    """A backend as `--backend` names it."""

    name: str

    @property
    def kind(self) -> str:
        """The name of its kind, which is its marker."""
        return self.name.partition(":")[0]

    @property
    def mark(self) -> pytest.MarkDecorator:
        """The marker of tests that run on it."""
        return getattr(pytest.mark, self.kind)

    def scope(self, config: pytest.Config) -> AbstractContextManager[object]:
        """The context in which the kernels of one test run on it."""
        return KINDS[self.kind].scope(config, self.name.partition(":")[2])


def parse(text: str) -> Backend:
    """The backend of a name.

    Raises:
        ValueError: there is none of that name.
    """
    backend, (_, colon, option) = Backend(text), text.partition(":")
    kind = KINDS.get(backend.kind)
    if kind is None or bool(kind.option) != bool(option) or bool(colon) != bool(option):
        raise ValueError(f"there is no backend {text!r}; choose one of: {', '.join(forms())}")
    return backend


def forms() -> list[str]:
    """How the backends are written."""
    return [f"{name}:{kind.option}" if kind.option else name for name, kind in KINDS.items()]


def chosen(config: pytest.Config) -> list[Backend]:
    """The backends to run on: those asked for, else those that run by default."""
    return [parse(name) for name in config.getoption("--backend") or DEFAULT]


def without_backend(node_id: str, backend: str) -> str:
    """A test's id with the parameter that says its backend left out, so that all share one."""
    head, bracket, rest = node_id.partition("[")
    parts = f"-{rest.removesuffix(']')}-".replace(f"-{backend}-", "-", 1)
    return head + bracket + parts.strip("-")
