// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lower-expand-math: LLVM has no vector code for exp and its kin, so a loop
// that calls one stays scalar, and where there is no C library it has no code
// at all. Written out in arithmetic they work everywhere; what the contract
// promises of them is in docs/reference/numerics.md.

#include "passes/lower/ExpandMath.h"
#include "passes/lower/ExpandMathDouble.h"
#include "passes/lower/Passes.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/TypeSwitch.h"

#define DEBUG_TYPE "lower-expand-math"

using namespace mlir;

namespace tegula::lower {
#define GEN_PASS_DEF_EXPANDMATHPASS
#include "passes/lower/Passes.h.inc"
namespace {

using Unary = Expr (*)(Expr);
using Binary = Expr (*)(Expr, Expr);

/// How one operation is computed: by an expansion on f32, and on f64 by a
/// function of the C library or by another expansion.
struct Function {
  Unary unary = nullptr;
  Binary binary = nullptr;
  StringRef libm;
  /// Of f64; null where `unary` does for both.
  Unary unaryDouble = nullptr;
  Binary binaryDouble = nullptr;

  Function() = default;
  Function(Unary unary) : unary(unary) {}
  Function(Unary unary, StringRef libm, Unary onDouble)
      : unary(unary), libm(libm), unaryDouble(onDouble) {}
  Function(Binary binary, StringRef libm, Binary onDouble)
      : binary(binary), libm(libm), binaryDouble(onDouble) {}
  explicit operator bool() const { return unary || binary; }
};

Function getFunction(Operation *op) {
  return TypeSwitch<Operation *, Function>(op)
      .Case([](math::ExpOp) {
        return Function(expandExp, "exp", expandExpDouble);
      })
      .Case([](math::Exp2Op) {
        return Function(expandExp2, "exp2", expandExp2Double);
      })
      .Case([](math::ExpM1Op) {
        return Function(expandExpm1, "expm1", expandExpm1Double);
      })
      .Case([](math::LogOp) {
        return Function(expandLog, "log", expandLogDouble);
      })
      .Case([](math::Log2Op) {
        return Function(expandLog2, "log2", expandLog2Double);
      })
      .Case([](math::Log10Op) {
        return Function(expandLog10, "log10", expandLog10Double);
      })
      .Case([](math::Log1pOp) {
        return Function(expandLog1p, "log1p", expandLog1pDouble);
      })
      .Case([](math::SinOp) {
        return Function(expandSin, "sin", expandSinDouble);
      })
      .Case([](math::CosOp) {
        return Function(expandCos, "cos", expandCosDouble);
      })
      .Case([](math::TanOp) {
        return Function(expandTan, "tan", expandTanDouble);
      })
      .Case([](math::SinhOp) {
        return Function(expandSinh, "sinh", expandSinhDouble);
      })
      .Case([](math::CoshOp) {
        return Function(expandCosh, "cosh", expandCoshDouble);
      })
      .Case([](math::TanhOp) {
        return Function(expandTanh, "tanh", expandTanhDouble);
      })
      .Case([](math::AsinOp) {
        return Function(expandAsin, "asin", expandAsinDouble);
      })
      .Case([](math::AcosOp) {
        return Function(expandAcos, "acos", expandAcosDouble);
      })
      .Case([](math::AtanOp) {
        return Function(expandAtan, "atan", expandAtanDouble);
      })
      .Case([](math::ErfOp) {
        return Function(expandErf, "erf", expandErfDouble);
      })
      .Case([](math::CbrtOp) {
        return Function(expandCbrt, "cbrt", expandCbrtDouble);
      })
      .Case([](math::RsqrtOp) { return Function(expandRsqrt); })
      .Case([](math::Atan2Op) {
        return Function(expandAtan2, "atan2", expandAtan2Double);
      })
      .Case([](math::PowFOp) {
        return Function(expandPow, "pow", expandPowDouble);
      })
      .Default([](Operation *) { return Function(); });
}

struct ExpandMathPass final : impl::ExpandMathPassBase<ExpandMathPass> {
  using ExpandMathPassBase::ExpandMathPassBase;

