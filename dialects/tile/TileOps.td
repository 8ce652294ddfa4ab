// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything of the `tile` dialect, for generators that take one file.

#ifndef TEGULA_DIALECTS_TILE_TILEOPS
#define TEGULA_DIALECTS_TILE_TILEOPS

include "dialects/tile/TileComputeOps.td"
include "dialects/tile/TileElementwiseOps.td"
include "dialects/tile/TileMemoryOps.td"
include "dialects/tile/TileShapeOps.td"

#endif // TEGULA_DIALECTS_TILE_TILEOPS
