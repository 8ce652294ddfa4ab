// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuda-hold-tiles: what a thread holds while it exchanges values with others
// decides how many programs a processor has room for. A tile that was loaded
// narrow is held so, and widened again for each use; a tile that is too much to
// compute again waits in shared memory, where each thread meets its own
// elements.

#include "passes/analysis/Explanation.h"
#include "passes/lower/KernelNumbers.h"
#include "passes/lower/LayoutTransfer.h"
#include "passes/lower/TargetInfo.h"
#include "passes/targets/cuda/Arch.h"
#include "passes/targets/cuda/Occupancy.h"
#include "passes/targets/cuda/Passes.h"
#include "passes/targets/cuda/RowPrograms.h"

#include "dialects/layout/SharedSwizzle.h"
#include "dialects/simt/SimtWrite.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

#define DEBUG_TYPE "cuda-hold-tiles"

using namespace mlir;

namespace tegula::cuda {
#define GEN_PASS_DEF_HOLDTILESPASS
#include "passes/targets/cuda/Passes.h.inc"
namespace {

/// Registers of a thread for what is no held tile: addresses, and what is
/// computed with between exchanges.
constexpr int64_t kOtherRegisters = 28;
/// Operations by which a tile is computed again at most. More cost more than
/// the registers that they save.
constexpr int64_t kMaxOperations = 8;

bool isMask(Value tile) {
  return getElementTypeOrSelf(tile.getType()).isInteger(1);
}

/// Registers of a thread; at least one.
int64_t getRegisters(Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  int64_t elements =
      layout::getLayout(type).getLayout().inSize(layout::Dim::Register);
  return llvm::divideCeil(elements * getBytes(type), 4);
}

/// Computed by one cheap instruction an element, or none.
bool isCheap(Operation *op) {
  return isa<tile::CastOp, tile::BroadcastOp, tile::ReshapeOp, tile::FullOp,
             arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::NegFOp,
             arith::SelectOp, arith::ExtFOp>(op) ||
         op->hasTrait<OpTrait::ConstantLike>();
}

class Holder {
public:
  Holder(func::FuncOp kernel, const Arch &arch, int64_t registers,
         int64_t threads)
      : kernel(kernel), arch(arch), target(*lower::TargetInfo::of(kernel)),
        registers(registers), threads(threads), block(kernel.getBody().front()),
        builder(kernel.getContext()) {}

  void run() {
    SmallVector<Operation *> exchanges;
    for (Operation &op : block) {
      if (isa<tile::ReduceOp>(op)) {
        exchanges.push_back(&op);
      }
    }
    for (Operation *exchange : exchanges) {
      for (Value tile : getHeld(exchange)) {
        recompute(tile, exchange);
      }
    }
    for (Operation *exchange : exchanges) {
      store(exchange);
    }
  }

private:
  //===--------------------------------------------------------------------===//
  // What is held
  //===--------------------------------------------------------------------===//

  /// The operation of the block that `user` is in.
  Operation *getPlace(Operation *user) const {
    return block.findAncestorOpInBlock(*user);
  }

  bool isUsedAfter(Value value, Operation *exchange) const {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      return exchange->isBeforeInBlock(getPlace(user));
    });
  }

  /// Tiles, in the order in which they are made, that threads hold during
  /// `exchange`.
  SmallVector<Value> getHeld(Operation *exchange) const {
    SmallVector<Value> held;
    for (Operation &op : block) {
      if (&op == exchange) {
        break;
      }
      for (Value result : op.getResults()) {
        auto type = dyn_cast<RankedTensorType>(result.getType());
        if (type && !isMask(result) && !lower::isFreeSource(&op) &&
            !isa<tile::BroadcastOp>(op) && isUsedAfter(result, exchange)) {
          held.push_back(result);
        }
      }
    }
    return held;
  }

  Operation *getFirstUser(Value value, Operation *after) const {
    Operation *first = nullptr;
    for (Operation *user : value.getUsers()) {
      Operation *place = getPlace(user);
      if (after->isBeforeInBlock(place) &&
          (!first || place->isBeforeInBlock(first))) {
        first = place;
      }
    }
    return first;
  }

  void replaceAfter(Value value, Value replacement, Operation *place) const {
    value.replaceUsesWithIf(replacement, [&](OpOperand &use) {
      Operation *user = getPlace(use.getOwner());
      return user == place || place->isBeforeInBlock(user);
    });
  }

  //===--------------------------------------------------------------------===//
  // Narrow tiles
  //===--------------------------------------------------------------------===//

