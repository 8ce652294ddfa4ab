// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a shared lowering may ask of the device that it compiles for. Everything
// that differs between devices sits behind this interface, so that no shared
// pass compares names of architectures.

#ifndef TEGULA_PASSES_LOWER_TARGETINFO_H
#define TEGULA_PASSES_LOWER_TARGETINFO_H

#include "dialects/layout/LinearLayout.h"
#include "dialects/simt/Simt.h"
#include "dialects/tile/Tile.h"
#include "passes/lower/TensorMaps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectRegistry.h"

#include <optional>

namespace tegula::lower {

class ThreadEmitter;
struct RingContext;

/// Name of the module attribute (a string) that says what the module is
/// compiled for.
inline constexpr llvm::StringLiteral kArchAttr = "tegula.arch";
/// Names of the attributes (i32) of a kernel: warps of a program, lanes of a
/// warp, bytes of shared memory.
inline constexpr llvm::StringLiteral kNumWarpsAttr = "tegula.num_warps";
inline constexpr llvm::StringLiteral kNumLanesAttr = "tegula.num_lanes";
inline constexpr llvm::StringLiteral kSharedBytesAttr = "tegula.shared_bytes";
/// Name of the attribute (i32) of a kernel: registers that the code generator
/// may give each thread.
inline constexpr llvm::StringLiteral kRegistersAttr = "tegula.registers";
/// Name of the attribute (a unit) of barriers that order accesses to shared
/// memory alone.
inline constexpr llvm::StringLiteral kSharedOnlyAttr = "tegula.shared_only";

/// Layouts of a dot's operands and result that one kind of matrix instruction
/// wants.
struct DotLayouts {
  layout::LinearLayout a;
  layout::LinearLayout b;
  layout::LinearLayout acc;
};

/// How a device would keep tiles coming through a ring.
struct RingPlan {
  /// The device's name for the way that it copies.
  llvm::StringRef mechanism;
  int64_t slots;
  /// Shared memory that the ring takes.
  int64_t bytes;
  /// Descriptions of arrays that the launcher has to make: one for each tile,
  /// or none.
  llvm::SmallVector<TensorMap> maps;
};

/// Shared memory when a ring is planned, in bytes.
struct RingRoom {
  /// What is taken already.
  int64_t used;
  /// One slot of each ring of the same loop that is planned later: rings of one
  /// loop are to get equally many.
  int64_t laterSlots;
  /// How many slots the kernel's author wishes for; 0: the target chooses.
  int64_t wantedSlots = 0;
};

class TargetInfo {
public:
  virtual ~TargetInfo();

  /// As in kArchAttr.
  virtual llvm::StringRef getName() const = 0;

  /// Dialects that the target emits operations of.
  virtual void getDependentDialects(mlir::DialectRegistry &registry) const {}

  //===--------------------------------------------------------------------===//
  // Sizes
  //===--------------------------------------------------------------------===//

  /// Threads that run in lockstep; a power of two.
  virtual int64_t getNumLanes() const = 0;
  /// Most warps of a program.
  virtual int64_t getMaxNumWarps() const = 0;
  /// Most shared memory of a program, in bytes.
  virtual int64_t getSharedBytes() const = 0;
  /// Banks of shared memory, each 4 bytes wide.
  virtual int64_t getNumSharedBanks() const = 0;
  /// Widest access to memory by one thread, in bytes.
  virtual int64_t getMaxAccessBytes() const = 0;
  /// 32-bit registers of a thread before its program stops fitting well.
  virtual int64_t getRegisterBudget() const = 0;

  //===--------------------------------------------------------------------===//
  // Matrix instructions
  //===--------------------------------------------------------------------===//

  /// The layouts for `dot` (power-of-two extents) on `numWarps` warps, or
  /// nothing if no instruction fits and the dot is computed with multiply-adds.
  virtual std::optional<DotLayouts> getDotLayouts(tile::DotOp dot,
                                                  int64_t numWarps) const;
  /// Emits the dot on one thread's values, whose layouts are those of
  /// getDotLayouts. Operands and result are vectors in register order. Fails
  /// without a diagnostic if the layouts are none of this target's.
  virtual mlir::FailureOr<mlir::Value>
  emitDot(mlir::OpBuilder &builder, tile::DotOp dot, const DotLayouts &layouts,
          mlir::Value a, mlir::Value b, mlir::Value acc) const;

  /// Whether the matrix unit computes `dot` with `b`, and `a` where it is a
  /// buffer, read from shared memory.
  virtual bool supportsSharedOperands(tile::DotOp dot, mlir::Type a,
                                      simt::BufferType b) const;
  /// Emits such a product, and a wait for it, on one thread's values. Where the
  /// product read `a` from registers the wait is told, else `a` is null.
  virtual mlir::FailureOr<mlir::Value>
  emitMma(mlir::OpBuilder &builder, ThreadEmitter &emitter, simt::MmaOp op,
          mlir::Value a, mlir::Value b, mlir::Value acc) const;
  virtual mlir::FailureOr<mlir::Value>
  emitMmaWait(mlir::OpBuilder &builder, mlir::Location loc, int64_t pending,
              mlir::Value acc, mlir::Value a) const;

