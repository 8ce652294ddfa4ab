// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of the `simt` dialect.

#ifndef TEGULA_DIALECTS_SIMT_SIMTOPS
#define TEGULA_DIALECTS_SIMT_SIMTOPS

include "dialects/simt/SimtTypes.td"
include "dialects/tile/TileTypes.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Simt_Op<string mnemonic, string sinceVersion, list<Trait> traits = []> : Op<Simt_Dialect, mnemonic, traits> {
  string since = sinceVersion;
}

def Simt_SharedMemory : Resource<"::tegula::simt::SharedMemory">;

def Simt_RingOp : Simt_Op<"ring", "0.1", [MemoryEffects<[MemAlloc<Simt_SharedMemory>]>]> {
  let summary = "Make an empty ring";
  let description = [{
    The ring is at byte `offset` of the program's shared memory; `mechanism` names one of the device's ways to copy. Made by
    `lower-pipeline-loads`; removed by `lower-to-threads`.

    C1: `offset` is a multiple of 1024.

    ```mlir
    %ring = simt.ring "async" at 0 : !simt.ring<3, tensor<2x2xf32, #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[0, 1], [1, 1]], shape = [2, 2]>>>
    ```
  }];
  let arguments = (ins StrAttr:$mechanism, ConfinedAttr<I32Attr, [IntNonNegative]>:$offset);
  let results = (outs Simt_RingType:$ring);
  let assemblyFormat = "$mechanism `at` $offset attr-dict `:` qualified(type($ring))";
  let hasVerifier = 1;
}

def Simt_IssueOp : Simt_Op<"issue", "0.1", [
    AttrSizedOperandSegments, MemoryEffects<[MemRead, MemRead<Simt_SharedMemory>, MemWrite<Simt_SharedMemory>]>
  ]> {
  let summary = "Start copying tiles from arrays into a ring";
  let description = [{
    Starts copy number `number` where `predicate` holds. Member `i` of the slot receives the tile of `views[i]` at the tile
    index that is the next `rank` of `indices`; elements outside the array become zero. `maps`, if present, numbers the
    kernel's tensor maps (`tegula.tensor_maps`) that describe the copies.

    Made by `lower-pipeline-loads`; removed by `lower-to-threads`.

    C1: one view for each tile of the ring, of its rank and element type. C2: one index for each dimension of each view.
    C3: `maps`, if present, has one number for each view.

    ```mlir
    simt.issue %ring[%k] if %more, %a[%i, %j] : !simt.ring<3, tensor<2x2xf32, #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[0, 1], [1, 1]], shape = [2, 2]>>>, !tile.view<?x?xf32>
    ```
  }];
  let arguments = (ins Simt_RingType:$ring, I32:$number, I1:$predicate, Variadic<Tile_ViewType>:$views,
                       Variadic<I64>:$indices, OptionalAttr<DenseI32ArrayAttr>:$maps);
  let assemblyFormat = [{
    $ring `[` $number `]` `if` $predicate `,` $views `[` $indices `]` (`maps` $maps^)? attr-dict `:` qualified(type($ring)) `,`
    qualified(type($views))
  }];
  let hasVerifier = 1;
}

class Simt_NumberOp<string mnemonic, string sinceVersion>
    : Simt_Op<mnemonic, sinceVersion, [MemoryEffects<[MemRead<Simt_SharedMemory>, MemWrite<Simt_SharedMemory>]>]> {
  let arguments = (ins Simt_RingType:$ring, I32:$number);
  let assemblyFormat = "$ring `[` $number `]` attr-dict `:` qualified(type($ring))";
}

def Simt_AwaitOp : Simt_NumberOp<"await", "0.1"> {
  let summary = "Wait until a copy has arrived";
  let description = [{
    Copies are awaited in order, each number once. Made by `lower-pipeline-loads`; removed by `lower-to-threads`.

    ```mlir
    simt.await %ring[%k] : !simt.ring<3, tensor<2x2xf32, #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[0, 1], [1, 1]], shape = [2, 2]>>>
    ```
  }];
}

def Simt_ReleaseOp : Simt_NumberOp<"release", "0.1"> {
  let summary = "Give a slot back";
  let description = [{
    This thread has read from the slot for the last time. Made by `lower-pipeline-loads`; removed by `lower-to-threads`.

    ```mlir
    simt.release %ring[%k] : !simt.ring<3, tensor<2x2xf32, #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[0, 1], [1, 1]], shape = [2, 2]>>>
    ```
  }];
}

def Simt_SlotOp : Simt_Op<"slot", "0.1", [Pure]> {
  let summary = "The buffer of one tile in the slot of a copy";
  let description = [{
    Made by `lower-pipeline-loads`; removed by `lower-to-threads`.

    C1: `member` is less than the number of the ring's tiles. C2: the buffer is of that tile.

    ```mlir
    %b = simt.slot %ring[%k] 0 : !simt.ring<3, tensor<2x2xf32, #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[0, 1], [1, 1]], shape = [2, 2]>>> -> !simt.buffer<tensor<2x2xf32, #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[0, 1], [1, 1]], shape = [2, 2]>>>
    ```
  }];
  let arguments = (ins Simt_RingType:$ring, I32:$number, ConfinedAttr<I32Attr, [IntNonNegative]>:$member);
  let results = (outs Simt_BufferType:$buffer);
  let assemblyFormat = "$ring `[` $number `]` $member attr-dict `:` qualified(type($ring)) `->` qualified(type($buffer))";
  let hasVerifier = 1;
}

