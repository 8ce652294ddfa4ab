// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile of any power-of-two extents is covered by instructions of 64 rows, up
// to 256 columns and 32 bytes of depth. All addresses of one operand are the
// first one plus constants.

#include "passes/targets/cuda/WarpgroupMma.h"

#include "passes/lower/BufferLayouts.h"
#include "passes/lower/InlineAssembly.h"
#include "passes/targets/cuda/Hopper.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tegula::cuda {

using layout::Dim;
using layout::LinearLayout;
using lower::ThreadEmitter;

namespace {

constexpr int64_t kRows = 64;
constexpr int64_t kMaxColumns = 256;
constexpr int64_t kDepthBytes = 32;
constexpr int64_t kWarpsPerGroup = 4;

/// Collects bases of a two-dimensional layout.
class LayoutBuilder {
public:
  void add(Dim dim, int64_t row, int64_t column) {
    bases[static_cast<unsigned>(dim)].push_back(
        {static_cast<int32_t>(row), static_cast<int32_t>(column)});
  }
  /// Doubling steps of rows, or columns, from `first` to below `end`.
  void addRows(Dim dim, int64_t first, int64_t end) {
    for (int64_t row = first; row < end; row *= 2) {
      add(dim, row, 0);
    }
  }
  void addColumns(Dim dim, int64_t first, int64_t end) {
    for (int64_t column = first; column < end; column *= 2) {
      add(dim, 0, column);
    }
  }
  LinearLayout build(int64_t rows, int64_t columns) {
    return *LinearLayout::create(std::move(bases), {rows, columns});
  }

private:
  LinearLayout::Bases bases;
};

/// PTX's name of an element type; empty if wgmma does not take it.
StringRef getTypeName(Type type, bool isUnsigned) {
  if (type.isF16()) {
    return "f16";
  }
  if (type.isBF16()) {
    return "bf16";
  }
  if (isa<Float8E4M3FNType>(type)) {
    return "e4m3";
  }
  if (isa<Float8E5M2Type>(type)) {
    return "e5m2";
  }
  if (type.isInteger(8)) {
    return isUnsigned ? "u8" : "s8";
  }
  return "";
}

int64_t getByteWidth(Type element) {
  return element.getIntOrFloatBitWidth() / 8;
}

/// An operand in shared memory, as wgmma walks it.
struct SharedOperand {
  bool depthIsContiguous;
  int64_t panelBytes; // of a row of the buffer
  int64_t outer;      // extent of M or N
  int64_t depth;      // extent of K
  int64_t elementBytes;

  MatrixDescriptor getDescriptor() const {
    int64_t swizzle = panelBytes == 128 ? 1 : panelBytes == 64 ? 2 : 3;
    int64_t leading = depthIsContiguous ? 16 : depth * panelBytes;
    return {leading, 8 * panelBytes, swizzle};
  }

  /// Bytes from the operand's start to the block at (`position` along M or N,
  /// `k`).
  int64_t getOffset(int64_t position, int64_t k) const {
    int64_t panel = panelBytes / elementBytes;
    if (depthIsContiguous) {
      return k / panel * outer * panelBytes + position * panelBytes +
             k % panel * elementBytes;
    }
    return position / panel * depth * panelBytes + k * panelBytes +
           position % panel * elementBytes;
  }
};

/// Recognizes a buffer; `depthDim` is the dimension that is K. Nothing if wgmma
/// cannot read it.
std::optional<SharedOperand> matchOperand(simt::BufferType buffer,
                                          int64_t depthDim) {
  RankedTensorType tile = buffer.getTile();
  if (tile.getRank() != 2) {
    return std::nullopt;
  }
  int64_t bytes = getByteWidth(tile.getElementType());
  int64_t outerDim = 1 - depthDim;
  const LinearLayout &layout = layout::getLayout(tile).getLayout();
  for (bool depthIsContiguous : {true, false}) {
    int64_t fast = depthIsContiguous ? depthDim : outerDim;
    LinearLayout expected = lower::getSwizzledBufferLayout(
        tile.getShape(), {fast, 1 - fast}, bytes);
    int64_t panelBytes = std::min<int64_t>(lower::kBufferRowBytes,
                                           tile.getDimSize(fast) * bytes);
    // Other types than 16-bit ones need K contiguous.
    if (layout == expected && panelBytes >= 32 &&
        (depthIsContiguous || bytes == 2)) {
      return SharedOperand{depthIsContiguous, panelBytes,
                           tile.getDimSize(outerDim), tile.getDimSize(depthDim),
                           bytes};
    }
  }
  return std::nullopt;
}

} // namespace

