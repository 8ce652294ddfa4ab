// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration of the `layout` dialect.

#include "dialects/layout/Layout.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "dialects/layout/LayoutDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/layout/LayoutAttrs.cpp.inc"

using namespace mlir;

namespace tegula::layout {

namespace {
/// Layouts are long: the printer names them once, above the module.
struct Aliases final : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attr, raw_ostream &stream) const override {
    if (!isa<LinearAttr>(attr)) {
      return AliasResult::NoAlias;
    }
    stream << "linear";
    return AliasResult::OverridableAlias;
  }
};
} // namespace

void LayoutDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/layout/LayoutAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/layout/LayoutOps.cpp.inc"
      >();
  addInterfaces<Aliases>();
}

Operation *LayoutDialect::materializeConstant(OpBuilder &builder,
                                              Attribute value, Type type,
                                              Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

LinearAttr getLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? dyn_cast_or_null<LinearAttr>(tensor.getEncoding())
                : LinearAttr();
}

int64_t getNumRegisters(Type type) {
  LinearAttr encoding = getLayout(type);
  return encoding ? encoding.getLayout().inSize(Dim::Register) : 1;
}

RankedTensorType withLayout(RankedTensorType type, const LinearLayout &layout) {
  return type.cloneWithEncoding(LinearAttr::get(type.getContext(), layout));
}

} // namespace tegula::layout
