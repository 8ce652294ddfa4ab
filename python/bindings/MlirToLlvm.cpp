// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hands a module of the LLVM dialect to llvmlite as bitcode. It uses the C
// interfaces only: the LLVM that translates lives in the shared library of the
// private MLIR bindings, and a second copy here would not know its types.

#include "mlir-c/IR.h"
#include "mlir-c/Target/LLVMIR.h"

#include "mlir/Bindings/Python/NanobindAdaptors.h"

#include "llvm-c/BitWriter.h"
#include "llvm-c/Core.h"

#include <memory>
#include <stdexcept>
#include <string>

namespace nb = nanobind;

namespace {

struct ContextDeleter {
  void operator()(LLVMContextRef context) const { LLVMContextDispose(context); }
};
struct ModuleDeleter {
  void operator()(LLVMModuleRef module) const { LLVMDisposeModule(module); }
};
struct BufferDeleter {
  void operator()(LLVMMemoryBufferRef b) const { LLVMDisposeMemoryBuffer(b); }
};

template <typename Ref, typename Deleter>
using Owned = std::unique_ptr<std::remove_pointer_t<Ref>, Deleter>;

/// A translated module with the context that it lives in.
struct Translation {
  Owned<LLVMContextRef, ContextDeleter> context{LLVMContextCreate()};
  Owned<LLVMModuleRef, ModuleDeleter> module;

  explicit Translation(MlirOperation operation)
      : module(mlirTranslateModuleToLLVMIR(operation, context.get())) {
    if (!module) {
      throw std::runtime_error(
          "the module cannot be translated to LLVM IR; the diagnostics of its "
          "context say why");
    }
  }
};

nb::bytes toBitcode(MlirOperation operation) {
  Translation translation(operation);
  Owned<LLVMMemoryBufferRef, BufferDeleter> buffer(
      LLVMWriteBitcodeToMemoryBuffer(translation.module.get()));
  return nb::bytes(LLVMGetBufferStart(buffer.get()),
                   LLVMGetBufferSize(buffer.get()));
}

std::string toText(MlirOperation operation) {
  Translation translation(operation);
  char *text = LLVMPrintModuleToString(translation.module.get());
  std::string result(text);
  LLVMDisposeMessage(text);
  return result;
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
