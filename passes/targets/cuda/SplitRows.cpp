// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuda-split-rows: a program whose row takes all threads of a processor loads,
// computes and stores in turn, and memory waits for it. With half the threads
// two of them take turns, if a thread can hold its part of a row. So the row is
// handled in pieces, one after the other between two exchanges of threads: what
// is held is then a choice for each piece (cuda-hold-tiles).

#include "passes/analysis/Explanation.h"
#include "passes/analysis/Overlaps.h"
#include "passes/lower/Combiner.h"
#include "passes/lower/DotLoads.h"
#include "passes/lower/LayoutTransfer.h"
#include "passes/lower/TargetInfo.h"
#include "passes/targets/cuda/Arch.h"
#include "passes/targets/cuda/Occupancy.h"
#include "passes/targets/cuda/Passes.h"
#include "passes/targets/cuda/RowPrograms.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

#include <map>

#define DEBUG_TYPE "cuda-split-rows"

using namespace mlir;

namespace tegula::cuda {
#define GEN_PASS_DEF_SPLITROWSPASS
#include "passes/targets/cuda/Passes.h.inc"
namespace {

/// Bytes of a tile that a thread can hold without crowding the others out, by
/// which lower-assign-layouts chooses the number of warps.
constexpr int64_t kBytesPerLane = 128;

class RowSplitter {
public:
  RowSplitter(func::FuncOp kernel, const lower::TargetInfo &target)
      : kernel(kernel), target(target), builder(kernel.getContext()) {}

  void run() {
    findRow();
    if (extent == 0) {
      return; // Nothing to split: no row takes a whole processor.
    }
    for (Operation &op : kernel.getBody().front().without_terminator()) {
      if (StringRef reason = getObstacle(&op); !reason.empty()) {
        analysis::missed(DEBUG_TYPE, "warps", op.getLoc())
            << "a program has a processor for itself: " << reason;
        return;
      }
    }
    if (stores > 1 || !reduces) {
      analysis::missed(DEBUG_TYPE, "warps", kernel.getLoc())
          << "a program has a processor for itself: rows are "
          << (reduces ? "stored more than once" : "not reduced");
      return;
    }
    split();
  }

private:
  //===--------------------------------------------------------------------===//
  // What can be split
  //===--------------------------------------------------------------------===//

  int64_t getNumWarps() const { return target.getMaxNumWarps() / kPrograms; }
  int64_t getNumThreads() const { return getNumWarps() * target.getNumLanes(); }

  /// Sets `extent` to that of the widest tiles, if these would take all threads
  /// and are loaded narrow enough for half of them.
  void findRow() {
    int64_t bytes = 0, elements = 0, loaded = 0;
    kernel.walk([&](Operation *op) {
      for (Value result : op->getResults()) {
        if (auto type = dyn_cast<RankedTensorType>(result.getType())) {
          bytes = std::max(bytes, type.getNumElements() * getBytes(type));
          elements = std::max(elements, type.getNumElements());
        }
      }
    });
    kernel.walk([&](tile::LoadOp load) {
      loaded = isRow(load.getType(), elements)
                   ? std::max(loaded, getBytes(load.getType()))
                   : loaded;
    });
    int64_t threads = getNumThreads();
    if (loaded == 0 || loaded > kNarrowBytes ||
        bytes < kPrograms * threads * kBytesPerLane ||
        elements * loaded > threads * kBytesPerLane) {
      return;
    }
    int64_t piece = threads * target.getMaxAccessBytes() / loaded;
    if (elements % piece == 0 && elements > piece) {
      extent = elements;
      pieces = elements / piece;
    }
  }

  static bool isRow(Type type, int64_t elements) {
    auto tile = dyn_cast<RankedTensorType>(type);
    return tile && tile.getNumElements() == elements &&
           tile.getShape().back() == elements;
  }
  bool isRow(Value value) const { return isRow(value.getType(), extent); }
  bool touchesRows(Operation *op) const {
    auto isLong = [&](Value value) {
      auto tile = dyn_cast<RankedTensorType>(value.getType());
      return tile && tile.getNumElements() >= extent;
    };
    return llvm::any_of(op->getOperands(), isLong) ||
           llvm::any_of(op->getResults(), isLong);
  }

