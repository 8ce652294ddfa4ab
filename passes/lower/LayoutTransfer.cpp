// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts follow data: an operation that only moves elements moves its layout's
// outputs with them.

#include "passes/lower/LayoutTransfer.h"

#include "dialects/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tegula::lower {

using layout::Dim;
using layout::LinearLayout;

namespace {

using Result = std::optional<LinearLayout>;

/// Equal tiles end to end along `axis`: which one it is are the last registers.
Result stack(const LinearLayout &layout, unsigned axis, int64_t extent) {
  LinearLayout::Bases bases = layout.allBases();
  for (int64_t start = layout.shape()[axis]; start < extent; start *= 2) {
    LinearLayout::Basis basis(layout.rank(), 0);
    basis[axis] = start;
    bases[static_cast<unsigned>(Dim::Register)].push_back(basis);
  }
  SmallVector<int64_t> shape(layout.shape());
  shape[axis] = extent;
  return LinearLayout::create(std::move(bases), shape);
}

/// The layout of one of those tiles. Nothing if which one it is depends on more
/// than registers.
Result unstack(const LinearLayout &layout, unsigned axis, int64_t extent) {
  LinearLayout::Bases bases = layout.allBases();
  llvm::erase_if(bases[static_cast<unsigned>(Dim::Register)],
                 [&](const LinearLayout::Basis &basis) {
                   return llvm::count(basis, 0) + 1 ==
                              static_cast<int64_t>(basis.size()) &&
                          basis[axis] >= extent && basis[axis] % extent == 0;
                 });
  SmallVector<int64_t> shape(layout.shape());
  shape[axis] = extent;
  // What still reaches beyond is out of range.
  return LinearLayout::create(std::move(bases), shape);
}

} // namespace

bool isElementwise(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() ||
         isa<tile::FloorDivOp, tile::FloorModOp, tile::ShlOp, tile::ShrOp,
             tile::IPowOp, tile::FloatModOp, tile::CastOp, tile::BitcastOp,
             tile::FPClassOp, tile::ScanOp>(op);
}

bool isFreeSource(Operation *op) {
  return isa<tile::FullOp, tile::IotaOp>(op) ||
         op->hasTrait<OpTrait::ConstantLike>();
}

std::optional<LinearLayout> inferResultLayout(Operation *op, unsigned operand,
                                              const LinearLayout &layout) {
  if (isElementwise(op)) {
    return layout;
  }
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](tile::ReshapeOp reshape) -> Result {
        auto type = dyn_cast<RankedTensorType>(reshape.getType());
        if (!type) {
          return std::nullopt;
        }
        return layout.reshape(type.getShape());
      })
      .Case([&](tile::PermuteOp permute) {
        return layout.permute(permute.getPerm());
      })
      .Case([&](tile::ReduceOp reduce) -> Result {
        if (layout.rank() == 1) {
          return std::nullopt;
        }
        auto dropped = layout.dropDim(reduce.getAxis());
        return dropped ? Result(dropped->removeFreeRegisters()) : dropped;
      })
      .Case([&](tile::JoinOp) { return layout.appendRegisterDim(); })
      .Case([&](tile::SplitOp) { return layout.halves(); })
      .Case([&](tile::ConcatOp concat) {
        return stack(layout, concat.getAxis(),
                     concat.getType().getDimSize(concat.getAxis()));
      })
      .Case([&](tile::TakeOp take) {
        return operand == 1 ? Result(layout) : std::nullopt;
      })
      .Default([](Operation *) -> Result { return std::nullopt; });
}

std::optional<LinearLayout> inferOperandLayout(Operation *op, unsigned operand,
                                               const LinearLayout &layout) {
  if (isElementwise(op)) {
    return layout;
  }
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](tile::BroadcastOp broadcast) -> Result {
        ArrayRef<int64_t> source = broadcast.getSource().getType().getShape();
        ArrayRef<int64_t> result = broadcast.getType().getShape();
        Result collapsed = layout;
        for (size_t d = 0; d < source.size() && collapsed; ++d) {
          if (source[d] != result[d]) {
            collapsed = collapsed->collapseDim(d);
          }
        }
        return collapsed ? Result(collapsed->removeFreeRegisters()) : collapsed;
      })
      .Case([&](tile::ReshapeOp reshape) -> Result {
        auto type = dyn_cast<RankedTensorType>(reshape.getSource().getType());
        if (!type) {
          return std::nullopt;
        }
        return layout.reshape(type.getShape());
      })
      .Case([&](tile::PermuteOp permute) {
        return layout.permute(invertPermutationVector(permute.getPerm()));
      })
      .Case([&](tile::JoinOp) { return layout.halves(); })
      .Case([&](tile::SplitOp) { return layout.appendRegisterDim(); })
      .Case([&](tile::ConcatOp concat) {
        auto source = cast<RankedTensorType>(concat.getSources()[0].getType());
        return unstack(layout, concat.getAxis(),
                       source.getDimSize(concat.getAxis()));
      })
      .Case([&](tile::TakeOp take) {
        return operand == 1 ? Result(layout) : std::nullopt;
      })
      .Default([](Operation *) -> Result { return std::nullopt; });
}

} // namespace tegula::lower
