// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C interface is a thin shell: it unwraps, calls and wraps. Nothing is
// decided here.

#include "python/bindings/capi/Tegula.h"
#include "python/bindings/capi/CrashGuard.h"

#include "dialects/tile/Tile.h"
#include "passes/opt/Opt.h"
#include "passes/opt/Register.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Pass.h"
#include "mlir/CAPI/Support.h"
#include "mlir/CAPI/Utils.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

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

/// Guards what says whether it succeeded.
static TegulaStatus guarded(llvm::function_ref<bool()> work,
                            MlirStringCallback callback, void *userData) {
  bool succeeded = false;
  std::string reason;
  if (tegula::runGuarded([&] { succeeded = work(); }, reason)) {
    return succeeded ? TegulaDone : TegulaFailed;
  }
  callback(wrap(llvm::StringRef(reason)), userData);
  return TegulaCrashed;
}

TegulaStatus tegulaParse(MlirContext context, MlirStringRef text,
                         MlirModule *module, MlirStringCallback callback,
                         void *userData) {
  *module = {nullptr};
  auto parse = [&] {
    *module = mlirModuleCreateParse(context, text);
    return !mlirModuleIsNull(*module);
  };
  return guarded(parse, callback, userData);
}

TegulaStatus tegulaRunPasses(MlirPassManager manager, MlirOperation operation,
                             MlirStringCallback callback, void *userData) {
  auto run = [&] {
    return mlir::succeeded(unwrap(manager)->run(unwrap(operation)));
  };
  return guarded(run, callback, userData);
}

namespace {

/// Hands on remarks as they come.
class RemarkForwarder final
    : public mlir::remark::detail::MLIRRemarkStreamerBase {
public:
  RemarkForwarder(TegulaRemarkCallback callback, void *userData,
                  void (*deleteUserData)(void *))
      : callback(callback), userData(userData, deleteUserData) {}

  void streamOptimizationRemark(
      const mlir::remark::detail::Remark &remark) override {
    std::string text;
    for (const auto &argument : remark.getArgs()) {
      text += argument.val;
    }
    callback(remark.getRemarkType() == llvm::remarks::Type::Missed,
             wrap(remark.getCategoryName()), wrap(remark.getRemarkName()),
             wrap(llvm::StringRef(text)), wrap(remark.getLocation()),
             userData.get());
  }

private:
  TegulaRemarkCallback callback;
  std::unique_ptr<void, void (*)(void *)> userData;
};

} // namespace

void tegulaContextCollectRemarks(MlirContext context,
                                 TegulaRemarkCallback callback, void *userData,
                                 void (*deleteUserData)(void *)) {
  mlir::remark::RemarkCategories everything;
  everything.missed = everything.analysis = ".*";
  // It can fail for streamers that write files only.
  (void)mlir::remark::enableOptimizationRemarks(
      *unwrap(context),
      std::make_unique<RemarkForwarder>(callback, userData, deleteUserData),
      std::make_unique<mlir::remark::RemarkEmittingPolicyAll>(), everything);
}

/// Translates, and writes the module into `text` by `write`.
static TegulaStatus
translate(MlirOperation module,
          llvm::function_ref<void(llvm::Module &, llvm::raw_ostream &)> write,
          MlirStringCallback callback, void *userData) {
  // Outlives a crash, which runs no destructors.
  auto text = std::make_unique<llvm::SmallString<0>>();
  auto work = [&] {
    llvm::LLVMContext context;
    auto translated = mlir::translateModuleToLLVMIR(unwrap(module), context);
    if (translated) {
      llvm::raw_svector_ostream stream(*text);
      write(*translated, stream);
    }
    return translated != nullptr;
  };
  TegulaStatus status = guarded(work, callback, userData);
  if (status == TegulaDone) {
    callback(wrap(text->str()), userData);
  }
  return status;
}

TegulaStatus tegulaToLLVMBitcode(MlirOperation module,
                                 MlirStringCallback callback, void *userData) {
  auto write = [](llvm::Module &translated, llvm::raw_ostream &stream) {
    llvm::WriteBitcodeToFile(translated, stream);
  };
  return translate(module, write, callback, userData);
}

TegulaStatus tegulaToLLVMText(MlirOperation module, MlirStringCallback callback,
                              void *userData) {
  auto write = [](llvm::Module &translated, llvm::raw_ostream &stream) {
    translated.print(stream, nullptr);
  };
  return translate(module, write, callback, userData);
}

int tegulaOptMain(int argc, char **argv) {
  int status = 1;
  std::string reason;
  if (!tegula::runGuarded([&] { status = tegula::optMain(argc, argv); },
                          reason)) {
    llvm::errs() << "error: MLIR failed one of its own checks: " << reason
                 << "\n";
    std::_Exit(1); // What is left cannot be cleaned up.
  }
  return status;
}

int tegulaLspServerMain(int argc, char **argv) {
  return tegula::lspServerMain(argc, argv);
}
