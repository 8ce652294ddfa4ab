// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts and code of matrix products. Where operands and results lie is from
// AMD's ISA documents: "AMD Instinct MI300" and "CDNA4", chapter "Matrix
// Arithmetic Instructions" (MFMA), "RDNA3" 7.9 and "RDNA4" 7.9 (WMMA).
//
// Only the 16x16 shapes are used. On CDNA the 32x32 ones are as fast, draw more
// power, and divide tiles more coarsely.

#include "passes/targets/rocm/MatrixInstructions.h"
#include "passes/analysis/AccessFacts.h"
#include "passes/lower/DotLoads.h"
#include "passes/lower/LayoutTransfer.h"
#include "passes/lower/ThreadEmitter.h"
#include "passes/targets/rocm/Rocdl.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using tegula::layout::Dim;
using tegula::layout::LinearLayout;

namespace tegula::rocm {
namespace {

constexpr int64_t kRows = 16, kColumns = 16;
constexpr unsigned kSideBits = 4;
constexpr int64_t kAccessBits = 128;

/// The fastest first among those of one element type and generation.
constexpr MatrixInstruction kInstructions[] = {
    // CDNA4.
    {Matrix::MfmaGfx950, true, Element::F16, "mfma.f32.16x16x32.f16", 32, 8,
     ResultRows::RegistersLow},
    {Matrix::MfmaGfx950, true, Element::BF16, "mfma.f32.16x16x32.bf16", 32, 8,
     ResultRows::RegistersLow},
    {Matrix::MfmaGfx950, true, Element::I8, "mfma.i32.16x16x64.i8", 64, 16,
     ResultRows::RegistersLow},
    {Matrix::MfmaGfx950, true, Element::F8, "mfma.scale.f32.16x16x128.f8f6f4",
     128, 32, ResultRows::RegistersLow},
    {Matrix::MfmaGfx950, true, Element::F8, "mfma.f32.16x16x32", 32, 8,
     ResultRows::RegistersLow},
    // CDNA3.
    {Matrix::MfmaGfx942, true, Element::I8, "mfma.i32.16x16x32.i8", 32, 8,
     ResultRows::RegistersLow},
    // CDNA2.
    {Matrix::MfmaGfx90a, true, Element::F16, "mfma.f32.16x16x16f16", 16, 4,
     ResultRows::RegistersLow},
    {Matrix::MfmaGfx90a, true, Element::BF16, "mfma.f32.16x16x16bf16.1k", 16, 4,
     ResultRows::RegistersLow},
    {Matrix::MfmaGfx90a, true, Element::F32, "mfma.f32.16x16x4f32", 4, 1,
     ResultRows::RegistersLow},
    {Matrix::MfmaGfx90a, true, Element::F64, "mfma.f64.16x16x4f64", 4, 1,
     ResultRows::LanesLow},
    {Matrix::MfmaGfx90a, false, Element::I8, "mfma.i32.16x16x16i8", 16, 4,
     ResultRows::RegistersLow},
    // RDNA4.
    {Matrix::WmmaGfx12, true, Element::F16, "wmma.f32.16x16x16.f16", 16, 8,
     ResultRows::RegistersLow},
    {Matrix::WmmaGfx12, true, Element::BF16, "wmma.f32.16x16x16.bf16", 16, 8,
     ResultRows::RegistersLow},
    {Matrix::WmmaGfx12, true, Element::I8, "wmma.i32.16x16x16.iu8", 16, 8,
     ResultRows::RegistersLow},
    {Matrix::WmmaGfx12, true, Element::F8, "wmma.f32.16x16x16", 16, 8,
     ResultRows::RegistersLow},
    // RDNA3.
    {Matrix::WmmaGfx11, false, Element::F16, "wmma.f32.16x16x16.f16", 16, 16,
     ResultRows::LanesLow},
    {Matrix::WmmaGfx11, false, Element::BF16, "wmma.f32.16x16x16.bf16", 16, 16,
     ResultRows::LanesLow},
    {Matrix::WmmaGfx11, false, Element::I8, "wmma.i32.16x16x16.iu8", 16, 16,
     ResultRows::LanesLow},
};

bool isF8(Type type) { return isa<Float8E4M3FNType, Float8E5M2Type>(type); }

std::optional<Element> getElement(Type type) {
  if (type.isF16()) {
    return Element::F16;
  }
  if (type.isBF16()) {
    return Element::BF16;
  }
  if (type.isF32()) {
    return Element::F32;
  }
  if (type.isF64()) {
    return Element::F64;
  }
  if (type.isInteger(8)) {
    return Element::I8;
  }
  return isF8(type) ? std::optional(Element::F8) : std::nullopt;
}

bool has(const Chip &chip, const MatrixInstruction &instruction) {
  bool isFamily = chip.hasMfma() == (instruction.since <= Matrix::MfmaGfx950);
  return instruction.since == chip.matrix ||
         (isFamily && instruction.stays && instruction.since <= chip.matrix);
}

const MatrixInstruction *findInstruction(const Chip &chip, Element element,
                                         int64_t k) {
  const MatrixInstruction *found =
      llvm::find_if(kInstructions, [&](const MatrixInstruction &candidate) {
        return has(chip, candidate) && candidate.element == element &&
               candidate.k <= k;
      });
  return found == std::end(kInstructions) ? nullptr : found;
}

unsigned bitsOf(int64_t extent) { return llvm::Log2_64(extent); }

/// The basis of bit `bit` along `axis`, zero past the extent: rows that a small
/// tile lacks are copies of those it has.
LinearLayout::Basis getBasis(ArrayRef<int64_t> shape, unsigned axis,
                             unsigned bit) {
  LinearLayout::Basis basis(shape.size(), 0);
  if (bit < bitsOf(shape[axis])) {
    basis[axis] = 1 << bit;
  }
  return basis;
}

SmallVector<LinearLayout::Basis, 4> &get(LinearLayout::Bases &bases, Dim dim) {
  return bases[static_cast<unsigned>(dim)];
}

Value slice(OpBuilder &builder, Location loc, Value vector, int64_t offset,
            int64_t size) {
  return vector::ExtractStridedSliceOp::create(builder, loc, vector, offset,
                                               size, 1);
}

} // namespace

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

/// The product that `dot`'s left side is computed from, or null.
static tile::DotOp getProductBefore(tile::DotOp dot) {
  constexpr size_t kMost = 256;
  llvm::SetVector<Value> from;
  from.insert(dot.getA());
  for (size_t next = 0; next < from.size() && from.size() < kMost; ++next) {
    Operation *op = from[next].getDefiningOp();
    if (!op || isa<tile::LoadOp>(op)) {
      continue;
    }
    if (auto product = dyn_cast<tile::DotOp>(op)) {
      return product;
    }
    from.insert_range(op->getOperands());
    // What an operation with regions gives, its regions yield.
    for (Region &region : op->getRegions()) {
      if (!region.empty()) {
        from.insert_range(region.front().getTerminator()->getOperands());
      }
    }
  }
  return tile::DotOp();
}

Chain getChain(tile::DotOp dot) {
  if (getProductBefore(dot)) {
    return Chain::End;
  }
  auto kernel = dot->getParentOfType<FunctionOpInterface>();
  if (!kernel) {
    return Chain::None;
  }
  WalkResult found = kernel->walk([&](tile::DotOp other) {
    return getProductBefore(other) == dot ? WalkResult::interrupt()
                                          : WalkResult::advance();
  });
  return found.wasInterrupted() ? Chain::Start : Chain::None;
}

/// The instruction for `dot`, or null.
static const MatrixInstruction *choose(const Chip &chip, tile::DotOp dot) {
  auto typeA = cast<RankedTensorType>(dot.getA().getType());
  auto typeB = cast<RankedTensorType>(dot.getB().getType());
  std::optional<Element> element = getElement(typeA.getElementType());
  std::optional<Element> other = getElement(typeB.getElementType());
  if (!element || element != other) {
    return nullptr;
  }
  for (RankedTensorType type : {typeA, typeB}) {
    if (!llvm::all_of(type.getShape(), llvm::isPowerOf2_64)) {
      return nullptr;
    }
  }
  if (element == Element::I8 && chip.hasMfma() &&
      (dot.getAUnsigned() || dot.getBUnsigned())) {
    return nullptr; // MFMA's bytes are signed.
  }
  int64_t k = typeA.getShape().back();
  const MatrixInstruction *chosen = findInstruction(chip, *element, k);
  if (!chosen && element == Element::F8) {
    // Every fp8 number is one of fp16. (The fp8 of gfx942 is not OCP's: it has
    // another bias, one zero and other NaNs.)
    chosen = findInstruction(chip, Element::F16, k);
  }
  return chosen;
}

std::optional<DotPlan> DotPlan::create(const Chip &chip, tile::DotOp dot,
                                       int64_t numWarps, Chain chain) {
  const MatrixInstruction *chosen = choose(chip, dot);
  if (!chosen) {
    return std::nullopt;
  }
  DotPlan plan(chip, dot, *chosen, chain);
  plan.divideAmongWarps(numWarps, chain);
  plan.interleaved = plan.getInterleaving(dot, numWarps, chain);
  return plan;
}

std::optional<DotPlan> DotPlan::find(const Chip &chip, tile::DotOp dot,
                                     const lower::DotLayouts &layouts) {
  const MatrixInstruction *chosen = choose(chip, dot);
  int64_t numWarps = int64_t(1) << layouts.acc.inBits(Dim::Warp);
  for (Chain chain : {Chain::None, Chain::Start, Chain::End}) {
    if (!chosen) {
      break;
    }
    DotPlan plan(chip, dot, *chosen, chain);
    plan.divideAmongWarps(numWarps, chain);
    unsigned most = plan.getColumnRepeatBits();
    for (; plan.interleaved <= most; ++plan.interleaved) {
      lower::DotLayouts known = plan.getLayouts();
      if (known.a == layouts.a && known.b == layouts.b &&
          known.acc == layouts.acc) {
        return plan;
      }
    }
  }
  return std::nullopt;
}

DotPlan::DotPlan(const Chip &chip, tile::DotOp dot,
                 const MatrixInstruction &chosen, Chain chain)
    : chip(chip), instruction(chosen), aUnsigned(dot.getAUnsigned()),
      bUnsigned(dot.getBUnsigned()),
      rank(cast<RankedTensorType>(dot.getA().getType()).getRank()) {
  auto typeA = cast<RankedTensorType>(dot.getA().getType());
  auto typeB = cast<RankedTensorType>(dot.getB().getType());
  elementA = typeA.getElementType();
  elementB = typeB.getElementType();
  batch = rank == 3 ? typeA.getShape().front() : 1;
  m = typeA.getShape().drop_back().back();
  k = typeA.getShape().back();
  n = typeB.getShape().back();
  // In which order the depth is summed up is free as long as both operands have
  // the same.
  int64_t groups = instruction.k / instruction.kPerLane;
  int64_t columns = instruction.rows == ResultRows::LanesLow
                        ? instruction.kPerLane
                        : kRows * kColumns / chip.lanes;
  int64_t access = kAccessBits / elementA.getIntOrFloatBitWidth();
  kVector = std::min(chain == Chain::End ? columns : std::max(columns, access),
                     k / groups);
}

/// Warps go to whole matrices of a batch first; then each halving goes to the
/// side that is longer, so that warps read little of the other operand. In a
/// chain it goes to the rows: a warp's rows of one result are all that it needs
/// of the next product's left side.
void DotPlan::divideAmongWarps(int64_t numWarps, Chain chain) {
  int64_t restBatch = batch, restM = m, restN = n;
  for (unsigned bit = 0; bit < bitsOf(numWarps); ++bit) {
    if (restBatch > 1) {
      restBatch /= 2;
      ++warpsBatch;
    } else if (restM > kRows && (restM >= restN || chain != Chain::None)) {
      restM /= 2;
      ++warpsM;
    } else if (restN > kColumns) {
      restN /= 2;
      ++warpsN;
    } else if (restM > kRows) {
      restM /= 2;
      ++warpsM;
    } else {
      ++warpsIdle;
    }
  }
}

/// The load that a dot's right side comes from, and the dimension of its tile
/// that is the dot's columns; nothing if `columns`, a layout of the right side
/// whose first lanes are neighbouring columns, cannot be followed there.
static std::optional<std::pair<tile::LoadOp, unsigned>>
getColumnsInMemory(tile::DotOp dot, LinearLayout columns) {
  Operation *op = dot.getB().getDefiningOp();
  while (op && lower::isPassThrough(op)) {
    std::optional<LinearLayout> before =
        lower::inferOperandLayout(op, 0, columns);
    if (!before) {
      return std::nullopt;
    }
    columns = *before;
    op = op->getOperand(0).getDefiningOp();
  }
  auto load = dyn_cast_or_null<tile::LoadOp>(op);
  if (!load) {
    return std::nullopt;
  }
  ArrayRef<int32_t> step = columns.bases(Dim::Lane).front();
  auto along = llvm::find_if(step, [](int32_t size) { return size != 0; });
  if (along == step.end()) {
    return std::nullopt;
  }
  return std::pair(load, static_cast<unsigned>(along - step.begin()));
}

/// Where rows of b lie side by side in memory, a thread that carries it to
/// shared memory has a few rows and many columns, and transposes them. Its
/// accesses are wide nevertheless if readers have neighbouring columns too.
unsigned DotPlan::getInterleaving(tile::DotOp dot, int64_t numWarps,
                                  Chain chain) const {
  // A first product's columns are the next one's depth, which is laid out
  // already.
  if (chain == Chain::Start || !chip.hasMfma() || chip.hasTransposedReads()) {
    return 0;
  }
  auto source = getColumnsInMemory(dot, getOperandLayout(false));
  if (!source || analysis::getAccessFacts(source->first).unitDim !=
                     std::optional(source->second)) {
    return 0;
  }
  int64_t access = kAccessBits / elementB.getIntOrFloatBitWidth();
  int64_t rows = batch * k * n / (chip.lanes * numWarps) / access;
  // An instruction's operand has to be in registers side by side, but for what
  // is converted element by element.
  bool isConverted = isF8(elementB) && instruction.element == Element::F16;
  if (rows < (isConverted ? 1 : instruction.kPerLane) || rows >= access) {
    return 0;
  }
  return std::min(bitsOf(access / rows), getColumnRepeatBits());
}

unsigned DotPlan::getColumnRepeatBits() const {
  return bitsOf(n) - std::min(bitsOf(n), kSideBits + warpsN);
}

unsigned DotPlan::getColumnBit(unsigned bit) const {
  unsigned repeats = kSideBits + warpsN;
  if (bit < repeats) {
    return bit + interleaved;
  }
  return bit < repeats + interleaved ? bit - repeats : bit;
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

lower::DotLayouts DotPlan::getLayouts() const {
  return {getOperandLayout(true), getOperandLayout(false), getResultLayout()};
}

/// Registers hold consecutive k, then further k, then further rows (of a) or
/// columns (of b), then further matrices of the batch.
LinearLayout DotPlan::getOperandLayout(bool isA) const {
  SmallVector<int64_t> shape = isA ? SmallVector<int64_t>{batch, m, k}
                                   : SmallVector<int64_t>{batch, k, n};
  shape.erase(shape.begin(), shape.end() - rank);
  unsigned sideAxis = isA ? rank - 2 : rank - 1;
  unsigned kAxis = isA ? rank - 1 : rank - 2;
  unsigned sideWarps = isA ? warpsM : warpsN;
  unsigned vectorBits = bitsOf(kVector);
  unsigned groupBits = bitsOf(instruction.k / instruction.kPerLane);

  LinearLayout::Bases bases;
  auto add = [&](Dim dim, unsigned axis, unsigned from, unsigned to) {
    for (unsigned bit = from; bit < to; ++bit) {
      bool isColumn = !isA && axis == sideAxis;
      get(bases, dim)
          .push_back(getBasis(shape, axis, isColumn ? getColumnBit(bit) : bit));
    }
  };
  auto addCopies = [&](Dim dim, unsigned count) {
    get(bases, dim).append(count, LinearLayout::Basis(rank, 0));
  };
  add(Dim::Register, kAxis, 0, vectorBits);
  add(Dim::Register, kAxis, vectorBits + groupBits, bitsOf(k));
  add(Dim::Register, sideAxis, kSideBits + sideWarps, bitsOf(isA ? m : n));
  add(Dim::Register, 0, warpsBatch, bitsOf(batch));
  add(Dim::Lane, sideAxis, 0, kSideBits);
  add(Dim::Lane, kAxis, vectorBits, vectorBits + groupBits);
  addCopies(Dim::Lane, bitsOf(chip.lanes) - kSideBits - groupBits);
  add(Dim::Warp, 0, 0, warpsBatch);
  addCopies(Dim::Warp, isA ? 0 : warpsM);
  add(Dim::Warp, sideAxis, kSideBits, kSideBits + sideWarps);
  addCopies(Dim::Warp, (isA ? warpsN : 0) + warpsIdle);
  return *LinearLayout::create(bases, shape);
}

/// Registers hold what one instruction makes, then further columns, rows and
/// matrices of the batch. An instruction computes the product transposed, from
/// b and a: a lane then has consecutive columns of one row, as memory has.
LinearLayout DotPlan::getResultLayout() const {
  SmallVector<int64_t> shape = {batch, m, n};
  shape.erase(shape.begin(), shape.end() - rank);
  unsigned rowAxis = rank - 2, columnAxis = rank - 1;
  unsigned registerBits = 2 * kSideBits - bitsOf(chip.lanes);
  bool lanesLow = instruction.rows == ResultRows::LanesLow;
  unsigned split = lanesLow ? kSideBits - registerBits : registerBits;

  LinearLayout::Bases bases;
  auto add = [&](Dim dim, unsigned axis, unsigned from, unsigned to) {
    for (unsigned bit = from; bit < to; ++bit) {
      get(bases, dim)
          .push_back(getBasis(shape, axis,
                              axis == columnAxis ? getColumnBit(bit) : bit));
    }
  };
  add(Dim::Register, columnAxis, lanesLow ? split : 0,
      lanesLow ? kSideBits : split);
  add(Dim::Register, columnAxis, kSideBits + warpsN, bitsOf(n));
  add(Dim::Register, rowAxis, kSideBits + warpsM, bitsOf(m));
  add(Dim::Register, 0, warpsBatch, bitsOf(batch));
  add(Dim::Lane, rowAxis, 0, kSideBits);
  add(Dim::Lane, columnAxis, lanesLow ? 0 : split,
      lanesLow ? split : kSideBits);
  add(Dim::Warp, 0, 0, warpsBatch);
  add(Dim::Warp, rowAxis, kSideBits, kSideBits + warpsM);
  add(Dim::Warp, columnAxis, kSideBits, kSideBits + warpsN);
  get(bases, Dim::Warp).append(warpsIdle, LinearLayout::Basis(rank, 0));
  return *LinearLayout::create(bases, shape);
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

int64_t DotPlan::getRowRepeats() const {
  return std::max<int64_t>(1, m >> (kSideBits + warpsM));
}

int64_t DotPlan::getColumnRepeats() const {
  return std::max<int64_t>(1, n >> (kSideBits + warpsN));
}

/// An operand in elements that instructions take: bytes for fp8, or fp16 where
/// there is no instruction for fp8.
Value DotPlan::prepareOperand(OpBuilder &builder, Location loc,
                              Value operand) const {
  auto type = cast<VectorType>(operand.getType());
  if (!isF8(type.getElementType())) {
    return operand;
  }
  if (instruction.element == Element::F16) {
    return arith::ExtFOp::create(builder, loc, type.clone(builder.getF16Type()),
                                 operand);
  }
  return arith::BitcastOp::create(builder, loc, type.clone(builder.getI8Type()),
                                  operand);
}

/// One instruction's operand in the type that its intrinsic wants.
Value DotPlan::packOperand(OpBuilder &builder, Location loc,
                           Value elements) const {
  auto type = cast<VectorType>(elements.getType());
  int64_t bits = type.getNumElements() * type.getElementTypeBitWidth();
  switch (instruction.element) {
  case Element::F32:
  case Element::F64:
    return vector::ExtractOp::create(builder, loc, elements, 0);
  case Element::I8:
  case Element::F8: {
    Type packed = VectorType::get(bits / 32, builder.getI32Type());
    if (chip.hasMfma() && bits <= 64) {
      packed = builder.getIntegerType(bits);
    }
    return LLVM::BitcastOp::create(builder, loc, packed, elements);
  }
  case Element::BF16:
    // Older intrinsics take bf16 as integers.
    if (chip.hasMfma() && instruction.since == Matrix::MfmaGfx950) {
      return elements;
    }
    return LLVM::BitcastOp::create(builder, loc,
                                   type.clone(builder.getI16Type()), elements);
  case Element::F16:
    return elements;
  }
  llvm_unreachable("all elements are handled");
}

Value DotPlan::emitInstruction(OpBuilder &builder, Location loc, Value a,
                               Value b, Value acc) const {
  auto constant = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(builder, loc,
                                    builder.getI32IntegerAttr(value));
  };
  bool isF8Pair = instruction.element == Element::F8;
  bool isMixed = instruction.name.ends_with("f8f6f4");
  auto f8Name = [](Type type) {
    return isa<Float8E5M2Type>(type) ? "bf8" : "fp8";
  };
  std::string name = instruction.name.str();
  if (isF8Pair && !isMixed) {
    name += std::string(".") + f8Name(elementB) + (chip.hasMfma() ? "." : "_") +
            f8Name(elementA);
  }
  SmallVector<Value> operands = {b, a, acc};
  SmallVector<NamedAttribute> attributes;
  auto addFlag = [&](StringRef flag, bool value) {
    attributes.push_back(
        builder.getNamedAttr(flag, builder.getBoolAttr(value)));
  };
  if (isMixed) {
    // Formats of b and a, then selector and value of their scales: none.
    operands.append({constant(isa<Float8E5M2Type>(elementB)),
                     constant(isa<Float8E5M2Type>(elementA)), constant(0),
                     constant(0), constant(0), constant(0)});
  } else if (chip.hasMfma()) {
    // No broadcasts and no permutation.
    operands.append({constant(0), constant(0), constant(0)});
  } else if (instruction.element == Element::I8) {
    addFlag("signA", !bUnsigned);
    addFlag("signB", !aUnsigned);
    addFlag("clamp", false);
  }
  return createRocdl(builder, loc, name, acc.getType(), operands, attributes)
      ->getResult(0);
}

/// The innermost loops go over independent results, so that no instruction
/// waits for the one before it.
Value DotPlan::emit(OpBuilder &builder, Location loc, Value a, Value b,
                    Value acc) const {
  int64_t rows = getRowRepeats(), columns = getColumnRepeats();
  int64_t perLane = kRows * kColumns / chip.lanes;
  int64_t kRegisters = k / (instruction.k / instruction.kPerLane);
  int64_t batches = batch >> warpsBatch;
  // Element by element, so that an operand depends on what it holds alone.
  SmallVector<Value> fromA = lower::ThreadEmitter::unpack(builder, loc, a);
  SmallVector<Value> fromB = lower::ThreadEmitter::unpack(builder, loc, b);
  auto operand = [&](ArrayRef<Value> from, int64_t side, int64_t step) {
    ArrayRef<Value> held =
        from.slice(side * kRegisters + step, instruction.kPerLane);
    Value packed =
        lower::ThreadEmitter::pack(builder, loc, held, held.front().getType());
    return packOperand(builder, loc, prepareOperand(builder, loc, packed));
  };
  Value result = acc;
  for (int64_t matrix = 0; matrix < batches; ++matrix) {
    SmallVector<Value> sums;
    int64_t first = matrix * rows * columns;
    for (int64_t tile = 0; tile < rows * columns; ++tile) {
      sums.push_back(
          slice(builder, loc, acc, (first + tile) * perLane, perLane));
    }
    for (int64_t step = 0; step < kRegisters; step += instruction.kPerLane) {
      SmallVector<Value> right;
      for (int64_t column = 0; column < columns; ++column) {
        right.push_back(operand(fromB, matrix * columns + column, step));
      }
      for (int64_t row = 0; row < rows; ++row) {
        Value left = operand(fromA, matrix * rows + row, step);
        for (int64_t column = 0; column < columns; ++column) {
          Value &sum = sums[row * columns + column];
          sum = emitInstruction(builder, loc, left, right[column], sum);
        }
      }
    }
    for (auto [tile, sum] : llvm::enumerate(sums)) {
      result = vector::InsertStridedSliceOp::create(
          builder, loc, sum, result,
          static_cast<int64_t>(first + tile) * perLane, int64_t(1));
    }
  }
  return result;
}

} // namespace tegula::rocm
