// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions of sm_90a as functions: barriers that count bytes, bulk copies
// by tensor map, matrix instructions of a warpgroup. Those that MLIR has no
// complete operation for are inline PTX, in this file alone.

#ifndef TEGULA_PASSES_TARGETS_CUDA_HOPPER_H
#define TEGULA_PASSES_TARGETS_CUDA_HOPPER_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace tegula::cuda {

//===----------------------------------------------------------------------===//
// mbarrier (PTX ISA 9.7.13.15). Pointers are to shared memory, 8-byte aligned.
//===----------------------------------------------------------------------===//

void emitBarrierInit(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value barrier, int64_t arrivals);
void emitBarrierInvalidate(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value barrier);
/// Makes initialized barriers known to the units that copy in bulk.
void emitBarrierInitFence(mlir::OpBuilder &builder, mlir::Location loc);
/// One arrival, which also announces `bytes` of copies.
void emitBarrierExpect(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value barrier, int64_t bytes);
void emitBarrierArrive(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value barrier);
/// Waits until the phase of this parity (i32, 0 or 1) is complete.
void emitBarrierWait(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value barrier, mlir::Value parity);

//===----------------------------------------------------------------------===//
// Bulk copies
//===----------------------------------------------------------------------===//

/// Starts the copy of a box from an array into shared memory (PTX ISA 9.7.9.25,
/// cp.async.bulk.tensor). `coordinates` are i32, the innermost dimension first;
/// outside the array the box is filled with zeros.
void emitTensorCopy(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value destination, mlir::Value tensorMap,
                    mlir::ValueRange coordinates, mlir::Value barrier);

//===----------------------------------------------------------------------===//
// Matrix instructions of a warpgroup (PTX ISA 9.7.15, wgmma)
//===----------------------------------------------------------------------===//

/// Where a matrix operand is in shared memory, as bits of a descriptor (PTX
/// ISA 9.7.15.5.1). Byte counts are multiples of 16.
struct MatrixDescriptor {
  int64_t leadingBytes; // between panels along the contiguous dimension
  int64_t strideBytes;  // between groups of 8 rows
  int64_t swizzle;      // 1: 128 bytes, 2: 64 bytes, 3: 32 bytes, 0: none
};

/// The bits of a descriptor that are not the address.
uint64_t getConstantFields(const MatrixDescriptor &fields);

/// The descriptor (i64) of the matrix at `pointer`.
mlir::Value emitDescriptor(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value pointer, const MatrixDescriptor &fields);

/// One instruction m64 x n x k.
struct WarpgroupMma {
  int64_t n;
  int64_t k;
  llvm::StringRef accType; // "f32", "s32"
  llvm::StringRef aType;   // "bf16", "f16", "tf32", "e4m3", "e5m2", "s8", "u8"
  llvm::StringRef bType;
  bool aTransposed;        // M is contiguous; 16-bit types only
  bool bTransposed;        // N is contiguous; 16-bit types only
  bool accumulates = true; // else starts from zero, whatever is in `acc`
};

void emitWarpgroupFence(mlir::OpBuilder &builder, mlir::Location loc);
void emitWarpgroupCommit(mlir::OpBuilder &builder, mlir::Location loc);

/// `acc` (n / 2 scalars) plus a @ b. `a` is a descriptor, or four i32 of a
/// thread's fragment.
llvm::SmallVector<mlir::Value>
emitWarpgroupMma(mlir::OpBuilder &builder, mlir::Location loc,
                 const WarpgroupMma &shape, mlir::ValueRange a, mlir::Value b,
                 mlir::ValueRange acc);

/// Waits until at most `pending` groups are running. Returns `values`, which
/// were results of finished ones: what follows uses the returned values, so
/// that nothing reads a result too early. `kept` (i32) are operands that
/// finished ones read from registers, which get no other value before.
llvm::SmallVector<mlir::Value>
emitWarpgroupWait(mlir::OpBuilder &builder, mlir::Location loc, int64_t pending,
                  mlir::ValueRange values, mlir::ValueRange kept);

/// Keeps the assembler from moving what comes after up over what comes before:
/// it would wait at once, as a wait depends on no computation.
void emitScheduleBoundary(mlir::OpBuilder &builder, mlir::Location loc);

} // namespace tegula::cuda

#endif // TEGULA_PASSES_TARGETS_CUDA_HOPPER_H
