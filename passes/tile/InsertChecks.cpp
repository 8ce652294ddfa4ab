// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tile-insert-checks: accesses that reach nothing of their array become failed
// assertions. They are defined, so nothing else tells the user of a wrong
// index; made of prints and assertions, the checks run wherever these do.

#include "passes/analysis/Overlaps.h"
#include "passes/tile/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

#define DEBUG_TYPE "tile-insert-checks"

using namespace mlir;

namespace tegula::tile {
#define GEN_PASS_DEF_INSERTCHECKSPASS
#include "passes/tile/Passes.h.inc"
namespace {

constexpr StringLiteral kNamesAttr = "tegula.array_names";

/// The name of the array that a view is, or is a part of.
std::string getArrayName(Value view) {
  auto arg = dyn_cast<BlockArgument>(analysis::getWhole(view));
  if (!arg) {
    return "an array";
  }
  Operation *parent = arg.getOwner()->getParentOp();
  auto names = parent->getAttrOfType<ArrayAttr>(kNamesAttr);
  if (names && arg.getArgNumber() < names.size()) {
    if (auto name = dyn_cast<StringAttr>(names[arg.getArgNumber()])) {
      return ("the array '" + name.getValue() + "'").str();
    }
  }
  return "argument " + std::to_string(arg.getArgNumber());
}

/// A brace in a name would stand for a value.
std::string escapeBraces(StringRef text) {
  std::string escaped;
  for (char c : text) {
    escaped += c;
    if (c == '{' || c == '}') {
      escaped += c;
    }
  }
  return escaped;
}

class Check {
public:
  Check(Operation *op, Value view)
      : op(op), view(view), builder(op), loc(op->getLoc()) {}

  /// A whole tile: an index among the tiles that begin inside.
  void checkTile(ValueRange index, ArrayRef<int64_t> extents) {
    auto part = view.getDefiningOp<SubviewOp>();
    if (part && isWindow(part, extents)) {
      return checkWindow(part, extents);
    }
    for (auto [axis, position] : llvm::enumerate(index)) {
      Value size = DimOp::create(builder, loc, view, axis);
      Value tiles = arith::CeilDivUIOp::create(builder, loc, size,
                                               constant(extents[axis]));
      Value ok = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                       position, tiles);
      report(ok, axis, "tile index", position, "tiles", tiles);
    }
  }

  /// Single elements: every lane that is not masked off is inside.
  void checkElements(ValueRange index, Value mask) {
    for (auto [axis, positions] : llvm::enumerate(index)) {
      Value size = DimOp::create(builder, loc, view, axis);
      Value worst = findOutside(positions, mask, size);
      Value none = constant(std::numeric_limits<int64_t>::min());
      Value ok = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       worst, none);
      report(ok, axis, "index", worst, "elements", size);
    }
  }

private:
  /// Whether a part is what a tile at an offset in elements reads or writes.
  static bool isWindow(SubviewOp part, ArrayRef<int64_t> extents) {
    return part.getSizes().size() == extents.size() &&
           llvm::all_of(part.getSteps(), [](int64_t n) { return n == 1; }) &&
           llvm::all_of(
               llvm::zip_equal(part.getSizes(), extents), [](auto pair) {
                 APInt size;
                 return matchPattern(std::get<0>(pair), m_ConstantInt(&size)) &&
                        size == std::get<1>(pair);
               });
  }

