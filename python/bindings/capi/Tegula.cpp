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
#include "mlir/IR/Remarks.h"
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

int tegulaOptMain(int argc, char **argv) { return tegula::optMain(argc, argv); }

int tegulaLspServerMain(int argc, char **argv) {
  return tegula::lspServerMain(argc, argv);
}