std::optional<WarpgroupGrid> getWarpgroupGrid(int64_t m, int64_t n,
                                              int64_t numWarps) {
  if (numWarps % kWarpsPerGroup != 0 || m < kRows) {
    return std::nullopt;
  }
  int64_t groups = numWarps / kWarpsPerGroup;
  int64_t along = std::min(groups, m / kRows);
  if (n / (groups / along) < 8) {
    return std::nullopt;
  }
  return WarpgroupGrid{along, groups / along};
}

LinearLayout getWarpgroupAccLayout(int64_t m, int64_t n, WarpgroupGrid grid) {
  int64_t columns = n / grid.n;
  LayoutBuilder layout;
  layout.add(Dim::Register, 0, 1);
  layout.add(Dim::Register, 8, 0);
  layout.addColumns(Dim::Register, 8, columns);
  layout.addRows(Dim::Register, kRows * grid.m, m);
  layout.addColumns(Dim::Lane, 2, 8);
  layout.addRows(Dim::Lane, 1, 8);
  layout.addRows(Dim::Warp, 16, kRows * grid.m);
  layout.addColumns(Dim::Warp, columns, n);
  return layout.build(m, n);
}

LinearLayout getWarpgroupLhsLayout(int64_t m, int64_t k, WarpgroupGrid grid) {
  LayoutBuilder layout;
  layout.add(Dim::Register, 0, 1);
  layout.add(Dim::Register, 8, 0);
  layout.addColumns(Dim::Register, 8, k);
  layout.addRows(Dim::Register, kRows * grid.m, m);
  layout.addColumns(Dim::Lane, 2, 8);
  layout.addRows(Dim::Lane, 1, 8);
  layout.addRows(Dim::Warp, 16, kRows * grid.m);
  for (int64_t group = 1; group < grid.n; group *= 2) {
    layout.add(Dim::Warp, 0, 0);
  }
  return layout.build(m, k);
}

bool supportsWarpgroupMma(tile::DotOp dot, Type a, simt::BufferType b,
                          int64_t numWarps) {
  auto accType = cast<RankedTensorType>(dot.getType());
  if (accType.getRank() != 2) {
    return false;
  }
  int64_t m = accType.getDimSize(0), n = accType.getDimSize(1);
  auto grid = getWarpgroupGrid(m, n, numWarps);
  if (!grid || layout::getLayout(accType).getLayout() !=
                   getWarpgroupAccLayout(m, n, *grid)) {
    return false;
  }
  Type element = b.getTile().getElementType();
  int64_t k = b.getTile().getDimSize(0);
  if (getTypeName(element, false).empty() ||
      k * getByteWidth(element) < kDepthBytes || !matchOperand(b, 0)) {
    return false;
  }
  if (auto buffer = dyn_cast<simt::BufferType>(a)) {
    return matchOperand(buffer, 1).has_value() &&
           !getTypeName(buffer.getTile().getElementType(), false).empty();
  }
  auto tile = cast<RankedTensorType>(a);
  return getByteWidth(element) == 2 && tile.getElementType() == element &&
         layout::getLayout(tile).getLayout() ==
             getWarpgroupLhsLayout(m, k, *grid);
}

namespace {

/// A vector of 16-bit elements as 32-bit words.
SmallVector<Value> packWords(OpBuilder &builder, Location loc, Value vector) {
  int64_t count = cast<VectorType>(vector.getType()).getNumElements() / 2;
  auto type = VectorType::get({count}, builder.getI32Type());
  return ThreadEmitter::unpack(
      builder, loc, vector::BitCastOp::create(builder, loc, type, vector));
}

/// Emits the instructions of one product.
class MmaEmitter {
public:
  MmaEmitter(OpBuilder &builder, ThreadEmitter &emitter, simt::MmaOp op)
      : builder(builder), loc(op.getLoc()), emitter(emitter), op(op),
        accType(cast<RankedTensorType>(op.getType())),
        grid(*getWarpgroupGrid(accType.getDimSize(0), accType.getDimSize(1),
                               emitter.getNumWarps())) {}

