// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packing of contraction operands into contiguous scratch, converted to the
// element type of the products. Strided tiles of a large array compete for few
// cache sets and TLB entries; one pass over them here spares the inner loop
// both.

#include "passes/targets/cpu/ContractionEmit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tegula::cpu {

namespace {

constexpr int64_t kCacheLineBytes = 64;

Value allocate(ImplicitLocOpBuilder &b, ArrayRef<int64_t> shape, Type element) {
  return memref::AllocOp::create(b, MemRefType::get(shape, element),
                                 b.getI64IntegerAttr(kCacheLineBytes));
}

/// `columns` rounded up to whole panels.
Value paddedSize(ImplicitLocOpBuilder &b, const ContractionPlan &plan,
                 Value columns) {
  Value panelSize = indexConstant(b, plan.panel());
  Value panels = b.createOrFold<arith::DivUIOp>(
      addIndex(b, columns, plan.panel() - 1), panelSize);
  return b.createOrFold<arith::MulIOp>(panels, panelSize);
}

/// A half-open range of logical rows or columns of the block being packed.
struct Range {
  Value begin, end;
};

/// Lanes past an edge are masked only in types that every vector unit can mask.
bool isMaskable(Type type) { return type.getIntOrFloatBitWidth() >= 32; }

/// `size` rounded down to a multiple of `unit`.
Value roundDown(ImplicitLocOpBuilder &b, Value size, int64_t unit) {
  Value step = indexConstant(b, unit);
  return subIndex(b, size, b.createOrFold<arith::RemUIOp>(size, step));
}

/// Packs part of rhs element by element: where it has no contiguous dimension,
/// and narrow elements at an edge. Columns past the edge repeat the last one,
/// which is never stored.
void packRhsElements(ImplicitLocOpBuilder &b, const Contraction &c,
                     const ContractionPlan &plan, const MatrixView &source,
                     Value packed, Range rows, Range cols) {
  Value panelSize = indexConstant(b, plan.panel());
  Value last = indexConstant(b, c.n() - 1);
  emitLoop(b, rows.begin, rows.end, 1, [&](Value k) {
    emitLoop(b, cols.begin, cols.end, 1, [&](Value n) {
      SmallVector<Value, 2> indices = source.at(b, k, n);
      Value &col = indices[source.inner == 1 ? 1 : 0];
      col = b.createOrFold<arith::MinUIOp>(col, last);
      Value value = memref::LoadOp::create(b, source.memref, indices);
      value = convertElements(b, value, c.computeType, source.isUnsigned);
      Value panel = b.createOrFold<arith::DivUIOp>(n, panelSize);
      Value inPanel = b.createOrFold<arith::RemUIOp>(n, panelSize);
      memref::StoreOp::create(b, value, packed, ValueRange{panel, k, inPanel});
    });
  });
}

/// rhs with contiguous rows: whole rows of the source are read, panel by panel.
void packRhsRows(ImplicitLocOpBuilder &b, const Contraction &c,
                 const ContractionPlan &plan, const MatrixView &source,
                 Value packed, std::array<Value, 2> size) {
  auto loaded = VectorType::get({plan.lanes}, source.elementType());
  Value zero = indexConstant(b, 0);
  Value panelSize = indexConstant(b, plan.panel());
  bool ragged = c.n() % plan.panel() != 0;
  bool masked = ragged && isMaskable(source.elementType());
  Value end = size[1];
  if (ragged && !masked) {
    end = roundDown(b, size[1], plan.panel());
    packRhsElements(b, c, plan, source, packed, {zero, size[0]},
                    {end, paddedSize(b, plan, size[1])});
  }
  emitLoop(b, zero, size[0], 1, [&](Value k) {
    emitLoop(b, zero, end, plan.panel(), [&](Value n) {
      Value panel = b.createOrFold<arith::DivUIOp>(n, panelSize);
      for (int64_t v = 0; v < plan.vectors; ++v) {
        Value col = addIndex(b, n, v * plan.lanes);
        SmallVector<Value, 2> indices = source.at(b, k, col);
        Value mask =
            masked ? edgeMask(b, plan.lanes, c.n(), indices[1]) : Value();
        Value value = loadVector(b, loaded, source.memref, indices, mask);
        value = convertElements(b, value, c.computeType, source.isUnsigned);
        vector::StoreOp::create(
            b, value, packed,
            ValueRange{panel, k, indexConstant(b, v * plan.lanes)});
      }
    });
  });
}

/// rhs with contiguous columns: squares of lanes x lanes are transposed in
/// registers. Columns past the edge repeat the last one.
void packRhsColumns(ImplicitLocOpBuilder &b, const Contraction &c,
                    const ContractionPlan &plan, const MatrixView &source,
                    Value packed, std::array<Value, 2> size) {
  auto loaded = VectorType::get({plan.lanes}, source.elementType());
  Value zero = indexConstant(b, 0);
  Value panelSize = indexConstant(b, plan.panel());
  Value last = indexConstant(b, c.n() - 1);
  Value edge = paddedSize(b, plan, size[1]);
  bool ragged = c.k() % plan.lanes != 0;
  bool masked = ragged && isMaskable(source.elementType());
  Value end = size[0];
  if (ragged && !masked) {
    end = roundDown(b, size[0], plan.lanes);
    packRhsElements(b, c, plan, source, packed, {end, size[0]}, {zero, edge});
  }
  emitLoop(b, zero, edge, plan.lanes, [&](Value n) {
    Value panel = b.createOrFold<arith::DivUIOp>(n, panelSize);
    Value inPanel = b.createOrFold<arith::RemUIOp>(n, panelSize);
    emitLoop(b, zero, end, plan.lanes, [&](Value k) {
      Value row = addIndex(b, source.origin[0], k);
      Value mask = masked ? edgeMask(b, plan.lanes, c.k(), row) : Value();
      SmallVector<Value> square;
      for (int64_t i = 0; i < plan.lanes; ++i) {
        SmallVector<Value, 2> indices = source.at(b, k, addIndex(b, n, i));
        if (c.n() % plan.panel() != 0) {
          indices[0] = b.createOrFold<arith::MinUIOp>(indices[0], last);
        }
        Value value = loadVector(b, loaded, source.memref, indices, mask);
        square.push_back(
            convertElements(b, value, c.computeType, source.isUnsigned));
      }
      transposeSquare(b, square);
      for (int64_t i = 0; i < plan.lanes; ++i) {
        vector::StoreOp::create(b, square[i], packed,
                                ValueRange{panel, addIndex(b, k, i), inPanel});
      }
    });
  });
}

/// Copies columns `cols` (or rows, if those are contiguous) of lhs: `step`
/// elements at a time.
void packLhsRange(ImplicitLocOpBuilder &b, const Contraction &c,
                  const ContractionPlan &plan, const MatrixView &source,
                  const MatrixView &packed, Value outerSize, Range inner,
                  int64_t step, bool masked) {
  auto loaded = VectorType::get({plan.lanes}, source.elementType());
  emitLoop(b, indexConstant(b, 0), outerSize, 1, [&](Value outer) {
    emitLoop(b, inner.begin, inner.end, step, [&](Value i) {
      Value row = source.inner == 1 ? outer : i;
      Value col = source.inner == 1 ? i : outer;
      SmallVector<Value, 2> from = source.at(b, row, col);
      SmallVector<Value, 2> to = packed.at(b, row, col);
      if (step == 1) {
        Value value = memref::LoadOp::create(b, source.memref, from);
        value = convertElements(b, value, c.computeType, source.isUnsigned);
        memref::StoreOp::create(b, value, packed.memref, to);
        return;
      }
      int64_t extent = c.lhs.extents[source.inner];
      Value mask = masked ? edgeMask(b, plan.lanes, extent, from[1]) : Value();
      Value value = loadVector(b, loaded, source.memref, from, mask);
      value = convertElements(b, value, c.computeType, source.isUnsigned);
      vector::StoreOp::create(b, value, packed.memref, to);
    });
  });
}

} // namespace

