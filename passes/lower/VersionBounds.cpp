// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lower-version-bounds: where a program reduces what it loads, edges of arrays
// cost every element a predicate, a pad value or a select. Most programs meet
// no edge, which is known before the first access: they take a copy of the
// kernel's code in which every tile is inside its array.

#include "passes/analysis/AccessFacts.h"
#include "passes/analysis/Explanation.h"
#include "passes/lower/Passes.h"
#include "passes/lower/TargetInfo.h"

#include "dialects/layout/Layout.h"
#include "dialects/simt/SimtWrite.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#define DEBUG_TYPE "lower-version-bounds"

using namespace mlir;

namespace tegula::lower {
#define GEN_PASS_DEF_VERSIONBOUNDSPASS
#include "passes/lower/Passes.h.inc"
namespace {

/// Elements that a thread loads and stores from which on a second copy pays.
constexpr int64_t kMinElements = 32;
/// Operations on elements of a thread up to which a kernel is copied: code
/// generators would take too long for twice as many.
constexpr int64_t kMaxOperations = 4096;
/// Operations that a range is looked for through, one after the other.
constexpr unsigned kMaxDepth = 8;

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

/// What integers can be in the copy, of scalars and of a tile's elements.
class Ranges {
public:
  /// The size along `axis` of `view` is at least `size`.
  void addSize(Value view, int64_t axis, int64_t size) {
    int64_t &least = sizes[{view, axis}];
    least = std::max(least, size);
  }

  ConstantIntRanges get(Value value, unsigned depth = kMaxDepth) const {
    Operation *op = value.getDefiningOp();
    unsigned width = ConstantIntRanges::getStorageBitwidth(value.getType());
    if (!op || depth == 0) {
      return ConstantIntRanges::maxRange(width);
    }
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant))) {
      return ConstantIntRanges::constant(constant);
    }
    auto upTo = [&](int64_t least, int64_t most) {
      return ConstantIntRanges::fromSigned(APInt(width, least),
                                           APInt(width, most));
    };
    if (auto dim = dyn_cast<tile::DimOp>(op)) {
      return upTo(sizes.lookup({dim.getView(), dim.getAxis()}),
                  std::numeric_limits<int64_t>::max());
    }
    if (auto iota = dyn_cast<tile::IotaOp>(op)) {
      // Narrow elements wrap.
      int64_t last = iota.getType().getNumElements() - 1;
      return width > 31 ? upTo(0, last) : ConstantIntRanges::maxRange(width);
    }
    if (isa<tile::FullOp, tile::BroadcastOp, tile::ReshapeOp, tile::PermuteOp>(
            op)) {
      return get(op->getOperand(0), depth - 1);
    }
    return infer(op, cast<OpResult>(value), depth);
  }

  /// The value that a truth has everywhere, if that is known.
  std::optional<bool> getTruth(Value value) const {
    if (!getElementTypeOrSelf(value.getType()).isInteger(1)) {
      return std::nullopt;
    }
    std::optional<APInt> constant = get(value).getConstantValue();
    return constant ? std::optional(!constant->isZero()) : std::nullopt;
  }

private:
  ConstantIntRanges infer(Operation *op, OpResult result,
                          unsigned depth) const {
    unsigned width = ConstantIntRanges::getStorageBitwidth(result.getType());
    ConstantIntRanges range = ConstantIntRanges::maxRange(width);
    auto inferable = dyn_cast<InferIntRangeInterface>(op);
    auto isInteger = [](Type type) {
      return getElementTypeOrSelf(type).isSignlessInteger();
    };
    if (!inferable || !llvm::all_of(op->getOperandTypes(), isInteger)) {
      return range;
    }
    SmallVector<ConstantIntRanges> operands;
    for (Value operand : op->getOperands()) {
      operands.push_back(get(operand, depth - 1));
    }
    inferable.inferResultRanges(operands,
                                [&](Value of, const ConstantIntRanges &found) {
                                  range = of == result ? found : range;
                                });
    return range;
  }

  llvm::DenseMap<std::pair<Value, int64_t>, int64_t> sizes;
};

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// Along one dimension of an array: tiles of `extent` before `end` are inside.
/// `end` is a constant or a scalar; the last of its tiles is there if
/// `isIndex`, else the one before.
struct Limit {
  Value view;
  int64_t axis;
  int64_t extent;
  Value end;
  bool isIndex;

