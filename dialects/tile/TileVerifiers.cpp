// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What accesses, moves and elementwise operations require. See TileVerifiers.h.

#include "dialects/tile/TileVerifiers.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tegula::tile {

std::string shapeString(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "(";
  llvm::interleaveComma(shape, stream);
  stream << (shape.size() == 1 ? ",)" : ")");
  return text;
}

bool sameButForEncoding(Type lhs, Type rhs) {
  return isa<RankedTensorType>(lhs) == isa<RankedTensorType>(rhs) &&
         getElementTypeOrSelf(lhs) == getElementTypeOrSelf(rhs) &&
         getShape(lhs) == getShape(rhs);
}

LogicalResult withNote(InFlightDiagnostic diag, Value value, StringRef what) {
  diag.attachNote(value.getLoc()) << what << " has type " << value.getType();
  return diag;
}

LogicalResult verifyAxis(Operation *op, StringRef rule, int64_t axis,
                         int64_t rank, StringRef what) {
  if (axis >= rank) {
    return op->emitOpError()
           << rule << ": axis " << axis << " is out of range for " << what
           << " of rank " << rank;
  }
  return success();
}

LogicalResult verifyExtents(Operation *op, StringRef rule,
                            ArrayRef<int64_t> extents,
                            ArrayRef<int64_t> shape) {
  bool fits = extents.size() == shape.size();
  for (size_t d = 0; fits && d < shape.size(); ++d) {
    fits = extents[d] >= 1 && extents[d] <= shape[d];
  }
  if (!fits) {
    return op->emitOpError()
           << rule << ": extents " << shapeString(extents)
           << " are not within the tile's shape " << shapeString(shape);
  }
  return success();
}

