// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The combination that a reduction or scan applies, named or a region, as code
// on one thread's scalars.

#ifndef TEGULA_PASSES_LOWER_COMBINER_H
#define TEGULA_PASSES_LOWER_COMBINER_H

#include "passes/lower/ThreadColumns.h"

namespace tegula::lower {

/// What two lists of scalars, one for each operand, become.
class Combiner {
public:
  explicit Combiner(tile::CombineKind kind) : kind(kind) {}
  explicit Combiner(mlir::Region &region) : region(&region) {}

  Values operator()(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::ValueRange left, mlir::ValueRange right) const;
  /// Whether operands may change places. Named kinds may, whatever that does to
  /// the rounding of a sum: its order is the target's choice.
  bool isCommutative() const { return kind.has_value(); }

private:
  std::optional<tile::CombineKind> kind;
  mlir::Region *region = nullptr;
};

/// The type in which a named kind combines elements of `type`: fp32 for what a
/// sum of narrow floats would round at each step.
mlir::Type getCombineType(std::optional<tile::CombineKind> kind,
                          mlir::Type type);

/// `values` (a thread's vector) with float elements of type `element`.
mlir::Value convertFloats(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value values, mlir::Type element);

} // namespace tegula::lower

#endif // TEGULA_PASSES_LOWER_COMBINER_H