  Value run(Value a, Value b, Value acc) {
    auto bTile = op.getB().getType().getTile();
    bOperand = matchOperand(op.getB().getType(), 0);
    Type bElement = bTile.getElementType();
    Type aElement = bElement;
    if (auto buffer = dyn_cast<simt::BufferType>(op.getA().getType())) {
      aOperand = matchOperand(buffer, 1);
      aElement = buffer.getTile().getElementType();
      aBase = createBase(a, *aOperand, getGroup(grid.m, 0), kRows);
    } else {
      aRegisters = packWords(builder, loc, a);
    }
    int64_t columns = accType.getDimSize(1) / grid.n;
    bBase = createBase(b, *bOperand, getGroup(grid.n, grid.m), columns);
    depth = kDepthBytes / getByteWidth(bElement);
    int64_t width = std::min(columns, kMaxColumns);
    shape = {width,
             depth,
             accType.getElementType().isF32() ? "f32" : "s32",
             getTypeName(aElement, op.getAUnsigned()),
             getTypeName(bElement, op.getBUnsigned()),
             aOperand && !aOperand->depthIsContiguous,
             !bOperand->depthIsContiguous};
    startsFromZero = matchPattern(op.getAcc(), m_AnyZeroFloat()) ||
                     matchPattern(op.getAcc(), m_Zero());
    SmallVector<Value> values = startsFromZero
                                    ? getUndefined(acc.getType())
                                    : ThreadEmitter::unpack(builder, loc, acc);
    emitWarpgroupFence(builder, loc);
    emitAll(values, columns, bTile.getDimSize(0));
    emitWarpgroupCommit(builder, loc);
    return ThreadEmitter::pack(builder, loc, values, accType.getElementType());
  }

private:
  /// This warp's number among `count` warpgroups side by side, where `before`
  /// others come first (i32).
  Value getGroup(int64_t count, int64_t before) {
    int64_t shift =
        llvm::Log2_64(kWarpsPerGroup * std::max<int64_t>(before, 1));
    Value group =
        arith::ShRUIOp::create(builder, loc, emitter.getWarp(),
                               ThreadEmitter::getI32(builder, loc, shift));
    return arith::AndIOp::create(
        builder, loc, group, ThreadEmitter::getI32(builder, loc, count - 1));
  }

  /// Descriptor of the block with which warpgroup `group` starts, each `extent`
  /// along M or N.
  Value createBase(Value pointer, const SharedOperand &operand, Value group,
                   int64_t extent) {
    int64_t bytes = operand.getOffset(extent, 0);
    Value offset = arith::MulIOp::create(
        builder, loc, group, ThreadEmitter::getI32(builder, loc, bytes));
    Value start = ThreadEmitter::emitOffset(builder, loc, pointer, offset,
                                            builder.getI8Type());
    Value descriptor =
        emitDescriptor(builder, loc, start, operand.getDescriptor());
    return isKept(pointer) ? renew(descriptor) : descriptor;
  }

  /// Whether an operand's address is the same in all iterations of a loop.
  bool isKept(Value pointer) {
    auto loop = op->getParentOfType<LoopLikeOpInterface>();
    return loop && loop.isDefinedOutsideOfLoop(pointer);
  }

  /// The same descriptor, of whose lower half, which has the address, code
  /// generators know nothing: else they compute those of all instructions
  /// before the loop, and hold them in as many registers.
  Value renew(Value descriptor) {
    Type i32 = builder.getI32Type();
    Value low = LLVM::TruncOp::create(builder, loc, i32, descriptor);
    return lower::emitOpaque(builder, loc, low, "r");
  }

  /// The descriptor `bytes` after `base`.
  Value advance(Value base, const SharedOperand &operand, int64_t bytes) {
    Type i64 = builder.getI64Type();
    if (base.getType() == i64) {
      return bytes == 0
                 ? base
                 : arith::AddIOp::create(builder, loc, base, getI64(bytes >> 4))
                       .getResult();
    }
    // No address carries into the upper half.
    Value low = arith::AddIOp::create(
        builder, loc, base, ThreadEmitter::getI32(builder, loc, bytes >> 4));
    Value wide = arith::ExtUIOp::create(builder, loc, i64, low);
    uint64_t fields = getConstantFields(operand.getDescriptor());
    return arith::OrIOp::create(builder, loc, wide,
                                getI64(fields & ~uint64_t(UINT32_MAX)));
  }

