// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See IndexFacts.h. An index is followed through the operations that keep it a
// sum of one number for each dimension.

#include "passes/analysis/IndexFacts.h"

#include "dialects/layout/Layout.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tegula::analysis {
namespace {

/// Operations that are followed, one after the other.
constexpr unsigned kMaxDepth = 16;
/// Bound on everything that is added up, far from overflow.
constexpr int64_t kMaxMagnitude = int64_t(1) << 40;

/// Whether sums of a few such numbers cannot overflow.
bool isSmall(int64_t number) {
  // The magnitude of the least number is no int64_t.
  return llvm::AbsoluteValue(number) <= uint64_t(kMaxMagnitude);
}

/// start + sum of steps[d] * coordinate[d].
struct Affine {
  SmallVector<int64_t> steps;
  std::optional<int64_t> start; // Where known.
};
using MaybeAffine = std::optional<Affine>;

ArrayRef<int64_t> getExtents(Value value) {
  return tile::getShape(value.getType());
}

bool isSmall(const Affine &affine) {
  return llvm::all_of(affine.steps,
                      [](int64_t step) { return isSmall(step); }) &&
         (!affine.start || isSmall(*affine.start));
}

MaybeAffine follow(Value value, unsigned depth);

MaybeAffine add(MaybeAffine lhs, MaybeAffine rhs, int64_t sign) {
  if (!lhs || !rhs) {
    return std::nullopt;
  }
  for (auto [step, other] : llvm::zip(lhs->steps, rhs->steps)) {
    step += sign * other;
  }
  if (lhs->start && rhs->start) {
    *lhs->start += sign * *rhs->start;
  } else {
    lhs->start.reset();
  }
  return lhs;
}

MaybeAffine scale(MaybeAffine affine, int64_t factor) {
  if (!affine || !isSmall(factor)) {
    return std::nullopt;
  }
  auto multiply = [&](int64_t &number) {
    return !llvm::MulOverflow(number, factor, number);
  };
  if (!llvm::all_of(affine->steps, multiply) ||
      (affine->start && !multiply(*affine->start))) {
    return std::nullopt;
  }
  return affine;
}

bool isUniform(const MaybeAffine &affine) {
  return affine &&
         llvm::all_of(affine->steps, [](int64_t s) { return s == 0; });
}

MaybeAffine multiply(MaybeAffine lhs, MaybeAffine rhs) {
  if (isUniform(lhs) && isUniform(rhs)) {
    lhs->start.reset();
    return lhs;
  }
  if (isUniform(rhs) && rhs->start) {
    return scale(lhs, *rhs->start);
  }
  if (isUniform(lhs) && lhs->start) {
    return scale(rhs, *lhs->start);
  }
  return std::nullopt;
}

/// A wider integer holds the same numbers if the narrow one did not wrap.
MaybeAffine widen(MaybeAffine affine, Value source, bool isUnsigned) {
  if (!affine || !affine->start) {
    return std::nullopt;
  }
  int64_t low = *affine->start, high = *affine->start;
  for (auto [step, extent] : llvm::zip(affine->steps, getExtents(source))) {
    int64_t reach;
    if (llvm::MulOverflow(step, extent - 1, reach) || !isSmall(reach)) {
      return std::nullopt;
    }
    (reach < 0 ? low : high) += reach;
  }
  unsigned width =
      getElementTypeOrSelf(source.getType()).getIntOrFloatBitWidth();
  bool fits = width < 64 && llvm::isIntN(width, high) &&
              (isUnsigned ? low >= 0 : llvm::isIntN(width, low));
  return fits ? affine : std::nullopt;
}

/// Only extents of 1 come and go.
MaybeAffine reshape(MaybeAffine affine, ArrayRef<int64_t> from,
                    ArrayRef<int64_t> to) {
  auto isLong = [](int64_t extent) { return extent != 1; };
  if (!affine || !llvm::equal(llvm::make_filter_range(from, isLong),
                              llvm::make_filter_range(to, isLong))) {
    return std::nullopt;
  }
  SmallVector<int64_t> kept, steps;
  for (auto [step, extent] : llvm::zip(affine->steps, from)) {
    if (extent != 1) {
      kept.push_back(step);
    }
  }
  ArrayRef<int64_t> rest = kept;
  for (int64_t extent : to) {
    steps.push_back(extent == 1 ? 0 : rest.front());
    rest = extent == 1 ? rest : rest.drop_front();
  }
  affine->steps = steps;
  return affine;
}

MaybeAffine followOp(Operation *op, Value value, unsigned depth) {
  auto operand = [&](unsigned number) {
    return follow(op->getOperand(number), depth - 1);
  };
  ArrayRef<int64_t> extents = getExtents(value);
  return llvm::TypeSwitch<Operation *, MaybeAffine>(op)
      .Case<tile::FullOp>([&](auto) -> MaybeAffine {
        MaybeAffine scalar = operand(0);
        Affine full;
        full.steps.assign(extents.size(), 0);
        full.start = scalar ? scalar->start : std::nullopt;
        return full;
      })
      .Case([&](tile::IotaOp) -> MaybeAffine {
        unsigned width =
            getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
        if (width < 64 && extents[0] > (int64_t(1) << (width - 1))) {
          return std::nullopt;
        }
        return Affine{{1}, 0};
      })
      .Case([&](tile::BroadcastOp broadcast) {
        MaybeAffine source = operand(0);
        if (source) {
          for (auto [step, extent] :
               llvm::zip(source->steps, getExtents(broadcast.getSource()))) {
            step = extent == 1 ? 0 : step;
          }
        }
        return source;
      })
      .Case([&](tile::ReshapeOp op) {
        return reshape(operand(0), getExtents(op.getSource()), extents);
      })
      .Case([&](tile::PermuteOp op) {
        MaybeAffine source = operand(0);
        if (source) {
          SmallVector<int64_t> steps;
          for (int64_t d : op.getPerm()) {
            steps.push_back(source->steps[d]);
          }
          source->steps = steps;
        }
        return source;
      })
      .Case<layout::ConvertOp>([&](auto) { return operand(0); })
      .Case<arith::AddIOp>([&](auto) { return add(operand(0), operand(1), 1); })
      .Case<arith::SubIOp>(
          [&](auto) { return add(operand(0), operand(1), -1); })
      .Case<arith::MulIOp>(
          [&](auto) { return multiply(operand(0), operand(1)); })
      .Case<arith::ExtSIOp>(
          [&](auto) { return widen(operand(0), op->getOperand(0), false); })
      .Case<arith::ExtUIOp>(
          [&](auto) { return widen(operand(0), op->getOperand(0), true); })
      .Default([](Operation *) { return MaybeAffine(); });
}

MaybeAffine follow(Value value, unsigned depth) {
  Affine uniform;
  uniform.steps.assign(getExtents(value).size(), 0);
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    int64_t number = constant.getSExtValue();
    if (isSmall(number)) {
      uniform.start = number;
    }
    return uniform;
  }
  if (!isa<RankedTensorType>(value.getType())) {
    return uniform;
  }
  Operation *op = value.getDefiningOp();
  if (depth == 0 || !op) {
    return std::nullopt;
  }
  MaybeAffine affine = followOp(op, value, depth);
  return affine && isSmall(*affine) ? affine : std::nullopt;
}

