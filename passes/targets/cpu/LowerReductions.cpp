// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cpu-lower-reductions: reductions, arg-reductions and scans. Named reductions
// become linalg generics that fuse with what feeds them and that LLVM
// vectorizes; combinations with an order become loops that keep it.

#include "passes/targets/cpu/Generics.h"
#include "passes/targets/cpu/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"

#define DEBUG_TYPE "cpu-lower-reductions"

using namespace mlir;

namespace tegula::cpu {
#define GEN_PASS_DEF_LOWERREDUCTIONSPASS
#include "passes/targets/cpu/Passes.h.inc"
namespace {

using tile::CombineKind;

RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

bool isSmallFloat(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32;
}

/// Value that changes nothing: `combine(neutral, x) == x`. A float sum starts
/// at 0.0 as NumPy's does, so that a sum of -0.0 is 0.0.
Value createNeutral(OpBuilder &builder, Location loc, CombineKind kind,
                    Type type) {
  if (auto floating = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = floating.getFloatSemantics();
    switch (kind) {
    case CombineKind::Mul:
      return createConstant(builder, loc, type, 1.0);
    case CombineKind::Max:
    case CombineKind::Min: {
      bool isMax = kind == CombineKind::Max;
      APFloat extreme = APFloat::semanticsHasInf(semantics)
                            ? APFloat::getInf(semantics, isMax)
                            : APFloat::getLargest(semantics, isMax);
      return arith::ConstantOp::create(builder, loc,
                                       builder.getFloatAttr(type, extreme));
    }
    default:
      return arith::ConstantOp::create(
          builder, loc,
          builder.getFloatAttr(type, APFloat::getZero(semantics)));
    }
  }
  unsigned width = type.getIntOrFloatBitWidth();
  APInt value = APInt::getZero(width);
  if (kind == CombineKind::Mul) {
    value = APInt(width, 1);
  } else if (kind == CombineKind::Max) {
    value = APInt::getSignedMinValue(width);
  } else if (kind == CombineKind::Min) {
    value = APInt::getSignedMaxValue(width);
  } else if (kind == CombineKind::UMin || kind == CombineKind::And) {
    value = APInt::getAllOnes(width);
  }
  return arith::ConstantOp::create(builder, loc,
                                   builder.getIntegerAttr(type, value));
}

/// `left <kind> right`. `reassociate` lets LLVM split a float sum into vector
/// lanes: the order is then fixed by the generated code, not by the source,
/// which the contract allows for reductions and not for scans.
Value combine(OpBuilder &builder, Location loc, CombineKind kind, Value left,
              Value right, bool reassociate) {
  bool isFloat = isa<FloatType>(left.getType());
  auto flags = arith::FastMathFlagsAttr::get(
      builder.getContext(),
      reassociate ? arith::FastMathFlags::reassoc : arith::FastMathFlags::none);
  switch (kind) {
  case CombineKind::Add:
    if (isFloat) {
      return arith::AddFOp::create(builder, loc, left, right, flags);
    }
    return arith::AddIOp::create(builder, loc, left, right);
  case CombineKind::Mul:
    if (isFloat) {
      return arith::MulFOp::create(builder, loc, left, right, flags);
    }
    return arith::MulIOp::create(builder, loc, left, right);
  case CombineKind::Max:
    if (isFloat) {
      return arith::MaximumFOp::create(builder, loc, left, right);
    }
    return arith::MaxSIOp::create(builder, loc, left, right);
  case CombineKind::Min:
    if (isFloat) {
      return arith::MinimumFOp::create(builder, loc, left, right);
    }
    return arith::MinSIOp::create(builder, loc, left, right);
  case CombineKind::UMax:
    return arith::MaxUIOp::create(builder, loc, left, right);
  case CombineKind::UMin:
    return arith::MinUIOp::create(builder, loc, left, right);
  case CombineKind::And:
    return arith::AndIOp::create(builder, loc, left, right);
  case CombineKind::Or:
    return arith::OrIOp::create(builder, loc, left, right);
  case CombineKind::Xor:
    return arith::XOrIOp::create(builder, loc, left, right);
  }
  llvm_unreachable("every kind is covered");
}

/// Inlines a combiner region at the builder's position.
SmallVector<Value> inlineCombiner(OpBuilder &builder, Region &region,
                                  ValueRange left, ValueRange right) {
  Block &block = region.front();
  IRMapping mapping;
  SmallVector<Value> arguments(left);
  arguments.append(right.begin(), right.end());
  mapping.map(block.getArguments(), arguments);
  for (Operation &op : block.without_terminator()) {
    builder.clone(op, mapping);
  }
  return llvm::map_to_vector(
      block.getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookupOrDefault(value); });
}

/// Type of a tile that lost `axis`; rank 0 if nothing remains.
RankedTensorType dropAxis(RankedTensorType type, int64_t axis, Type element) {
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + axis);
  return RankedTensorType::get(shape, element);
}

