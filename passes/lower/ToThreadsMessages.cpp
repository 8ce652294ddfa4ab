// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lower-to-threads, print and assert. What they say is on the kernel as
// tegula.messages; a program only records which of them it was and the values.
// Of the message buffer (four u32: bytes used, capacity, failures, unused; then
// records) one thread reserves the bytes of a record, and all fill them in:
//
//   u32 number of the message from 1; i32 program in x, y, z; then each
//   operand, row-major, from a multiple of its element's size. Records take
//   multiples of 16 bytes. What does not fit is dropped.

#include "passes/lower/ThreadEmitter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tegula::lower {
namespace {

/// Name of a kernel's attribute that describes its messages in the order of
/// their numbers, from 1: an array of dictionaries, {dtypes, shapes, texts} of
/// a print and {assert, file, line, column} of an assertion. Absent if it has
/// none.
constexpr llvm::StringLiteral kMessagesAttr = "tegula.messages";

constexpr int64_t kHeaderBytes = 16;
constexpr int64_t kUsed = 0, kCapacity = 4, kFailures = 8;
/// An offset that says that the record did not fit.
constexpr int64_t kDropped = -1;

/// The name by which the host knows an element type.
std::string getDTypeName(Type type, bool isUnsigned) {
  if (type.isInteger(1)) {
    return "bool";
  }
  if (auto integer = dyn_cast<IntegerType>(type)) {
    return (Twine(isUnsigned ? "uint" : "int") + Twine(integer.getWidth()))
        .str();
  }
  return llvm::TypeSwitch<Type, std::string>(type)
      .Case([](BFloat16Type) { return "bfloat16"; })
      .Case([](Float8E4M3FNType) { return "float8_e4m3fn"; })
      .Case([](Float8E5M2Type) { return "float8_e5m2"; })
      .Default([](Type other) {
        return ("float" + Twine(other.getIntOrFloatBitWidth())).str();
      });
}

/// File, line and column of the innermost frame of a location.
FileLineColLoc findFileLoc(Location loc) {
  FileLineColLoc found;
  loc->walk([&](Location inner) {
    if (auto callSite = dyn_cast<CallSiteLoc>(inner)) {
      found = findFileLoc(callSite.getCallee());
    } else {
      found = dyn_cast<FileLineColLoc>(inner);
    }
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

/// The part of an operand that is printed; a tile may be padded beyond it.
SmallVector<int64_t> getUsedShape(tile::PrintOp op, unsigned operand) {
  if (auto extents = op->getAttrOfType<ArrayAttr>("extents")) {
    return SmallVector<int64_t>(
        cast<DenseI64ArrayAttr>(extents[operand]).asArrayRef());
  }
  return SmallVector<int64_t>(
      tile::getShape(op.getValues()[operand].getType()));
}

/// Keeps the description of a message with the kernel; its number.
int64_t addMessage(const ThreadEmitter &emitter, DictionaryAttr description) {
  func::FuncOp kernel = emitter.getKernel();
  SmallVector<Attribute> all;
  if (auto before = kernel->getAttrOfType<ArrayAttr>(kMessagesAttr)) {
    llvm::append_range(all, before);
  }
  all.push_back(description);
  kernel->setAttr(kMessagesAttr, ArrayAttr::get(kernel.getContext(), all));
  return all.size();
}

/// Writes records.
class Recorder {
public:
  Recorder(const ThreadEmitter &emitter, Location loc)
      : emitter(emitter), loc(loc) {}

  Value emitField(OpBuilder &builder, Value from, int64_t offset) const {
    Value bytes = arith::ConstantIntOp::create(builder, loc, offset, 64);
    return ThreadEmitter::emitOffset(builder, loc, from, bytes,
                                     builder.getI8Type());
  }

  Value emitIsFirstThread(OpBuilder &builder) const {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                 emitter.getThread(),
                                 ThreadEmitter::getI32(builder, loc, 0));
  }

  /// One thread: where the record's bytes begin, or kDropped.
  Value emitReserve(OpBuilder &builder, int64_t bytes) const {
    Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
    Value buffer = emitter.getMessageBuffer();
    StringRef scope = emitter.getTarget().getDeviceScope();
    Value used = LLVM::LoadOp::create(
        builder, loc, i32, emitField(builder, buffer, kUsed), 4,
        /*isVolatile=*/false, /*isNonTemporal=*/false, /*isInvariant=*/false,
        /*isInvariantGroup=*/false, LLVM::AtomicOrdering::monotonic, scope);
    Value capacity = LLVM::LoadOp::create(
        builder, loc, i32, emitField(builder, buffer, kCapacity), 4);
    // Once it is full nobody adds any more, so that the count cannot wrap.
    Value isOpen = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ule, used, capacity);
    auto branch = scf::IfOp::create(builder, loc, i32, isOpen,
                                    /*withElseRegion=*/true);
    OpBuilder open = branch.getThenBodyBuilder(builder.getListener());
    Value begin = LLVM::AtomicRMWOp::create(
        open, loc, LLVM::AtomicBinOp::add, emitField(open, buffer, kUsed),
        ThreadEmitter::getI32(open, loc, bytes),
        LLVM::AtomicOrdering::monotonic, scope);
    Value end = arith::AddIOp::create(
        open, loc, arith::ExtUIOp::create(open, loc, i64, begin),
        arith::ConstantIntOp::create(open, loc, bytes, 64));
    Value fits =
        arith::CmpIOp::create(open, loc, arith::CmpIPredicate::ule, end,
                              arith::ExtUIOp::create(open, loc, i64, capacity));
    Value dropped = ThreadEmitter::getI32(open, loc, kDropped);
    scf::YieldOp::create(
        open, loc,
        arith::SelectOp::create(open, loc, fits, begin, dropped).getResult());
    OpBuilder full = branch.getElseBodyBuilder(builder.getListener());
    scf::YieldOp::create(full, loc, ThreadEmitter::getI32(full, loc, kDropped));
    return branch.getResult(0);
  }

  Value emitFits(OpBuilder &builder, Value offset) const {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, offset,
                                 ThreadEmitter::getI32(builder, loc, kDropped));
  }

  Value emitRecord(OpBuilder &builder, Value offset) const {
    Value records =
        emitField(builder, emitter.getMessageBuffer(), kHeaderBytes);
    Value wide =
        arith::ExtUIOp::create(builder, loc, builder.getI64Type(), offset);
    return ThreadEmitter::emitOffset(builder, loc, records, wide,
                                     builder.getI8Type());
  }

  /// One thread.
  void emitHeader(OpBuilder &builder, Value record, int64_t number) const {
    SmallVector<Value> fields = {ThreadEmitter::getI32(builder, loc, number)};
    for (unsigned axis = 0; axis < 3; ++axis) {
      fields.push_back(emitter.getProgramId(axis));
    }
    for (auto [place, field] : llvm::enumerate(fields)) {
      LLVM::StoreOp::create(builder, loc, field,
                            emitField(builder, record, 4 * place), 4);
    }
  }

private:
  const ThreadEmitter &emitter;
  Location loc;
};

//===----------------------------------------------------------------------===//
// Print
//===----------------------------------------------------------------------===//

/// One operand of a print in its record.
struct Operand {
  Value value; // One thread's.
  Type type;   // Before conversion.
  SmallVector<int64_t> shape;
  int64_t offset;
  int64_t elementBytes;
};

struct PrintToThreads final : OpConversionPattern<tile::PrintOp> {
  PrintToThreads(const TypeConverter &types, MLIRContext *context,
                 ThreadEmitter &emitter)
      : OpConversionPattern(types, context), emitter(emitter) {}

