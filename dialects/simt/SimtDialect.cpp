// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration of the `simt` dialect, and what its types and operations
// require.

#include "dialects/simt/SimtWrite.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include "dialects/simt/SimtDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/simt/SimtTypes.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/simt/SimtOps.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/simt/SimtWriteOps.cpp.inc"

using namespace mlir;

namespace tegula::simt {

void SimtDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/simt/SimtTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/simt/SimtOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/simt/SimtWriteOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static int64_t getByteWidth(Type element) {
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

bool isBufferTile(RankedTensorType tile) {
  layout::LinearAttr encoding = layout::getLayout(tile);
  return encoding &&
         encoding.getLayout().totalInBits() ==
             encoding.getLayout().inBits(layout::Dim::Offset) &&
         tile.getElementType().isIntOrFloat();
}

static LogicalResult verifyTile(function_ref<InFlightDiagnostic()> emitError,
                                RankedTensorType tile) {
  if (!isBufferTile(tile)) {
    return emitError() << "a tile in shared memory needs a layout of offsets "
                          "alone, got "
                       << tile;
  }
  if (!layout::getLayout(tile).getLayout().isInjective()) {
    return emitError() << "an element of the tile is at two offsets: " << tile;
  }
  return success();
}

LogicalResult BufferType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 RankedTensorType tile) {
  return verifyTile(emitError, tile);
}

int64_t BufferType::getBytes() const {
  return getTile().getNumElements() * getByteWidth(getTile().getElementType());
}

LogicalResult RingType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t slots,
                               ArrayRef<RankedTensorType> tiles) {
  if (slots < 1 || tiles.empty()) {
    return emitError() << "C1: a ring has at least one slot and one tile, got "
                       << slots << " and " << tiles.size();
  }
  for (RankedTensorType tile : tiles) {
    if (failed(verifyTile(emitError, tile))) {
      return failure();
    }
  }
  return success();
}

int64_t RingType::getTileBytes(unsigned member) const {
  return BufferType::get(getTiles()[member]).getBytes();
}

int64_t RingType::getTileOffset(unsigned member) const {
  int64_t offset = 0;
  for (unsigned i = 0; i < member; ++i) {
    offset += llvm::alignTo(getTileBytes(i), kTileAlignment);
  }
  return offset;
}

int64_t RingType::getSlotBytes() const {
  return getTileOffset(getTiles().size());
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult RingOp::verify() {
  if (getOffset() % kTileAlignment != 0) {
    return emitOpError() << "C1: offset must be a multiple of "
                         << kTileAlignment << ", got " << getOffset();
  }
  return success();
}

LogicalResult ReserveOp::verify() {
  if (getOffset() % kTileAlignment != 0) {
    return emitOpError() << "C1: offset must be a multiple of "
                         << kTileAlignment << ", got " << getOffset();
  }
  return success();
}

LogicalResult IssueOp::verify() {
  ArrayRef<RankedTensorType> tiles = getRing().getType().getTiles();
  if (getViews().size() != tiles.size()) {
    return emitOpError() << "C1: ring has " << tiles.size() << " tiles, got "
                         << getViews().size() << " views";
  }
  size_t rankSum = 0;
  for (auto [view, tile] : llvm::zip_equal(getViews(), tiles)) {
    auto type = cast<tile::ViewType>(view.getType());
    rankSum += type.getRank();
    if (type.getRank() != tile.getRank() ||
        type.getElementType() != tile.getElementType()) {
      return emitOpError() << "C1: view " << type << " does not hold tiles "
                           << tile;
    }
  }
  if (getIndices().size() != rankSum) {
    return emitOpError() << "C2: views have " << rankSum
                         << " dimensions in all, got " << getIndices().size()
                         << " indices";
  }
  if (getMaps() && getMaps()->size() != tiles.size()) {
    return emitOpError() << "C3: ring has " << tiles.size() << " tiles, got "
                         << getMaps()->size() << " maps";
  }
  return success();
}

LogicalResult SlotOp::verify() {
  ArrayRef<RankedTensorType> tiles = getRing().getType().getTiles();
  if (getMember() >= tiles.size()) {
    return emitOpError() << "C1: ring has " << tiles.size()
                         << " tiles, got member " << getMember();
  }
  if (getBuffer().getType().getTile() != tiles[getMember()]) {
    return emitOpError() << "C2: tile is " << tiles[getMember()]
                         << ", buffer is " << getBuffer().getType();
  }
  return success();
}

/// Whether threads may hold the tile of a buffer as a tile of type `held`.
static bool mayHold(RankedTensorType held, BufferType buffer) {
  RankedTensorType tile = buffer.getTile();
  layout::LinearAttr encoding = layout::getLayout(held);
  return held.getShape() == tile.getShape() &&
         held.getElementType() == tile.getElementType() && encoding &&
         encoding.getLayout().inBits(layout::Dim::Offset) == 0;
}

LogicalResult ReadOp::verify() {
  auto result = cast<RankedTensorType>(getResult().getType());
  if (!mayHold(result, getBuffer().getType())) {
    return emitOpError() << "C1: cannot read " << result << " from "
                         << getBuffer().getType().getTile();
  }
  return success();
}

LogicalResult WriteOp::verify() {
  auto value = cast<RankedTensorType>(getValue().getType());
  if (!mayHold(value, getBuffer().getType())) {
    return emitOpError() << "C1: cannot write " << value << " to "
                         << getBuffer().getType().getTile();
  }
  return success();
}

LogicalResult PermuteOp::verify() {
  RankedTensorType source = getBuffer().getType().getTile();
  RankedTensorType result = getResult().getType().getTile();
  auto permuted = layout::getLayout(source).getLayout().permute(getPerm());
  if (!permuted || *permuted != layout::getLayout(result).getLayout() ||
      source.getElementType() != result.getElementType()) {
    return emitOpError() << "C1: " << result << " is not the permuted tile of "
                         << source;
  }
  return success();
}

LogicalResult ReshapeOp::verify() {
  RankedTensorType source = getBuffer().getType().getTile();
  RankedTensorType result = getResult().getType().getTile();
  auto reshaped =
      layout::getLayout(source).getLayout().reshape(result.getShape());
  if (!reshaped || *reshaped != layout::getLayout(result).getLayout() ||
      source.getElementType() != result.getElementType()) {
    return emitOpError() << "C1: " << result << " is not the reshaped tile of "
                         << source;
  }
  return success();
}

/// Shape of a buffer or tile.
static ArrayRef<int64_t> getOperandShape(Type type) {
  if (auto buffer = dyn_cast<BufferType>(type)) {
    return buffer.getTile().getShape();
  }
  return cast<RankedTensorType>(type).getShape();
}

LogicalResult MmaOp::verify() {
  ArrayRef<int64_t> a = getOperandShape(getA().getType());
  ArrayRef<int64_t> b = getOperandShape(getB().getType());
  ArrayRef<int64_t> acc = getOperandShape(getAcc().getType());
  if (a.size() != 2 || b.size() != 2 || acc.size() != 2 || a[1] != b[0] ||
      a[0] != acc[0] || b[1] != acc[1]) {
    return emitOpError() << "C1: shapes must be MxK, KxN and MxN, got "
                         << getA().getType() << ", " << getB().getType()
                         << " and " << getAcc().getType();
  }
  return success();
}

} // namespace tegula::simt
