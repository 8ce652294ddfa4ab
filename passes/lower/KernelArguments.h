// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments of a kernel on a device: plain pointers and numbers that a
// launcher can fill in without knowing of views. Patterns find an array's parts
// through the cast that stands for the view until all accesses are lowered.

#ifndef TEGULA_PASSES_LOWER_KERNELARGUMENTS_H
#define TEGULA_PASSES_LOWER_KERNELARGUMENTS_H

#include "dialects/tile/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tegula::lower {

/// Emits an error unless `kernel` has one block, no results, and arrays and
/// scalars as arguments.
mlir::LogicalResult checkKernelArguments(mlir::func::FuncOp kernel);

/// Gives a checked kernel its flat arguments: for each array a pointer to
/// global memory, sizes, strides; each scalar (i1 as i8); three i32 for the
/// grid; a pointer to the message buffer. Views are casts of their parts from
/// here on.
void flattenArguments(mlir::func::FuncOp kernel);

/// What a view is made of.
struct ArrayParts {
  mlir::Value pointer;
  mlir::ValueRange sizes;   // i64
  mlir::ValueRange strides; // i64, in elements
};
/// Fails with an error on `op` if `view` is not an argument of the kernel.
mlir::FailureOr<ArrayParts> getArrayParts(mlir::Operation *op,
                                          mlir::Value view);

/// Removes operations whose results nobody uses, such as the casts that stood
/// for views.
void eraseDeadOps(mlir::func::FuncOp kernel);

} // namespace tegula::lower

#endif // TEGULA_PASSES_LOWER_KERNELARGUMENTS_H
