// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVIDIA GPUs as the shared lowerings see them.

#include "passes/targets/cuda/Arch.h"
#include "passes/targets/cuda/LoadMatrix.h"
#include "passes/targets/cuda/MmaSync.h"
#include "passes/targets/cuda/Passes.h"
#include "passes/targets/cuda/Rings.h"
#include "passes/targets/cuda/WarpgroupMma.h"

#include "passes/lower/TargetInfo.h"

using namespace mlir;

namespace tegula::cuda {
namespace {

class CudaTarget final : public lower::TargetInfo {
public:
  explicit CudaTarget(const Arch &arch) : arch(arch) {}

  StringRef getName() const override { return arch.name; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<NVVM::NVVMDialect>();
  }
  int64_t getNumLanes() const override { return kNumLanes; }
  int64_t getMaxNumWarps() const override { return kMaxThreads / kNumLanes; }
  int64_t getSharedBytes() const override { return arch.sharedBytes; }
  int64_t getNumSharedBanks() const override { return 32; }
  int64_t getMaxAccessBytes() const override { return 16; }
  int64_t getRegisterBudget() const override { return 128; }
  StringRef getDeviceScope() const override { return "device"; }
  /// PTX ISA 9.7.13.5, atom.
  bool hasAtomicAdd(FloatType type) const override { return type.isF64(); }
  bool hasFlushingAtomicAdd(FloatType type) const override {
    return type.isF32();
  }

  std::optional<lower::DotLayouts>
  getDotLayouts(tile::DotOp dot, int64_t numWarps) const override {
    return getMmaSyncLayouts(arch, dot, numWarps);
  }
  FailureOr<Value> emitDot(OpBuilder &builder, tile::DotOp dot,
                           const lower::DotLayouts &layouts, Value a, Value b,
                           Value acc) const override {
    return emitMmaSync(builder, arch, dot, layouts, a, b, acc);
  }

  bool supportsSharedOperands(tile::DotOp dot, Type a,
                              simt::BufferType b) const override {
    if (!arch.hasWarpgroups()) {
      return false;
    }
    auto layout = layout::getLayout(dot.getType()).getLayout();
    return supportsWarpgroupMma(dot, a, b, layout.inSize(layout::Dim::Warp));
  }
  FailureOr<Value> emitMma(OpBuilder &builder, lower::ThreadEmitter &emitter,
                           simt::MmaOp op, Value a, Value b,
                           Value acc) const override {
    if (!arch.hasWarpgroups()) {
      return failure();
    }
    return cuda::emitMma(builder, emitter, op, a, b, acc);
  }
  FailureOr<Value> emitMmaWait(OpBuilder &builder, Location loc,
                               int64_t pending, Value acc,
                               Value a) const override {
    if (!arch.hasWarpgroups()) {
      return failure();
    }
    return cuda::emitMmaWait(builder, loc, pending, acc, a);
  }

  std::optional<lower::RingPlan> planRing(ArrayRef<tile::LoadOp> loads,
                                          ArrayRef<RankedTensorType> tiles,
                                          lower::RingRoom room) const override {
    return cuda::planRing(arch, loads, tiles, room);
  }
  /// Each slot has barriers of its own; groups are counted over all rings.
  bool hasIndependentRings() const override { return arch.hasBulkCopies(); }
  LogicalResult emitRing(const lower::RingContext &ring) const override {
    return cuda::emitRing(ring);
  }
  LogicalResult emitIssue(const lower::RingContext &ring,
                          simt::IssueOp op) const override {
    return cuda::emitIssue(ring, op);
  }
  LogicalResult emitAwait(const lower::RingContext &ring,
                          Value number) const override {
    return cuda::emitAwait(ring, number);
  }
  LogicalResult emitRelease(const lower::RingContext &ring,
                            Value number) const override {
    return cuda::emitRelease(ring, number);
  }
  FailureOr<Value> emitRead(OpBuilder &builder, Location loc,
                            lower::ThreadEmitter &emitter, Value pointer,
                            const layout::LinearLayout &places,
                            Type elementType) const override {
    return emitLoadMatrix(builder, loc, emitter, pointer, places, elementType);
  }
  bool tracksReaders(StringRef mechanism) const override {
    return cuda::tracksReaders(mechanism);
  }

private:
  const Arch &arch;
};

} // namespace

void registerTargets() {
  for (const Arch &arch : getArchs()) {
    lower::TargetInfo::add(std::make_unique<CudaTarget>(arch));
  }
}

} // namespace tegula::cuda
