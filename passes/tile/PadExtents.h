// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the parts of `tile-pad-extents` share: padded types, and ways to say
// what padding holds where an operation would see it. Private to this pass.
//
// PADDING: a tile of extents E is carried in one of extents P, each the next
// power of two. Elements at or past E in any dimension are padding; they hold
// any value, and no operation may let it reach an element that is none.

#ifndef TEGULA_PASSES_TILE_PADEXTENTS_H
#define TEGULA_PASSES_TILE_PADEXTENTS_H

#include "dialects/tile/Tile.h"

#include "mlir/Transforms/DialectConversion.h"

namespace tegula::tile::padding {

/// Each extent rounded up to a power of two.
llvm::SmallVector<int64_t> padShape(llvm::ArrayRef<int64_t> shape);

/// Whether the type is a tile with some extent that is no power of two.
bool needsPadding(mlir::Type type);

/// The type that carries a tile; scalars and all other types carry themselves.
mlir::Type padType(mlir::Type type);

/// Tile of `shape` that repeats a one-dimensional one along `axis`.
mlir::Value spreadAlong(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value line, llvm::ArrayRef<int64_t> shape,
                        int64_t axis);

/// i1 tile of `shape` that is true before `used`; null if it would be true
/// everywhere.
mlir::Value createMask(mlir::OpBuilder &builder, mlir::Location loc,
                       llvm::ArrayRef<int64_t> used,
                       llvm::ArrayRef<int64_t> shape);

/// `value` with `filler`, a scalar, in all elements at or past `used`; itself
/// if they hold that already.
mlir::Value fillPadding(mlir::OpBuilder &builder, mlir::Value value,
                        llvm::ArrayRef<int64_t> used, mlir::TypedAttr filler);

/// `shape` padded except along `axis`.
llvm::SmallVector<int64_t> padBeside(llvm::ArrayRef<int64_t> shape,
                                     int64_t axis);

// PadExtentsMoves.cpp
void populateMoves(const mlir::TypeConverter &converter,
                   mlir::RewritePatternSet &patterns);
/// Whether all operands have one extent along the axis and their number is a
/// power of two.
bool isRegular(ConcatOp op);

// PadExtentsCombine.cpp
void populateCombinations(const mlir::TypeConverter &converter,
                          mlir::RewritePatternSet &patterns);

// PadExtentsAccess.cpp
void populateAccesses(const mlir::TypeConverter &converter,
                      mlir::RewritePatternSet &patterns);

} // namespace tegula::tile::padding

#endif // TEGULA_PASSES_TILE_PADEXTENTS_H
