# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tegula-opt` and `tegula-lsp-server`: MLIR's drivers with all that Tegula registers.

Both live in the shared library of the private MLIR bindings, so that the wheel carries MLIR once;
these entry points only hand over the command line. They are a package of their own because to
import anything of `tegula` imports NumPy too, which takes ten times as long as a small run.
"""

from __future__ import annotations

import ctypes
import sys
from importlib.util import find_spec
from pathlib import Path


def _call(function: str, program: str) -> int:
    spec = find_spec("tegula")
    if spec is None or spec.origin is None:
        sys.exit(f"{program}: the package tegula is not installed; pip install tegula")
    library = Path(spec.origin).with_name("mlir") / "_mlir_libs" / "libTegulaAggregate.so"
    entry = getattr(ctypes.CDLL(str(library)), function)
    arguments = [program.encode(), *(a.encode() for a in sys.argv[1:])]
    argv = (ctypes.c_char_p * (len(arguments) + 1))(*arguments, None)
    return int(entry(len(arguments), argv))


def opt_main() -> None:
    """Entry point of `tegula-opt`; exits with the driver's status."""
    sys.exit(_call("tegulaOptMain", "tegula-opt"))


def lsp_main() -> None:
    """Entry point of `tegula-lsp-server`; exits with the server's status."""
    sys.exit(_call("tegulaLspServerMain", "tegula-lsp-server"))