static std::string shapeString(Type type) {
  return shapeString(getShape(type));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Every access: C1, first half.
static LogicalResult verifyIndexCount(Operation *op, Value view,
                                      ValueRange index) {
  int64_t rank = cast<ViewType>(view.getType()).getRank();
  if (static_cast<int64_t>(index.size()) != rank) {
    return withNote(op->emitOpError()
                        << "C1: needs one index for each of the array's "
                        << rank << " dimensions, got " << index.size(),
                    view, "the array");
  }
  return success();
}

/// load and store: C1, C2 and C4.
static LogicalResult verifyTileAccess(Operation *op, Value view,
                                      ValueRange index, RankedTensorType tile,
                                      ArrayRef<int64_t> extents) {
  if (failed(verifyIndexCount(op, view, index))) {
    return failure();
  }
  auto type = cast<ViewType>(view.getType());
  if (tile.getRank() != type.getRank()) {
    return withNote(op->emitOpError()
                        << "C2: tile shape " << shapeString(tile)
                        << " has rank " << tile.getRank()
                        << " but the array has rank " << type.getRank(),
                    view, "the array");
  }
  if (tile.getElementType() != type.getElementType()) {
    return withNote(op->emitOpError()
                        << "C2: tile element type " << tile.getElementType()
                        << " differs from the array's "
                        << type.getElementType(),
                    view, "the array");
  }
  return verifyExtents(op, "C4", extents, tile.getShape());
}

/// gather, scatter and atomics: C1.
static LogicalResult verifyIndices(Operation *op, Value view,
                                   ValueRange index) {
  if (failed(verifyIndexCount(op, view, index))) {
    return failure();
  }
  for (Value other : index.drop_front()) {
    Type first = index.front().getType();
    if (other.getType() != first &&
        sameButForEncoding(other.getType(), first)) {
      return withNote(op->emitOpError() << "C1: indices differ in type: "
                                        << first << " and " << other.getType(),
                      other, "this index");
    }
    if (other.getType() != first) {
      return withNote(op->emitOpError() << "C1: indices differ in shape: "
                                        << shapeString(first) << " and "
                                        << shapeString(other.getType()),
                      other, "this index");
    }
  }
  return success();
}

/// gather, scatter and atomics: C2. `values` are operands; a result has no note
/// to give.
template <typename OpTy>
static LogicalResult verifyLanes(OpTy op, ValueRange values) {
  Type index = op.getIndex().front().getType();
  auto differs = [&](StringRef what, Type type) {
    return op.emitOpError()
           << "C2: " << what << " shape " << shapeString(type)
           << " differs from the indices' " << shapeString(index);
  };
  Value mask = op.getMask();
  if (mask && getShape(mask.getType()) != getShape(index)) {
    return withNote(differs("mask", mask.getType()), mask, "the mask");
  }
  for (Value value : values) {
    if (getShape(value.getType()) != getShape(index)) {
      return withNote(differs("value", value.getType()), value, "the value");
    }
  }
  for (Type result : op->getResultTypes()) {
    if (getShape(result) != getShape(index)) {
      return differs("result", result);
    }
  }
  return success();
}

/// gather, scatter and atomics: C3 of one operand or result.
template <typename OpTy>
static LogicalResult verifyElement(OpTy op, StringRef what, Type type) {
  Type element = op.getView().getType().getElementType();
  if (getElementTypeOrSelf(type) != element) {
    return withNote(op.emitOpError() << "C3: " << what << " element type "
                                     << getElementTypeOrSelf(type)
                                     << " differs from the array's " << element,
                    op.getView(), "the array");
  }
  return success();
}

/// gather, scatter and atomics: C1 to C3. `values` are stored or compared.
template <typename OpTy>
static LogicalResult verifyElementAccess(OpTy op, ValueRange values) {
  if (failed(verifyIndices(op, op.getView(), op.getIndex())) ||
      failed(verifyLanes(op, values))) {
    return failure();
  }
  for (Value value : values) {
    if (failed(verifyElement(op, "value", value.getType()))) {
      return failure();
    }
  }
  for (Type result : op->getResultTypes()) {
    if (failed(verifyElement(op, "result", result))) {
      return failure();
    }
  }
  return success();
}

/// gather and atomics: C3 of the pad value.
template <typename OpTy> static LogicalResult verifyPad(OpTy op) {
  return op.getPad() ? verifyElement(op, "pad", op.getPad().getType())
                     : success();
}

template <typename OpTy> static LogicalResult verifyViewQuery(OpTy op) {
  return verifyAxis(op, "C1", op.getAxis(), op.getView().getType().getRank(),
                    "an array");
}

LogicalResult DimOp::verify() { return verifyViewQuery(*this); }
LogicalResult StrideOp::verify() { return verifyViewQuery(*this); }

ViewType SubviewOp::inferType(ViewType source, ArrayRef<int64_t> dims,
                              ArrayRef<int64_t> steps) {
  SmallVector<int64_t> strides;
  for (auto [dim, step] : llvm::zip(dims, steps)) {
    int64_t stride = source.getStrides()[dim];
    int64_t scaled;
    bool isKnown = !ShapedType::isDynamic(stride) &&
                   !llvm::MulOverflow(stride, step, scaled);
    strides.push_back(isKnown ? scaled : ShapedType::kDynamic);
  }
  return ViewType::get(source.getContext(), dims.size(),
                       source.getElementType(), strides,
                       source.getElementByteWidth());
}

/// subview: C2 to C4, which inferType relies on.
static LogicalResult verifySubviewDims(SubviewOp op) {
  int64_t rank = op.getView().getType().getRank();
  ArrayRef<int64_t> dims = op.getDims();
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t dim : dims) {
    if (dim < 0 || dim >= rank || !seen.insert(dim).second) {
      return withNote(op.emitOpError()
                          << "C2: dims [" << dims
                          << "] do not each name one of the array's " << rank
                          << " dimensions once",
                      op.getView(), "the array");
    }
  }
  if (dims.empty()) {
    return op.emitOpError() << "C2: dims names no dimension";
  }
  if (op.getSizes().size() != dims.size() ||
      op.getSteps().size() != dims.size()) {
    return op.emitOpError()
           << "C3: needs one size and one step for each of " << dims.size()
           << " dimensions, got " << op.getSizes().size() << " and "
           << op.getSteps().size();
  }
  constexpr int64_t kLimit = int64_t(1) << 31;
  for (int64_t step : op.getSteps()) {
    if (step == 0 || step <= -kLimit || step >= kLimit) {
      return op.emitOpError()
             << "C4: a step is not 0 and between -2^31 and 2^31, got " << step;
    }
  }
  return success();
}

LogicalResult SubviewOp::verify() {
  if (failed(verifyIndexCount(*this, getView(), getOffsets())) ||
      failed(verifySubviewDims(*this))) {
    return failure();
  }
  ViewType expected = inferType(getView().getType(), getDims(), getSteps());
  if (getType() != expected) {
    return withNote(emitOpError() << "C5: result has type " << getType()
                                  << ", expected " << expected,
                    getView(), "the array");
  }
  return success();
}

LogicalResult ReshapeViewOp::verify() {
  ViewType source = getView().getType();
  size_t rank = getSizes().size();
  if (getStrides().size() != rank) {
    return emitOpError() << "C1: needs as many strides as sizes, got "
                         << getStrides().size() << " and " << rank;
  }
  if (rank == 0 || source.getRank() == 0) {
    return withNote(emitOpError() << "C2: needs one dimension or more on both "
                                     "sides, got "
                                  << source.getRank() << " and " << rank,
                    getView(), "the array");
  }
  SmallVector<int64_t> unknown(rank, ShapedType::kDynamic);
  auto expected = ViewType::get(getContext(), rank, source.getElementType(),
                                unknown, source.getElementByteWidth());
  if (getType() != expected) {
    return withNote(emitOpError() << "C3: result has type " << getType()
                                  << ", expected " << expected,
                    getView(), "the array");
  }
  return success();
}

