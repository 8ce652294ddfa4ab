// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What differs between the NVIDIA GPUs that kernels are compiled for. Passes
// ask this table, never an architecture's name.

#ifndef TEGULA_PASSES_TARGETS_CUDA_ARCH_H
#define TEGULA_PASSES_TARGETS_CUDA_ARCH_H

#include "mlir/IR/Operation.h"

namespace tegula::cuda {

struct Arch {
  /// As ptxas and LLVM name it.
  llvm::StringLiteral name;
  /// Ten times the compute capability.
  int version;
  /// Shared memory that a block can ask for, in bytes.
  int64_t sharedBytes;

  /// Conversions between f32 and pairs of 8-bit floats.
  bool convertsFP8() const { return version >= 89; }
  bool multipliesFP8() const { return version >= 89; }
  /// Matrix instructions of four warps on shared memory (wgmma). Of this
  /// generation alone.
  bool hasWarpgroups() const { return version == 90; }
  /// Copies of boxes by tensor map.
  bool hasBulkCopies() const { return version >= 90; }
};

constexpr int64_t kNumLanes = 32;
constexpr int64_t kMaxThreads = 1024;

/// Null if there is none of that name.
const Arch *getArch(llvm::StringRef name);
llvm::ArrayRef<Arch> getArchs();

/// What the module of `op` is compiled for; if that is none of these, emits an
/// error that says how to set it and gives null.
const Arch *getArchOf(mlir::Operation *op);

} // namespace tegula::cuda

#endif // TEGULA_PASSES_TARGETS_CUDA_ARCH_H
