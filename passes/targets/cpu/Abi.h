// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What cpu-lower-abi leaves for the passes after it: where a program finds its
// grid position, its launch context and the facts about its arrays.

#ifndef TEGULA_PASSES_TARGETS_CPU_ABI_H
#define TEGULA_PASSES_TARGETS_CPU_ABI_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace tegula::cpu {

/// Unit attribute of the function that runs one program.
inline constexpr llvm::StringLiteral kProgramAttr = "tegula.program";
/// Unit attribute of the function that walks a range of the grid.
inline constexpr llvm::StringLiteral kEntryAttr = "tegula.entry";
/// What the two functions' names have after the kernel's. No function of C and
/// none of the runtime has a dot in its name, so a kernel may be called `exp`.
inline constexpr llvm::StringLiteral kProgramSuffix = ".program";
inline constexpr llvm::StringLiteral kEntrySuffix = ".entry";
/// On the cast from an array's memref to its view, unit attributes: some
/// operation may read it, may write it (itself or an array that it overlaps),
/// and at most one operation writes it.
inline constexpr llvm::StringLiteral kReadAttr = "tegula.read";
inline constexpr llvm::StringLiteral kWrittenAttr = "tegula.written";
inline constexpr llvm::StringLiteral kOneWriterAttr = "tegula.one_writer";

/// A program's last arguments: three grid positions, three grid sizes, the
/// launch context.
inline mlir::Value getTrailingArg(mlir::func::FuncOp program, unsigned back) {
  return program.getArgument(program.getNumArguments() - back);
}
inline mlir::Value getProgramId(mlir::func::FuncOp program, unsigned axis) {
  return getTrailingArg(program, 7 - axis);
}
inline mlir::Value getGridSize(mlir::func::FuncOp program, unsigned axis) {
  return getTrailingArg(program, 4 - axis);
}
inline mlir::Value getContext(mlir::func::FuncOp program) {
  return getTrailingArg(program, 1);
}

/// bool occupies a byte in memory; everything else is itself.
inline mlir::Type getMemoryElementType(mlir::Type element) {
  return element.isInteger(1) ? mlir::IntegerType::get(element.getContext(), 8)
                              : element;
}

/// Rank-0 memref over a pointer, for memref.reinterpret_cast to shape.
mlir::Value createBaseMemRef(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::Value pointer, mlir::Type element);

/// The cast from memref to view that an access goes through, or an error at
/// `op` if cpu-lower-abi did not make one.
mlir::FailureOr<mlir::UnrealizedConversionCastOp> getArray(mlir::Operation *op,
                                                           mlir::Value view);

} // namespace tegula::cpu

#endif // TEGULA_PASSES_TARGETS_CPU_ABI_H
