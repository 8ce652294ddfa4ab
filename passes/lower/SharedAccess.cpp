// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Offsets are linear over F2: the thread's part is computed once, each access
// adds the register's, a constant.

#include "passes/lower/SharedAccess.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tegula::lower {

int64_t getElementBytes(Type type) {
  return getMemoryType(type).getIntOrFloatBitWidth() / 8;
}

int64_t getScratchLimit(const ThreadEmitter &emitter) {
  int64_t all = emitter.getTarget().getSharedBytes();
  return std::min(all / 4, all - emitter.getPersistentBytes());
}

void storeShared(OpBuilder &builder, Location loc, ArrayRef<Value> elements,
                 Value base, Value offset, Value predicate) {
  Type element = elements.front().getType();
  int64_t count = elements.size();
  Value value = count == 1
                    ? elements.front()
                    : ThreadEmitter::pack(builder, loc, elements, element);
  Value stored = toMemory(builder, loc, value);
  int64_t bytes = count * getElementBytes(element);
  auto store = [&](OpBuilder &nested) {
    Value pointer =
        ThreadEmitter::emitOffset(nested, loc, base, offset, element);
    LLVM::StoreOp::create(nested, loc, stored, pointer, bytes);
  };
  if (!predicate) {
    store(builder);
    return;
  }
  auto branch = scf::IfOp::create(builder, loc, predicate,
                                  /*withElseRegion=*/false);
  OpBuilder inside = branch.getThenBodyBuilder();
  store(inside);
}

Values loadShared(OpBuilder &builder, Location loc, Type type, int64_t count,
                  Value base, Value offset) {
  Type memory = getMemoryType(type);
  Type loaded = count == 1 ? memory : VectorType::get({count}, memory);
  Value pointer = ThreadEmitter::emitOffset(builder, loc, base, offset, type);
  Value value = LLVM::LoadOp::create(builder, loc, loaded, pointer,
                                     count * getElementBytes(type));
  return ThreadEmitter::unpack(builder, loc,
                               fromMemory(builder, loc, value, type));
}

SharedAccess::SharedAccess(OpBuilder &builder, Location loc,
                           const ThreadEmitter &emitter, const Columns &offsets,
                           unsigned vectorBits)
    : builder(builder), loc(loc), offsets(offsets), vectorBits(vectorBits) {
  ThreadBits bits(builder, loc, emitter);
  threadPart = bits.getImage(offsets.getThreads());
  for (uint64_t column : offsets.getThreads()) {
    threadBits |= column;
  }
}

SmallVector<SharedAccess::Group>
SharedAccess::getGroups(ArrayRef<int64_t> registers) const {
  uint64_t mask = (uint64_t(1) << vectorBits) - 1;
  llvm::MapVector<uint64_t, Group> groups;
  for (int64_t reg : registers) {
    uint64_t offset = offsets.getRegisterPart(reg);
    Group &group = groups[offset & ~mask];
    group.resize(mask + 1, -1);
    group[offset & mask] = reg;
  }
  SmallVector<Group> result;
  for (auto &entry : groups) {
    result.push_back(std::move(entry.second));
  }
  return result;
}

Value SharedAccess::getOffset(const Group &group) const {
  uint64_t part = offsets.getRegisterPart(group.front());
  return ThreadEmitter::emitWithOffset(builder, loc, threadPart, part,
                                       threadBits);
}

void SharedAccess::store(Value base, ArrayRef<int64_t> registers,
                         ArrayRef<Value> values, Value predicate) const {
  for (const Group &group : getGroups(registers)) {
    Values elements;
    for (int64_t reg : group) {
      elements.push_back(values[reg]);
    }
    storeShared(builder, loc, elements, base, getOffset(group), predicate);
  }
}

void SharedAccess::load(Value base, ArrayRef<int64_t> registers, Type type,
                        MutableArrayRef<Value> values) const {
  for (const Group &group : getGroups(registers)) {
    Values elements =
        loadShared(builder, loc, type, group.size(), base, getOffset(group));
    for (auto [reg, element] : llvm::zip_equal(group, elements)) {
      values[reg] = element;
    }
  }
}

} // namespace tegula::lower
