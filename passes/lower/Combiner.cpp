// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Combination of scalars. Narrow floats are widened for a whole reduction or
// scan, so that each result is rounded once.

#include "passes/lower/Combiner.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tegula::lower {

using tile::CombineKind;

static Value combineFloats(OpBuilder &builder, Location loc, CombineKind kind,
                           Value left, Value right) {
  switch (kind) {
  case CombineKind::Mul:
    return arith::MulFOp::create(builder, loc, left, right);
  case CombineKind::Max:
    return arith::MaximumFOp::create(builder, loc, left, right);
  case CombineKind::Min:
    return arith::MinimumFOp::create(builder, loc, left, right);
  default: // The verifier lets no other kind have floats.
    return arith::AddFOp::create(builder, loc, left, right);
  }
}

static Value combineInts(OpBuilder &builder, Location loc, CombineKind kind,
                         Value left, Value right) {
  switch (kind) {
  case CombineKind::Add:
    return arith::AddIOp::create(builder, loc, left, right);
  case CombineKind::Mul:
    return arith::MulIOp::create(builder, loc, left, right);
  case CombineKind::Max:
    return arith::MaxSIOp::create(builder, loc, left, right);
  case CombineKind::Min:
    return arith::MinSIOp::create(builder, loc, left, right);
  case CombineKind::UMax:
    return arith::MaxUIOp::create(builder, loc, left, right);
  case CombineKind::UMin:
    return arith::MinUIOp::create(builder, loc, left, right);
  case CombineKind::And:
    return arith::AndIOp::create(builder, loc, left, right);
  case CombineKind::Or:
    return arith::OrIOp::create(builder, loc, left, right);
  case CombineKind::Xor:
    return arith::XOrIOp::create(builder, loc, left, right);
  }
  llvm_unreachable("every kind is covered");
}

Values Combiner::operator()(OpBuilder &builder, Location loc, ValueRange left,
                            ValueRange right) const {
  if (kind) {
    bool isFloat = isa<FloatType>(getElementTypeOrSelf(left.front().getType()));
    auto combine = isFloat ? combineFloats : combineInts;
    return {combine(builder, loc, *kind, left.front(), right.front())};
  }
  Block &block = region->front();
  IRMapping mapping;
  mapping.map(block.getArguments().take_front(left.size()), left);
  mapping.map(block.getArguments().drop_front(left.size()), right);
  for (Operation &op : block.without_terminator()) {
    builder.clone(op, mapping);
  }
  Values results;
  for (Value value : block.getTerminator()->getOperands()) {
    results.push_back(mapping.lookupOrDefault(value));
  }
  return results;
}

Type getCombineType(std::optional<CombineKind> kind, Type type) {
  if (!kind || !isa<FloatType>(type)) {
    return type;
  }
  unsigned width = type.getIntOrFloatBitWidth();
  bool rounds = *kind == CombineKind::Add || *kind == CombineKind::Mul;
  // Nothing computes on 8 bits.
  bool isWidened = width == 8 || (width == 16 && rounds);
  return isWidened ? Float32Type::get(type.getContext()) : type;
}

Value convertFloats(OpBuilder &builder, Location loc, Value values,
                    Type element) {
  Type type = values.getType();
  Type from = getElementTypeOrSelf(type);
  if (from == element) {
    return values;
  }
  Type to = element;
  if (auto vector = dyn_cast<VectorType>(type)) {
    to = VectorType::get(vector.getShape(), element);
  }
  if (from.getIntOrFloatBitWidth() < element.getIntOrFloatBitWidth()) {
    return arith::ExtFOp::create(builder, loc, to, values);
  }
  return arith::TruncFOp::create(builder, loc, to, values);
}

} // namespace tegula::lower
