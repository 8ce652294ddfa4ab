// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cpu-lower-tile-access: loads and stores of whole tiles become subviews of the
// array where the tile lies inside it, so that data is read and written in
// place, and go through a scratch buffer at the edges. The rules that make
// reading in place safe are stated once, at `readsInPlace` and `writesInPlace`.

#include "passes/analysis/Explanation.h"
#include "passes/targets/cpu/Abi.h"
#include "passes/targets/cpu/Generics.h"
#include "passes/targets/cpu/Passes.h"
#include "passes/targets/cpu/Subviews.h"

#define DEBUG_TYPE "cpu-lower-tile-access"

using namespace mlir;

namespace tegula::cpu {
#define GEN_PASS_DEF_LOWERTILEACCESSPASS
#include "passes/targets/cpu/Passes.h.inc"
namespace {

/// Part of a tile that lies inside the array.
struct Box {
  SmallVector<OpFoldResult> offsets; // in the array, elements
  SmallVector<OpFoldResult> inTile;  // in the tile, elements
  SmallVector<OpFoldResult> valid;   // elements inside, 0 .. extent
  Value full;                        // i1: all that is used is inside
};

class AccessLowering {
public:
  /// Fails with an error at `op` if the array is none of a kernel's.
  static FailureOr<AccessLowering> create(Operation *op, Value view,
                                          ValueRange index,
                                          RankedTensorType type,
                                          ArrayRef<int64_t> used) {
    AccessLowering access(op, type, used);
    if (auto part = view.getDefiningOp<tile::SubviewOp>()) {
      auto place = createTilePlace(access.builder, op, part, index, used);
      if (failed(place)) {
        return failure();
      }
      access.array = place->array;
      access.place = std::move(*place);
      access.createBoxOfPart();
      return access;
    }
    auto array = getArray(op, view);
    if (failed(array)) {
      return failure();
    }
    access.array = *array;
    access.createBox(index);
    return access;
  }

  /// The cast that gives the array.
  Operation *getCast() { return array; }

  /// Whether neighbours along the tile's last dimension are neighbours in
  /// memory.
  bool hasUnitInnerStride() {
    if (place) {
      return place->hasUnitInnerStride();
    }
    auto memrefType = cast<MemRefType>(array.getOperand(0).getType());
    auto [strides, offset] = memrefType.getStridesAndOffset();
    return strides.back() == 1;
  }

  /// Whether the array may fill all of the tile, so that it can be a subview.
  bool isWhole() { return used == type.getShape(); }

  RankedTensorType getMemoryType() {
    return type.clone(getMemoryElementType(type.getElementType()));
  }

  /// Subview of the array that holds the whole tile.
  Value createFullSubview() {
    if (place) {
      SmallVector<Value> start(type.getRank(), createIndex(builder, loc, 0));
      return place->createMemRef(builder, loc, start, getExtents());
    }
    return createSubview(array.getOperand(0), box.offsets, getExtents());
  }

  /// Type of any buffer that holds a tile and whose last dimension is
  /// contiguous.
  MemRefType getTileBufferType() {
    SmallVector<int64_t> strides(type.getRank(), ShapedType::kDynamic);
    strides.back() = 1;
    auto layout = StridedLayoutAttr::get(builder.getContext(),
                                         ShapedType::kDynamic, strides);
    return MemRefType::get(type.getShape(), getMemoryType().getElementType(),
                           layout);
  }

  /// Type that every buffer of a tile can be cast to, whatever its layout.
  MemRefType getAnyBufferType() {
    SmallVector<int64_t> strides(type.getRank(), ShapedType::kDynamic);
    auto layout = StridedLayoutAttr::get(builder.getContext(),
                                         ShapedType::kDynamic, strides);
    return MemRefType::get(type.getShape(), getMemoryType().getElementType(),
                           layout);
  }

  Value createScratch() {
    auto scratch =
        MemRefType::get(type.getShape(), getMemoryType().getElementType());
    return memref::AllocOp::create(builder, loc, scratch,
                                   builder.getI64IntegerAttr(64));
  }

  Value castToTileBuffer(Value buffer) {
    return memref::CastOp::create(builder, loc, getTileBufferType(), buffer);
  }

