// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lower-to-threads, whole tiles in memory and what a program knows of its place
// in the grid and of its arrays. A thread accesses its elements with the widest
// vectors that facts allow; of several copies one thread stores the first.

#include "passes/lower/TileWindow.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tegula::lower {
namespace {

using layout::Dim;
using layout::LinearLayout;

template <typename OpTy>
class MemoryPattern : public OpConversionPattern<OpTy> {
public:
  MemoryPattern(const TypeConverter &types, MLIRContext *context,
                ThreadEmitter &emitter)
      : OpConversionPattern<OpTy>(types, context), emitter(emitter) {}

protected:
  ThreadEmitter &emitter;
};

//===----------------------------------------------------------------------===//
// Grid and views
//===----------------------------------------------------------------------===//

struct ProgramIdToThreads final : MemoryPattern<tile::ProgramIdOp> {
  using MemoryPattern::MemoryPattern;
  LogicalResult
  matchAndRewrite(tile::ProgramIdOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<arith::ExtUIOp>(
        op, op.getType(), emitter.getProgramId(op.getAxis()));
    return success();
  }
};

struct NumProgramsToThreads final : MemoryPattern<tile::NumProgramsOp> {
  using MemoryPattern::MemoryPattern;
  LogicalResult
  matchAndRewrite(tile::NumProgramsOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<arith::ExtUIOp>(
        op, op.getType(), emitter.getNumPrograms(op.getAxis()));
    return success();
  }
};

struct DimToThreads final : MemoryPattern<tile::DimOp> {
  using MemoryPattern::MemoryPattern;
  LogicalResult
  matchAndRewrite(tile::DimOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FailureOr<ArrayParts> array = getArrayParts(op, adaptor.getView());
    if (failed(array)) {
      return failure();
    }
    rewriter.replaceOp(op, array->sizes[op.getAxis()]);
    return success();
  }
};

struct StrideToThreads final : MemoryPattern<tile::StrideOp> {
  using MemoryPattern::MemoryPattern;
  LogicalResult
  matchAndRewrite(tile::StrideOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FailureOr<ArrayParts> array = getArrayParts(op, adaptor.getView());
    if (failed(array)) {
      return failure();
    }
    rewriter.replaceOp(op, array->strides[op.getAxis()]);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// Scalar for one element, else a vector.
Type getAccessType(Type element, int64_t width) {
  Type memory = getMemoryType(element);
  return width == 1 ? memory : VectorType::get({width}, memory);
}

bool isPositiveZero(Value value) {
  return matchPattern(value, m_Zero()) || matchPattern(value, m_PosZeroFloat());
}

/// What is known of where a tile lies.
enum class Where {
  /// Nothing.
  Anywhere,
  /// No vector crosses the array's end.
  Interior,
  /// All of it is inside.
  Whole
};

class TileLoad {
public:
  TileLoad(const ThreadEmitter &emitter, const TileAccess &access,
           const std::optional<TileWindow> &window, RankedTensorType type,
           Location loc, Value pad)
      : emitter(emitter), access(access), window(window),
        element(type.getElementType()), loc(loc),
        firstRegisters(ThreadEmitter::getFirstRegisters(getLayout(type))),
        pad(pad && !isPositiveZero(pad) ? pad : Value()) {}

  /// Where the whole tile is inside, accesses depend on nothing and can all be
  /// on their way before the first is waited for.
  Value emit(OpBuilder &builder) const {
    int64_t numAccesses = firstRegisters.size() / access.getInteriorWidth();
    Value whole =
        numAccesses > 1 && !window ? access.emitIsWhole(builder) : Value();
    if (!whole) {
      return emitEdges(builder);
    }
    return emitBranch(
        builder, whole,
        [&](OpBuilder &inner) {
          return emitAll(inner, access.getInteriorWidth(), Where::Whole);
        },
        [&](OpBuilder &edge) { return emitEdges(edge); });
  }

private:
  using EmitFn = function_ref<Value(OpBuilder &)>;

  Value emitBranch(OpBuilder &builder, Value condition, EmitFn yes,
                   EmitFn no) const {
    auto branch = scf::IfOp::create(builder, loc, getType(), condition,
                                    /*withElseRegion=*/true);
    OpBuilder inner = branch.getThenBodyBuilder(builder.getListener());
    scf::YieldOp::create(inner, loc, yes(inner));
    OpBuilder outer = branch.getElseBodyBuilder(builder.getListener());
    scf::YieldOp::create(outer, loc, no(outer));
    return branch.getResult(0);
  }

  Value emitEdges(OpBuilder &builder) const {
    if (access.getWidth() == access.getInteriorWidth()) {
      return emitAll(builder, access.getWidth(), Where::Anywhere);
    }
    // An edge may run through a vector, but only in some programs.
    return emitBranch(
        builder, access.emitIsInterior(builder),
        [&](OpBuilder &inner) {
          return emitAll(inner, access.getInteriorWidth(), Where::Interior);
        },
        [&](OpBuilder &edge) {
          return emitAll(edge, access.getWidth(), Where::Anywhere);
        });
  }

  Type getType() const {
    return VectorType::get({static_cast<int64_t>(firstRegisters.size())},
                           element);
  }

  Value emitAll(OpBuilder &builder, int64_t width, Where where) const {
    SmallVector<Value> elements(firstRegisters.size());
    for (auto [reg, first] : llvm::enumerate(firstRegisters)) {
      if (static_cast<int64_t>(reg) != first) {
        elements[reg] = elements[first];
      } else if (reg % width == 0) {
        Value loaded = emitOne(builder, reg, width, where);
        llvm::copy(ThreadEmitter::unpack(builder, loc, loaded),
                   elements.begin() + reg);
      }
    }
    return ThreadEmitter::pack(builder, loc, elements, element);
  }

  Value emitOne(OpBuilder &builder, int64_t reg, int64_t width,
                Where where) const {
    Type type = getAccessType(element, width);
    if (window) {
      Value value =
          window->emitLoad(builder, reg, type, where == Where::Interior);
      return fromMemory(builder, loc, value, element);
    }
    Value predicate =
        where == Where::Whole
            ? Value()
            : access.emitPredicate(builder, reg, where == Where::Interior);
    int64_t bytes = width * getMemoryType(element).getIntOrFloatBitWidth() / 8;
    Value loaded = emitter.getTarget().emitLoad(
        builder, loc, type, access.emitPointer(builder, reg), predicate, bytes);
    if (pad && predicate) {
      Value filler = toMemory(builder, loc, pad);
      if (width > 1) {
        filler = vector::BroadcastOp::create(builder, loc, type, filler);
      }
      loaded = arith::SelectOp::create(builder, loc, predicate, loaded, filler);
    }
    return fromMemory(builder, loc, loaded, element);
  }

  const ThreadEmitter &emitter;
  const TileAccess &access;
  const std::optional<TileWindow> &window;
  Type element;
  Location loc;
  SmallVector<int64_t> firstRegisters;
  Value pad;
};

struct LoadToThreads final : MemoryPattern<tile::LoadOp> {
  using MemoryPattern::MemoryPattern;
  LogicalResult
  matchAndRewrite(tile::LoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FailureOr<ArrayParts> array = getArrayParts(op, adaptor.getView());
    if (failed(array)) {
      return failure();
    }
    // Windows give zeros.
    std::optional<TileWindow> window;
    if (!adaptor.getPad() || isPositiveZero(adaptor.getPad())) {
      window = TileWindow::create(rewriter, emitter.getTarget(), op, *array);
    }
    if (window) {
      array->strides = window->getStrides();
    }
    TileAccess access(rewriter, op.getLoc(), emitter, *array,
                      op.getView().getType(), analysis::getAccessFacts(op),
                      getLayout(op.getType()), adaptor.getIndex());
    if (window) {
      window->open(rewriter, access);
    }
    TileLoad load(emitter, access, window, op.getType(), op.getLoc(),
                  adaptor.getPad());
    rewriter.replaceOp(op, load.emit(rewriter));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// Whether threads exchange a tile's elements to get it.
bool isExchanged(Value tile) {
  Operation *op = tile.getDefiningOp();
  while (isa_and_nonnull<tile::ReshapeOp, tile::PermuteOp>(op)) {
    op = op->getOperand(0).getDefiningOp();
  }
  return isa_and_nonnull<layout::ConvertOp>(op);
}

class TileStore {
public:
  TileStore(OpBuilder &builder, const ThreadEmitter &emitter,
            const TileAccess &access, RankedTensorType type, Location loc,
            Value vector, bool isExchanged)
      : emitter(emitter), access(access), element(type.getElementType()),
        loc(loc), isExchanged(isExchanged),
        firstRegisters(ThreadEmitter::getFirstRegisters(getLayout(type))),
        values(ThreadEmitter::unpack(builder, loc, vector)),
        isFirstCopy(emitter.getIsFirstCopy(builder, loc, getLayout(type))) {}

  /// Where the whole tile is inside, stores depend on nothing: what threads
  /// have exchanged is then read back at once, not part after part.
  void emit(OpBuilder &builder) const {
    int64_t numAccesses = firstRegisters.size() / access.getInteriorWidth();
    Value whole =
        isExchanged && numAccesses > 1 ? access.emitIsWhole(builder) : Value();
    if (!whole) {
      emitEdges(builder);
      return;
    }
    emitBranch(
        builder, whole,
        [&](OpBuilder &inner) {
          emitAll(inner, access.getInteriorWidth(), Where::Whole);
        },
        [&](OpBuilder &edge) { emitEdges(edge); });
  }

private:
  using EmitFn = function_ref<void(OpBuilder &)>;

  void emitBranch(OpBuilder &builder, Value condition, EmitFn yes,
                  EmitFn no) const {
    auto branch = scf::IfOp::create(builder, loc, condition,
                                    /*withElseRegion=*/true);
    OpBuilder inner = branch.getThenBodyBuilder(builder.getListener());
    yes(inner);
    OpBuilder outer = branch.getElseBodyBuilder(builder.getListener());
    no(outer);
  }

  void emitEdges(OpBuilder &builder) const {
    if (access.getWidth() == access.getInteriorWidth()) {
      emitAll(builder, access.getWidth(), Where::Anywhere);
      return;
    }
    emitBranch(
        builder, access.emitIsInterior(builder),
        [&](OpBuilder &inner) {
          emitAll(inner, access.getInteriorWidth(), Where::Interior);
        },
        [&](OpBuilder &edge) {
          emitAll(edge, access.getWidth(), Where::Anywhere);
        });
  }

  void emitAll(OpBuilder &builder, int64_t width, Where where) const {
    int64_t bytes = width * getMemoryType(element).getIntOrFloatBitWidth() / 8;
    for (int64_t reg = 0; reg < static_cast<int64_t>(values.size());
         reg += width) {
      if (firstRegisters[reg] != reg) {
        continue;
      }
      Value predicate =
          where == Where::Whole
              ? Value()
              : access.emitPredicate(builder, reg, where == Where::Interior);
      if (predicate && isFirstCopy) {
        predicate = arith::AndIOp::create(builder, loc, predicate, isFirstCopy);
      } else if (isFirstCopy) {
        predicate = isFirstCopy;
      }
      Value value = values[reg];
      if (width > 1) {
        value = ThreadEmitter::pack(
            builder, loc, ValueRange(values).slice(reg, width), element);
      }
      emitter.getTarget().emitStore(builder, loc, toMemory(builder, loc, value),
                                    access.emitPointer(builder, reg), predicate,
                                    bytes);
    }
  }

  const ThreadEmitter &emitter;
  const TileAccess &access;
  Type element;
  Location loc;
  bool isExchanged;
  SmallVector<int64_t> firstRegisters;
  SmallVector<Value> values;
  Value isFirstCopy;
};

struct StoreToThreads final : MemoryPattern<tile::StoreOp> {
  using MemoryPattern::MemoryPattern;
  LogicalResult
  matchAndRewrite(tile::StoreOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FailureOr<ArrayParts> array = getArrayParts(op, adaptor.getView());
    if (failed(array)) {
      return failure();
    }
    RankedTensorType type = op.getValue().getType();
    TileAccess access(rewriter, op.getLoc(), emitter, *array,
                      op.getView().getType(), analysis::getAccessFacts(op),
                      getLayout(type), adaptor.getIndex());
    TileStore(rewriter, emitter, access, type, op.getLoc(), adaptor.getValue(),
              isExchanged(op.getValue()))
        .emit(rewriter);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void populateMemoryToThreads(const TypeConverter &types,
                             RewritePatternSet &patterns,
                             ThreadEmitter &emitter) {
  patterns.add<DimToThreads, LoadToThreads, NumProgramsToThreads,
               ProgramIdToThreads, StoreToThreads, StrideToThreads>(
      types, patterns.getContext(), emitter);
}

} // namespace tegula::lower
