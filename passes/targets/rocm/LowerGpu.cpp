// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rocm-lower-gpu: MLIR's own conversion to ROCDL makes every shuffle an
// indexed one through the LDS unit, and its barrier drains loads that nobody
// waits for. Here the cheapest instruction is chosen for each.

#include "passes/lower/TargetInfo.h"
#include "passes/targets/rocm/Chip.h"
#include "passes/targets/rocm/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Matchers.h"

#define DEBUG_TYPE "rocm-lower-gpu"

using namespace mlir;

namespace tegula::rocm {
#define GEN_PASS_DEF_LOWERGPUPASS
#include "passes/targets/rocm/Passes.h.inc"
namespace {

Value getI32(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getI32IntegerAttr(value));
}

Value createI32(OpBuilder &builder, Location loc, const Twine &name,
                ValueRange operands = {},
                ArrayRef<NamedAttribute> attributes = {}) {
  return createRocdl(builder, loc, name, builder.getI32Type(), operands,
                     attributes)
      ->getResult(0);
}

/// Number of this lane in its wave.
Value getLane(OpBuilder &builder, Location loc, const Chip &chip) {
  Value all = getI32(builder, loc, -1);
  Value lane =
      createI32(builder, loc, "mbcnt.lo", {all, getI32(builder, loc, 0)});
  return chip.lanes == 32 ? lane
                          : createI32(builder, loc, "mbcnt.hi", {all, lane});
}

//===----------------------------------------------------------------------===//
// Shuffles of 32 bits
//===----------------------------------------------------------------------===//

class Shuffle {
public:
  Shuffle(OpBuilder &builder, Location loc, const Chip &chip)
      : builder(builder), loc(loc), chip(chip) {}

  /// From the lane whose number differs by `mask`.
  Value fromMask(Value word, int64_t mask) {
    if (mask == 0) {
      return word;
    }
    if (mask < 16) {
      return chip.hasRowXmask() ? dpp(word, 0x160 | mask) : inRow(word, mask);
    }
    if (mask >= 32) {
      Value lane = getLane(builder, loc, chip);
      return fromLane(word, arith::XOrIOp::create(builder, loc, lane,
                                                  getI32(builder, loc, mask)));
    }
    return chip.hasRowXmask() ? otherRow(word, mask & 15) : swizzle(word, mask);
  }

  /// From lane `source` (i32), which may differ from lane to lane.
  Value fromLane(Value word, Value source) {
    Value address =
        arith::ShLIOp::create(builder, loc, source, getI32(builder, loc, 2));
    return createI32(builder, loc, "ds_bpermute", {address, word});
  }

  /// From one lane, the same for all.
  Value fromConstantLane(Value word, int64_t source) {
    return createI32(builder, loc, "readlane",
                     {word, getI32(builder, loc, source)});
  }

private:
  Value dpp(Value word, int64_t control) {
    Value old = LLVM::PoisonOp::create(builder, loc, word.getType());
    NamedAttribute attributes[] = {
        builder.getNamedAttr("dppCtrl", builder.getI32IntegerAttr(control)),
        builder.getNamedAttr("rowMask", builder.getI32IntegerAttr(0xf)),
        builder.getNamedAttr("bankMask", builder.getI32IntegerAttr(0xf)),
        builder.getNamedAttr("boundCtrl", builder.getBoolAttr(true))};
    return createI32(builder, loc, "update.dpp", {old, word}, attributes);
  }

  /// Within a quad of lanes, `mask` below 4.
  Value inQuad(Value word, int64_t mask) {
    if (mask == 0) {
      return word;
    }
    int64_t permutation = 0;
    for (int64_t lane = 0; lane < 4; ++lane) {
      permutation |= (lane ^ mask) << (2 * lane);
    }
    return dpp(word, permutation);
  }

  /// Within a row of 16 lanes, where only some permutations exist: mirrors of
  /// 8 and 16 lanes flip 3 and 4 bits of the number, a rotation by 8 flips one.
  Value inRow(Value word, int64_t mask) {
    constexpr int64_t kMirror = 0x140, kHalfMirror = 0x141, kRotate8 = 0x128;
    switch (mask >> 2) {
    case 0:
      return inQuad(word, mask);
    case 1:
      return inQuad(dpp(word, kHalfMirror), mask ^ 7);
    case 2:
      return inQuad(dpp(word, kRotate8), mask ^ 8);
    default:
      return inQuad(dpp(word, kMirror), mask ^ 15);
    }
  }

