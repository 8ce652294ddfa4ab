// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the operations of the `tile` dialect require. Each check carries the label that the operation's description gives
// it, says the values that conflict, and points at the operand that is at fault.

#include "dialects/tile/Tile.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace tegula::tile {
namespace {

std::string shapeString(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "(";
  llvm::interleaveComma(shape, stream);
  stream << (shape.size() == 1 ? ",)" : ")");
  return text;
}

bool isIntElement(Type type) {
  return getElementTypeOrSelf(type).isInteger();
}

/// Attaches where `value` was made, so that the reader sees both sides of a conflict.
LogicalResult withNote(InFlightDiagnostic diag, Value value, StringRef what) {
  diag.attachNote(value.getLoc()) << what << " has type " << value.getType();
  return diag;
}

LogicalResult verifyAxis(Operation *op, int64_t axis, int64_t rank,
                         StringRef what) {
  if (axis >= rank) {
    return op->emitOpError() << "axis " << axis << " is out of range for "
                             << what << " of rank " << rank;
  }
  return success();
}

/// load and store: C1 and C2.
LogicalResult verifyTileAccess(Operation *op, Value view, ValueRange index,
                               RankedTensorType tile) {
  auto type = cast<ViewType>(view.getType());
  if (static_cast<int64_t>(index.size()) != type.getRank()) {
    return withNote(op->emitOpError()
                        << "needs one index for each of the array's "
                        << type.getRank() << " dimensions, got "
                        << index.size(),
                    view, "the array");
  }
  if (tile.getRank() != type.getRank()) {
    return withNote(op->emitOpError()
                        << "tile shape " << shapeString(tile.getShape())
                        << " has rank " << tile.getRank()
                        << " but the array has rank " << type.getRank(),
                    view, "the array");
  }
  if (tile.getElementType() != type.getElementType()) {
    return withNote(op->emitOpError()
                        << "tile element type " << tile.getElementType()
                        << " differs from the array's "
                        << type.getElementType(),
                    view, "the array");
  }
  return success();
}

/// gather, scatter and atomics: `values` are the operands or results whose shape and element type must fit.
LogicalResult verifyElementAccess(Operation *op, Value view, ValueRange index,
                                  Value mask, TypeRange values) {
  auto type = cast<ViewType>(view.getType());
  if (static_cast<int64_t>(index.size()) != type.getRank()) {
    return withNote(op->emitOpError()
                        << "needs one index for each of the array's "
                        << type.getRank() << " dimensions, got "
                        << index.size(),
                    view, "the array");
  }
  ArrayRef<int64_t> shape = getShape(index.front().getType());
  for (Value other : index.drop_front()) {
    if (other.getType() != index.front().getType()) {
      return withNote(op->emitOpError()
                          << "indices differ in shape: "
                          << index.front().getType() << " and "
                          << other.getType(),
                      other, "this index");
    }
  }
  if (mask && getShape(mask.getType()) != shape) {
    return withNote(op->emitOpError()
                        << "mask shape " << shapeString(getShape(mask.getType()))
                        << " differs from the indices' " << shapeString(shape),
                    mask, "the mask");
  }
  for (Type value : values) {
    if (getShape(value) != shape) {
      return op->emitOpError() << "value shape " << shapeString(getShape(value))
                               << " differs from the indices' "
                               << shapeString(shape);
    }
    if (getElementTypeOrSelf(value) != type.getElementType()) {
      return withNote(op->emitOpError()
                          << "value element type "
                          << getElementTypeOrSelf(value)
                          << " differs from the array's "
                          << type.getElementType(),
                      view, "the array");
    }
  }
  return success();
}

LogicalResult verifyPad(Operation *op, Value view, Value pad) {
  Type element = cast<ViewType>(view.getType()).getElementType();
  if (pad && pad.getType() != element) {
    return withNote(op->emitOpError() << "pad type " << pad.getType()
                                      << " differs from the array's element "
                                         "type "
                                      << element,
                    view, "the array");
  }
  return success();
}

template <typename OpTy>
LogicalResult verifyViewQuery(OpTy op) {
  return verifyAxis(op, op.getAxis(), op.getView().getType().getRank(),
                    "an array");
}

template <typename OpTy>
LogicalResult verifySameShape(OpTy op) {
  ArrayRef<int64_t> from = getShape(op.getSource().getType());
  ArrayRef<int64_t> to = getShape(op.getResult().getType());
  if (from != to) {
    return op.emitOpError() << "changes the shape from " << shapeString(from)
                            << " to " << shapeString(to);
  }
  return success();
}

} // namespace

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

