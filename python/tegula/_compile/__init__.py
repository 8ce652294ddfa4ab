# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a traced kernel to machine code: targets, pass pipelines, code generation, caches.

Invariants in: a module with one kernel of `tile` IR, and a key that says everything that determines
it. Out: a :class:`~tegula._compile.artifact.Artifact` with an object file, which
:mod:`tegula._runtime` loads. Importing this package, and finding a kernel in the cache, loads
neither MLIR nor LLVM.

Does not belong here: the user's function (:mod:`tegula._trace`), launching
(:mod:`tegula._runtime`).
"""

from tegula._compile.driver import KernelSource, Loaded, compile_module, fresh, load, recent

__all__ = ["KernelSource", "Loaded", "compile_module", "fresh", "load", "recent"]
