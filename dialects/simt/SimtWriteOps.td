// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations with which threads fill buffers themselves, where the device has no copies that do or tiles wait for their next
// use. Apart from the others, so that only what emits them depends on them.

#ifndef TEGULA_DIALECTS_SIMT_SIMTWRITEOPS
#define TEGULA_DIALECTS_SIMT_SIMTWRITEOPS

include "dialects/simt/SimtOps.td"

def Simt_WriteOp : Simt_Op<"write", "0.1", [MemoryEffects<[MemWrite<Simt_SharedMemory>]>]> {
  let summary = "Write a tile to shared memory";
  let description = [{
    For rings of a mechanism without copies of its own: the tile of copy `number` is written to its slot between the release of
    `number - slots` and the await of `number`. A tile that waits in a buffer of its own
    (`simt.reserve`) is read by the threads that wrote it. Made by `lower-pipeline-loads` and by targets that hold tiles in shared
    memory; removed by `lower-to-threads`.

    C1: the value has the buffer's shape and element type, and a `#layout.linear` encoding without offsets.

    ```mlir
    simt.write %t to %b : tensor<2x2xf32, #layout.linear<register = [[0, 1], [1, 0]], lane = [], warp = [], block = [], shape = [2, 2]>>, !simt.buffer<tensor<2x2xf32, #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[0, 1], [1, 1]], shape = [2, 2]>>>
    ```
  }];
  let arguments = (ins Tile_Tensor:$value, Simt_BufferType:$buffer);
  let assemblyFormat = "$value `to` $buffer attr-dict `:` type($value) `,` qualified(type($buffer))";
  let hasVerifier = 1;
}

def Simt_ReserveOp : Simt_Op<"reserve", "0.1", [Pure]> {
  let summary = "A buffer at a place of its own in shared memory";
  let description = [{
    The buffer is at byte `offset` of the program's shared memory, which `tegula.shared_bytes` of the kernel counts. Made by
    targets that hold tiles in shared memory; removed by `lower-to-threads`.

    C1: `offset` is a multiple of 1024.

    ```mlir
    %b = simt.reserve at 0 : !simt.buffer<tensor<2x2xf32, #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[0, 1], [1, 1]], shape = [2, 2]>>>
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$offset);
  let results = (outs Simt_BufferType:$buffer);
  let assemblyFormat = "`at` $offset attr-dict `:` qualified(type($buffer))";
  let hasVerifier = 1;
}

def Simt_RenewOp : Simt_Op<"renew", "0.1", [Pure, AllTypesMatch<["tile", "result"]>]> {
  let summary = "The same tile, as if nothing were known of it";
  let description = [{
    What was computed from a tile before is computed anew from its renewal: no later pass, nor the code generator, finds out that
    the two are equal and keeps the first in registers until then. Made by targets that
    choose what threads hold; removed by `lower-to-threads`.

    ```mlir
    %r = simt.renew %t : tensor<2x2xbf16, #layout.linear<register = [[0, 1], [1, 0]], lane = [], warp = [], block = [], shape = [2, 2]>>
    ```
  }];
  let arguments = (ins Tile_Tensor:$tile);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$tile attr-dict `:` type($tile)";
}

#endif // TEGULA_DIALECTS_SIMT_SIMTWRITEOPS