LogicalResult DimOp::verify() { return verifyViewQuery(*this); }
LogicalResult StrideOp::verify() { return verifyViewQuery(*this); }

LogicalResult LoadOp::verify() {
  return success(
      succeeded(verifyTileAccess(*this, getView(), getIndex(), getType())) &&
      succeeded(verifyPad(*this, getView(), getPad())));
}

LogicalResult StoreOp::verify() {
  return verifyTileAccess(*this, getView(), getIndex(), getValue().getType());
}

LogicalResult GatherOp::verify() {
  return success(succeeded(verifyElementAccess(*this, getView(), getIndex(),
                                               getMask(), getType())) &&
                 succeeded(verifyPad(*this, getView(), getPad())));
}

LogicalResult ScatterOp::verify() {
  return verifyElementAccess(*this, getView(), getIndex(), getMask(),
                             getValue().getType());
}

LogicalResult AtomicRMWOp::verify() {
  if (failed(verifyElementAccess(*this, getView(), getIndex(), getMask(),
                                 {getValue().getType(), getType()})) ||
      failed(verifyPad(*this, getView(), getPad()))) {
    return failure();
  }
  bool anyType = llvm::is_contained({AtomicKind::Add, AtomicKind::Max,
                                     AtomicKind::Min, AtomicKind::Xchg},
                                    getKind());
  if (!anyType && !isIntElement(getType())) {
    return emitOpError() << "'" << stringifyAtomicKind(getKind())
                         << "' needs integers, got "
                         << getElementTypeOrSelf(getType());
  }
  return success();
}

LogicalResult AtomicCASOp::verify() {
  return success(
      succeeded(verifyElementAccess(
          *this, getView(), getIndex(), getMask(),
          {getCompare().getType(), getValue().getType(), getType()})) &&
      succeeded(verifyPad(*this, getView(), getPad())));
}

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

LogicalResult IotaOp::verify() {
  RankedTensorType type = cast<RankedTensorType>(getType());
  if (!type.hasStaticShape() || type.getDimSize(0) < 1) {
    return emitOpError() << "needs a static extent of at least 1, got " << type;
  }
  return success();
}

