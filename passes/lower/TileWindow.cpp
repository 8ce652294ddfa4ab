// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TileWindow.h. A window begins with the tile. Along its outer dimension
// what is past the array's end is past the window's, for in a compact array
// that dimension steps over all others. Elsewhere an element that does not
// exist gets an offset that is outside of any window.

#include "passes/lower/TileWindow.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tegula::lower {

namespace {

/// An array of the outer dimension, then for each dimension whether the
/// innermost loop changes the tile's index along it.
constexpr StringLiteral kWindowAttr = "tegula.window";
constexpr int64_t kMaxBytes = (int64_t(1) << 31) - 1;
/// Outside of any window with all bytes of an access. Of two equal ones LLVM
/// would make one, by a condition that changes in each iteration.
constexpr int64_t kNowhere = int64_t(1) << 31;
constexpr int64_t kNowhereElse = int64_t(3) << 30;

/// Whether a scalar is the same in all threads as far as LLVM can see: it comes
/// from the program's place, sizes and loop counters alone.
bool isUniform(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    auto loop = dyn_cast<LoopLikeOpInterface>(parent);
    return isa<func::FuncOp>(parent) ||
           (loop && loop.getSingleInductionVar() == value);
  }
  Operation *op = value.getDefiningOp();
  if (isa<tile::ProgramIdOp, tile::NumProgramsOp, tile::DimOp, tile::StrideOp>(
          op)) {
    return true;
  }
  return isPure(op) && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(), isUniform);
}

/// The first dimension with more than one element of the tile, but the one
/// whose elements are neighbours.
std::optional<unsigned> getOuter(tile::LoadOp load) {
  analysis::AccessFacts facts = analysis::getAccessFacts(load);
  if (!analysis::getArrayFacts(load.getView()).isCompact || !facts.unitDim) {
    return std::nullopt;
  }
  ArrayRef<int64_t> strides = load.getView().getType().getStrides();
  for (auto [axis, extent] : llvm::enumerate(facts.extents)) {
    if (axis != *facts.unitDim && extent > 1) {
      return ShapedType::isDynamic(strides[axis]) ? std::optional(axis)
                                                  : std::nullopt;
    }
  }
  return std::nullopt;
}

} // namespace

void markWindows(func::FuncOp kernel, const TargetInfo &target) {
  if (!target.hasWindows()) {
    return;
  }
  kernel.walk([](tile::LoadOp load) {
    std::optional<unsigned> outer = getOuter(load);
    if (!outer || !llvm::all_of(load.getIndex(), isUniform)) {
      return;
    }
    SmallVector<int64_t> note = {*outer};
    auto loop = load->getParentOfType<LoopLikeOpInterface>();
    for (Value position : load.getIndex()) {
      note.push_back(loop && !loop.isDefinedOutsideOfLoop(position));
    }
    load->setAttr(kWindowAttr,
                  Builder(load.getContext()).getDenseI64ArrayAttr(note));
  });
}

std::optional<TileWindow> TileWindow::create(OpBuilder &builder,
                                             const TargetInfo &target,
                                             tile::LoadOp load,
                                             const ArrayParts &array) {
  auto note = load->getAttrOfType<DenseI64ArrayAttr>(kWindowAttr);
  if (!note) {
    return std::nullopt;
  }
  TileWindow result(target);
  result.outer = note[0];
  for (int64_t changes : {0, 1}) {
    for (unsigned axis = 0; axis < array.sizes.size(); ++axis) {
      if (axis != result.outer && note[1 + axis] == changes) {
        result.compared.push_back(axis);
        result.changes.push_back(changes);
      }
    }
  }
  // Along a dimension of size 1 any step leads outside, whatever the stride.
  Location loc = load.getLoc();
  Value one = arith::ConstantIntOp::create(builder, loc, 1, 64);
  Value far = arith::ConstantIntOp::create(builder, loc, kNowhere, 64);
  result.strides = llvm::to_vector(array.strides);
  Value &stride = result.strides[result.outer];
  Value isOne = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                      array.sizes[result.outer], one);
  stride = arith::SelectOp::create(builder, loc, isOne, far, stride);
  return result;
}

