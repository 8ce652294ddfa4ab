// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The TargetInfo of AMD GPUs: one class for all, since the table of chips has
// what differs.

#include "passes/targets/rocm/Target.h"
#include "passes/lower/KernelNumbers.h"
#include "passes/lower/RingLowering.h"
#include "passes/targets/rocm/Chip.h"
#include "passes/targets/rocm/DotPlan.h"
#include "passes/targets/rocm/Rocdl.h"
#include "passes/targets/rocm/TransposedRead.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Target/LLVMIR/Dialect/ROCDL/ROCDLToLLVMIRTranslation.h"

using namespace mlir;
using tegula::layout::LinearLayout;

namespace tegula::rocm {
namespace {

constexpr unsigned kGlobalSpace = 1;
constexpr unsigned kBufferSpace = 8;
constexpr int64_t kMaxAccessBytes = 16;
/// Most that a thread holds of the tiles that a loop fetches ahead: with more
/// there is too little left for its products.
constexpr int64_t kMaxFetchedBytes = 256;
constexpr StringLiteral kZerosName = "tegula_zeros";

/// Bytes in the code object that are 0, as many as one access reads.
Value getZeros(OpBuilder &builder, Location loc, ModuleOp module) {
  auto zeros = module.lookupSymbol<LLVM::GlobalOp>(kZerosName);
  if (!zeros) {
    auto top = OpBuilder::atBlockBegin(module.getBody());
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), kMaxAccessBytes);
    auto shape = RankedTensorType::get(kMaxAccessBytes, builder.getI8Type());
    zeros = LLVM::GlobalOp::create(
        top, module.getLoc(), type, /*isConstant=*/true,
        LLVM::Linkage::Internal, kZerosName,
        DenseElementsAttr::get(shape, builder.getI8IntegerAttr(0)),
        /*alignment=*/kMaxAccessBytes, kGlobalSpace);
  }
  return LLVM::AddressOfOp::create(builder, loc, zeros);
}

class RocmTargetInfo final : public lower::TargetInfo {
public:
  explicit RocmTargetInfo(const Chip &chip) : chip(chip) {}

