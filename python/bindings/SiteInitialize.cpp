// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the private MLIR bindings run when they are first imported: registration
// of our dialects and passes.

#include "python/bindings/capi/Tegula.h"

#include "mlir/Bindings/Python/NanobindAdaptors.h"

namespace nb = nanobind;

NB_MODULE(_site_initialize_0, m) {
  m.doc() = "Registers Tegula's dialects and passes with MLIR";
  tegulaRegisterPasses();
  m.def("register_dialects",
        [](MlirDialectRegistry registry) { tegulaRegisterDialects(registry); });
  // Dialects load on first use, and kernels are too small to be worth threads.
  m.attr("disable_load_all_available_dialects") = true;
  m.attr("disable_multithreading") = true;
}
