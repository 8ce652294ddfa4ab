// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cpu-lower-element-access: gather, scatter and atomics become per-element
// accesses under a bounds check, in row-major order where order can be seen. A
// lane that is masked off or out of range touches no memory.

#include "passes/analysis/MemoryOrder.h"
#include "passes/targets/cpu/Abi.h"
#include "passes/targets/cpu/Generics.h"
#include "passes/targets/cpu/Passes.h"

#include "mlir/IR/TypeUtilities.h"

#define DEBUG_TYPE "cpu-lower-element-access"

using namespace mlir;

namespace tegula::cpu {
#define GEN_PASS_DEF_LOWERELEMENTACCESSPASS
#include "passes/targets/cpu/Passes.h.inc"
namespace {

/// What one lane accesses.
struct Lane {
  SmallVector<Value> index; // index type
  Value active;             // i1: inside the array and not masked off
};

Lane createLane(OpBuilder &builder, Location loc, Value memref,
                ValueRange index, Value mask) {
  Lane lane;
  lane.active = mask;
  for (auto [axis, element] : llvm::enumerate(index)) {
    Value position = arith::IndexCastOp::create(
        builder, loc, builder.getIndexType(), element);
    Value size = memref::DimOp::create(builder, loc, memref, axis);
    // Unsigned, so that a negative index is out of range too.
    Value inside = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, position, size);
    lane.active = lane.active
                      ? arith::AndIOp::create(builder, loc, lane.active, inside)
                      : inside;
    lane.index.push_back(position);
  }
  return lane;
}

Value fromMemory(OpBuilder &builder, Location loc, Value value, Type element) {
  if (!element.isInteger(1)) {
    return value;
  }
  Value zero = arith::ConstantIntOp::create(builder, loc, 0, 8);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value,
                               zero);
}

Value toMemory(OpBuilder &builder, Location loc, Value value) {
  if (!value.getType().isInteger(1)) {
    return value;
  }
  return arith::ExtUIOp::create(builder, loc, builder.getI8Type(), value);
}

/// `active ? access() : pad`, as a branch.
Value createGuarded(OpBuilder &builder, Location loc, Value active, Value pad,
                    llvm::function_ref<Value(OpBuilder &)> access) {
  auto branch = scf::IfOp::create(builder, loc, pad.getType(), active,
                                  /*withElseRegion=*/true);
  OpBuilder inner = branch.getThenBodyBuilder();
  scf::YieldOp::create(inner, loc, access(inner));
  OpBuilder outer = branch.getElseBodyBuilder();
  scf::YieldOp::create(outer, loc, pad);
  return branch.getResult(0);
}

//===----------------------------------------------------------------------===//
// Atomics on one element
//===----------------------------------------------------------------------===//

LLVM::AtomicBinOp getIntegerAtomic(tile::AtomicKind kind) {
  switch (kind) {
  case tile::AtomicKind::Add:
    return LLVM::AtomicBinOp::add;
  case tile::AtomicKind::Max:
    return LLVM::AtomicBinOp::max;
  case tile::AtomicKind::Min:
    return LLVM::AtomicBinOp::min;
  case tile::AtomicKind::UMax:
    return LLVM::AtomicBinOp::umax;
  case tile::AtomicKind::UMin:
    return LLVM::AtomicBinOp::umin;
  case tile::AtomicKind::And:
    return LLVM::AtomicBinOp::_and;
  case tile::AtomicKind::Or:
    return LLVM::AtomicBinOp::_or;
  case tile::AtomicKind::Xor:
    return LLVM::AtomicBinOp::_xor;
  case tile::AtomicKind::Xchg:
    return LLVM::AtomicBinOp::xchg;
  }
  llvm_unreachable("every kind is covered");
}

/// An atomic on one element shows others what its program did before, and sees
/// what they did. It costs nothing where the instruction is what it is anyway,
/// so that nobody asks whether it can be told.
LLVM::AtomicOrdering getOrdering(Operation *op) {
  return analysis::isOrdering(op) ? LLVM::AtomicOrdering::acq_rel
                                  : LLVM::AtomicOrdering::monotonic;
}

/// Of a swap that finds something else.
LLVM::AtomicOrdering getFailureOrdering(Operation *op) {
  return analysis::isOrdering(op) ? LLVM::AtomicOrdering::acquire
                                  : LLVM::AtomicOrdering::monotonic;
}

