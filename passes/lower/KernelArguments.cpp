// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See KernelArguments.h. Pointers carry what is known of them (alignment, no
// overlap, not written) as argument attributes, where LLVM looks for it.

#include "passes/lower/KernelArguments.h"

#include "passes/analysis/MemoryOrder.h"
#include "passes/analysis/Overlaps.h"
#include "passes/lower/ThreadEmitter.h"

#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tegula::lower {

using tile::ViewType;

LogicalResult checkKernelArguments(func::FuncOp kernel) {
  if (kernel.isExternal() || !kernel.getBody().hasOneBlock()) {
    return kernel.emitOpError()
           << "a kernel must have a body of one block; use scf for control "
              "flow";
  }
  if (kernel.getNumResults() != 0) {
    return kernel.emitOpError() << "a kernel returns nothing; store results "
                                   "to an array";
  }
  for (Type type : kernel.getArgumentTypes()) {
    if (!isa<ViewType>(type) && !ViewType::isValidElementType(type)) {
      return kernel.emitOpError() << "argument type " << type
                                  << " is neither an array view nor a scalar";
    }
  }
  return success();
}

/// Attributes of the pointer to an array. `isShared`: programs pass on what
/// they store.
static DictionaryAttr getPointerAttrs(func::FuncOp kernel, BlockArgument arg,
                                      bool isShared) {
  Builder builder(kernel.getContext());
  NamedAttrList attrs;
  bool isAlone =
      analysis::Overlaps(kernel).getOthers(arg.getArgNumber()).empty();
  bool isRead = !analysis::isWritten(kernel, arg);
  // Other programs access what atomics guard: by no pointer of this one.
  if (isAlone && (isRead || !isShared)) {
    attrs.set("llvm.noalias", builder.getUnitAttr());
  }
  if (isRead) {
    attrs.set("llvm.readonly", builder.getUnitAttr());
  }
  int64_t alignment = cast<ViewType>(arg.getType()).getAlign();
  if (alignment > 1) {
    attrs.set("llvm.align", builder.getI64IntegerAttr(alignment));
  }
  return attrs.getDictionary(kernel.getContext());
}

namespace {

class Flattening {
public:
  explicit Flattening(func::FuncOp kernel)
      : kernel(kernel), entry(kernel.getBody().front()),
        builder(OpBuilder::atBlockBegin(&entry)), loc(kernel.getLoc()),
        empty(builder.getDictionaryAttr({})) {}

  void run() {
    unsigned count = entry.getNumArguments();
    // While all accesses still name the arguments.
    bool isShared = analysis::MemoryOrder(kernel).isObserved();
    SmallVector<DictionaryAttr> pointerAttrs;
    for (BlockArgument arg : entry.getArguments()) {
      pointerAttrs.push_back(isa<ViewType>(arg.getType())
                                 ? getPointerAttrs(kernel, arg, isShared)
                                 : empty);
    }
    for (unsigned number = 0; number < count; ++number) {
      BlockArgument arg = entry.getArgument(number);
      if (isa<ViewType>(arg.getType())) {
        flattenView(arg, pointerAttrs[number]);
      } else {
        flattenScalar(arg);
      }
    }
    for (unsigned axis = 0; axis < 3; ++axis) {
      add(builder.getI32Type(), empty);
    }
    add(LLVM::LLVMPointerType::get(builder.getContext(), kGlobalSpace), empty);
    entry.eraseArguments(0, count);
    kernel.setFunctionType(
        builder.getFunctionType(entry.getArgumentTypes(), {}));
    kernel.setAllArgAttrs(attrs);
  }

private:
  BlockArgument add(Type type, DictionaryAttr attr) {
    attrs.push_back(attr);
    return entry.addArgument(type, loc);
  }

  void flattenView(BlockArgument arg, DictionaryAttr pointerAttr) {
    auto view = cast<ViewType>(arg.getType());
    Type pointer =
        LLVM::LLVMPointerType::get(builder.getContext(), kGlobalSpace);
    SmallVector<Value> parts = {add(pointer, pointerAttr)};
    for (int64_t d = 0; d < 2 * view.getRank(); ++d) {
      parts.push_back(add(builder.getI64Type(), empty));
    }
    for (int64_t d = 0; d < view.getRank(); ++d) {
      int64_t stride = view.getStrides()[d];
      if (!ShapedType::isDynamic(stride)) {
        parts[1 + view.getRank() + d] =
            arith::ConstantIntOp::create(builder, loc, stride, 64);
      }
    }
    auto cast = UnrealizedConversionCastOp::create(builder, loc, view, parts);
    for (StringRef name :
         {tile::kSizeDivAttr, tile::kStrideDivAttr, tile::kCompactAttr}) {
      if (Attribute known = kernel.getArgAttr(arg.getArgNumber(), name)) {
        cast->setAttr(name, known);
      }
    }
    arg.replaceAllUsesWith(cast.getResult(0));
  }

  void flattenScalar(BlockArgument arg) {
    Value value = add(getScalarType(arg.getType()), empty);
    if (arg.getType().isInteger(1)) {
      value = fromMemory(builder, loc, value, arg.getType());
    }
    arg.replaceAllUsesWith(value);
  }

  static Type getScalarType(Type type) {
    return type.isInteger(1) ? IntegerType::get(type.getContext(), 8) : type;
  }

  func::FuncOp kernel;
  Block &entry;
  OpBuilder builder;
  Location loc;
  DictionaryAttr empty;
  SmallVector<Attribute> attrs;
};

} // namespace

void flattenArguments(func::FuncOp kernel) { Flattening(kernel).run(); }

FailureOr<ArrayParts> getArrayParts(Operation *op, Value view) {
  auto cast = view.getDefiningOp<UnrealizedConversionCastOp>();
  auto type = dyn_cast<ViewType>(view.getType());
  if (!cast || !type || cast.getInputs().size() != 1 + 2 * type.getRank()) {
    return op->emitOpError() << "accesses an array that is no argument of the "
                                "kernel";
  }
  ValueRange parts = cast.getInputs();
  unsigned rank = type.getRank();
  return ArrayParts{parts[0], parts.slice(1, rank),
                    parts.slice(1 + rank, rank)};
}

void eraseDeadOps(func::FuncOp kernel) {
  // Users come after what they use, so that one walk from the end sees all.
  kernel.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    bool isDead = isa<UnrealizedConversionCastOp>(op) ? op->use_empty()
                                                      : isOpTriviallyDead(op);
    if (isDead) {
      op->erase();
    }
  });
}

} // namespace tegula::lower
