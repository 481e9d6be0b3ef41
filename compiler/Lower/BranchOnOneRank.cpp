//===- BranchOnOneRank.cpp - Joins steps and their one-rank clones --------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Lower/EntryClones.h"
#include "compiler/Lower/LowerSlices.h"
#include "compiler/Lower/Passes.h"

#include "dialects/Host/HostAttributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/Debug.h"

namespace ingot::lower {
#define GEN_PASS_DEF_BRANCHONONERANKPASS
#include "compiler/Lower/Passes.h.inc"
} // namespace ingot::lower

#define DEBUG_TYPE "ingot-branch-on-one-rank"

using namespace mlir;
using namespace ::ingot::lower;

/// Returns the iterator_next ops of a function, in order. Fails if one of them
/// is in a branch or loop, or if ops before the last one have side effects.
static FailureOr<SmallVector<host::IteratorNextOp>>
requestsOf(func::FuncOp function) {
  SmallVector<host::IteratorNextOp> found;
  function.walk([&](host::IteratorNextOp next) { found.push_back(next); });
  Block &body = function.getBody().front();
  if (llvm::any_of(found,
                   [&](Operation *next) { return next->getBlock() != &body; }))
    return failure();
  if (!found.empty())
    for (Operation &op :
         llvm::make_range(body.begin(), Block::iterator(found.back())))
      if (!isa<host::IteratorNextOp>(op) && !maySink(op))
        return failure();
  return found;
}

/// Whether both functions can share their iterator_next ops, after which a
/// branch runs the other ops of either one.
static bool areJoinable(func::FuncOp any, func::FuncOp one) {
  auto first = requestsOf(any), second = requestsOf(one);
  return succeeded(first) && succeeded(second) &&
         llvm::equal(*first, *second,
                     [](host::IteratorNextOp a, host::IteratorNextOp b) {
                       return a->getAttrs() == b->getAttrs() &&
                              a->getResultTypes() == b->getResultTypes();
                     }) &&
         haveSameInterface(any, one);
}

/// Moves all ops of `body`, except its terminator and iterator_next ops, to the
/// end of `block`.
static void moveRest(Block &body, Block &block) {
  for (Operation &op : llvm::make_early_inc_range(body))
    if (!isa<host::IteratorNextOp>(op) && !op.hasTrait<OpTrait::IsTerminator>())
      op.moveBefore(block.getTerminator());
}

/// Moves the bodies of the entry's function `any` and of its clone `one` into
/// the branches of an `scf.if` in `any`. `slices` is the number of slices of a
/// batch: a rank that has all of them trains alone.
static void join(func::FuncOp any, func::FuncOp one, int64_t slices) {
  Block &body = any.getBody().front(), &other = one.getBody().front();
  for (auto [from, to] : llvm::zip(
           body.getOps<host::IteratorNextOp>(),
           llvm::make_early_inc_range(other.getOps<host::IteratorNextOp>()))) {
    to->replaceAllUsesWith(from->getResults());
    to->erase();
  }
  for (auto [from, to] : llvm::zip(any.getArguments(), one.getArguments()))
    to.replaceAllUsesWith(from);
  // An iterator_next depends on nothing before it.
  SmallVector<Operation *> requests;
  for (auto next : body.getOps<host::IteratorNextOp>())
    requests.push_back(next);
  for (Operation *next : llvm::reverse(requests))
    next->moveBefore(&body, body.begin());

  // The branch follows the requests and precedes everything else.
  Operation *place =
      requests.empty() ? &body.front() : requests.back()->getNextNode();
  ImplicitLocOpBuilder b(any.getLoc(), any.getContext());
  b.setInsertionPoint(place);
  auto [first, last] = buildSliceRange(b, slices);
  Value isAlone = arith::CmpIOp::create(
      b, arith::CmpIPredicate::eq, arith::SubIOp::create(b, last, first),
      arith::ConstantIndexOp::create(b, slices));
  auto branch = scf::IfOp::create(b, isAlone, /*withElseRegion=*/true);
  branch->setAttr(host::oneRankAttrName, b.getUnitAttr());
  while (Operation *op = branch->getNextNode()) {
    if (op->hasTrait<OpTrait::IsTerminator>())
      break;
    op->moveBefore(branch.elseBlock()->getTerminator());
  }
  moveRest(other, *branch.thenBlock());
}

namespace {
struct BranchOnOneRank
    : ::ingot::lower::impl::BranchOnOneRankPassBase<BranchOnOneRank> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<func::FuncOp> clones;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(host::oneRankOfAttrName))
        clones.push_back(function);
    bool dropsAny = false;
    for (func::FuncOp one : clones) {
      auto original =
          one->getAttrOfType<FlatSymbolRefAttr>(host::oneRankOfAttrName);
      auto slices = one->getAttrOfType<IntegerAttr>(host::numSlicesAttrName);
      auto any = original ? symbols.lookup<func::FuncOp>(original.getValue())
                          : func::FuncOp();
      bool isJoined = any && slices && areJoinable(any, one);
      LLVM_DEBUG(llvm::dbgs()
                 << (isJoined ? "join " : "drop ") << one.getName() << '\n');
      if (isJoined) {
        join(any, one, slices.getInt());
        ++numJoined;
      } else {
        dropsAny = true;
        ++numDropped;
      }
      symbols.erase(one);
    }
    if (dropsAny)
      eraseUnlaunchedKernels(getOperation());
  }
};
} // namespace
