// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See AtomicElement.h. Elements narrower than 32 bits are part of an aligned
// word, whose other bytes a swap puts back as they were.

#include "passes/lower/AtomicElement.h"

#include "passes/lower/ThreadEmitter.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tegula::lower {

using LLVM::AtomicBinOp;
using LLVM::AtomicOrdering;

unsigned AtomicElement::getWidth() const {
  return getMemoryType(type).getIntOrFloatBitWidth();
}

Value AtomicElement::toBits(OpBuilder &builder, Value value) const {
  value = toMemory(builder, loc, value);
  Type bits = builder.getIntegerType(getWidth());
  return value.getType() == bits
             ? value
             : arith::BitcastOp::create(builder, loc, bits, value);
}

Value AtomicElement::fromBits(OpBuilder &builder, Value bits) const {
  Type memory = getMemoryType(type);
  if (bits.getType() != memory) {
    bits = arith::BitcastOp::create(builder, loc, memory, bits);
  }
  return fromMemory(builder, loc, bits, type);
}

//===----------------------------------------------------------------------===//
// What memory does by itself
//===----------------------------------------------------------------------===//

std::optional<AtomicBinOp>
AtomicElement::getNative(tile::AtomicKind kind) const {
  if (getWidth() < 32) {
    return std::nullopt;
  }
  auto floatType = dyn_cast<FloatType>(type);
  switch (kind) {
  case tile::AtomicKind::Xchg:
    return AtomicBinOp::xchg;
  case tile::AtomicKind::Add:
    if (floatType) {
      return target.hasAtomicAdd(floatType) ? std::optional(AtomicBinOp::fadd)
                                            : std::nullopt;
    }
    return AtomicBinOp::add;
  case tile::AtomicKind::Max:
    return floatType ? std::nullopt : std::optional(AtomicBinOp::max);
  case tile::AtomicKind::Min:
    return floatType ? std::nullopt : std::optional(AtomicBinOp::min);
  case tile::AtomicKind::UMax:
    return AtomicBinOp::umax;
  case tile::AtomicKind::UMin:
    return AtomicBinOp::umin;
  case tile::AtomicKind::And:
    return AtomicBinOp::_and;
  case tile::AtomicKind::Or:
    return AtomicBinOp::_or;
  case tile::AtomicKind::Xor:
    return AtomicBinOp::_xor;
  }
  llvm_unreachable("every kind is covered");
}

//===----------------------------------------------------------------------===//
// What the thread does
//===----------------------------------------------------------------------===//

Value AtomicElement::emitCombine(OpBuilder &builder, tile::AtomicKind kind,
                                 Value old, Value value) const {
  bool isFloat = isa<FloatType>(type);
  bool isBool = type.isInteger(1);
  switch (kind) {
  case tile::AtomicKind::Xchg:
    return value;
  case tile::AtomicKind::Add:
    if (isFloat) {
      return arith::AddFOp::create(builder, loc, old, value);
    }
    // On bools + is or, max is or, min is and.
    return isBool ? arith::OrIOp::create(builder, loc, old, value).getResult()
                  : arith::AddIOp::create(builder, loc, old, value);
  case tile::AtomicKind::Max:
    if (isFloat) {
      return arith::MaximumFOp::create(builder, loc, old, value);
    }
    return isBool ? arith::OrIOp::create(builder, loc, old, value).getResult()
                  : arith::MaxSIOp::create(builder, loc, old, value);
  case tile::AtomicKind::Min:
    if (isFloat) {
      return arith::MinimumFOp::create(builder, loc, old, value);
    }
    return isBool ? arith::AndIOp::create(builder, loc, old, value).getResult()
                  : arith::MinSIOp::create(builder, loc, old, value);
  case tile::AtomicKind::UMax:
    return arith::MaxUIOp::create(builder, loc, old, value);
  case tile::AtomicKind::UMin:
    return arith::MinUIOp::create(builder, loc, old, value);
  case tile::AtomicKind::And:
    return arith::AndIOp::create(builder, loc, old, value);
  case tile::AtomicKind::Or:
    return arith::OrIOp::create(builder, loc, old, value);
  case tile::AtomicKind::Xor:
    return arith::XOrIOp::create(builder, loc, old, value);
  }
  llvm_unreachable("every kind is covered");
}

