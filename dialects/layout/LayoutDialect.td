// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The `layout` dialect itself: which thread holds which element of a tile, between the target-neutral level and one
// thread's code.

#ifndef TEGULA_DIALECTS_LAYOUT_LAYOUTDIALECT
#define TEGULA_DIALECTS_LAYOUT_LAYOUTDIALECT

include "mlir/IR/DialectBase.td"

def Layout_Dialect : Dialect {
  let name = "layout";
  let cppNamespace = "::tegula::layout";
  let summary = "Where the elements of tiles are: linear maps from threads and buffers to coordinates";
  let description = [{
    A tile whose type has the encoding `#layout.linear` is distributed over the registers, lanes, warps and blocks of a
    device as that map says. `layout.convert` changes the distribution and nothing else.

    Lifecycle. A target's layout assignment gives tiles their encodings and makes conversions where two operations want
    different ones; its lowering to one thread's code removes both. A tile without encoding is not distributed yet.

    Rationale. All distributions that hardware asks for (blocked, matrix fragments, slices of them, xor swizzles of shared
    memory) are linear over F2 where extents are powers of two, and linear maps compose, invert and divide: conversions,
    vector widths and matches of instructions are computed instead of written for each pair of kinds. What is not linear,
    extents that are no powers of two and padded buffers, is outside: a pass before layout assignment rounds tiles up or
    cuts them into pieces.
  }];
  // Folding makes constants.
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
}

#endif // TEGULA_DIALECTS_LAYOUT_LAYOUTDIALECT
