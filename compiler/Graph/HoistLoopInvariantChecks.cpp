//===- HoistLoopInvariantChecks.cpp - Hoists loop-invariant value checks --===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/Passes.h"
#include "compiler/Graph/SymbolicShapes.h"

#include "dialects/Ingot/IR/ControlOps.h"
#include "dialects/Ingot/IR/ProgramOps.h"
#include "dialects/Ingot/IR/RequireValuesOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Debug.h"

namespace ingot::graph {
#define GEN_PASS_DEF_HOISTLOOPINVARIANTCHECKSPASS
#include "compiler/Graph/Passes.h.inc"
} // namespace ingot::graph

#define DEBUG_TYPE "ingot-hoist-loop-invariant-checks"

using namespace mlir;
using namespace mlir::ingot;
using ::ingot::graph::SymbolicShapes;

static bool isCheck(Operation &op) {
  return isa<RequireIndicesOp, RequireNumbersOp, RequireOrderOp>(op);
}

/// Whether a clone of the op may run before the loop, in addition to the op in
/// the loop.
static bool canRepeat(Operation *op) {
  return isMemoryEffectFree(op) && op->getNumRegions() == 0;
}

/// Adds the ops of `block` from which `value` is computed to `sources`,
/// producers first. Returns false if `value` depends on the block's arguments
/// or on side effects.
static bool collectSources(Value value, Block &block,
                           llvm::SetVector<Operation *> &sources) {
  if (value.getParentBlock() != &block)
    return true;
  Operation *source = value.getDefiningOp();
  if (!source || !canRepeat(source))
    return false;
  if (sources.contains(source))
    return true;
  for (Value operand : source->getOperands())
    if (!collectSources(operand, block, sources))
      return false;
  sources.insert(source);
  return true;
}

/// If a loop-carried value has the shape of its initial value in all
/// iterations, makes checks in the loop read the shape of the initial value
/// instead. The checks thus become loop-invariant.
static void useInitialShapes(WhileOp loop, const SymbolicShapes &shapes) {
  loop->walk([&](ShapeOp shape) {
    Value tensor = shape.getInput();
    ArrayRef<int64_t> own = shapes[tensor];
    bool isForCheck = llvm::any_of(
        shape->getUsers(), [](Operation *user) { return isCheck(*user); });
    if (own.empty() || !isForCheck ||
        !loop->isAncestor(tensor.getParentBlock()->getParentOp()))
      return;
    for (Value init : loop.getInits())
      if (shapes[init] == own)
        return shape->setOperand(0, init);
  });
}

namespace {

/// Hoists out of one loop those checks whose operands are loop-invariant.
class LoopInvariantCheckHoister {
public:
  explicit LoopInvariantCheckHoister(WhileOp loop) : loop(loop), b(loop) {}

  void hoist() {
    Block &test = loop.getTest().front(), &body = loop.getBody().front();
    // The condition is evaluated at least once, so its checks can be hoisted
    // without a guard.
    for (Operation &op : llvm::make_early_inc_range(test))
      if (isCheck(op))
        move(op, test);
    // The body runs only if the condition holds for the initial state. So the
    // hoisted checks of the body are guarded by a clone of the condition.
    SmallVector<Operation *> checks;
    for (Operation &op : body)
      if (llvm::SetVector<Operation *> sources;
          isCheck(op) && collect(op, body, sources))
        checks.push_back(&op);
    // The guard evaluates the condition one additional time, so the condition
    // must not have side effects.
    bool canRepeatTest =
        llvm::all_of(test.without_terminator(),
                     [](Operation &op) { return canRepeat(&op); });
    if (checks.empty())
      return;
    if (!canRepeatTest) {
      LLVM_DEBUG(llvm::dbgs()
                 << "keep " << checks.size() << " checks of the loop at "
                 << loop.getLoc() << ": its condition has side effects\n");
      return;
    }
    Value runs = cloneTest(test);
    auto branch = IfOp::create(b, loop.getLoc(), TypeRange(), runs);
    for (Region &region : branch->getRegions()) {
      OpBuilder::InsertionGuard guard(b);
      b.createBlock(&region);
      ResultOp::create(b, loop.getLoc(), ValueRange());
    }
    b.setInsertionPointToStart(&branch.getThenBranch().front());
    for (Operation *op : checks)
      move(*op, body);
  }

private:
  static bool collect(Operation &check, Block &block,
                      llvm::SetVector<Operation *> &sources) {
    return llvm::all_of(check.getOperands(), [&](Value operand) {
      return collectSources(operand, block, sources);
    });
  }

  void move(Operation &check, Block &block) {
    llvm::SetVector<Operation *> sources;
    if (!collect(check, block, sources))
      return;
    LLVM_DEBUG(llvm::dbgs() << "hoist " << check.getName() << " at "
                            << check.getLoc() << '\n');
    IRMapping map;
    for (Operation *source : sources)
      b.clone(*source, map);
    b.clone(check, map);
    check.erase();
    ++numHoisted;
  }

  /// Clones the condition before the loop, with the initial state as operands.
  Value cloneTest(Block &test) {
    IRMapping map;
    map.map(test.getArguments(), loop.getInits());
    for (Operation &op : test.without_terminator())
      b.clone(op, map);
    return map.lookupOrDefault(
        cast<ConditionOp>(test.getTerminator()).getCondition());
  }

  WhileOp loop;
  OpBuilder b;

public:
  unsigned numHoisted = 0;
};

struct HoistLoopInvariantChecks
    : ::ingot::graph::impl::HoistLoopInvariantChecksPassBase<
          HoistLoopInvariantChecks> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (Operation &root : *getOperation().getBody()) {
      SmallVector<WhileOp> loops; // inner ones first
      root.walk([&](WhileOp loop) {
        bool anyCheck = loop->walk([](Operation *op) {
                              return isCheck(*op) ? WalkResult::interrupt()
                                                  : WalkResult::advance();
                            })
                            .wasInterrupted();
        if (anyCheck)
          loops.push_back(loop);
      });
      if (loops.empty())
        continue;
      SymbolicShapes shapes(&root, symbols);
      for (WhileOp loop : loops)
        useInitialShapes(loop, shapes);
      for (WhileOp loop : loops) {
        LoopInvariantCheckHoister checks(loop);
        checks.hoist();
        numHoisted += checks.numHoisted;
      }
    }
  }
};

} // namespace