  /// Scratch buffer with the tile's values, `pad` outside the array.
  Value createPaddedCopy(Value pad) {
    Value scratch = createScratch();
    if (!pad) {
      pad = createConstant(builder, loc, getMemoryType().getElementType(), 0);
    } else if (pad.getType().isInteger(1)) {
      pad = arith::ExtUIOp::create(builder, loc, builder.getI8Type(), pad);
    }
    if (isWhole()) {
      auto edge = scf::IfOp::create(builder, loc, box.full,
                                    /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(edge.elseYield());
      linalg::FillOp::create(builder, loc, pad, scratch);
    } else {
      linalg::FillOp::create(builder, loc, pad, scratch);
    }
    Value source = createValidSubview();
    createCopy(builder, loc, source,
               createSubview(scratch, box.inTile, box.valid));
    return scratch;
  }

  void storeValid(Value buffer) {
    Value source = createSubview(buffer, box.inTile, box.valid);
    Value target = createValidSubview();
    createCopy(builder, loc, source, target);
  }

  OpBuilder builder;
  Location loc;
  Box box;

private:
  AccessLowering(Operation *op, RankedTensorType type, ArrayRef<int64_t> used)
      : builder(op), loc(op->getLoc()), type(type), used(used) {}

  SmallVector<OpFoldResult> getExtents() {
    return getAsIndexOpFoldResult(builder.getContext(), type.getShape());
  }
  Value createSubview(Value source, ArrayRef<OpFoldResult> offsets,
                      ArrayRef<OpFoldResult> sizes) {
    SmallVector<OpFoldResult> ones(type.getRank(), builder.getIndexAttr(1));
    return memref::SubViewOp::create(builder, loc, source, offsets, sizes,
                                     ones);
  }

  /// Subview of the array that holds the part of the tile that is inside.
  Value createValidSubview() {
    return place ? place->createMemRef(builder, loc, place->low, box.valid)
                 : createSubview(array.getOperand(0), box.offsets, box.valid);
  }

  void createBoxOfPart() {
    for (auto [axis, count] : llvm::enumerate(place->count)) {
      Value whole =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, count,
                                createIndex(builder, loc, used[axis]));
      box.full = box.full ? arith::AndIOp::create(builder, loc, box.full, whole)
                          : whole;
      box.inTile.push_back(place->low[axis]);
      box.valid.push_back(count);
    }
  }

  /// Computes the box without wrapping: a tile index counts only between 0 and
  /// the number of tiles.
  void createBox(ValueRange index) {
    Value memref = array.getOperand(0);
    Value full;
    for (auto [axis, tileIndex] : llvm::enumerate(index)) {
      int64_t extent = used[axis];
      Value size = memref::DimOp::create(builder, loc, memref, axis);
      Value position = arith::IndexCastOp::create(
          builder, loc, builder.getIndexType(), tileIndex);
      Value step = createIndex(builder, loc, extent);
      Value zero = createIndex(builder, loc, 0);
      Value tiles = arith::CeilDivUIOp::create(builder, loc, size, step);
      Value inside = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::ult, position, tiles);
      Value safe =
          arith::SelectOp::create(builder, loc, inside, position, zero);
      Value offset = arith::MulIOp::create(builder, loc, safe, step);
      Value left = arith::SubIOp::create(builder, loc, size, offset);
      Value within = arith::MinUIOp::create(builder, loc, left, step);
      Value valid = arith::SelectOp::create(builder, loc, inside, within, zero);
      Value whole = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::eq, valid, step);
      full = full ? arith::AndIOp::create(builder, loc, full, whole) : whole;
      box.offsets.push_back(offset);
      box.inTile.push_back(builder.getIndexAttr(0));
      box.valid.push_back(valid);
    }
    box.full = full;
  }

  UnrealizedConversionCastOp array;
  /// Where the tile lies, if the access is to a part of the array.
  std::optional<TilePlace> place;
  RankedTensorType type;
  ArrayRef<int64_t> used;
};

/// A tile may be read where it lies iff nothing in the kernel writes the array
/// or one that overlaps it: uses of the tile may then be moved anywhere.
/// Contiguous rows keep what reads it vectorizable.
bool readsInPlace(AccessLowering &access) {
  return !access.getCast()->hasAttr(kWrittenAttr) &&
         access.hasUnitInnerStride();
}

/// The producer of a stored value is moved down to the store, so nothing
/// between them may change what it computes: it has no effects, or reads an
/// array that the kernel does not write.
bool canMoveToStore(Operation *producer) {
  if (auto gather = dyn_cast<tile::GatherOp>(producer)) {
    Operation *array = gather.getView().getDefiningOp();
    return array && !array->hasAttr(kWrittenAttr);
  }
  return isPure(producer);
}