  bool operator==(const Limit &other) const {
    return view == other.view && axis == other.axis && extent == other.extent &&
           end == other.end && isIndex == other.isIndex;
  }
};

/// A kernel whose accesses are all of whole tiles, by places that are known
/// before the first one.
class Versioner {
public:
  explicit Versioner(func::FuncOp kernel)
      : kernel(kernel), block(kernel.getBody().front()),
        builder(kernel.getContext()) {}

  void run() {
    if (StringRef reason = getObstacle(); !reason.empty()) {
      analysis::missed(DEBUG_TYPE, "bounds", kernel.getLoc())
          << "all programs look for the edges of arrays: " << reason;
      return;
    }
    split();
    analysis::chosen(DEBUG_TYPE, "bounds", kernel.getLoc())
        << "programs whose tiles are inside their arrays have code of their "
           "own, without masks";
  }

private:
  //===--------------------------------------------------------------------===//
  // What is known before the first access
  //===--------------------------------------------------------------------===//

  StringRef getObstacle() {
    // Code generators move loads up that no branch holds back, and take the
    // registers of other programs for what is loaded.
    if (!kernel->hasAttr(kRegistersAttr)) {
      return "its registers are not limited";
    }
    bool reduces = false, known = true;
    int64_t elements = 0, operations = 0;
    kernel.walk([&](Operation *op) {
      int64_t most = 1;
      for (Type type : op->getResultTypes()) {
        most = std::max(most, layout::getNumRegisters(type));
      }
      if (auto store = dyn_cast<tile::StoreOp>(op)) {
        elements += layout::getNumRegisters(store.getValue().getType());
      } else if (isa<tile::LoadOp>(op)) {
        elements += most;
      }
      operations += most;
      reduces |= isa<tile::ReduceOp>(op);
      known &= isa<func::FuncOp, func::ReturnOp, tile::LoadOp, tile::StoreOp,
                   tile::ReduceOp, simt::ReserveOp, simt::ReadOp, simt::WriteOp,
                   simt::RenewOp, scf::ForOp, scf::YieldOp>(op) ||
               (isPure(op) && op->getNumRegions() == 0 &&
                !isa<tile::DotOp, simt::RingOp>(op));
    });
    if (!reduces || !known) {
      return "it does not only load, reduce and store";
    }
    if (elements < kMinElements) {
      return "tiles are small";
    }
    if (operations > kMaxOperations) {
      return "its code would be too long twice";
    }
    return collect();
  }

  StringRef collect() {
    bool known = true;
    kernel.walk([&](Operation *op) {
      if (auto load = dyn_cast<tile::LoadOp>(op)) {
        known &= add(load.getView(), load.getIndex(),
                     analysis::getAccessFacts(load));
      } else if (auto store = dyn_cast<tile::StoreOp>(op)) {
        known &= add(store.getView(), store.getIndex(),
                     analysis::getAccessFacts(store));
      }
    });
    if (!known) {
      return "where it accesses arrays is known too late";
    }
    return limits.empty() ? "it accesses no array" : "";
  }

  bool add(Value view, ValueRange index, const analysis::AccessFacts &facts) {
    if (!isa<BlockArgument>(view)) {
      return false;
    }
    for (auto [axis, position] : llvm::enumerate(index)) {
      Limit limit{view, static_cast<int64_t>(axis), facts.extents[axis],
                  position, /*isIndex=*/true};
      if (auto argument = dyn_cast<BlockArgument>(position)) {
        auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
        if (loop && argument == loop.getInductionVar()) {
          // From 0 or more on; a negative end is no end that any array has.
          APInt first;
          if (!matchPattern(loop.getLowerBound(), m_ConstantInt(&first)) ||
              first.isNegative()) {
            return false;
          }
          limit.end = loop.getUpperBound();
          limit.isIndex = false;
        }
      }
      if (!addSources(limit.end)) {
        return false;
      }
      if (!llvm::is_contained(limits, limit)) {
        limits.push_back(limit);
      }
    }
    return true;
  }

