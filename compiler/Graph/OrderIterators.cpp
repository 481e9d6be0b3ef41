//===- OrderIterators.cpp - Elements are asked for before all else --------===//

#include "compiler/Graph/Passes.h"
#include "compiler/Graph/PipelineReads.h"

#include "dialects/Ingot/CheckpointOps.h"
#include "dialects/Ingot/ControlOps.h"
#include "dialects/Ingot/InputOps.h"
#include "dialects/Ingot/ProgramOps.h"
#include "dialects/Ingot/StateOps.h"

#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

namespace ingot::graph {
#define GEN_PASS_DEF_ORDERITERATORSPASS
#include "compiler/Graph/Passes.h.inc"
} // namespace ingot::graph

using namespace mlir;
using namespace mlir::ingot;
using ::ingot::graph::PipelineReads;

/// Whether the op is one of these, or holds one.
template <typename... Ops> static bool holds(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isa<Ops...>(inner) ? WalkResult::interrupt()
                                  : WalkResult::advance();
      })
      .wasInterrupted();
}

static bool mentions(Operation *op, FlatSymbolRefAttr variable) {
  return op
      ->walk([&](Operation *inner) {
        bool found = inner->getAttrDictionary()
                         .walk([&](FlatSymbolRefAttr symbol) {
                           return symbol == variable ? WalkResult::interrupt()
                                                     : WalkResult::advance();
                         })
                         .wasInterrupted();
        return found ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

static bool assigns(Operation *op, FlatSymbolRefAttr variable) {
  return op
      ->walk([&](AssignOp assign) {
        return assign.getVariableAttr() == variable ? WalkResult::interrupt()
                                                    : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether nothing but iterators would notice that the op runs earlier.
static bool mayRunEarlier(Operation *op) {
  return !op->walk([](Operation *inner) {
              return isa<ReadOp, IteratorNextOp, IteratorMakeOp>(inner) ||
                             isMemoryEffectFree(inner) ||
                             inner->hasTrait<
                                 OpTrait::HasRecursiveMemoryEffects>()
                         ? WalkResult::advance()
                         : WalkResult::interrupt();
            }).wasInterrupted();
}

namespace {

/// Orders one block: an entry's, or one of a branch or loop in it.
class Ordering {
public:
  Ordering(Block &block, const PipelineReads &pipelines)
      : block(block), pipelines(pipelines) {}

  /// What a loop assigns gets into variables when it ends, and an entry's other
  /// assignments do when that does: where `op` holds both, its requests would
  /// see the values from before.
  static LogicalResult checkLoop(Operation *op,
                                 const PipelineReads &pipelines) {
    if (!isa<WhileOp, EntryOp>(op))
      return success();
    LogicalResult result = success();
    op->walk([&](IteratorNextOp next) {
      pipelines.visitReads(next, [&](StringAttr name) {
        auto variable = FlatSymbolRefAttr::get(name);
        if (failed(result) || !assigns(op, variable))
          return;
        next->emitError() << "dataset functions read variable '"
                          << name.getValue()
                          << "', which is assigned in the same loop or "
                             "initializer; draw one element per run";
        result = failure();
      });
    });
    return result;
  }

  LogicalResult run() {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (!holds<IteratorNextOp, IteratorMakeOp>(&op)) {
        if (holds<SaveOp, SaveTensorsOp>(&op))
          last = &op; // what it writes says where iterators stand
        continue;
      }
      // What also assigns keeps its place and is ordered inside.
      bool isMoved = mayRunEarlier(&op) && hoist(&op);
      if (holds<IteratorNextOp>(&op) && failed(checkBefore(&op)))
        return failure();
      if (isMoved)
        continue;
      if (failed(checkLoop(&op, pipelines)))
        return failure();
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          if (failed(Ordering(inner, pipelines).run()))
            return failure();
    }
    return checkSaves();
  }

private:
  bool standsInFront(Operation *op) const {
    return last && (op == last || op->isBeforeInBlock(last));
  }

  /// What may be changed before `end`, by an op that requests go in front of.
  bool isAssignedBefore(FlatSymbolRefAttr variable, Operation *end) const {
    Block::iterator begin =
        last ? std::next(last->getIterator()) : block.begin();
    return llvm::any_of(llvm::make_range(begin, end->getIterator()),
                        [&](Operation &op) { return assigns(&op, variable); });
  }

  /// Whether `op` may stand right behind `last`, and what has to move with it.
  bool collect(Operation *op, llvm::SetVector<Operation *> &moved) const {
    bool isSame = !op->walk([&](ReadOp read) {
                       return isAssignedBefore(read.getVariableAttr(), op)
                                  ? WalkResult::interrupt()
                                  : WalkResult::advance();
                     }).wasInterrupted();
    pipelines.visitReads(op, [&](StringAttr variable) {
      isSame &= !isAssignedBefore(FlatSymbolRefAttr::get(variable), op);
    });
    if (!isSame)
      return false;
    llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), used);
    for (Value value : used) {
      Operation *source = value.getDefiningOp();
      if (!source || source->getBlock() != &block || standsInFront(source) ||
          moved.contains(source))
        continue;
      if (!isa<ReadOp>(source) && !isMemoryEffectFree(source))
        return false;
      if (!collect(source, moved))
        return false;
    }
    moved.insert(op); // behind what it uses
    return true;
  }

  bool hoist(Operation *op) {
    llvm::SetVector<Operation *> moved;
    if (!collect(op, moved))
      return false;
    for (Operation *each : moved) {
      if (last)
        each->moveAfter(last);
      else
        each->moveBefore(&block, block.begin());
      last = each;
    }
    return true;
  }

  /// No assignment may stand before a request that stays where it is. One that
  /// nothing looks at until then comes behind it.
  LogicalResult checkBefore(Operation *request) {
    SmallVector<Operation *> before;
    for (Operation &op :
         llvm::make_range(block.begin(), request->getIterator()))
      if (holds<AssignOp>(&op))
        before.push_back(&op);
    for (Operation *op : llvm::reverse(before)) {
      auto assign = dyn_cast<AssignOp>(op);
      bool canWait =
          assign &&
          llvm::none_of(llvm::make_range(std::next(op->getIterator()),
                                         std::next(request->getIterator())),
                        [&](Operation &other) {
                          return mentions(&other, assign.getVariableAttr()) ||
                                 pipelines.reads(
                                     &other,
                                     assign.getVariableAttr().getAttr()) ||
                                 holds<SaveOp, SaveTensorsOp>(&other);
                        });
      if (!canWait)
        return refuse(request, op);
      op->moveAfter(request);
    }
    return success();
  }

  static LogicalResult refuse(Operation *request, Operation *assignment) {
    InFlightDiagnostic error =
        request->emitError()
        << "a step draws an element after it assigns a variable, and cannot be "
           "reordered; the end of the input would leave the step half applied";
    error.attachNote(assignment->getLoc()) << "assigned here before";
    return error;
  }

  /// From the first request to the last assignment, variables and iterators
  /// are not those of one step.
  LogicalResult checkSaves() {
    Operation *save = nullptr;
    bool isAsked = false;
    for (Operation &op : block) {
      if (save && holds<AssignOp>(&op)) {
        InFlightDiagnostic error =
            save->emitError()
            << "a checkpoint is written in the middle of a step, after it "
               "draws an element and before its last assignment";
        error.attachNote(op.getLoc()) << "assigned here after the checkpoint";
        return error;
      }
      isAsked |= holds<IteratorNextOp>(&op);
      if (isAsked && holds<SaveOp, SaveTensorsOp>(&op))
        save = &op;
    }
    return success();
  }

  Block &block;
  const PipelineReads &pipelines;
  /// The last op that requests stand behind.
  Operation *last = nullptr;
};

struct OrderIterators
    : ::ingot::graph::impl::OrderIteratorsPassBase<OrderIterators> {
  void runOnOperation() override {
    PipelineReads pipelines(getOperation());
    for (auto entry : getOperation().getOps<EntryOp>()) {
      if (!holds<IteratorNextOp>(entry))
        continue;
      // What sets a program up, or takes its state, is no step.
      bool isStep = !llvm::is_contained(
          {Role::init, Role::local_init, Role::save, Role::restore},
          entry.getRole());
      if (failed(isStep ? Ordering(entry.getBody().front(), pipelines).run()
                        : Ordering::checkLoop(entry, pipelines)))
        signalPassFailure();
    }
  }
};
} // namespace