  /// Why pieces of `op` cannot be computed one by one; empty if they can.
  StringRef getObstacle(Operation *op) {
    if (auto load = dyn_cast<tile::LoadOp>(op);
        load && analysis::isWritten(kernel, load.getView(),
                                    /*othersWrite=*/false)) {
      return "the kernel writes what it loads";
    }
    if (auto store = dyn_cast<tile::StoreOp>(op)) {
      ++stores;
    } else if (!isa<tile::LoadOp>(op) && !isMemoryEffectFree(op)) {
      return "more than loads and a store touch memory";
    }
    if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
      return touchesRows(op) ? getObstacle(reduce) : "";
    }
    if (op->getNumRegions() != 0) {
      return "it has control flow";
    }
    return touchesRows(op) ? getObstacleOfRow(op) : "";
  }

  StringRef getObstacle(tile::ReduceOp reduce) {
    Value source = reduce.getSources().front();
    Type element = getElementTypeOrSelf(source.getType());
    if (!reduce.getKind() || !isRow(source) ||
        reduce.getAxis() + 1 !=
            cast<RankedTensorType>(source.getType()).getRank()) {
      return "a reduction is by a region or along another dimension";
    }
    reduces = true;
    return lower::getCombineType(reduce.getKind(), element) == element
               ? ""
               : "a reduction is wider than its elements";
  }

  StringRef getObstacleOfRow(Operation *op) const {
    bool hasRows = llvm::all_of(op->getResults(),
                                [&](Value result) { return isRow(result); }) &&
                   llvm::all_of(op->getOperands(), [&](Value operand) {
                     return isRow(operand) ||
                            !isa<RankedTensorType>(operand.getType()) ||
                            isa<tile::BroadcastOp>(op);
                   });
    if (!hasRows) {
      return "a tile is no row";
    }
    if (isa<tile::LoadOp, tile::StoreOp>(op)) {
      auto load = dyn_cast<tile::LoadOp>(op);
      OperandRange index =
          load ? load.getIndex() : cast<tile::StoreOp>(op).getIndex();
      if (op->hasAttr("extents")) {
        return "rows are padded";
      }
      return matchPattern(index.back(), m_Zero())
                 ? ""
                 : "it is not the first tile of an array's rows";
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      return isa<SplatElementsAttr>(constant.getValue())
                 ? ""
                 : "a row is a constant";
    }
    if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) {
      return broadcast.getSource().getType().getNumElements() == 1
                 ? ""
                 : "a tile is no row";
    }
    bool isKnown = (lower::isElementwise(op) && !isa<tile::ScanOp>(op)) ||
                   isa<tile::ReshapeOp, tile::FullOp, tile::IotaOp>(op);
    return isKnown ? "" : "threads exchange elements of a row";
  }

  //===--------------------------------------------------------------------===//
  // Pieces
  //===--------------------------------------------------------------------===//