/// Anything but elementwise work has initial values of its own, which other
/// operations may share: computing it in place would overwrite them.
bool isElementwise(Operation *producer) {
  return producer->hasTrait<OpTrait::Elementwise>() ||
         isa<tile::BitcastOp, tile::BroadcastOp, tile::CastOp, tile::FPClassOp,
             tile::FloatModOp, tile::FloorDivOp, tile::FloorModOp, tile::FullOp,
             tile::GatherOp, tile::IPowOp, tile::PermuteOp, tile::ShlOp,
             tile::ShrOp>(producer);
}

/// The value may be computed where it is to be stored iff nothing reads the
/// array, no other operation writes it, and the value is computed for this
/// store alone, in the same block: then no order can be observed. Results of
/// loops stay in contiguous scratch, which is what an accumulator wants; a
/// loaded tile has a buffer already.
bool writesInPlace(AccessLowering &access, tile::StoreOp store) {
  Operation *array = access.getCast();
  Operation *producer = store.getValue().getDefiningOp();
  return !array->hasAttr(kReadAttr) && array->hasAttr(kOneWriterAttr) &&
         access.hasUnitInnerStride() && producer &&
         producer->getBlock() == store->getBlock() && producer->hasOneUse() &&
         isElementwise(producer) && canMoveToStore(producer);
}