void transposeSquare(ImplicitLocOpBuilder &b, MutableArrayRef<Value> rows) {
  int64_t lanes = rows.size();
  for (int64_t bit = 1; bit < lanes; bit *= 2) {
    SmallVector<int64_t> low(lanes), high(lanes);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      bool upper = lane & bit;
      low[lane] = upper ? lanes + lane - bit : lane;
      high[lane] = upper ? lanes + lane : lane + bit;
    }
    for (int64_t row = 0; row < lanes; ++row) {
      if (row & bit) {
        continue;
      }
      Value x = rows[row], y = rows[row + bit];
      rows[row] = vector::ShuffleOp::create(b, x, y, low);
      rows[row + bit] = vector::ShuffleOp::create(b, x, y, high);
    }
  }
}

MatrixView allocateLhs(ImplicitLocOpBuilder &b, const Contraction &c,
                       const ContractionPlan &plan) {
  MatrixView packed;
  packed.inner = plan.lhsInner(c).value_or(1);
  std::array<int64_t, 2> extents = {
      plan.packsLhsByRows(c) ? plan.rows : std::min(plan.mBlock, c.m()),
      std::min(plan.kBlock, c.k())};
  int64_t line = kCacheLineBytes * 8 / c.computeType.getIntOrFloatBitWidth();
  int64_t lines =
      llvm::divideCeil(llvm::alignTo(extents[packed.inner], plan.lanes), line);
  if (packed.inner == 0) {
    lines |= 1;
  }
  packed.memref =
      allocate(b, {extents[1 - packed.inner], lines * line}, c.computeType);
  packed.origin = {indexConstant(b, 0), indexConstant(b, 0)};
  return packed;
}

