// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dots for lower-to-threads: the target's matrix instructions where the layouts
// are theirs, otherwise multiply-adds. Those are written out if each thread
// holds what it needs; if not, the operands go to shared memory, a piece of the
// contracted dimension at a time, and a loop reads them from there.

#include "passes/lower/SharedAccess.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/DialectConversion.h"

#include "llvm/Support/MathExtras.h"

#include <functional>

#define DEBUG_TYPE "lower-to-threads"

using namespace mlir;

namespace tegula::lower {
namespace {

/// Most multiply-adds that are written out.
constexpr int64_t kMaxUnrolled = 4096;

/// An operand of the dot. Its flat indices have two fields: the result's rows
/// (or columns) and the contracted dimension.
struct Operand {
  Value tile;
  Values values;
  Columns columns;
  unsigned outBits;
  unsigned kFirst; // First bit of the contracted dimension.
  bool isUnsigned;
  /// From a flat index of the result to one here, at k = 0.
  std::function<uint64_t(uint64_t)> project;
};

class MultiplyAdd {
public:
  MultiplyAdd(OpBuilder &builder, tile::DotOp op, tile::DotOp::Adaptor adaptor,
              ThreadEmitter &emitter)
      : builder(builder), loc(op.getLoc()), emitter(emitter),
        acc(Columns::of(getLayout(op.getType()))),
        accType(getElementTypeOrSelf(op.getType())) {
    ArrayRef<int64_t> a = op.getA().getType().getShape();
    ArrayRef<int64_t> b = op.getB().getType().getShape();
    kBits = llvm::Log2_64(a.back());
    unsigned mBits = llvm::Log2_64(a.drop_back().back());
    unsigned nBits = llvm::Log2_64(b.back());
    unsigned kCount = kBits;
    lhs = makeOperand(op.getA(), adaptor.getA(), 0, op.getAUnsigned());
    lhs.project = [=](uint64_t flat) { return flat >> nBits << kCount; };
    rhs = makeOperand(op.getB(), adaptor.getB(), nBits, op.getBUnsigned());
    rhs.project = [=](uint64_t flat) {
      uint64_t column = flat & ((uint64_t(1) << nBits) - 1);
      uint64_t batch = flat >> (nBits + mBits);
      return batch << (kCount + nBits) | column;
    };
  }

  /// The result's registers.
  Values run(Values sums) {
    int64_t unrolled = acc.getNumRegisters() << kBits;
    if (unrolled > kMaxUnrolled) {
      return runInLoop(std::move(sums));
    }
    SmallVector<uint64_t> steps;
    for (uint64_t k = 0; k < uint64_t(1) << kBits; ++k) {
      steps.push_back(k);
    }
    auto left = getHeld(lhs, steps), right = getHeld(rhs, steps);
    if (failed(left) || failed(right)) {
      return runInLoop(std::move(sums));
    }
    for (size_t k = 0; k < steps.size(); ++k) {
      for (auto [reg, sum] : llvm::enumerate(sums)) {
        sum = multiplyAdd((*left)[reg * steps.size() + k],
                          (*right)[reg * steps.size() + k], sum);
      }
    }
    return sums;
  }

private:
  Operand makeOperand(Value tile, Value vector, unsigned kFirst,
                      bool isUnsigned) {
    Operand operand{tile,
                    ThreadEmitter::unpack(builder, loc, vector),
                    Columns::of(getLayout(tile.getType())),
                    getLayout(tile.getType()).outBits(),
                    kFirst,
                    isUnsigned,
                    nullptr};
    operand.columns.dropFreeRegisters(operand.values);
    return operand;
  }

  /// For each register of the result and each k, the operand's element; fails
  /// if another thread holds one.
  FailureOr<Values> getHeld(const Operand &operand, ArrayRef<uint64_t> steps) {
    SmallVector<uint64_t> targets, threads;
    for (int64_t reg = 0; reg < acc.getNumRegisters(); ++reg) {
      for (uint64_t k : steps) {
        targets.push_back(operand.project(acc.getRegisterPart(reg)) |
                          k << operand.kFirst);
      }
    }
    for (uint64_t column : acc.getThreads()) {
      threads.push_back(operand.project(column));
    }
    return renameRegisters(builder, loc, emitter, operand.values,
                           operand.columns, targets, threads);
  }

