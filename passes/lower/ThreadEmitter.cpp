// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ThreadEmitter.h. A coordinate is linear over F2 in the bits of the
// thread's number, so it is computed with masks and shifts: bits that move by
// the same distance go together.

#include "passes/lower/ThreadEmitter.h"

#include "passes/lower/ProgramOrder.h"
#include "passes/lower/ScratchBarriers.h"

#include "dialects/simt/Simt.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace mlir;

namespace tegula::lower {

using layout::Dim;
using layout::LinearLayout;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

const LinearLayout &getLayout(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return cast<layout::LinearAttr>(tensor.getEncoding()).getLayout();
}

Type getThreadType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor) {
    return type;
  }
  auto encoding = dyn_cast_or_null<layout::LinearAttr>(tensor.getEncoding());
  if (!encoding) {
    return Type();
  }
  return VectorType::get({encoding.getLayout().inSize(Dim::Register)},
                         tensor.getElementType());
}

Type getMemoryType(Type type) {
  Type element = getElementTypeOrSelf(type);
  bool isByte = element.isInteger(1) || (isa<FloatType>(element) &&
                                         element.getIntOrFloatBitWidth() == 8);
  if (!isByte) {
    return type;
  }
  Type byte = IntegerType::get(type.getContext(), 8);
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.clone(byte) : byte;
}

Value toMemory(OpBuilder &builder, Location loc, Value value) {
  Type type = getMemoryType(value.getType());
  if (type == value.getType()) {
    return value;
  }
  if (getElementTypeOrSelf(value.getType()).isInteger(1)) {
    return arith::ExtUIOp::create(builder, loc, type, value);
  }
  return arith::BitcastOp::create(builder, loc, type, value);
}

Value fromMemory(OpBuilder &builder, Location loc, Value value,
                 Type elementType) {
  Type type = value.getType();
  if (getElementTypeOrSelf(type) == elementType) {
    return value;
  }
  if (elementType.isInteger(1)) {
    // Any byte but zero is true.
    Value zero = arith::ConstantOp::create(builder, loc, type,
                                           builder.getZeroAttr(type));
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value,
                                 zero);
  }
  auto vector = dyn_cast<VectorType>(type);
  return arith::BitcastOp::create(
      builder, loc, vector ? vector.clone(elementType) : elementType, value);
}

//===----------------------------------------------------------------------===//
// Who a thread is
//===----------------------------------------------------------------------===//

/// Quotient and remainder, without the division, which takes long, if `number`
/// is the smaller one: it is where a grid has one layer or one band.
static std::pair<Value, Value> emitDivision(OpBuilder &builder, Location loc,
                                            Value number, Value divisor) {
  Value isSmaller = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ult, number, divisor);
  Type type = number.getType();
  auto branch = scf::IfOp::create(builder, loc, TypeRange{type, type},
                                  isSmaller, /*withElseRegion=*/true);
  OpBuilder smaller = branch.getThenBodyBuilder();
  Value zero = ThreadEmitter::getI32(smaller, loc, 0);
  scf::YieldOp::create(smaller, loc, ValueRange{zero, number});
  OpBuilder larger = branch.getElseBodyBuilder();
  Value quotient = arith::DivUIOp::create(larger, loc, number, divisor);
  Value rest = arith::RemUIOp::create(larger, loc, number, divisor);
  scf::YieldOp::create(larger, loc, ValueRange{quotient, rest});
  return {branch.getResult(0), branch.getResult(1)};
}

