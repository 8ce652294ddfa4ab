// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entry points of the command-line tools. They are functions of the bindings'
// shared library rather than programs of their own, so that the wheel carries
// MLIR once; thin console scripts call them.

#ifndef TEGULA_PASSES_OPT_OPT_H
#define TEGULA_PASSES_OPT_OPT_H

namespace tegula {

/// `tegula-opt`: mlir-opt with Tegula's dialects, passes and pipelines. Returns
/// the exit status.
int optMain(int argc, char **argv);

/// `tegula-lsp-server`: the language server for .mlir files with Tegula's
/// dialects. Returns the exit status.
int lspServerMain(int argc, char **argv);

} // namespace tegula

#endif // TEGULA_PASSES_OPT_OPT_H