  /// What `value` is computed from can move before the first access.
  bool addSources(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op) {
      return cast<BlockArgument>(value).getOwner() == &block;
    }
    if (sources.contains(op)) {
      return true;
    }
    bool isScalar =
        op->getBlock() == &block && isPure(op) && op->getNumRegions() == 0 &&
        llvm::none_of(op->getResultTypes(), llvm::IsaPred<ShapedType>) &&
        llvm::all_of(op->getOperands(),
                     [&](Value operand) { return addSources(operand); });
    if (isScalar) {
      sources.insert(op);
    }
    return isScalar;
  }

  //===--------------------------------------------------------------------===//
  // Two copies
  //===--------------------------------------------------------------------===//

  void split() {
    SmallVector<Operation *> rest;
    for (Operation &op : block.without_terminator()) {
      if (!sources.contains(&op) && !op.hasTrait<OpTrait::ConstantLike>()) {
        rest.push_back(&op);
      }
    }
    Operation *end = block.getTerminator();
    for (Operation *op : rest) {
      op->moveBefore(end);
    }
    builder.setInsertionPoint(rest.front());
    auto branch = scf::IfOp::create(builder, kernel.getLoc(), emitIsInside(),
                                    /*withElseRegion=*/true);
    Operation *elseEnd = branch.elseBlock()->getTerminator();
    for (Operation *op : rest) {
      op->moveBefore(elseEnd);
    }
    IRMapping map;
    builder.setInsertionPoint(branch.thenBlock()->getTerminator());
    for (Operation *op : rest) {
      builder.clone(*op, map);
    }
    simplify(branch.thenBlock());
  }

  /// Whether every tile is inside. An index counts tiles, as does the quotient;
  /// both are compared without sign, so that a negative one is too large.
  Value emitIsInside() {
    Location loc = kernel.getLoc();
    Value inside;
    for (const Limit &limit : limits) {
      APInt constant;
      bool isConstant = matchPattern(limit.end, m_ConstantInt(&constant));
      if (isConstant && isCovered(limit, constant)) {
        continue;
      }
      auto dim = tile::DimOp::create(builder, loc, limit.view, limit.axis);
      Value step = arith::ConstantIntOp::create(builder, loc, limit.extent, 64);
      Value count = arith::DivUIOp::create(builder, loc, dim, step);
      Value there = arith::CmpIOp::create(
          builder, loc,
          limit.isIndex ? arith::CmpIPredicate::ult : arith::CmpIPredicate::ule,
          limit.end, count);
      inside =
          inside ? arith::AndIOp::create(builder, loc, inside, there) : there;
      int64_t tiles = isConstant && limit.isIndex && constant.isNonNegative()
                          ? constant.getSExtValue() + 1
                          : 1;
      int64_t least;
      if (limit.isIndex && !llvm::MulOverflow(tiles, limit.extent, least)) {
        ranges.addSize(limit.view, limit.axis, least);
      }
    }
    return inside;
  }

  /// Whether a tile further on is asked for anyway.
  bool isCovered(const Limit &limit, const APInt &end) const {
    return llvm::any_of(limits, [&](const Limit &other) {
      APInt further;
      return limit.isIndex && other.isIndex && limit.view == other.view &&
             limit.axis == other.axis && limit.extent == other.extent &&
             matchPattern(other.end, m_ConstantInt(&further)) &&
             end.ult(further);
    });
  }

  /// Marks accesses of the copy and decides what bounds decide.
  void simplify(Block *copy) {
    copy->walk([&](Operation *op) {
      auto mark = [&](ValueRange index) {
        analysis::addInside(op, llvm::to_vector(llvm::seq<int64_t>(
                                    0, static_cast<int64_t>(index.size()))));
      };
      if (auto load = dyn_cast<tile::LoadOp>(op)) {
        mark(load.getIndex());
      } else if (auto store = dyn_cast<tile::StoreOp>(op)) {
        mark(store.getIndex());
      }
    });
    copy->walk([&](arith::SelectOp op) {
      if (std::optional<bool> truth = ranges.getTruth(op.getCondition())) {
        op.replaceAllUsesWith(*truth ? op.getTrueValue() : op.getFalseValue());
      }
    });
  }

  func::FuncOp kernel;
  Block &block;
  OpBuilder builder;
  SmallVector<Limit> limits;
  llvm::SetVector<Operation *> sources;
  Ranges ranges;
};

struct VersionBoundsPass final
    : impl::VersionBoundsPassBase<VersionBoundsPass> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (kernel.isExternal() || !kernel.getBody().hasOneBlock() ||
        kernel.getNumResults() != 0) {
      return;
    }
    Versioner(kernel).run();
  }
};

} // namespace
} // namespace tegula::lower
