//===- BranchOnBatchSize.cpp - Merges steps and full-batch clones ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Lower/EntryClones.h"
#include "compiler/Lower/Passes.h"

#include "dialects/Host/HostAttributes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/Debug.h"

namespace ingot::lower {
#define GEN_PASS_DEF_BRANCHONBATCHSIZEPASS
#include "compiler/Lower/Passes.h.inc"
} // namespace ingot::lower

#define DEBUG_TYPE "ingot-branch-on-batch-size"

using namespace mlir;
using namespace ::ingot::lower;

/// Returns the function's iterator_next; null unless there is exactly one,
/// outside of branches and loops.
static host::IteratorNextOp requestOf(func::FuncOp function) {
  host::IteratorNextOp found;
  unsigned count = 0;
  function.walk([&](host::IteratorNextOp next) {
    found = next;
    ++count;
  });
  return count == 1 && found->getParentOp() == function
             ? found
             : host::IteratorNextOp();
}

/// `any` is the iterator_next of the entry, and `full` that of its clone for
/// full batches. Returns the index of the first component whose batch size is
/// dynamic in the results of `any`, and whose shape is static in the results of
/// `full`. Returns std::nullopt if there is none.
static std::optional<unsigned> openComponent(host::IteratorNextOp any,
                                             host::IteratorNextOp full) {
  for (auto [index, open, known] :
       llvm::enumerate(any->getResultTypes(), full->getResultTypes()))
    if (cast<RankedTensorType>(open).isDynamicDim(0) &&
        cast<RankedTensorType>(known).hasStaticShape())
      return index;
  return std::nullopt;
}

/// Whether the entry's function `any` and its clone `full` can share one
/// iterator_next, after which a branch runs the remaining ops of either
/// function: both have the same arguments, and no side effects before their
/// iterator_next.
static bool areJoinable(func::FuncOp any, func::FuncOp full) {
  host::IteratorNextOp first = requestOf(any), second = requestOf(full);
  if (!first || !second || !openComponent(first, second) ||
      !haveSameInterface(any, full))
    return false;
  for (host::IteratorNextOp next : {first, second})
    for (Operation &op :
         llvm::make_range(next->getBlock()->begin(), Block::iterator(next)))
      if (!maySink(op))
        return false;
  return true;
}

/// Moves all ops of `body`, except for its terminator and for `next`, to the
/// end of `block`.
static void moveInto(Block &block, Block &body, Operation *next) {
  for (Operation &op : llvm::make_early_inc_range(body))
    if (&op != next && !op.hasTrait<OpTrait::IsTerminator>())
      op.moveBefore(block.getTerminator());
}

// Moves the bodies of the entry's function `any` and of its clone `full` into
// the branches of an `scf.if` in `any`. At run time, the code of `full` runs if
// the drawn batch has the full size.
static void join(func::FuncOp any, func::FuncOp full) {
  host::IteratorNextOp next = requestOf(any), known = requestOf(full);
  unsigned component = *openComponent(next, known);
  auto type = cast<RankedTensorType>(known->getResult(component).getType());
  Block &body = any.getBody().front();
  // `any` is the function for batches of any size. Moves all its ops except its
  // iterator_next to the block `rest`, which later becomes the branch for
  // partial batches.
  Block rest;
  for (Operation &op : llvm::make_early_inc_range(body))
    if (&op != next && !op.hasTrait<OpTrait::IsTerminator>())
      op.moveBefore(&rest, rest.end());
  ImplicitLocOpBuilder b(next.getLoc(), body.getTerminator());
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value size = tensor::DimOp::create(b, next->getResult(component), zero);
  Value isFull = arith::CmpIOp::create(
      b, arith::CmpIPredicate::eq, size,
      arith::ConstantIndexOp::create(b, type.getDimSize(0)));
  auto branch = scf::IfOp::create(b, isFull, /*withElseRegion=*/true);
  branch->setAttr(host::fullBatchAttrName, b.getUnitAttr());
  Block &other = *branch.elseBlock();
  other.getOperations().splice(other.getTerminator()->getIterator(),
                               rest.getOperations());
  b.setInsertionPointToStart(branch.thenBlock());
  for (auto [from, to] : llvm::zip(next->getResults(), known->getResults()))
    to.replaceAllUsesWith(
        tensor::CastOp::create(b, to.getType(), from).getResult());
  for (auto [from, to] : llvm::zip(any.getArguments(), full.getArguments()))
    to.replaceAllUsesWith(from);
  moveInto(*branch.thenBlock(), full.getBody().front(), known);
}

namespace {
struct BranchOnBatchSize
    : ::ingot::lower::impl::BranchOnBatchSizePassBase<BranchOnBatchSize> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<func::FuncOp> copies;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(host::fullBatchOfAttrName))
        copies.push_back(function);
    bool dropsAny = false;
    for (func::FuncOp full : copies) {
      auto original =
          full->getAttrOfType<FlatSymbolRefAttr>(host::fullBatchOfAttrName);
      auto any = original ? symbols.lookup<func::FuncOp>(original.getValue())
                          : func::FuncOp();
      bool isJoined = any && areJoinable(any, full);
      LLVM_DEBUG(llvm::dbgs()
                 << (isJoined ? "join " : "drop ") << full.getName() << '\n');
      if (isJoined) {
        join(any, full);
        ++numJoined;
      } else {
        dropsAny = true;
        ++numDropped;
      }
      symbols.erase(full);
    }
    if (dropsAny)
      eraseUnlaunchedKernels(getOperation());
  }
};
} // namespace
