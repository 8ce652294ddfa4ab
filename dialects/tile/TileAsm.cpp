// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assembly of the operations with optional trailing operands (mask, pad), whose
// types the declarative format cannot place. They share one grammar: `[` index
// `]` (`mask` m)? (`pad` p)?.

#include "dialects/tile/Tile.h"

using namespace mlir;

namespace tegula::tile {
namespace {

using Unresolved = OpAsmParser::UnresolvedOperand;

/// Operands of an access in textual order.
struct Access {
  SmallVector<Unresolved, 2> leading;
  Unresolved view;
  SmallVector<Unresolved, 4> index;
  SmallVector<Unresolved, 1> mask;
  SmallVector<Unresolved, 1> pad;
};

ParseResult parseOptionalNamed(OpAsmParser &parser, StringRef keyword,
                               SmallVectorImpl<Unresolved> &operands) {
  if (failed(parser.parseOptionalKeyword(keyword))) {
    return success();
  }
  return parser.parseOperand(operands.emplace_back());
}

ParseResult parseAccess(OpAsmParser &parser, unsigned numLeading, bool hasPad,
                        Access &access) {
  for (unsigned i = 0; i < numLeading; ++i) {
    if (parser.parseOperand(access.leading.emplace_back()) ||
        parser.parseComma()) {
      return failure();
    }
  }
  if (parser.parseOperand(access.view) ||
      parser.parseOperandList(access.index, OpAsmParser::Delimiter::Square) ||
      parseOptionalNamed(parser, "mask", access.mask)) {
    return failure();
  }
  return hasPad ? parseOptionalNamed(parser, "pad", access.pad) : success();
}

/// Types follow as: leading values' type (one, if any), view, index type, mask
/// type (if a mask).
ParseResult parseAccessTypes(OpAsmParser &parser, OperationState &state,
                             Access &access, bool hasPad) {
  Type leadingType, indexType, maskType;
  Type viewType;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDict(state.attributes) || parser.parseColon()) {
    return failure();
  }
  if (!access.leading.empty() &&
      (parser.parseType(leadingType) || parser.parseComma())) {
    return failure();
  }
  if (parser.parseType(viewType) || parser.parseComma() ||
      parser.parseType(indexType)) {
    return failure();
  }
  if (!access.mask.empty() &&
      (parser.parseComma() || parser.parseType(maskType))) {
    return failure();
  }
  auto view = dyn_cast<ViewType>(viewType);
  if (!view) {
    return parser.emitError(loc, "expected a '!tile.view' type, got ")
           << viewType;
  }
  for (Unresolved &operand : access.leading) {
    if (parser.resolveOperand(operand, leadingType, state.operands)) {
      return failure();
    }
  }
  if (parser.resolveOperand(access.view, viewType, state.operands) ||
      parser.resolveOperands(access.index, indexType, state.operands) ||
      parser.resolveOperands(access.mask, maskType, state.operands) ||
      parser.resolveOperands(access.pad, view.getElementType(),
                             state.operands)) {
    return failure();
  }
  SmallVector<int32_t> segments(access.leading.size(), 1);
  segments.append({1, static_cast<int32_t>(access.index.size()),
                   static_cast<int32_t>(access.mask.size())});
  if (hasPad) {
    segments.push_back(static_cast<int32_t>(access.pad.size()));
  }
  state.addAttribute("operandSegmentSizes",
                     parser.getBuilder().getDenseI32ArrayAttr(segments));
  return success();
}

ParseResult parseArrowResult(OpAsmParser &parser, OperationState &state) {
  Type result;
  if (parser.parseArrow() || parser.parseType(result)) {
    return failure();
  }
  state.addTypes(result);
  return success();
}

void printAccess(OpAsmPrinter &printer, ValueRange leading, Value view,
                 ValueRange index, Value mask, Value pad, Operation *op,
                 ArrayRef<StringRef> elided) {
  printer << " ";
  for (Value value : leading) {
    printer << value << ", ";
  }
  printer << view << "[" << index << "]";
  if (mask) {
    printer << " mask " << mask;
  }
  if (pad) {
    printer << " pad " << pad;
  }
  SmallVector<StringRef> hidden(elided);
  hidden.push_back("operandSegmentSizes");
  printer.printOptionalAttrDict(op->getAttrs(), hidden);
  printer << " : ";
  if (!leading.empty()) {
    printer << leading.front().getType() << ", ";
  }
  printer << view.getType() << ", "
          << (index.empty() ? Type(IntegerType::get(op->getContext(), 64))
                            : index.front().getType());
  if (mask) {
    printer << ", " << mask.getType();
  }
  if (op->getNumResults() == 1) {
    printer << " -> " << op->getResult(0).getType();
  }
}

} // namespace