LogicalResult LoadOp::verify() {
  return verifyTileAccess(*this, getView(), getIndex(), getType(),
                          getUsedShape());
}

LogicalResult StoreOp::verify() {
  return verifyTileAccess(*this, getView(), getIndex(), getValue().getType(),
                          getUsedShape());
}

LogicalResult GatherOp::verify() {
  return failure(failed(verifyElementAccess(*this, {})) ||
                 failed(verifyPad(*this)));
}

LogicalResult ScatterOp::verify() {
  return verifyElementAccess(*this, getValue());
}

LogicalResult AtomicRMWOp::verify() {
  if (failed(verifyElementAccess(*this, getValue())) ||
      failed(verifyPad(*this))) {
    return failure();
  }
  Type element = getView().getType().getElementType();
  bool allowed = true;
  switch (getKind()) {
  case AtomicKind::Add:
  case AtomicKind::Max:
  case AtomicKind::Min:
    allowed = !element.isInteger(1) && !(isa<FloatType>(element) &&
                                         element.getIntOrFloatBitWidth() == 8);
    break;
  case AtomicKind::UMax:
  case AtomicKind::UMin:
  case AtomicKind::And:
  case AtomicKind::Or:
  case AtomicKind::Xor:
    allowed = element.isInteger();
    break;
  case AtomicKind::Xchg:
    break;
  }
  if (!allowed) {
    return withNote(emitOpError() << "C4: '" << stringifyAtomicKind(getKind())
                                  << "' is not defined for " << element,
                    getView(), "the array");
  }
  return success();
}

LogicalResult AtomicCASOp::verify() {
  return failure(
      failed(verifyElementAccess(*this, {getCompare(), getValue()})) ||
      failed(verifyPad(*this)));
}

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

LogicalResult IotaOp::verify() {
  if (getType().getRank() != 1) {
    return emitOpError() << "C1: makes a tile of rank 1, not " << getType();
  }
  return success();
}

LogicalResult BroadcastOp::verify() {
  ArrayRef<int64_t> from = getSource().getType().getShape();
  ArrayRef<int64_t> to = getType().getShape();
  if (from.size() != to.size()) {
    return withNote(emitOpError()
                        << "C1: changes the rank from " << shapeString(from)
                        << " to " << shapeString(to)
                        << "; reshape to the result's rank first",
                    getSource(), "the source");
  }
  for (auto [axis, source, result] : llvm::enumerate(from, to)) {
    if (source != 1 && source != result) {
      return withNote(emitOpError() << "C2: cannot stretch dimension " << axis
                                    << " from " << source << " to " << result
                                    << "; only an extent of 1 stretches",
                      getSource(), "the source");
    }
  }
  return success();
}

LogicalResult ReshapeOp::verify() {
  Type from = getSource().getType();
  Type to = getType();
  if (getElementTypeOrSelf(from) != getElementTypeOrSelf(to)) {
    return withNote(emitOpError() << "C1: changes the element type from "
                                  << getElementTypeOrSelf(from) << " to "
                                  << getElementTypeOrSelf(to),
                    getSource(), "the source");
  }
  int64_t fromCount = ShapedType::getNumElements(getShape(from));
  int64_t toCount = ShapedType::getNumElements(getShape(to));
  if (fromCount != toCount) {
    return withNote(emitOpError() << "C2: turns " << shapeString(from) << " of "
                                  << fromCount << " elements into "
                                  << shapeString(to) << " of " << toCount,
                    getSource(), "the source");
  }
  return success();
}

static bool isPermutation(ArrayRef<int64_t> perm, int64_t rank) {
  llvm::SmallBitVector seen(rank);
  for (int64_t axis : perm) {
    if (axis < 0 || axis >= rank || seen.test(axis)) {
      return false;
    }
    seen.set(axis);
  }
  return seen.all();
}

LogicalResult PermuteOp::verify() {
  ArrayRef<int64_t> from = getSource().getType().getShape();
  if (!isPermutation(getPerm(), from.size())) {
    return withNote(emitOpError()
                        << "C1: [" << getPerm() << "] is not a permutation of "
                        << from.size() << " dimensions",
                    getSource(), "the source");
  }
  SmallVector<int64_t> expected;
  for (int64_t axis : getPerm()) {
    expected.push_back(from[axis]);
  }
  if (ArrayRef<int64_t>(expected) != getType().getShape()) {
    return withNote(emitOpError()
                        << "C2: result shape " << shapeString(getType())
                        << " should be " << shapeString(expected),
                    getSource(), "the source");
  }
  return success();
}

