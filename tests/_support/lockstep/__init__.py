# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs one thread's code for every thread of a program, without a device.

What ``lower-to-threads`` makes is one thread's code. Here all threads of a program run it in
lockstep on NumPy, one array entry a thread, so that layouts, shuffles, barriers and shared memory
are tested anywhere and for any number of lanes and warps. Shared memory starts as garbage. Each of
these is a `LockstepError`: reading what nobody wrote, two threads meeting at a byte without a
barrier between them, an access that is out of bounds or misaligned, a barrier or shuffle that not
all threads reach.
"""

from tests._support.lockstep.machine import Kernel
from tests._support.lockstep.memory import LockstepError

__all__ = ["Kernel", "LockstepError"]