  //===--------------------------------------------------------------------===//
  // Rings of shared memory
  //===--------------------------------------------------------------------===//

  /// How to fetch the tiles of `loads` ahead, into buffers of `tiles`. Nothing
  /// if that does not pay.
  virtual std::optional<RingPlan>
  planRing(llvm::ArrayRef<tile::LoadOp> loads,
           llvm::ArrayRef<mlir::RankedTensorType> tiles, RingRoom room) const;
  /// Whether waiting for a copy of one ring leaves copies of others alone, so
  /// that a loop may have several at no cost.
  virtual bool hasIndependentRings() const { return false; }
  /// Emit the operations on rings. Fail if the mechanism is none of theirs.
  virtual mlir::LogicalResult emitRing(const RingContext &ring) const;
  virtual mlir::LogicalResult emitIssue(const RingContext &ring,
                                        simt::IssueOp op) const;
  virtual mlir::LogicalResult emitAwait(const RingContext &ring,
                                        mlir::Value number) const;
  virtual mlir::LogicalResult emitRelease(const RingContext &ring,
                                          mlir::Value number) const;
  /// Whether `simt.issue` of this mechanism itself waits until every thread has
  /// released the slot.
  virtual bool tracksReaders(llvm::StringRef mechanism) const { return false; }
  /// For a fragment that `emitRead` can read although its lanes' elements are
  /// far apart in a buffer: what lanes name, which are neighbours along the
  /// dimension `along`, and then exchange. Nothing if there is no such way.
  virtual std::optional<layout::LinearLayout>
  getNamedElements(const layout::LinearLayout &fragment, unsigned along,
                   int64_t elementBytes) const {
    return std::nullopt;
  }
  /// Reads a buffer with instructions of the device's own. `places` says which
  /// offset each register of each thread needs (its output `Dim::Offset`).
  /// Fails if ordinary accesses serve.
  virtual mlir::FailureOr<mlir::Value>
  emitRead(mlir::OpBuilder &builder, mlir::Location loc, ThreadEmitter &emitter,
           mlir::Value pointer, const layout::LinearLayout &places,
           mlir::Type elementType) const;

  //===--------------------------------------------------------------------===//
  // One thread's operations
  //===--------------------------------------------------------------------===//

  /// Loads `type` (scalar or vector) from `pointer` where `predicate` (i1, or
  /// null for always) holds, otherwise gives zeros; reads nothing then.
  /// `alignment` in bytes.
  virtual mlir::Value emitLoad(mlir::OpBuilder &builder, mlir::Location loc,
                               mlir::Type type, mlir::Value pointer,
                               mlir::Value predicate, int64_t alignment) const;
  /// Whether loads can check bounds by themselves, by what follows.
  virtual bool hasWindows() const { return false; }
  /// What emitWindowLoad reads: `bytes` (i32, below 2^31) from `base` on, a
  /// pointer to global memory. Both are the same in all threads.
  virtual mlir::Value emitWindow(mlir::OpBuilder &builder, mlir::Location loc,
                                 mlir::Value base, mlir::Value bytes) const;
  /// Loads `type` from byte `offset` (i32, unsigned) of a window, or gives
  /// zeros and reads nothing where that is outside. `offset` is a multiple of
  /// the size and of 4 if the size is.
  virtual mlir::Value emitWindowLoad(mlir::OpBuilder &builder,
                                     mlir::Location loc, mlir::Type type,
                                     mlir::Value window,
                                     mlir::Value offset) const;
  /// Stores `value` where `predicate` holds.
  virtual void emitStore(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value value, mlir::Value pointer,
                         mlir::Value predicate, int64_t alignment) const;

  /// LLVM's name of the scope of an atomic that all programs on the device see.
  virtual llvm::StringRef getDeviceScope() const { return ""; }
  /// Whether memory itself adds floats of `type` and rounds as `arith.addf`
  /// does, subnormal values included.
  virtual bool hasAtomicAdd(mlir::FloatType type) const { return false; }
  /// Whether it does but for subnormal values, which it takes for 0.
  virtual bool hasFlushingAtomicAdd(mlir::FloatType type) const {
    return false;
  }

  //===--------------------------------------------------------------------===//
  // Registry
  //===--------------------------------------------------------------------===//

  /// The target of an architecture's name, or null.
  static const TargetInfo *get(llvm::StringRef name);
  /// The target of the module that holds `op`; if there is none, emits an error
  /// that says how to set it and gives null.
  static const TargetInfo *of(mlir::Operation *op);
  /// Makes a target known for the rest of the process. Called when a target's
  /// passes are registered.
  static void add(std::unique_ptr<TargetInfo> target);
  /// The dialects of all known targets.
  static void getAllDialects(mlir::DialectRegistry &registry);
  /// Names of all known targets, sorted.
  static llvm::SmallVector<llvm::StringRef> getNames();
};

} // namespace tegula::lower

#endif // TEGULA_PASSES_LOWER_TARGETINFO_H