  LogicalResult
  matchAndRewrite(tile::PrintOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Operand> operands;
    int64_t bytes = kHeaderBytes;
    for (auto [number, value] : llvm::enumerate(adaptor.getValues())) {
      Type type = op.getValues()[number].getType();
      int64_t elementBytes =
          getMemoryType(getElementTypeOrSelf(type)).getIntOrFloatBitWidth() / 8;
      SmallVector<int64_t> shape = getUsedShape(op, number);
      bytes = llvm::alignTo(bytes, elementBytes);
      operands.push_back({value, type, shape, bytes, elementBytes});
      bytes += elementBytes * ShapedType::getNumElements(shape);
    }
    bytes = llvm::alignTo(bytes, kHeaderBytes);
    if (bytes > std::numeric_limits<int32_t>::max()) {
      return op.emitOpError()
             << "prints " << bytes << " bytes, more than a message may have";
    }
    int64_t number = addMessage(emitter, describe(rewriter, op, operands));
    emit(rewriter, op.getLoc(), operands, bytes, number);
    rewriter.eraseOp(op);
    return success();
  }

private:
  static DictionaryAttr describe(Builder &builder, tile::PrintOp op,
                                 ArrayRef<Operand> operands) {
    SmallVector<std::string> texts = op.getTexts();
    SmallVector<StringRef> textRefs(texts.begin(), texts.end());
    std::optional<ArrayRef<bool>> mask = op.getUnsignedMask();
    SmallVector<Attribute> dtypes, shapes;
    for (auto [number, operand] : llvm::enumerate(operands)) {
      dtypes.push_back(builder.getStringAttr(getDTypeName(
          getElementTypeOrSelf(operand.type), mask && (*mask)[number])));
      shapes.push_back(builder.getI64ArrayAttr(operand.shape));
    }
    return builder.getDictionaryAttr(
        {builder.getNamedAttr("dtypes", builder.getArrayAttr(dtypes)),
         builder.getNamedAttr("shapes", builder.getArrayAttr(shapes)),
         builder.getNamedAttr("texts", builder.getStrArrayAttr(textRefs))});
  }

