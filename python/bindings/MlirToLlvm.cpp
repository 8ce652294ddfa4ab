// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hands a module of the LLVM dialect to llvmlite as bitcode. It uses the C
// interface only: the LLVM that translates lives in the shared library of the
// private MLIR bindings, and a second copy here would not know its types.

#include "python/bindings/capi/Tegula.h"

#include "mlir/Bindings/Python/NanobindAdaptors.h"

#include <stdexcept>
#include <string>

namespace nb = nanobind;

namespace {

using Translate = bool (*)(MlirOperation, MlirStringCallback, void *);

std::string translate(Translate function, MlirOperation operation) {
  std::string result;
  auto append = [](MlirStringRef part, void *text) {
    static_cast<std::string *>(text)->append(part.data, part.length);
  };
  if (!function(operation, append, &result)) {
    throw std::runtime_error("the module cannot be translated to LLVM IR; the "
                             "diagnostics of its context say why");
  }
  return result;
}

nb::bytes toBitcode(MlirOperation operation) {
  std::string bitcode = translate(&tegulaToLLVMBitcode, operation);
  return nb::bytes(bitcode.data(), bitcode.size());
}

nb::str toText(MlirOperation operation) {
  std::string text = translate(&tegulaToLLVMText, operation);
  return nb::str(text.data(), text.size());
}

} // namespace

NB_MODULE(_tegulaToLlvm, module) {
  module.doc() = "Translates modules of the LLVM dialect";
  module.def("to_llvm_bitcode", &toBitcode, nb::arg("operation"),
             "Bitcode of a module that holds only the LLVM dialect. Raises "
             "RuntimeError if it cannot be translated.");
  module.def("to_llvm_ir", &toText, nb::arg("operation"),
             "Like to_llvm_bitcode, as text.");
}
