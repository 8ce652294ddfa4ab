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

/// Locality hint of memref.prefetch for the second-level cache.
constexpr unsigned kPrefetchToL2 = 2;

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
  void emitPanels(Value nSize, function_ref<void(Value, ArrayRef<Value>)> body);
  void emitRowBlocks(Value mOffset, Value mSize,
                     function_ref<void(int64_t, Value)> body);
  void packRows(int64_t rows, Value row, Value kSize);
  void packPanel(Value n, Value nSize, Value kSize);
  void prefetchNext(int64_t rows, Value row, Value n);
  void prefetchShare(const MatrixView &view, const MatrixOperand &operand,
                     std::array<Value, 2> begin, std::array<int64_t, 2> size,
                     Value share, int64_t shares);
  void emitPanel(int64_t rows, Value row, Value n, Value kSize,
                 ArrayRef<Value> masks);
  SmallVector<Value> emitReduction(int64_t rows, Value row, Value n,
                                   Value kSize, ArrayRef<Value> masks,
                                   ArrayRef<Value> init);
  void emitRowDots(Value kSize);
  SmallVector<Value> emitDotSums(Value row, Value n, Value kSize);
  void storeOut(Value vector, ValueRange place, Value mask);
  void accumulate(Value sum, ValueRange place, Value mask);
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
    // A missing dimension, and a single element taken for a contiguous
    // dimension, never use their stride.
    bool isUsed = operand.dims[dim] && !(dim == view.inner && view.contiguous);
    strides.push_back(isUsed ? buffer.strides[*operand.dims[dim]]
                             : OpFoldResult(b.getIndexAttr(1)));
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
  lhs = makeView(c.lhs, *lhsBuffer, plan.lhsInner(c), 0, ivs);
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
      if (plan.packRhs && !plan.packsRhsByPanel(c)) {
        packRhs(b, c, plan, rhs, rhsScratch, {kSize, nSize});
      }
      emitBlocks(b, c.m(), plan.mBlock, [&](Value mOffset, Value mSize) {
        lhs.origin = {mOffset, kOffset};
        if (plan.packLhs && !plan.packsLhsByRows(c)) {
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

/// The register blocks of one cache block.
void ContractionEmitter::emitBlock(Value kSize, Value nSize, Value mOffset,
                                   Value mSize) {
  if (plan.rowDots) {
    emitRowDots(kSize);
    return;
  }
  if (plan.rowsOutside) {
    emitRowBlocks(mOffset, mSize, [&](int64_t rows, Value row) {
      packRows(rows, row, kSize);
      emitPanels(nSize, [&](Value n, ArrayRef<Value> masks) {
        emitPanel(rows, row, n, kSize, masks);
      });
    });
    return;
  }
  emitPanels(nSize, [&](Value n, ArrayRef<Value> masks) {
    packPanel(n, nSize, kSize);
    emitRowBlocks(mOffset, mSize, [&](int64_t rows, Value row) {
      emitPanel(rows, row, n, kSize, masks);
    });
  });
}

/// Calls `body` for each panel of rhs with its first column and the masks of
/// its vectors, null if none is needed.
void ContractionEmitter::emitPanels(
    Value nSize, function_ref<void(Value, ArrayRef<Value>)> body) {
  bool ragged = c.n() % plan.panel() != 0;
  emitLoop(b, zero, nSize, plan.panel(), [&](Value n) {
    SmallVector<Value> masks(plan.vectors);
    for (int64_t v = 0; ragged && v < plan.vectors; ++v) {
      Value col = addIndex(b, addIndex(b, rhs.origin[1], n), v * plan.lanes);
      masks[v] = edgeMask(b, plan.lanes, c.n(), col);
    }
    body(n, masks);
  });
}

/// Calls `body` for each register block's rows. Rows that do not fill one get a
/// smaller one of their own at the end of the last block.
void ContractionEmitter::emitRowBlocks(
    Value mOffset, Value mSize, function_ref<void(int64_t, Value)> body) {
  if (c.m() == plan.rows) {
    body(plan.rows, zero);
    return;
  }
  int64_t tail = c.m() % plan.rows;
  bool blocked = c.m() > plan.mBlock;
  Value full = mSize;
  if (tail != 0) {
    Value left = subIndex(b, indexConstant(b, c.m() - tail), mOffset);
    full = blocked ? b.createOrFold<arith::MinUIOp>(mSize, left) : left;
  }
  emitLoop(b, zero, full, plan.rows, [&](Value row) { body(plan.rows, row); });
  if (tail == 0) {
    return;
  }
  if (!blocked) {
    body(tail, full);
    return;
  }
  Value hasTail =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, full, mSize);
  auto branch = scf::IfOp::create(b, hasTail, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body(tail, full);
}

/// Packs the rows of one register block, if rows are packed so.
void ContractionEmitter::packRows(int64_t rows, Value row, Value kSize) {
  if (!plan.packsLhsByRows(c)) {
    return;
  }
  MatrixView source = lhs;
  source.origin[0] = addIndex(b, lhs.origin[0], row);
  packLhs(b, c, plan, source, lhsScratch, {indexConstant(b, rows), kSize});
}

/// Packs one panel of rhs, if it is packed panel by panel.
void ContractionEmitter::packPanel(Value n, Value nSize, Value kSize) {
  if (!plan.packsRhsByPanel(c)) {
    return;
  }
  MatrixView source = rhs;
  source.origin[1] = addIndex(b, rhs.origin[1], n);
  Value columns = indexConstant(b, plan.panel());
  if (c.n() % plan.panel() != 0) {
    columns = b.createOrFold<arith::MinUIOp>(columns, subIndex(b, nSize, n));
  }
  packRhs(b, c, plan, source, rhsScratch, {kSize, columns});
}

/// Prefetches a share of what will be packed next, while the register block at
/// (row, n) is computed: packing reads short rows of many pages, which hardware
/// prefetchers do not follow.
void ContractionEmitter::prefetchNext(int64_t rows, Value row, Value n) {
  Value panel =
      b.createOrFold<arith::DivUIOp>(n, indexConstant(b, plan.panel()));
  int64_t steps = std::min(plan.kBlock, c.k());
  if (plan.prefetchLhs && plan.packsLhsByRows(c) && rows == plan.rows) {
    prefetchShare(lhs, c.lhs, {addIndex(b, row, plan.rows), zero},
                  {plan.rows, steps}, panel,
                  llvm::divideCeil(c.n(), plan.panel()));
  }
  if (plan.prefetchRhs && plan.packsRhsByPanel(c)) {
    Value block =
        b.createOrFold<arith::DivUIOp>(row, indexConstant(b, plan.rows));
    prefetchShare(rhs, c.rhs, {zero, addIndex(b, n, plan.panel())},
                  {steps, plan.panel()}, block,
                  llvm::divideCeil(c.m(), plan.rows));
  }
}

/// Prefetches into L2 the `share`-th of `shares` parts of a block of `view`.
/// Positions past the matrix become its last row or column.
void ContractionEmitter::prefetchShare(const MatrixView &view,
                                       const MatrixOperand &operand,
                                       std::array<Value, 2> begin,
                                       std::array<int64_t, 2> size, Value share,
                                       int64_t shares) {
  unsigned inner = view.inner, outer = 1 - inner;
  int64_t lines = llvm::divideCeil(size[outer], shares);
  int64_t perLine = 64 * 8 / view.elementType().getIntOrFloatBitWidth();
  Value first =
      addIndex(b, begin[outer],
               b.createOrFold<arith::MulIOp>(share, indexConstant(b, lines)));
  emitLoop(b, zero, indexConstant(b, lines), 1, [&](Value i) {
    emitLoop(b, zero, indexConstant(b, size[inner]), perLine, [&](Value j) {
      std::array<Value, 2> place;
      place[outer] = addIndex(b, first, i);
      place[inner] = addIndex(b, begin[inner], j);
      SmallVector<Value, 2> indices = view.at(b, place[0], place[1]);
      for (auto [index, dim] :
           llvm::zip_equal(indices, std::array{outer, inner})) {
        Value last = indexConstant(b, operand.extents[dim] - 1);
        index = b.createOrFold<arith::MinUIOp>(index, last);
      }
      memref::PrefetchOp::create(b, view.memref, indices, /*isWrite=*/false,
                                 kPrefetchToL2, /*isDataCache=*/true);
    });
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
  prefetchNext(rows, row, n);
  SmallVector<Value> init;
  for (size_t i = 0; i < places.size(); ++i) {
    init.push_back(c.isExactInteger()
                       ? arith::ConstantOp::create(b, b.getZeroAttr(accVector))
                       : load(i));
  }
  SmallVector<Value> sums = emitReduction(rows, row, n, kSize, masks, init);
  for (size_t i = 0; i < places.size(); ++i) {
    Value mask = masks[i % plan.vectors];
    if (c.isExactInteger()) {
      accumulate(sums[i], places[i], mask);
    } else {
      storeOut(sums[i], places[i], mask);
    }
  }
}

void ContractionEmitter::storeOut(Value vector, ValueRange place, Value mask) {
  if (mask) {
    vector::MaskedStoreOp::create(b, out.memref, place, mask, vector);
  } else {
    vector::StoreOp::create(b, vector, out.memref, place);
  }
}

/// Adds a vector of sums to the result at `place`.
void ContractionEmitter::accumulate(Value sum, ValueRange place, Value mask) {
  Value old = loadVector(b, outVector, out.memref, place, mask);
  if (c.isExactInteger()) {
    sum = arith::FPToSIOp::create(b, outVector, sum);
    sum = arith::AddIOp::create(b, old, sum);
  } else {
    sum = arith::AddFOp::create(b, old, sum);
  }
  storeOut(sum, place, mask);
}

/// Dot products of each row of lhs with as many columns of rhs as a vector has
/// lanes. Their partial sums form a square; its transpose, added up, is a
/// vector of results.
void ContractionEmitter::emitRowDots(Value kSize) {
  emitLoop(b, zero, indexConstant(b, c.n()), plan.lanes, [&](Value n) {
    Value mask =
        c.n() % plan.lanes == 0 ? Value() : edgeMask(b, plan.lanes, c.n(), n);
    emitLoop(b, zero, indexConstant(b, c.m()), 1, [&](Value row) {
      SmallVector<Value> sums = emitDotSums(row, n, kSize);
      transposeSquare(b, sums);
      for (int64_t left = plan.lanes / 2; left > 0; left /= 2) {
        for (int64_t i = 0; i < left; ++i) {
          sums[i] = arith::AddFOp::create(b, sums[i], sums[i + left]);
        }
      }
      accumulate(sums[0], out.at(b, row, n), mask);
    });
  });
}

/// The loop over k of `emitRowDots`. Columns past the edge repeat the last.
SmallVector<Value> ContractionEmitter::emitDotSums(Value row, Value n,
                                                   Value kSize) {
  auto lhsType = VectorType::get({plan.lanes}, lhsBlock.elementType());
  auto rhsType = VectorType::get({plan.lanes}, rhs.elementType());
  Value none = arith::ConstantOp::create(b, b.getZeroAttr(accVector));
  auto loop = scf::ForOp::create(b, zero, kSize, indexConstant(b, plan.lanes),
                                 SmallVector<Value>(plan.lanes, none));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value k = loop.getInductionVar();
  Value mask;
  if (c.k() % plan.lanes != 0) {
    mask = edgeMask(b, plan.lanes, c.k(), addIndex(b, rhs.origin[0], k));
  }
  Value x =
      loadVector(b, lhsType, lhsBlock.memref, lhsBlock.at(b, row, k), mask);
  x = convertElements(b, x, c.computeType, lhsBlock.isUnsigned);
  SmallVector<Value> sums(loop.getRegionIterArgs());
  Value last = indexConstant(b, c.n() - 1);
  for (int64_t i = 0; i < plan.lanes; ++i) {
    Value column = addIndex(b, n, i);
    if (c.n() % plan.lanes != 0) {
      column = b.createOrFold<arith::MinUIOp>(column, last);
    }
    Value y = loadVector(b, rhsType, rhs.memref, rhs.at(b, k, column), mask);
    y = convertElements(b, y, c.computeType, rhs.isUnsigned);
    sums[i] = vector::FMAOp::create(b, x, y, sums[i]);
  }
  scf::YieldOp::create(b, sums);
  return SmallVector<Value>(loop.getResults());
}

/// The loop over k: each step adds an outer product to the accumulators.
SmallVector<Value> ContractionEmitter::emitReduction(int64_t rows, Value row,
                                                     Value n, Value kSize,
                                                     ArrayRef<Value> masks,
                                                     ArrayRef<Value> init) {
  SmallVector<Value> lhsRows;
  for (int64_t i = 0; i < rows; ++i) {
    lhsRows.push_back(addIndex(b, plan.packsLhsByRows(c) ? zero : row, i));
  }
  Value panel;
  if (plan.packsRhsByPanel(c)) {
    panel = zero;
  } else if (plan.packRhs) {
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
