# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fuzzing: random kernels, mutated IR and hostile arguments, many in one run.

    python -m tests.fuzz --count 2000 --jobs 2 --seed 7

Each input is made from the run's seed, its kind and its number, in a worker process that may crash
or hang: that is a finding, stored with its input in a file that `--replay` runs again.
"""
