// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `tegula-opt` and `tegula-lsp-server` on top of MLIR's own drivers.

#include "passes/opt/Opt.h"
#include "passes/opt/Register.h"

#include "mlir/Support/LogicalResult.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

namespace tegula {

int optMain(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  registerPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "Tegula's pass and pipeline driver\n", registry));
}

int lspServerMain(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  return mlir::asMainReturnCode(mlir::MlirLspServerMain(argc, argv, registry));
}

} // namespace tegula
