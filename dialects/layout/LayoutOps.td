// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one operation that moves elements from one distribution to another.

#ifndef TEGULA_DIALECTS_LAYOUT_LAYOUTOPS
#define TEGULA_DIALECTS_LAYOUT_LAYOUTOPS

include "dialects/layout/LayoutAttrs.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// `since` is the release that first had the operation.
class Layout_Op<string mnemonic, string sinceVersion, list<Trait> traits = []>
    : Op<Layout_Dialect, mnemonic, traits> {
  string since = sinceVersion;
}

def Layout_ConvertOp : Layout_Op<"convert", "0.1", [
    Pure, SameOperandsAndResultShape, SameOperandsAndResultElementType
  ]> {
  let summary = "Redistribute a tile";
  let description = [{
    The same elements in another layout. Costs nothing, a few exchanges between lanes or a trip through shared memory,
    as the two layouts need.

    Made by a target's layout assignment; removed by its lowering of conversions.

    C1: both tiles have the encoding `#layout.linear`. C2: they differ in nothing else.

    ```mlir
    %r = layout.convert %t : tensor<2x2xf32, #layout.linear<register = [[0, 1], [1, 0]], lane = [], warp = [], block = [], shape = [2, 2]>> -> tensor<2x2xf32, #layout.linear<register = [[0, 1]], lane = [[1, 0]], warp = [], block = [], shape = [2, 2]>>
    ```
  }];
  let arguments = (ins Layout_Tensor:$source);
  let results = (outs Layout_Tensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

#endif // TEGULA_DIALECTS_LAYOUT_LAYOUTOPS
