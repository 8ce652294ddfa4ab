// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folders of the operations that move elements or ask about views: identities
// and constants. TileElementwiseFolders.cpp has those that compute. A value
// takes the place of a result only if its type, encoding included, is the same.

#include "dialects/tile/Tile.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tegula::tile {

OpFoldResult StrideOp::fold(FoldAdaptor) {
  int64_t stride = getView().getType().getStrides()[getAxis()];
  if (ShapedType::isDynamic(stride)) {
    return {};
  }
  return IntegerAttr::get(getType(), stride);
}

OpFoldResult FullOp::fold(FoldAdaptor adaptor) {
  Attribute value = adaptor.getValue();
  if (!isa_and_nonnull<IntegerAttr, FloatAttr>(value)) {
    return {};
  }
  return DenseElementsAttr::get(cast<ShapedType>(getType()), value);
}

OpFoldResult IotaOp::fold(FoldAdaptor) {
  return getType().getNumElements() == 1
             ? Builder(getContext()).getZeroAttr(getType())
             : Attribute();
}

/// Constant splats keep being splats under any move of elements.
static OpFoldResult foldSplat(Attribute source, Type result) {
  auto splat = dyn_cast_or_null<SplatElementsAttr>(source);
  if (!splat) {
    return {};
  }
  if (auto shaped = dyn_cast<ShapedType>(result)) {
    return splat.resizeSplat(shaped);
  }
  return splat.getSplatValue<Attribute>();
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType()) {
    return getSource();
  }
  return foldSplat(adaptor.getSource(), getType());
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType()) {
    return getSource();
  }
  if (OpFoldResult splat = foldSplat(adaptor.getSource(), getType())) {
    return splat;
  }
  // One element would be a splat, so both sides are tiles.
  auto tile = dyn_cast_or_null<DenseElementsAttr>(adaptor.getSource());
  return tile ? tile.reshape(cast<ShapedType>(getType())) : Attribute();
}

OpFoldResult PermuteOp::fold(FoldAdaptor adaptor) {
  if (llvm::is_sorted(getPerm()) && getSource().getType() == getType()) {
    return getSource();
  }
  return foldSplat(adaptor.getSource(), getType());
}

OpFoldResult JoinOp::fold(FoldAdaptor) {
  auto split = getLhs().getDefiningOp<SplitOp>();
  bool isUndone = split && getLhs() == split.getLhs() &&
                  getRhs() == split.getRhs() &&
                  split.getSource().getType() == getType();
  return isUndone ? split.getSource() : Value();
}

LogicalResult SplitOp::fold(FoldAdaptor adaptor,
                            SmallVectorImpl<OpFoldResult> &results) {
  auto join = getSource().getDefiningOp<JoinOp>();
  if (join && join.getLhs().getType() == getLhs().getType()) {
    results.assign({join.getLhs(), join.getRhs()});
    return success();
  }
  if (OpFoldResult splat = foldSplat(adaptor.getSource(), getLhs().getType())) {
    results.assign(2, splat);
    return success();
  }
  return failure();
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  bool isAlone =
      getSources().size() == 1 && getSources().front().getType() == getType();
  return isAlone ? getSources().front() : Value();
}

/// Out of range or not, what is taken from zeros is zero. Other splats need to
/// know that no index is out of range.
OpFoldResult TakeOp::fold(FoldAdaptor adaptor) {
  auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getSource());
  if (!splat || splat.getSplatValue<Attribute>() !=
                    Builder(getContext())
                        .getZeroAttr(getSource().getType().getElementType())) {
    return {};
  }
  return splat.resizeSplat(cast<ShapedType>(getType()));
}

/// With one element along the axis there is nothing before it to combine with.
LogicalResult ScanOp::fold(FoldAdaptor,
                           SmallVectorImpl<OpFoldResult> &results) {
  if (getShape(getSources().front().getType())[getAxis()] != 1 ||
      getSources().getTypes() != getResultTypes()) {
    return failure();
  }
  results.assign(getSources().begin(), getSources().end());
  return success();
}

OpFoldResult ArgReduceOp::fold(FoldAdaptor) {
  return getSource().getType().getDimSize(getAxis()) == 1
             ? Builder(getContext()).getZeroAttr(getType())
             : Attribute();
}

} // namespace tegula::tile