Value createPointer(OpBuilder &builder, Location loc, Value memref,
                    ValueRange index) {
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, memref);
  Value offset = metadata.getOffset();
  for (auto [position, stride] : llvm::zip(index, metadata.getStrides())) {
    Value step = arith::MulIOp::create(builder, loc, position, stride);
    offset = arith::AddIOp::create(builder, loc, offset, step);
  }
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  Value base =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, memref);
  Value scaled = arith::MulIOp::create(builder, loc, offset,
                                       createIndex(builder, loc, bytes));
  Value address = arith::AddIOp::create(builder, loc, base, scaled);
  Value bits =
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), address);
  return LLVM::IntToPtrOp::create(
      builder, loc, LLVM::LLVMPointerType::get(builder.getContext()), bits);
}

Value combineFloat(OpBuilder &builder, Location loc, tile::AtomicKind kind,
                   Value old, Value value) {
  switch (kind) {
  case tile::AtomicKind::Add:
    return arith::AddFOp::create(builder, loc, old, value);
  case tile::AtomicKind::Max:
    return arith::MaximumFOp::create(builder, loc, old, value);
  case tile::AtomicKind::Min:
    return arith::MinimumFOp::create(builder, loc, old, value);
  default:
    return value; // xchg; the verifier excludes the rest for floats
  }
}

/// Floats have no atomic instructions that follow the contract everywhere
/// (fp16, NaN in max): compare and swap their bits.
Value createFloatAtomic(OpBuilder &builder, Location loc, tile::AtomicRMWOp op,
                        Value pointer, Value value) {
  Type type = value.getType();
  Type bits = builder.getIntegerType(type.getIntOrFloatBitWidth());
  unsigned align = type.getIntOrFloatBitWidth() / 8;
  Value initial = LLVM::LoadOp::create(
      builder, loc, bits, pointer, align, /*isVolatile=*/false,
      /*isNonTemporal=*/false, /*isInvariant=*/false,
      /*isInvariantGroup=*/false, LLVM::AtomicOrdering::monotonic);
  auto loop = scf::WhileOp::create(
      builder, loc, TypeRange{bits}, ValueRange{initial},
      [&](OpBuilder &nested, Location, ValueRange args) {
        Value old = arith::BitcastOp::create(nested, loc, type, args[0]);
        Value next = combineFloat(nested, loc, op.getKind(), old, value);
        Value nextBits = arith::BitcastOp::create(nested, loc, bits, next);
        auto swap = LLVM::AtomicCmpXchgOp::create(nested, loc, pointer, args[0],
                                                  nextBits, getOrdering(op),
                                                  getFailureOrdering(op));
        Value seen = LLVM::ExtractValueOp::create(nested, loc, swap, 0);
        Value done = LLVM::ExtractValueOp::create(nested, loc, swap, 1);
        Value one = arith::ConstantIntOp::create(nested, loc, 1, 1);
        Value again = arith::XOrIOp::create(nested, loc, done, one);
        scf::ConditionOp::create(nested, loc, again, seen);
      },
      [&](OpBuilder &nested, Location, ValueRange args) {
        scf::YieldOp::create(nested, loc, args);
      });
  return arith::BitcastOp::create(builder, loc, type, loop.getResult(0));
}

Value createAtomic(OpBuilder &builder, Location loc, tile::AtomicRMWOp op,
                   Value memref, ValueRange index, ValueRange values) {
  Type element = getElementTypeOrSelf(op.getType());
  Value pointer = createPointer(builder, loc, memref, index);
  if (isa<FloatType>(element)) {
    return createFloatAtomic(builder, loc, op, pointer, values[0]);
  }
  // The kinds that there are for bools are right on bytes of 0 and 1.
  Value old = LLVM::AtomicRMWOp::create(
      builder, loc, getIntegerAtomic(op.getKind()), pointer,
      toMemory(builder, loc, values[0]), getOrdering(op));
  return fromMemory(builder, loc, old, element);
}