  /// Collects what computes `value` from what is held anyway and from narrow
  /// tiles that were loaded, `sources`. Fails if that is no gain.
  LogicalResult collect(Value value, SetVector<Operation *> &path,
                        SetVector<Value> &sources) const {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || isMask(value) || getRegisters(value) == 1) {
      return success();
    }
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != &block) {
      return failure();
    }
    if (getBytes(type) <= kNarrowBytes &&
        isa<tile::LoadOp, simt::RenewOp>(op)) {
      sources.insert(value);
      return success();
    }
    if (!isCheap(op) || static_cast<int64_t>(path.size()) >= kMaxOperations) {
      return failure();
    }
    for (Value operand : op->getOperands()) {
      if (failed(collect(operand, path, sources))) {
        return failure();
      }
    }
    path.insert(op);
    return success();
  }

  /// Computes `tile` again after `exchange`, from tiles that take less.
  void recompute(Value tile, Operation *exchange) {
    SetVector<Operation *> path;
    SetVector<Value> sources;
    if (failed(collect(tile, path, sources)) || sources.empty() ||
        path.empty()) {
      return;
    }
    int64_t needed = 0;
    for (Value source : sources) {
      needed += getRegisters(source);
    }
    Operation *place = getFirstUser(tile, exchange);
    if (!place || needed >= getRegisters(tile)) {
      return;
    }
    builder.setInsertionPoint(place);
    IRMapping map;
    for (Value source : sources) {
      Value renewed = simt::RenewOp::create(builder, source.getLoc(),
                                            source.getType(), source);
      replaceAfter(source, renewed, place);
      map.map(source, renewed);
    }
    for (Operation *op : path) {
      builder.clone(*op, map);
    }
    replaceAfter(tile, map.lookup(tile), place);
    analysis::chosen(DEBUG_TYPE, "registers", tile.getLoc())
        << "this tile is computed again after "
        << analysis::describePlace(exchange->getLoc())
        << ", from what was loaded";
  }

  //===--------------------------------------------------------------------===//
  // Shared memory
  //===--------------------------------------------------------------------===//

  /// Puts tiles that are more than the registers hold during `exchange` into
  /// shared memory, those first that are made first.
  void store(Operation *exchange) {
    SmallVector<Value> held = getHeld(exchange);
    int64_t taken = 0;
    for (Value tile : held) {
      taken += getRegisters(tile);
    }
    for (Value tile : held) {
      if (taken <= registers - kOtherRegisters) {
        return;
      }
      if (getBytes(tile.getType()) != 4 || getRegisters(tile) < 4) {
        continue;
      }
      if (!store(tile, exchange)) {
        analysis::missed(DEBUG_TYPE, "registers", tile.getLoc())
            << "this tile stays in registers: there is no room for it in "
               "shared memory";
        return;
      }
      taken -= getRegisters(tile);
    }
  }

  bool store(Value tile, Operation *exchange) {
    auto type = cast<RankedTensorType>(tile.getType());
    const layout::LinearLayout &threads = layout::getLayout(type).getLayout();
    layout::SharedMemory memory{target.getNumSharedBanks(), 4,
                                8 * target.getMaxAccessBytes()};
    auto buffer =
        layout::swizzledOffsets(threads, threads, 8 * getBytes(type), memory);
    if (!buffer) {
      return false;
    }
    auto bufferType =
        simt::BufferType::get(layout::withLayout(type, buffer->layout));
    std::optional<int64_t> offset = reserve(bufferType.getBytes());
    if (!offset) {
      return false;
    }
    Location loc = tile.getLoc();
    builder.setInsertionPointAfterValue(tile);
    Value place = simt::ReserveOp::create(builder, loc, bufferType, *offset);
    simt::WriteOp::create(builder, loc, tile, place);
    Operation *user = getFirstUser(tile, exchange);
    builder.setInsertionPoint(user);
    Value again = simt::ReadOp::create(builder, loc, type, place);
    replaceAfter(tile, again, user);
    analysis::chosen(DEBUG_TYPE, "registers", loc)
        << "this tile waits in shared memory, " << bufferType.getBytes()
        << " bytes, during " << analysis::describePlace(exchange->getLoc());
    return true;
  }

  /// Shared memory of the program's own, if it leaves room for the others.
  std::optional<int64_t> reserve(int64_t bytes) {
    int64_t programs = getMostPrograms(threads, registers);
    int64_t taken =
        lower::getNumber(kernel, lower::kSharedBytesAttr).value_or(0);
    int64_t offset = llvm::alignTo(taken, simt::kTileAlignment);
    if (offset + bytes + kExchangeBytes > getSharedBytes(arch, programs)) {
      return std::nullopt;
    }
    kernel->setAttr(lower::kSharedBytesAttr,
                    builder.getI32IntegerAttr(offset + bytes));
    return offset;
  }

  func::FuncOp kernel;
  const Arch &arch;
  const lower::TargetInfo &target;
  int64_t registers;
  int64_t threads;
  Block &block;
  OpBuilder builder;
};

struct HoldTilesPass final : impl::HoldTilesPassBase<HoldTilesPass> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    const Arch *arch = getArchOf(kernel);
    if (!arch) {
      return signalPassFailure();
    }
    auto registers = lower::getNumber(kernel, kRegistersAttr);
    auto warps = lower::getNumber(kernel, lower::kNumWarpsAttr);
    if (!registers || !warps || !kernel.getBody().hasOneBlock()) {
      analysis::missed(DEBUG_TYPE, "registers", kernel.getLoc())
          << "programs share no processor";
      return;
    }
    if (*registers < 1 || *warps < 1) {
      kernel.emitOpError("has '")
          << kRegistersAttr << "' = " << kernel->getAttr(kRegistersAttr)
          << " and '" << lower::kNumWarpsAttr
          << "' = " << kernel->getAttr(lower::kNumWarpsAttr)
          << ", which must be positive";
      return signalPassFailure();
    }
    Holder(kernel, *arch, *registers, *warps * kNumLanes).run();
  }
};

} // namespace
} // namespace tegula::cuda
