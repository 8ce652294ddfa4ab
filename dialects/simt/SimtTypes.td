// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types of the `simt` dialect.

#ifndef TEGULA_DIALECTS_SIMT_SIMTTYPES
#define TEGULA_DIALECTS_SIMT_SIMTTYPES

include "dialects/simt/SimtDialect.td"
include "mlir/IR/AttrTypeBase.td"

/// `since` is the release that first had the type.
class Simt_Type<string name, string typeMnemonic, string sinceVersion> : TypeDef<Simt_Dialect, name> {
  let mnemonic = typeMnemonic;
  string since = sinceVersion;
}

def Simt_BufferType : Simt_Type<"Buffer", "buffer", "0.1"> {
  let summary = "A tile in shared memory";
  let description = [{
    The tile's encoding is a `#layout.linear` with the input `offset` alone: the element at each place, counted in elements.

    C1: the tile's encoding is a layout of offsets. C2: no element is at two offsets.

    ```mlir
    !simt.buffer<tensor<2x2xf32, #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[0, 1], [1, 1]], shape = [2, 2]>>>
    ```
  }];
  let parameters = (ins "::mlir::RankedTensorType":$tile);
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::RankedTensorType":$tile), [{
    return $_get(tile.getContext(), tile);
  }]>];
  let assemblyFormat = "`<` $tile `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Bytes that it takes.
    int64_t getBytes() const;
  }];
}

def Simt_RingType : Simt_Type<"Ring", "ring", "0.1"> {
  let summary = "A queue of slots in shared memory, each with room for some tiles";
  let description = [{
    C1: at least one slot. C2: each tile is one of which a buffer can be.

    ```mlir
    !simt.ring<3, tensor<2x2xf32, #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[0, 1], [1, 1]], shape = [2, 2]>>>
    ```
  }];
  let parameters = (ins "int64_t":$slots, ArrayRefParameter<"::mlir::RankedTensorType">:$tiles);
  let assemblyFormat = "`<` $slots `,` $tiles `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Bytes of one slot's tile `member`, and where it starts in the slot. Each starts at a multiple of 1024 bytes, which
    /// is what swizzles of up to 128 bytes need.
    int64_t getTileBytes(unsigned member) const;
    int64_t getTileOffset(unsigned member) const;
    int64_t getSlotBytes() const;
  }];
}

#endif // TEGULA_DIALECTS_SIMT_SIMTTYPES
