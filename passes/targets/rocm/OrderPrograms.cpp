// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rocm-order-programs: a GPU of several dies (XCDs) gives workgroups to them in
// turn, so that neighbours, which read the same tiles of a product's operands,
// miss each other's L2 cache. Renumbered, each die has one stretch of programs.

#include "passes/analysis/Explanation.h"
#include "passes/targets/rocm/Chip.h"
#include "passes/targets/rocm/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

#define DEBUG_TYPE "rocm-order-programs"

using namespace mlir;

namespace tegula::rocm {
#define GEN_PASS_DEF_ORDERPROGRAMSPASS
#include "passes/targets/rocm/Passes.h.inc"
namespace {

/// The last parameters of a kernel: three sizes of the grid and the message
/// buffer.
constexpr unsigned kTrailing = 4;

bool hasMatrixInstruction(func::FuncOp kernel) {
  return kernel
      ->walk([](Operation *op) {
        return op->getName().getStringRef().starts_with("rocdl.mfma")
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

bool endsInGrid(func::FuncOp kernel) {
  ArrayRef<Type> types = kernel.getArgumentTypes();
  return types.size() >= kTrailing &&
         llvm::all_of(types.take_back(kTrailing).drop_back(),
                      [](Type type) { return type.isInteger(32); });
}

/// The program for workgroup `block` of `count`: with `dies` dies, die d has
/// count / dies programs, one more if d < count % dies, all in a row.
Value getProgram(OpBuilder &builder, Location loc, Value block, Value count,
                 int64_t dies) {
  Value number =
      arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(dies));
  Value die = arith::RemUIOp::create(builder, loc, block, number);
  Value place = arith::DivUIOp::create(builder, loc, block, number);
  Value each = arith::DivUIOp::create(builder, loc, count, number);
  Value more = arith::RemUIOp::create(builder, loc, count, number);
  Value start = arith::MulIOp::create(builder, loc, die, each);
  Value before = arith::MinUIOp::create(builder, loc, die, more);
  start = arith::AddIOp::create(builder, loc, start, before);
  return arith::AddIOp::create(builder, loc, start, place);
}

struct OrderProgramsPass final
    : impl::OrderProgramsPassBase<OrderProgramsPass> {
  void runOnOperation() override {
    const Chip *chip = getChipOf(getOperation());
    if (!chip) {
      return signalPassFailure();
    }
    if (chip->dies == 1) {
      analysis::missed(DEBUG_TYPE, "order", getOperation().getLoc())
          << "programs stay in order: there is one die";
      return;
    }
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      if (kernel.isExternal() || !endsInGrid(kernel)) {
        continue;
      }
      if (!hasMatrixInstruction(kernel)) {
        analysis::missed(DEBUG_TYPE, "order", kernel.getLoc())
            << "programs stay in order: there is no product, so neighbours "
               "share no tiles";
        continue;
      }
      renumber(kernel, chip->dies);
    }
  }

private:
  static void renumber(func::FuncOp kernel, int64_t dies) {
    SmallVector<gpu::BlockIdOp> blocks;
    kernel.walk([&](gpu::BlockIdOp op) {
      if (op.getDimension() == gpu::Dimension::x) {
        blocks.push_back(op);
      }
    });
    if (blocks.empty()) {
      return;
    }
    Location loc = kernel.getLoc();
    auto builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
    auto grid = kernel.getArguments().take_back(kTrailing).drop_back();
    Value count = grid[0];
    for (Value size : grid.drop_front()) {
      count = arith::MulIOp::create(builder, loc, count, size);
    }
    Value block = gpu::BlockIdOp::create(builder, loc, builder.getIndexType(),
                                         gpu::Dimension::x);
    Type i32 = builder.getI32Type();
    Value narrow = arith::IndexCastUIOp::create(builder, loc, i32, block);
    Value program = arith::IndexCastUIOp::create(
        builder, loc, builder.getIndexType(),
        getProgram(builder, loc, narrow, count, dies));
    for (gpu::BlockIdOp op : blocks) {
      op.getResult().replaceAllUsesWith(program);
      op.erase();
    }
  }
};

} // namespace
} // namespace tegula::rocm
