# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The thread pool: every program once, from any thread, after a fork, whatever the count."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tegula import _native
from tests.python.native_kernels import Compiled

pytestmark = pytest.mark.cpu


@pytest.fixture(autouse=True)
def restore_thread_count() -> Iterator[None]:
    before = _native.num_threads()
    yield
    _native.set_num_threads(before)


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_every_program_runs_once_with_any_number_of_threads(threads: int) -> None:
    _native.set_num_threads(threads)
    assert _native.num_threads() == threads
    busy, count = Compiled("busy"), Compiled("add_index")
    for programs in (1, 2, 7, 64, 501):
        out = np.zeros(programs)
        busy[programs](out)
        np.testing.assert_array_equal(out, 20000.0)
        data = np.zeros(programs * 100, np.int64)
        for _ in range(3):
            count[programs * 100](data)
        np.testing.assert_array_equal(data, 3 * np.arange(programs * 100))


@pytest.mark.skipif(sys.platform != "linux", reason="counts threads in /proc")
def test_work_is_shared_between_threads() -> None:
    _native.set_num_threads(3)
    out = np.zeros(3000)
    Compiled("busy")[3000](out)
    assert len(list(Path("/proc/self/task").iterdir())) >= 3


def test_concurrent_launches_from_python_threads() -> None:
    _native.set_num_threads(3)
    kernel = Compiled("add_index")
    busy = Compiled("busy")

    def work(seed: int) -> bool:
        data = np.zeros(2000 + seed, np.int64)
        out = np.zeros(60)
        for _ in range(20):
            kernel[2000 + seed](data)
            busy[60](out)
        return np.array_equal(data, 20 * np.arange(2000 + seed)) and bool((out == 20000).all())

    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(work, range(12)))


def test_the_gil_is_released_while_a_kernel_runs() -> None:
    _native.set_num_threads(1)
    kernel = Compiled("busy")
    out = np.zeros(40000)
    kernel[1](out)
    started, ticks = threading.Event(), []

    def tick() -> None:
        started.wait()
        while not done.is_set():
            ticks.append(1)
            done.wait(0.002)

    done = threading.Event()
    thread = threading.Thread(target=tick)
    thread.start()
    started.set()
    kernel[40000](out)
    done.set()
    thread.join()
    assert len(ticks) >= 3


def _launch_in_child(programs: int) -> int:
    out = np.zeros(programs)
    Compiled("busy")[programs](out)
    return int((out == 20000).sum())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_children_of_a_fork_have_a_pool_of_their_own() -> None:
    _native.set_num_threads(2)
    assert _launch_in_child(800) == 800  # The parent's pool exists.
    context = multiprocessing.get_context("fork")
    with context.Pool(2) as pool:
        results = [pool.apply_async(_launch_in_child, (800,)) for _ in range(4)]
        assert [result.get(timeout=60) for result in results] == [800] * 4
    assert _launch_in_child(800) == 800


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_fork_while_another_thread_launches() -> None:
    _native.set_num_threads(2)
    kernel = Compiled("busy")
    stop = threading.Event()

    def launch() -> None:
        out = np.zeros(300)
        while not stop.is_set():
            kernel[300](out)

    thread = threading.Thread(target=launch)
    thread.start()
    try:
        for _ in range(3):
            child = os.fork()
            if child == 0:
                os._exit(0 if _launch_in_child(300) == 300 else 1)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        stop.set()
        thread.join()


def test_kernels_see_the_default_floating_point_environment() -> None:
    """Denormals survive on every thread even if the caller flushes them to zero."""
    _native.set_num_threads(2)
    kernel = Compiled("denormal")
    data = np.full(5000, 2e-310)
    for _ in range(3):
        kernel[5000](data)
    np.testing.assert_array_equal(data, 2e-310 / 8)


def test_thread_count_comes_from_the_environment() -> None:
    code = (
        "import numpy as np\n"
        "from tegula import _native\n"
        "from tests.python.native_kernels import Compiled\n"
        "Compiled('nothing')[1](np.zeros(1))\n"
        "print(_native.num_threads())"
    )
    environment = {**os.environ, "TEGULA_NUM_THREADS": "5"}
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "5"


def test_process_ends_cleanly_while_workers_sleep() -> None:
    code = (
        "import numpy as np\n"
        "from tegula import _native\n"
        "from tests.python.native_kernels import Compiled\n"
        "_native.set_num_threads(4)\n"
        "Compiled('busy')[1000](np.zeros(1000))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60
    )
    assert (result.returncode, result.stderr) == (0, "")


INTERRUPTED = """
import os, signal, sys, threading, time
import numpy as np
import tegula as tg
from tegula import _native

@tg.kernel
def count(o: tg.Array, n: tg.int64):
    total = tg.zeros((8,), tg.float32)
    for i in tg.range(n):
        total = total + tg.sqrt(total + 1)
    tg.store(o, tg.program_id(0) % 4, total)

# A job in the background begins with it ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
threads, programs, trips = map(int, sys.argv[1:])
o = np.zeros(32, np.float32)
count[4](o, 1)
_native.set_num_threads(threads)
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
start = time.monotonic()
try:
    count[programs](o, trips)
except KeyboardInterrupt:
    print("stopped", time.monotonic() - start)
o[:] = 0
count[4](o, 3)
print("went on", bool((o > 0).all()))
try:
    signal.signal(signal.SIGALRM, lambda *_: print("handled"))
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    count[20000](o, 2000)
    print("ran to its end")
finally:
    signal.setitimer(signal.ITIMER_REAL, 0)
"""


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("programs, trips", [(10**10, 10), (10**6, 10**5)])
def test_ctrl_c_stops_a_launch_and_nothing_else(
    tmp_path: Path, threads: int, programs: int, trips: int
) -> None:
    script = tmp_path / "interrupted.py"
    script.write_text(INTERRUPTED)
    command = [sys.executable, str(script), *map(str, (threads, programs, trips))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("stopped ") and float(lines[0].split()[1]) < 10
    assert lines[1] == "went on True"
    assert lines[-1] == "ran to its end"
