// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An atomic on one element of any type. Memory swaps 32 and 64 bits only and
// computes few things as the language defines them; the rest is computed by the
// thread, which swaps the result in if nobody came between.

#ifndef TEGULA_PASSES_LOWER_ATOMICELEMENT_H
#define TEGULA_PASSES_LOWER_ATOMICELEMENT_H

#include "passes/lower/TargetInfo.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tegula::lower {

class AtomicElement {
public:
  AtomicElement(const TargetInfo &target, mlir::Location loc, mlir::Type type)
      : target(target), loc(loc), type(type) {}

  /// Replaces what is at `pointer` by old <kind> value; gives old.
  mlir::Value emitRMW(mlir::OpBuilder &builder, tile::AtomicKind kind,
                      mlir::Value pointer, mlir::Value value) const;
  /// Replaces it by `value` if it has the bits of `compare`; gives old.
  mlir::Value emitCAS(mlir::OpBuilder &builder, mlir::Value pointer,
                      mlir::Value compare, mlir::Value value) const;

private:
  /// What a loop computes from the element's old bits.
  struct Step {
    mlir::Value bits;    // The element's new bits.
    mlir::Value isFinal; // i1: leave without a swap. Null for never.
  };
  using StepFn =
      llvm::function_ref<Step(mlir::OpBuilder &, mlir::Value oldBits)>;

  /// Swaps until nobody comes between; gives the element's old bits.
  mlir::Value emitLoop(mlir::OpBuilder &builder, mlir::Value pointer,
                       StepFn step) const;
  mlir::Value emitNative(mlir::OpBuilder &builder,
                         mlir::LLVM::AtomicBinOp native, mlir::Value pointer,
                         mlir::Value value) const;
  mlir::Value emitRMWLoop(mlir::OpBuilder &builder, tile::AtomicKind kind,
                          mlir::Value pointer, mlir::Value value) const;
  /// Whether adding `value` gives the same if subnormal values count as 0. With
  /// p digits and the smallest normal number m it does from m * 2^(p+2) on:
  /// what is left out is less than half of the sum's last digit, and a sum of
  /// digits that large is no subnormal number.
  mlir::Value emitLarge(mlir::OpBuilder &builder, mlir::Value value) const;
  mlir::Value emitCombine(mlir::OpBuilder &builder, tile::AtomicKind kind,
                          mlir::Value old, mlir::Value value) const;
  std::optional<mlir::LLVM::AtomicBinOp> getNative(tile::AtomicKind kind) const;

  unsigned getWidth() const;
  mlir::Value toBits(mlir::OpBuilder &builder, mlir::Value value) const;
  mlir::Value fromBits(mlir::OpBuilder &builder, mlir::Value bits) const;

  const TargetInfo &target;
  mlir::Location loc;
  mlir::Type type;
};

} // namespace tegula::lower

#endif // TEGULA_PASSES_LOWER_ATOMICELEMENT_H
