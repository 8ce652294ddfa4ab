// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one public header of the `simt` dialect.

#ifndef TEGULA_DIALECTS_SIMT_SIMT_H
#define TEGULA_DIALECTS_SIMT_SIMT_H

#include "dialects/layout/Layout.h"
#include "dialects/tile/Tile.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/simt/SimtDialect.h.inc"

namespace tegula::simt {

/// What operations on shared memory affect; arrays are the default resource.
struct SharedMemory : mlir::SideEffects::Resource::Base<SharedMemory> {
  llvm::StringRef getName() final { return "SharedMemory"; }
};

/// Where tiles of shared memory may start, in bytes.
inline constexpr int64_t kTileAlignment = 1024;

/// Whether a tile's encoding says at which offset each of its elements is.
bool isBufferTile(mlir::RankedTensorType tile);

} // namespace tegula::simt

#define GET_TYPEDEF_CLASSES
#include "dialects/simt/SimtTypes.h.inc"
#define GET_OP_CLASSES
#include "dialects/simt/SimtOps.h.inc"

#endif // TEGULA_DIALECTS_SIMT_SIMT_H