namespace {

/// An element as part of the word that memory can swap.
struct Word {
  Value pointer;
  Value shift; // i32; null if the element is the word.
  Value mask;  // Of the element's bits in the word.
  Type type;

  Word(OpBuilder &builder, Location loc, Value element, unsigned width)
      : pointer(element), type(builder.getIntegerType(std::max(width, 32u))) {
    if (width >= 32) {
      return;
    }
    Type i64 = builder.getI64Type();
    auto constant = [&](int64_t value, unsigned bits) -> Value {
      return arith::ConstantIntOp::create(builder, loc, value, bits);
    };
    Value address = LLVM::PtrToIntOp::create(builder, loc, i64, element);
    Value byte = arith::AndIOp::create(builder, loc, address, constant(3, 64));
    Value back = arith::SubIOp::create(builder, loc, constant(0, 64), byte);
    pointer = ThreadEmitter::emitOffset(builder, loc, element, back,
                                        builder.getI8Type());
    byte = arith::TruncIOp::create(builder, loc, type, byte);
    shift = arith::ShLIOp::create(builder, loc, byte, constant(3, 32));
    mask = arith::ShLIOp::create(
        builder, loc, constant((int64_t(1) << width) - 1, 32), shift);
  }

  Value extract(OpBuilder &builder, Location loc, Value word, Type bits) const {
    if (!shift) {
      return word;
    }
    Value moved = arith::ShRUIOp::create(builder, loc, word, shift);
    return arith::TruncIOp::create(builder, loc, bits, moved);
  }

  Value insert(OpBuilder &builder, Location loc, Value word,
               Value element) const {
    if (!shift) {
      return element;
    }
    Value ones = arith::ConstantIntOp::create(builder, loc, -1, 32);
    Value others = arith::XOrIOp::create(builder, loc, mask, ones);
    Value kept = arith::AndIOp::create(builder, loc, word, others);
    Value wide = arith::ExtUIOp::create(builder, loc, type, element);
    Value moved = arith::ShLIOp::create(builder, loc, wide, shift);
    return arith::OrIOp::create(builder, loc, kept, moved);
  }
};

} // namespace

Value AtomicElement::emitLoop(OpBuilder &builder, Value pointer,
                              StepFn step) const {
  unsigned width = getWidth();
  Type bits = builder.getIntegerType(width);
  Word word(builder, loc, pointer, width);
  unsigned alignment = word.type.getIntOrFloatBitWidth() / 8;
  StringRef scope = target.getDeviceScope();
  Value initial = LLVM::LoadOp::create(
      builder, loc, word.type, word.pointer, alignment, /*isVolatile=*/false,
      /*isNonTemporal=*/false, /*isInvariant=*/false,
      /*isInvariantGroup=*/false, AtomicOrdering::monotonic, scope);
  auto loop = scf::WhileOp::create(
      builder, loc, TypeRange{word.type}, ValueRange{initial},
      [&](OpBuilder &nested, Location, ValueRange args) {
        Value old = args[0];
        Step next = step(nested, word.extract(nested, loc, old, bits));
        auto trySwap = [&](OpBuilder &inner) -> std::pair<Value, Value> {
          auto swap = LLVM::AtomicCmpXchgOp::create(
              inner, loc, word.pointer, old,
              word.insert(inner, loc, old, next.bits),
              AtomicOrdering::monotonic, AtomicOrdering::monotonic, scope);
          Value seen = LLVM::ExtractValueOp::create(inner, loc, swap, 0);
          Value again = arith::CmpIOp::create(
              inner, loc, arith::CmpIPredicate::ne, seen, old);
          return {again, seen};
        };
        if (!next.isFinal) {
          auto [again, seen] = trySwap(nested);
          scf::ConditionOp::create(nested, loc, again, seen);
          return;
        }
        Type i1 = nested.getI1Type();
        auto branch = scf::IfOp::create(nested, loc, TypeRange{i1, word.type},
                                        next.isFinal, /*withElseRegion=*/true);
        OpBuilder done = branch.getThenBodyBuilder(nested.getListener());
        Value no = arith::ConstantIntOp::create(done, loc, 0, 1);
        scf::YieldOp::create(done, loc, ValueRange{no, old});
        OpBuilder swapping = branch.getElseBodyBuilder(nested.getListener());
        auto [again, seen] = trySwap(swapping);
        scf::YieldOp::create(swapping, loc, ValueRange{again, seen});
        scf::ConditionOp::create(nested, loc, branch.getResult(0),
                                 branch.getResult(1));
      },
      [&](OpBuilder &nested, Location, ValueRange args) {
        scf::YieldOp::create(nested, loc, args);
      });
  return word.extract(builder, loc, loop.getResult(0), bits);
}

