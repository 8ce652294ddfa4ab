// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The encoding that says where a tile's elements are.

#ifndef TEGULA_DIALECTS_LAYOUT_LAYOUTATTRS
#define TEGULA_DIALECTS_LAYOUT_LAYOUTATTRS

include "dialects/layout/LayoutDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/TensorEncoding.td"

def Layout_LinearLayout : AttrParameter<"::tegula::layout::LinearLayout", "linear map over F2"> {
  let cppAccessorType = "const ::tegula::layout::LinearLayout &";
}

/// `since` is the release that first had the attribute.
class Layout_Attr<string name, string attrMnemonic, string sinceVersion, list<Trait> traits = []>
    : AttrDef<Layout_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
  string since = sinceVersion;
}

def Layout_LinearAttr : Layout_Attr<"Linear", "linear", "0.1", [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "Linear map from the bits of register, lane, warp and block numbers to a tile's coordinates";
  let description = [{
    For each input, the coordinates that each of its bits moves by (low bit first); a number's coordinates are the
    exclusive or of those of its set bits. A zero basis means copies. `offset`, for a buffer of shared memory, is the
    input instead of the others. As the encoding of a tensor its shape is the tensor's.

    Made by a target's layout assignment; removed by its lowering to one thread's code.

    C1: extents are powers of two. C2: each basis has one coordinate for each dimension, from 0 to below the extent.
    C3: every element is somewhere (the map is surjective). C4: the shape is that of the tensor it encodes.

    ```mlir
    #layout.linear<register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [0, 4]], warp = [], block = [], shape = [4, 8]>
    #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[0, 1], [1, 1]], shape = [2, 2]>
    ```
  }];
  let parameters = (ins Layout_LinearLayout:$layout);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Layout_IsDistributed
    : CPred<"::llvm::isa_and_nonnull<::tegula::layout::LinearAttr>("
            "::llvm::cast<::mlir::RankedTensorType>($_self).getEncoding())">;
def Layout_Tensor : RankedTensorOf<[AnyType], [Layout_IsDistributed], "tensor with a #layout.linear encoding">;

#endif // TEGULA_DIALECTS_LAYOUT_LAYOUTATTRS