void TileWindow::open(OpBuilder &builder, const TileAccess &tileAccess) {
  access = &tileAccess;
  Location loc = access->loc;
  auto getI64 = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(builder, loc, value, 64);
  };
  Value bytes = ThreadEmitter::getI32(builder, loc, kMaxBytes);
  if (Value limit = access->limits[outer]) {
    Value reach =
        arith::ExtUIOp::create(builder, loc, builder.getI64Type(), limit);
    reach = arith::MulIOp::create(builder, loc, reach, access->strides[outer]);
    reach = arith::MulIOp::create(builder, loc, reach,
                                  getI64(access->view.getElementByteWidth()));
    reach = arith::MinUIOp::create(builder, loc, reach, getI64(kMaxBytes));
    bytes = arith::TruncIOp::create(builder, loc, builder.getI32Type(), reach);
  }
  // Where the tile has one element, that is there for all threads or for none.
  Value inside = access->inside;
  Value zero = ThreadEmitter::getI32(builder, loc, 0);
  for (auto [axis, limit] : llvm::enumerate(access->limits)) {
    if (!limit || access->facts.extents[axis] > 1) {
      continue;
    }
    Value within = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                         limit, zero);
    inside =
        inside ? arith::AndIOp::create(builder, loc, inside, within) : within;
  }
  if (inside) {
    bytes = arith::SelectOp::create(builder, loc, inside, bytes, zero);
  }
  window = target->emitWindow(builder, loc, access->start, bytes);
}

/// Where the element of register `reg` is in the window, with what is too far
/// for 32 bits nowhere.
Value TileWindow::emitByteOffset(OpBuilder &builder, int64_t reg) const {
  Location loc = access->loc;
  auto [sum, constant] = access->emitDistance(builder, reg);
  Value offset = arith::ConstantIntOp::create(builder, loc, constant, 64);
  for (Value part : {access->fromStart, sum}) {
    if (part) {
      offset = arith::AddIOp::create(builder, loc, offset, part);
    }
  }
  Value bytes = arith::ConstantIntOp::create(
      builder, loc, access->view.getElementByteWidth(), 64);
  offset = arith::MulIOp::create(builder, loc, offset, bytes);
  Value most = arith::ConstantIntOp::create(builder, loc, kNowhere, 64);
  offset = arith::MinUIOp::create(builder, loc, offset, most);
  return arith::TruncIOp::create(builder, loc, builder.getI32Type(), offset);
}

Value TileWindow::emitLoad(OpBuilder &builder, int64_t reg, Type type,
                           bool interior) const {
  Location loc = access->loc;
  Value offset = emitByteOffset(builder, reg);
  layout::LinearLayout::Basis place = access->layout.apply(reg);
  for (auto [axis, isVarying] : llvm::zip_equal(compared, changes)) {
    int64_t extent = access->facts.extents[axis];
    int64_t padded = access->layout.shape()[axis];
    Value limit = access->limits[axis];
    if (interior && axis == access->facts.unitDim) {
      limit = extent < padded ? ThreadEmitter::getI32(builder, loc, extent)
                              : Value();
    }
    if (!limit || (extent == 1 && padded == 1)) {
      continue;
    }
    Value within = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::slt,
        access->emitCoordinate(builder, axis, place[axis]), limit);
    Value nowhere = ThreadEmitter::getI32(
        builder, loc,
        static_cast<int32_t>(isVarying ? kNowhereElse : kNowhere));
    offset = arith::SelectOp::create(builder, loc, within, offset, nowhere);
  }
  return target->emitWindowLoad(builder, loc, type, window, offset);
}

} // namespace tegula::lower
