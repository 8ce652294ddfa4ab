// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The generator of Python op classes takes the place of its output from this file's place.

include "dialects/tile/TileOps.td"
