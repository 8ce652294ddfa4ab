// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations with which threads fill buffers themselves, where the device has no copies that do. Apart from the others, so
// that only what emits them depends on them.

#ifndef TEGULA_DIALECTS_SIMT_SIMTWRITEOPS
#define TEGULA_DIALECTS_SIMT_SIMTWRITEOPS

include "dialects/simt/SimtOps.td"

def Simt_WriteOp : Simt_Op<"write", "0.1", [MemoryEffects<[MemWrite<Simt_SharedMemory>]>]> {
  let summary = "Write a tile to shared memory";
  let description = [{
    For rings of a mechanism without copies of its own: the tile of copy `number` is written to its slot between the release of
    `number - slots` and the await of `number`. Made by `lower-pipeline-loads`; removed by `lower-to-threads`.

    C1: the value has the buffer's shape and element type, and a `#layout.linear` encoding without offsets.

    ```mlir
    simt.write %t to %b : tensor<2x2xf32, #layout.linear<register = [[0, 1], [1, 0]], lane = [], warp = [], block = [], shape = [2, 2]>>, !simt.buffer<tensor<2x2xf32, #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[0, 1], [1, 1]], shape = [2, 2]>>>
    ```
  }];
  let arguments = (ins Tile_Tensor:$value, Simt_BufferType:$buffer);
  let assemblyFormat = "$value `to` $buffer attr-dict `:` type($value) `,` qualified(type($buffer))";
  let hasVerifier = 1;
}

#endif // TEGULA_DIALECTS_SIMT_SIMTWRITEOPS