  Value widen(Value value, bool isUnsigned) {
    if (value.getType() == accType) {
      return value;
    }
    if (isa<FloatType>(accType)) {
      return arith::ExtFOp::create(builder, loc, accType, value);
    }
    if (isUnsigned) {
      return arith::ExtUIOp::create(builder, loc, accType, value);
    }
    return arith::ExtSIOp::create(builder, loc, accType, value);
  }

  Value multiplyAdd(Value left, Value right, Value sum) {
    left = widen(left, lhs.isUnsigned);
    right = widen(right, rhs.isUnsigned);
    if (isa<FloatType>(accType)) {
      return math::FmaOp::create(builder, loc, left, right, sum);
    }
    Value product = arith::MulIOp::create(builder, loc, left, right);
    return arith::AddIOp::create(builder, loc, sum, product);
  }

  //===--------------------------------------------------------------------===//
  // Through shared memory
  //===--------------------------------------------------------------------===//

  /// An operand in shared memory: [piece of k][the rest].
  struct Staged {
    const Operand *operand;
    Type type;
    unsigned restBits;
    Value area;
    Columns offsets; // Of the result's registers, at k = 0.
  };

  uint64_t getRest(const Operand &operand, uint64_t flat) const {
    uint64_t low = flat & ((uint64_t(1) << operand.kFirst) - 1);
    return flat >> (operand.kFirst + kBits) << operand.kFirst | low;
  }
  uint64_t getK(const Operand &operand, uint64_t flat) const {
    return flat >> operand.kFirst & ((uint64_t(1) << kBits) - 1);
  }
  int64_t getBytes(const Operand &operand, unsigned pieceBits) const {
    int64_t size = getElementBytes(operand.values.front().getType());
    return llvm::alignTo(size << (operand.outBits - kBits + pieceBits), 16);
  }

  Values runInLoop(Values sums) {
    unsigned pieceBits = kBits;
    while (pieceBits > 0 &&
           getBytes(lhs, pieceBits) + getBytes(rhs, pieceBits) >
               getScratchLimit(emitter)) {
      --pieceBits;
    }
    Value carried = ThreadEmitter::pack(builder, loc, sums, accType);
    for (uint64_t piece = 0; piece < uint64_t(1) << (kBits - pieceBits);
         ++piece) {
      int64_t leftBytes = getBytes(lhs, pieceBits);
      Value scratch = emitter.emitScratch(builder, loc,
                                          leftBytes + getBytes(rhs, pieceBits));
      Value second = ThreadEmitter::emitOffset(
          builder, loc, scratch, ThreadEmitter::getI32(builder, loc, leftBytes),
          builder.getI8Type());
      Staged left = stage(lhs, scratch, piece, pieceBits);
      Staged right = stage(rhs, second, piece, pieceBits);
      emitter.emitBarrier(builder, loc);
      carried = loop(left, right, int64_t(1) << pieceBits, carried);
    }
    return ThreadEmitter::unpack(builder, loc, carried);
  }

  /// Stores the piece's elements; the threads that have them say so.
  Staged stage(const Operand &operand, Value area, uint64_t piece,
               unsigned pieceBits) {
    unsigned restBits = operand.outBits - kBits;
    auto getOffset = [&](uint64_t flat) {
      return getK(operand, flat) << restBits | getRest(operand, flat);
    };
    unsigned sizeBits = restBits + pieceBits;
    uint64_t sizeMask = (uint64_t(1) << sizeBits) - 1;
    Columns whole = operand.columns.map(getOffset);
    Columns inPiece =
        whole.map([&](uint64_t offset) { return offset & sizeMask; });
    ThreadBits bits(builder, loc, emitter);
    SmallVector<uint64_t> pieces;
    for (uint64_t column : whole.getThreads()) {
      pieces.push_back(column >> sizeBits);
    }
    bool varies = llvm::any_of(pieces, [](uint64_t part) { return part != 0; });
    Value threadPiece = varies ? bits.getImage(pieces) : Value();
    Value isFirst =
        emitter.getIsFirstCopy(builder, loc, whole.toBuffer(operand.outBits));
    SharedAccess access(builder, loc, emitter, inPiece, 0);
    for (int64_t reg = 0; reg < whole.getNumRegisters(); ++reg) {
      uint64_t part = whole.getRegisterPart(reg) >> sizeBits;
      Value predicate = isFirst;
      if (varies) {
        Value wanted = ThreadEmitter::getI32(builder, loc, part ^ piece);
        predicate = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::eq, threadPiece, wanted);
        if (isFirst) {
          predicate = arith::AndIOp::create(builder, loc, predicate, isFirst);
        }
      } else if (part != piece) {
        continue;
      }
      access.store(area, reg, operand.values, predicate);
    }

