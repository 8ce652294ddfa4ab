// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration of the `tile` dialect, and the checks of the attributes that it hangs on functions and arguments, so that
// a pass can trust them.

#include "dialects/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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

static LogicalResult verifyMayAlias(FunctionOpInterface func, Attribute attr) {
  auto pairs = dyn_cast<ArrayAttr>(attr);
  if (!pairs) {
    return func.emitOpError()
           << "'" << kMayAliasAttr << "' must be an array of index pairs";
  }
  for (Attribute entry : pairs) {
    auto pair = dyn_cast<ArrayAttr>(entry);
    if (!pair || pair.size() != 2) {
      return func.emitOpError()
             << "'" << kMayAliasAttr << "' entry " << entry
             << " is not a pair of argument numbers";
    }
    for (Attribute element : pair) {
      auto number = dyn_cast<IntegerAttr>(element);
      if (!number || number.getInt() < 0 ||
          number.getInt() >= func.getNumArguments() ||
          !isa<ViewType>(func.getArgument(number.getInt()).getType())) {
        return func.emitOpError()
               << "'" << kMayAliasAttr << "' entry " << entry
               << " does not name two array arguments";
      }
    }
  }
  return success();
}

LogicalResult TileDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attr) {
  StringRef name = attr.getName();
  auto func = dyn_cast<FunctionOpInterface>(op);
  if (name == kMayAliasAttr && func) {
    return verifyMayAlias(func, attr.getValue());
  }
  if (name == kKernelAttr || name == kFastMathAttr) {
    if (!func || !isa<UnitAttr>(attr.getValue())) {
      return op->emitOpError() << "'" << name
                               << "' must be a unit attribute of a function";
    }
    return success();
  }
  return op->emitOpError() << "has unknown 'tile' attribute '" << name << "'";
}

LogicalResult TileDialect::verifyRegionArgAttribute(Operation *op,
                                                    unsigned regionIndex,
                                                    unsigned argIndex,
                                                    NamedAttribute attr) {
  StringRef name = attr.getName();
  if (name != kSizeDivAttr && name != kStrideDivAttr) {
    return op->emitOpError()
           << "argument " << argIndex << " has unknown 'tile' attribute '"
           << name << "'";
  }
  auto divisors = dyn_cast<DenseI64ArrayAttr>(attr.getValue());
  auto view = dyn_cast<ViewType>(
      op->getRegion(regionIndex).getArgument(argIndex).getType());
  if (!divisors || !view || divisors.size() != view.getRank()) {
    return op->emitOpError() << "argument " << argIndex << ": '" << name
                             << "' needs one divisor for each dimension of an "
                                "array";
  }
  if (llvm::any_of(divisors.asArrayRef(), [](int64_t d) { return d < 1; })) {
    return op->emitOpError() << "argument " << argIndex << ": '" << name
                             << "' divisors must be at least 1";
  }
  return success();
}

} // namespace tegula::tile

namespace tegula::tile {

// Directives that the declarative formats call; TileAsm.cpp defines them.
ParseResult parseBracketedKind(OpAsmParser &parser, CombineKindAttr &kind);
void printBracketedKind(OpAsmPrinter &printer, Operation *op,
                        CombineKindAttr kind);
ParseResult parseBracketedPrecision(OpAsmParser &parser,
                                    PrecisionAttr &precision);
void printBracketedPrecision(OpAsmPrinter &printer, Operation *op,
                             PrecisionAttr precision);

} // namespace tegula::tile

#define GET_OP_CLASSES
#include "dialects/tile/TileOps.cpp.inc"
