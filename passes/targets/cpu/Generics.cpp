// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builders shared by the CPU lowerings. They only spare boilerplate; no
// decision is taken here.

#include "passes/targets/cpu/Generics.h"

using namespace mlir;

namespace tegula::cpu {

Value createIndex(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value createConstant(OpBuilder &builder, Location loc, Type type,
                     double value) {
  TypedAttr attr =
      isa<FloatType>(type)
          ? TypedAttr(builder.getFloatAttr(type, value))
          : builder.getIntegerAttr(type, static_cast<int64_t>(value));
  return arith::ConstantOp::create(builder, loc, attr);
}

LogicalResult refuseLayouts(Operation *root) {
  auto hasLayout = [](Type type) {
    auto tile = dyn_cast<RankedTensorType>(type);
    return tile && tile.getEncoding();
  };
  WalkResult walked = root->walk([&](Operation *op) {
    if (llvm::any_of(op->getOperandTypes(), hasLayout) ||
        llvm::any_of(op->getResultTypes(), hasLayout)) {
      op->emitOpError("has a tile with a layout, which this target has not");
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

Value createEmpty(OpBuilder &builder, Location loc, RankedTensorType type) {
  return tensor::EmptyOp::create(builder, loc, type.getShape(),
                                 type.getElementType());
}

Value createParallel(
    OpBuilder &builder, Location loc, RankedTensorType type, ValueRange inputs,
    ArrayRef<AffineMap> maps,
    llvm::function_ref<Value(OpBuilder &, Location, ValueRange)> body) {
  SmallVector<AffineMap> allMaps(maps);
  allMaps.push_back(builder.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, loc, type, inputs, createEmpty(builder, loc, type), allMaps,
      loops, [&](OpBuilder &nested, Location bodyLoc, ValueRange args) {
        Value result = body(nested, bodyLoc, args.drop_back());
        linalg::YieldOp::create(nested, bodyLoc, result);
      });
  return generic.getResult(0);
}

Value createFilled(OpBuilder &builder, Location loc, RankedTensorType type,
                   Value scalar) {
  AffineMap map = AffineMap::get(type.getRank(), 0, builder.getContext());
  return createParallel(
      builder, loc, type, scalar, map,
      [](OpBuilder &, Location, ValueRange args) { return args.front(); });
}

void createCopy(
    OpBuilder &builder, Location loc, Value from, Value to,
    llvm::function_ref<Value(OpBuilder &, Location, Value)> convert) {
  int64_t rank = cast<MemRefType>(to.getType()).getRank();
  SmallVector<AffineMap> maps(2, builder.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  linalg::GenericOp::create(
      builder, loc, from, to, maps, loops,
      [&](OpBuilder &nested, Location bodyLoc, ValueRange args) {
        Value value = args.front();
        if (convert) {
          value = convert(nested, bodyLoc, value);
        }
        linalg::YieldOp::create(nested, bodyLoc, value);
      });
}

static SmallVector<Value>
createLoops(OpBuilder &builder, Location loc, ArrayRef<int64_t> extents,
            SmallVectorImpl<Value> &indices, ValueRange carried,
            llvm::function_ref<SmallVector<Value>(OpBuilder &, Location,
                                                  ValueRange, ValueRange)>
                body) {
  if (indices.size() == extents.size()) {
    return body(builder, loc, indices, carried);
  }
  Value zero = createIndex(builder, loc, 0);
  Value one = createIndex(builder, loc, 1);
  Value extent = createIndex(builder, loc, extents[indices.size()]);
  auto loop = scf::ForOp::create(builder, loc, zero, extent, one, carried);
  if (!carried.empty()) {
    loop->setAttr(kInPlaceAttr, builder.getUnitAttr());
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  indices.push_back(loop.getInductionVar());
  SmallVector<Value> results = createLoops(builder, loc, extents, indices,
                                           loop.getRegionIterArgs(), body);
  indices.pop_back();
  // A loop that carries nothing was built with its terminator.
  if (!carried.empty()) {
    scf::YieldOp::create(builder, loc, results);
  }
  return SmallVector<Value>(loop.getResults());
}

SmallVector<Value>
createLoopNest(OpBuilder &builder, Location loc, ArrayRef<int64_t> extents,
               ValueRange inits,
               llvm::function_ref<SmallVector<Value>(OpBuilder &, Location,
                                                     ValueRange, ValueRange)>
                   body) {
  SmallVector<Value> indices;
  return createLoops(builder, loc, extents, indices, inits, body);
}

} // namespace tegula::cpu
