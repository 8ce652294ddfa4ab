// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The contract's conversions between element types, for any pass that has to
// convert: they are easy to get subtly wrong (double rounding, saturation,
// NaN), so there is one definition.

#ifndef TEGULA_PASSES_TILE_EXPANDCAST_H
#define TEGULA_PASSES_TILE_EXPANDCAST_H

#include "passes/tile/Expr.h"

namespace tegula::tile {

/// Emits `tile.cast`'s conversion of `source` to elements of type `to`. Both
/// element types are ones that tiles may have.
Expr expandCast(Expr source, mlir::Type to, bool fromUnsigned, bool toUnsigned);

} // namespace tegula::tile

#endif // TEGULA_PASSES_TILE_EXPANDCAST_H