//===----------------------------------------------------------------------===//
// Both
//===----------------------------------------------------------------------===//

Value AtomicElement::emitNative(OpBuilder &builder, AtomicBinOp native,
                                Value pointer, Value value) const {
  Value operand = native == AtomicBinOp::fadd ? value : toBits(builder, value);
  Value old = LLVM::AtomicRMWOp::create(builder, loc, native, pointer, operand,
                                        AtomicOrdering::monotonic,
                                        target.getDeviceScope());
  return old.getType() == type ? old : fromBits(builder, old);
}

Value AtomicElement::emitLarge(OpBuilder &builder, Value value) const {
  const llvm::fltSemantics &semantics =
      cast<FloatType>(type).getFloatSemantics();
  int digits = APFloat::semanticsPrecision(semantics);
  APFloat least = scalbn(APFloat::getSmallestNormalized(semantics), digits + 2,
                         APFloat::rmNearestTiesToEven);
  Value bound = arith::ConstantOp::create(builder, loc,
                                          builder.getFloatAttr(type, least));
  Value size = math::AbsFOp::create(builder, loc, value);
  return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGE, size,
                               bound);
}

Value AtomicElement::emitRMW(OpBuilder &builder, tile::AtomicKind kind,
                             Value pointer, Value value) const {
  if (std::optional<AtomicBinOp> native = getNative(kind)) {
    return emitNative(builder, *native, pointer, value);
  }
  auto floatType = dyn_cast<FloatType>(type);
  if (kind != tile::AtomicKind::Add || !floatType ||
      !target.hasFlushingAtomicAdd(floatType)) {
    return emitRMWLoop(builder, kind, pointer, value);
  }
  auto branch = scf::IfOp::create(builder, loc, type, emitLarge(builder, value),
                                  /*withElseRegion=*/true);
  OpBuilder large = branch.getThenBodyBuilder(builder.getListener());
  scf::YieldOp::create(large, loc,
                       emitNative(large, AtomicBinOp::fadd, pointer, value));
  OpBuilder small = branch.getElseBodyBuilder(builder.getListener());
  scf::YieldOp::create(small, loc, emitRMWLoop(small, kind, pointer, value));
  return branch.getResult(0);
}

Value AtomicElement::emitRMWLoop(OpBuilder &builder, tile::AtomicKind kind,
                                 Value pointer, Value value) const {
  Value old = emitLoop(builder, pointer, [&](OpBuilder &nested, Value bits) {
    Value next = emitCombine(nested, kind, fromBits(nested, bits), value);
    return Step{toBits(nested, next), Value()};
  });
  return fromBits(builder, old);
}

Value AtomicElement::emitCAS(OpBuilder &builder, Value pointer, Value compare,
                             Value value) const {
  Value expected = toBits(builder, compare);
  Value wanted = toBits(builder, value);
  if (getWidth() >= 32) {
    auto swap = LLVM::AtomicCmpXchgOp::create(
        builder, loc, pointer, expected, wanted, AtomicOrdering::monotonic,
        AtomicOrdering::monotonic, target.getDeviceScope());
    return fromBits(builder,
                    LLVM::ExtractValueOp::create(builder, loc, swap, 0));
  }
  Value old = emitLoop(builder, pointer, [&](OpBuilder &nested, Value bits) {
    Value differs = arith::CmpIOp::create(nested, loc, arith::CmpIPredicate::ne,
                                          bits, expected);
    return Step{wanted, differs};
  });
  return fromBits(builder, old);
}

} // namespace tegula::lower
