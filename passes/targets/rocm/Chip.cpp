// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The chips, from AMD's ISA documents ("AMD Instinct MI200", "MI300", "CDNA4",
// "RDNA3" and "RDNA4 Instruction Set Architecture") and LLVM's AMDGPUUsage.

#include "passes/targets/rocm/Chip.h"
#include "passes/lower/TargetInfo.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace tegula::rocm {
namespace {

constexpr int64_t kKiB = 1024;
constexpr Chip kChips[] = {
    {"gfx90a", 64, 64 * kKiB, 32, 256, Matrix::MfmaGfx90a, 1},
    {"gfx942", 64, 64 * kKiB, 32, 256, Matrix::MfmaGfx942, 8},
    {"gfx950", 64, 160 * kKiB, 64, 256, Matrix::MfmaGfx950, 8},
    {"gfx1100", 32, 64 * kKiB, 32, 192, Matrix::WmmaGfx11, 1},
    {"gfx1201", 32, 64 * kKiB, 32, 192, Matrix::WmmaGfx12, 1},
};

} // namespace

ArrayRef<Chip> getChips() { return kChips; }

const Chip *getChip(StringRef name) {
  const Chip *found =
      llvm::find_if(kChips, [&](const Chip &c) { return c.name == name; });
  return found == std::end(kChips) ? nullptr : found;
}

const Chip *getChipOf(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module) {
    module = op->getParentOfType<ModuleOp>();
  }
  auto arch = module ? module->getAttrOfType<StringAttr>(lower::kArchAttr)
                     : StringAttr();
  const Chip *chip = arch ? getChip(arch.getValue()) : nullptr;
  if (chip) {
    return chip;
  }
  InFlightDiagnostic error = op->emitError();
  if (arch) {
    error << "there is no AMD GPU " << arch << ";";
  } else {
    error << "the module does not say which GPU it is for;";
  }
  error << " '" << lower::kArchAttr << "' must be one of ";
  llvm::ListSeparator separator;
  for (const Chip &known : kChips) {
    error << StringRef(separator) << '"' << known.name << '"';
  }
  return nullptr;
}

} // namespace tegula::rocm
