// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What contractions, reductions, scans and messages require. See
// TileVerifiers.h.

#include "dialects/tile/TileVerifiers.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace tegula::tile {

//===----------------------------------------------------------------------===//
// Contraction
//===----------------------------------------------------------------------===//

static bool isFloat8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(type);
}

/// C1 and C2.
static LogicalResult verifyDotShapes(DotOp op) {
  ArrayRef<int64_t> a = op.getA().getType().getShape();
  ArrayRef<int64_t> b = op.getB().getType().getShape();
  ArrayRef<int64_t> acc = op.getAcc().getType().getShape();
  size_t rank = a.size();
  if ((rank != 2 && rank != 3) || b.size() != rank || acc.size() != rank) {
    return op.emitOpError()
           << "C1: needs tiles of one rank, 2 or 3, got " << shapeString(a)
           << ", " << shapeString(b) << " and " << shapeString(acc);
  }
  if (a[rank - 1] != b[rank - 2]) {
    return withNote(op.emitOpError()
                        << "C2: inner extents differ: " << shapeString(a)
                        << " @ " << shapeString(b),
                    op.getB(), "the right operand");
  }
  SmallVector<int64_t> expected(a.drop_back());
  expected.push_back(b[rank - 1]);
  if (rank == 3 && a.front() != b.front()) {
    return withNote(op.emitOpError()
                        << "C2: batch extents differ: " << shapeString(a)
                        << " @ " << shapeString(b),
                    op.getB(), "the right operand");
  }
  if (ArrayRef<int64_t>(expected) != acc) {
    return withNote(op.emitOpError()
                        << "C2: " << shapeString(a) << " @ " << shapeString(b)
                        << " does not fit the accumulator's "
                        << shapeString(acc),
                    op.getAcc(), "the accumulator");
  }
  return success();
}

/// C3: the accumulator's element type for operands of types `a` and `b`; null
/// if there is none.
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
  if (failed(verifyDotShapes(*this))) {
    return failure();
  }
  Type a = getA().getType().getElementType();
  Type b = getB().getType().getElementType();
  Type acc = getAcc().getType().getElementType();
  Type accumulator = getDotAccumulator(a, b);
  if (!accumulator) {
    return withNote(emitOpError()
                        << "C3: has no product of " << a << " and " << b,
                    getB(), "the right operand");
  }
  if (accumulator != acc) {
    return withNote(emitOpError()
                        << "C3: product of " << a << " and " << b
                        << " accumulates in " << accumulator << ", not " << acc,
                    getAcc(), "the accumulator");
  }
  if (getPrecision() == Precision::TF32 && !a.isF32()) {
    return withNote(emitOpError()
                        << "C4: tf32 is a precision of f32 operands, got " << a,
                    getA(), "the left operand");
  }
  if ((getAUnsigned() || getBUnsigned()) && !a.isInteger()) {
    return withNote(emitOpError()
                        << "C5: unsigned operands are integers, got " << a,
                    getA(), "the left operand");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Reduction and scan
//===----------------------------------------------------------------------===//

/// Result type of dropping `axis` from `type`: a scalar if nothing remains.
static Type dropAxis(RankedTensorType type, int64_t axis, Type element) {
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + axis);
  return shape.empty() ? element : Type(RankedTensorType::get(shape, element));
}

static bool isDefined(CombineKind kind, Type element) {
  switch (kind) {
  case CombineKind::Add:
  case CombineKind::Mul:
  case CombineKind::Max:
  case CombineKind::Min:
    return !element.isInteger(1);
  case CombineKind::UMax:
  case CombineKind::UMin:
  case CombineKind::And:
  case CombineKind::Or:
  case CombineKind::Xor:
    return element.isInteger();
  }
  llvm_unreachable("every kind is covered");
}

/// C1 to C4.
template <typename OpTy> static LogicalResult verifyCombine(OpTy op) {
  if (op.getSources().empty()) {
    return op.emitOpError() << "C1: needs at least one tile";
  }
  auto first = cast<RankedTensorType>(op.getSources().front().getType());
  for (Value source : op.getSources()) {
    if (getShape(source.getType()) != first.getShape()) {
      return withNote(op.emitOpError()
                          << "C1: operands differ in shape: "
                          << shapeString(first.getShape()) << " and "
                          << shapeString(getShape(source.getType())),
                      source, "this operand");
    }
  }
  if (failed(verifyAxis(op, "C2", op.getAxis(), first.getRank(), "a tile"))) {
    return failure();
  }
  if (op.getKind().has_value() == !op.getCombiner().empty()) {
    return op.emitOpError()
           << "C3: needs either a named kind or a combiner region";
  }
  if (!op.getKind()) {
    return success();
  }
  if (op.getSources().size() != 1) {
    return op.emitOpError()
           << "C3: a named kind takes one tile, got " << op.getSources().size();
  }
  if (!isDefined(*op.getKind(), first.getElementType())) {
    return withNote(op.emitOpError()
                        << "C4: '" << stringifyCombineKind(*op.getKind())
                        << "' is not defined for " << first.getElementType(),
                    op.getSources().front(), "the operand");
  }
  return success();
}

