// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How an operation's layouts depend on each other. Assignment uses it to spread
// layouts from memory accesses and dots to the rest of a kernel, the removal of
// conversions to move a conversion across operations.

#ifndef TEGULA_PASSES_LOWER_LAYOUTTRANSFER_H
#define TEGULA_PASSES_LOWER_LAYOUTTRANSFER_H

#include "dialects/layout/LinearLayout.h"

#include "mlir/IR/Operation.h"

#include <optional>

namespace tegula::lower {

/// Whether `op` computes each element of its tile results from the elements of
/// its tile operands at the same place. All its tiles then share one layout.
bool isElementwise(mlir::Operation *op);

/// Whether `op` makes tiles out of nothing or scalars, for the cost of a few
/// instructions an element, in any layout.
bool isFreeSource(mlir::Operation *op);

/// The layout that results of `op` have if operand `operand`, a tile, has
/// `layout`. Nothing if the operand does not decide it.
std::optional<layout::LinearLayout>
inferResultLayout(mlir::Operation *op, unsigned operand,
                  const layout::LinearLayout &layout);

/// The layout that operand `operand`, a tile, must have for results of
/// `layout`. Nothing if results do not decide it or `op` cannot give that
/// layout.
std::optional<layout::LinearLayout>
inferOperandLayout(mlir::Operation *op, unsigned operand,
                   const layout::LinearLayout &layout);

} // namespace tegula::lower

#endif // TEGULA_PASSES_LOWER_LAYOUTTRANSFER_H
