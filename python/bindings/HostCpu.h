// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Identifies the host processor for the key of the on-disk cache. LLVM knows
// more about it, but a process that finds its kernels in the cache must not
// have to load LLVM to know that they fit.

#ifndef TEGULA_PYTHON_BINDINGS_HOSTCPU_H
#define TEGULA_PYTHON_BINDINGS_HOSTCPU_H

#include <string>

namespace tegula::runtime {

/// Model and instruction set extensions that the operating system enables, as
/// text. Machines with the same text run each other's code.
std::string hostFingerprint();

} // namespace tegula::runtime

#endif // TEGULA_PYTHON_BINDINGS_HOSTCPU_H