Value createAtomic(OpBuilder &builder, Location loc, tile::AtomicCASOp op,
                   Value memref, ValueRange index, ValueRange values) {
  Type element = getElementTypeOrSelf(op.getType());
  Value pointer = createPointer(builder, loc, memref, index);
  Type bits = builder.getIntegerType(
      getMemoryElementType(element).getIntOrFloatBitWidth());
  auto toBits = [&](Value value) -> Value {
    value = toMemory(builder, loc, value);
    return value.getType() == bits
               ? value
               : arith::BitcastOp::create(builder, loc, bits, value);
  };
  auto swap = LLVM::AtomicCmpXchgOp::create(
      builder, loc, pointer, toBits(values[0]), toBits(values[1]),
      getOrdering(op), getFailureOrdering(op));
  Value old = LLVM::ExtractValueOp::create(builder, loc, swap, 0);
  if (isa<FloatType>(element)) {
    return arith::BitcastOp::create(builder, loc, element, old);
  }
  return fromMemory(builder, loc, old, element);
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

struct LowerElementAccessPass final
    : impl::LowerElementAccessPassBase<LowerElementAccessPass> {
  void runOnOperation() override {
    if (failed(refuseLayouts(getOperation()))) {
      return signalPassFailure();
    }
    WalkResult result = getOperation()->walk([&](Operation *op) {
      LogicalResult lowered =
          llvm::TypeSwitch<Operation *, LogicalResult>(op)
              .Case<tile::GatherOp, tile::ScatterOp>(
                  [&](auto access) { return lower(access); })
              .Case([&](tile::AtomicRMWOp atomic) {
                return lowerAtomic(atomic, {atomic.getValue()});
              })
              .Case([&](tile::AtomicCASOp atomic) {
                return lowerAtomic(atomic,
                                   {atomic.getCompare(), atomic.getValue()});
              })
              .Default([](Operation *) { return success(); });
      return failed(lowered) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted()) {
      return signalPassFailure();
    }
    // The casts from memrefs to views have served.
    getOperation()->walk([](UnrealizedConversionCastOp cast) {
      if (cast.use_empty() && isa<tile::ViewType>(cast.getType(0))) {
        cast.erase();
      }
    });
  }

  static Value getPad(OpBuilder &builder, Location loc, Value pad,
                      Type element) {
    return pad ? pad : createConstant(builder, loc, element, 0);
  }

  LogicalResult lower(tile::GatherOp op) {
    auto array = getArray(op, op.getView());
    if (failed(array)) {
      return failure();
    }
    Value memref = array->getOperand(0);
    OpBuilder builder(op);
    Location loc = op.getLoc();
    Type element = getElementTypeOrSelf(op.getType());
    Value pad = getPad(builder, loc, op.getPad(), element);
    auto load = [&](OpBuilder &nested, Location bodyLoc, ValueRange index,
                    Value mask) {
      Lane lane = createLane(nested, bodyLoc, memref, index, mask);
      return createGuarded(
          nested, bodyLoc, lane.active, pad, [&](OpBuilder &inner) {
            Value value =
                memref::LoadOp::create(inner, bodyLoc, memref, lane.index);
            return fromMemory(inner, bodyLoc, value, element);
          });
    };
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!type) {
      op.replaceAllUsesWith(load(builder, loc, op.getIndex(), op.getMask()));
      op.erase();
      return success();
    }
    bool written = (*array)->hasAttr(kWrittenAttr);
    SmallVector<Value> inputs(op.getIndex());
    if (op.getMask()) {
      inputs.push_back(op.getMask());
    }
    size_t rank = op.getIndex().size();
    Value result;
    if (written) {
      result = gatherNow(builder, loc, type, inputs, rank, load);
    } else {
      SmallVector<AffineMap> maps(
          inputs.size(), builder.getMultiDimIdentityMap(type.getRank()));
      result = createParallel(
          builder, loc, type, inputs, maps,
          [&](OpBuilder &nested, Location bodyLoc, ValueRange args) {
            return load(nested, bodyLoc, args.take_front(rank),
                        args.size() > rank ? args[rank] : Value());
          });
    }
    op.replaceAllUsesWith(result);
    op.erase();
    return success();
  }

  /// The kernel also writes the array: read at this very place, where no
  /// rewrite can move it.
  static Value
  gatherNow(OpBuilder &builder, Location loc, RankedTensorType type,
            ValueRange inputs, size_t rank,
            llvm::function_ref<Value(OpBuilder &, Location, ValueRange, Value)>
                load) {
    Value buffer = memref::AllocOp::create(
        builder, loc, MemRefType::get(type.getShape(), type.getElementType()),
        builder.getI64IntegerAttr(64));
    createLoopNest(
        builder, loc, type.getShape(), {},
        [&](OpBuilder &nested, Location bodyLoc, ValueRange at, ValueRange) {
          SmallVector<Value> elements;
          for (Value input : inputs) {
            elements.push_back(
                tensor::ExtractOp::create(nested, bodyLoc, input, at));
          }
          ValueRange all(elements);
          Value value = load(nested, bodyLoc, all.take_front(rank),
                             all.size() > rank ? all[rank] : Value());
          memref::StoreOp::create(nested, bodyLoc, value, buffer, at);
          return SmallVector<Value>();
        });
    return bufferization::ToTensorOp::create(builder, loc, type, buffer,
                                             /*restrict=*/true,
                                             /*writable=*/true);
  }

  LogicalResult lower(tile::ScatterOp op) {
    auto array = getArray(op, op.getView());
    if (failed(array)) {
      return failure();
    }
    Value memref = array->getOperand(0);
    OpBuilder builder(op);
    SmallVector<Value> values = {op.getValue()};
    forEachLane(builder, op, op.getIndex(), op.getMask(), values, memref, {},
                [&](OpBuilder &nested, Location loc, const Lane &lane,
                    ValueRange elements, ValueRange, ValueRange) {
                  auto branch = scf::IfOp::create(nested, loc, lane.active,
                                                  /*withElseRegion=*/false);
                  OpBuilder inner = branch.getThenBodyBuilder();
                  memref::StoreOp::create(inner, loc,
                                          toMemory(inner, loc, elements[0]),
                                          memref, lane.index);
                  return SmallVector<Value>();
                });
    op.erase();
    return success();
  }

  template <typename OpTy>
  LogicalResult lowerAtomic(OpTy op, SmallVector<Value> values) {
    auto array = getArray(op, op.getView());
    if (failed(array)) {
      return failure();
    }
    Value memref = array->getOperand(0);
    OpBuilder builder(op);
    Location loc = op.getLoc();
    Type element = getElementTypeOrSelf(op.getType());
    Value pad = getPad(builder, loc, op.getPad(), element);
    auto type = dyn_cast<RankedTensorType>(op.getType());
    SmallVector<Value> inits;
    if (type && !op.use_empty()) {
      inits.push_back(createEmpty(builder, loc, type));
    }
    Value scalar;
    SmallVector<Value> results = forEachLane(
        builder, op, op.getIndex(), op.getMask(), values, memref, inits,
        [&](OpBuilder &nested, Location bodyLoc, const Lane &lane,
            ValueRange elements, ValueRange at, ValueRange carried) {
          scalar = createGuarded(
              nested, bodyLoc, lane.active, pad, [&](OpBuilder &inner) {
                return createAtomic(inner, bodyLoc, op, memref, lane.index,
                                    elements);
              });
          SmallVector<Value> next;
          if (!carried.empty()) {
            next.push_back(tensor::InsertOp::create(nested, bodyLoc, scalar,
                                                    carried[0], at));
          }
          return next;
        });
    if (!type) {
      op.replaceAllUsesWith(scalar);
    } else if (!results.empty()) {
      op.replaceAllUsesWith(results.front());
    }
    op.erase();
    return success();
  }

  using LaneFn = llvm::function_ref<SmallVector<Value>(
      OpBuilder &, Location, const Lane &, ValueRange elements, ValueRange at,
      ValueRange carried)>;

  /// Runs `body` for each lane in row-major order; once, without a loop, for
  /// scalars.
  static SmallVector<Value> forEachLane(OpBuilder &builder, Operation *op,
                                        ValueRange index, Value mask,
                                        ValueRange values, Value memref,
                                        ValueRange inits, LaneFn body) {
    ArrayRef<int64_t> shape = tile::getShape(index.front().getType());
    return createLoopNest(
        builder, op->getLoc(), shape, inits,
        [&](OpBuilder &nested, Location loc, ValueRange at,
            ValueRange carried) {
          auto element = [&](Value value) -> Value {
            return isa<RankedTensorType>(value.getType())
                       ? tensor::ExtractOp::create(nested, loc, value, at)
                       : value;
          };
          SmallVector<Value> indices, elements;
          for (Value position : index) {
            indices.push_back(element(position));
          }
          for (Value value : values) {
            elements.push_back(element(value));
          }
          Lane lane = createLane(nested, loc, memref, indices,
                                 mask ? element(mask) : Value());
          return body(nested, loc, lane, elements, at, carried);
        });
  }
};

} // namespace
} // namespace tegula::cpu