//===----------------------------------------------------------------------===//
// Custom directives of the declarative formats: an enumeration in brackets,
// absent at its default
//===----------------------------------------------------------------------===//

template <typename EnumT>
static OptionalParseResult
parseBracketed(OpAsmParser &parser,
               llvm::function_ref<std::optional<EnumT>(StringRef)> symbolize,
               EnumT &value) {
  if (failed(parser.parseOptionalLess())) {
    return std::nullopt;
  }
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseKeyword(&keyword)) {
    return failure();
  }
  std::optional<EnumT> symbol = symbolize(keyword);
  if (!symbol) {
    return parser.emitError(loc, "unknown keyword '") << keyword << "'";
  }
  value = *symbol;
  return parser.parseGreater();
}

OptionalParseResult parseBracketedKind(OpAsmParser &parser,
                                       CombineKindAttr &kind) {
  CombineKind value;
  OptionalParseResult result = parseBracketed<CombineKind>(
      parser, [](StringRef k) { return symbolizeCombineKind(k); }, value);
  if (result.has_value() && succeeded(*result)) {
    kind = CombineKindAttr::get(parser.getContext(), value);
  }
  return result;
}

void printBracketedKind(OpAsmPrinter &printer, Operation *,
                        CombineKindAttr kind) {
  printer << "<" << stringifyCombineKind(kind.getValue()) << ">";
}

OptionalParseResult parseBracketedPrecision(OpAsmParser &parser,
                                            PrecisionAttr &precision) {
  Precision value;
  OptionalParseResult result = parseBracketed<Precision>(
      parser, [](StringRef k) { return symbolizePrecision(k); }, value);
  if (result.has_value() && succeeded(*result)) {
    precision = PrecisionAttr::get(parser.getContext(), value);
  }
  return result;
}

void printBracketedPrecision(OpAsmPrinter &printer, Operation *,
                             PrecisionAttr precision) {
  printer << "<" << stringifyPrecision(precision.getValue()) << ">";
}

//===----------------------------------------------------------------------===//
// Accesses to single elements
//===----------------------------------------------------------------------===//

ParseResult GatherOp::parse(OpAsmParser &parser, OperationState &state) {
  Access access;
  return failure(parseAccess(parser, 0, /*hasPad=*/true, access) ||
                 parseAccessTypes(parser, state, access, /*hasPad=*/true) ||
                 parseArrowResult(parser, state));
}

void GatherOp::print(OpAsmPrinter &printer) {
  printAccess(printer, {}, getView(), getIndex(), getMask(), getPad(), *this,
              {});
}

ParseResult ScatterOp::parse(OpAsmParser &parser, OperationState &state) {
  Access access;
  return failure(parseAccess(parser, 1, /*hasPad=*/false, access) ||
                 parseAccessTypes(parser, state, access, /*hasPad=*/false));
}

void ScatterOp::print(OpAsmPrinter &printer) {
  printAccess(printer, getValue(), getView(), getIndex(), getMask(), Value(),
              *this, {});
}

ParseResult AtomicRMWOp::parse(OpAsmParser &parser, OperationState &state) {
  Access access;
  AtomicKindAttr kind;
  return failure(parser.parseCustomAttributeWithFallback(kind, Type(), "kind",
                                                         state.attributes) ||
                 parseAccess(parser, 1, /*hasPad=*/true, access) ||
                 parseAccessTypes(parser, state, access, /*hasPad=*/true) ||
                 parseArrowResult(parser, state));
}

void AtomicRMWOp::print(OpAsmPrinter &printer) {
  printer << " ";
  printer.printStrippedAttrOrType(getKindAttr());
  printAccess(printer, getValue(), getView(), getIndex(), getMask(), getPad(),
              *this, {"kind"});
}

ParseResult AtomicCASOp::parse(OpAsmParser &parser, OperationState &state) {
  Access access;
  return failure(parseAccess(parser, 2, /*hasPad=*/true, access) ||
                 parseAccessTypes(parser, state, access, /*hasPad=*/true) ||
                 parseArrowResult(parser, state));
}

void AtomicCASOp::print(OpAsmPrinter &printer) {
  printAccess(printer, {getCompare(), getValue()}, getView(), getIndex(),
              getMask(), getPad(), *this, {});
}

} // namespace tegula::tile