ThreadEmitter::ThreadEmitter(func::FuncOp kernel, const TargetInfo &target)
    : kernel(kernel), target(target),
      numWarps(kernel->getAttrOfType<IntegerAttr>(kNumWarpsAttr).getInt()) {
  if (auto bytes = kernel->getAttrOfType<IntegerAttr>(kSharedBytesAttr)) {
    persistentBytes = llvm::alignTo(bytes.getInt(), 128);
  }
  Block &entry = kernel.getBody().front();
  OpBuilder builder = OpBuilder::atBlockBegin(&entry);
  Location loc = kernel.getLoc();
  ValueRange trailing = entry.getArguments().take_back(4);
  for (unsigned axis = 0; axis < 3; ++axis) {
    grid[axis] = trailing[axis];
  }
  messages = trailing[3];
  Type i32 = builder.getI32Type();
  auto bound = [&](int64_t value) { return builder.getIndexAttr(value); };
  auto threadId = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x,
                                          bound(getNumThreads()));
  thread = arith::IndexCastUIOp::create(builder, loc, i32, threadId);
  lane = arith::AndIOp::create(builder, loc, thread,
                               getI32(builder, loc, getNumLanes() - 1));
  warp = arith::ShRUIOp::create(
      builder, loc, thread, getI32(builder, loc, llvm::Log2_64(getNumLanes())));
  auto blockId = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x,
                                        bound((int64_t(1) << 31) - 1));
  Value number = arith::IndexCastUIOp::create(builder, loc, i32, blockId);
  bool sharesOperands = kernel
                            .walk([](Operation *op) {
                              return isa<tile::DotOp, simt::MmaOp>(op)
                                         ? WalkResult::interrupt()
                                         : WalkResult::advance();
                            })
                            .wasInterrupted();
  if (sharesOperands) {
    Value plane = arith::MulIOp::create(builder, loc, grid[0], grid[1]);
    auto [layer, rest] = emitDivision(builder, loc, number, plane);
    program[2] = layer;
    orderInBands(builder, loc, rest);
  } else {
    // One division for a kernel of one dimension.
    program[0] = arith::RemUIOp::create(builder, loc, number, grid[0]);
    Value rest = arith::DivUIOp::create(builder, loc, number, grid[0]);
    program[1] = arith::RemUIOp::create(builder, loc, rest, grid[1]);
    program[2] = arith::DivUIOp::create(builder, loc, rest, grid[1]);
  }
  if (growsWithProgram(kernel)) {
    // The longest first, so that none of them is left when the others are done.
    Value last =
        arith::SubIOp::create(builder, loc, grid[0], getI32(builder, loc, 1));
    program[0] = arith::SubIOp::create(builder, loc, last, program[0]);
  }
}

/// Rows of a band, and columns of a square.
constexpr int64_t kBand = 16;

/// Row and column of program `number` of a band with `rows`, which is walked in
/// squares of kBand columns, each row by row: programs of a row take equally
/// long, and those of the last square's last row end it.
static std::pair<Value, Value> orderInSquares(OpBuilder &builder, Location loc,
                                              Value number, Value rows,
                                              Value columns) {
  Type i32 = builder.getI32Type();
  Value rest = arith::AndIOp::create(
      builder, loc, columns, ThreadEmitter::getI32(builder, loc, kBand - 1));
  Value whole = arith::SubIOp::create(builder, loc, columns, rest);
  Value squares = arith::MulIOp::create(builder, loc, rows, whole);
  Value isInSquare = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ult, number, squares);
  auto branch = scf::IfOp::create(builder, loc, TypeRange{i32, i32}, isInSquare,
                                  /*withElseRegion=*/true);
  {
    OpBuilder inner = branch.getThenBodyBuilder();
    Value line = arith::ShRUIOp::create(
        inner, loc, number,
        ThreadEmitter::getI32(inner, loc, llvm::Log2_64(kBand)));
    Value square = arith::DivUIOp::create(inner, loc, line, rows);
    Value row = arith::RemUIOp::create(inner, loc, line, rows);
    Value start = arith::MulIOp::create(
        inner, loc, square, ThreadEmitter::getI32(inner, loc, kBand));
    Value place = arith::AndIOp::create(
        inner, loc, number, ThreadEmitter::getI32(inner, loc, kBand - 1));
    Value column = arith::AddIOp::create(inner, loc, start, place);
    scf::YieldOp::create(inner, loc, ValueRange{row, column});
  }
  OpBuilder inner = branch.getElseBodyBuilder();
  Value after = arith::SubIOp::create(inner, loc, number, squares);
  Value row = arith::DivUIOp::create(inner, loc, after, rest);
  Value place = arith::RemUIOp::create(inner, loc, after, rest);
  Value column = arith::AddIOp::create(inner, loc, whole, place);
  scf::YieldOp::create(inner, loc, ValueRange{row, column});
  return {branch.getResult(0), branch.getResult(1)};
}

