// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tile-expand-elementwise: spells out the language contract (division by zero, oversized shifts, saturating casts) in
// upstream operations, once, so that every target inherits the same answers.

#include "passes/tile/Passes.h"

namespace tegula::tile {
#define GEN_PASS_DEF_EXPANDELEMENTWISEPASS
#include "passes/tile/Passes.h.inc"
namespace {

struct ExpandElementwisePass final
    : impl::ExpandElementwisePassBase<ExpandElementwisePass> {
  void runOnOperation() override {}
};

} // namespace
} // namespace tegula::tile
