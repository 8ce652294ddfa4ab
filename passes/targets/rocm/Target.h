// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes AMD GPUs known to the shared lowerings. Their passes find a chip by the
// module's attribute, so nothing but this call names one.

#ifndef TEGULA_PASSES_TARGETS_ROCM_TARGET_H
#define TEGULA_PASSES_TARGETS_ROCM_TARGET_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tegula::rocm {

/// Adds the dialect that the pipelines end in, and its translation.
void registerDialects(mlir::DialectRegistry &registry);
/// Adds a TargetInfo for each chip.
void registerTargets();

} // namespace tegula::rocm

#endif // TEGULA_PASSES_TARGETS_ROCM_TARGET_H
