# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line: `tegula`, `tegula-opt` and `tegula-lsp-server`.

One module per command. Nothing here is imported by the rest of the package, and the commands import
what they need when they run, so that `tegula --help` is quick.
"""

from __future__ import annotations


def main() -> None:
    """Entry point of `tegula`."""
    from tegula.cli.app import tegula

    tegula(prog_name="tegula")