/// Programs that run at the same time share rows and columns of what they
/// multiply if they are near a square of the grid: bands of kBand along the
/// first dimension, each walked along the second. Any order is right.
void ThreadEmitter::orderInBands(OpBuilder &builder, Location loc,
                                 Value number) {
  // At most the grid's own width, so that no product exceeds its size.
  Value width = arith::MinUIOp::create(builder, loc, grid[0],
                                       getI32(builder, loc, kBand));
  Value size = arith::MulIOp::create(builder, loc, width, grid[1]);
  auto [band, inside] = emitDivision(builder, loc, number, size);
  Value first = arith::MulIOp::create(builder, loc, band, width);
  Value left = arith::SubIOp::create(builder, loc, grid[0], first);
  // The last band is narrower.
  Value rows = arith::MinUIOp::create(builder, loc, left, width);
  Value row, column;
  if (growsWithProgram(kernel)) {
    std::tie(row, column) = orderInSquares(builder, loc, inside, rows, grid[1]);
  } else {
    row = arith::RemUIOp::create(builder, loc, inside, rows);
    column = arith::DivUIOp::create(builder, loc, inside, rows);
  }
  program[0] = arith::AddIOp::create(builder, loc, first, row);
  program[1] = column;
}

//===----------------------------------------------------------------------===//
// Which elements it holds
//===----------------------------------------------------------------------===//

Value ThreadEmitter::emitOpaque(OpBuilder &builder, Location loc, Value vector,
                                StringRef kind) {
  auto type = cast<VectorType>(vector.getType());
  int64_t bits = type.getNumElements() * type.getElementTypeBitWidth();
  if (bits % 32 != 0) {
    return vector;
  }
  Type i32 = builder.getI32Type();
  Value cast = vector::BitCastOp::create(
      builder, loc, VectorType::get({bits / 32}, i32), vector);
  SmallVector<Value> words;
  for (Value word : unpack(builder, loc, cast)) {
    auto same = LLVM::InlineAsmOp::create(
        builder, loc, TypeRange(i32), word, "", ("=" + kind + ",0").str(),
        /*has_side_effects=*/true, /*is_align_stack=*/false,
        LLVM::TailCallKind::None,
        LLVM::AsmDialectAttr::get(builder.getContext(),
                                  LLVM::AsmDialect::AD_ATT),
        /*operand_attrs=*/ArrayAttr());
    words.push_back(same.getResult(0));
  }
  return vector::BitCastOp::create(builder, loc, type,
                                   pack(builder, loc, words, i32));
}

Value ThreadEmitter::getI32(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 32);
}

/// `number` with the bits that `masks` selects for each distance moved left by
/// it (right where negative), xored together. Null for nothing.
static Value emitBitMoves(OpBuilder &builder, Location loc, Value number,
                          const std::map<int64_t, int64_t> &masks,
                          Value result) {
  for (auto [distance, mask] : masks) {
    Value part = arith::AndIOp::create(
        builder, loc, number, ThreadEmitter::getI32(builder, loc, mask));
    if (distance != 0) {
      Value amount = ThreadEmitter::getI32(builder, loc, std::abs(distance));
      part = distance > 0
                 ? arith::ShLIOp::create(builder, loc, part, amount).getResult()
                 : arith::ShRUIOp::create(builder, loc, part, amount);
    }
    result = result ? arith::XOrIOp::create(builder, loc, result, part) : part;
  }
  return result;
}