  void split() {
    Block &block = kernel.getBody().front();
    SmallVector<Operation *> segment, erased;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      bool isEnd = &op == block.getTerminator();
      if (!isEnd && !touchesRows(&op)) {
        continue;
      }
      auto reduce = dyn_cast<tile::ReduceOp>(op);
      if (isEnd || reduce) {
        builder.setInsertionPoint(&op);
        emit(segment, reduce);
        segment.clear();
      } else {
        segment.push_back(&op);
      }
      if (!isEnd) {
        erased.push_back(&op);
      }
    }
    for (Operation *op : llvm::reverse(erased)) {
      op->erase();
    }
    auto i32 = [&](int64_t value) { return builder.getI32IntegerAttr(value); };
    kernel->setAttr(lower::kNumWarpsAttr, i32(getNumWarps()));
    kernel->setAttr(kRegistersAttr,
                    i32(kRegisters / (kPrograms * getNumThreads())));
    analysis::chosen(DEBUG_TYPE, "warps", kernel.getLoc())
        << "rows of " << extent << " elements are handled in " << pieces
        << " pieces, so that " << kPrograms << " programs share a processor";
  }

  /// Piece after piece of what comes before an exchange. Loads are a piece
  /// ahead. `reduce` is the exchange, or null at the end.
  void emit(ArrayRef<Operation *> segment, tile::ReduceOp reduce) {
    Value total;
    for (int64_t piece = -1; piece < pieces; ++piece) {
      for (Operation *op : segment) {
        bool isLoad = isa<tile::LoadOp>(op);
        int64_t number = isLoad ? piece + 1 : piece;
        if (number >= 0 && number < pieces) {
          emitPiece(op, number);
        }
      }
      if (reduce && piece >= 0) {
        Value part = maps[piece].lookup(reduce.getSources().front());
        lower::Combiner combine(*reduce.getKind());
        total = total ? combine(builder, reduce.getLoc(), total, part).front()
                      : part;
      }
    }
    if (reduce) {
      Operation *copy = builder.clone(*reduce);
      copy->setOperand(0, total);
      reduce.replaceAllUsesWith(copy->getResults());
    }
  }

  RankedTensorType getPieceType(Type type) const {
    auto tile = cast<RankedTensorType>(type);
    SmallVector<int64_t> shape(tile.getShape());
    shape.back() = extent / pieces;
    return tile.clone(shape);
  }

  void emitPiece(Operation *op, int64_t piece) {
    IRMapping &map = maps[piece];
    Location loc = op->getLoc();
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      auto splat = cast<SplatElementsAttr>(constant.getValue());
      map.map(constant.getResult(),
              arith::ConstantOp::create(
                  builder, loc,
                  splat.resizeSplat(getPieceType(constant.getType()))));
      return;
    }
    Value index;
    if (isa<tile::LoadOp, tile::StoreOp>(op)) {
      index = arith::ConstantIntOp::create(builder, loc, piece, 64);
    }
    Operation *copy = builder.clone(*op, map);
    for (Value result : copy->getResults()) {
      result.setType(getPieceType(result.getType()));
    }
    if (auto load = dyn_cast<tile::LoadOp>(copy)) {
      load.getIndexMutable().slice(load.getIndex().size() - 1, 1).assign(index);
    } else if (auto store = dyn_cast<tile::StoreOp>(copy)) {
      store.getIndexMutable()
          .slice(store.getIndex().size() - 1, 1)
          .assign(index);
    } else if (isa<tile::IotaOp>(copy) && piece > 0) {
      auto type = cast<RankedTensorType>(copy->getResult(0).getType());
      auto start = DenseElementsAttr::get(
          type, builder
                    .getIntegerAttr(type.getElementType(),
                                    piece * type.getNumElements())
                    .getValue());
      Value offset = arith::ConstantOp::create(builder, loc, start);
      map.map(op->getResult(0),
              arith::AddIOp::create(builder, loc, copy->getResult(0), offset)
                  .getResult());
    }
  }

  func::FuncOp kernel;
  const lower::TargetInfo &target;
  OpBuilder builder;
  int64_t extent = 0, pieces = 0;
  int64_t stores = 0;
  bool reduces = false;
  /// By number of the piece.
  std::map<int64_t, IRMapping> maps;
};

struct SplitRowsPass final : impl::SplitRowsPassBase<SplitRowsPass> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    const Arch *arch = getArchOf(kernel);
    if (!arch) {
      return signalPassFailure();
    }
    if (!kernel.getBody().hasOneBlock()) {
      return explain("it has control flow");
    }
    // Half of what all threads hold of a row.
    if (getSharedBytes(*arch, kPrograms) <
        kMaxThreads * kBytesPerLane / 2 + kExchangeBytes) {
      return explain("two programs have not enough shared memory");
    }
    if (kernel->hasAttr(tile::kNumWarpsHintAttr) ||
        kernel->hasAttr(lower::kNumWarpsAttr)) {
      return explain("the number of warps is given");
    }
    RowSplitter(kernel, *lower::TargetInfo::of(kernel)).run();
  }

private:
  void explain(StringRef reason) {
    analysis::missed(DEBUG_TYPE, "warps", getOperation().getLoc())
        << "rows stay whole: " << reason;
  }
};

} // namespace
} // namespace tegula::cuda