  /// It has an element of the array along each axis.
  void checkWindow(SubviewOp part, ArrayRef<int64_t> extents) {
    for (auto [axis, start] : llvm::enumerate(part.getOffsets())) {
      Value size = DimOp::create(builder, loc, part.getView(), axis);
      Value before = constant(extents[axis] - 1);
      Value last = arith::AddIOp::create(builder, loc, start, before);
      Value end = arith::AddIOp::create(builder, loc, size, before);
      Value ok = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                       last, end);
      report(ok, axis, "offset", start, "elements", size);
    }
  }

  Value constant(int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 64);
  }

  /// A scalar in the shape of another value.
  Value spread(Value scalar, Value like) {
    auto shaped = dyn_cast<RankedTensorType>(like.getType());
    return shaped ? FullOp::create(builder, loc, shaped.clone(scalar.getType()),
                                   scalar)
                        .getResult()
                  : scalar;
  }

  /// The greatest position outside, or the least integer if all are inside.
  Value findOutside(Value positions, Value mask, Value size) {
    int64_t least = std::numeric_limits<int64_t>::min();
    Value outside =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge,
                              positions, spread(size, positions));
    if (mask) {
      outside = arith::AndIOp::create(builder, loc, outside, mask);
    }
    Value shown = arith::MaxSIOp::create(
        builder, loc, positions, spread(constant(least + 1), positions));
    Value found = arith::SelectOp::create(builder, loc, outside, shown,
                                          spread(constant(least), positions));
    auto type = dyn_cast<RankedTensorType>(found.getType());
    if (!type) {
      return found;
    }
    Type i64 = builder.getI64Type();
    if (type.getRank() > 1) {
      found = ReshapeOp::create(
          builder, loc, RankedTensorType::get({type.getNumElements()}, i64),
          found);
    }
    auto kind = CombineKindAttr::get(builder.getContext(), CombineKind::Max);
    return ReduceOp::create(builder, loc, TypeRange{i64}, kind,
                            ValueRange{found}, builder.getI32IntegerAttr(0))
        .getResult(0);
  }

  /// Prints the values, which an assertion cannot hold, and fails. The launch
  /// tells such a line by its first character, and makes it the error's text.
  void report(Value ok, int64_t axis, StringRef what, Value position,
              StringRef unit, Value count) {
    std::string place = (op->getName().stripDialect() + " of " +
                         getArrayName(view) + " along axis " + Twine(axis))
                            .str();
    Value yes = arith::ConstantIntOp::create(builder, loc, 1, 1);
    Value failed = arith::XOrIOp::create(builder, loc, ok, yes);
    auto branch = scf::IfOp::create(builder, loc, failed,
                                    /*withElseRegion=*/false);
    OpBuilder inner = branch.getThenBodyBuilder();
    SmallVector<Value> values;
    for (int32_t i = 0; i < 3; ++i) {
      values.push_back(
          ProgramIdOp::create(inner, loc, inner.getI32IntegerAttr(i)));
    }
    values.push_back(position);
    values.push_back(count);
    std::string text =
        (Twine("\x1fprogram ({}, {}, {}): ") + escapeBraces(place) + ": " +
         what + " {} is outside, there are {} " + unit)
            .str();
    PrintOp::create(inner, loc, inner.getStringAttr(text), values,
                    DenseBoolArrayAttr(), ArrayAttr());
    AssertOp::create(
        builder, loc, ok,
        builder.getStringAttr(place + ": " + what.str() + " is outside"));
  }

  Operation *op;
  Value view;
  OpBuilder builder;
  Location loc;
};

struct InsertChecksPass final : impl::InsertChecksPassBase<InsertChecksPass> {
  void runOnOperation() override {
    SmallVector<Operation *> accesses;
    getOperation()->walk([&](Operation *op) {
      if (isa<LoadOp, StoreOp, GatherOp, ScatterOp, AtomicRMWOp, AtomicCASOp>(
              op)) {
        accesses.push_back(op);
      }
    });
    for (Operation *op : accesses) {
      llvm::TypeSwitch<Operation *>(op)
          .Case([](LoadOp load) {
            Check(load, load.getView())
                .checkTile(load.getIndex(), load.getUsedShape());
          })
          .Case([](StoreOp store) {
            Check(store, store.getView())
                .checkTile(store.getIndex(), store.getUsedShape());
          })
          .Case<GatherOp, ScatterOp, AtomicRMWOp, AtomicCASOp>([](auto access) {
            Check(access, access.getView())
                .checkElements(access.getIndex(), access.getMask());
          });
    }
  }
};

} // namespace
} // namespace tegula::tile
