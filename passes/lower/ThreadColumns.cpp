// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Renaming of registers. For each bit of lane and warp, the two layouts'
// columns differ by a sum of register columns or by something that the thread
// does not hold; in the first case a select by that bit picks the register.

#include "passes/lower/ThreadColumns.h"

#include "dialects/layout/BitSpan.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tegula::lower {

using layout::BitSpan;
using layout::Dim;
using layout::LinearLayout;

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

Columns Columns::of(const LinearLayout &layout) {
  return {layout.flatBases(Dim::Register), layout.flatBases(Dim::Lane),
          layout.flatBases(Dim::Warp)};
}

SmallVector<uint64_t> Columns::getThreads() const {
  SmallVector<uint64_t> threads(lanes);
  llvm::append_range(threads, warps);
  return threads;
}

uint64_t Columns::getRegisterPart(uint64_t reg) const {
  return layout::apply(registers, reg);
}

Columns Columns::map(function_ref<uint64_t(uint64_t)> transfer) const {
  Columns result = *this;
  for (auto *columns : {&result.registers, &result.lanes, &result.warps}) {
    for (uint64_t &column : *columns) {
      column = transfer(column);
    }
  }
  return result;
}

uint64_t Columns::getFreeRegisterMask() const {
  BitSpan span;
  uint64_t mask = 0;
  for (auto [bit, column] : llvm::enumerate(registers)) {
    if (!span.insert(column)) {
      mask |= uint64_t(1) << bit;
    }
  }
  return mask;
}

void Columns::dropFreeRegisters(MutableArrayRef<Values> values) {
  uint64_t mask = getFreeRegisterMask();
  for (Values &list : values) {
    Values kept;
    for (auto [reg, value] : llvm::enumerate(list)) {
      if ((reg & mask) == 0) {
        kept.push_back(value);
      }
    }
    list = std::move(kept);
  }
  llvm::SmallVector<uint64_t> kept;
  for (auto [bit, column] : llvm::enumerate(registers)) {
    if (!(mask >> bit & 1)) {
      kept.push_back(column);
    }
  }
  registers = std::move(kept);
}

LinearLayout Columns::toBuffer(unsigned bits) const {
  LinearLayout::Bases bases;
  auto put = [&](Dim dim, ArrayRef<uint64_t> columns) {
    for (uint64_t column : columns) {
      bases[static_cast<unsigned>(dim)].push_back(
          {static_cast<int32_t>(column)});
    }
  };
  put(Dim::Register, registers);
  put(Dim::Lane, lanes);
  put(Dim::Warp, warps);
  return *LinearLayout::create(std::move(bases), {int64_t(1) << bits});
}

//===----------------------------------------------------------------------===//
// Thread bits
//===----------------------------------------------------------------------===//

Value ThreadBits::get(unsigned bit) {
  Value &value = bits[bit];
  if (!value) {
    unsigned laneBits = llvm::Log2_64(emitter.getNumLanes());
    bool isLane = bit < laneBits;
    Value number = isLane ? emitter.getLane() : emitter.getWarp();
    int64_t mask = int64_t(1) << (isLane ? bit : bit - laneBits);
    Value part = arith::AndIOp::create(
        builder, loc, number, ThreadEmitter::getI32(builder, loc, mask));
    value = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, part,
                                  ThreadEmitter::getI32(builder, loc, 0));
  }
  return value;
}

Value ThreadBits::getParity(uint64_t mask) {
  Value parity;
  for (unsigned bit = 0; mask >> bit; ++bit) {
    if (mask >> bit & 1) {
      Value next = get(bit);
      parity =
          parity ? arith::XOrIOp::create(builder, loc, parity, next) : next;
    }
  }
  return parity;
}

Value ThreadBits::getImage(ArrayRef<uint64_t> images) {
  uint64_t used = 1;
  for (uint64_t image : images) {
    used |= image;
  }
  size_t laneBits = llvm::Log2_64(emitter.getNumLanes());
  Columns columns{{},
                  SmallVector<uint64_t>(images.take_front(laneBits)),
                  SmallVector<uint64_t>(images.drop_front(laneBits))};
  LinearLayout buffer = columns.toBuffer(llvm::Log2_64(used) + 1);
  return emitter.getBaseCoordinates(builder, loc, buffer).front();
}

//===----------------------------------------------------------------------===//
// Renaming
//===----------------------------------------------------------------------===//

Value RegisterChooser::get(size_t level, uint64_t reg) {
  if (level == 0) {
    return values[reg];
  }
  if (Value value = made.lookup({level, reg})) {
    return value;
  }
  auto [bit, moves] = choices[level - 1];
  Value moved = get(level - 1, reg ^ moves);
  Value same = get(level - 1, reg);
  Value chosen =
      arith::SelectOp::create(builder, loc, bits.get(bit), moved, same);
  made[{level, reg}] = chosen;
  return chosen;
}

FailureOr<Values> renameRegisters(OpBuilder &builder, Location loc,
                                  const ThreadEmitter &emitter,
                                  ArrayRef<Value> values, const Columns &from,
                                  ArrayRef<uint64_t> targets,
                                  ArrayRef<uint64_t> threads) {
  BitSpan held(from.registers);
  RegisterChooser chooser(builder, loc, emitter, values);
  for (auto [bit, has, wants] : llvm::enumerate(from.getThreads(), threads)) {
    auto moves = held.solve(has ^ wants);
    if (!moves) {
      return failure();
    }
    chooser.add(bit, *moves);
  }
  SmallVector<uint64_t> sources;
  for (uint64_t target : targets) {
    auto source = held.solve(target);
    if (!source) {
      return failure();
    }
    sources.push_back(*source);
  }
  Values chosen;
  for (uint64_t source : sources) {
    chosen.push_back(chooser.get(source));
  }
  return chosen;
}

FailureOr<Values> renameRegisters(OpBuilder &builder, Location loc,
                                  const ThreadEmitter &emitter,
                                  ArrayRef<Value> values, const Columns &from,
                                  const Columns &to, uint64_t offset) {
  SmallVector<uint64_t> targets;
  for (int64_t reg = 0; reg < to.getNumRegisters(); ++reg) {
    targets.push_back(to.getRegisterPart(reg) ^ offset);
  }
  return renameRegisters(builder, loc, emitter, values, from, targets,
                         to.getThreads());
}

} // namespace tegula::lower