  void emit(OpBuilder &builder, Location loc, ArrayRef<Operand> operands,
            int64_t bytes, int64_t number) const {
    Recorder recorder(emitter, loc);
    Value isFirst = recorder.emitIsFirstThread(builder);
    Value scratch = emitter.emitScratch(builder, loc, 4);
    auto reserve = scf::IfOp::create(builder, loc, isFirst,
                                     /*withElseRegion=*/false);
    OpBuilder one = reserve.getThenBodyBuilder(builder.getListener());
    LLVM::StoreOp::create(one, loc, recorder.emitReserve(one, bytes), scratch,
                          4);
    emitter.emitBarrier(builder, loc);
    Value offset =
        LLVM::LoadOp::create(builder, loc, builder.getI32Type(), scratch, 4);
    auto fits =
        scf::IfOp::create(builder, loc, recorder.emitFits(builder, offset),
                          /*withElseRegion=*/false);
    OpBuilder inside = fits.getThenBodyBuilder(builder.getListener());
    Value record = recorder.emitRecord(inside, offset);
    auto header =
        scf::IfOp::create(inside, loc, isFirst, /*withElseRegion=*/false);
    OpBuilder first = header.getThenBodyBuilder(builder.getListener());
    recorder.emitHeader(first, record, number);
    for (const Operand &operand : operands) {
      Value payload = recorder.emitField(inside, record, operand.offset);
      emitOperand(inside, loc, operand, payload, isFirst);
    }
  }

  void emitOperand(OpBuilder &builder, Location loc, const Operand &operand,
                   Value payload, Value isFirst) const {
    const TargetInfo &target = emitter.getTarget();
    if (!isa<RankedTensorType>(operand.type)) {
      target.emitStore(builder, loc, toMemory(builder, loc, operand.value),
                       payload, isFirst, operand.elementBytes);
      return;
    }
    const layout::LinearLayout &layout = getLayout(operand.type);
    Value isFirstCopy = emitter.getIsFirstCopy(builder, loc, layout);
    SmallVector<Value> elements =
        ThreadEmitter::unpack(builder, loc, operand.value);
    auto coordinates = emitter.getCoordinates(builder, loc, layout);
    for (auto [reg, first] :
         llvm::enumerate(ThreadEmitter::getFirstRegisters(layout))) {
      if (static_cast<int64_t>(reg) != first) {
        continue;
      }
      auto [flat, used] = emitPlace(builder, loc, operand, coordinates[reg]);
      if (used && isFirstCopy) {
        used = arith::AndIOp::create(builder, loc, used, isFirstCopy);
      } else if (isFirstCopy) {
        used = isFirstCopy;
      }
      Value value = toMemory(builder, loc, elements[reg]);
      Value pointer = ThreadEmitter::emitOffset(builder, loc, payload, flat,
                                                value.getType());
      target.emitStore(builder, loc, value, pointer, used,
                       operand.elementBytes);
    }
  }

