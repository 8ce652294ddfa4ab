// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rocm-order-memory: LLVM's scheduler begins with the order it is given, and
// moves what computes addresses and permutes bytes as if waiting cost nothing.
// Here each read of shared memory comes right before its first use, so that few
// registers hold what was read, and a tile's stores to shared memory stay
// behind the loads of the tile before: while those fly, the stores' own data
// has arrived, and nobody waits for all loads.

#include "passes/lower/ThreadEmitter.h"
#include "passes/targets/rocm/Passes.h"
#include "passes/targets/rocm/Rocdl.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

#define DEBUG_TYPE "rocm-order-memory"

using namespace mlir;

namespace tegula::rocm {
#define GEN_PASS_DEF_ORDERMEMORYPASS
#include "passes/targets/rocm/Passes.h.inc"
namespace {

/// What may pass: scalar operations, matrix instructions and reads of shared
/// memory.
constexpr int32_t kMayPass = 0x4 | 0x8 | 0x100;
/// All that is no memory access.
constexpr int32_t kArithmetic = 0x1;

bool isPointerTo(Value pointer, unsigned space) {
  auto type = dyn_cast<LLVM::LLVMPointerType>(pointer.getType());
  return type && type.getAddressSpace() == space;
}

bool isRocdl(Operation *op, StringRef prefix) {
  StringRef name = op->getName().getStringRef();
  return name.consume_front("rocdl.") && name.starts_with(prefix);
}

bool isSharedRead(Operation *op) {
  if (auto load = dyn_cast<LLVM::LoadOp>(op)) {
    return isPointerTo(load.getAddr(), lower::kSharedSpace);
  }
  return isRocdl(op, "ds.read.tr");
}

bool isSharedStore(Operation *op) {
  auto store = dyn_cast<LLVM::StoreOp>(op);
  return store && isPointerTo(store.getAddr(), lower::kSharedSpace);
}

bool isFetch(Operation *op) {
  if (auto load = dyn_cast<LLVM::LoadOp>(op)) {
    return isPointerTo(load.getAddr(), lower::kGlobalSpace);
  }
  return isRocdl(op, "raw.ptr.buffer.load");
}

/// Whether a read of shared memory may come after `op` instead of before.
bool mayPass(Operation *op) {
  return isMemoryEffectFree(op) || isSharedRead(op) || isFetch(op) ||
         isRocdl(op, "mfma.") || isRocdl(op, "wmma.");
}

/// The operation of `block` that first uses a result of `op`; null if there is
/// none.
Operation *getFirstUser(Operation *op, Block *block) {
  Operation *first = nullptr;
  for (Operation *user : op->getUsers()) {
    Operation *inBlock = block->findAncestorOpInBlock(*user);
    if (!inBlock) {
      return nullptr;
    }
    first = !first || inBlock->isBeforeInBlock(first) ? inBlock : first;
  }
  return first;
}

/// A read and the only operation that takes it apart.
SmallVector<Operation *, 2> getChain(Operation *read) {
  SmallVector<Operation *, 2> chain = {read};
  while (chain.back()->hasOneUse()) {
    Operation *user = *chain.back()->user_begin();
    if (user->getBlock() != read->getBlock() ||
        !isa<LLVM::BitcastOp, vector::BitCastOp, vector::ToElementsOp>(user)) {
      break;
    }
    chain.push_back(user);
  }
  return chain;
}

void sinkReads(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (!isSharedRead(&op)) {
      continue;
    }
    SmallVector<Operation *, 2> chain = getChain(&op);
    Operation *user = getFirstUser(chain.back(), &block);
    if (!user) {
      continue;
    }
    auto between =
        llvm::make_range(std::next(op.getIterator()), user->getIterator());
    if (!llvm::all_of(between,
                      [](Operation &passed) { return mayPass(&passed); })) {
      continue;
    }
    for (Operation *moved : chain) {
      moved->moveBefore(user);
    }
  }
}

Operation *createBarrier(OpBuilder &builder, Location loc, int32_t mayPass) {
  NamedAttribute mask =
      builder.getNamedAttr("mask", builder.getI32IntegerAttr(mayPass));
  return createRocdl(builder, loc, "sched.barrier", {}, {}, mask);
}

/// The tiles of bytes that `block` is entered with and that its stores to
/// shared memory from `store` to the next fetch are computed from.
llvm::SetVector<Value> getStoredBytes(Operation *store, Block &block) {
  llvm::SetVector<Value> values, carried;
  for (Operation &op :
       llvm::make_range(store->getIterator(), block.getOperations().end())) {
    if (isFetch(&op)) {
      break;
    }
    if (isSharedStore(&op)) {
      values.insert(cast<LLVM::StoreOp>(op).getValue());
    }
  }
  for (size_t next = 0; next < values.size(); ++next) {
    Value value = values[next];
    auto type = dyn_cast<VectorType>(value.getType());
    Operation *op = value.getDefiningOp();
    if (llvm::is_contained(block.getArguments(), value)) {
      if (type && type.getElementTypeBitWidth() == 8) {
        carried.insert(value);
      }
    } else if (op && op->getBlock() == &block && isMemoryEffectFree(op) &&
               op->getNumRegions() == 0) {
      values.insert_range(op->getOperands());
    }
  }
  return carried;
}

/// What follows `barrier` computes from `value` only after it: LLVM takes bytes
/// out of their words as early as it can, and waits for them there.
void hold(Value value, Operation *barrier) {
  OpBuilder builder(barrier->getContext());
  builder.setInsertionPointAfter(barrier);
  Value held =
      lower::ThreadEmitter::emitOpaque(builder, barrier->getLoc(), value, "v");
  Operation *taken = barrier->getNextNode();
  value.replaceUsesWithIf(held, [&](OpOperand &use) {
    Operation *user =
        barrier->getBlock()->findAncestorOpInBlock(*use.getOwner());
    return user && user != taken && barrier->isBeforeInBlock(user);
  });
}

/// In a loop, on both sides of a tile's loads where stores are: what is stored
/// before frees the registers that they load to.
void keepFetchesApart(Block &block) {
  if (!isa_and_nonnull<scf::ForOp>(block.getParentOp())) {
    return;
  }
  Operation *fetch = nullptr, *store = nullptr;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (isFetch(&op)) {
      if (store) {
        OpBuilder builder(&op);
        createBarrier(builder, op.getLoc(), kMayPass | kArithmetic);
      }
      fetch = &op;
      store = nullptr;
    } else if (isSharedStore(&op)) {
      if (fetch) {
        OpBuilder builder(fetch);
        builder.setInsertionPointAfter(fetch);
        Operation *barrier = createBarrier(builder, fetch->getLoc(), kMayPass);
        for (Value value : getStoredBytes(&op, block)) {
          hold(value, barrier);
        }
      }
      store = &op;
      fetch = nullptr;
    }
  }
}

struct OrderMemoryPass final : impl::OrderMemoryPassBase<OrderMemoryPass> {
  void runOnOperation() override {
    getOperation()->walk([](Block *block) {
      sinkReads(*block);
      keepFetchesApart(*block);
    });
  }
};

} // namespace
} // namespace tegula::rocm
