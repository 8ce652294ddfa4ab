// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See InlineAssembly.h. All targets' texts are in AT&T's dialect, LLVM's
// default.

#include "passes/lower/InlineAssembly.h"

using namespace mlir;

namespace tegula::lower {

LLVM::InlineAsmOp emitAssembly(OpBuilder &builder, Location loc, Type result,
                               ValueRange operands, StringRef text,
                               StringRef constraints, bool isVolatile) {
  return LLVM::InlineAsmOp::create(
      builder, loc, result ? TypeRange(result) : TypeRange(), operands, text,
      constraints, /*has_side_effects=*/isVolatile, /*is_align_stack=*/false,
      LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr::get(builder.getContext(), LLVM::AsmDialect::AD_ATT),
      /*operand_attrs=*/ArrayAttr());
}

Value emitOpaque(OpBuilder &builder, Location loc, Value value,
                 StringRef kind) {
  return emitAssembly(builder, loc, value.getType(), value, "",
                      ("=" + kind + ",0").str())
      .getResult(0);
}

} // namespace tegula::lower
