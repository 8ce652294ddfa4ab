# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`python -m tegula.cli` is `tegula`."""

from tegula.cli import main

main()
