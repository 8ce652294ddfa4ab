// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptions of arrays that the launcher makes for hardware that copies boxes
// of them. The compiler says what it needs in an attribute of the kernel; each
// becomes one more argument, an opaque structure.

#ifndef TEGULA_PASSES_LOWER_TENSORMAPS_H
#define TEGULA_PASSES_LOWER_TENSORMAPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace tegula::lower {

/// Name of the kernel's attribute, an array of dictionaries with the fields of
/// TensorMap.
inline constexpr llvm::StringLiteral kTensorMapsAttr = "tegula.tensor_maps";
/// Size and alignment of the structure, in bytes.
inline constexpr int64_t kTensorMapBytes = 128;
inline constexpr int64_t kTensorMapAlignment = 64;

struct TensorMap {
  /// Number of the array among the kernel's parameters, as the tracer made it.
  int64_t argument;
  /// The array's dimensions, innermost first.
  llvm::SmallVector<int64_t> order;
  /// Extents of a box, innermost first.
  llvm::SmallVector<int64_t> box;
  /// Bytes of a box's rows within which chunks are permuted; 0 for none.
  int64_t swizzle;
  /// Bytes of an element.
  int64_t elementBytes;

  int64_t getBoxBytes() const;
};

/// Adds a map to a kernel, unless it has an equal one. Returns its number.
int32_t addTensorMap(mlir::func::FuncOp kernel, const TensorMap &map);
/// Map number `number` of the kernel that holds `op`.
TensorMap getTensorMap(mlir::Operation *op, int32_t number);
/// Adds the arguments for all maps to a kernel whose other arguments are final.
void addTensorMapArguments(mlir::func::FuncOp kernel);
/// The argument (a pointer) for map number `number`.
mlir::Value getTensorMapArgument(mlir::Operation *op, int32_t number);

/// index * extent as i32, or a number past every array if that does not fit.
mlir::Value emitBoxCoordinate(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value index, int64_t extent);

} // namespace tegula::lower

#endif // TEGULA_PASSES_LOWER_TENSORMAPS_H