/// For each distance, the bits of an input that move by it in coordinate
/// `axis`.
static std::map<int64_t, int64_t> getBitMoves(const LinearLayout &layout,
                                              Dim dim, unsigned axis) {
  std::map<int64_t, int64_t> masks;
  for (auto [bit, basis] : llvm::enumerate(layout.bases(dim))) {
    for (int64_t out = 0; out < 31; ++out) {
      if ((basis[axis] >> out) & 1) {
        masks[out - static_cast<int64_t>(bit)] |= int64_t(1) << bit;
      }
    }
  }
  return masks;
}

SmallVector<Value>
ThreadEmitter::getBaseCoordinates(OpBuilder &builder, Location loc,
                                  const LinearLayout &layout) const {
  SmallVector<Value> coordinates;
  for (unsigned axis = 0; axis < layout.rank(); ++axis) {
    Value sum = emitBitMoves(builder, loc, lane,
                             getBitMoves(layout, Dim::Lane, axis), Value());
    sum = emitBitMoves(builder, loc, warp, getBitMoves(layout, Dim::Warp, axis),
                       sum);
    coordinates.push_back(sum ? sum : getI32(builder, loc, 0));
  }
  return coordinates;
}

int64_t ThreadEmitter::getThreadBits(const LinearLayout &layout,
                                     unsigned axis) {
  int64_t bits = 0;
  for (Dim dim : {Dim::Lane, Dim::Warp}) {
    for (const LinearLayout::Basis &basis : layout.bases(dim)) {
      bits |= basis[axis];
    }
  }
  return bits;
}

SmallVector<SmallVector<Value>>
ThreadEmitter::getCoordinates(OpBuilder &builder, Location loc,
                              const LinearLayout &layout) const {
  SmallVector<Value> base = getBaseCoordinates(builder, loc, layout);
  SmallVector<std::map<int32_t, Value>> known(layout.rank());
  SmallVector<SmallVector<Value>> coordinates(layout.inSize(Dim::Register));
  for (auto [reg, element] : llvm::enumerate(coordinates)) {
    LinearLayout::Basis offset = layout.apply(reg);
    for (unsigned axis = 0; axis < layout.rank(); ++axis) {
      Value &value = known[axis][offset[axis]];
      if (!value && offset[axis] == 0) {
        value = base[axis];
      } else if (!value) {
        value = emitWithOffset(builder, loc, base[axis], offset[axis],
                               getThreadBits(layout, axis));
      }
      element.push_back(value);
    }
  }
  return coordinates;
}

Value ThreadEmitter::emitWithOffset(OpBuilder &builder, Location loc,
                                    Value base, int64_t offset,
                                    int64_t baseBits) {
  if (int64_t common = baseBits & offset) {
    base =
        arith::XOrIOp::create(builder, loc, base, getI32(builder, loc, common));
  }
  // Other bits are a sum, which address arithmetic understands: registers whose
  // offsets differ in them alone share a base.
  int64_t others = offset & ~baseBits;
  if (others == 0 && offset != 0) {
    return base;
  }
  Value constant = getI32(builder, loc, others);
  auto flags = arith::IntegerOverflowFlagsAttr::get(
      builder.getContext(),
      arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw);
  return arith::AddIOp::create(builder, loc, base, constant, flags);
}

Value ThreadEmitter::getIsFirstCopy(OpBuilder &builder, Location loc,
                                    const LinearLayout &layout) const {
  Value copy;
  auto require = [&](Value number, int64_t mask) {
    if (mask == 0) {
      return;
    }
    Value bits =
        arith::AndIOp::create(builder, loc, number, getI32(builder, loc, mask));
    copy = copy ? arith::OrIOp::create(builder, loc, copy, bits) : bits;
  };
  require(lane, layout.freeVariableMask(Dim::Lane));
  require(warp, layout.freeVariableMask(Dim::Warp));
  if (!copy) {
    return Value();
  }
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, copy,
                               getI32(builder, loc, 0));
}

