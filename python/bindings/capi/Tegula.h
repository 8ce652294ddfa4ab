// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C interface of what Tegula adds to MLIR, for the Python bindings and the
// console scripts.

#ifndef TEGULA_PYTHON_BINDINGS_CAPI_TEGULA_H
#define TEGULA_PYTHON_BINDINGS_CAPI_TEGULA_H

#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"
#include "mlir-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

MLIR_CAPI_EXPORTED void tegulaRegisterDialects(MlirDialectRegistry registry);
MLIR_CAPI_EXPORTED void tegulaRegisterPasses(void);

/// `!tile.view` of the given rank, element type, strides (kDynamic where
/// unknown) and alignment in bytes. Null, with a diagnostic at `location`, if
/// the arguments do not make a valid type.
MLIR_CAPI_EXPORTED MlirType tegulaViewTypeGet(MlirLocation location,
                                              intptr_t rank, MlirType element,
                                              const int64_t *strides,
                                              int64_t align);

/// How something ended that may crash. After a crash, whose reason the callback
/// receives, nothing of the operation's context may be touched again.
typedef enum { TegulaDone, TegulaFailed, TegulaCrashed } TegulaStatus;

/// Parses a module, which is null unless done.
MLIR_CAPI_EXPORTED TegulaStatus tegulaParse(MlirContext context,
                                            MlirStringRef text,
                                            MlirModule *module,
                                            MlirStringCallback callback,
                                            void *userData);

/// Runs passes.
MLIR_CAPI_EXPORTED TegulaStatus tegulaRunPasses(MlirPassManager manager,
                                                MlirOperation operation,
                                                MlirStringCallback callback,
                                                void *userData);

/// Translates a module of the LLVM dialect and passes on its bitcode, or its
/// text.
MLIR_CAPI_EXPORTED TegulaStatus tegulaToLLVMBitcode(MlirOperation module,
                                                    MlirStringCallback callback,
                                                    void *userData);
MLIR_CAPI_EXPORTED TegulaStatus tegulaToLLVMText(MlirOperation module,
                                                 MlirStringCallback callback,
                                                 void *userData);

/// Calls `callback` with each remark of the context's passes, until the context
/// ends; then `deleteUserData`. Remarks of a missed optimization are told from
/// those of a choice. Strings live as long as the call.
typedef void (*TegulaRemarkCallback)(bool isMissed, MlirStringRef pass,
                                     MlirStringRef topic, MlirStringRef text,
                                     MlirLocation location, void *userData);
MLIR_CAPI_EXPORTED void
tegulaContextCollectRemarks(MlirContext context, TegulaRemarkCallback callback,
                            void *userData, void (*deleteUserData)(void *));

/// Entry points of `tegula-opt` and `tegula-lsp-server`; they return the exit
/// status.
MLIR_CAPI_EXPORTED int tegulaOptMain(int argc, char **argv);
MLIR_CAPI_EXPORTED int tegulaLspServerMain(int argc, char **argv);

#ifdef __cplusplus
}
#endif

#endif // TEGULA_PYTHON_BINDINGS_CAPI_TEGULA_H
