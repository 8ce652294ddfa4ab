// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See AccessFacts.h. Divisors of values that a program computes are powers of
// two only: those survive when arithmetic wraps.

#include "passes/analysis/AccessFacts.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace tegula::analysis {
namespace {

/// Operations that getKnownDivisor looks through, one after the other.
constexpr unsigned kMaxDepth = 8;
constexpr int64_t kMaxDivisor = int64_t(1) << 30;

/// The largest power of two, up to kMaxDivisor, that divides `value`.
int64_t getPowerOfTwo(int64_t value) {
  unsigned zeros = llvm::countr_zero(static_cast<uint64_t>(value));
  return std::min(kMaxDivisor, int64_t(1) << std::min(zeros, 62u));
}

/// What is said of an array: of the argument or of the cast that makes it.
Attribute getAttribute(Value view, StringRef name) {
  if (auto arg = dyn_cast<BlockArgument>(view)) {
    auto func = dyn_cast<FunctionOpInterface>(arg.getOwner()->getParentOp());
    return func && arg.getOwner()->isEntryBlock()
               ? func.getArgAttr(arg.getArgNumber(), name)
               : Attribute();
  }
  return view.getDefiningOp()->getAttr(name);
}

/// The divisors of an argument's sizes or strides.
SmallVector<int64_t> getDivisors(Value view, StringRef name) {
  int64_t rank = cast<tile::ViewType>(view.getType()).getRank();
  auto divisors = dyn_cast_or_null<DenseI64ArrayAttr>(getAttribute(view, name));
  return divisors ? SmallVector<int64_t>(divisors.asArrayRef())
                  : SmallVector<int64_t>(rank, 1);
}

int64_t getDivisor(Value value, unsigned depth);

int64_t getCommonDivisor(ValueRange values, unsigned depth) {
  int64_t divisor = kMaxDivisor;
  for (Value value : values) {
    divisor = std::min(divisor, getDivisor(value, depth));
  }
  return divisor;
}

/// Of an induction variable: start + n * step.
int64_t getArgumentDivisor(BlockArgument arg, unsigned depth) {
  // A block that is being moved has no parent.
  auto loop = dyn_cast_or_null<scf::ForOp>(arg.getOwner()->getParentOp());
  if (!loop || arg != loop.getInductionVar()) {
    return 1;
  }
  return getCommonDivisor({loop.getLowerBound(), loop.getStep()}, depth);
}

int64_t getDivisor(Value value, unsigned depth) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    return getPowerOfTwo(constant.sextOrTrunc(64).getSExtValue());
  }
  if (depth == 0) {
    return 1;
  }
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    return getArgumentDivisor(arg, depth - 1);
  }
  return TypeSwitch<Operation *, int64_t>(value.getDefiningOp())
      .Case([&](arith::MulIOp op) {
        return std::min(kMaxDivisor, getDivisor(op.getLhs(), depth - 1) *
                                         getDivisor(op.getRhs(), depth - 1));
      })
      .Case<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp,
            arith::MinUIOp, arith::MaxUIOp>([&](auto op) {
        return getCommonDivisor(op->getOperands(), depth - 1);
      })
      .Case([&](arith::SelectOp op) {
        return getCommonDivisor({op.getTrueValue(), op.getFalseValue()},
                                depth - 1);
      })
      .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(
          [&](auto op) { return getDivisor(op.getIn(), depth - 1); })
      .Case([](tile::DimOp op) {
        return getPowerOfTwo(
            getArrayFacts(op.getView()).sizeDivisors[op.getAxis()]);
      })
      .Case([](tile::StrideOp op) {
        return getPowerOfTwo(
            getArrayFacts(op.getView()).strideDivisors[op.getAxis()]);
      })
      .Default([](Operation *) { return int64_t(1); });
}

/// A power of two that divides the distance, in elements, of everything that an
/// access along the unit dimension may start at from the array's first element.
int64_t getStartDivisor(const ArrayFacts &array, const AccessFacts &access,
                        ArrayRef<int64_t> shape, ValueRange index) {
  int64_t divisor = kMaxDivisor;
  for (auto [d, position] : llvm::enumerate(index)) {
    int64_t first = std::min(kMaxDivisor, getKnownDivisor(position) *
                                              getPowerOfTwo(access.extents[d]));
    int64_t stride = getPowerOfTwo(array.strideDivisors[d]);
    // Along other dimensions an access starts anywhere in the tile.
    bool anywhere = shape[d] > 1 && d != access.unitDim;
    divisor = std::min(
        divisor, anywhere ? stride : std::min(kMaxDivisor, first * stride));
  }
  return divisor;
}