SmallVector<int64_t>
ThreadEmitter::getFirstRegisters(const LinearLayout &layout) {
  int64_t copies = layout.freeVariableMask(Dim::Register);
  SmallVector<int64_t> first(layout.inSize(Dim::Register));
  std::map<uint64_t, int64_t> owners;
  for (int64_t reg = 0; reg < layout.inSize(Dim::Register); ++reg) {
    if ((reg & copies) == 0) {
      owners[layout.flatten(layout.apply(reg))] = reg;
    }
  }
  for (auto [reg, owner] : llvm::enumerate(first)) {
    owner = owners[layout.flatten(layout.apply(reg))];
  }
  return first;
}

//===----------------------------------------------------------------------===//
// One thread's vectors
//===----------------------------------------------------------------------===//

SmallVector<Value> ThreadEmitter::unpack(OpBuilder &builder, Location loc,
                                         Value vector) {
  if (!isa<VectorType>(vector.getType())) {
    return {vector};
  }
  auto elements = vector::ToElementsOp::create(builder, loc, vector);
  return SmallVector<Value>(elements.getResults());
}

Value ThreadEmitter::pack(OpBuilder &builder, Location loc, ValueRange elements,
                          Type elementType) {
  auto type =
      VectorType::get({static_cast<int64_t>(elements.size())}, elementType);
  return vector::FromElementsOp::create(builder, loc, type, elements);
}

//===----------------------------------------------------------------------===//
// Other threads
//===----------------------------------------------------------------------===//

void ThreadEmitter::emitBarrier(OpBuilder &builder, Location loc) const {
  auto barrier = gpu::BarrierOp::create(builder, loc);
  barrier->setAttr(kSharedOnlyAttr, builder.getUnitAttr());
}

/// A shuffle moves 32 bits: narrower values are widened, wider ones cut in two.
static Value emitShuffle(OpBuilder &builder, Location loc, Value value,
                         Value offset, Value width, gpu::ShuffleMode mode) {
  Type type = value.getType();
  unsigned bits = type.getIntOrFloatBitWidth();
  Type integer = builder.getIntegerType(bits);
  Type i32 = builder.getI32Type();
  if (type != integer) {
    value = arith::BitcastOp::create(builder, loc, integer, value);
  }
  auto move = [&](Value word) -> Value {
    return gpu::ShuffleOp::create(builder, loc, word, offset, width, mode)
        .getShuffleResult();
  };
  if (bits < 32) {
    value = move(arith::ExtUIOp::create(builder, loc, i32, value));
    value = arith::TruncIOp::create(builder, loc, integer, value);
  } else if (bits == 32) {
    value = move(value);
  } else {
    Value half = arith::ConstantIntOp::create(builder, loc, 32, 64);
    Value high = arith::ShRUIOp::create(builder, loc, value, half);
    Value low = move(arith::TruncIOp::create(builder, loc, i32, value));
    high = move(arith::TruncIOp::create(builder, loc, i32, high));
    low = arith::ExtUIOp::create(builder, loc, integer, low);
    high = arith::ExtUIOp::create(builder, loc, integer, high);
    high = arith::ShLIOp::create(builder, loc, high, half);
    value = arith::OrIOp::create(builder, loc, high, low);
  }
  return type == integer
             ? value
             : arith::BitcastOp::create(builder, loc, type, value).getResult();
}

Value ThreadEmitter::emitShuffleXor(OpBuilder &builder, Location loc,
                                    Value value, int64_t mask) const {
  return emitShuffle(builder, loc, value, getI32(builder, loc, mask),
                     getI32(builder, loc, getNumLanes()),
                     gpu::ShuffleMode::XOR);
}

Value ThreadEmitter::emitShuffleIndex(OpBuilder &builder, Location loc,
                                      Value value, Value source) const {
  return emitShuffle(builder, loc, value, source,
                     getI32(builder, loc, getNumLanes()),
                     gpu::ShuffleMode::IDX);
}

