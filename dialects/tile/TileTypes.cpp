// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Syntax and checks of `!tile.view`. The shape-like spelling `?x?xf32` reuses
// MLIR's dimension-list parser so that it reads as a memref does.

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

/// Bytes one element of `type` occupies; 1 for what cannot be an element, so
/// that the verifier gets to say so.
static int64_t getByteWidth(Type type) {
  return type.isIntOrFloat()
             ? std::max<int64_t>(1, type.getIntOrFloatBitWidth() / 8)
             : 1;
}

int64_t ViewType::getElementByteWidth() const {
  return getByteWidth(getElementType());
}

ViewType ViewType::get(int64_t rank, Type elementType) {
  SmallVector<int64_t> strides(rank, ShapedType::kDynamic);
  return get(elementType.getContext(), rank, elementType, strides,
             getByteWidth(elementType));
}

LogicalResult ViewType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t rank, Type elementType,
                               ArrayRef<int64_t> strides, int64_t align) {
  if (rank < 1 || rank > kMaxRank) {
    return emitError() << "C1: view rank must be 1 to 8, got " << rank;
  }
  if (!isValidElementType(elementType)) {
    return emitError()
           << "C2: view element type must be i1, i8, i16, i32, i64, "
              "f16, bf16, f32, f64, f8E4M3FN or f8E5M2, got "
           << elementType;
  }
  if (static_cast<int64_t>(strides.size()) != rank) {
    return emitError() << "C3: view of rank " << rank << " has "
                       << strides.size() << " strides";
  }
  if (align < 1 || (align & (align - 1)) != 0) {
    return emitError() << "C4: view alignment must be a power of two, got "
                       << align;
  }
  return success();
}

static ParseResult parseStrides(AsmParser &parser,
                                SmallVectorImpl<int64_t> &strides) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        if (succeeded(parser.parseOptionalQuestion())) {
          strides.push_back(ShapedType::kDynamic);
          return success();
        }
        return parser.parseInteger(strides.emplace_back());
      });
}

/// `, strides = [...]` and `, align = ...`, each at most once.
static ParseResult parseOptions(AsmParser &parser,
                                std::optional<SmallVector<int64_t>> &strides,
                                std::optional<int64_t> &align) {
  while (succeeded(parser.parseOptionalComma())) {
    StringRef key;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&key) || parser.parseEqual()) {
      return failure();
    }
    if (key == "strides" && !strides) {
      if (parseStrides(parser, strides.emplace())) {
        return failure();
      }
    } else if (key == "align" && !align) {
      if (parser.parseInteger(align.emplace())) {
        return failure();
      }
    } else {
      return parser.emitError(loc,
                              "expected one 'strides' and one 'align' at most");
    }
  }
  return success();
}

Type ViewType::parse(AsmParser &parser) {
  SmallVector<int64_t> sizes;
  Type elementType;
  std::optional<SmallVector<int64_t>> strides;
  std::optional<int64_t> align;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() ||
      parser.parseDimensionList(sizes, /*allowDynamic=*/true) ||
      parser.parseType(elementType) || parseOptions(parser, strides, align) ||
      parser.parseGreater()) {
    return Type();
  }
  if (!llvm::all_of(sizes, ShapedType::isDynamic)) {
    parser.emitError(loc, "view sizes are run-time values; write '?'");
    return Type();
  }
  int64_t rank = sizes.size();
  if (!strides) {
    strides.emplace(rank, ShapedType::kDynamic);
  }
  return parser.getChecked<ViewType>(loc, parser.getContext(), rank,
                                     elementType, ArrayRef<int64_t>(*strides),
                                     align.value_or(getByteWidth(elementType)));
}

void ViewType::print(AsmPrinter &printer) const {
  printer << "<";
  for (int64_t i = 0; i < getRank(); ++i) {
    printer << "?x";
  }
  printer << getElementType();
  if (!llvm::all_of(getStrides(), ShapedType::isDynamic)) {
    printer << ", strides = [";
    llvm::interleaveComma(getStrides(), printer.getStream(), [&](int64_t s) {
      if (ShapedType::isDynamic(s)) {
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
