// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every operation of the `tile` dialect shares.

#ifndef TEGULA_DIALECTS_TILE_TILEOPBASE
#define TEGULA_DIALECTS_TILE_TILEOPBASE

include "dialects/tile/TileDialect.td"
include "dialects/tile/TileTypes.td"
include "dialects/tile/TileEnums.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Tile_Op<string mnemonic, list<Trait> traits = []> : Op<Tile_Dialect, mnemonic, traits>;

/// Result has exactly the operands' type; elementwise over tiles and scalars alike.
class Tile_ElementwiseOp<string mnemonic, list<Trait> traits = []>
    : Tile_Op<mnemonic, [Pure, Elementwise, Scalarizable, Vectorizable, Tensorizable] # traits>;

#endif // TEGULA_DIALECTS_TILE_TILEOPBASE