struct LowerTileAccessPass final
    : impl::LowerTileAccessPassBase<LowerTileAccessPass> {
  void runOnOperation() override {
    if (failed(refuseLayouts(getOperation()))) {
      return signalPassFailure();
    }
    numStoresFromScratch = 0;
    WalkResult result = getOperation()->walk([&](Operation *op) {
      LogicalResult lowered =
          llvm::TypeSwitch<Operation *, LogicalResult>(op)
              .Case<tile::LoadOp, tile::StoreOp, tile::DimOp, tile::StrideOp>(
                  [&](auto access) { return lower(access); })
              .Default([](Operation *) { return success(); });
      return failed(lowered) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted()) {
      return signalPassFailure();
    }
    SmallVector<tile::SubviewOp> parts;
    getOperation()->walk([&](tile::SubviewOp part) { parts.push_back(part); });
    for (tile::SubviewOp part : llvm::reverse(parts)) {
      if (part.use_empty()) {
        part.erase();
      }
    }
  }

  LogicalResult lower(tile::DimOp op) {
    auto array = getArray(op, op.getView());
    if (failed(array)) {
      return failure();
    }
    OpBuilder builder(op);
    Value size = memref::DimOp::create(builder, op.getLoc(),
                                       array->getOperand(0), op.getAxis());
    op.replaceAllUsesWith(arith::IndexCastOp::create(builder, op.getLoc(),
                                                     builder.getI64Type(), size)
                              .getResult());
    op.erase();
    return success();
  }

  LogicalResult lower(tile::StrideOp op) {
    auto array = getArray(op, op.getView());
    if (failed(array)) {
      return failure();
    }
    OpBuilder builder(op);
    auto metadata = memref::ExtractStridedMetadataOp::create(
        builder, op.getLoc(), array->getOperand(0));
    Value stride = metadata.getStrides()[op.getAxis()];
    op.replaceAllUsesWith(arith::IndexCastOp::create(builder, op.getLoc(),
                                                     builder.getI64Type(),
                                                     stride)
                              .getResult());
    op.erase();
    return success();
  }

  LogicalResult lower(tile::LoadOp op) {
    auto lowering = AccessLowering::create(op, op.getView(), op.getIndex(),
                                           op.getType(), op.getUsedShape());
    if (failed(lowering)) {
      return failure();
    }
    AccessLowering &access = *lowering;
    OpBuilder &builder = access.builder;
    Value buffer;
    if (readsInPlace(access) && access.isWhole()) {
      auto inside =
          scf::IfOp::create(builder, op.getLoc(), access.getTileBufferType(),
                            access.box.full, /*withElseRegion=*/true);
      builder.setInsertionPointToStart(inside.thenBlock());
      yieldBuffer(access, access.createFullSubview());
      builder.setInsertionPointToStart(inside.elseBlock());
      yieldBuffer(access, access.createPaddedCopy(op.getPad()));
      builder.setInsertionPointAfter(inside);
      buffer = inside.getResult(0);
    } else {
      analysis::missed(DEBUG_TYPE, "loads", op.getLoc())
          << "this tile is copied before it is used: the kernel writes the "
             "array, its rows are strided, or the tile has padding";
      buffer = access.createPaddedCopy(op.getPad());
    }
    op.replaceAllUsesWith(createTensor(access, buffer, op.getType()));
    op.erase();
    return success();
  }

  static void yieldBuffer(AccessLowering &access, Value buffer) {
    scf::YieldOp::create(access.builder, access.loc,
                         access.castToTileBuffer(buffer));
  }

  /// The tile held by `buffer`; a bool is any byte but zero.
  static Value createTensor(AccessLowering &access, Value buffer,
                            RankedTensorType type) {
    OpBuilder &builder = access.builder;
    Value tensor = bufferization::ToTensorOp::create(
        builder, access.loc, access.getMemoryType(), buffer,
        /*restrict=*/true);
    if (!type.getElementType().isInteger(1)) {
      return tensor;
    }
    return createParallel(
        builder, access.loc, type, tensor,
        builder.getMultiDimIdentityMap(type.getRank()),
        [](OpBuilder &nested, Location loc, ValueRange args) -> Value {
          Value zero = arith::ConstantIntOp::create(nested, loc, 0, 8);
          return arith::CmpIOp::create(nested, loc, arith::CmpIPredicate::ne,
                                       args[0], zero);
        });
  }

  LogicalResult lower(tile::StoreOp op) {
    auto lowering =
        AccessLowering::create(op, op.getView(), op.getIndex(),
                               op.getValue().getType(), op.getUsedShape());
    if (failed(lowering)) {
      return failure();
    }
    AccessLowering &access = *lowering;
    bool inPlace = access.isWhole() && writesInPlace(access, op);
    OpBuilder &builder = access.builder;
    if (!inPlace) {
      analysis::missed(DEBUG_TYPE, "stores", op.getLoc())
          << "this tile is computed in scratch memory and copied to the array";
      Value value = toMemoryType(access, op.getValue());
      auto buffer = bufferization::ToBufferOp::create(
          builder, op.getLoc(), access.getAnyBufferType(), value,
          /*read_only=*/true);
      // Bufferization takes the value to be read here. Were CSE to merge this
      // with the buffer of an earlier store, the value could be overwritten
      // before it is stored.
      buffer->setAttr("store", builder.getIndexAttr(numStoresFromScratch++));
      access.storeValid(buffer);
      op.erase();
      return success();
    }
    Value scratch = access.createScratch();
    auto inside =
        scf::IfOp::create(builder, op.getLoc(), access.getTileBufferType(),
                          access.box.full, /*withElseRegion=*/true);
    builder.setInsertionPointToStart(inside.thenBlock());
    yieldBuffer(access, access.createFullSubview());
    builder.setInsertionPointToStart(inside.elseBlock());
    yieldBuffer(access, scratch);
    builder.setInsertionPointAfter(inside);
    // The destination must exist before the value is computed into it.
    op.getValue().getDefiningOp()->moveBefore(op);
    builder.setInsertionPoint(op);
    Value value = toMemoryType(access, op.getValue());
    bufferization::MaterializeInDestinationOp::create(
        builder, op.getLoc(), Type(), value, inside.getResult(0),
        /*restrict=*/true, /*writable=*/true);
    auto edge = scf::IfOp::create(builder, op.getLoc(), access.box.full,
                                  /*withElseRegion=*/true);
    builder.setInsertionPoint(edge.elseYield());
    // From the scratch buffer by name: LLVM knows that nothing aliases it.
    access.storeValid(scratch);
    op.erase();
    return success();
  }

  static Value toMemoryType(AccessLowering &access, Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    if (!type.getElementType().isInteger(1)) {
      return value;
    }
    return createParallel(
        access.builder, access.loc, access.getMemoryType(), value,
        access.builder.getMultiDimIdentityMap(type.getRank()),
        [](OpBuilder &nested, Location loc, ValueRange args) -> Value {
          return arith::ExtUIOp::create(nested, loc, nested.getI8Type(),
                                        args[0]);
        });
  }

  int64_t numStoresFromScratch = 0;
};

} // namespace
} // namespace tegula::cpu