ArrayRef<int64_t> getExtents(Operation *op, ArrayRef<int64_t> shape) {
  auto extents = op->getAttrOfType<DenseI64ArrayAttr>("extents");
  return extents ? extents.asArrayRef() : shape;
}

AccessFacts getFacts(Value view, ArrayRef<int64_t> shape,
                     ArrayRef<int64_t> extents, ValueRange index) {
  ArrayFacts array = getArrayFacts(view);
  AccessFacts facts;
  facts.extents.assign(extents.begin(), extents.end());
  for (auto [extent, size] : llvm::zip(facts.extents, array.sizeDivisors)) {
    facts.isWhole.push_back(size % extent == 0);
  }
  facts.isInside.assign(extents.size(), false);
  facts.unitDim = array.unitDim;
  if (!array.unitDim) {
    return facts;
  }
  unsigned unit = *array.unitDim;
  int64_t aligned = getStartDivisor(array, facts, shape, index);
  aligned = std::min(
      aligned, std::max<int64_t>(array.alignment / array.elementBytes, 1));
  facts.alignedElements = std::min(aligned, getPowerOfTwo(shape[unit]));
  int64_t uncut = getPowerOfTwo(facts.extents[unit]);
  if (!facts.isWhole[unit]) {
    uncut = std::min(uncut, getPowerOfTwo(array.sizeDivisors[unit]));
  }
  facts.wholeElements = std::min(facts.alignedElements, uncut);
  return facts;
}

ArrayRef<int64_t> getInside(Operation *op) {
  auto inside = op->getAttrOfType<DenseI64ArrayAttr>(kInsideAttr);
  return inside ? inside.asArrayRef() : ArrayRef<int64_t>();
}

AccessFacts getFactsOf(Operation *op, Value view, RankedTensorType tile,
                       ValueRange index) {
  ArrayRef<int64_t> shape = tile.getShape();
  AccessFacts facts = getFacts(view, shape, getExtents(op, shape), index);
  for (int64_t axis : getInside(op)) {
    if (axis >= 0 && axis < tile.getRank()) {
      facts.isInside[axis] = true;
    }
  }
  return facts;
}

} // namespace

ArrayFacts getArrayFacts(Value view) {
  auto type = cast<tile::ViewType>(view.getType());
  ArrayFacts facts;
  facts.elementBytes = type.getElementByteWidth();
  facts.alignment = std::max(type.getAlign(), facts.elementBytes);
  facts.strides.assign(type.getStrides().begin(), type.getStrides().end());
  facts.sizeDivisors = getDivisors(view, tile::kSizeDivAttr);
  facts.strideDivisors = getDivisors(view, tile::kStrideDivAttr);
  facts.isCompact = static_cast<bool>(getAttribute(view, tile::kCompactAttr));
  for (auto [d, stride] : llvm::enumerate(facts.strides)) {
    if (!ShapedType::isDynamic(stride)) {
      facts.strideDivisors[d] = std::abs(stride);
    }
    if (stride == 1) {
      facts.unitDim = d;
    }
  }
  return facts;
}

AccessFacts getAccessFacts(tile::LoadOp op) {
  return getFactsOf(op, op.getView(), op.getType(), op.getIndex());
}

AccessFacts getAccessFacts(tile::StoreOp op) {
  return getFactsOf(op, op.getView(), op.getValue().getType(), op.getIndex());
}

AccessFacts getAccessFacts(Value view, ArrayRef<int64_t> shape,
                           ValueRange index) {
  return getFacts(view, shape, shape, index);
}

void addInside(Operation *access, ArrayRef<int64_t> axes) {
  llvm::SmallSetVector<int64_t, 4> all;
  all.insert_range(getInside(access));
  all.insert_range(axes);
  access->setAttr(kInsideAttr, DenseI64ArrayAttr::get(access->getContext(),
                                                      all.getArrayRef()));
}

int64_t getKnownDivisor(Value value) { return getDivisor(value, kMaxDepth); }

} // namespace tegula::analysis