/// The module's shared memory, whose size the last lowering decides.
static Value getShared(OpBuilder &builder, Location loc, ModuleOp module) {
  auto global = module.lookupSymbol<LLVM::GlobalOp>(kSharedSymbol);
  if (!global) {
    auto top = OpBuilder::atBlockBegin(module.getBody());
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), 0);
    global = LLVM::GlobalOp::create(
        top, module.getLoc(), type,
        /*isConstant=*/false, LLVM::Linkage::External, kSharedSymbol,
        Attribute(), /*alignment=*/1024, kSharedSpace);
  }
  return LLVM::AddressOfOp::create(builder, loc, global);
}

Value ThreadEmitter::emitScratch(OpBuilder &builder, Location loc,
                                 int64_t bytes) {
  auto mark = [&](Operation *op) {
    op->setAttr(kScratchAttr, builder.getI64IntegerAttr(bytes));
  };
  auto barrier = gpu::BarrierOp::create(builder, loc);
  barrier->setAttr(kSharedOnlyAttr, builder.getUnitAttr());
  mark(barrier);
  Value pointer = getShared(builder, loc, kernel->getParentOfType<ModuleOp>());
  if (persistentBytes != 0) {
    Value offset =
        arith::ConstantIntOp::create(builder, loc, persistentBytes, 64);
    pointer = emitOffset(builder, loc, pointer, offset, builder.getI8Type());
  }
  mark(pointer.getDefiningOp());
  return pointer;
}

Value ThreadEmitter::emitShared(OpBuilder &builder, Location loc,
                                int64_t offset) const {
  Value shared = getShared(builder, loc, kernel->getParentOfType<ModuleOp>());
  return emitOffset(builder, loc, shared,
                    arith::ConstantIntOp::create(builder, loc, offset, 64),
                    builder.getI8Type());
}

Value ThreadEmitter::emitOffset(OpBuilder &builder, Location loc, Value pointer,
                                Value offset, Type elementType) {
  return LLVM::GEPOp::create(builder, loc, pointer.getType(),
                             getMemoryType(elementType), pointer,
                             ArrayRef<LLVM::GEPArg>{offset});
}

//===----------------------------------------------------------------------===//
// Constants in memory
//===----------------------------------------------------------------------===//

/// Flat, with elements of their type in memory.
static DenseElementsAttr toMemoryData(DenseElementsAttr data) {
  Type element = data.getElementType();
  auto flat =
      data.reshape(RankedTensorType::get({data.getNumElements()}, element));
  Type memory = getMemoryType(element);
  if (memory == element) {
    return flat;
  }
  if (element.isInteger(1)) {
    return flat.mapValues(memory, [](const APInt &bit) { return bit.zext(8); });
  }
  return flat.mapValues(
      memory, [](const APFloat &value) { return value.bitcastToAPInt(); });
}

Value ThreadEmitter::emitConstantData(OpBuilder &builder, Location loc,
                                      StringRef stem,
                                      DenseElementsAttr data) const {
  auto module = kernel->getParentOfType<ModuleOp>();
  data = toMemoryData(data);
  unsigned number = 0;
  std::string name;
  do {
    name = (getKernel().getName() + "." + stem + Twine(number++)).str();
  } while (module.lookupSymbol(name));
  auto top = OpBuilder::atBlockBegin(module.getBody());
  auto type =
      LLVM::LLVMArrayType::get(data.getElementType(), data.getNumElements());
  // The module's location: debug information puts a call's into a function.
  auto global = LLVM::GlobalOp::create(
      top, module.getLoc(), type, /*isConstant=*/true, LLVM::Linkage::Internal,
      name, data, /*alignment=*/16, kGlobalSpace);
  return LLVM::AddressOfOp::create(builder, loc, global);
}

} // namespace tegula::lower
