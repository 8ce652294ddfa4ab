// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the patterns of lower-to-threads share: who a thread is, which elements
// of a tile it holds, and how it reaches other threads. One emitter serves one
// kernel.

#ifndef TEGULA_PASSES_LOWER_THREADEMITTER_H
#define TEGULA_PASSES_LOWER_THREADEMITTER_H

#include "dialects/layout/Layout.h"
#include "passes/lower/TargetInfo.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"

#include <array>

namespace tegula::lower {

/// Name of the external array in shared memory (address space 3) that a
/// kernel's buffers lie in.
inline constexpr llvm::StringLiteral kSharedSymbol = "tegula_shared";
inline constexpr unsigned kGlobalSpace = 1;
inline constexpr unsigned kSharedSpace = 3;

/// The layout of a tile type, which lower-assign-layouts has given to each.
const layout::LinearLayout &getLayout(mlir::Type type);

/// The vector that holds one thread's elements of a tile, in register order;
/// other types are left alone. Null for a tile without layout.
mlir::Type getThreadType(mlir::Type type);

/// What LLVM calls a type in memory: bytes for bools and 8-bit floats.
mlir::Type getMemoryType(mlir::Type type);
/// Converts a scalar or vector to and from that.
mlir::Value toMemory(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value value);
mlir::Value fromMemory(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value value, mlir::Type elementType);

class ThreadEmitter {
public:
  /// `kernel` has its flat arguments already, and kNumWarpsAttr.
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
  /// Position of the program in the grid, and the grid's size.
  mlir::Value getProgramId(unsigned axis) const { return program[axis]; }
  mlir::Value getNumPrograms(unsigned axis) const { return grid[axis]; }
  /// The message buffer (a pointer to global memory).
  mlir::Value getMessageBuffer() const { return messages; }
  mlir::func::FuncOp getKernel() const { return kernel; }

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
  /// Bits of coordinate `axis` that lane and warp can set.
  static int64_t getThreadBits(const layout::LinearLayout &layout,
                               unsigned axis);
  /// `base`, whose bits are among `baseBits`, xor `offset`; as a sum if it is
  /// one.
  static mlir::Value emitWithOffset(mlir::OpBuilder &builder,
                                    mlir::Location loc, mlir::Value base,
                                    int64_t offset, int64_t baseBits);
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
  /// The same vector, of which code generators know nothing: what is computed
  /// from it is computed here or later. They do not look into assembly, even
  /// without instructions, and its side effect keeps it among barriers.
  /// `kind` is the constraint for registers that hold 32 bits. A vector of no
  /// multiple of 32 bits is given back as it is.
  static mlir::Value emitOpaque(mlir::OpBuilder &builder, mlir::Location loc,
                                mlir::Value vector, llvm::StringRef kind);

  //===--------------------------------------------------------------------===//
  // Other threads
  //===--------------------------------------------------------------------===//

  /// Waits for all threads of the program; their accesses to shared memory, but
  /// not to global memory, before it are seen after it.
  void emitBarrier(mlir::OpBuilder &builder, mlir::Location loc) const;
  /// A scalar of any element type (1 to 8 bytes wide, i1 included) from the
  /// lane whose number differs by `mask`, or from lane `source` (i32).
  mlir::Value emitShuffleXor(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::Value value, int64_t mask) const;
  mlir::Value emitShuffleIndex(mlir::OpBuilder &builder, mlir::Location loc,
                               mlir::Value value, mlir::Value source) const;
  /// A pointer (address space 3) to `bytes` of scratch, 16-byte aligned, after
  /// a barrier that lets earlier readers of the scratch finish. What is there
  /// is unspecified; a later call may hand out the same bytes. The caller
  /// stores, then waits with emitBarrier, then loads. placeScratch removes the
  /// first barrier where it can.
  mlir::Value emitScratch(mlir::OpBuilder &builder, mlir::Location loc,
                          int64_t bytes);
  /// A pointer to byte `offset` of the persistent buffers.
  mlir::Value emitShared(mlir::OpBuilder &builder, mlir::Location loc,
                         int64_t offset) const;
  /// `pointer` plus `offset` elements (any integer type) of `elementType` (i1
  /// takes a byte).
  static mlir::Value emitOffset(mlir::OpBuilder &builder, mlir::Location loc,
                                mlir::Value pointer, mlir::Value offset,
                                mlir::Type elementType);

  /// Bytes of the persistent buffers that the kernel came with.
  int64_t getPersistentBytes() const { return persistentBytes; }

  /// A constant in memory that all programs see (a pointer to global memory).
  mlir::Value emitConstantData(mlir::OpBuilder &builder, mlir::Location loc,
                               llvm::StringRef stem,
                               mlir::DenseElementsAttr data) const;

private:
  void orderInBands(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value number);

  mlir::func::FuncOp kernel;
  const TargetInfo &target;
  int64_t numWarps;
  mlir::Value thread, lane, warp;
  std::array<mlir::Value, 3> program, grid;
  mlir::Value messages;
  int64_t persistentBytes = 0;
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
/// Adds the types of rings to `types` as well.
void populateRingsToThreads(mlir::TypeConverter &types,
                            mlir::RewritePatternSet &patterns,
                            ThreadEmitter &emitter);
void populateMessagesToThreads(const mlir::TypeConverter &types,
                               mlir::RewritePatternSet &patterns,
                               ThreadEmitter &emitter);

} // namespace tegula::lower

#endif // TEGULA_PASSES_LOWER_THREADEMITTER_H
