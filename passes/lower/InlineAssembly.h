// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inline assembly, for instructions that LLVM has no intrinsic for and for
// places that its code generator must leave as they are.

#ifndef TEGULA_PASSES_LOWER_INLINEASSEMBLY_H
#define TEGULA_PASSES_LOWER_INLINEASSEMBLY_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tegula::lower {

/// Inline assembly with one result, or none if `result` is null. If it is not
/// volatile, it may go away or move where what it reads and gives allows it.
mlir::LLVM::InlineAsmOp
emitAssembly(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type result,
             mlir::ValueRange operands, llvm::StringRef text,
             llvm::StringRef constraints, bool isVolatile = true);

/// The same value, of which code generators know nothing: what is computed from
/// it is computed here or later. They do not look into assembly, even without
/// instructions, and its side effect keeps it among barriers. `kind` is the
/// constraint for the value's registers.
mlir::Value emitOpaque(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value value, llvm::StringRef kind);

} // namespace tegula::lower

#endif // TEGULA_PASSES_LOWER_INLINEASSEMBLY_H
