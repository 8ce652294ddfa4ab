# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fixtures of all Python tests: the backend, the random seed, guarded arrays.

Tiers are markers. ``interpreter`` needs nothing but NumPy, ``cpu`` runs code compiled for this
machine, ``cuda`` needs a GPU (``tests/_support/backends.py`` has them all), ``slow`` is left out
unless ``--slow`` is given.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests._support import backends, where_it_ran
from tests._support.arrays import Arrays

MARKERS = {
    **{name: kind.summary for name, kind in backends.KINDS.items()},
    **where_it_ran.MARKERS,
    "slow": "takes more than a few seconds: left out unless --slow is given",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tegula")
    group.addoption("--slow", action="store_true", help="run the tests marked slow too")
    group.addoption("--seed", type=int, help="seed of the random inputs (default: a new one)")
    group.addoption("--update-golden", action="store_true", help="rewrite the pinned error texts")
    group.addoption(
        "--backend",
        action="append",
        type=_backend_name,
        metavar="BACKEND",
        help=f"only this backend (may be repeated): {', '.join(backends.forms())}",
    )
    group.addoption("--emulator", help="folder of the GPU emulator, for --backend emulator:ARCH")
    group.addoption(
        "--schedule", type=int, help="seed of the order in which the emulator's waves run"
    )

    group.addoption(
        "--few", type=int, metavar="N", help="run at most N cases of each test on each backend"
    )
    group.addoption(
        "--record",
        type=Path,
        metavar="FILE",
        help="add what became of tests marked contract or case to this JSON file",
    )


def _backend_name(text: str) -> str:
    try:
        return backends.parse(text).name
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def pytest_configure(config: pytest.Config) -> None:
    for name, text in MARKERS.items():
        config.addinivalue_line("markers", text if "(" in text[:10] else f"{name}: {text}")
    worker_input = getattr(config, "workerinput", None)  # set by pytest-xdist in its workers
    if config.option.record:
        path = None if worker_input else config.option.record.absolute()
        config.pluginmanager.register(where_it_ran.Recorder(path))
    if worker_input:
        config.option.seed = worker_input["tegula_seed"]
    elif config.option.seed is None:
        config.option.seed = int(time.time()) % 1_000_000
    # Compile anew in each session, and leave the user's cache alone.
    cache = tempfile.mkdtemp(prefix="tegula-tests-")
    config.add_cleanup(lambda: shutil.rmtree(cache, ignore_errors=True))
    os.environ["TEGULA_CACHE_DIR"] = cache


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node) -> None:
    node.workerinput["tegula_seed"] = node.config.option.seed


def pytest_report_header(config: pytest.Config) -> str:
    return f"tegula: random inputs of --seed={config.option.seed}"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "backend" in metafunc.fixturenames:
        wanted = backends.chosen(metafunc.config)
        params = [pytest.param(item.name, marks=item.mark) for item in wanted]
        metafunc.parametrize("backend", params, indirect=True)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.option.few:
        items[:], left = where_it_ran.fewer(items, config.option.few)
        config.hook.pytest_deselected(items=left)
    if config.getoption("--slow"):
        return
    slow, rest = [], []
    for item in items:
        (slow if item.get_closest_marker("slow") else rest).append(item)
    if slow:
        config.hook.pytest_deselected(items=slow)
        items[:] = rest


@pytest.fixture
def backend(request: pytest.FixtureRequest) -> Iterator[str]:
    """The name of what executes the kernels of this test: "interpreter", "cpu", "cuda:sm_90a"."""
    with backends.parse(request.param).scope(request.config):
        yield request.param


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """Random numbers, from the session's seed and the test's name; the same in each backend."""
    case = getattr(request.node, "callspec", None)
    backend = case.params.get("backend", "") if case is not None else ""
    name = backends.without_backend(request.node.nodeid, backend)
    return np.random.default_rng([request.config.option.seed, zlib.crc32(name.encode())])


@pytest.fixture
def arrays(rng: np.random.Generator) -> Iterator[Arrays]:
    """Makes inputs and guarded outputs; after the test, checks what it must not have changed."""
    maker = Arrays(rng)
    yield maker
    maker.verify()
