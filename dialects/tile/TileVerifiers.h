// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the verifiers of the `tile` dialect share. Private to this folder. Each
// check carries the label that the operation's description gives it, says the
// values that conflict, and points at the operand that is at fault.

#ifndef TEGULA_DIALECTS_TILE_TILEVERIFIERS_H
#define TEGULA_DIALECTS_TILE_TILEVERIFIERS_H

#include "dialects/tile/Tile.h"

namespace tegula::tile {

/// As Python spells a shape: `(4,)`, `(2, 3)`.
std::string shapeString(llvm::ArrayRef<int64_t> shape);

/// Whether two types agree in shape and element type. What else a tile's type
/// says, its encoding, no operation of the dialect has an opinion on.
bool sameButForEncoding(mlir::Type lhs, mlir::Type rhs);

/// Attaches where `value` was made, so that the reader sees both sides of a
/// conflict. Always a failure.
mlir::LogicalResult withNote(mlir::InFlightDiagnostic diag, mlir::Value value,
                             llvm::StringRef what);

/// `axis` is less than `rank`, that of `what`; `rule` is the label.
mlir::LogicalResult verifyAxis(mlir::Operation *op, llvm::StringRef rule,
                               int64_t axis, int64_t rank,
                               llvm::StringRef what);

/// `extents` has one entry for each dimension of `shape`, from 1 to its extent;
/// `rule` is the label.
mlir::LogicalResult verifyExtents(mlir::Operation *op, llvm::StringRef rule,
                                  llvm::ArrayRef<int64_t> extents,
                                  llvm::ArrayRef<int64_t> shape);

} // namespace tegula::tile

#endif // TEGULA_DIALECTS_TILE_TILEVERIFIERS_H
