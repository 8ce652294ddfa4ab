// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cpu-lower-contractions: turns linalg contractions on memrefs into packed,
// register-blocked vector loops. Upstream offers the pieces (packing, tiling,
// vectorization) for shapes that divide evenly; this emits the loops directly,
// for every shape.

#include "passes/analysis/Explanation.h"
#include "passes/targets/cpu/ContractionEmit.h"
#include "passes/targets/cpu/Passes.h"

#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"

#define DEBUG_TYPE "cpu-lower-contractions"

namespace tegula::cpu {
#define GEN_PASS_DEF_LOWERCONTRACTIONSPASS
#include "passes/targets/cpu/Passes.h.inc"
namespace {

using namespace mlir;

constexpr unsigned kLhs = 0, kRhs = 1, kOut = 2;

/// Where a loop of the linalg op appears among the dimensions of lhs, rhs, out.
struct LoopUse {
  int64_t extent = 1;
  std::array<std::optional<unsigned>, 3> dims;

  bool in(unsigned operand) const { return dims[operand].has_value(); }
};

/// What the body does to an input before multiplying.
struct InputCast {
  bool isUnsigned = false;
  bool isValid = false;
};

InputCast analyseInput(BlockArgument arg, Type accType) {
  if (!arg.hasOneUse()) {
    return {};
  }
  Operation *user = *arg.user_begin();
  if (isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(user)) {
    bool valid = user->getResult(0).getType() == accType && user->hasOneUse() &&
                 isa<arith::MulFOp, arith::MulIOp>(*user->user_begin());
    return {isa<arith::ExtUIOp>(user), valid};
  }
  return {false,
          isa<arith::MulFOp, arith::MulIOp>(user) && arg.getType() == accType};
}

bool isSupported(Type input, Type acc) {
  if (acc.isF64()) {
    return input.isF64();
  }
  if (acc.isF32()) {
    return input.isF32() || input.isF16() || input.isBF16() ||
           isa<Float8E4M3FNType, Float8E5M2Type>(input);
  }
  return acc.isInteger(32) && input.isInteger(8);
}

/// Checks that operands are static strided memrefs of supported types.
LogicalResult checkOperands(linalg::LinalgOp op) {
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<MemRefType>(operand.getType());
    if (!type) {
      return op.emitOpError("is a contraction of ")
             << operand.getType() << "; bufferize it before lowering it";
    }
    if (!type.hasStaticShape()) {
      return op.emitOpError("is a contraction of dynamic shape ")
             << type << "; its blocking needs static extents";
    }
    bool isLong = llvm::any_of(type.getShape(), [](int64_t extent) {
      return extent > std::numeric_limits<int32_t>::max();
    });
    if (isLong) {
      return op.emitOpError("is a contraction of ")
             << type << "; its extents must be below 2^31";
    }
    if (!type.isStrided()) {
      return op.emitOpError("is a contraction of ")
             << type << ", whose layout is not strided";
    }
  }
  Type acc = getElementTypeOrSelf(op->getOperand(kOut).getType());
  for (unsigned i : {kLhs, kRhs}) {
    Type input = getElementTypeOrSelf(op->getOperand(i).getType());
    if (!isSupported(input, acc)) {
      return op.emitOpError("contracts ")
             << input << " into " << acc
             << "; supported are f64 into f64; f32, f16, bf16, f8E4M3FN and "
                "f8E5M2 into f32; i8 into i32";
    }
  }
  return success();
}

/// Collects for each loop where it appears; fails for a loop that makes no
/// matrix product, such as one that only repeats the result.
FailureOr<SmallVector<LoopUse>> collectLoops(linalg::LinalgOp op) {
  SmallVector<LoopUse> loops(op.getNumLoops());
  for (auto [loop, extent] : llvm::zip_equal(loops, op.getStaticLoopRanges())) {
    loop.extent = extent;
  }
  for (auto [operand, map] : llvm::enumerate(op.getIndexingMapsArray())) {
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      loops[cast<AffineDimExpr>(expr).getPosition()].dims[operand] = dim;
    }
  }
  for (auto [number, loop] : llvm::enumerate(loops)) {
    bool known = loop.in(kOut) ? loop.in(kLhs) || loop.in(kRhs)
                               : loop.in(kLhs) && loop.in(kRhs);
    if (!known) {
      return op.emitOpError("is a contraction whose loop ")
             << number << " is neither a batch, row, column nor inner "
             << "dimension of a matrix product";
    }
  }
  return loops;
}

/// Picks among the loops of one kind the one for the matrix product: one that
/// is contiguous in `operand`, else the longest.
std::optional<unsigned> pickLoop(ArrayRef<LoopUse> loops, unsigned operand,
                                 ArrayRef<int64_t> strides,
                                 function_ref<bool(const LoopUse &)> isKind) {
  std::optional<unsigned> best;
  for (auto [i, loop] : llvm::enumerate(loops)) {
    if (!isKind(loop)) {
      continue;
    }
    bool contiguous = strides[*loop.dims[operand]] == 1 && loop.extent > 1;
    if (contiguous) {
      return i;
    }
    if (!best || loop.extent > loops[*best].extent) {
      best = i;
    }
  }
  return best;
}

