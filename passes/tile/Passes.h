// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations of the target-neutral passes on the `tile` dialect; see
// Passes.td for what each does.

#ifndef TEGULA_PASSES_TILE_PASSES_H
#define TEGULA_PASSES_TILE_PASSES_H

#include "dialects/tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"

namespace tegula::tile {

#define GEN_PASS_DECL
#include "passes/tile/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "passes/tile/Passes.h.inc"

} // namespace tegula::tile

#endif // TEGULA_PASSES_TILE_PASSES_H
