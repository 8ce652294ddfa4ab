// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuda-lower-gpu: upstream's conversion needs a `gpu.module` and brings
// NVIDIA's math library with it; what lower-to-threads emits is little enough
// to be lowered in place.

#include "passes/targets/cuda/Arch.h"
#include "passes/targets/cuda/Passes.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

#define DEBUG_TYPE "cuda-lower-gpu"

using namespace mlir;

namespace tegula::cuda {
#define GEN_PASS_DEF_LOWERGPUPASS
#include "passes/targets/cuda/Passes.h.inc"
namespace {

constexpr int32_t kAllLanes = -1;
/// Last lane of a warp, in the low bits of a shuffle's last operand; the bits
/// from 8 on, zero, say that a warp is one segment.
constexpr int32_t kClamp = 31;

Value getI32(OpBuilder &builder, Location loc, int32_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getI32IntegerAttr(value));
}

int64_t getBits(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() * vector.getElementTypeBitWidth()
                : type.getIntOrFloatBitWidth();
}

/// The value's bits in words of 32, padded with zeros.
SmallVector<Value> toWords(OpBuilder &builder, Location loc, Value value) {
  int64_t bits = getBits(value.getType());
  auto words = static_cast<int64_t>(llvm::divideCeil(bits, 32));
  Value whole = LLVM::BitcastOp::create(
      builder, loc, builder.getIntegerType(static_cast<unsigned>(bits)), value);
  if (bits != 32 * words) {
    Type padded = builder.getIntegerType(static_cast<unsigned>(32 * words));
    whole = LLVM::ZExtOp::create(builder, loc, padded, whole);
  }
  if (words == 1) {
    return {whole};
  }
  auto type = VectorType::get(words, builder.getI32Type());
  Value vector = LLVM::BitcastOp::create(builder, loc, type, whole);
  return SmallVector<Value>(
      vector::ToElementsOp::create(builder, loc, vector).getResults());
}

Value fromWords(OpBuilder &builder, Location loc, ArrayRef<Value> words,
                Type type) {
  int64_t bits = getBits(type);
  auto padded = static_cast<int64_t>(32 * words.size());
  Value whole = words.front();
  if (words.size() > 1) {
    auto vector = VectorType::get(static_cast<int64_t>(words.size()),
                                  builder.getI32Type());
    whole = vector::FromElementsOp::create(builder, loc, vector, words);
    whole = LLVM::BitcastOp::create(
        builder, loc, builder.getIntegerType(static_cast<unsigned>(padded)),
        whole);
  }
  if (bits != padded) {
    whole = LLVM::TruncOp::create(
        builder, loc, builder.getIntegerType(static_cast<unsigned>(bits)),
        whole);
  }
  return LLVM::BitcastOp::create(builder, loc, type, whole);
}

NVVM::ShflKind getKind(gpu::ShuffleMode mode) {
  switch (mode) {
  case gpu::ShuffleMode::XOR:
    return NVVM::ShflKind::bfly;
  case gpu::ShuffleMode::UP:
    return NVVM::ShflKind::up;
  case gpu::ShuffleMode::DOWN:
    return NVVM::ShflKind::down;
  case gpu::ShuffleMode::IDX:
    return NVVM::ShflKind::idx;
  }
  llvm_unreachable("all modes are handled");
}

struct LowerGpuPass final : impl::LowerGpuPassBase<LowerGpuPass> {
  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](Operation *op) {
      return isa_and_nonnull<gpu::GPUDialect>(op->getDialect()) &&
                     failed(lower(op))
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (result.wasInterrupted()) {
      signalPassFailure();
    }
  }

private:
  static LogicalResult lower(Operation *op) {
    OpBuilder builder(op);
    if (auto shuffle = dyn_cast<gpu::ShuffleOp>(op)) {
      return lowerShuffle(builder, shuffle);
    }
    if (isa<gpu::BarrierOp>(op)) {
      NVVM::BarrierOp::create(builder, op->getLoc());
      op->erase();
      return success();
    }
    Value number = getNumber(builder, op);
    if (!number) {
      return op->emitOpError("has no code for NVIDIA GPUs");
    }
    op->getResult(0).replaceAllUsesWith(arith::IndexCastUIOp::create(
        builder, op->getLoc(), op->getResult(0).getType(), number));
    op->erase();
    return success();
  }

  /// What `op` counts, as an i32; null if it counts nothing that is known
  /// here. Blocks and grids have one dimension.
  static Value getNumber(OpBuilder &builder, Operation *op) {
    Location loc = op->getLoc();
    Type i32 = builder.getI32Type();
    auto below = [&](int64_t end) {
      return LLVM::ConstantRangeAttr::get(builder.getContext(), APInt(32, 0),
                                          APInt(32, end));
    };
    if (auto thread = dyn_cast<gpu::ThreadIdOp>(op)) {
      return thread.getDimension() == gpu::Dimension::x
                 ? NVVM::ThreadIdXOp::create(builder, loc, i32,
                                             below(kMaxThreads))
                       .getResult()
                 : getI32(builder, loc, 0);
    }
    if (auto block = dyn_cast<gpu::BlockIdOp>(op)) {
      return block.getDimension() == gpu::Dimension::x
                 ? NVVM::BlockIdXOp::create(builder, loc, i32,
                                            below(int64_t(0x7fffffff)))
                       .getResult()
                 : getI32(builder, loc, 0);
    }
    if (isa<gpu::LaneIdOp>(op)) {
      return NVVM::LaneIdOp::create(builder, loc, i32, below(kNumLanes))
          .getResult();
    }
    return Value();
  }

  static LogicalResult lowerShuffle(OpBuilder &builder, gpu::ShuffleOp op) {
    APInt width;
    if (!matchPattern(op.getWidth(), m_ConstantInt(&width)) ||
        width.getSExtValue() != kNumLanes) {
      return op.emitOpError("must be among the ")
             << kNumLanes << " lanes of a warp";
    }
    if (!op.getValid().use_empty()) {
      return op.emitOpError("is asked whether its source lane exists, which no "
                            "lowering does");
    }
    Location loc = op.getLoc();
    Value all = getI32(builder, loc, kAllLanes);
    // `up` clamps at the first lane.
    bool isUp = op.getMode() == gpu::ShuffleMode::UP;
    Value clamp = getI32(builder, loc, isUp ? 0 : kClamp);
    SmallVector<Value> words = toWords(builder, loc, op.getValue());
    for (Value &word : words) {
      word = NVVM::ShflOp::create(builder, loc, word.getType(), all, word,
                                  op.getOffset(), clamp, getKind(op.getMode()),
                                  UnitAttr());
    }
    op.getShuffleResult().replaceAllUsesWith(
        fromWords(builder, loc, words, op.getValue().getType()));
    op.erase();
    return success();
  }
};

} // namespace
} // namespace tegula::cuda
