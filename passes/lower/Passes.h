// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations of the lowerings that targets share; see Passes.td for what each
// does.

#ifndef TEGULA_PASSES_LOWER_PASSES_H
#define TEGULA_PASSES_LOWER_PASSES_H

#include "dialects/layout/Layout.h"
#include "dialects/simt/Simt.h"
#include "dialects/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"

namespace tegula::lower {

#define GEN_PASS_DECL
#include "passes/lower/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "passes/lower/Passes.h.inc"

} // namespace tegula::lower

#endif // TEGULA_PASSES_LOWER_PASSES_H
