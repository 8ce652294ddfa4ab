// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuda-emit-prefetches: the code for what cuda-plan-prefetches found. A program
// asks for the rows of the one that will take its place on the processor, by
// one instruction of one thread for each row.

#include "passes/targets/cuda/Passes.h"
#include "passes/targets/cuda/Prefetches.h"

#include "passes/lower/InlineAssembly.h"
#include "passes/lower/KernelNumbers.h"
#include "passes/lower/TargetInfo.h"
#include "passes/targets/cuda/Arch.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#define DEBUG_TYPE "cuda-emit-prefetches"

using namespace mlir;

namespace tegula::cuda {
#define GEN_PASS_DEF_EMITPREFETCHESPASS
#include "passes/targets/cuda/Passes.h.inc"
namespace {

/// Multiprocessors of the first GPUs with bulk copies (H100, H200). On others
/// rows come a little early or late.
constexpr int64_t kProcessors = 132;

class Emitter {
public:
  Emitter(func::FuncOp kernel, int64_t distance)
      : kernel(kernel), distance(distance),
        builder(OpBuilder::atBlockBegin(&kernel.getBody().front())),
        loc(kernel.getLoc()) {}

  void run(ArrayRef<Prefetch> prefetches) {
    // The grid's first size; its others and the message buffer follow.
    Value width = kernel.getArguments().take_back(4)[0];
    Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
    auto number = [&](Value index) -> Value {
      return arith::IndexCastUIOp::create(builder, loc, i32, index);
    };
    Value thread = number(gpu::ThreadIdOp::create(
        builder, loc, gpu::Dimension::x, IntegerAttr()));
    Value block = number(
        gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x, IntegerAttr()));
    Value program = arith::RemUIOp::create(builder, loc, block, width);
    Value next = arith::AddIOp::create(
        builder, loc, program,
        arith::ConstantIntOp::create(builder, loc, distance, 32));
    Value exists = compare(arith::CmpIPredicate::ult, next, width);
    Value isFirst = compare(arith::CmpIPredicate::eq, thread,
                            arith::ConstantIntOp::create(builder, loc, 0, 32));
    inside(arith::AndIOp::create(builder, loc, exists, isFirst), [&] {
      Value wide = arith::ExtUIOp::create(builder, loc, i64, next);
      for (const Prefetch &prefetch : prefetches) {
        fetch(prefetch, wide);
      }
    });
  }

private:
  Value getI64(int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 64);
  }
  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(builder, loc, predicate, lhs, rhs);
  }
  void inside(Value condition, function_ref<void()> body) {
    auto branch = scf::IfOp::create(builder, loc, condition,
                                    /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    body();
  }

  void fetch(const Prefetch &prefetch, Value program) {
    auto part = [&](int64_t i) {
      return kernel.getArgument(static_cast<unsigned>(prefetch.argument + i));
    };
    Value pointer = part(0), height = part(1), stride = part(3);
    // Whole pieces of 16 bytes of what the row has.
    Value columns =
        arith::MinSIOp::create(builder, loc, part(2), getI64(prefetch.columns));
    Value bytes = arith::MulIOp::create(builder, loc, columns,
                                        getI64(prefetch.elementBytes));
    bytes = arith::AndIOp::create(builder, loc, bytes, getI64(-16));
    Value some = compare(arith::CmpIPredicate::sgt, bytes, getI64(0));
    Value first =
        arith::MulIOp::create(builder, loc, program, getI64(prefetch.rows));
    for (int64_t i = 0; i < prefetch.rows; ++i) {
      Value row = arith::AddIOp::create(builder, loc, first, getI64(i));
      Value exists = compare(arith::CmpIPredicate::ult, row, height);
      inside(arith::AndIOp::create(builder, loc, exists, some), [&] {
        Value offset = arith::MulIOp::create(builder, loc, row, stride);
        offset = arith::MulIOp::create(builder, loc, offset,
                                       getI64(prefetch.elementBytes));
        Value place = LLVM::GEPOp::create(builder, loc, pointer.getType(),
                                          builder.getI8Type(), pointer,
                                          ArrayRef<LLVM::GEPArg>{offset});
        Value count =
            arith::TruncIOp::create(builder, loc, builder.getI32Type(), bytes);
        lower::emitAssembly(builder, loc, Type(), {place, count},
                            "cp.async.bulk.prefetch.L2.global [$0], $1;",
                            "l,r");
      });
    }
  }

  func::FuncOp kernel;
  int64_t distance;
  OpBuilder builder;
  Location loc;
};

struct EmitPrefetchesPass final
    : impl::EmitPrefetchesPassBase<EmitPrefetchesPass> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      if (failed(emit(kernel))) {
        return signalPassFailure();
      }
    }
  }

private:
  static LogicalResult emit(func::FuncOp kernel) {
    auto list = kernel->getAttrOfType<ArrayAttr>(kPrefetchAttr);
    if (!list) {
      return success();
    }
    std::optional<int64_t> warps =
        lower::getNumber(kernel, lower::kNumWarpsAttr);
    SmallVector<Prefetch> prefetches;
    for (Attribute attr : list) {
      std::optional<Prefetch> prefetch = fromAttr(attr);
      if (!prefetch || !warps || *warps < 1 ||
          !describesArray(kernel, *prefetch)) {
        return kernel.emitOpError("has '")
               << kPrefetchAttr << "' = " << attr
               << ", which describes no array of the kernel";
      }
      prefetches.push_back(*prefetch);
    }
    // Those that begin when the ones at work end.
    int64_t programs = getProgramsAtWork(*warps);
    Emitter(kernel, kProcessors * programs).run(prefetches);
    kernel->removeAttr(kPrefetchAttr);
    return success();
  }

  /// A pointer, two sizes, two strides, and the four parameters at the end.
  static bool describesArray(func::FuncOp kernel, const Prefetch &prefetch) {
    int64_t count = kernel.getNumArguments();
    if (prefetch.argument < 0 || prefetch.argument + 5 + 4 > count) {
      return false;
    }
    auto types = kernel.getArgumentTypes().slice(
        static_cast<unsigned>(prefetch.argument), 5);
    return isa<LLVM::LLVMPointerType>(types[0]) &&
           llvm::all_of(types.drop_front(),
                        [](Type type) { return type.isInteger(64); });
  }
};

} // namespace
} // namespace tegula::cuda