  StringRef getName() const override { return chip.name; }
  int64_t getNumLanes() const override { return chip.lanes; }
  int64_t getMaxNumWarps() const override { return 1024 / chip.lanes; }
  int64_t getSharedBytes() const override { return chip.ldsBytes; }
  int64_t getNumSharedBanks() const override { return chip.ldsBanks; }
  int64_t getMaxAccessBytes() const override { return kMaxAccessBytes; }
  int64_t getRegisterBudget() const override { return chip.registers; }
  StringRef getDeviceScope() const override { return "agent"; }

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, LLVM::LLVMDialect, ROCDL::ROCDLDialect,
                    vector::VectorDialect>();
  }

  std::optional<lower::DotLayouts>
  getDotLayouts(tile::DotOp dot, int64_t numWarps) const override {
    std::optional<DotPlan> plan =
        DotPlan::create(chip, dot, numWarps, getChain(dot));
    return plan ? std::optional(plan->getLayouts()) : std::nullopt;
  }

  FailureOr<Value> emitDot(OpBuilder &builder, tile::DotOp dot,
                           const lower::DotLayouts &layouts, Value a, Value b,
                           Value acc) const override {
    std::optional<DotPlan> plan = DotPlan::find(chip, dot, layouts);
    if (!plan) {
      return failure();
    }
    return plan->emit(builder, dot.getLoc(), a, b, acc);
  }

  /// Two slots if two programs have room for them, else one, which costs a
  /// barrier more.
  std::optional<lower::RingPlan>
  planRing(ArrayRef<tile::LoadOp> loads, ArrayRef<RankedTensorType> tiles,
           lower::RingRoom given) const override {
    auto one = simt::RingType::get(tiles[0].getContext(), 1, tiles);
    int64_t bytes = one.getSlotBytes();
    // An eighth is for what threads exchange.
    int64_t room = chip.ldsBytes / 8 * 7 - given.used - given.laterSlots;
    int64_t slots = 4 * bytes <= room ? 2 : 1;
    if (given.wantedSlots) {
      slots = 2 * bytes <= room && given.wantedSlots > 1 ? 2 : 1;
    }
    auto kernel = loads[0]->getParentOfType<func::FuncOp>();
    int64_t threads =
        chip.lanes * lower::getNumber(kernel, lower::kNumWarpsAttr).value_or(1);
    if (bytes > room || bytes / threads > kMaxFetchedBytes) {
      return std::nullopt;
    }
    return lower::RingPlan{lower::kRegisterMechanism, slots, slots * bytes, {}};
  }

  /// Lanes that must not read read zeros elsewhere: a branch around each load
  /// would keep them apart.
  Value emitLoad(OpBuilder &builder, Location loc, Type type, Value pointer,
                 Value predicate, int64_t alignment) const override {
    auto pointerType = cast<LLVM::LLVMPointerType>(pointer.getType());
    Operation *parent = builder.getBlock()->getParentOp();
    auto module = parent->getParentOfType<ModuleOp>();
    if (predicate && module && pointerType.getAddressSpace() == kGlobalSpace) {
      Value zeros = getZeros(builder, loc, module);
      pointer =
          arith::SelectOp::create(builder, loc, predicate, pointer, zeros);
      predicate = Value();
    }
    return TargetInfo::emitLoad(builder, loc, type, pointer, predicate,
                                alignment);
  }

  std::optional<LinearLayout>
  getNamedElements(const LinearLayout &fragment, unsigned along,
                   int64_t elementBytes) const override {
    return chip.hasTransposedReads()
               ? rocm::getNamedElements(fragment, along, elementBytes)
               : std::nullopt;
  }
  FailureOr<Value> emitRead(OpBuilder &builder, Location loc,
                            lower::ThreadEmitter &emitter, Value pointer,
                            const LinearLayout &places,
                            Type elementType) const override {
    return chip.hasTransposedReads()
               ? emitTransposedRead(builder, loc, emitter, pointer, places,
                                    elementType)
               : FailureOr<Value>(failure());
  }

  bool hasWindows() const override { return true; }

  Value emitWindow(OpBuilder &builder, Location loc, Value base,
                   Value bytes) const override {
    auto type = LLVM::LLVMPointerType::get(builder.getContext(), kBufferSpace);
    Value stride = arith::ConstantIntOp::create(builder, loc, 0, 16);
    Value flags =
        arith::ConstantIntOp::create(builder, loc, chip.getBufferFlags(), 32);
    Value size =
        arith::ExtUIOp::create(builder, loc, builder.getI64Type(), bytes);
    return createRocdl(builder, loc, "make.buffer.rsrc", type,
                       {base, stride, size, flags})
        ->getResult(0);
  }

  Value emitWindowLoad(OpBuilder &builder, Location loc, Type type,
                       Value window, Value offset) const override {
    auto vector = dyn_cast<VectorType>(type);
    int64_t bits =
        vector ? vector.getNumElements() * vector.getElementTypeBitWidth()
               : type.getIntOrFloatBitWidth();
    Type words = builder.getIntegerType(std::min<int64_t>(bits, 32));
    if (bits > 32) {
      words = VectorType::get({bits / 32}, words);
    }
    Value zero = arith::ConstantIntOp::create(builder, loc, 0, 32);
    Value loaded = createRocdl(builder, loc, "raw.ptr.buffer.load", words,
                               {window, offset, zero, zero})
                       ->getResult(0);
    return builder.createOrFold<LLVM::BitcastOp>(loc, type, loaded);
  }

private:
  const Chip &chip;
};

} // namespace

void registerDialects(DialectRegistry &registry) {
  registry.insert<ROCDL::ROCDLDialect>();
  registerROCDLDialectTranslation(registry);
}

void registerTargets() {
  for (const Chip &chip : getChips()) {
    lower::TargetInfo::add(std::make_unique<RocmTargetInfo>(chip));
  }
}

} // namespace tegula::rocm