def Simt_ReadOp : Simt_Op<"read", "0.1", [MemoryEffects<[MemRead<Simt_SharedMemory>]>]> {
  let summary = "Read a tile from shared memory";
  let description = [{
    Made by `lower-pipeline-loads`; removed by `lower-to-threads`.

    C1: the result has the buffer's shape and element type, and a `#layout.linear` encoding without offsets.

    ```mlir
    %t = simt.read %b : !simt.buffer<tensor<2x2xf32, #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[0, 1], [1, 1]], shape = [2, 2]>>> -> tensor<2x2xf32, #layout.linear<register = [[0, 1], [1, 0]], lane = [], warp = [], block = [], shape = [2, 2]>>
    ```
  }];
  let arguments = (ins Simt_BufferType:$buffer);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$buffer attr-dict `:` qualified(type($buffer)) `->` type($result)";
  let hasVerifier = 1;
}

def Simt_PermuteOp : Simt_Op<"permute", "0.1", [Pure]> {
  let summary = "See a buffer with its dimensions permuted";
  let description = [{
    Dimension `d` of the result is dimension `perm[d]` of the buffer; nothing moves. Made by `lower-use-shared-operands`;
    removed by `lower-to-threads`.

    C1: the result is the permuted tile in the permuted layout.

    ```mlir
    %t = simt.permute %b [1, 0] : !simt.buffer<tensor<2x2xf32, #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[0, 1], [1, 0]], shape = [2, 2]>>> -> !simt.buffer<tensor<2x2xf32, #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[1, 0], [0, 1]], shape = [2, 2]>>>
    ```
  }];
  let arguments = (ins Simt_BufferType:$buffer, DenseI64ArrayAttr:$perm);
  let results = (outs Simt_BufferType:$result);
  let assemblyFormat = "$buffer $perm attr-dict `:` qualified(type($buffer)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def Simt_ReshapeOp : Simt_Op<"reshape", "0.1", [Pure]> {
  let summary = "See a buffer with other extents";
  let description = [{
    The same elements in row-major order, where they are; nothing moves. So a tile that was staged with dimensions of extent 1
    is read without them. Made by `lower-use-shared-operands`; removed by `lower-to-threads`.

    C1: the result has as many elements as the buffer, of its type, in the reshaped layout.

    ```mlir
    %t = simt.reshape %b : !simt.buffer<tensor<1x2x2xf32, #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[0, 0, 1], [0, 1, 0]], shape = [1, 2, 2]>>> -> !simt.buffer<tensor<2x2xf32, #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[0, 1], [1, 0]], shape = [2, 2]>>>
    ```
  }];
  let arguments = (ins Simt_BufferType:$buffer);
  let results = (outs Simt_BufferType:$result);
  let assemblyFormat = "$buffer attr-dict `:` qualified(type($buffer)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def Simt_Operand : AnyTypeOf<[Simt_BufferType, Tile_Tensor], "buffer or tile">;

def Simt_MmaOp : Simt_Op<"mma", "0.1", [
    AllTypesMatch<["acc", "result"]>, MemoryEffects<[MemRead<Simt_SharedMemory>]>
  ]> {
  let summary = "Start a product of matrices in shared memory";
  let description = [{
    `acc + a @ b` as `tile.dot`, where `b`, and `a` or not, are read from shared memory by the matrix unit. It runs on its own:
    the result is only to be used by `simt.mma_wait` and, as the accumulator, by products that are started later, and the buffers
    are to stay until it has finished.

    Made by `lower-use-shared-operands`; removed by `lower-to-threads`.

    C1: shapes are MxK, KxN and MxN.

    ```mlir
    %r = simt.mma %a, %b, %c : !simt.buffer<tensor<2x2xf32, #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[0, 1], [1, 0]], shape = [2, 2]>>>, !simt.buffer<tensor<2x2xf32, #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[0, 1], [1, 0]], shape = [2, 2]>>>, tensor<2x2xf32, #layout.linear<register = [[0, 1], [1, 0]], lane = [], warp = [], block = [], shape = [2, 2]>>
    ```
  }];
  let arguments = (ins Simt_Operand:$a, Simt_BufferType:$b, Tile_Tensor:$acc,
                       UnitAttr:$a_unsigned, UnitAttr:$b_unsigned);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $acc (`a_unsigned` $a_unsigned^)? (`b_unsigned` $b_unsigned^)? attr-dict `:` qualified(type($a)) `,`
    qualified(type($b)) `,` type($acc)
  }];
  let hasVerifier = 1;
}

def Simt_MmaWaitOp : Simt_Op<"mma_wait", "0.1", [
    AllTypesMatch<["acc", "result"]>, MemoryEffects<[MemRead<Simt_SharedMemory>, MemWrite<Simt_SharedMemory>]>
  ]> {
  let summary = "Wait for products of matrices";
  let description = [{
    Returns once at most `pending` of the products started before are running. `acc` is the result of one of them; if that may
    still run, then so may the result, which is used as a result of `simt.mma`. Made by `lower-use-shared-operands` and
    `lower-defer-mma-waits`; removed by `lower-to-threads`.

    ```mlir
    %w = simt.mma_wait 0 %r : tensor<2x2xf32, #layout.linear<register = [[0, 1], [1, 0]], lane = [], warp = [], block = [], shape = [2, 2]>>
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$pending, Tile_Tensor:$acc);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$pending $acc attr-dict `:` type($acc)";
}

#endif // TEGULA_DIALECTS_SIMT_SIMTOPS