  void runOnOperation() override {
    OpBuilder builder(&getContext());
    SymbolTable symbols(getOperation());
    WalkResult result = getOperation().walk([&](Operation *op) {
      if (auto remainder = dyn_cast<arith::RemFOp>(op); remainder && !libm) {
        return WalkResult(expandRemainderOp(builder, remainder));
      }
      Function function = getFunction(op);
      if (!function) {
        return WalkResult::advance();
      }
      builder.setInsertionPoint(op);
      SmallVector<Expr> arguments;
      for (Value operand : op->getOperands()) {
        arguments.emplace_back(builder, op->getLoc(), operand);
      }
      Value replacement = expand(op, function, arguments, symbols);
      if (!replacement) {
        return WalkResult::interrupt();
      }
      op->getResult(0).replaceAllUsesWith(replacement);
      op->erase();
      return WalkResult::advance();
    });
    if (result.wasInterrupted()) {
      signalPassFailure();
    }
  }

private:
  /// Scalars and vectors, element by element.
  static LogicalResult expandRemainderOp(OpBuilder &builder, arith::RemFOp op) {
    builder.setInsertionPoint(op);
    Location loc = op.getLoc();
    Type element = getElementTypeOrSelf(op.getType());
    if (!isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(element)) {
      return op.emitOpError() << "has no code for " << element;
    }
    auto compute = [&](Value lhs, Value rhs) -> Value {
      Expr x(builder, loc, lhs), y(builder, loc, rhs);
      Type wide = element.isF64() ? element : x.f32();
      return expandRemainder(builder, loc, x.extf(wide), y.extf(wide))
          .truncf(element);
    };
    Value result;
    if (auto type = dyn_cast<VectorType>(op.getType())) {
      auto lhs = vector::ToElementsOp::create(builder, loc, op.getLhs());
      auto rhs = vector::ToElementsOp::create(builder, loc, op.getRhs());
      SmallVector<Value> elements;
      for (auto [x, y] : llvm::zip_equal(lhs.getResults(), rhs.getResults())) {
        elements.push_back(compute(x, y));
      }
      result = vector::FromElementsOp::create(builder, loc, type, elements);
    } else {
      result = compute(op.getLhs(), op.getRhs());
    }
    op.replaceAllUsesWith(result);
    op.erase();
    return success();
  }

  /// f16 and bf16 by way of f32, f32 in line, f64 in the C library. Null after
  /// an error.
  Value expand(Operation *op, Function function, ArrayRef<Expr> arguments,
               SymbolTable &symbols) {
    Expr first = arguments.front();
    if (first.getElementType().isF64()) {
      return expandDouble(op, function, arguments, symbols);
    }
    Type element = first.getElementType();
    if (!isa<Float16Type, BFloat16Type, Float32Type>(element)) {
      op->emitOpError() << "has no code for " << element;
      return Value();
    }
    Expr x = first.extf(first.f32());
    Expr result = function.unary
                      ? function.unary(x)
                      : function.binary(x, arguments[1].extf(first.f32()));
    return result.truncf(element);
  }

  Value expandDouble(Operation *op, Function function, ArrayRef<Expr> arguments,
                     SymbolTable &symbols) {
    if (libm && !function.libm.empty()) {
      return callLibm(op, function.libm, symbols);
    }
    if (function.binaryDouble) {
      return function.binaryDouble(arguments[0], arguments[1]);
    }
    return function.unaryDouble ? function.unaryDouble(arguments[0])
                                : function.unary(arguments[0]);
  }

  Value callLibm(Operation *op, StringRef name, SymbolTable &symbols) {
    Type type = op->getResult(0).getType();
    if (!type.isF64()) {
      op->emitOpError() << "of " << type
                        << " needs a call for each element: lower to scalars "
                           "first";
      return Value();
    }
    OpBuilder builder(op);
    SmallVector<Type> inputs(op->getNumOperands(), type);
    FunctionType signature = builder.getFunctionType(inputs, type);
    Operation *known = symbols.lookup(name);
    auto callee = dyn_cast_or_null<func::FuncOp>(known);
    if (known && (!callee || !callee.isDeclaration() ||
                  callee.getFunctionType() != signature)) {
      InFlightDiagnostic error =
          op->emitOpError() << "needs the C library's '" << name
                            << "', but the module has another symbol of that "
                               "name";
      error.attachNote(known->getLoc()) << "rename this";
      return Value();
    }
    if (!callee) {
      callee = func::FuncOp::create(op->getLoc(), name, signature);
      callee.setPrivate();
      callee->setAttr(LLVM::LLVMDialect::getReadnoneAttrName(),
                      builder.getUnitAttr());
      symbols.insert(callee);
    }
    return func::CallOp::create(builder, op->getLoc(), callee,
                                op->getOperands())
        .getResult(0);
  }
};

} // namespace
} // namespace tegula::lower
