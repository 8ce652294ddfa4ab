// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Syntax and checks of `#layout.linear`.

#include "dialects/layout/Layout.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;

namespace tegula::layout {

LogicalResult LinearAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 LinearLayout layout) {
  if (!layout.isSurjective()) {
    return emitError() << "C3: layout leaves out elements of its shape: "
                       << layout.str();
  }
  return success();
}

static std::string shapeString(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "(";
  llvm::interleaveComma(shape, stream);
  stream << (shape.size() == 1 ? ",)" : ")");
  return text;
}

LogicalResult
LinearAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                           function_ref<InFlightDiagnostic()> emitError) const {
  if (shape != getLayout().shape()) {
    return emitError() << "C4: layout is of shape "
                       << shapeString(getLayout().shape())
                       << ", the tensor of shape " << shapeString(shape);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

template <typename T>
static ParseResult parseIntegers(AsmParser &parser, T &numbers) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(numbers.emplace_back());
  });
}

namespace {
/// What has been read so far.
struct Fields {
  LinearLayout::Bases bases;
  SmallVector<int64_t> shape;
  SmallVector<StringRef> seen;
};
} // namespace

/// `key = list`, each key at most once.
static ParseResult parseField(AsmParser &parser, Fields &fields) {
  StringRef key;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&key)) {
    return failure();
  }
  if (llvm::is_contained(fields.seen, key)) {
    return parser.emitError(loc) << "'" << key << "' is given twice";
  }
  fields.seen.push_back(key);
  if (key == "shape") {
    return failure(parser.parseEqual() || parseIntegers(parser, fields.shape));
  }
  for (Dim dim : kDims) {
    if (key != dimName(dim)) {
      continue;
    }
    auto &bases = fields.bases[static_cast<unsigned>(dim)];
    return failure(
        parser.parseEqual() ||
        parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
          return parseIntegers(parser, bases.emplace_back());
        }));
  }
  return parser.emitError(loc) << "expected 'register', 'lane', 'warp', "
                                  "'block', 'offset' or 'shape', got '"
                               << key << "'";
}

Attribute LinearAttr::parse(AsmParser &parser, Type) {
  Fields fields;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, [&] {
        return parseField(parser, fields);
      })) {
    return {};
  }
  if (!llvm::is_contained(fields.seen, "shape")) {
    parser.emitError(loc, "layout needs a 'shape'");
    return {};
  }
  std::string error;
  std::optional<LinearLayout> layout =
      LinearLayout::create(std::move(fields.bases), fields.shape, &error);
  if (!layout) {
    parser.emitError(loc) << error;
    return {};
  }
  return parser.getChecked<LinearAttr>(loc, parser.getContext(), *layout);
}

void LinearAttr::print(AsmPrinter &printer) const {
  printer << "<";
  getLayout().print(printer.getStream());
  printer << ">";
}

} // namespace tegula::layout