/// C5.
template <typename OpTy> static LogicalResult verifyCombinerRegion(OpTy op) {
  if (op.getCombiner().empty()) {
    return success();
  }
  Block &block = op.getCombiner().front();
  SmallVector<Type> scalars;
  for (Type source : op.getSources().getTypes()) {
    scalars.push_back(getElementTypeOrSelf(source));
  }
  SmallVector<Type> expected(scalars);
  expected.append(scalars.begin(), scalars.end());
  if (block.getArgumentTypes() != TypeRange(expected)) {
    return op.emitOpError()
           << "C5: the region's arguments must be " << TypeRange(expected)
           << ", got " << block.getArgumentTypes();
  }
  auto yield = dyn_cast<YieldOp>(block.back());
  if (!yield || yield.getOperandTypes() != TypeRange(scalars)) {
    auto diag = op.emitOpError()
                << "C5: the region must end in a tile.yield of "
                << TypeRange(scalars);
    diag.attachNote(block.back().getLoc()) << "it ends here";
    return diag;
  }
  return success();
}

/// C6.
static LogicalResult verifyResults(Operation *op, ArrayRef<Type> expected) {
  if (!llvm::equal(op->getResultTypes(), expected, sameButForEncoding)) {
    return op->emitOpError()
           << "C6: result types should be " << TypeRange(expected) << ", got "
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

LogicalResult ReduceOp::verifyRegions() { return verifyCombinerRegion(*this); }
LogicalResult ScanOp::verifyRegions() { return verifyCombinerRegion(*this); }

LogicalResult ArgReduceOp::verify() {
  RankedTensorType source = getSource().getType();
  if (failed(verifyAxis(*this, "C1", getAxis(), source.getRank(), "a tile"))) {
    return failure();
  }
  Type expected =
      dropAxis(source, getAxis(), IntegerType::get(getContext(), 64));
  if (!sameButForEncoding(getType(), expected)) {
    return withNote(emitOpError() << "C2: result type should be " << expected
                                  << ", got " << getType(),
                    getSource(), "the source");
  }
  Type element = source.getElementType();
  bool isUnsigned = getKind() == ArgKind::UMax || getKind() == ArgKind::UMin;
  if (isUnsigned ? !element.isInteger() : element.isInteger(1)) {
    return withNote(emitOpError() << "C3: '" << stringifyArgKind(getKind())
                                  << "' is not defined for " << element,
                    getSource(), "the source");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

SmallVector<std::string> PrintOp::getTexts() {
  SmallVector<std::string> texts(1);
  StringRef rest = getFormat();
  while (!rest.empty()) {
    if (rest.consume_front("{}")) {
      texts.emplace_back();
      continue;
    }
    char next = rest.front();
    if (!rest.consume_front("{{") && !rest.consume_front("}}")) {
      rest = rest.drop_front();
    }
    texts.back().push_back(next);
  }
  return texts;
}

ArrayRef<int64_t> PrintOp::getUsedShape(unsigned operand) {
  if (std::optional<ArrayAttr> extents = getExtents()) {
    return cast<DenseI64ArrayAttr>((*extents)[operand]).asArrayRef();
  }
  return getShape(getValues()[operand].getType());
}

LogicalResult PrintOp::verify() {
  size_t places = getTexts().size() - 1;
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
  std::optional<ArrayAttr> extents = getExtents();
  if (extents && extents->size() != getValues().size()) {
    return emitOpError() << "C3: 'extents' has " << extents->size()
                         << " entries for " << getValues().size()
                         << " operands";
  }
  for (auto [operand, value] : llvm::enumerate(getValues())) {
    if (failed(verifyExtents(*this, "C3", getUsedShape(operand),
                             getShape(value.getType())))) {
      return failure();
    }
  }
  return success();
}

} // namespace tegula::tile
