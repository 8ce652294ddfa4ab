// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rocm-permute-halves: where 16-bit halves of a vector register are registers
// of their own, LLVM puts two halves together by moves into one of the two
// registers. What else needs it is copied before, and what a loop loads for its
// next iteration is waited for to be copied. A permutation of bytes gives a
// register of its own.

#include "passes/analysis/Explanation.h"
#include "passes/targets/rocm/Chip.h"
#include "passes/targets/rocm/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#define DEBUG_TYPE "rocm-permute-halves"

using namespace mlir;

namespace tegula::rocm {
#define GEN_PASS_DEF_PERMUTEHALVESPASS
#include "passes/targets/rocm/Passes.h.inc"
namespace {

/// One half of a word of a vector.
struct Half {
  vector::ToElementsOp vector;
  unsigned index;

  unsigned getWord() const { return index / 2; }
  bool isUpper() const { return index % 2 != 0; }
};

/// Whether `type` is a vector of whole words, each of two elements.
bool isOfHalves(VectorType type) {
  Type element = type.getElementType();
  return !type.isScalable() && type.getRank() == 1 &&
         (element.isF16() || element.isBF16() || element.isInteger(16)) &&
         type.getNumElements() % 2 == 0;
}

std::optional<Half> getHalf(Value element) {
  auto vector = element.getDefiningOp<vector::ToElementsOp>();
  if (!vector || !isOfHalves(vector.getSource().getType())) {
    return std::nullopt;
  }
  return Half{vector, cast<OpResult>(element).getResultNumber()};
}

class Permuter {
public:
  explicit Permuter(MLIRContext *context) : builder(context) {}

  void run(vector::FromElementsOp op) {
    VectorType type = op.getDest().getType();
    if (!isOfHalves(type)) {
      return;
    }
    SmallVector<Half> halves;
    for (Value element : op.getElements()) {
      if (std::optional<Half> half = getHalf(element)) {
        halves.push_back(*half);
      }
    }
    if (halves.size() != op.getElements().size()) {
      return; // Computed in halves.
    }
    builder.setInsertionPoint(op);
    SmallVector<Value> words;
    for (unsigned i = 0; i < halves.size(); i += 2) {
      words.push_back(join(op.getLoc(), halves[i], halves[i + 1]));
    }
    auto wide = VectorType::get({static_cast<int64_t>(words.size())},
                                builder.getI32Type());
    Value result =
        vector::FromElementsOp::create(builder, op.getLoc(), wide, words);
    op.replaceAllUsesWith(
        LLVM::BitcastOp::create(builder, op.getLoc(), type, result)
            .getResult());
    op.erase();
  }

private:
  /// The word of two halves, the lower one first.
  Value join(Location loc, Half lower, Half upper) {
    Value low = getWord(lower), high = getWord(upper);
    if (low == high && !lower.isUpper() && upper.isUpper()) {
      return low;
    }
    // AMD RDNA3 ISA, V_PERM_B32: of the bytes of the second operand (0 to 3)
    // and of the first (4 to 7) the selector names one for each of the result.
    auto bytes = [](int64_t first) { return first | (first + 1) << 8; };
    int64_t selector =
        bytes(lower.isUpper() ? 2 : 0) | bytes(upper.isUpper() ? 6 : 4) << 16;
    Type i32 = builder.getI32Type();
    Value choice = LLVM::ConstantOp::create(builder, loc, i32, selector);
    auto name = builder.getStringAttr("llvm.amdgcn.perm");
    return LLVM::CallIntrinsicOp::create(builder, loc, i32, name,
                                         ValueRange{high, low, choice})
        .getResult(0);
  }

  Value getWord(Half half) {
    SmallVector<Value> &words = known[half.vector];
    if (words.empty()) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(half.vector);
      Location loc = half.vector.getLoc();
      Value source = half.vector.getSource();
      int64_t count = half.vector.getNumResults() / 2;
      auto type = VectorType::get({count}, builder.getI32Type());
      Value wide = LLVM::BitcastOp::create(builder, loc, type, source);
      auto elements = vector::ToElementsOp::create(builder, loc, wide);
      words = llvm::to_vector_of<Value>(elements.getResults());
    }
    return words[half.getWord()];
  }

  OpBuilder builder;
  llvm::DenseMap<Operation *, SmallVector<Value>> known;
};

struct PermuteHalvesPass final
    : impl::PermuteHalvesPassBase<PermuteHalvesPass> {
  void runOnOperation() override {
    const Chip *chip = getChipOf(getOperation());
    if (!chip) {
      return signalPassFailure();
    }
    if (!chip->hasHalfRegisters()) {
      return;
    }
    SmallVector<vector::FromElementsOp> ops;
    getOperation()->walk([&](vector::FromElementsOp op) { ops.push_back(op); });
    Permuter permuter(&getContext());
    for (vector::FromElementsOp op : ops) {
      permuter.run(op);
    }
  }
};

} // namespace
} // namespace tegula::rocm
