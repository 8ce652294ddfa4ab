// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operations of the `simt` dialect with which threads fill buffers
// themselves. Beside Simt.h, which is included nearly everywhere.

#ifndef TEGULA_DIALECTS_SIMT_SIMTWRITE_H
#define TEGULA_DIALECTS_SIMT_SIMTWRITE_H

#include "dialects/simt/Simt.h"

#define GET_OP_CLASSES
#include "dialects/simt/SimtWriteOps.h.inc"

#endif // TEGULA_DIALECTS_SIMT_SIMTWRITE_H
