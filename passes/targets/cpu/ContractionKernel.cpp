// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The register-blocked product and the block loops around it, after Goto and
// van de Geijn, "Anatomy of high-performance matrix multiplication" (2008). The
// accumulators are loop-carried vectors: LLVM keeps them in registers without
// unrolling.

#include "passes/targets/cpu/ContractionEmit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace tegula::cpu {

Value indexConstant(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

Value addIndex(ImplicitLocOpBuilder &b, Value x, Value y) {
  return b.createOrFold<arith::AddIOp>(x, y);
}

Value addIndex(ImplicitLocOpBuilder &b, Value x, int64_t y) {
  return y == 0 ? x : addIndex(b, x, indexConstant(b, y));
}

Value subIndex(ImplicitLocOpBuilder &b, Value x, Value y) {
  return b.createOrFold<arith::SubIOp>(x, y);
}

void emitLoop(ImplicitLocOpBuilder &b, Value lower, Value upper, int64_t step,
              function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(b, lower, upper, indexConstant(b, step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

Value convertElements(ImplicitLocOpBuilder &b, Value value, Type to,
                      bool isUnsigned) {
  Type from = getElementTypeOrSelf(value);
  if (from == to) {
    return value;
  }
  Type type = to;
  if (auto vector = dyn_cast<VectorType>(value.getType())) {
    type = vector.clone(to);
  }
  if (isa<FloatType>(from)) {
    return arith::ExtFOp::create(b, type, value);
  }
  if (isUnsigned) {
    return arith::UIToFPOp::create(b, type, value);
  }
  return arith::SIToFPOp::create(b, type, value);
}

Value loadVector(ImplicitLocOpBuilder &b, VectorType type, Value memref,
                 ValueRange indices, Value mask) {
  if (!mask) {
    return vector::LoadOp::create(b, type, memref, indices);
  }
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  return vector::MaskedLoadOp::create(b, type, memref, indices, mask, zero);
}

Value edgeMask(ImplicitLocOpBuilder &b, int64_t lanes, int64_t extent,
               Value position) {
  Value remaining = subIndex(b, indexConstant(b, extent), position);
  return vector::CreateMaskOp::create(
      b, VectorType::get({lanes}, b.getI1Type()), ValueRange{remaining});
}

SmallVector<Value, 2> MatrixView::at(ImplicitLocOpBuilder &b, Value row,
                                     Value col) const {
  Value i = addIndex(b, origin[0], row), j = addIndex(b, origin[1], col);
  return inner == 1 ? SmallVector<Value, 2>{i, j} : SmallVector<Value, 2>{j, i};
}

namespace {

/// Calls `body` with offset and size of each block of `extent`.
void emitBlocks(ImplicitLocOpBuilder &b, int64_t extent, int64_t block,
                function_ref<void(Value, Value)> body) {
  Value all = indexConstant(b, extent);
  if (extent <= block) {
    body(indexConstant(b, 0), all);
    return;
  }
  emitLoop(b, indexConstant(b, 0), all, block, [&](Value offset) {
    Value size = indexConstant(b, block);
    if (extent % block != 0) {
      size = arith::MinUIOp::create(b, size, subIndex(b, all, offset));
    }
    body(offset, size);
  });
}

/// An operand's buffer, offset and strides as values.
struct StridedBuffer {
  Value base, offset;
  SmallVector<OpFoldResult> strides;

  StridedBuffer(ImplicitLocOpBuilder &b, Value memref) {
    auto metadata = memref::ExtractStridedMetadataOp::create(b, memref);
    base = metadata.getBaseBuffer();
    offset = getValueOrCreateConstantIndexOp(
        b, b.getLoc(), metadata.getConstifiedMixedOffset());
    strides = metadata.getConstifiedMixedStrides();
  }
};

class ContractionEmitter {
public:
  ContractionEmitter(ImplicitLocOpBuilder &b, const Contraction &c,
                     const ContractionPlan &plan)
      : b(b), c(c), plan(plan),
        accVector(VectorType::get({plan.lanes}, c.computeType)),
        outVector(VectorType::get({plan.lanes}, c.accType())),
        zero(indexConstant(b, 0)) {}

  void emit();

private:
  MatrixView makeView(const MatrixOperand &operand, const StridedBuffer &buffer,
                      std::optional<unsigned> inner, unsigned which,
                      ArrayRef<Value> outerIvs);
  void emitOuter(SmallVector<Value> &ivs);
  void emitProduct(ArrayRef<Value> ivs);
  void emitCopy(const MatrixView &from, const MatrixView &to);
  void emitBlock(Value kSize, Value nSize, Value mOffset, Value mSize);
  void emitPanel(int64_t rows, Value row, Value n, Value kSize,
                 ArrayRef<Value> masks);
  SmallVector<Value> emitReduction(int64_t rows, Value row, Value n,
                                   Value kSize, ArrayRef<Value> masks,
                                   ArrayRef<Value> init);
  Value loadRhs(Value n, Value panel, Value k, int64_t v, Value mask);

  ImplicitLocOpBuilder &b;
  const Contraction &c;
  const ContractionPlan &plan;
  VectorType accVector, outVector;
  Value zero;
  std::optional<StridedBuffer> lhsBuffer, rhsBuffer, outBuffer;
  /// Views of the operands in the current iteration of the outer loops; the
  /// origins are those of the current block.
  MatrixView lhs, rhs, out;
  /// What the product reads: a packed block or `lhs` itself.
  MatrixView lhsBlock, lhsScratch;
  Value rhsScratch, outScratch;
};

/// The operand's matrix in the current iteration of the outer loops.
MatrixView ContractionEmitter::makeView(const MatrixOperand &operand,
                                        const StridedBuffer &buffer,
                                        std::optional<unsigned> inner,
                                        unsigned which,
                                        ArrayRef<Value> outerIvs) {
  Value offset = buffer.offset;
  for (auto [loop, iv] : llvm::zip_equal(c.outer, outerIvs)) {
    if (std::optional<unsigned> dim = loop.dims[which]) {
      Value stride =
          getValueOrCreateConstantIndexOp(b, b.getLoc(), buffer.strides[*dim]);
      offset = addIndex(b, offset, b.createOrFold<arith::MulIOp>(iv, stride));
    }
  }
  MatrixView view;
  view.inner = inner.value_or(1);
  view.contiguous = inner.has_value();
  view.isUnsigned = operand.isUnsigned;
  view.origin = {zero, zero};
  SmallVector<OpFoldResult> sizes, strides;
  for (unsigned dim : {1 - view.inner, view.inner}) {
    sizes.push_back(b.getIndexAttr(operand.extents[dim]));
    // The stride of a single row or column is never used.
    strides.push_back(operand.extents[dim] == 1
                          ? OpFoldResult(b.getIndexAttr(1))
                          : buffer.strides[*operand.dims[dim]]);
  }
  view.memref = memref::ReinterpretCastOp::create(
      b, buffer.base, OpFoldResult(offset), sizes, strides);
  return view;
}

void ContractionEmitter::emit() {
  lhsBuffer.emplace(b, c.lhs.memref);
  rhsBuffer.emplace(b, c.rhs.memref);
  outBuffer.emplace(b, c.out.memref);
  if (plan.packLhs) {
    lhsScratch = allocateLhs(b, c, plan);
  }
  if (plan.packRhs) {
    rhsScratch = allocateRhs(b, c, plan);
  }
  if (!c.out.isUnit(1)) {
    outScratch =
        memref::AllocOp::create(b, MemRefType::get({c.m(), c.n()}, c.accType()),
                                b.getI64IntegerAttr(64));
  }
  SmallVector<Value> ivs;
  emitOuter(ivs);
}

void ContractionEmitter::emitOuter(SmallVector<Value> &ivs) {
  if (ivs.size() == c.outer.size()) {
    emitProduct(ivs);
    return;
  }
  Value upper = indexConstant(b, c.outer[ivs.size()].extent);
  emitLoop(b, zero, upper, 1, [&](Value iv) {
    ivs.push_back(iv);
    emitOuter(ivs);
    ivs.pop_back();
  });
}

/// One matrix product: blocks of k around blocks of n (for L2 and, where
/// larger, L3) around blocks of m (for L2).
void ContractionEmitter::emitProduct(ArrayRef<Value> ivs) {
  bool lhsInPlace = !plan.packLhs;
  lhs = makeView(c.lhs, *lhsBuffer, c.lhs.unitDim(), 0, ivs);
  std::optional<unsigned> rhsInner =
      c.rhs.isUnit(1) ? std::optional<unsigned>(1) : c.rhs.unitDim();
  rhs = makeView(c.rhs, *rhsBuffer, rhsInner, 1, ivs);
  MatrixView target = makeView(c.out, *outBuffer,
                               c.out.isUnit(1) ? 1 : c.out.unitDim(), 2, ivs);
  out = target;
  if (outScratch) {
    out.memref = outScratch;
    out.inner = 1;
    emitCopy(target, out);
  }
  emitBlocks(b, c.k(), plan.kBlock, [&](Value kOffset, Value kSize) {
    emitBlocks(b, c.n(), plan.nBlock, [&](Value nOffset, Value nSize) {
      rhs.origin = {kOffset, nOffset};
      if (plan.packRhs) {
        packRhs(b, c, plan, rhs, rhsScratch, {kSize, nSize});
      }
      emitBlocks(b, c.m(), plan.mBlock, [&](Value mOffset, Value mSize) {
        lhs.origin = {mOffset, kOffset};
        if (plan.packLhs) {
          packLhs(b, c, plan, lhs, lhsScratch, {mSize, kSize});
        }
        lhsBlock = lhsInPlace ? lhs : lhsScratch;
        out.origin = {mOffset, nOffset};
        emitBlock(kSize, nSize, mOffset, mSize);
      });
    });
  });
  if (outScratch) {
    out.origin = target.origin;
    emitCopy(out, target);
  }
}

void ContractionEmitter::emitCopy(const MatrixView &from,
                                  const MatrixView &to) {
  emitLoop(b, zero, indexConstant(b, c.m()), 1, [&](Value i) {
    emitLoop(b, zero, indexConstant(b, c.n()), 1, [&](Value j) {
      Value value = memref::LoadOp::create(b, from.memref, from.at(b, i, j));
      memref::StoreOp::create(b, value, to.memref, to.at(b, i, j));
    });
  });
}

/// Register blocks over one block of the result: panels of rhs (each stays in
/// L1) around panels of lhs. Rows that do not fill a register block get a
/// smaller one of their own at the end of the last block.
void ContractionEmitter::emitBlock(Value kSize, Value nSize, Value mOffset,
                                   Value mSize) {
  int64_t tail = c.m() % plan.rows;
  bool blocked = c.m() > plan.mBlock;
  bool ragged = c.n() % plan.panel() != 0;
  emitLoop(b, zero, nSize, plan.panel(), [&](Value n) {
    SmallVector<Value> masks(plan.vectors);
    for (int64_t v = 0; ragged && v < plan.vectors; ++v) {
      Value col = addIndex(b, addIndex(b, rhs.origin[1], n), v * plan.lanes);
      masks[v] = edgeMask(b, plan.lanes, c.n(), col);
    }
    Value full = mSize;
    if (tail != 0) {
      Value left = subIndex(b, indexConstant(b, c.m() - tail), mOffset);
      full = blocked ? b.createOrFold<arith::MinUIOp>(mSize, left) : left;
    }
    if (c.m() == plan.rows) {
      emitPanel(plan.rows, zero, n, kSize, masks);
      return;
    }
    emitLoop(b, zero, full, plan.rows,
             [&](Value row) { emitPanel(plan.rows, row, n, kSize, masks); });
    if (tail == 0) {
      return;
    }
    if (!blocked) {
      emitPanel(tail, full, n, kSize, masks);
      return;
    }
    Value hasTail =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, full, mSize);
    auto branch = scf::IfOp::create(b, hasTail, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    emitPanel(tail, full, n, kSize, masks);
  });
}

/// One register block of `rows` rows at `row`, column `n` of the current block.
void ContractionEmitter::emitPanel(int64_t rows, Value row, Value n,
                                   Value kSize, ArrayRef<Value> masks) {
  SmallVector<SmallVector<Value, 2>> places;
  for (int64_t i = 0; i < rows; ++i) {
    Value outRow = addIndex(b, row, i);
    for (int64_t v = 0; v < plan.vectors; ++v) {
      places.push_back(out.at(b, outRow, addIndex(b, n, v * plan.lanes)));
    }
  }
  auto load = [&](size_t i) {
    return loadVector(b, outVector, out.memref, places[i],
                      masks[i % plan.vectors]);
  };
  SmallVector<Value> init;
  for (size_t i = 0; i < places.size(); ++i) {
    init.push_back(c.isExactInteger()
                       ? arith::ConstantOp::create(b, b.getZeroAttr(accVector))
                       : load(i));
  }
  SmallVector<Value> sums = emitReduction(rows, row, n, kSize, masks, init);
  for (size_t i = 0; i < places.size(); ++i) {
    Value sum = sums[i], mask = masks[i % plan.vectors];
    if (c.isExactInteger()) {
      sum = arith::FPToSIOp::create(b, outVector, sum);
      sum = arith::AddIOp::create(b, load(i), sum);
    }
    if (mask) {
      vector::MaskedStoreOp::create(b, out.memref, places[i], mask, sum);
    } else {
      vector::StoreOp::create(b, sum, out.memref, places[i]);
    }
  }
}

/// The loop over k: each step adds an outer product to the accumulators.
SmallVector<Value> ContractionEmitter::emitReduction(int64_t rows, Value row,
                                                     Value n, Value kSize,
                                                     ArrayRef<Value> masks,
                                                     ArrayRef<Value> init) {
  SmallVector<Value> lhsRows;
  for (int64_t i = 0; i < rows; ++i) {
    lhsRows.push_back(addIndex(b, row, i));
  }
  Value panel;
  if (plan.packRhs) {
    panel = b.createOrFold<arith::DivUIOp>(n, indexConstant(b, plan.panel()));
  }
  auto loop = scf::ForOp::create(b, zero, kSize, indexConstant(b, 1), init);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value k = loop.getInductionVar();
  SmallVector<Value> rhsVectors;
  for (int64_t v = 0; v < plan.vectors; ++v) {
    rhsVectors.push_back(loadRhs(n, panel, k, v, masks[v]));
  }
  SmallVector<Value> sums(loop.getRegionIterArgs());
  for (int64_t i = 0; i < rows; ++i) {
    Value scalar = memref::LoadOp::create(b, lhsBlock.memref,
                                          lhsBlock.at(b, lhsRows[i], k));
    Value splat = vector::BroadcastOp::create(b, accVector, scalar);
    for (int64_t v = 0; v < plan.vectors; ++v) {
      Value &sum = sums[i * plan.vectors + v];
      sum = vector::FMAOp::create(b, splat, rhsVectors[v], sum);
    }
  }
  scf::YieldOp::create(b, sums);
  return SmallVector<Value>(loop.getResults());
}

Value ContractionEmitter::loadRhs(Value n, Value panel, Value k, int64_t v,
                                  Value mask) {
  if (panel) {
    Value column = indexConstant(b, v * plan.lanes);
    return vector::LoadOp::create(b, accVector, rhsScratch,
                                  ValueRange{panel, k, column});
  }
  auto type = VectorType::get({plan.lanes}, rhs.elementType());
  Value vector = loadVector(b, type, rhs.memref,
                            rhs.at(b, k, addIndex(b, n, v * plan.lanes)), mask);
  return convertElements(b, vector, c.computeType, rhs.isUnsigned);
}

} // namespace

void emitContraction(ImplicitLocOpBuilder &b, const Contraction &c,
                     const ContractionPlan &plan) {
  ContractionEmitter(b, c, plan).emit();
}

} // namespace tegula::cpu
