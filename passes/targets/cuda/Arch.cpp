// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes are from the "Compute Capabilities" appendix of NVIDIA's CUDA C++
// Programming Guide.

#include "passes/targets/cuda/Arch.h"

#include "passes/lower/TargetInfo.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace tegula::cuda {
namespace {

constexpr int64_t kKilo = 1024;

constexpr Arch archs[] = {
    {"sm_80", 80, 163 * kKilo},    {"sm_86", 86, 99 * kKilo},
    {"sm_89", 89, 99 * kKilo},     {"sm_90a", 90, 227 * kKilo},
    {"sm_100a", 100, 227 * kKilo}, {"sm_120a", 120, 99 * kKilo},
};

} // namespace

ArrayRef<Arch> getArchs() { return archs; }

const Arch *getArch(StringRef name) {
  const Arch *found =
      llvm::find_if(archs, [&](const Arch &arch) { return arch.name == name; });
  return found == std::end(archs) ? nullptr : found;
}

const Arch *getArchOf(Operation *op) {
  auto module =
      isa<ModuleOp>(op) ? cast<ModuleOp>(op) : op->getParentOfType<ModuleOp>();
  auto name = module ? module->getAttrOfType<StringAttr>(lower::kArchAttr)
                     : StringAttr();
  const Arch *arch = name ? getArch(name) : nullptr;
  if (!arch) {
    InFlightDiagnostic error = op->emitError();
    if (name) {
      error << "'" << name.getValue() << "' is no NVIDIA GPU";
    } else {
      error << "the module does not say which GPU it is for";
    }
    error << "; set '" << lower::kArchAttr << "' to one of ";
    llvm::interleaveComma(archs, error,
                          [&](const Arch &known) { error << known.name; });
  }
  return arch;
}

} // namespace tegula::cuda
