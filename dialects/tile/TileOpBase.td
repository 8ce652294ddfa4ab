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

/// `since` is the release that first had the operation. The reference shows it, and what the textual form promises to
/// keep counts from it. An operand or attribute that a later release adds is optional, and the description says since when.
class Tile_Op<string mnemonic, string sinceVersion, list<Trait> traits = []> : Op<Tile_Dialect, mnemonic, traits> {
  string since = sinceVersion;
}

/// Works on scalars and on tiles alike, element by element.
class Tile_ElementwiseOp<string mnemonic, string sinceVersion, list<Trait> traits = []>
    : Tile_Op<mnemonic, sinceVersion, [Pure] # traits>;

#endif // TEGULA_DIALECTS_TILE_TILEOPBASE
