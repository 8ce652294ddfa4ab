// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lower-use-shared-operands: where the matrix unit can read an operand from
// shared memory itself, a dot need not load it into registers first. Whether it
// can is asked of the device.

#include "passes/analysis/Explanation.h"
#include "passes/lower/LayoutTransfer.h"
#include "passes/lower/Passes.h"
#include "passes/lower/TargetInfo.h"

#include "dialects/simt/Simt.h"

#define DEBUG_TYPE "lower-use-shared-operands"

using namespace mlir;

namespace tegula::lower {
#define GEN_PASS_DEF_USESHAREDOPERANDSPASS
#include "passes/lower/Passes.h.inc"
namespace {

/// The type of a buffer of `source`'s elements with another shape and layout.
simt::BufferType getViewType(RankedTensorType source, ArrayRef<int64_t> shape,
                             const layout::LinearLayout &layout) {
  return simt::BufferType::get(RankedTensorType::get(
      shape, source.getElementType(),
      layout::LinearAttr::get(source.getContext(), layout)));
}

/// The buffer that `tile` is read from, with what happens to it on the way
/// applied to the buffer; null if there is none. Whatever renames coordinates
/// alone is a view of the buffer.
Value getBuffer(OpBuilder &builder, Value tile) {
  if (auto read = tile.getDefiningOp<simt::ReadOp>()) {
    return read.getBuffer();
  }
  Operation *op = tile.getDefiningOp();
  if (!isa_and_nonnull<layout::ConvertOp, tile::PermuteOp, tile::ReshapeOp>(
          op) ||
      !isa<RankedTensorType>(op->getOperand(0).getType())) {
    return nullptr;
  }
  Value buffer = getBuffer(builder, op->getOperand(0));
  if (!buffer || isa<layout::ConvertOp>(op)) {
    return buffer;
  }
  RankedTensorType source = cast<simt::BufferType>(buffer.getType()).getTile();
  const layout::LinearLayout &layout = layout::getLayout(source).getLayout();
  ArrayRef<int64_t> shape = cast<RankedTensorType>(tile.getType()).getShape();
  if (auto permute = dyn_cast<tile::PermuteOp>(op)) {
    auto type = getViewType(source, shape, *layout.permute(permute.getPerm()));
    return simt::PermuteOp::create(builder, tile.getLoc(), type, buffer,
                                   permute.getPerm());
  }
  return simt::ReshapeOp::create(
      builder, tile.getLoc(),
      getViewType(source, shape, *layout.reshape(shape)), buffer);
}

class UseSharedOperands
    : public impl::UseSharedOperandsPassBase<UseSharedOperands> {
public:
  using UseSharedOperandsPassBase::UseSharedOperandsPassBase;

  void runOnOperation() override {
    const TargetInfo *target = TargetInfo::of(getOperation());
    if (!target) {
      return signalPassFailure();
    }
    SmallVector<tile::DotOp> dots;
    getOperation()->walk([&](tile::DotOp dot) { dots.push_back(dot); });
    for (tile::DotOp dot : dots) {
      rewrite(dot, *target);
    }
  }

private:
  void rewrite(tile::DotOp dot, const TargetInfo &target) {
    OpBuilder builder(dot);
    Value a = getBuffer(builder, dot.getA());
    Value b = getBuffer(builder, dot.getB());
    if (!a) {
      a = dot.getA();
    }
    if (!b || !target.supportsSharedOperands(
                  dot, a.getType(), cast<simt::BufferType>(b.getType()))) {
      analysis::missed(DEBUG_TYPE, "matrix-unit", dot.getLoc())
          << "operands go through registers: they are not in shared memory in "
             "a layout that the matrix unit reads";
      return;
    }
    Value product = simt::MmaOp::create(builder, dot.getLoc(), dot.getType(), a,
                                        b, dot.getAcc(), dot.getAUnsigned(),
                                        dot.getBUnsigned());
    Value result = simt::MmaWaitOp::create(builder, dot.getLoc(), dot.getType(),
                                           0, product);
    Value oldA = dot.getA(), oldB = dot.getB();
    dot.replaceAllUsesWith(result);
    dot.erase();
    eraseUnused(oldA);
    eraseUnused(oldB);
  }

  /// Erases the reads that nobody needs any more.
  static void eraseUnused(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || !op->use_empty() ||
        !isa<simt::ReadOp, layout::ConvertOp, tile::PermuteOp, tile::ReshapeOp>(
            op)) {
      return;
    }
    Value source = op->getOperand(0);
    op->erase();
    eraseUnused(source);
  }
};

} // namespace
} // namespace tegula::lower