/// Turns a tile of rank 0 into the scalar that the `tile` level has there.
Value unwrapScalar(OpBuilder &builder, Location loc, Value tensor, Type type) {
  if (isa<RankedTensorType>(type)) {
    return tensor;
  }
  return tensor::ExtractOp::create(builder, loc, tensor, ValueRange{});
}

/// Generic that folds `inputs` along `axis` into `inits`; `body` gets
/// (elements, accumulators).
SmallVector<Value>
createReduction(OpBuilder &builder, Location loc, ValueRange inputs,
                ValueRange inits, int64_t axis,
                llvm::function_ref<SmallVector<Value>(OpBuilder &, Location,
                                                      ValueRange, ValueRange)>
                    body) {
  int64_t rank = tensorType(inputs.front()).getRank();
  AffineMap identity = builder.getMultiDimIdentityMap(rank);
  SmallVector<AffineMap> maps(inputs.size(), identity);
  maps.append(inits.size(), identity.dropResult(axis));
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  loops[axis] = utils::IteratorType::reduction;
  auto generic = linalg::GenericOp::create(
      builder, loc, inits.getTypes(), inputs, inits, maps, loops,
      [&](OpBuilder &nested, Location bodyLoc, ValueRange args) {
        linalg::YieldOp::create(nested, bodyLoc,
                                body(nested, bodyLoc,
                                     args.take_front(inputs.size()),
                                     args.drop_front(inputs.size())));
      });
  return SmallVector<Value>(generic.getResults());
}