  Value getI64(uint64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 64);
  }

  /// What the first instructions, told to start from zero, do not read.
  SmallVector<Value> getUndefined(Type type) {
    auto vector = cast<VectorType>(type);
    Value undefined =
        LLVM::UndefOp::create(builder, loc, vector.getElementType());
    return SmallVector<Value>(vector.getNumElements(), undefined);
  }

  void emitAll(SmallVector<Value> &values, int64_t columns, int64_t k) {
    int64_t perBlock = shape.n / 2;
    int64_t across = columns / shape.n;
    int64_t down = accType.getDimSize(0) / (kRows * grid.m);
    int64_t steps = k / depth;
    for (int64_t step = 0; step < steps; ++step) {
      shape.accumulates = step > 0 || !startsFromZero;
      for (int64_t block = 0; block < down * across; ++block) {
        int64_t row = block / across, column = block % across;
        SmallVector<Value> a = getLhs(row, step, steps);
        Value b = advance(bBase, *bOperand,
                          bOperand->getOffset(column * shape.n, step * depth));
        auto part =
            MutableArrayRef<Value>(values).slice(block * perBlock, perBlock);
        SmallVector<Value> sum = emitWarpgroupMma(
            builder, loc, shape, a, b, ValueRange(ArrayRef<Value>(part)));
        llvm::copy(sum, part.begin());
      }
    }
  }

  SmallVector<Value> getLhs(int64_t row, int64_t step, int64_t steps) {
    if (!aOperand) {
      auto words =
          ArrayRef<Value>(aRegisters).slice((row * steps + step) * 4, 4);
      return SmallVector<Value>(words);
    }
    return {advance(aBase, *aOperand,
                    aOperand->getOffset(row * kRows * grid.m, step * depth))};
  }

  OpBuilder &builder;
  Location loc;
  ThreadEmitter &emitter;
  simt::MmaOp op;
  RankedTensorType accType;
  WarpgroupGrid grid;
  std::optional<SharedOperand> aOperand, bOperand;
  SmallVector<Value> aRegisters;
  Value aBase, bBase;
  int64_t depth = 0;
  bool startsFromZero = false;
  WarpgroupMma shape;
};

} // namespace

FailureOr<Value> emitMma(OpBuilder &builder, ThreadEmitter &emitter,
                         simt::MmaOp op, Value a, Value b, Value acc) {
  return MmaEmitter(builder, emitter, op).run(a, b, acc);
}

namespace {

/// Whether tiles are computed between the last product and where `builder` is.
bool hasWorkSinceProduct(OpBuilder &builder) {
  Block::iterator begin = builder.getInsertionBlock()->begin();
  for (Block::iterator it = builder.getInsertionPoint(); it != begin;) {
    Operation *op = &*--it;
    auto text = dyn_cast<LLVM::InlineAsmOp>(op);
    if (text && text.getAsmString().starts_with("wgmma.")) {
      return false;
    }
    bool isTile = llvm::any_of(op->getResultTypes(), llvm::IsaPred<ShapedType>);
    if (isTile && isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
                      op->getDialect())) {
      return true;
    }
  }
  return false;
}

} // namespace

Value emitMmaWait(OpBuilder &builder, Location loc, int64_t pending, Value acc,
                  Value a) {
  if (hasWorkSinceProduct(builder)) {
    emitScheduleBoundary(builder, loc);
  }
  SmallVector<Value> values = ThreadEmitter::unpack(builder, loc, acc);
  Type element = cast<VectorType>(acc.getType()).getElementType();
  // Registers that are being read hold their values until then.
  SmallVector<Value> words;
  if (a) {
    words = packWords(builder, loc, a);
  }
  return ThreadEmitter::pack(
      builder, loc, emitWarpgroupWait(builder, loc, pending, values, words),
      element);
}

} // namespace tegula::cuda