LogicalResult BroadcastOp::verify() {
  ArrayRef<int64_t> from = getSource().getType().getShape();
  ArrayRef<int64_t> to = getType().getShape();
  if (from.size() != to.size()) {
    return emitOpError() << "changes the rank from " << shapeString(from)
                         << " to " << shapeString(to)
                         << "; reshape to the result's rank first";
  }
  for (auto [axis, pair] : llvm::enumerate(llvm::zip(from, to))) {
    auto [source, result] = pair;
    if (source != 1 && source != result) {
      return withNote(emitOpError()
                          << "cannot stretch dimension " << axis << " from "
                          << source << " to " << result
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
    return emitOpError() << "changes the element type from "
                         << getElementTypeOrSelf(from) << " to "
                         << getElementTypeOrSelf(to);
  }
  int64_t fromCount = ShapedType::getNumElements(getShape(from));
  int64_t toCount = ShapedType::getNumElements(getShape(to));
  if (fromCount != toCount) {
    return emitOpError() << "turns " << shapeString(getShape(from)) << " of "
                         << fromCount << " elements into "
                         << shapeString(getShape(to)) << " of " << toCount;
  }
  return success();
}

LogicalResult PermuteOp::verify() {
  ArrayRef<int64_t> from = getSource().getType().getShape();
  ArrayRef<int64_t> perm = getPerm();
  llvm::SmallBitVector seen(from.size());
  bool valid = perm.size() == from.size();
  for (int64_t axis : perm) {
    valid = valid && axis >= 0 && axis < static_cast<int64_t>(from.size()) &&
            !seen.test(axis);
    if (valid) {
      seen.set(axis);
    }
  }
  if (!valid) {
    return emitOpError() << "[" << perm << "] is not a permutation of "
                         << from.size() << " dimensions";
  }
  SmallVector<int64_t> expected;
  for (int64_t axis : perm) {
    expected.push_back(from[axis]);
  }
  if (ArrayRef<int64_t>(expected) != getType().getShape()) {
    return emitOpError() << "result shape " << shapeString(getType().getShape())
                         << " should be " << shapeString(expected);
  }
  return success();
}

static LogicalResult verifyPair(Operation *op, RankedTensorType half,
                                RankedTensorType joined) {
  SmallVector<int64_t> expected(half.getShape());
  expected.push_back(2);
  if (joined.getShape() != ArrayRef<int64_t>(expected) ||
      joined.getElementType() != half.getElementType()) {
    return op->emitOpError()
           << "joined tile has type " << joined << ", expected "
           << RankedTensorType::get(expected, half.getElementType());
  }
  return success();
}

LogicalResult JoinOp::verify() {
  return verifyPair(*this, getLhs().getType(), getType());
}

LogicalResult SplitOp::verify() {
  return verifyPair(*this, getLhs().getType(), getSource().getType());
}

LogicalResult ConcatOp::verify() {
  if (getSources().empty()) {
    return emitOpError() << "needs at least one tile";
  }
  RankedTensorType result = getType();
  if (failed(verifyAxis(*this, getAxis(), result.getRank(), "a tile"))) {
    return failure();
  }
  int64_t total = 0;
  for (Value source : getSources()) {
    auto type = cast<RankedTensorType>(source.getType());
    bool fits = type.getRank() == result.getRank() &&
                type.getElementType() == result.getElementType();
    for (int64_t d = 0; fits && d < type.getRank(); ++d) {
      fits = d == getAxis() || type.getDimSize(d) == result.getDimSize(d);
    }
    if (!fits) {
      return withNote(emitOpError() << "operand type " << type
                                    << " does not fit the result " << result
                                    << " along axis " << getAxis(),
                      source, "the operand");
    }
    total += type.getDimSize(getAxis());
  }
  if (total != result.getDimSize(getAxis())) {
    return emitOpError() << "operands add up to " << total << " along axis "
                         << getAxis() << ", the result has "
                         << result.getDimSize(getAxis());
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

LogicalResult FloatModOp::verify() {
  if (isIntElement(getType())) {
    return emitOpError() << "needs floats, got " << getType()
                         << "; use tile.floormod";
  }
  return success();
}

LogicalResult CastOp::verify() {
  if (getFromUnsigned() && !isIntElement(getSource().getType())) {
    return emitOpError() << "'from_unsigned' needs an integer source, got "
                         << getSource().getType();
  }
  if (getToUnsigned() && !isIntElement(getType())) {
    return emitOpError() << "'to_unsigned' needs an integer result, got "
                         << getType();
  }
  return verifySameShape(*this);
}

LogicalResult BitcastOp::verify() {
  unsigned from =
      getElementTypeOrSelf(getSource().getType()).getIntOrFloatBitWidth();
  unsigned to = getElementTypeOrSelf(getType()).getIntOrFloatBitWidth();
  if (from != to) {
    return emitOpError() << "reinterprets " << from << "-bit elements as "
                         << to << "-bit ones";
  }
  return verifySameShape(*this);
}

LogicalResult FPClassOp::verify() {
  if (isIntElement(getSource().getType())) {
    return emitOpError() << "needs floats, got " << getSource().getType();
  }
  return verifySameShape(*this);
}

//===----------------------------------------------------------------------===//
// Compute
//===----------------------------------------------------------------------===//

static bool isFloat8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(type);
}

/// C3: the accumulator's element type for operands of types `a` and `b`; null if there is none.
static Type getDotAccumulator(Type a, Type b) {
  MLIRContext *context = a.getContext();
  if (isFloat8(a) && isFloat8(b)) {
    return Float32Type::get(context);
  }
  if (a != b) {
    return Type();
  }
  if (a.isF64()) {
    return a;
  }
  if (isa<Float32Type, Float16Type, BFloat16Type>(a)) {
    return Float32Type::get(context);
  }
  return a.isInteger(8) ? IntegerType::get(context, 32) : Type();
}

LogicalResult DotOp::verify() {
  ArrayRef<int64_t> a = getA().getType().getShape();
  ArrayRef<int64_t> b = getB().getType().getShape();
  ArrayRef<int64_t> acc = getAcc().getType().getShape();
  size_t rank = a.size();
  if ((rank != 2 && rank != 3) || b.size() != rank || acc.size() != rank) {
    return emitOpError() << "needs tiles of one rank, 2 or 3, got "
                         << shapeString(a) << ", " << shapeString(b) << " and "
                         << shapeString(acc);
  }
  if (a[rank - 1] != b[rank - 2]) {
    return withNote(emitOpError()
                        << "inner extents differ: " << shapeString(a) << " @ "
                        << shapeString(b),
                    getB(), "the right operand");
  }
  SmallVector<int64_t> expected(a.drop_back());
  expected.push_back(b[rank - 1]);
  if (ArrayRef<int64_t>(expected) != acc ||
      (rank == 3 && a.front() != b.front())) {
    return withNote(emitOpError() << shapeString(a) << " @ " << shapeString(b)
                                  << " does not fit the accumulator's "
                                  << shapeString(acc),
                    getAcc(), "the accumulator");
  }
  Type aType = getA().getType().getElementType();
  Type bType = getB().getType().getElementType();
  Type accType = getAcc().getType().getElementType();
  Type accumulator = getDotAccumulator(aType, bType);
  if (!accumulator) {
    return emitOpError() << "has no product of " << aType << " and " << bType;
  }
  if (accumulator != accType) {
    return emitOpError() << "product of " << aType << " and " << bType
                         << " accumulates in " << accumulator << ", not "
                         << accType;
  }
  if (getPrecision() == Precision::TF32 && !aType.isF32()) {
    return emitOpError() << "tf32 is a precision of f32 operands, got "
                         << aType;
  }
  return success();
}

/// Result type of dropping `axis` from `type`: a scalar if nothing remains.
static Type dropAxis(RankedTensorType type, int64_t axis, Type element) {
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + axis);
  return shape.empty() ? element : Type(RankedTensorType::get(shape, element));
}

static LogicalResult verifyKind(Operation *op, CombineKind kind, Type element) {
  bool integerOnly =
      llvm::is_contained({CombineKind::And, CombineKind::Or, CombineKind::Xor,
                          CombineKind::UMax, CombineKind::UMin},
                         kind);
  if (integerOnly ? !element.isInteger() : element.isInteger(1)) {
    return op->emitOpError() << "C4: '" << stringifyCombineKind(kind)
                             << "' is not defined for " << element;
  }
  return success();
}

static LogicalResult verifyCombinerRegion(Operation *op, Region &region,
                                          TypeRange sources) {
  Block &block = region.front();
  SmallVector<Type> scalars;
  for (Type source : sources) {
    scalars.push_back(getElementTypeOrSelf(source));
  }
  SmallVector<Type> expected(scalars);
  expected.append(scalars.begin(), scalars.end());
  if (block.getArgumentTypes() != TypeRange(expected)) {
    return op->emitOpError() << "C5: the region's arguments must be "
                             << TypeRange(expected) << ", got "
                             << block.getArgumentTypes();
  }
  Operation *terminator = block.empty() ? nullptr : &block.back();
  if (!terminator || !isa<YieldOp>(terminator) ||
      terminator->getOperandTypes() != TypeRange(scalars)) {
    return op->emitOpError()
           << "C5: the region must end in a tile.yield of "
           << TypeRange(scalars);
  }
  return success();
}

template <typename OpTy>
static LogicalResult verifyCombine(OpTy op) {
  if (op.getSources().empty()) {
    return op.emitOpError() << "C1: needs at least one tile";
  }
  auto first = cast<RankedTensorType>(op.getSources().front().getType());
  for (Value source : op.getSources()) {
    if (getShape(source.getType()) != first.getShape()) {
      return withNote(op.emitOpError()
                          << "C1: operands differ in shape: " << first
                          << " and " << source.getType(),
                      source, "this operand");
    }
  }
  if (failed(verifyAxis(op, op.getAxis(), first.getRank(), "a tile"))) {
    return failure();
  }
  if (op.getKind().has_value() == !op.getCombiner().empty()) {
    return op.emitOpError()
           << "C2: needs either a named kind or a combiner region";
  }
  if (!op.getKind()) {
    return verifyCombinerRegion(op, op.getCombiner(),
                                op.getSources().getTypes());
  }
  if (op.getSources().size() != 1) {
    return op.emitOpError() << "C2: a named kind takes one tile, got "
                            << op.getSources().size();
  }
  return verifyKind(op, *op.getKind(), first.getElementType());
}

static LogicalResult verifyResults(Operation *op, ArrayRef<Type> expected) {
  if (op->getResultTypes() != TypeRange(expected)) {
    return op->emitOpError() << "C3: result types should be "
                             << TypeRange(expected) << ", got "
                             << op->getResultTypes();
  }
  return success();
}

LogicalResult ReduceOp::verify() {
  if (failed(verifyCombine(*this))) {
    return failure();
  }
  SmallVector<Type> expected;
  for (Type source : getSources().getTypes()) {
    auto type = cast<RankedTensorType>(source);
    expected.push_back(dropAxis(type, getAxis(), type.getElementType()));
  }
  return verifyResults(*this, expected);
}

LogicalResult ScanOp::verify() {
  if (failed(verifyCombine(*this))) {
    return failure();
  }
  return verifyResults(*this, SmallVector<Type>(getSources().getTypes()));
}

LogicalResult ArgReduceOp::verify() {
  RankedTensorType source = getSource().getType();
  if (failed(verifyAxis(*this, getAxis(), source.getRank(), "a tile"))) {
    return failure();
  }
  Type expected =
      dropAxis(source, getAxis(), IntegerType::get(getContext(), 64));
  if (getType() != expected) {
    return emitOpError() << "C2: result type should be " << expected
                         << ", got " << getType();
  }
  bool isUnsigned = getKind() == ArgKind::UMax || getKind() == ArgKind::UMin;
  if (isUnsigned && !source.getElementType().isInteger()) {
    return emitOpError() << "C3: '" << stringifyArgKind(getKind())
                         << "' needs integers, got "
                         << source.getElementType();
  }
  return success();
}

LogicalResult PrintOp::verify() {
  size_t places = 0;
  StringRef text = getFormat();
  for (size_t at = text.find("{}"); at != StringRef::npos;
       at = text.find("{}", at + 2)) {
    ++places;
  }
  if (places != getValues().size()) {
    return emitOpError() << "C1: format has " << places << " '{}' for "
                         << getValues().size() << " operands";
  }
  std::optional<ArrayRef<bool>> mask = getUnsignedMask();
  if (mask && mask->size() != getValues().size()) {
    return emitOpError() << "C2: 'unsigned_mask' has " << mask->size()
                         << " entries for " << getValues().size()
                         << " operands";
  }
  return success();
}

} // namespace tegula::tile
