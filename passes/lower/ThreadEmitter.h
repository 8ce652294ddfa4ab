// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the patterns of lower-to-threads share: who a thread is, which elements
// of a tile it holds, and how it reaches other threads. One emitter serves one
// kernel.

#ifndef TEGULA_PASSES_LOWER_THREADEMITTER_H
#define TEGULA_PASSES_LOWER_THREADEMITTER_H

#include "passes/lower/TargetInfo.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tegula::lower {

/// The layout of a tile type, which lower-assign-layouts has given to each.
layout::LinearLayout getLayout(mlir::Type type);

/// The vector that holds one thread's elements of a tile, in register order;
/// other types are left alone.
mlir::Type getThreadType(mlir::Type type);

class ThreadEmitter {
public:
  ThreadEmitter(mlir::func::FuncOp kernel, const TargetInfo &target);

  const TargetInfo &getTarget() const { return target; }
  int64_t getNumWarps() const { return numWarps; }
  int64_t getNumLanes() const { return target.getNumLanes(); }
  int64_t getNumThreads() const { return numWarps * getNumLanes(); }

  //===--------------------------------------------------------------------===//
  // Who a thread is (i32, computed at the kernel's entry)
  //===--------------------------------------------------------------------===//

  mlir::Value getThread() const { return thread; }
  mlir::Value getLane() const { return lane; }
  mlir::Value getWarp() const { return warp; }

  //===--------------------------------------------------------------------===//
  // Which elements it holds
  //===--------------------------------------------------------------------===//

  /// The part of the coordinates that lane and warp decide: one i32 for each
  /// dimension.
  llvm::SmallVector<mlir::Value>
  getBaseCoordinates(mlir::OpBuilder &builder, mlir::Location loc,
                     const layout::LinearLayout &layout) const;
  /// Coordinates of each register's element: [register][dimension], i32.
  llvm::SmallVector<llvm::SmallVector<mlir::Value>>
  getCoordinates(mlir::OpBuilder &builder, mlir::Location loc,
                 const layout::LinearLayout &layout) const;
  /// Whether this thread holds the first of several copies (i1), or null if no
  /// element has copies in other threads.
  mlir::Value getIsFirstCopy(mlir::OpBuilder &builder, mlir::Location loc,
                             const layout::LinearLayout &layout) const;
  /// For each register, the register of this thread that holds the first copy
  /// of the same element.
  static llvm::SmallVector<int64_t>
  getFirstRegisters(const layout::LinearLayout &layout);

  //===--------------------------------------------------------------------===//
  // One thread's vectors
  //===--------------------------------------------------------------------===//

  /// Elements of a vector as scalars, and back.
  static llvm::SmallVector<mlir::Value>
  unpack(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value vector);
  static mlir::Value pack(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::ValueRange elements, mlir::Type elementType);
  static mlir::Value getI32(mlir::OpBuilder &builder, mlir::Location loc,
                            int64_t value);

  //===--------------------------------------------------------------------===//
  // Other threads
  //===--------------------------------------------------------------------===//

  /// Waits for all threads of the program; their accesses to shared memory
  /// before it are seen after it.
  void emitBarrier(mlir::OpBuilder &builder, mlir::Location loc) const;
  /// A scalar of any element type (1 to 8 bytes wide, i1 included) from the
  /// lane whose number differs by `mask`, or from lane `source` (i32).
  mlir::Value emitShuffleXor(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::Value value, int64_t mask) const;
  mlir::Value emitShuffleIndex(mlir::OpBuilder &builder, mlir::Location loc,
                               mlir::Value value, mlir::Value source) const;
  /// A pointer (address space 3) to `bytes` of scratch, 16-byte aligned, after
  /// a barrier that lets earlier readers of the scratch finish. What is there
  /// is unspecified; the next call may hand out the same bytes.
  mlir::Value emitScratch(mlir::OpBuilder &builder, mlir::Location loc,
                          int64_t bytes);
  /// `pointer` plus `offset` elements (any integer type) of `elementType` (i1
  /// takes a byte).
  static mlir::Value emitOffset(mlir::OpBuilder &builder, mlir::Location loc,
                                mlir::Value pointer, mlir::Value offset,
                                mlir::Type elementType);

  /// Bytes of shared memory that the kernel needs so far.
  int64_t getSharedBytes() const { return scratchBytes; }

private:
  const TargetInfo &target;
  int64_t numWarps;
  mlir::Value thread, lane, warp;
  mlir::Value shared;
  int64_t scratchBytes = 0;
};

/// Types and patterns of lower-to-threads, one function for each group of
/// operations.
class ThreadTypeConverter : public mlir::TypeConverter {
public:
  ThreadTypeConverter();
};
void populateElementwiseToThreads(const mlir::TypeConverter &types,
                                  mlir::RewritePatternSet &patterns,
                                  ThreadEmitter &emitter);
void populateMemoryToThreads(const mlir::TypeConverter &types,
                             mlir::RewritePatternSet &patterns,
                             ThreadEmitter &emitter);
void populateMovesToThreads(const mlir::TypeConverter &types,
                            mlir::RewritePatternSet &patterns,
                            ThreadEmitter &emitter);
void populateReductionsToThreads(const mlir::TypeConverter &types,
                                 mlir::RewritePatternSet &patterns,
                                 ThreadEmitter &emitter);
void populateDotsToThreads(const mlir::TypeConverter &types,
                           mlir::RewritePatternSet &patterns,
                           ThreadEmitter &emitter);
void populateMessagesToThreads(const mlir::TypeConverter &types,
                               mlir::RewritePatternSet &patterns,
                               ThreadEmitter &emitter);

} // namespace tegula::lower

#endif // TEGULA_PASSES_LOWER_THREADEMITTER_H