/// Elements [start, start + count) along `axis`.
Value createSlice(OpBuilder &builder, Location loc, Value tensor, int64_t axis,
                  int64_t start, int64_t count, bool drop) {
  RankedTensorType type = tensorType(tensor);
  SmallVector<int64_t> sizes(type.getShape());
  SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
  sizes[axis] = count;
  offsets[axis] = builder.getIndexAttr(start);
  auto result = drop ? dropAxis(type, axis, type.getElementType())
                     : RankedTensorType::get(sizes, type.getElementType());
  return tensor::ExtractSliceOp::create(
      builder, loc, result, tensor, offsets,
      getAsIndexOpFoldResult(builder.getContext(), sizes), strides);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Value convertFloat(OpBuilder &builder, Location loc, Value value, Type type) {
  if (value.getType() == type) {
    return value;
  }
  if (type.getIntOrFloatBitWidth() > value.getType().getIntOrFloatBitWidth()) {
    return arith::ExtFOp::create(builder, loc, type, value);
  }
  return arith::TruncFOp::create(builder, loc, type, value);
}

Value createNamedReduction(OpBuilder &builder, Location loc, CombineKind kind,
                           Value source, int64_t axis) {
  RankedTensorType type = tensorType(source);
  Type element = type.getElementType();
  bool sums = kind == CombineKind::Add || kind == CombineKind::Mul;
  // A sum of small floats keeps fp32 until its end.
  Type accumulator =
      sums && isSmallFloat(element) ? builder.getF32Type() : element;
  RankedTensorType result = dropAxis(type, axis, accumulator);
  Value init = createFilled(builder, loc, result,
                            createNeutral(builder, loc, kind, accumulator));
  Value reduced =
      createReduction(builder, loc, source, init, axis,
                      [&](OpBuilder &nested, Location bodyLoc, ValueRange in,
                          ValueRange acc) -> SmallVector<Value> {
                        Value wide = isa<FloatType>(element)
                                         ? convertFloat(nested, bodyLoc, in[0],
                                                        accumulator)
                                         : in[0];
                        return {combine(nested, bodyLoc, kind, acc[0], wide,
                                        /*reassociate=*/true)};
                      })
          .front();
  if (accumulator == element) {
    return reduced;
  }
  return createParallel(
      builder, loc, dropAxis(type, axis, element), reduced,
      builder.getMultiDimIdentityMap(result.getRank()),
      [&](OpBuilder &nested, Location bodyLoc, ValueRange args) {
        return convertFloat(nested, bodyLoc, args[0], element);
      });
}

SmallVector<Value> createRegionReduction(OpBuilder &builder,
                                         tile::ReduceOp op) {
  Location loc = op.getLoc();
  int64_t axis = op.getAxis();
  int64_t extent = tensorType(op.getSources().front()).getDimSize(axis);
  SmallVector<Value> inits, rest;
  for (Value source : op.getSources()) {
    inits.push_back(createSlice(builder, loc, source, axis, 0, 1, true));
    if (extent > 1) {
      rest.push_back(
          createSlice(builder, loc, source, axis, 1, extent - 1, false));
    }
  }
  if (extent == 1) {
    return inits;
  }
  return createReduction(
      builder, loc, rest, inits, axis,
      [&](OpBuilder &nested, Location, ValueRange in, ValueRange acc) {
        return inlineCombiner(nested, op.getCombiner(), acc, in);
      });
}

void lower(tile::ReduceOp op) {
  OpBuilder builder(op);
  SmallVector<Value> reduced;
  if (op.getKind()) {
    reduced.push_back(createNamedReduction(builder, op.getLoc(), *op.getKind(),
                                           op.getSources().front(),
                                           op.getAxis()));
  } else {
    reduced = createRegionReduction(builder, op);
  }
  for (auto [result, value] : llvm::zip(op.getResults(), reduced)) {
    result.replaceAllUsesWith(
        unwrapScalar(builder, op.getLoc(), value, result.getType()));
  }
  op.erase();
}

/// Two passes that vectorize, instead of one that does not: the extreme, then
/// the lowest index that attains it. A NaN is the extreme if there is one, and
/// then equals only NaNs.
void lower(tile::ArgReduceOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  RankedTensorType type = op.getSource().getType();
  Type element = type.getElementType();
  int64_t axis = op.getAxis();
  auto kind = *tile::symbolizeCombineKind(stringifyArgKind(op.getKind()));
  Value extreme =
      createNamedReduction(builder, loc, kind, op.getSource(), axis);
  Type i64 = builder.getI64Type();
  Value last = createConstant(builder, loc, i64,
                              static_cast<double>(type.getDimSize(axis) - 1));
  Value init = createFilled(builder, loc, dropAxis(type, axis, i64), last);
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  AffineMap dropped = identity.dropResult(axis);
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  loops[axis] = utils::IteratorType::reduction;
  auto generic = linalg::GenericOp::create(
      builder, loc, init.getType(), ValueRange{op.getSource(), extreme}, init,
      ArrayRef<AffineMap>{identity, dropped, dropped}, loops,
      [&](OpBuilder &nested, Location bodyLoc, ValueRange args) {
        Value attains;
        if (isa<FloatType>(element)) {
          Value equal = arith::CmpFOp::create(
              nested, bodyLoc, arith::CmpFPredicate::OEQ, args[0], args[1]);
          Value isNan = arith::CmpFOp::create(
              nested, bodyLoc, arith::CmpFPredicate::UNO, args[0], args[0]);
          attains = arith::OrIOp::create(nested, bodyLoc, equal, isNan);
        } else {
          attains = arith::CmpIOp::create(
              nested, bodyLoc, arith::CmpIPredicate::eq, args[0], args[1]);
        }
        Value index = linalg::IndexOp::create(nested, bodyLoc, axis);
        Value position =
            arith::IndexCastOp::create(nested, bodyLoc, i64, index);
        Value candidate = arith::SelectOp::create(nested, bodyLoc, attains,
                                                  position, args[2]);
        Value lowest =
            arith::MinSIOp::create(nested, bodyLoc, candidate, args[2]);
        linalg::YieldOp::create(nested, bodyLoc, lowest);
      });
  op.replaceAllUsesWith(
      unwrapScalar(builder, loc, generic.getResult(0), op.getType()));
  op.erase();
}

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

class ScanLowering {
public:
  explicit ScanLowering(tile::ScanOp op)
      : op(op), builder(op), loc(op.getLoc()),
        type(tensorType(op.getSources().front())) {}

  /// result[.., k, ..] = combine(result[.., k-1, ..], source[.., k, ..]) with
  /// the dimensions after `axis` innermost, where they vectorize.
  void run() {
    int64_t axis = op.getAxis();
    int64_t extent = type.getDimSize(axis);
    SmallVector<Value> results;
    for (Value source : op.getSources()) {
      Value empty = createEmpty(builder, loc, tensorType(source));
      int64_t first = op.getReverse() ? extent - 1 : 0;
      Value slice = createSlice(builder, loc, source, axis, first, 1, false);
      results.push_back(insertSlice(slice, empty, axis, first));
    }
    SmallVector<int64_t> extents(type.getShape());
    extents[axis] = extent - 1;
    if (extent > 1) {
      results = createLoopNest(
          builder, loc, extents, results,
          [&](OpBuilder &nested, Location, ValueRange at, ValueRange carried) {
            return step(nested, at, carried);
          });
    }
    op.replaceAllUsesWith(results);
    op.erase();
  }

private:
  Value insertSlice(Value slice, Value into, int64_t axis, int64_t start) {
    SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0));
    SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
    offsets[axis] = builder.getIndexAttr(start);
    return tensor::InsertSliceOp::create(
        builder, loc, slice, into, offsets,
        getAsIndexOpFoldResult(builder.getContext(),
                               tensorType(slice).getShape()),
        strides);
  }

  SmallVector<Value> step(OpBuilder &nested, ValueRange at,
                          ValueRange carried) {
    int64_t axis = op.getAxis();
    Value one = createIndex(nested, loc, 1);
    SmallVector<Value> before(at), here(at);
    if (op.getReverse()) {
      // Step j fills position extent - 2 - j from the one after it.
      Value last = createIndex(nested, loc, type.getDimSize(axis) - 1);
      before[axis] = arith::SubIOp::create(nested, loc, last, at[axis]);
      here[axis] = arith::SubIOp::create(nested, loc, before[axis], one);
    } else {
      here[axis] = arith::AddIOp::create(nested, loc, at[axis], one);
    }
    SmallVector<Value> running, elements;
    for (auto [result, source] : llvm::zip(carried, op.getSources())) {
      running.push_back(tensor::ExtractOp::create(nested, loc, result, before));
      elements.push_back(tensor::ExtractOp::create(nested, loc, source, here));
    }
    SmallVector<Value> combined = op.getReverse()
                                      ? apply(nested, elements, running)
                                      : apply(nested, running, elements);
    SmallVector<Value> next;
    for (auto [value, result] : llvm::zip(combined, carried)) {
      next.push_back(
          tensor::InsertOp::create(nested, loc, value, result, here));
    }
    return next;
  }

  SmallVector<Value> apply(OpBuilder &nested, ValueRange left,
                           ValueRange right) {
    if (op.getKind()) {
      return {combine(nested, loc, *op.getKind(), left[0], right[0],
                      /*reassociate=*/false)};
    }
    return inlineCombiner(nested, op.getCombiner(), left, right);
  }

  tile::ScanOp op;
  OpBuilder builder;
  Location loc;
  RankedTensorType type;
};

struct LowerReductionsPass final
    : impl::LowerReductionsPassBase<LowerReductionsPass> {
  void runOnOperation() override {
    if (failed(refuseLayouts(getOperation()))) {
      return signalPassFailure();
    }
    getOperation()->walk([](Operation *op) {
      llvm::TypeSwitch<Operation *>(op)
          .Case<tile::ReduceOp, tile::ArgReduceOp>(
              [](auto reduction) { lower(reduction); })
          .Case([](tile::ScanOp scan) { ScanLowering(scan).run(); });
    });
  }
};

} // namespace
} // namespace tegula::cpu
