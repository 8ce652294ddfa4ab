// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How rings of shared memory are filled. What a device can do is asked of its
// TargetInfo; what several devices do the same way is here.

#ifndef TEGULA_PASSES_LOWER_RINGLOWERING_H
#define TEGULA_PASSES_LOWER_RINGLOWERING_H

#include "dialects/simt/Simt.h"
#include "passes/lower/KernelArguments.h"
#include "passes/lower/ThreadEmitter.h"

namespace tegula::lower {

/// One ring, as seen from one operation on it.
struct RingContext {
  mlir::OpBuilder &builder;
  mlir::Location loc;
  ThreadEmitter &emitter;
  /// What makes the ring.
  simt::RingOp op;
  simt::RingType type;
  llvm::StringRef mechanism;
  /// Start of the ring (a pointer to shared memory).
  mlir::Value base;

  /// The slot (i32) that copy `number` uses.
  mlir::Value getSlot(mlir::Value number) const;
  /// How often, by parity (i32), that slot was used before copy `number`.
  mlir::Value getParity(mlir::Value number) const;
  /// Where tile `member` of a slot is.
  mlir::Value getTile(mlir::Value slot, unsigned member) const;
};

/// One thread's part of copying a tile by accesses of its own.
struct ThreadCopy {
  mlir::Value source;      // pointer to global memory
  mlir::Value destination; // pointer to shared memory
  mlir::Value
      predicate; // i1, or null for always: whether it is this thread's to make
  mlir::Value validBytes; // i32: so many are copied, the rest becomes zero
  /// i1: whether that is all of them, else it is none; null where an edge of
  /// the array may run through the access.
  mlir::Value whole;
  int64_t bytes;
};

/// The accesses with which this thread takes part in copying the tile of `view`
/// at a tile index to `destination`. Their width is the widest that memory and
/// the buffer allow.
mlir::FailureOr<llvm::SmallVector<ThreadCopy>>
getThreadCopies(const RingContext &ring, simt::IssueOp issue, unsigned member,
                mlir::ValueRange index, mlir::Value destination);

/// A ring without help from the device: each thread loads and stores its part
/// at once. Slower than no ring at all, but what the others are compared with.
inline constexpr llvm::StringLiteral kPlainMechanism = "plain";
mlir::LogicalResult emitPlainRing(const RingContext &ring);
mlir::LogicalResult emitPlainIssue(const RingContext &ring, simt::IssueOp op);
mlir::LogicalResult emitPlainAwait(const RingContext &ring);
mlir::LogicalResult emitPlainRelease(const RingContext &ring);

/// A ring that is filled by simt.write, of one slot or more.
inline constexpr llvm::StringLiteral kRegisterMechanism = "registers";

/// Slots of a ring that hide the latency of memory; with fewer the matrix units
/// wait for it.
inline constexpr int64_t kFairSlots = 3;

/// Runs `body` where `condition` (i1) holds.
void emitIf(const RingContext &ring, mlir::Value condition,
            llvm::function_ref<void()> body);
/// The tile index of member `member` among the indices of all.
mlir::OperandRange getIndex(simt::IssueOp op, unsigned member);

} // namespace tegula::lower

#endif // TEGULA_PASSES_LOWER_RINGLOWERING_H