Value allocateRhs(ImplicitLocOpBuilder &b, const Contraction &c,
                  const ContractionPlan &plan) {
  int64_t columns = plan.packsRhsByPanel(c) ? 1 : std::min(plan.nBlock, c.n());
  int64_t panels = llvm::divideCeil(columns, plan.panel());
  int64_t steps = std::min(plan.kBlock, c.k());
  // Transposed squares are stored whole.
  steps = c.rhs.isUnit(1) ? steps : llvm::alignTo(steps, plan.lanes);
  return allocate(b, {panels, steps, plan.panel()}, c.computeType);
}

void packLhs(ImplicitLocOpBuilder &b, const Contraction &c,
             const ContractionPlan &plan, const MatrixView &source,
             const MatrixView &packed, std::array<Value, 2> size) {
  unsigned inner = source.inner;
  Range all{indexConstant(b, 0), size[inner]};
  Value outer = size[1 - inner];
  if (!source.contiguous) {
    packLhsRange(b, c, plan, source, packed, outer, all, 1, false);
    return;
  }
  int64_t extent = c.lhs.extents[inner];
  int64_t block = inner == 1 ? plan.kBlock : plan.mBlock;
  bool ragged =
      extent % plan.lanes != 0 || (block < extent && block % plan.lanes != 0);
  if (!ragged || isMaskable(source.elementType())) {
    packLhsRange(b, c, plan, source, packed, outer, all, plan.lanes, ragged);
    return;
  }
  Value middle = roundDown(b, all.end, plan.lanes);
  packLhsRange(b, c, plan, source, packed, outer, {all.begin, middle},
               plan.lanes, false);
  packLhsRange(b, c, plan, source, packed, outer, {middle, all.end}, 1, false);
}

void packRhs(ImplicitLocOpBuilder &b, const Contraction &c,
             const ContractionPlan &plan, const MatrixView &source,
             Value packed, std::array<Value, 2> size) {
  if (!source.contiguous) {
    Value zero = indexConstant(b, 0);
    packRhsElements(b, c, plan, source, packed, {zero, size[0]},
                    {zero, paddedSize(b, plan, size[1])});
    return;
  }
  if (source.inner == 1) {
    packRhsRows(b, c, plan, source, packed, size);
    return;
  }
  packRhsColumns(b, c, plan, source, packed, size);
}

} // namespace tegula::cpu
