// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short ways to build the `linalg.generic` operations and loops that the CPU
// lowerings emit, so that each lowering reads as its index maps and its body.

#ifndef TEGULA_PASSES_TARGETS_CPU_GENERICS_H
#define TEGULA_PASSES_TARGETS_CPU_GENERICS_H

#include "passes/targets/cpu/Passes.h"

namespace tegula::cpu {

using BodyFn = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;

/// Fails, with an error, if an operation makes or takes a tile with a layout:
/// those are of other targets.
mlir::LogicalResult refuseLayouts(mlir::Operation *root);

/// An uninitialised tile.
mlir::Value createEmpty(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::RankedTensorType type);

/// A tile filled with a scalar, as a generic so that it fuses with its users.
mlir::Value createFilled(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::RankedTensorType type, mlir::Value scalar);

/// Elementwise generic on tiles: one parallel loop per dimension of `type`;
/// `maps` place each input. `body` gets the input elements and returns the
/// result element.
mlir::Value
createParallel(mlir::OpBuilder &builder, mlir::Location loc,
               mlir::RankedTensorType type, mlir::ValueRange inputs,
               llvm::ArrayRef<mlir::AffineMap> maps,
               llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location,
                                              mlir::ValueRange)>
                   body);

/// Copy between buffers of one shape, converting with `convert` if given.
void createCopy(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value from,
                mlir::Value to,
                llvm::function_ref<mlir::Value(mlir::OpBuilder &,
                                               mlir::Location, mlir::Value)>
                    convert = nullptr);

/// On a loop whose carried tiles are only inserted into, so that they are in
/// place by construction.
inline constexpr llvm::StringLiteral kInPlaceAttr = "tegula.in_place";

/// Nest of loops 0 .. `extents[d]` that carries `inits`; `body` gets the
/// indices and carried values, and returns the next values, which must be
/// `tensor.insert`s into the carried ones.
llvm::SmallVector<mlir::Value> createLoopNest(
    mlir::OpBuilder &builder, mlir::Location loc,
    llvm::ArrayRef<int64_t> extents, mlir::ValueRange inits,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(
        mlir::OpBuilder &, mlir::Location, mlir::ValueRange, mlir::ValueRange)>
        body);

/// Integer or float constant of an element type.
mlir::Value createConstant(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Type type, double value);
mlir::Value createIndex(mlir::OpBuilder &builder, mlir::Location loc,
                        int64_t value);

} // namespace tegula::cpu

#endif // TEGULA_PASSES_TARGETS_CPU_GENERICS_H
