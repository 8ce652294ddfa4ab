// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cpu-widen-bools: gives each bool in a buffer a byte of its own that holds 0
// or 1. The conversion of memrefs to LLVM does not take elements below a byte,
// and LLVM would not vectorize them.

#include "passes/targets/cpu/Abi.h"
#include "passes/targets/cpu/Passes.h"

#define DEBUG_TYPE "cpu-widen-bools"

using namespace mlir;

namespace tegula::cpu {
#define GEN_PASS_DEF_WIDENBOOLSPASS
#include "passes/targets/cpu/Passes.h.inc"
namespace {

/// The type with bytes for bools, or null if it is no buffer of bools.
Type getWidened(Type type) {
  auto buffer = dyn_cast<MemRefType>(type);
  if (!buffer || !buffer.getElementType().isInteger(1)) {
    return Type();
  }
  return MemRefType::get(buffer.getShape(),
                         getMemoryElementType(buffer.getElementType()),
                         buffer.getLayout(), buffer.getMemorySpace());
}

void widen(Value value) {
  if (Type type = getWidened(value.getType())) {
    value.setType(type);
  }
}

bool isBoolBuffer(Value value) {
  return static_cast<bool>(getWidened(value.getType()));
}

/// A table of constant bools becomes one of bytes.
LogicalResult widenGlobal(memref::GlobalOp global) {
  Type type = getWidened(global.getType());
  if (!type) {
    return success();
  }
  global.setTypeAttr(TypeAttr::get(type));
  Attribute initial = global.getInitialValueAttr();
  if (!initial || isa<UnitAttr>(initial)) {
    return success();
  }
  auto bools = dyn_cast<DenseIntElementsAttr>(initial);
  if (!bools) {
    return global.emitOpError() << "holds bools in a form that cannot be read";
  }
  Type byte = IntegerType::get(global.getContext(), 8);
  global.setInitialValueAttr(
      bools.mapValues(byte, [](const APInt &bit) { return bit.zext(8); }));
  return success();
}

struct WidenBoolsPass final : impl::WidenBoolsPassBase<WidenBoolsPass> {
  void runOnOperation() override {
    SmallVector<memref::LoadOp> loads;
    SmallVector<memref::StoreOp> stores;
    WalkResult result = getOperation()->walk([&](Operation *op) {
      if (auto load = dyn_cast<memref::LoadOp>(op)) {
        if (isBoolBuffer(load.getMemRef())) {
          loads.push_back(load);
        }
      } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
        if (isBoolBuffer(store.getMemRef())) {
          stores.push_back(store);
        }
      } else if (auto func = dyn_cast<func::FuncOp>(op)) {
        FunctionType type = func.getFunctionType();
        if (llvm::any_of(type.getInputs(), getWidened) ||
            llvm::any_of(type.getResults(), getWidened)) {
          op->emitOpError() << "takes or returns a buffer of bools; pass bytes";
          return WalkResult::interrupt();
        }
      } else if (!isTransparent(op) &&
                 llvm::any_of(op->getOperands(), isBoolBuffer)) {
        op->emitOpError() << "reads or writes a buffer of bools other than by "
                             "memref.load and memref.store";
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    WalkResult tables =
        getOperation()->walk([](memref::GlobalOp global) -> WalkResult {
          return widenGlobal(global);
        });
    if (result.wasInterrupted() || tables.wasInterrupted()) {
      return signalPassFailure();
    }
    getOperation()->walk([](Operation *op) {
      llvm::for_each(op->getResults(), widen);
      for (Region &region : op->getRegions()) {
        for (Block &block : region) {
          llvm::for_each(block.getArguments(), widen);
        }
      }
    });
    llvm::for_each(loads, narrowLoad);
    llvm::for_each(stores, widenStore);
  }

  /// Operations that pass a buffer on without touching its elements: they
  /// follow the type of their operand.
  static bool isTransparent(Operation *op) {
    return isa<memref::SubViewOp, memref::CastOp, memref::ReinterpretCastOp,
               memref::ExpandShapeOp, memref::CollapseShapeOp, memref::DimOp,
               memref::ExtractStridedMetadataOp, memref::DeallocOp,
               memref::ExtractAlignedPointerAsIndexOp, scf::YieldOp, scf::ForOp,
               scf::WhileOp, scf::ConditionOp, arith::SelectOp>(op);
  }

  static void narrowLoad(memref::LoadOp load) {
    OpBuilder builder(load->getContext());
    builder.setInsertionPointAfter(load);
    load.getResult().setType(builder.getI8Type());
    Value zero = arith::ConstantIntOp::create(builder, load.getLoc(), 0, 8);
    auto isTrue =
        arith::CmpIOp::create(builder, load.getLoc(), arith::CmpIPredicate::ne,
                              load.getResult(), zero);
    load.getResult().replaceAllUsesExcept(isTrue, isTrue);
  }

  static void widenStore(memref::StoreOp store) {
    OpBuilder builder(store);
    Value byte = arith::ExtUIOp::create(builder, store.getLoc(),
                                        builder.getI8Type(), store.getValue());
    store.getValueMutable().assign(byte);
  }
};

} // namespace
} // namespace tegula::cpu
