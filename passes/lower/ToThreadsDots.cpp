// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lower-to-threads, dots. Each operation of the group that has no pattern yet
// is an error that names it.

#include "passes/lower/ThreadEmitter.h"

using namespace mlir;

namespace tegula::lower {

void populateDotsToThreads(const TypeConverter &, RewritePatternSet &,
                           ThreadEmitter &) {}

} // namespace tegula::lower
