// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves for lower-to-threads. Layout assignment gives results the layouts that
// let each thread keep what it has, so that all but layout.convert only give
// registers other numbers; a layout that does not is an error.

#include "passes/lower/ConvertRegisters.h"

#include "dialects/layout/Layout.h"

#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/DialectConversion.h"

#include "llvm/Support/MathExtras.h"

#define DEBUG_TYPE "lower-to-threads"

using namespace mlir;

namespace tegula::lower {
namespace {

//===----------------------------------------------------------------------===//
// Bits of flat indices
//===----------------------------------------------------------------------===//

/// First bit and number of bits of each coordinate in a flat index.
SmallVector<std::pair<unsigned, unsigned>> getFields(ArrayRef<int64_t> shape) {
  SmallVector<std::pair<unsigned, unsigned>> fields(shape.size());
  unsigned first = 0;
  for (size_t axis = shape.size(); axis-- > 0;) {
    unsigned count = llvm::Log2_64(shape[axis]);
    fields[axis] = {first, count};
    first += count;
  }
  return fields;
}

/// Flat index in `source` of the coordinates that element `flat` of `target`
/// has, dimension `dims[d]` of the target for dimension d of the source; bits
/// past the source's extents are left out.
uint64_t moveFields(uint64_t flat, ArrayRef<int64_t> target,
                    ArrayRef<int64_t> source, ArrayRef<int64_t> dims) {
  auto from = getFields(target), to = getFields(source);
  uint64_t result = 0;
  for (auto [axis, dim] : llvm::enumerate(dims)) {
    unsigned count = std::min(from[dim].second, to[axis].second);
    uint64_t part = flat >> from[dim].first & ((uint64_t(1) << count) - 1);
    result |= part << to[axis].first;
  }
  return result;
}

LogicalResult failLayout(Operation *op) {
  return op->emitOpError(
      "has layouts that would move elements between threads; only "
      "layout.convert does that");
}

Columns getColumns(Value value) {
  return Columns::of(getLayout(value.getType()));
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

template <typename Op> class MoveLowering : public OpConversionPattern<Op> {
public:
  MoveLowering(const TypeConverter &types, MLIRContext *context,
               ThreadEmitter &emitter)
      : OpConversionPattern<Op>(types, context), emitter(emitter) {}

protected:
  Value pack(OpBuilder &builder, Operation *op, const Values &values) const {
    return ThreadEmitter::pack(builder, op->getLoc(), values,
                               values.front().getType());
  }

  /// `result` with element x being element x ^ offset of `source`, whose
  /// vector is `vector`; `transfer` takes flat indices of the result to those
  /// of the source.
  FailureOr<Value> rename(OpBuilder &builder, Operation *op, Value source,
                          Value vector, Value result,
                          function_ref<uint64_t(uint64_t)> transfer,
                          uint64_t offset = 0) const {
    Columns from = getColumns(source);
    Columns to = getColumns(result).map(transfer);
    if (offset == 0 && from.registers == to.registers &&
        from.getThreads() == to.getThreads()) {
      return vector;
    }
    Values values = ThreadEmitter::unpack(builder, op->getLoc(), vector);
    auto renamed = renameRegisters(builder, op->getLoc(), emitter, values, from,
                                   to, offset);
    if (failed(renamed)) {
      return failLayout(op);
    }
    return pack(builder, op, *renamed);
  }

  /// Replaces an operation that only renames.
  LogicalResult replace(ConversionPatternRewriter &rewriter, Operation *op,
                        Value vector,
                        function_ref<uint64_t(uint64_t)> transfer) const {
    auto renamed = rename(rewriter, op, op->getOperand(0), vector,
                          op->getResult(0), transfer);
    if (failed(renamed)) {
      return failure();
    }
    rewriter.replaceOp(op, *renamed);
    return success();
  }

  ThreadEmitter &emitter;
};

Value splat(OpBuilder &builder, Operation *op, Value scalar) {
  auto type = cast<VectorType>(getThreadType(op->getResult(0).getType()));
  return vector::BroadcastOp::create(builder, op->getLoc(), type, scalar);
}

struct FullLowering final : MoveLowering<tile::FullOp> {
  using MoveLowering::MoveLowering;
  LogicalResult
  matchAndRewrite(tile::FullOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, splat(rewriter, op, adaptor.getValue()));
    return success();
  }
};

struct IotaLowering final : MoveLowering<tile::IotaOp> {
  using MoveLowering::MoveLowering;
  LogicalResult
  matchAndRewrite(tile::IotaOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type element = getElementTypeOrSelf(op.getType());
    Values values;
    for (const auto &coordinates :
         emitter.getCoordinates(rewriter, loc, getLayout(op.getType()))) {
      Value value = coordinates.front();
      if (element.getIntOrFloatBitWidth() < 32) {
        value = arith::TruncIOp::create(rewriter, loc, element, value);
      } else if (element.getIntOrFloatBitWidth() > 32) {
        value = arith::ExtUIOp::create(rewriter, loc, element, value);
      }
      values.push_back(value);
    }
    rewriter.replaceOp(op, pack(rewriter, op, values));
    return success();
  }
};

struct BroadcastLowering final : MoveLowering<tile::BroadcastOp> {
  using MoveLowering::MoveLowering;
  LogicalResult
  matchAndRewrite(tile::BroadcastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ArrayRef<int64_t> target = op.getType().getShape();
    ArrayRef<int64_t> source = op.getSource().getType().getShape();
    auto dims = llvm::to_vector(llvm::seq<int64_t>(0, target.size()));
    return replace(rewriter, op, adaptor.getSource(), [&](uint64_t flat) {
      return moveFields(flat, target, source, dims);
    });
  }
};

struct PermuteLowering final : MoveLowering<tile::PermuteOp> {
  using MoveLowering::MoveLowering;
  LogicalResult
  matchAndRewrite(tile::PermuteOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ArrayRef<int64_t> target = op.getType().getShape();
    ArrayRef<int64_t> source = op.getSource().getType().getShape();
    SmallVector<int64_t> dims(target.size());
    for (auto [dim, axis] : llvm::enumerate(op.getPerm())) {
      dims[axis] = dim;
    }
    return replace(rewriter, op, adaptor.getSource(), [&](uint64_t flat) {
      return moveFields(flat, target, source, dims);
    });
  }
};

struct ReshapeLowering final : MoveLowering<tile::ReshapeOp> {
  using MoveLowering::MoveLowering;
  LogicalResult
  matchAndRewrite(tile::ReshapeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    bool fromTile = isa<RankedTensorType>(op.getSource().getType());
    bool toTile = isa<RankedTensorType>(op.getType());
    if (!toTile) {
      Value value = adaptor.getSource();
      if (fromTile) {
        value = ThreadEmitter::unpack(rewriter, op.getLoc(), value).front();
      }
      rewriter.replaceOp(op, value);
      return success();
    }
    if (!fromTile) {
      rewriter.replaceOp(op, splat(rewriter, op, adaptor.getSource()));
      return success();
    }
    return replace(rewriter, op, adaptor.getSource(),
                   [](uint64_t flat) { return flat; });
  }
};

struct SplitLowering final : MoveLowering<tile::SplitOp> {
  using MoveLowering::MoveLowering;
  LogicalResult
  matchAndRewrite(tile::SplitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Values halves;
    for (uint64_t half : {0, 1}) {
      auto renamed = rename(
          rewriter, op, op.getSource(), adaptor.getSource(), op.getResult(half),
          [](uint64_t flat) { return flat << 1; }, half);
      if (failed(renamed)) {
        return failure();
      }
      halves.push_back(*renamed);
    }
    rewriter.replaceOp(op, halves);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Several sources
//===----------------------------------------------------------------------===//

/// Where a register of the result comes from.
struct Origin {
  size_t operand;
  uint64_t flat;
};

/// A result whose registers come from several operands. `getOrigin` says for
/// the image of a register number which; `transfer` takes columns of threads to
/// indices of the operand of a number.
template <typename Op> class JoiningLowering : public MoveLowering<Op> {
public:
  using MoveLowering<Op>::MoveLowering;

protected:
  LogicalResult
  gather(ConversionPatternRewriter &rewriter, Op op, ValueRange vectors,
         function_ref<Origin(uint64_t)> getOrigin,
         function_ref<uint64_t(size_t, uint64_t)> transfer) const {
    Location loc = op.getLoc();
    Columns to = getColumns(op.getResult());
    SmallVector<SmallVector<uint64_t>> targets(vectors.size());
    SmallVector<size_t> operands;
    for (int64_t reg = 0; reg < to.getNumRegisters(); ++reg) {
      Origin origin = getOrigin(to.getRegisterPart(reg));
      operands.push_back(origin.operand);
      targets[origin.operand].push_back(origin.flat);
    }
    SmallVector<Values> found;
    for (auto [index, vector] : llvm::enumerate(vectors)) {
      Values values = ThreadEmitter::unpack(rewriter, loc, vector);
      SmallVector<uint64_t> threads = to.getThreads();
      for (uint64_t &column : threads) {
        column = transfer(index, column);
      }
      auto renamed = renameRegisters(rewriter, loc, this->emitter, values,
                                     getColumns(op->getOperand(index)),
                                     targets[index], threads);
      if (failed(renamed)) {
        return failLayout(op);
      }
      found.push_back(std::move(*renamed));
    }
    SmallVector<size_t> next(vectors.size(), 0);
    Values result;
    for (size_t operand : operands) {
      result.push_back(found[operand][next[operand]++]);
    }
    rewriter.replaceOp(op, this->pack(rewriter, op, result));
    return success();
  }
};

struct JoinLowering final : JoiningLowering<tile::JoinOp> {
  using JoiningLowering::JoiningLowering;
  LogicalResult
  matchAndRewrite(tile::JoinOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    for (uint64_t column : getColumns(op.getResult()).getThreads()) {
      if (column & 1) {
        return failLayout(op); // The operand would depend on the thread.
      }
    }
    return gather(
        rewriter, op, adaptor.getOperands(),
        [](uint64_t flat) { return Origin{flat & 1, flat >> 1}; },
        [](size_t, uint64_t column) { return column >> 1; });
  }
};

struct ConcatLowering final : JoiningLowering<tile::ConcatOp> {
  using JoiningLowering::JoiningLowering;

  /// Coordinates along the axis split into a part that registers decide alone
  /// and a part below the operands' common divisor.
  LogicalResult
  matchAndRewrite(tile::ConcatOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    unsigned axis = op.getAxis();
    ArrayRef<int64_t> shape = op.getType().getShape();
    auto [first, count] = getFields(shape)[axis];
    SmallVector<int64_t> extents;
    int64_t divisor = shape[axis];
    for (Value source : op.getSources()) {
      extents.push_back(
          cast<RankedTensorType>(source.getType()).getDimSize(axis));
      divisor = std::min(divisor, extents.back());
    }
    uint64_t axisMask = ((uint64_t(1) << count) - 1) << first;
    uint64_t highMask = axisMask & ~((uint64_t(divisor) << first) - 1);
    for (uint64_t column : getColumns(op.getResult()).getThreads()) {
      if (column & highMask) {
        return failLayout(op); // The operand would depend on the thread.
      }
    }
    uint64_t lowMask = (uint64_t(1) << first) - 1;
    // Without the axis' coordinate, and with another for an operand's extent.
    auto place = [&](uint64_t flat, uint64_t coordinate, int64_t extent) {
      uint64_t above = flat >> (first + count);
      return (above << llvm::Log2_64(extent) | coordinate) << first |
             (flat & lowMask);
    };
    auto getOrigin = [&](uint64_t flat) {
      int64_t coordinate = (flat & axisMask) >> first;
      size_t operand = 0;
      while (coordinate >= extents[operand]) {
        coordinate -= extents[operand++];
      }
      return Origin{operand, place(flat, coordinate, extents[operand])};
    };
    return gather(rewriter, op, adaptor.getSources(), getOrigin,
                  [&](size_t operand, uint64_t column) {
                    return place(column, (column & axisMask) >> first,
                                 extents[operand]);
                  });
  }
};

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

struct ConvertLowering final : MoveLowering<layout::ConvertOp> {
  using MoveLowering::MoveLowering;
  LogicalResult
  matchAndRewrite(layout::ConvertOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Values values = ThreadEmitter::unpack(rewriter, loc, adaptor.getSource());
    std::string error;
    auto converted = convertRegisters(
        rewriter, loc, emitter, values, getColumns(op.getSource()),
        getColumns(op.getResult()), getLayout(op.getType()).outBits(), error);
    if (failed(converted)) {
      return op.emitOpError("cannot go through shared memory: ") << error;
    }
    rewriter.replaceOp(op, pack(rewriter, op, *converted));
    return success();
  }
};

} // namespace

void populateMovesToThreads(const TypeConverter &types,
                            RewritePatternSet &patterns,
                            ThreadEmitter &emitter) {
  patterns.add<BroadcastLowering, ConcatLowering, ConvertLowering, FullLowering,
               IotaLowering, JoinLowering, PermuteLowering, ReshapeLowering,
               SplitLowering>(types, patterns.getContext(), emitter);
  populateTakeToThreads(types, patterns, emitter);
}

} // namespace tegula::lower