  /// The row-major number of an element in the part that is printed, and
  /// whether it is in that part (null: always).
  static std::pair<Value, Value> emitPlace(OpBuilder &builder, Location loc,
                                           const Operand &operand,
                                           ArrayRef<Value> coordinates) {
    ArrayRef<int64_t> full = tile::getShape(operand.type);
    Value flat, used;
    for (auto [axis, coordinate] : llvm::enumerate(coordinates)) {
      Value extent = ThreadEmitter::getI32(builder, loc, operand.shape[axis]);
      if (flat) {
        flat = arith::MulIOp::create(builder, loc, flat, extent);
        flat = arith::AddIOp::create(builder, loc, flat, coordinate);
      } else {
        flat = coordinate;
      }
      if (operand.shape[axis] == full[axis]) {
        continue;
      }
      Value within = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::slt, coordinate, extent);
      used = used ? arith::AndIOp::create(builder, loc, used, within) : within;
    }
    return {flat, used};
  }

  ThreadEmitter &emitter;
};

//===----------------------------------------------------------------------===//
// Assert
//===----------------------------------------------------------------------===//

struct AssertToThreads final : OpConversionPattern<tile::AssertOp> {
  AssertToThreads(const TypeConverter &types, MLIRContext *context,
                  ThreadEmitter &emitter)
      : OpConversionPattern(types, context), emitter(emitter) {}

  LogicalResult
  matchAndRewrite(tile::AssertOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    int64_t number = addMessage(emitter, describe(rewriter, op));
    Recorder recorder(emitter, loc);
    Value yes = arith::ConstantIntOp::create(rewriter, loc, 1, 1);
    Value failed =
        arith::XOrIOp::create(rewriter, loc, adaptor.getCondition(), yes);
    Value reports = arith::AndIOp::create(rewriter, loc, failed,
                                          recorder.emitIsFirstThread(rewriter));
    auto branch = scf::IfOp::create(rewriter, loc, reports,
                                    /*withElseRegion=*/false);
    OpBuilder one = branch.getThenBodyBuilder(rewriter.getListener());
    // Counted even where the record does not fit.
    LLVM::AtomicRMWOp::create(
        one, loc, LLVM::AtomicBinOp::_or,
        recorder.emitField(one, emitter.getMessageBuffer(), kFailures),
        ThreadEmitter::getI32(one, loc, 1), LLVM::AtomicOrdering::monotonic,
        emitter.getTarget().getDeviceScope());
    Value offset = recorder.emitReserve(one, kHeaderBytes);
    auto fits = scf::IfOp::create(one, loc, recorder.emitFits(one, offset),
                                  /*withElseRegion=*/false);
    OpBuilder inside = fits.getThenBodyBuilder(rewriter.getListener());
    recorder.emitHeader(inside, recorder.emitRecord(inside, offset), number);
    rewriter.eraseOp(op);
    return success();
  }

private:
  static DictionaryAttr describe(Builder &builder, tile::AssertOp op) {
    FileLineColLoc place = findFileLoc(op.getLoc());
    StringRef file = place ? place.getFilename().getValue() : StringRef();
    return builder.getDictionaryAttr(
        {builder.getNamedAttr("assert", op.getMessageAttr()),
         builder.getNamedAttr("column", builder.getI64IntegerAttr(
                                            place ? place.getColumn() : 0)),
         builder.getNamedAttr("file", builder.getStringAttr(file)),
         builder.getNamedAttr(
             "line", builder.getI64IntegerAttr(place ? place.getLine() : 0))});
  }

  ThreadEmitter &emitter;
};

} // namespace

void populateMessagesToThreads(const TypeConverter &types,
                               RewritePatternSet &patterns,
                               ThreadEmitter &emitter) {
  patterns.add<AssertToThreads, PrintToThreads>(types, patterns.getContext(),
                                                emitter);
}

} // namespace tegula::lower
