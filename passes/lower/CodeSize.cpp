// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CodeSize.h.

#include "passes/lower/CodeSize.h"

#include "dialects/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tegula::lower {

/// Whether an operation only says where in registers a value is.
static bool isFree(Operation *op) {
  return op->hasTrait<OpTrait::ConstantLike>() ||
         op->hasTrait<OpTrait::IsTerminator>() || op->getNumRegions() > 0 ||
         isa<vector::VectorDialect>(op->getDialect()) ||
         isa<tile::BroadcastOp, tile::FullOp, tile::IotaOp, tile::ReshapeOp,
             tile::PermuteOp>(op) ||
         isa<UnrealizedConversionCastOp, arith::BitcastOp, LLVM::BitcastOp,
             LLVM::ExtractValueOp, LLVM::InsertValueOp, LLVM::UndefOp>(op);
}

int64_t getNumOperations(Operation *op,
                         function_ref<int64_t(Type)> getPerThread) {
  if (isFree(op)) {
    return 0;
  }
  int64_t weight = 1;
  for (Type type : op->getOperandTypes()) {
    weight = std::max(weight, getPerThread(type));
  }
  for (Type type : op->getResultTypes()) {
    weight = std::max(weight, getPerThread(type));
  }
  return weight;
}

} // namespace tegula::lower
