// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs passes, and hands a module of the LLVM dialect to llvmlite as bitcode.
// It uses the C interface only: the MLIR that works lives in the shared library
// of the private bindings, and a second copy here would not know its types.

#include "python/bindings/capi/Tegula.h"

#include "mlir/Bindings/Python/NanobindAdaptors.h"

#include <stdexcept>
#include <string>

namespace nb = nanobind;

namespace {

/// MLIR or LLVM ended in a failed assertion or a fault.
struct Crash final : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using Translate = TegulaStatus (*)(MlirOperation, MlirStringCallback, void *);

void append(MlirStringRef part, void *text) {
  static_cast<std::string *>(text)->append(part.data, part.length);
}

/// The values stay alive for ever: they are in no state to be freed.
[[noreturn]] void abandon(const std::string &reason,
                          std::initializer_list<nb::handle> values) {
  for (nb::handle value : values) {
    value.inc_ref();
  }
  throw Crash(reason);
}

nb::object parse(nb::object context, const std::string &text) {
  std::string reason;
  MlirModule module;
  TegulaStatus status =
      tegulaParse(nb::cast<MlirContext>(context), {text.data(), text.size()},
                  &module, &append, &reason);
  if (status == TegulaCrashed) {
    abandon(reason, {context});
  }
  return status == TegulaDone ? nb::cast(module) : nb::none();
}

bool runPasses(nb::object manager, nb::object operation) {
  std::string reason;
  TegulaStatus status =
      tegulaRunPasses(nb::cast<MlirPassManager>(manager),
                      nb::cast<MlirOperation>(operation), &append, &reason);
  if (status == TegulaCrashed) {
    abandon(reason, {manager, operation});
  }
  return status == TegulaDone;
}

std::string translate(Translate function, const nb::object &operation) {
  std::string result;
  TegulaStatus status =
      function(nb::cast<MlirOperation>(operation), &append, &result);
  if (status == TegulaCrashed) {
    abandon(result, {operation});
  }
  if (status == TegulaFailed) {
    throw std::runtime_error("the module cannot be translated to LLVM IR; the "
                             "diagnostics of its context say why");
  }
  return result;
}

nb::bytes toBitcode(nb::object operation) {
  std::string bitcode = translate(&tegulaToLLVMBitcode, operation);
  return nb::bytes(bitcode.data(), bitcode.size());
}

nb::str toText(nb::object operation) {
  std::string text = translate(&tegulaToLLVMText, operation);
  return nb::str(text.data(), text.size());
}

} // namespace

NB_MODULE(_tegulaToLlvm, module) {
  module.doc() = "Runs passes, translates modules of the LLVM dialect";
  nb::exception<Crash>(module, "Crash", PyExc_RuntimeError);
  module.def("parse", &parse, nb::arg("context"), nb::arg("text"),
             "A module, or None with diagnostics if the text is none. Raises "
             "Crash as run_passes.");
  module.def(
      "run_passes", &runPasses, nb::arg("manager"), nb::arg("operation"),
      "Whether all passes of a PassManager succeeded. Raises Crash, with "
      "the reason, if one of them failed an assertion; the operation and "
      "all else in its context must not be used after that.");
  module.def("to_llvm_bitcode", &toBitcode, nb::arg("operation"),
             "Bitcode of a module that holds only the LLVM dialect. Raises "
             "RuntimeError if it cannot be translated, Crash as run_passes.");
  module.def("to_llvm_ir", &toText, nb::arg("operation"),
             "Like to_llvm_bitcode, as text.");
}