    Columns offsets = acc.map(
        [&](uint64_t flat) { return getRest(operand, operand.project(flat)); });
    return {&operand, operand.values.front().getType(), restBits, area,
            offsets};
  }

  /// One row of an operand, an element for each register of the result.
  Values loadRow(const Staged &staged, Value k) {
    Value row = ThreadEmitter::emitOffset(
        builder, loc, staged.area,
        arith::ShLIOp::create(
            builder, loc, k,
            ThreadEmitter::getI32(builder, loc, staged.restBits)),
        staged.type);
    // Registers that differ along the other dimension only share a load.
    Columns distinct = staged.offsets;
    distinct.dropFreeRegisters({});
    unsigned vectorBits = 0;
    uint64_t others = 0;
    auto isUnit = [&](unsigned bit) {
      return llvm::is_contained(distinct.registers, uint64_t(1) << bit);
    };
    for (uint64_t column : distinct.getThreads()) {
      others |= column;
    }
    while ((getElementBytes(staged.type) << (vectorBits + 1)) <= 16 &&
           isUnit(vectorBits) && !(others >> vectorBits & 1)) {
      ++vectorBits;
    }
    Values loaded(distinct.getNumRegisters());
    SharedAccess access(builder, loc, emitter, distinct, vectorBits);
    SmallVector<int64_t> all;
    for (int64_t reg = 0; reg < distinct.getNumRegisters(); ++reg) {
      all.push_back(reg);
    }
    access.load(row, all, staged.type, loaded);
    bool isUnsigned = staged.operand->isUnsigned;
    for (Value &value : loaded) {
      value = widen(value, isUnsigned);
    }
    return *renameRegisters(builder, loc, emitter, loaded, distinct,
                            staged.offsets);
  }

  Value loop(const Staged &left, const Staged &right, int64_t count,
             Value carried) {
    Value zero = ThreadEmitter::getI32(builder, loc, 0);
    Value one = ThreadEmitter::getI32(builder, loc, 1);
    Value end = ThreadEmitter::getI32(builder, loc, count);
    auto forOp = scf::ForOp::create(builder, loc, zero, end, one, carried);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(forOp.getBody());
    Values sums =
        ThreadEmitter::unpack(builder, loc, forOp.getRegionIterArg(0));
    Values lhsRow = loadRow(left, forOp.getInductionVar());
    Values rhsRow = loadRow(right, forOp.getInductionVar());
    for (auto [l, r, sum] : llvm::zip_equal(lhsRow, rhsRow, sums)) {
      sum = multiplyAdd(l, r, sum);
    }
    scf::YieldOp::create(builder, loc,
                         ThreadEmitter::pack(builder, loc, sums, accType));
    return forOp.getResult(0);
  }

  OpBuilder &builder;
  Location loc;
  ThreadEmitter &emitter;
  Columns acc;
  Type accType;
  unsigned kBits;
  Operand lhs, rhs;
};

class DotLowering final : public OpConversionPattern<tile::DotOp> {
public:
  DotLowering(const TypeConverter &types, MLIRContext *context,
              ThreadEmitter &emitter)
      : OpConversionPattern(types, context), emitter(emitter) {}

  LogicalResult
  matchAndRewrite(tile::DotOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    DotLayouts layouts{getLayout(op.getA().getType()),
                       getLayout(op.getB().getType()), getLayout(op.getType())};
    auto emitted =
        emitter.getTarget().emitDot(rewriter, op, layouts, adaptor.getA(),
                                    adaptor.getB(), adaptor.getAcc());
    if (succeeded(emitted)) {
      rewriter.replaceOp(op, *emitted);
      return success();
    }
    Location loc = op.getLoc();
    MultiplyAdd fallback(rewriter, op, adaptor, emitter);
    Values sums =
        fallback.run(ThreadEmitter::unpack(rewriter, loc, adaptor.getAcc()));
    rewriter.replaceOp(op,
                       ThreadEmitter::pack(rewriter, loc, sums,
                                           getElementTypeOrSelf(op.getType())));
    return success();
  }

private:
  ThreadEmitter &emitter;
};

} // namespace

void populateDotsToThreads(const TypeConverter &types,
                           RewritePatternSet &patterns,
                           ThreadEmitter &emitter) {
  patterns.add<DotLowering>(types, patterns.getContext(), emitter);
}

} // namespace tegula::lower
