// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers that passes write on a kernel for later ones (how many warps, bytes,
// registers). IR that was written by hand may hold anything there.

#ifndef TEGULA_PASSES_LOWER_KERNELNUMBERS_H
#define TEGULA_PASSES_LOWER_KERNELNUMBERS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace tegula::lower {

/// The number under `name`, or none if there is no signless integer of at most
/// 64 bits.
inline std::optional<int64_t> getNumber(mlir::Operation *kernel,
                                        llvm::StringRef name) {
  auto number = kernel->getAttrOfType<mlir::IntegerAttr>(name);
  if (!number || !number.getType().isSignlessInteger() ||
      number.getValue().getBitWidth() > 64) {
    return std::nullopt;
  }
  return number.getInt();
}

/// The same where a kernel may lack `name`, for 0; an error if it is no number.
inline mlir::FailureOr<int64_t> getNumberOrZero(mlir::Operation *kernel,
                                                llvm::StringRef name) {
  std::optional<int64_t> number = getNumber(kernel, name);
  if (!number && kernel->hasAttr(name)) {
    return kernel->emitOpError("has '")
           << name << "' = " << kernel->getAttr(name) << ", which is no number";
  }
  return number.value_or(0);
}

} // namespace tegula::lower

#endif // TEGULA_PASSES_LOWER_KERNELNUMBERS_H
