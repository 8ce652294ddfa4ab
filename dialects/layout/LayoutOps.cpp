// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folds of `layout.convert`: a chain of conversions is one, and one to the same
// layout is none.

#include "dialects/layout/Layout.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/layout/LayoutOps.cpp.inc"

namespace tegula::layout {

OpFoldResult ConvertOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType()) {
    return getSource();
  }
  if (auto inner = getSource().getDefiningOp<ConvertOp>();
      inner && inner.getSource().getType() == getType()) {
    return inner.getSource();
  }
  // A constant is no place yet, so it can be made in any layout.
  if (auto tile = dyn_cast_or_null<DenseElementsAttr>(adaptor.getSource())) {
    return tile.reshape(getType());
  }
  return {};
}

LogicalResult ConvertOp::canonicalize(ConvertOp op, PatternRewriter &rewriter) {
  auto inner = op.getSource().getDefiningOp<ConvertOp>();
  if (!inner) {
    return rewriter.notifyMatchFailure(op, "source is another operation");
  }
  rewriter.modifyOpInPlace(
      op, [&] { op.getSourceMutable().assign(inner.getSource()); });
  return success();
}

} // namespace tegula::layout
