// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one public header of the `layout` dialect. LinearLayout.h,
// SharedSwizzle.h and Conversion.h beside it are the mathematics, which needs
// no MLIR.

#ifndef TEGULA_DIALECTS_LAYOUT_LAYOUT_H
#define TEGULA_DIALECTS_LAYOUT_LAYOUT_H

#include "dialects/layout/LinearLayout.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/layout/LayoutDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/layout/LayoutAttrs.h.inc"
#define GET_OP_CLASSES
#include "dialects/layout/LayoutOps.h.inc"

namespace tegula::layout {

/// The layout of a tile, or null if its type has none.
LinearAttr getLayout(mlir::Type type);

/// Elements of a tile that each thread holds; 1 for what is no tile or has no
/// layout.
int64_t getNumRegisters(mlir::Type type);

/// `type` distributed as `layout`, which has its shape.
mlir::RankedTensorType withLayout(mlir::RankedTensorType type,
                                  const LinearLayout &layout);

} // namespace tegula::layout

#endif // TEGULA_DIALECTS_LAYOUT_LAYOUT_H
