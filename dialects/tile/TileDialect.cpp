// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration of the `tile` dialect, and the checks of the attributes that it
// hangs on functions and arguments, so that a pass can trust them.

#include "dialects/tile/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

#include "dialects/tile/TileDialect.cpp.inc"
#include "dialects/tile/TileEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/tile/TileAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/tile/TileTypes.cpp.inc"

using namespace mlir;

namespace tegula::tile {

void TileDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/tile/TileAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/tile/TileTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/tile/TileOps.cpp.inc"
      >();
}

Operation *TileDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                            Type type, Location loc) {
  if (arith::ConstantOp::isBuildableWith(value, type)) {
    return arith::ConstantOp::create(builder, loc, type,
                                     cast<TypedAttr>(value));
  }
  return nullptr;
}

ArrayRef<int64_t> getShape(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getShape() : ArrayRef<int64_t>();
}

bool isTileShape(ArrayRef<int64_t> shape) {
  if (shape.empty() || shape.size() > kMaxRank) {
    return false;
  }
  int64_t count = 1;
  for (int64_t extent : shape) {
    // Dynamic extents are negative.
    if (extent < 1 || extent > kMaxElements / count) {
      return false;
    }
    count *= extent;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Discardable attributes
//===----------------------------------------------------------------------===//

/// The argument of `func` that `attr` numbers, or nothing if it is no array.
static std::optional<int64_t> getArrayNumber(FunctionOpInterface func,
                                             Attribute attr) {
  auto number = dyn_cast<IntegerAttr>(attr);
  if (!number || number.getValue().uge(func.getNumArguments())) {
    return std::nullopt;
  }
  int64_t value = number.getValue().getZExtValue();
  if (!isa<ViewType>(func.getArgumentTypes()[value])) {
    return std::nullopt;
  }
  return value;
}

static LogicalResult verifyMayAlias(FunctionOpInterface func, Attribute attr) {
  auto pairs = dyn_cast<ArrayAttr>(attr);
  if (!pairs) {
    return func.emitOpError()
           << "'" << kMayAliasAttr << "' must be an array of index pairs";
  }
  for (Attribute entry : pairs) {
    auto pair = dyn_cast<ArrayAttr>(entry);
    if (!pair || pair.size() != 2) {
      return func.emitOpError() << "'" << kMayAliasAttr << "' entry " << entry
                                << " is not a pair of argument numbers";
    }
    std::optional<int64_t> first = getArrayNumber(func, pair[0]);
    std::optional<int64_t> second = getArrayNumber(func, pair[1]);
    if (!first || !second || first == second) {
      return func.emitOpError() << "'" << kMayAliasAttr << "' entry " << entry
                                << " does not name two array arguments";
    }
  }
  return success();
}

static LogicalResult verifyHint(Operation *op, NamedAttribute attr) {
  auto number = dyn_cast<IntegerAttr>(attr.getValue());
  if (!isa<FunctionOpInterface>(op) || !number ||
      !number.getType().isSignlessInteger(32) || number.getInt() < 1) {
    return op->emitOpError() << "'" << attr.getName().getValue()
                             << "' must be a positive i32 of a function";
  }
  if (attr.getName() == kNumWarpsHintAttr &&
      !llvm::isPowerOf2_64(number.getInt())) {
    return op->emitOpError() << "'" << kNumWarpsHintAttr << "' is "
                             << number.getInt() << ", which is no power of two";
  }
  return success();
}

LogicalResult TileDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attr) {
  StringRef name = attr.getName();
  auto func = dyn_cast<FunctionOpInterface>(op);
  if (name == kMayAliasAttr) {
    return func ? verifyMayAlias(func, attr.getValue())
                : op->emitOpError()
                      << "'" << name << "' is an attribute of functions";
  }
  if (name == kKernelAttr || name == kFastMathAttr) {
    if (!func || !isa<UnitAttr>(attr.getValue())) {
      return op->emitOpError()
             << "'" << name << "' must be a unit attribute of a function";
    }
    return success();
  }
  if (name == kNumWarpsHintAttr || name == kNumStagesHintAttr) {
    return verifyHint(op, attr);
  }
  return op->emitOpError() << "has unknown 'tile' attribute '" << name << "'";
}

LogicalResult TileDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                    unsigned argIndex,
                                                    NamedAttribute attr) {
  StringRef name = attr.getName();
  auto fail = [&] {
    return op->emitOpError() << "argument " << argIndex << ": ";
  };
  if (name != kSizeDivAttr && name != kStrideDivAttr) {
    return fail() << "has unknown 'tile' attribute '" << name << "'";
  }
  // A declaration has types but no block with arguments.
  auto func = cast<FunctionOpInterface>(op);
  auto view = dyn_cast<ViewType>(func.getArgumentTypes()[argIndex]);
  auto divisors = dyn_cast<DenseI64ArrayAttr>(attr.getValue());
  if (!divisors || !view || divisors.size() != view.getRank()) {
    return fail() << "'" << name
                  << "' needs one divisor for each dimension of an array";
  }
  if (llvm::any_of(divisors.asArrayRef(), [](int64_t d) { return d < 1; })) {
    return fail() << "'" << name << "' divisors must be at least 1";
  }
  return success();
}

LogicalResult TileDialect::verifyRegionResultAttribute(Operation *op, unsigned,
                                                       unsigned resultIndex,
                                                       NamedAttribute attr) {
  return op->emitOpError() << "result " << resultIndex
                           << ": has unknown 'tile' attribute '"
                           << attr.getName().getValue() << "'";
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

// Directives that the declarative formats call; TileAsm.cpp defines them.
OptionalParseResult parseBracketedKind(OpAsmParser &parser,
                                       CombineKindAttr &kind);
void printBracketedKind(OpAsmPrinter &printer, Operation *op,
                        CombineKindAttr kind);
OptionalParseResult parseBracketedPrecision(OpAsmParser &parser,
                                            PrecisionAttr &precision);
void printBracketedPrecision(OpAsmPrinter &printer, Operation *op,
                             PrecisionAttr precision);

} // namespace tegula::tile

#define GET_OP_CLASSES
#include "dialects/tile/TileOps.cpp.inc"
