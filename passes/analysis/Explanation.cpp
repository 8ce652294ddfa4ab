// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Explanation.h.

#include "passes/analysis/Explanation.h"

#include "mlir/IR/Remarks.h"
#include "llvm/Support/Debug.h"

using namespace mlir;

namespace tegula::analysis {

Explanation::Explanation(Kind kind, const char *pass, StringRef topic,
                         Location loc)
    : kind(kind), pass(pass), topic(topic), loc(loc), isPrinted(false),
      isReported(loc->getContext()->getRemarkEngine() != nullptr) {
  DEBUG_WITH_TYPE(pass, isPrinted = true);
}

Explanation::~Explanation() {
  if (isPrinted) {
    llvm::dbgs() << loc << ": " << text << "\n";
  }
  if (!isReported) {
    return;
  }
  remark::RemarkOpts options = remark::RemarkOpts::name(topic).category(pass);
  if (kind == Kind::Chosen) {
    remark::analysis(loc, options) << StringRef(text);
  } else {
    remark::missed(loc, options) << StringRef(text);
  }
}

std::string describeTile(Type type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped) {
    stream << type;
    return text;
  }
  for (int64_t extent : shaped.getShape()) {
    stream << extent << "x";
  }
  stream << shaped.getElementType();
  return text;
}

std::string describePlace(Location loc) {
  auto line = loc->findInstanceOf<FileLineColRange>();
  return line ? "line " + std::to_string(line.getStartLine()) : "another line";
}

} // namespace tegula::analysis