MatrixOperand makeOperand(Value memref, ArrayRef<int64_t> strides,
                          ArrayRef<LoopUse> loops, unsigned which,
                          std::optional<unsigned> row,
                          std::optional<unsigned> col, bool isUnsigned) {
  MatrixOperand operand;
  operand.memref = memref;
  operand.isUnsigned = isUnsigned;
  for (auto [i, loop] : llvm::enumerate(std::array{row, col})) {
    operand.extents[i] = loop ? loops[*loop].extent : 1;
    operand.dims[i] = loop ? loops[*loop].dims[which] : std::nullopt;
    operand.strides[i] =
        operand.dims[i] ? strides[*operand.dims[i]] : ShapedType::kDynamic;
  }
  return operand;
}

/// The contraction behind `op`, or an error on it.
FailureOr<Contraction> analyse(linalg::LinalgOp op) {
  if (failed(checkOperands(op))) {
    return failure();
  }
  FailureOr<SmallVector<LoopUse>> found = collectLoops(op);
  if (failed(found)) {
    return failure();
  }
  ArrayRef<LoopUse> loops = *found;
  Type acc = getElementTypeOrSelf(op->getOperand(kOut).getType());
  std::array<SmallVector<int64_t>, 3> strides;
  std::array<InputCast, 2> casts;
  for (unsigned i : {kLhs, kRhs, kOut}) {
    int64_t offset;
    auto type = cast<MemRefType>(op->getOperand(i).getType());
    (void)type.getStridesAndOffset(strides[i], offset);
    if (i == kOut) {
      continue;
    }
    casts[i] = analyseInput(op.getBlock()->getArgument(i), acc);
    if (!casts[i].isValid) {
      return op.emitOpError("is a contraction whose body does more to input ")
             << i << " than extend it to " << acc << " and multiply";
    }
  }
  auto isM = [](const LoopUse &l) { return l.in(kOut) && !l.in(kRhs); };
  auto isN = [](const LoopUse &l) { return l.in(kOut) && !l.in(kLhs); };
  auto isK = [](const LoopUse &l) { return !l.in(kOut); };
  std::optional<unsigned> m = pickLoop(loops, kOut, strides[kOut], isM);
  std::optional<unsigned> n = pickLoop(loops, kOut, strides[kOut], isN);
  std::optional<unsigned> k = pickLoop(loops, kLhs, strides[kLhs], isK);

  Contraction c;
  c.lhs = makeOperand(op->getOperand(kLhs), strides[kLhs], loops, kLhs, m, k,
                      casts[kLhs].isUnsigned);
  c.rhs = makeOperand(op->getOperand(kRhs), strides[kRhs], loops, kRhs, k, n,
                      casts[kRhs].isUnsigned);
  c.out = makeOperand(op->getOperand(kOut), strides[kOut], loops, kOut, m, n,
                      /*isUnsigned=*/false);
  c.computeType = acc.isInteger() ? Float32Type::get(op.getContext()) : acc;
  for (auto [i, loop] : llvm::enumerate(loops)) {
    if (i != m && i != n && i != k) {
      c.outer.push_back({loop.extent, loop.dims});
    }
  }
  return c;
}

struct LowerContractionsPass final
    : impl::LowerContractionsPassBase<LowerContractionsPass> {
  using LowerContractionsPassBase::LowerContractionsPassBase;

  void runOnOperation() override {
    // Not in initialize(): after a failure there, the context counts as one
    // that runs passes for ever.
    if (!llvm::isPowerOf2_64(vectorBits) || vectorBits < 128 ||
        numVectorRegisters < 8) {
      getOperation()->emitError()
          << "cpu-lower-contractions needs vector-bits to be a power of two "
             "from 128 on and at least 8 vector registers, not "
          << int64_t(vectorBits) << " and " << int64_t(numVectorRegisters);
      return signalPassFailure();
    }
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (linalg::isaContractionOpInterface(op)) {
        ops.push_back(op);
      }
    });
    bool anyFailed = false;
    for (linalg::LinalgOp op : ops) {
      anyFailed |= failed(lower(op));
    }
    if (anyFailed) {
      signalPassFailure();
    }
  }

private:
  LogicalResult lower(linalg::LinalgOp op) {
    FailureOr<Contraction> contraction = analyse(op);
    if (failed(contraction)) {
      return failure();
    }
    // An empty sum or result leaves the accumulator as it is.
    if (!llvm::is_contained(op.getStaticLoopRanges(), 0)) {
      ContractionHost host{vectorBits, numVectorRegisters, l1Bytes, l2Bytes};
      ContractionPlan plan = planContraction(*contraction, host);
      analysis::chosen(DEBUG_TYPE, "product", op->getLoc())
          << "a product " << contraction->m() << "x" << contraction->n() << "x"
          << contraction->k() << " in register blocks of " << plan.rows << "x"
          << plan.vectors << " vectors and cache blocks of " << plan.mBlock
          << "x" << plan.nBlock << "x" << plan.kBlock << ", pack lhs "
          << plan.packLhs << ", pack rhs " << plan.packRhs << ", rows outside "
          << plan.rowsOutside << ", dots " << plan.rowDots;
      ImplicitLocOpBuilder builder(op.getLoc(), op);
      emitContraction(builder, *contraction, plan);
    }
    op->erase();
    return success();
  }
};

} // namespace
} // namespace tegula::cpu