  /// ds_swizzle within 32 lanes: xor mask, or mask, and mask.
  Value swizzle(Value word, int64_t mask) {
    Value pattern = getI32(builder, loc, mask << 10 | 0x1f);
    return createI32(builder, loc, "ds_swizzle", {word, pattern});
  }

  /// From the other row of 16 lanes, there from the lane that differs by
  /// `mask`. Each nibble of the selectors names a lane's source.
  Value otherRow(Value word, int64_t mask) {
    uint64_t selector = 0;
    for (uint64_t lane = 0; lane < 16; ++lane) {
      selector |= (lane ^ mask) << (4 * lane);
    }
    Value old = LLVM::PoisonOp::create(builder, loc, word.getType());
    NamedAttribute attributes[] = {
        builder.getNamedAttr("fi", builder.getBoolAttr(true)),
        builder.getNamedAttr("boundControl", builder.getBoolAttr(true))};
    auto half = [&](uint64_t bits) {
      return getI32(builder, loc, static_cast<int32_t>(bits));
    };
    return createI32(builder, loc, "permlanex16",
                     {old, word, half(selector), half(selector >> 32)},
                     attributes);
  }

  OpBuilder &builder;
  Location loc;
  const Chip &chip;
};

//===----------------------------------------------------------------------===//
// Values as words
//===----------------------------------------------------------------------===//

int64_t getBits(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() * vector.getElementTypeBitWidth()
                : type.getIntOrFloatBitWidth();
}

/// The value's bits in words of 32, padded with zeros.
SmallVector<Value> toWords(OpBuilder &builder, Location loc, Value value) {
  int64_t bits = getBits(value.getType());
  int64_t words = llvm::divideCeil(bits, 32);
  Value whole = builder.createOrFold<LLVM::BitcastOp>(
      loc, builder.getIntegerType(bits), value);
  if (bits != 32 * words) {
    whole = LLVM::ZExtOp::create(builder, loc,
                                 builder.getIntegerType(32 * words), whole);
  }
  if (words == 1) {
    return {whole};
  }
  auto type = VectorType::get(words, builder.getI32Type());
  Value vector = builder.createOrFold<LLVM::BitcastOp>(loc, type, whole);
  SmallVector<Value> found;
  for (int64_t word = 0; word < words; ++word) {
    found.push_back(vector::ExtractOp::create(builder, loc, vector, word));
  }
  return found;
}

Value fromWords(OpBuilder &builder, Location loc, ArrayRef<Value> words,
                Type type) {
  int64_t bits = getBits(type), padded = 32 * words.size();
  Value whole = words.front();
  if (words.size() > 1) {
    auto vector = VectorType::get(words.size(), builder.getI32Type());
    whole = vector::FromElementsOp::create(builder, loc, vector, words);
    whole = builder.createOrFold<LLVM::BitcastOp>(
        loc, builder.getIntegerType(padded), whole);
  }
  if (bits != padded) {
    whole = LLVM::TruncOp::create(builder, loc, builder.getIntegerType(bits),
                                  whole);
  }
  return builder.createOrFold<LLVM::BitcastOp>(loc, type, whole);
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

struct LowerGpuPass final : impl::LowerGpuPassBase<LowerGpuPass> {
  void runOnOperation() override {
    chip = getChipOf(getOperation());
    if (!chip) {
      return signalPassFailure();
    }
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
  LogicalResult lower(Operation *op) {
    OpBuilder builder(op);
    if (auto shuffle = dyn_cast<gpu::ShuffleOp>(op)) {
      return lowerShuffle(builder, shuffle);
    }
    if (isa<gpu::BarrierOp>(op)) {
      lowerBarrier(builder, op);
      return success();
    }
    Value number = getNumber(builder, op);
    if (!number) {
      return op->emitOpError("has no code for AMD GPUs");
    }
    op->getResult(0).replaceAllUsesWith(arith::IndexCastUIOp::create(
        builder, op->getLoc(), op->getResult(0).getType(), number));
    op->erase();
    return success();
  }

  /// What `op` counts, as an i32; null if it counts nothing that is known
  /// here. Workgroups and grids have one dimension.
  Value getNumber(OpBuilder &builder, Operation *op) {
    Location loc = op->getLoc();
    if (auto thread = dyn_cast<gpu::ThreadIdOp>(op)) {
      return thread.getDimension() == gpu::Dimension::x
                 ? createI32(builder, loc, "workitem.id.x")
                 : getI32(builder, loc, 0);
    }
    if (auto block = dyn_cast<gpu::BlockIdOp>(op)) {
      return block.getDimension() == gpu::Dimension::x
                 ? createI32(builder, loc, "workgroup.id.x")
                 : getI32(builder, loc, 0);
    }
    if (isa<gpu::LaneIdOp>(op)) {
      return getLane(builder, loc, *chip);
    }
    return Value();
  }

  void lowerBarrier(OpBuilder &builder, Operation *op) {
    Location loc = op->getLoc();
    auto release = LLVM::FenceOp::create(
        builder, loc, LLVM::AtomicOrdering::release, "workgroup");
    createRocdl(builder, loc, "s.barrier", {});
    auto acquire = LLVM::FenceOp::create(
        builder, loc, LLVM::AtomicOrdering::acquire, "workgroup");
    if (op->hasAttr(lower::kSharedOnlyAttr)) {
      Attribute local =
          builder.getAttr<LLVM::MMRATagAttr>("amdgpu-synchronize-as", "local");
      release->setDiscardableAttr(LLVM::LLVMDialect::getMmraAttrName(), local);
      acquire->setDiscardableAttr(LLVM::LLVMDialect::getMmraAttrName(), local);
    }
    op->erase();
  }

  LogicalResult lowerShuffle(OpBuilder &builder, gpu::ShuffleOp op) {
    APInt width, offset;
    if (!matchPattern(op.getWidth(), m_ConstantInt(&width)) ||
        width.getSExtValue() != chip->lanes) {
      return op.emitOpError("must be among the ")
             << chip->lanes << " lanes of a wave";
    }
    bool isConstant = matchPattern(op.getOffset(), m_ConstantInt(&offset));
    int64_t constant = isConstant ? offset.getSExtValue() : 0;
    if (constant < 0 || constant >= chip->lanes) {
      return op.emitOpError("reaches beyond the ")
             << chip->lanes << " lanes of a wave";
    }
    Location loc = op.getLoc();
    Shuffle shuffle(builder, loc, *chip);
    SmallVector<Value> words = toWords(builder, loc, op.getValue());
    if (isConstant && op.getMode() == gpu::ShuffleMode::XOR) {
      for (Value &word : words) {
        word = shuffle.fromMask(word, constant);
      }
    } else if (isConstant && op.getMode() == gpu::ShuffleMode::IDX) {
      for (Value &word : words) {
        word = shuffle.fromConstantLane(word, constant);
      }
    } else {
      Value source = getSource(builder, op);
      for (Value &word : words) {
        word = shuffle.fromLane(word, source);
      }
    }
    op.getShuffleResult().replaceAllUsesWith(
        fromWords(builder, loc, words, op.getValue().getType()));
    replaceValid(builder, op);
    op.erase();
    return success();
  }

  /// The lane to read.
  Value getSource(OpBuilder &builder, gpu::ShuffleOp op) {
    if (op.getMode() == gpu::ShuffleMode::IDX) {
      return op.getOffset();
    }
    Location loc = op.getLoc();
    Value lane = getLane(builder, loc, *chip);
    switch (op.getMode()) {
    case gpu::ShuffleMode::XOR:
      return arith::XOrIOp::create(builder, loc, lane, op.getOffset());
    case gpu::ShuffleMode::UP:
      return arith::SubIOp::create(builder, loc, lane, op.getOffset());
    default:
      return arith::AddIOp::create(builder, loc, lane, op.getOffset());
    }
  }

  void replaceValid(OpBuilder &builder, gpu::ShuffleOp op) {
    if (op.getValid().use_empty()) {
      return;
    }
    Location loc = op.getLoc();
    Value source = getSource(builder, op);
    op.getValid().replaceAllUsesWith(
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, source,
                              getI32(builder, loc, chip->lanes)));
  }

  const Chip *chip = nullptr;
};

} // namespace
} // namespace tegula::rocm
