// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ROCDL dialect without its operations: their declarations are 77,000
// lines, which every file that includes them compiles for minutes. Operations
// are made by name; the dialect verifies them all the same.

#ifndef TEGULA_PASSES_TARGETS_ROCM_ROCDL_H
#define TEGULA_PASSES_TARGETS_ROCM_ROCDL_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"

#include "mlir/Dialect/LLVMIR/ROCDLOpsDialect.h.inc"

namespace tegula::rocm {

/// The operation `rocdl.<name>`.
inline mlir::Operation *
createRocdl(mlir::OpBuilder &builder, mlir::Location loc,
            const llvm::Twine &name, mlir::TypeRange results,
            mlir::ValueRange operands = {},
            llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
  mlir::OperationName full(("rocdl." + name).str(), builder.getContext());
  mlir::OperationState state(loc, full);
  state.addTypes(results);
  state.addOperands(operands);
  state.addAttributes(attributes);
  return builder.create(state);
}

} // namespace tegula::rocm

#endif // TEGULA_PASSES_TARGETS_ROCM_ROCDL_H
