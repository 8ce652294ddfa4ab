// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all devices have in common, and where they are found by name.

#include "passes/lower/RingLowering.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace mlir;

namespace tegula::lower {

//===----------------------------------------------------------------------===//
// Defaults
//===----------------------------------------------------------------------===//

TargetInfo::~TargetInfo() = default;

std::optional<DotLayouts> TargetInfo::getDotLayouts(tile::DotOp,
                                                    int64_t) const {
  return std::nullopt;
}

FailureOr<Value> TargetInfo::emitDot(OpBuilder &, tile::DotOp,
                                     const DotLayouts &, Value, Value,
                                     Value) const {
  return failure();
}

bool TargetInfo::supportsSharedOperands(tile::DotOp, Type,
                                        simt::BufferType) const {
  return false;
}

FailureOr<Value> TargetInfo::emitMma(OpBuilder &, ThreadEmitter &, simt::MmaOp,
                                     Value, Value, Value) const {
  return failure();
}

FailureOr<Value> TargetInfo::emitMmaWait(OpBuilder &, Location, int64_t, Value,
                                         Value) const {
  return failure();
}

std::optional<RingPlan> TargetInfo::planRing(ArrayRef<tile::LoadOp>,
                                             ArrayRef<RankedTensorType>,
                                             RingRoom) const {
  return std::nullopt;
}

LogicalResult TargetInfo::emitRing(const RingContext &ring) const {
  return emitPlainRing(ring);
}

LogicalResult TargetInfo::emitIssue(const RingContext &ring,
                                    simt::IssueOp op) const {
  return emitPlainIssue(ring, op);
}

LogicalResult TargetInfo::emitAwait(const RingContext &ring, Value) const {
  return emitPlainAwait(ring);
}

LogicalResult TargetInfo::emitRelease(const RingContext &ring, Value) const {
  return emitPlainRelease(ring);
}

FailureOr<Value> TargetInfo::emitRead(OpBuilder &, Location, ThreadEmitter &,
                                      Value, const layout::LinearLayout &,
                                      Type) const {
  return failure();
}

Value TargetInfo::emitLoad(OpBuilder &builder, Location loc, Type type,
                           Value pointer, Value predicate,
                           int64_t alignment) const {
  if (!predicate) {
    return LLVM::LoadOp::create(builder, loc, type, pointer, alignment);
  }
  auto branch = scf::IfOp::create(builder, loc, type, predicate,
                                  /*withElseRegion=*/true);
  OpBuilder inside = branch.getThenBodyBuilder(builder.getListener());
  Value loaded = LLVM::LoadOp::create(inside, loc, type, pointer, alignment);
  scf::YieldOp::create(inside, loc, loaded);
  OpBuilder outside = branch.getElseBodyBuilder(builder.getListener());
  Value zero =
      arith::ConstantOp::create(outside, loc, type, outside.getZeroAttr(type));
  scf::YieldOp::create(outside, loc, zero);
  return branch.getResult(0);
}

Value TargetInfo::emitWindow(OpBuilder &, Location, Value, Value) const {
  return Value();
}

Value TargetInfo::emitWindowLoad(OpBuilder &, Location, Type, Value,
                                 Value) const {
  return Value();
}

void TargetInfo::emitStore(OpBuilder &builder, Location loc, Value value,
                           Value pointer, Value predicate,
                           int64_t alignment) const {
  if (!predicate) {
    LLVM::StoreOp::create(builder, loc, value, pointer, alignment);
    return;
  }
  auto branch = scf::IfOp::create(builder, loc, predicate,
                                  /*withElseRegion=*/false);
  OpBuilder inside = branch.getThenBodyBuilder(builder.getListener());
  LLVM::StoreOp::create(inside, loc, value, pointer, alignment);
}

//===----------------------------------------------------------------------===//
// A device without anything special
//===----------------------------------------------------------------------===//

namespace {

/// Threads in lockstep, shared memory and nothing else: what the shared
/// lowerings do where no device helps, and are tested on.
class GenericTarget final : public TargetInfo {
public:
  GenericTarget(StringRef name, int64_t numLanes)
      : name(name), numLanes(numLanes) {}

  StringRef getName() const override { return name; }
  int64_t getNumLanes() const override { return numLanes; }
  int64_t getMaxNumWarps() const override { return 1024 / numLanes; }
  int64_t getSharedBytes() const override { return 48 * 1024; }
  int64_t getNumSharedBanks() const override { return 32; }
  int64_t getMaxAccessBytes() const override { return 16; }
  int64_t getRegisterBudget() const override { return 128; }

  std::optional<RingPlan> planRing(ArrayRef<tile::LoadOp>,
                                   ArrayRef<RankedTensorType> tiles,
                                   RingRoom room) const override {
    constexpr int64_t kSlots = 2;
    auto type = simt::RingType::get(tiles[0].getContext(), kSlots, tiles);
    int64_t bytes = kSlots * type.getSlotBytes();
    if (room.used + bytes > getSharedBytes()) {
      return std::nullopt;
    }
    return RingPlan{kPlainMechanism, kSlots, bytes, {}};
  }

private:
  StringRef name;
  int64_t numLanes;
};

using Registry =
    std::map<std::string, std::unique_ptr<TargetInfo>, std::less<>>;

Registry &getRegistry() {
  static Registry registry = [] {
    Registry initial;
    initial["generic32"] = std::make_unique<GenericTarget>("generic32", 32);
    initial["generic64"] = std::make_unique<GenericTarget>("generic64", 64);
    return initial;
  }();
  return registry;
}

} // namespace

//===----------------------------------------------------------------------===//
// Registry
//===----------------------------------------------------------------------===//

const TargetInfo *TargetInfo::get(StringRef name) {
  auto found = getRegistry().find(name);
  return found == getRegistry().end() ? nullptr : found->second.get();
}

const TargetInfo *TargetInfo::of(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module) {
    module = op->getParentOfType<ModuleOp>();
  }
  auto name =
      module ? module->getAttrOfType<StringAttr>(kArchAttr) : StringAttr();
  if (!name) {
    op->emitError() << "the module does not say what it is compiled for; run "
                       "lower-set-target first";
    return nullptr;
  }
  const TargetInfo *target = get(name.getValue());
  if (!target) {
    op->emitError() << "unknown architecture " << name << "; known are "
                    << llvm::join(getNames(), ", ");
  }
  return target;
}

void TargetInfo::getAllDialects(DialectRegistry &registry) {
  for (auto &[name, target] : getRegistry()) {
    target->getDependentDialects(registry);
  }
}

void TargetInfo::add(std::unique_ptr<TargetInfo> target) {
  std::string name = target->getName().str();
  getRegistry()[name] = std::move(target);
}

SmallVector<StringRef> TargetInfo::getNames() {
  SmallVector<StringRef> names;
  for (const auto &entry : getRegistry()) {
    names.push_back(entry.first);
  }
  return names;
}

} // namespace tegula::lower
