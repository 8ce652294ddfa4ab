// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs what may meet a failed assertion. MLIR and LLVM check themselves by
// ending the process, which must not be a Python session of the user's.

#ifndef TEGULA_PYTHON_BINDINGS_CAPI_CRASHGUARD_H
#define TEGULA_PYTHON_BINDINGS_CAPI_CRASHGUARD_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace tegula {

/// Calls `work`. False if it did not return: an assertion failed, LLVM reported
/// a fatal error, or the processor a fault; `reason` then says which. What
/// `work` had in its hands is in no known state and must never be touched
/// again, not even to be freed.
bool runGuarded(llvm::function_ref<void()> work, std::string &reason);

} // namespace tegula

#endif // TEGULA_PYTHON_BINDINGS_CAPI_CRASHGUARD_H
