// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Syntax and checks of `!tile.view`. The shape-like spelling `?x?xf32` reuses MLIR's dimension-list parser so that it
// reads as a memref does.

#include "dialects/tile/Tile.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;

namespace tegula::tile {

bool ViewType::isValidElementType(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    return integer.isSignless() &&
           llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
  }
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type,
             Float8E4M3FNType, Float8E5M2Type>(type);
}

int64_t ViewType::getElementByteWidth() const {
  return std::max<int64_t>(1, getElementType().getIntOrFloatBitWidth() / 8);
}

ViewType ViewType::get(int64_t rank, Type elementType) {
  SmallVector<int64_t> strides(rank, ShapedType::kDynamic);
  int64_t align =
      elementType.isIntOrFloat()
          ? std::max<int64_t>(1, elementType.getIntOrFloatBitWidth() / 8)
          : 1;
  return get(elementType.getContext(), rank, elementType, strides, align);
}

LogicalResult ViewType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t rank, Type elementType,
                               ArrayRef<int64_t> strides, int64_t align) {
  if (rank < 1 || rank > 8) {
    return emitError() << "view rank must be 1 to 8, got " << rank;
  }
  if (!isValidElementType(elementType)) {
    return emitError() << "view element type must be i1, i8, i16, i32, i64, "
                          "f16, bf16, f32, f64, f8E4M3FN or f8E5M2, got "
                       << elementType;
  }
  if (static_cast<int64_t>(strides.size()) != rank) {
    return emitError() << "view of rank " << rank << " has " << strides.size()
                       << " strides";
  }
  if (align < 1 || (align & (align - 1)) != 0) {
    return emitError() << "view alignment must be a power of two, got "
                       << align;
  }
  return success();
}

static ParseResult parseStrides(AsmParser &parser,
                                SmallVectorImpl<int64_t> &strides) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalQuestion())) {
      strides.push_back(ShapedType::kDynamic);
      return success();
    }
    return parser.parseInteger(strides.emplace_back());
  });
}

Type ViewType::parse(AsmParser &parser) {
  SmallVector<int64_t> sizes;
  SmallVector<int64_t> strides;
  Type elementType;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() ||
      parser.parseDimensionList(sizes, /*allowDynamic=*/true) ||
      parser.parseType(elementType)) {
    return Type();
  }
  if (llvm::any_of(sizes, [](int64_t s) { return !ShapedType::isDynamic(s); })) {
    parser.emitError(loc, "view sizes are run-time values; write '?'");
    return Type();
  }
  int64_t align = -1;
  while (succeeded(parser.parseOptionalComma())) {
    StringRef key;
    SMLoc keyLoc = parser.getCurrentLocation();
    if (parser.parseKeyword(&key) || parser.parseEqual()) {
      return Type();
    }
    if (key == "strides" && strides.empty()) {
      if (parseStrides(parser, strides)) {
        return Type();
      }
    } else if (key == "align" && align == -1) {
      if (parser.parseInteger(align)) {
        return Type();
      }
    } else {
      parser.emitError(keyLoc, "expected one 'strides' and one 'align' at most");
      return Type();
    }
  }
  if (parser.parseGreater()) {
    return Type();
  }
  if (strides.empty()) {
    strides.assign(sizes.size(), ShapedType::kDynamic);
  }
  if (align == -1) {
    align = elementType.isIntOrFloat()
                ? std::max<int64_t>(1, elementType.getIntOrFloatBitWidth() / 8)
                : 1;
  }
  return parser.getChecked<ViewType>(loc, parser.getContext(),
                                     static_cast<int64_t>(sizes.size()),
                                     elementType, ArrayRef<int64_t>(strides),
                                     align);
}

void ViewType::print(AsmPrinter &printer) const {
  printer << "<";
  for (int64_t i = 0; i < getRank(); ++i) {
    printer << "?x";
  }
  printer << getElementType();
  auto isDynamic = [](int64_t s) { return ShapedType::isDynamic(s); };
  if (!llvm::all_of(getStrides(), isDynamic)) {
    printer << ", strides = [";
    llvm::interleaveComma(getStrides(), printer.getStream(), [&](int64_t s) {
      if (isDynamic(s)) {
        printer << "?";
      } else {
        printer << s;
      }
    });
    printer << "]";
  }
  if (getAlign() != getElementByteWidth()) {
    printer << ", align = " << getAlign();
  }
  printer << ">";
}

} // namespace tegula::tile