/// Marks the dimensions that an index decides, given those that are decided
/// already: its steps along the others are digits of a number in a mixed base.
bool decide(ArrayRef<int64_t> steps, ArrayRef<int64_t> extents,
            SmallVectorImpl<bool> &decided) {
  SmallVector<std::pair<int64_t, unsigned>> digits;
  for (auto [d, step] : llvm::enumerate(steps)) {
    if (step != 0 && !decided[d]) {
      digits.push_back({std::abs(step), d});
    }
  }
  llvm::sort(digits);
  int64_t span = 0;
  for (auto [step, d] : digits) {
    int64_t reach;
    if (step <= span || llvm::MulOverflow(step, extents[d] - 1, reach) ||
        reach > kMaxMagnitude) {
      return false;
    }
    span += reach;
  }
  for (auto [step, d] : digits) {
    decided[d] = true;
  }
  return !digits.empty();
}

} // namespace

std::optional<SmallVector<int64_t>> getSteps(Value index) {
  MaybeAffine affine = follow(index, kMaxDepth);
  return affine ? std::optional(affine->steps) : std::nullopt;
}

bool areDistinct(ValueRange index) {
  ArrayRef<int64_t> extents = getExtents(index.front());
  SmallVector<bool> decided;
  for (int64_t extent : extents) {
    decided.push_back(extent == 1);
  }
  bool progress = true;
  while (progress) {
    progress = false;
    for (Value tile : index) {
      std::optional<SmallVector<int64_t>> steps = getSteps(tile);
      progress |= steps && decide(*steps, extents, decided);
    }
  }
  return llvm::all_of(decided, [](bool known) { return known; });
}

} // namespace tegula::analysis