/// join and split: C1.
static LogicalResult verifyPair(Operation *op, RankedTensorType half,
                                RankedTensorType joined) {
  SmallVector<int64_t> expected(half.getShape());
  expected.push_back(2);
  if (joined.getShape() != ArrayRef<int64_t>(expected) ||
      joined.getElementType() != half.getElementType()) {
    return withNote(op->emitOpError() << "C1: joined tile has type " << joined
                                      << ", expected "
                                      << RankedTensorType::get(
                                             expected, half.getElementType()),
                    op->getOperand(0), "the operand");
  }
  return success();
}

LogicalResult JoinOp::verify() {
  return verifyPair(*this, getLhs().getType(), getType());
}

LogicalResult SplitOp::verify() {
  return verifyPair(*this, getLhs().getType(), getSource().getType());
}

/// concat: C3.
static bool fitsAlong(int64_t axis, RankedTensorType type,
                      RankedTensorType result) {
  if (type.getRank() != result.getRank() ||
      type.getElementType() != result.getElementType()) {
    return false;
  }
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (d != axis && type.getDimSize(d) != result.getDimSize(d)) {
      return false;
    }
  }
  return true;
}

LogicalResult ConcatOp::verify() {
  if (getSources().empty()) {
    return emitOpError() << "C1: needs at least one tile";
  }
  RankedTensorType result = getType();
  int64_t axis = getAxis();
  if (failed(verifyAxis(*this, "C2", axis, result.getRank(), "a tile"))) {
    return failure();
  }
  int64_t total = 0;
  for (Value source : getSources()) {
    auto type = cast<RankedTensorType>(source.getType());
    if (!fitsAlong(axis, type, result)) {
      return withNote(emitOpError() << "C3: operand type " << type
                                    << " does not fit the result " << result
                                    << " along axis " << axis,
                      source, "the operand");
    }
    total += type.getDimSize(axis);
  }
  if (total != result.getDimSize(axis)) {
    return emitOpError() << "C4: operands add up to " << total << " along axis "
                         << axis << ", the result has "
                         << result.getDimSize(axis);
  }
  return success();
}

/// take: C2.
static bool matchesBeside(int64_t axis, RankedTensorType index,
                          RankedTensorType source) {
  if (index.getRank() != source.getRank()) {
    return false;
  }
  for (int64_t d = 0; d < source.getRank(); ++d) {
    if (d != axis && index.getDimSize(d) != source.getDimSize(d)) {
      return false;
    }
  }
  return true;
}

LogicalResult TakeOp::verify() {
  RankedTensorType source = getSource().getType();
  RankedTensorType index = getIndex().getType();
  int64_t axis = getAxis();
  if (failed(verifyAxis(*this, "C1", axis, source.getRank(), "a tile"))) {
    return failure();
  }
  if (!matchesBeside(axis, index, source)) {
    return withNote(emitOpError()
                        << "C2: index shape " << shapeString(index)
                        << " differs from the source's " << shapeString(source)
                        << " in more than axis " << axis,
                    getSource(), "the source");
  }
  auto expected =
      RankedTensorType::get(index.getShape(), source.getElementType());
  if (!sameButForEncoding(getType(), expected)) {
    return emitOpError() << "C3: result has type " << getType() << ", expected "
                         << expected;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

/// cast, bitcast and fpclass: C1.
template <typename OpTy> static LogicalResult verifySameShape(OpTy op) {
  Type from = op.getSource().getType();
  Type to = op.getResult().getType();
  if (getShape(from) != getShape(to)) {
    return withNote(op.emitOpError()
                        << "C1: changes the shape from " << shapeString(from)
                        << " to " << shapeString(to),
                    op.getSource(), "the source");
  }
  return success();
}

LogicalResult CastOp::verify() {
  if (failed(verifySameShape(*this))) {
    return failure();
  }
  Type from = getElementTypeOrSelf(getSource().getType());
  Type to = getElementTypeOrSelf(getType());
  if (getFromUnsigned() && !from.isInteger()) {
    return withNote(emitOpError()
                        << "C2: 'from_unsigned' needs an integer source, got "
                        << from,
                    getSource(), "the source");
  }
  if (getToUnsigned() && !to.isInteger()) {
    return emitOpError() << "C2: 'to_unsigned' needs an integer result, got "
                         << to;
  }
  return success();
}

LogicalResult BitcastOp::verify() {
  if (failed(verifySameShape(*this))) {
    return failure();
  }
  unsigned from =
      getElementTypeOrSelf(getSource().getType()).getIntOrFloatBitWidth();
  unsigned to = getElementTypeOrSelf(getType()).getIntOrFloatBitWidth();
  if (from != to) {
    return withNote(emitOpError() << "C2: reinterprets " << from
                                  << "-bit elements as " << to << "-bit ones",
                    getSource(), "the source");
  }
  return success();
}

LogicalResult FPClassOp::verify() { return verifySameShape(*this); }

} // namespace tegula::tile
