// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C interface is a thin shell: it unwraps, calls and wraps. Nothing is
// decided here.

#include "python/bindings/capi/Tegula.h"

#include "dialects/tile/Tile.h"
#include "passes/opt/Opt.h"
#include "passes/opt/Register.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/CAPI/Utils.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

void tegulaRegisterDialects(MlirDialectRegistry registry) {
  tegula::registerDialects(*unwrap(registry));
}

void tegulaRegisterPasses() { tegula::registerPasses(); }

MlirType tegulaViewTypeGet(MlirLocation location, intptr_t rank,
                           MlirType element, const int64_t *strides,
                           int64_t align) {
  mlir::Location loc = unwrap(location);
  return wrap(mlir::Type(tegula::tile::ViewType::getChecked(
      [&]() { return mlir::emitError(loc); }, loc.getContext(),
      static_cast<int64_t>(rank), unwrap(element),
      llvm::ArrayRef<int64_t>(strides, rank), align)));
}

bool tegulaToLLVMBitcode(MlirOperation module, MlirStringCallback callback,
                         void *userData) {
  llvm::LLVMContext context;
  auto translated = mlir::translateModuleToLLVMIR(unwrap(module), context);
  if (!translated) {
    return false;
  }
  llvm::SmallString<0> bitcode;
  llvm::raw_svector_ostream stream(bitcode);
  llvm::WriteBitcodeToFile(*translated, stream);
  callback(wrap(bitcode.str()), userData);
  return true;
}

bool tegulaToLLVMText(MlirOperation module, MlirStringCallback callback,
                      void *userData) {
  llvm::LLVMContext context;
  auto translated = mlir::translateModuleToLLVMIR(unwrap(module), context);
  if (!translated) {
    return false;
  }
  mlir::detail::CallbackOstream stream(callback, userData);
  translated->print(stream, nullptr);
  return true;
}

int tegulaOptMain(int argc, char **argv) { return tegula::optMain(argc, argv); }

int tegulaLspServerMain(int argc, char **argv) {
  return tegula::lspServerMain(argc, argv);
}
